"""Keywords of ``scontrol`` that act on jobs: hold, release, requeue, suspend, resume, top, notify, wait_job."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from slimsched.errors import SlurmError, UserError
from slimsched.slurm.errno import Errno

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slimsched.cli.app import Application
    from slimsched.cli.scontrol.settings import Settings
    from slimsched.controller.core import Controller
    from slimsched.controller.life.selectors import Failure

    Verb = Callable[[Controller, Sequence[str]], list[Failure]]

HOLD_LEAD = "slurm_suspend error:"  # the real one says so for hold and release
PREFIXES = ("jobid=", "job=")
NAMES = ("name=", "jobname=")


def hold(app: Application, words: list[str], settings: Settings) -> int:
    """Hold jobs as an operator."""
    from slimsched.controller.schedule import hold as verbs

    return _apply(app, words, verbs.hold, HOLD_LEAD)


def uhold(app: Application, words: list[str], settings: Settings) -> int:
    """Hold jobs as their user would."""
    from slimsched.controller.schedule import hold as verbs
    from slimsched.slurm.reasons import HELD_USER

    return _apply(app, words, lambda ctl, specs: verbs.hold(ctl, specs, HELD_USER), HOLD_LEAD)


def release(app: Application, words: list[str], settings: Settings) -> int:
    """Release held jobs."""
    from slimsched.controller.schedule import hold as verbs

    return _apply(app, words, verbs.release, HOLD_LEAD)


def top(app: Application, words: list[str], settings: Settings) -> int:
    """Put jobs ahead of their user's others: all of a list, or none."""
    from slimsched.controller.life import selectors
    from slimsched.controller.schedule import hold as verbs

    text = _unprefixed(words[0])
    with app.session() as ctl:
        failures = verbs.top(ctl, selectors.lists([text]))
        if failures:
            raise failed([failures[0]._replace(text=text, label="")])
    return 0


def requeue(app: Application, words: list[str], settings: Settings) -> int:
    """Put jobs back into the queue."""
    return _requeue(app, words, hold=False)


def requeuehold(app: Application, words: list[str], settings: Settings) -> int:
    """Put jobs back into the queue and hold them there."""
    return _requeue(app, words, hold=True)


def _requeue(app: Application, words: list[str], *, hold: bool) -> int:
    from slimsched.controller.life import requeue as verbs

    flags = list(takewhile(_requeue_flag, words))
    special = any("=" in flag for flag in flags)
    incomplete = any("=" not in flag for flag in flags)

    def verb(ctl: Controller, specs: Sequence[str]) -> list[Failure]:
        return verbs.requeue(ctl, specs, hold=hold, special=special, incomplete=incomplete)

    return _apply(app, words[len(flags) :], verb)


def _requeue_flag(word: str) -> bool:
    """Whether a word is ``Incomplete``, which may be cut short, or ``State=SpecialExit`` (``SE``)."""
    tag, equals, value = word.lower().partition("=")
    if not equals:
        return "incomplete".startswith(tag)
    return tag == "state" and (value.startswith("specialexit") or value.startswith("se"))


def suspend(app: Application, words: list[str], settings: Settings) -> int:
    """Suspend running jobs."""
    from slimsched.controller.life import suspend as verbs

    return _apply(app, words, verbs.suspend)


def resume(app: Application, words: list[str], settings: Settings) -> int:
    """Let suspended jobs go on."""
    from slimsched.controller.life import suspend as verbs

    return _apply(app, words, verbs.resume)


