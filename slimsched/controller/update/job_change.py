"""One job's update in the making, and what the values of its fields change, besides sizes and times."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from slimsched.controller.life import dependency, resize
from slimsched.controller.requests import licensing, resource_texts, text_checks
from slimsched.controller.reservations import access
from slimsched.controller.submit.check import partitions_of
from slimsched.controller.update.fields import Change, Given
from slimsched.errors import SlurmError, SyntaxFault, UserError
from slimsched.model.request import JobRequest
from slimsched.slurm.errno import Errno, ErrorCode
from slimsched.slurm.states import SUSPENDED
from slimsched.text import times
from slimsched.text.sizes import strtol

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.controller.core import Controller
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job

    Put = Callable[["JobChange", Given], None]
    When = Callable[["JobChange", Given], bool]

THROTTLE = "Update of ArrayTaskThrottle is only allowed on ArrayJobId"


class JobChange(Change[JobRequest]):
    """The job, and a trial copy of its request."""

    def __init__(self, ctl: Controller, job: Job) -> None:
        super().__init__(ctl, copy.copy(job.request))
        self.job = job

    @property
    def partition(self) -> PartitionConf:
        """The first partition that the job asks for."""
        return partitions_of(self.ctl.cluster, self.trial)[0]


# when a field may be changed


def until_end(change: JobChange, given: Given) -> bool:
    """Refuse a job that has ended."""
    if change.job.finished:
        raise SlurmError(Errno.JOB_FINISHED)
    return True


def until_start(errno: ErrorCode = Errno.JOB_NOT_PENDING) -> When:
    """Return what refuses a job that no longer waits."""

    def when(change: JobChange, given: Given) -> bool:
        until_end(change, given)
        if not change.job.pending:
            raise SlurmError(errno)
        return True

    return when


pending = until_start()


def other(attribute: str, when: When = until_end) -> When:
    """Return what passes over a value that the request has already: it is no change, and never comes too late."""
    return lambda change, given: (
        until_end(change, given) and given.text != getattr(change.job.request, attribute) and when(change, given)
    )


# what a value changes


def text(attribute: str) -> Put:
    """Return what puts a text of at most 1,024 bytes."""

    def put(change: JobChange, given: Given) -> None:
        text_checks.length(given.text, MOST_BYTES)
        setattr(change.trial, attribute, given.text)

    return put


MOST_BYTES = 1024


def memory(attribute: str, instead_of: str) -> Put:
    """Return what puts an amount of memory, which takes the place of another way to ask for it."""

    def put(change: JobChange, given: Given) -> None:
        setattr(change.trial, attribute, given.value)
        setattr(change.trial, instead_of, None)

    return put


def partition(change: JobChange, given: Given) -> None:
    """Put ``Partition``; the first of a list must take jobs."""
    partitions = change.ctl.cluster.partitions
    names = given.text.split(",")
    if not given.text or not partitions.keys() >= set(names):
        from slimsched.controller.requests import strangers

        raise SlurmError(
            Errno.INVALID_PARTITION_NAME, notes=strangers.notes(change.ctl.cluster, "partition", filter(None, names))
        )
    if partitions[names[0]].state not in SUBMITTABLE:
        raise SlurmError(Errno.PARTITION_NOT_AVAIL)
    change.trial.partition = given.text
    change.later.append(lambda: setattr(change.job, "partition", names[0]))


SUBMITTABLE = frozenset({"UP", "DOWN"})
"""States of a partition in which it takes jobs."""


def extra(change: JobChange, given: Given) -> None:
    """Put ``Extra``, which must parse."""
    text_checks.extra(change.ctl.cluster, given.text)
    change.trial.extra = given.text


def depends(change: JobChange, given: Given) -> None:
    """Put ``Dependency``."""
    job, value = change.job, given.text
    may_expand = "expand:" in value and resize.permitted(change.ctl)
    left = dependency.resolve(change.ctl.cluster, value, job.job_id, may_expand=may_expand) if value else ""
    change.trial.dependency = value
    change.later.append(lambda: setattr(job, "dependency", left))


def features(change: JobChange, given: Given) -> None:
    """Put ``Features``."""
    from slimsched.constraints import slurm_features

    text_checks.features(change.ctl.cluster, given.text, Errno.INVALID_FEATURE)
    change.trial.features = slurm_features.canonical(given.text)


def prefer(change: JobChange, given: Given) -> None:
    """Put ``Prefer``."""
    from slimsched.constraints import slurm_features

    text_checks.features(change.ctl.cluster, given.text, Errno.INVALID_PREFER)
    change.trial.prefer = slurm_features.canonical(given.text)


def licenses(change: JobChange, given: Given) -> None:
    """Put ``Licenses``; a running job gives back what it has and gets these at once, whether they are free or not."""
    job, value = change.job, given.text
    licensing.check(change.ctl.cluster, value)
    if job.state == SUSPENDED:
        raise SlurmError(Errno.JOB_NOT_PENDING_NOR_RUNNING)
    if job.active:
        change.later.append(lambda: licensing.exchange(change.ctl.cluster, job))
    change.trial.licenses = value


def reservation(change: JobChange, given: Given) -> None:
    """Put ``ReservationName``, which the job's user must be allowed to use."""
    if given.text:
        user = access.of_job(change.job)
        access.check(change.ctl.cluster, given.text, user, change.trial.account)
        change.later.append(lambda: setattr(change.job, "resv_name", given.text))
    change.trial.reservation = given.text


