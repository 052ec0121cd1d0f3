"""Notes on a change of a job: why it was refused, as for a submission, or what it asks for that nothing has."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from slimsched.controller.explain import refusal, unknown_names
from slimsched.controller.explain.refused import Refused
from slimsched.controller.life import selectors
from slimsched.controller.reservations import access
from slimsched.slurm.errno import Errno

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from slimsched.controller.core import Controller
    from slimsched.controller.life.selectors import Failure
    from slimsched.controller.update.fields import Given
    from slimsched.model.job import Job

_GRES = ("Gres", "TresPerNode", "TresPerJob", "TresPerSocket", "TresPerTask")
_ATTRIBUTES = {
    "Account": "account",
    "Dependency": "dependency",
    "Licenses": "licenses",
    "QOS": "qos",
    "ReservationName": "reservation",
    **dict.fromkeys(_GRES, "gres"),
}
"""Field -> the part of the request whose names are looked up."""


def notes(ctl: Controller, failure: Failure, given: Sequence[Given]) -> tuple[str, ...]:
    """Return our notes on what failed, none if Slurm's words say all."""
    reason = _REASONS.get(failure.errno)
    if reason is None or not selectors.well_formed(failure.text):
        return ()
    found = selectors.find(ctl.cluster, selectors.parse(failure.text))
    return tuple(dict.fromkeys(note for job in found for note in reason(_case(ctl, job, given))))


def _case(ctl: Controller, job: Job, given: Sequence[Given]) -> Refused:
    request = copy.copy(job.request)
    for item in given:
        if attribute := _ATTRIBUTES.get(item.field.name):
            setattr(request, attribute, item.text)
    return Refused(ctl, request, access.of_job(job))


def _nodes(case: Refused) -> Iterator[str]:
    for part in case.partitions():
        name = part.partition_name
        yield f"partition {name} has {case.cluster.partition_bitmap(name).bit_count()} nodes"


_REASONS = {**refusal.REASONS, Errno.REQUESTED_PART_CONFIG_UNAVAILABLE: _nodes}


def remarks(ctl: Controller, given: Sequence[Given]) -> Iterator[str]:
    """Yield the types of generic resources that a change asks for and no node has: the job will wait for them."""
    for item in given:
        if item.field.name in _GRES:
            yield from unknown_names.gres_types(ctl.cluster, item.text)