def notify(app: Application, words: list[str], settings: Settings) -> int:
    """Put a message into the output of running jobs; a simulated one has nobody to read it."""
    from slimsched.controller.life import selectors
    from slimsched.controller.requests import rights, strangers

    notes: tuple[str, ...] = ()
    with app.session() as ctl:
        try:
            spec = selectors.parse(words[0])
            jobs = selectors.find(ctl.cluster, spec)
            notes = () if jobs else strangers.jobs(ctl.cluster, [spec.job_id])
            for job in jobs:
                if not rights.owns(ctl.cluster, job):
                    rights.require(ctl.cluster, rights.ADMINISTRATOR, Errno.ACCESS_DENIED)
            for job in jobs:
                if job.active:
                    ctl.executor.notify(job, " ".join(words[1:]))
            errno = None if any(job.active for job in jobs) else Errno.DISABLED if jobs else Errno.INVALID_JOB_ID
        except SlurmError as error:
            errno = error.errno
    if errno is not None:
        raise UserError(f"job notify failure: {errno.text}", level="plain", notes=notes)
    return 0


def wait_job(app: Application, words: list[str], settings: Settings) -> int:
    """Wait until a job has its nodes; one that ran and no longer does is not waited for."""
    from slimsched.cli.submit import blocking
    from slimsched.controller.life import selectors

    with app.session(write=False) as ctl:
        found = selectors.find(ctl.cluster, selectors.parse(words[0])) if words[0].isdigit() else []
        if not found:
            from slimsched.controller.requests import strangers

            notes = strangers.jobs(ctl.cluster, [int(words[0])] if words[0].isdigit() else ())
            raise UserError(f"Problem running job {words[0]}", level="bare", notes=notes)
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


def _apply(app: Application, words: list[str], verb: Verb, lead: str = "") -> int:
    """Do something to the jobs of each word, a list of ids; with a ``lead`` a word may be ``name=...`` as well."""
    with app.session() as ctl:
        told: list[UserError] = []
        for word in words:
            failures = _apply_word(ctl, _unprefixed(word), verb, named=bool(lead))
            if failures:
                told.append(failed(failures, lead))
        if told:
            raise _together(told)
    return 0


def _apply_word(ctl: Controller, word: str, verb: Verb, *, named: bool) -> list[Failure]:
    from slimsched.controller.life import selectors

    prefix = next((p for p in NAMES if word.lower().startswith(p)), "") if named else ""
    if prefix:
        specs = selectors.by_name(ctl.cluster, word[len(prefix) :], finished=True)
        return [*verb(ctl, specs), *_not_pending(ctl, specs)]
    if not selectors.well_formed(word):
        return [selectors.Failure(word, Errno.INVALID_JOB_ID)]
    return list(verb(ctl, selectors.lists([word])))


def _not_pending(ctl: Controller, specs: Sequence[str]) -> list[Failure]:
    """Return the error for a running job that was found by its name: it was held, and still that is an error."""
    from slimsched.controller.life import selectors

    jobs = [job for spec in specs for job in selectors.find(ctl.cluster, selectors.parse(spec))]
    running = any(job.active and job.array_task_id is None for job in jobs)
    return [selectors.Failure("", Errno.JOB_NOT_PENDING)] if running else []


def _unprefixed(word: str) -> str:
    """Return a word without ``JobId=`` or ``Job=``."""
    return next((word[len(p) :] for p in PREFIXES if word.lower().startswith(p)), word)


class JobFailures(UserError):
    """The failures of a command on jobs, of which ``--quiet`` leaves only the exit code; its successes stay."""

    commits = True


def failed(failures: list[Failure], lead: str = "") -> JobFailures:
    """Return the error for what failed; a ``lead`` repeats the last error that concerns whole jobs."""
    lines: list[str] = []
    for failure in failures:
        lines += [f"scontrol: error: {line}" for line in failure.detail.splitlines()]
        if failure.text or failure.label:
            lines.append(str(failure))
    whole = [failure.errno for failure in failures if not failure.label]
    if lead and whole:
        lines.append(f"{lead}{max(whole).text}")
    return JobFailures("\n".join(lines), level="plain", notes=tuple(n for f in failures for n in f.notes))


def _together(errors: list[UserError]) -> JobFailures:
    message = "\n".join(error.message for error in errors)
    return JobFailures(message, level="plain", notes=tuple(n for error in errors for n in error.notes))