def account(change: JobChange, given: Given) -> None:
    """Put ``Account``: without associations there is none to change to, and the job stays as it is."""
    if change.ctl.cluster.accounting:
        _associated(change, given.text.lower(), change.trial.qos)
        change.trial.account = given.text


def qos(change: JobChange, given: Given) -> None:
    """Put ``QOS``; see ``Account``."""
    if change.ctl.cluster.accounting:
        pending(change, given)
        _associated(change, change.trial.account, given.text)
        change.trial.qos = given.text


def _associated(change: JobChange, account: str, qos: str) -> None:
    """Refuse an account or a QOS that the job's user may not use, where that is enforced."""
    from slimsched.controller.accounts import assoc_limits

    name = change.partition.partition_name
    assoc_limits.permit(change.ctl.cluster, account, qos, change.job.user_name, name)


def throttle(change: JobChange, given: Given) -> None:
    """Put ``ArrayTaskThrottle``, which only an array has."""
    job = change.job
    if not job.array_job_id:
        raise SlurmError(Errno.NOT_SUPPORTED, detail=THROTTLE)
    change.later.append(lambda: setattr(job, "array_max_tasks", given.value))


def oversubscribe(change: JobChange, given: Given) -> None:
    """Put ``OverSubscribe``, which takes the place of ``--exclusive``."""
    change.trial.oversubscribe = given.value
    if given.value:
        change.trial.exclusive = ""


def switches(change: JobChange, given: Given) -> None:
    """Put ``Switches``: a count, perhaps ``@`` and how long to wait for them."""
    count, at, wait = given.text.partition("@")
    change.trial.switches = strtol(count)[0]
    if at:
        try:
            change.trial.wait_for_switches = times.minutes(wait) * 60
        except SyntaxFault:
            change.trial.wait_for_switches = 0


def specialized(attribute: str, instead_of: str) -> Put:
    """Return what puts the cores or threads left to the system, which the configuration must allow."""

    def put(change: JobChange, given: Given) -> None:
        if not change.ctl.cluster.config.flag("AllowSpecResourcesUsage"):
            raise SlurmError(Errno.ACCESS_DENIED)
        setattr(change.trial, attribute, given.value)
        setattr(change.trial, instead_of, None)

    return put


def delay_boot(change: JobChange, given: Given) -> None:
    """Put ``DelayBoot``, which is kept only."""
    change.trial.recorded = {**change.trial.recorded, "delay-boot": given.text}


def mail_user(change: JobChange, given: Given) -> None:
    """Put ``MailUser``, which only a job with mail events has."""
    change.trial.mail_user = given.text if change.trial.mail_type else ""


def admin_comment(change: JobChange, given: Given) -> None:
    """Put ``AdminComment``; ``+=`` adds to the present one."""
    present = change.trial.admin_comment or ""
    new = f"{present},{given.text}" if given.sign and present else given.text
    text_checks.length(new, MOST_BYTES)
    change.trial.admin_comment = new


def gres(change: JobChange, given: Given) -> None:
    """Put ``Gres`` and ``TresPerNode``: ``gpu:1``, ``gres/gpu:1`` or ``gres:gpu:1``."""
    change.trial.gres = ",".join(_unclassed(item) for item in given.text.split(",") if item)
    try:
        resource_texts.check_gres(change.ctl.cluster, change.trial)
    except UserError:
        raise SlurmError(Errno.INVALID_GRES) from None


def _unclassed(text: str) -> str:
    """Return a generic resource without its class (``gres/``)."""
    return text[5:] if text.lower().startswith(("gres/", "gres:")) else text


def gpus(attribute: str) -> Put:
    """Return what puts GPUs for a job, a socket or a task: ``gres/gpu:2``; an empty text takes the request back."""

    def put(change: JobChange, given: Given) -> None:
        kind, _, count = _unclassed(given.text).partition(":")
        # a type may stand ahead of the number: a100:2
        if given.text and (kind.lower() != "gpu" or not count.rpartition(":")[2].isdigit()):
            raise SlurmError(Errno.INVALID_GRES)
        setattr(change.trial, attribute, count)

    return put


def per_gpu(attribute: str) -> Put:
    """Return what puts an amount for each GPU: ``gpu:4`` or ``gres/gpu:4``."""

    def put(change: JobChange, given: Given) -> None:
        kind, _, count = _unclassed(given.text).partition(":")
        if given.text and (kind.lower() != "gpu" or not count.isdigit()):
            raise SlurmError(Errno.INVALID_TRES)
        setattr(change.trial, attribute, int(count) if count else None)

    return put


def refused(errno: ErrorCode) -> Put:
    """Return what refuses every value."""

    def put(change: JobChange, given: Given) -> None:
        raise SlurmError(errno)

    return put


def nothing(change: JobChange, given: Given) -> None:
    """Take a value that changes nothing: a site's priority factor has no weight here."""
