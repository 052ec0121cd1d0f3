"""``--test-only``: when and where a job would start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.cli import submission
from slimsched.errors import SlurmError, UserError
from slimsched.text import times

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.command import Given
    from slimsched.cli.options.request import Draft


def report(app: Application, made: Draft, given: Given, *, name: str, batch: bool = True) -> int:
    """Print the expected start on standard error, as the commands do; a refusal is an ``allocation failure``."""
    from slimsched.controller import submit

    with app.session() as ctl:
        request = submission.make_request(app, ctl, made, given, name=name, batch=batch)
        try:
            plan = submit.test_only(ctl, request, submission.user_of(ctl, made))
        except SlurmError as error:
            refusal = UserError(f"allocation failure: {error.message}", level="plain")
            refusal.commits = error.commits
            raise refusal from None
        if "quiet" in made.other:
            return 0
        app.err(
            f"{app.command}: Job {plan.job_id} to start at {times.instant(plan.start_time)} a using {plan.cpus} "
            f"processors on nodes {plan.nodes} in partition {plan.partition}"
        )
    return 0
