"""``scontrol suspend`` and ``resume``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from slimsched.controller.life import pauses, selectors
from slimsched.controller.requests import defaults, rights
from slimsched.errors import PluginError, SlurmError
from slimsched.model.job import HOLD_PRIORITY
from slimsched.slurm import states
from slimsched.slurm.errno import Errno

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slimsched.controller.core import Controller
    from slimsched.controller.life.selectors import Failure
    from slimsched.model.job import Job


def suspend(ctl: Controller, specs: Sequence[str]) -> list[Failure]:
    """Suspend running jobs; one that is suspended stays so."""

    def act(job: Job) -> None:
        _check(job)
        rights.require(ctl.cluster, rights.OPERATOR, Errno.ACCESS_DENIED)
        if job.state != states.SUSPENDED:
            with _plugin_refusals():
                pauses.suspend_job(ctl, job)
            job.priority = HOLD_PRIORITY  # as slurmctld has it, until the job is resumed

    return [_as_recorded(failure) for failure in selectors.each(ctl, specs, act, whole=True)]


def resume(ctl: Controller, specs: Sequence[str]) -> list[Failure]:
    """Let suspended jobs go on."""

    def act(job: Job) -> None:
        _check(job)
        rights.require(ctl.cluster, rights.OPERATOR, Errno.ACCESS_DENIED)
        if job.state != states.SUSPENDED:
            raise SlurmError(Errno.JOB_NOT_SUSPENDED)
        with _plugin_refusals():
            pauses.resume_job(ctl, job)
        defaults.set_priority(ctl, job)

    return [_as_recorded(failure) for failure in selectors.each(ctl, specs, act, whole=True)]


@contextmanager
def _plugin_refusals() -> Iterator[None]:
    """Word what the select plugin cannot do: others have the CPUs."""
    try:
        yield
    except PluginError:
        raise SlurmError(Errno.NODES_BUSY) from None


def _check(job: Job) -> None:
    if job.finished:
        raise SlurmError(Errno.ALREADY_DONE)
    if job.pending:
        raise SlurmError(Errno.JOB_PENDING)


def _as_recorded(failure: Failure) -> Failure:
    """Return the failure with the error that slurmctld answers an unknown job with here, and only here."""
    return failure._replace(errno=Errno.UNEXPECTED_MSG) if failure.errno == Errno.INVALID_JOB_ID else failure
