"""Keywords of ``scontrol`` that act on jobs: hold, release, requeue, suspend, resume, top, notify, wait_job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.errno import Errno
from slimsched.errors import SlurmError, UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slimsched.cli.app import Application
    from slimsched.cli.scontrol.settings import Settings
    from slimsched.controller.core import Controller
    from slimsched.controller.selectors import Failure

    Verb = Callable[[Controller, Sequence[str]], list[Failure]]

HOLD_LEAD = "slurm_suspend error:"  # the real one says so for hold and release


def hold(app: Application, words: list[str], settings: Settings) -> int:
    """Hold jobs as an operator."""
    from slimsched.controller import hold as verbs

    return _apply(app, words, verbs.hold, HOLD_LEAD)


def uhold(app: Application, words: list[str], settings: Settings) -> int:
    """Hold jobs as their user would."""
    from slimsched.controller import hold as verbs

    return _apply(app, words, lambda ctl, specs: verbs.hold(ctl, specs, verbs.USER), HOLD_LEAD)


def release(app: Application, words: list[str], settings: Settings) -> int:
    """Release held jobs."""
    from slimsched.controller import hold as verbs

    return _apply(app, words, verbs.release, HOLD_LEAD)


def top(app: Application, words: list[str], settings: Settings) -> int:
    """Put jobs ahead of their user's others."""
    from slimsched.controller import hold as verbs

    return _apply(app, words, verbs.top)


def requeue(app: Application, words: list[str], settings: Settings) -> int:
    """Put jobs back into the queue."""
    from slimsched.controller import requeue as verbs

    incomplete, words = _modifier(words, "incomplete")
    return _apply(app, words, lambda ctl, specs: verbs.requeue(ctl, specs, incomplete=incomplete))


def requeuehold(app: Application, words: list[str], settings: Settings) -> int:
    """Put jobs back into the queue and hold them there."""
    from slimsched.controller import requeue as verbs

    incomplete, words = _modifier(words, "incomplete")
    special, words = _modifier(words, "state=specialexit")
    return _apply(
        app, words, lambda ctl, specs: verbs.requeue(ctl, specs, hold=True, special=special, incomplete=incomplete)
    )


def suspend(app: Application, words: list[str], settings: Settings) -> int:
    """Suspend running jobs."""
    from slimsched.controller import suspend as verbs

    return _apply(app, words, verbs.suspend)


def resume(app: Application, words: list[str], settings: Settings) -> int:
    """Let suspended jobs go on."""
    from slimsched.controller import suspend as verbs

    return _apply(app, words, verbs.resume)


def notify(app: Application, words: list[str], settings: Settings) -> int:
    """Accept a message to a job; a simulated one has nobody to read it."""
    from slimsched.controller import selectors

    with app.session(write=False) as ctl:
        try:
            jobs = selectors.find(ctl.cluster, selectors.parse(words[0]))
            errno = None if any(job.active for job in jobs) else Errno.DISABLED if jobs else Errno.INVALID_JOB_ID
        except SlurmError as error:
            errno = error.errno
    if errno is not None:
        raise UserError(f"job notify failure: {errno.text}", level="plain")
    return 0


def wait_job(app: Application, words: list[str], settings: Settings) -> int:
    """Wait until a job has its nodes; one that ran and no longer does is not waited for."""
    from slimsched.cli import blocking
    from slimsched.controller import selectors

    with app.session(write=False) as ctl:
        found = selectors.find(ctl.cluster, selectors.parse(words[0])) if words[0].isdigit() else []
        if not found:
            raise UserError(f"Problem running job {words[0]}", level="bare")
        job_id, again = found[0].job_id, found[0].pending and found[0].restarts > 0

    def waited(ctl: Controller) -> bool:
        job = ctl.cluster.jobs.get(job_id)
        return again or job is None or not job.pending

    def answer(ctl: Controller) -> int:
        job = ctl.cluster.jobs.get(job_id)
        if job is None or not job.active:
            raise _gone(words[0])
        app.err(f"scontrol: Nodes are ready for job {words[0]}")
        return 0

    return blocking.until(app, waited, answer)


def _gone(job: str) -> UserError:
    error = UserError(f"Job {job} no longer running", level="bare")
    error.commits = True  # the clock may have moved
    return error


def _modifier(words: list[str], name: str) -> tuple[bool, list[str]]:
    """Take an optional leading word."""
    return (True, words[1:]) if words and words[0].lower() == name else (False, words)


def _apply(app: Application, words: list[str], verb: Verb, lead: str = "") -> int:
    """Do something to all jobs of a list of ids, or to those of a name."""
    from slimsched.controller import selectors

    with app.session() as ctl:
        specs: list[str] = []
        for text in selectors.lists(words):
            tag, equals, name = text.partition("=")
            named = equals and tag.lower() in {"jobname", "name"}
            specs += selectors.by_name(ctl.cluster, name) if named else [text]
        failures = verb(ctl, specs)
        if failures:
            raise failed(failures, lead)
    return 0


def failed(failures: list[Failure], lead: str = "") -> UserError:
    """Return the error for what failed; what did not fail stays done."""
    lines: list[str] = []
    for failure in failures:
        lines += [f"scontrol: error: {line}" for line in failure.detail.splitlines()]
        lines.append(str(failure))
        if lead:
            lines.append(f"{lead}{failure.errno.text}")
    error = UserError("\n".join(lines), level="plain", notes=tuple(n for f in failures for n in f.notes))
    error.commits = True
    return error
