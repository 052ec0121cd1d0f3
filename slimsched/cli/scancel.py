"""``scancel``: cancel jobs, or send them a signal."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from slimsched.cli.command import RECORDED, STANDARD, Given, Option, SlurmCommand
from slimsched.errno import Errno
from slimsched.errors import SlurmError, UserError

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.controller.cancel import Filter
    from slimsched.controller.core import Controller
    from slimsched.controller.selectors import Spec

OPTIONS = (
    Option("account", "A", "account", "jobs charged to this account"),
    Option("admin-comment", "", "text", "comment kept with each job"),
    Option("batch", "b", help="signal the batch script"),
    Option("clusters", "M", "names", "clusters", RECORDED, "there is one cluster only"),
    Option("cron", "c", help="cancel scrontab jobs too", status=RECORDED, note="there is no scrontab"),
    Option("ctld", "", help="let the controller do it", status=RECORDED, note="it always does"),
    Option("full", "f", help="signal the batch script and all steps"),
    Option("hurry", "H", help="do not stage out", status=RECORDED, note="nothing is staged"),
    Option("interactive", "i", help="ask before each job"),
    Option("jobname", "", "name", alias_of="name"),
    Option("me", "", help="jobs of the invoking user"),
    Option("name", "n", "name", "jobs of this name"),
    Option("nodelist", "w", "nodes", "jobs on these nodes"),
    Option("partition", "p", "partition", "jobs in this partition"),
    Option("qos", "q", "qos", "jobs of this quality of service"),
    Option("quiet", "Q", help="print no messages"),
    Option("reservation", "R", "reservation", "jobs in this reservation"),
    Option("sibling", "", "cluster", "sibling job to remove", RECORDED, "there is one cluster only"),
    Option("signal", "s", "signal", "send this signal instead of cancelling"),
    Option("state", "t", "states", "jobs in this state: PENDING, RUNNING or SUSPENDED"),
    Option("user", "u", "user", "jobs of this user"),
    Option("verbose", "v", help="say what is done"),
    Option("wckey", "", "wckey", "jobs of this workload characterization key"),
)

STATES = {"PENDING": "PENDING", "PD": "PENDING", "RUNNING": "RUNNING", "R": "RUNNING"}
STATES |= {"SUSPENDED": "SUSPENDED", "S": "SUSPENDED"}
VARIABLES = {"full": "SCANCEL_FULL", "batch": "SCANCEL_BATCH", "interactive": "SCANCEL_INTERACTIVE"}
VALUES = {"account": "SCANCEL_ACCOUNT", "name": "SCANCEL_NAME", "partition": "SCANCEL_PARTITION", "qos": "SCANCEL_QOS"}
VALUES |= {"state": "SCANCEL_STATE", "user": "SCANCEL_USER", "wckey": "SCANCEL_WCKEY"}
TEXTS = ("account", "name", "nodelist", "partition", "qos", "reservation", "wckey")
NOTHING = "No job identification provided"


def run(app: Application, given: Given, args: list[str]) -> int:
    """Cancel what the arguments and filters mean; the exit code is 1 if something could not be done."""
    from slimsched.controller import selectors

    chosen = _filter(given)
    texts = selectors.lists(args)
    if not texts and not chosen.given:
        raise UserError(NOTHING)
    specs = [_spec(text) for text in texts]
    signal = _signal(given.last("signal"))
    with app.session() as ctl:
        wanted = _wanted(ctl, specs, chosen)
        if _switched(given, "interactive"):
            wanted = [spec for spec in wanted if _confirmed(app, ctl, spec)]
        if given.has("admin-comment"):
            _comment(ctl, wanted, given.last("admin-comment") or "")
        return max((_end(app, ctl, spec, signal, given) for spec in wanted), default=0)


def _spec(text: str) -> Spec:
    from slimsched.controller import selectors

    try:
        return selectors.parse(text)
    except SlurmError:
        raise UserError(f"Invalid job id {text}") from None


def _filter(given: Given) -> Filter:
    """Return the filter that options and environment make."""
    from slimsched.controller.cancel import Filter

    found = Filter()
    for name in TEXTS:
        setattr(found, name, _value(given, name))
    state = _value(given, "state")
    if state:
        words = [STATES.get(word.upper(), "") for word in state.split(",")]
        if not all(words):
            raise UserError(f"Invalid job state specified: {state}")
        found.state = ",".join(words)
    user = _value(given, "user")
    if given.has("me"):
        found.user_id = os.getuid()
    elif user.isdigit():
        found.user_id = int(user)
    else:
        found.user = user
    return found


def _value(given: Given, name: str) -> str:
    value = given.last(name)
    return os.environ.get(VALUES.get(name, ""), "") if value is None else value


def _switched(given: Given, name: str) -> bool:
    return given.has(name) or VARIABLES[name] in os.environ


def _signal(text: str | None) -> int:
    """Return the number of ``--signal``, 0 for none and for KILL, which cancels."""
    if text is None:
        return 0
    import signal

    if text.isascii() and text.isdigit() and len(text) < 4:
        number = int(text)
    else:
        name = text.upper().removeprefix("SIG")
        known = {item.name: int(item) for item in signal.Signals}
        number = known.get(f"SIG{name}", 0)
        if not number:
            raise UserError(f"Unknown job signal: {text}")
    return 0 if number == signal.SIGKILL else number


def _wanted(ctl: Controller, specs: list[Spec], chosen: Filter) -> list[Spec]:
    """Return what is to be cancelled: the named jobs that pass the filter, else all that pass it."""
    from slimsched.controller import cancel, selectors

    cluster = ctl.cluster
    if not specs:
        return [selectors.of(job) for job in cancel.matching(cluster, chosen)]
    if not chosen.given:
        return specs
    return [spec for spec in specs if any(chosen.passes(cluster, job) for job in selectors.find(cluster, spec))]


def _confirmed(app: Application, ctl: Controller, spec: Spec) -> bool:
    """Ask about one job; unknown ones need no answer."""
    from slimsched.controller import selectors

    found = selectors.find(ctl.cluster, spec)
    if not found:
        return True
    job = found[0]
    while True:
        name, part = job.request.name, job.request.partition
        line = app.ask(f"Cancel job_id={spec.text} name={name} partition={part} [y/n]? ")
        if not line:
            return False
        answer = line.strip().lower()
        if answer[:1] in {"y", "n"}:
            return answer[0] == "y"


def _comment(ctl: Controller, specs: list[Spec], text: str) -> None:
    from slimsched.controller import selectors

    for spec in specs:
        for job in selectors.find(ctl.cluster, spec):
            job.request.admin_comment = text
            ctl.cluster.touch_job(job)


def _end(app: Application, ctl: Controller, spec: Spec, signal: int, given: Given) -> int:
    """Cancel or signal one job; jobs that are gone already only count with a signal, or with ``--verbose``."""
    from slimsched.controller import cancel

    verbose, quiet = given.count("verbose"), given.has("quiet")
    if verbose:
        app.err(f"scancel: Signal {signal} to job {spec.text}" if signal else f"scancel: Terminating job {spec.text}")
    try:
        if signal:
            cancel.signal(ctl, spec, signal)
        else:
            cancel.cancel(ctl, spec)
    except SlurmError as error:
        gone = not signal and error.errno in {Errno.INVALID_JOB_ID, Errno.ALREADY_DONE}
        if not quiet and (verbose or not gone):
            app.err(f"scancel: error: Kill job error on job id {spec.text}: {error.message}")
        return 0 if gone else 1
    return 0


command = SlurmCommand(
    "scancel", (*OPTIONS, *STANDARD), run, summary="Cancel or signal jobs", arguments="[JOB_ID[_ARRAY_ID]...]"
)
