"""A job as it would be if it were submitted now, for a controller that is thrown away afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.submit import submission
from slimsched.model.job import Job

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.controller.requests.users import User
    from slimsched.model.request import JobRequest


class Unsubmitted(Job):
    """A job that waits as if it had been submitted; no command can name it."""


def suppose(ctl: Controller, request: JobRequest, user: User) -> Unsubmitted:
    """Put the job of a request into the cluster as if it waited; raise `SlurmError` if it would be refused.

    The cluster is changed and must not be written.
    """
    made, admission = submission.create(ctl, request, user)
    job = Unsubmitted(**{name: getattr(made, name) for name in Job.__struct_fields__})
    submission.enter(ctl, job)
    submission.refuse_impossible(ctl, job, admission.partitions)
    return job
