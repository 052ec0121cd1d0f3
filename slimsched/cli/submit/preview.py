"""The option ``--test-only``: when and where a job would start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.cli.submit import drafts
from slimsched.errors import SlurmError, UserError
from slimsched.text import times

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slimsched.cli.app import Application
    from slimsched.cli.program import Given
    from slimsched.cli.submit.options.request import Draft
    from slimsched.controller.submit.test_only import PlannedStart


def report(
    app: Application, made: Draft, given: Given, *, name: str, batch: bool = True, others: Sequence[Draft] = ()
) -> int:
    """Print the expected start on standard error, as the commands do; a refusal is an ``allocation failure``.

    ``others``: the further components of a heterogeneous job.
    """
    from slimsched.controller.submit import submission as submit

    with app.session() as ctl:
        requests = [drafts.make_request(app, ctl, one, given, name=name, batch=batch) for one in (made, *others)]
        user = drafts.user_of(ctl, made)

        def find() -> PlannedStart:
            with drafts.reasoned(ctl, requests, user):
                return submit.test_together(ctl, requests, user)

        _say(app, made, find)
    return 0


def report_job(app: Application, made: Draft, text: str) -> int:
    """Print the expected start of a job that waits (``srun --test-only --jobid=12``), held or not."""
    from slimsched.controller.life import selectors
    from slimsched.controller.submit import test_only

    with app.session(write=False) as ctl:
        _say(app, made, lambda: test_only.of_waiting(ctl, selectors.parse(text)))
    return 0


def _say(app: Application, made: Draft, find: Callable[[], PlannedStart]) -> None:
    try:
        plan = find()
    except SlurmError as error:
        refusal = UserError(f"allocation failure: {error.message}", level="plain", notes=error.notes)
        refusal.commits = error.commits
        raise refusal from None
    if "quiet" not in made.other:
        app.err(
            f"{app.command}: Job {plan.job_id} to start at {times.instant(plan.start_time)} a using {plan.cpus} "
            f"processors on nodes {plan.nodes} in partition {plan.partition}"
        )
