"""Generic resources of a job as ``scontrol update`` reads them: by node, job, socket and task, and for each GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.submit import resource_texts
from slimsched.errno import Errno
from slimsched.errors import SlurmError, UserError

if TYPE_CHECKING:
    from slimsched.controller.update.job_change import Change, Reader


def gres(change: Change, value: str) -> None:
    """Read ``Gres`` and ``TresPerNode``: ``gpu:1``, ``gres/gpu:1`` or ``gres:gpu:1``."""
    change.request.gres = ",".join(_unclassed(item) for item in value.split(",") if item)
    try:
        resource_texts.check_gres(change.ctl.cluster, change.request)
    except UserError:
        raise SlurmError(Errno.INVALID_GRES) from None


def _unclassed(text: str) -> str:
    """Return a generic resource without its class (``gres/``)."""
    return text[5:] if text.lower().startswith(("gres/", "gres:")) else text


def gpus(attribute: str) -> Reader:
    """Return the reader of GPUs for a job, a socket or a task: ``gres/gpu:2``; an empty text takes the request back."""

    def read(change: Change, value: str) -> None:
        kind, _, count = _unclassed(value).partition(":")
        if value and (kind.lower() != "gpu" or not _plain_count(count)):
            raise SlurmError(Errno.INVALID_GRES)
        setattr(change.request, attribute, count)

    return read


def _plain_count(text: str) -> bool:
    """Whether a text ends in a number, perhaps behind the type of a resource (``a100:2``)."""
    return text.rpartition(":")[2].isdigit()


def per_gpu(attribute: str) -> Reader:
    """Return the reader of an amount for each GPU: ``gpu:4`` or ``gres/gpu:4``."""

    def read(change: Change, value: str) -> None:
        kind, _, count = _unclassed(value).partition(":")
        if value and (kind.lower() != "gpu" or not count.isdigit()):
            raise SlurmError(Errno.INVALID_TRES)
        setattr(change.request, attribute, int(count) if count else None)

    return read
