"""``scancel``: cancel jobs, or send them a signal."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.cli.listing import asked_clusters, own_cluster
from slimsched.cli.program import RECORDED, STANDARD, Given, Option, Program
from slimsched.cli.scancel import choice
from slimsched.errors import PluginError, SlurmError, UserError
from slimsched.slurm.errno import Errno

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.controller.core import Controller
    from slimsched.controller.life.cancel import Filter
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.slurm.job_ids import JobId

OPTIONS = (
    Option("account", "A", "account", "jobs charged to this account"),
    Option("admin-comment", "", "text", "comment kept with each job"),
    Option("batch", "b", help="signal the batch script"),
    Option("clusters", "M", "names", "clusters to ask"),
    Option("cron", "c", help="cancel scrontab jobs as well, if ScronParameters has explicit_scancel"),
    Option("ctld", "", help="let the controller find the jobs: what fails does not change the exit code"),
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
    Option("verbose", "v", help="print what is done"),
    Option("wckey", "", "wckey", "jobs of this workload characterization key"),
)

NOTHING = "No job identification provided"


class Work(NamedTuple):
    """What is done to each job: the signal (0: none was named), options, how much is said, and the filter.

    ``once``: what ``-vv`` says with the first job. ``ctld``: the controller finds the jobs, and no fault of a job is
    one of the command.
    """

    signal: int
    batch: bool
    full: bool
    asking: bool
    level: int
    comment: str | None
    cron: bool
    filter: Filter
    once: list[str]
    ctld: bool

    @property
    def target(self) -> str:
        """Who gets a signal."""
        return "all" if self.full else "script" if self.batch else "steps"

    @property
    def kind(self) -> str:
        """Which part of a job is meant, for messages."""
        return "full " if self.full else "batch " if self.batch else ""


def run(app: Application, given: Given, args: list[str]) -> int:
    """Cancel what the arguments and filters mean; the exit code is the last byte of the largest error number.

    Plain ids are passed on as they are, and unknown or finished jobs are no error. With any other option the jobs are
    looked up first, and an id that means none is one.
    """
    from slimsched.controller.life import selectors

    if names := asked_clusters(given):
        with app.session(write=False) as ctl:
            own_cluster(app, names, ctl.cluster)
    work = Work(
        choice.signal_number(given.last("signal")),
        choice.switched(given, "batch"),
        choice.switched(given, "full"),
        choice.switched(given, "interactive"),
        choice.verbosity(given),
        given.last("admin-comment"),
        given.has("cron"),
        choice.chosen(given),
        ["scancel: debug:  _add_delay: target response time = 3000000"],
        choice.asks_controller(given),
    )
    texts = selectors.lists(args)
    if not texts and not work.filter.given:
        raise UserError(NOTHING)
    targets = [choice.target(text) for text in texts]
    steps = any(target.step is not None for target in targets)
    if not (work.filter.given or work.signal or work.batch or work.asking or steps):
        with app.session() as ctl:
            _remark(app, ctl, targets, work)
            return max((_end(app, ctl, target, work) for target in targets), default=0) & 0xFF
    if not work.ctld or steps:
        return _looked_up(app, targets, work._replace(ctld=False)) & 0xFF
    _looked_up(app, targets, work)
    return 0


def _looked_up(app: Application, targets: list[JobId], work: Work) -> int:
    """Find the jobs, ask about each if that is wanted, without holding the state meanwhile, and end them."""
    targets = [single for target in targets for single in choice.singles(target)]
    with app.session(write=False) as ctl:
        if not _meant(app, ctl, work.filter):
            return 0
        found, worst = _find(app, ctl, targets, work)
        labels = [_question(ctl, target) for target in found]
    if not work.asking:
        return max([worst, *_end_all(app, found, work)])
    for target, label in zip(found, labels, strict=True):
        if label and _confirmed(app, label):
            with app.session() as ctl:
                worst = max(worst, _end(app, ctl, target, work))
    return worst


def _end_all(app: Application, targets: list[JobId], work: Work) -> list[int]:
    """End jobs, and return their errors; one that cannot take a signal yet is asked again, at Slurm's own pace."""
    codes: list[int] = []
    for turn, pause in enumerate((*PAUSES, 0)):
        with app.session() as ctl:
            config = ctl.cluster.config
            patient = bool(pause) and config.live and config.pace == "slurm" and not work.ctld
            found = [(target, _end(app, ctl, target, work, first=not turn, last=not patient)) for target in targets]
        targets = [target for target, code in found if code == AGAIN]
        codes += [code for _, code in found if code != AGAIN]
        if not targets:
            break
        from time import sleep

        sleep(pause)
    return codes


PAUSES = tuple(range(5, 15))
"""Seconds between the tries of ``scancel --signal`` on a job in a transitional state."""

AGAIN = -1


def _meant(app: Application, ctl: Controller, chosen: Filter) -> bool:
    """Whether a filter can mean a job at all; raises `UserError` for an unknown user.

    A list of nodes that cannot be read is told once for each job that it is held against, and means none.
    """
    from slimsched.controller.requests import users
    from slimsched.text.hostlist import HostlistError

    if chosen.user and users.known(ctl.cluster, chosen.user) is None:
        from slimsched.controller.requests import strangers

        raise UserError(f"Invalid user name: {chosen.user}", notes=strangers.notes(ctl.cluster, "user", [chosen.user]))
    try:
        ctl.cluster.bitmap_of_known(chosen.nodelist)
    except HostlistError:
        for _ in (job for job in ctl.cluster.jobs.values() if not job.finished):
            app.err("scancel: error: hostlist_pop: no hostlist given")
        return False
    return True


def _find(app: Application, ctl: Controller, targets: list[JobId], work: Work) -> tuple[list[JobId], int]:
    """Return the unfinished jobs that are meant, pending ones first, and 1 if an id means none."""
    from slimsched.controller.life import cancel, selectors

    cluster, worst = ctl.cluster, 0
    if not targets:
        jobs = cancel.matching(cluster, work.filter, ctld=work.ctld)
        found = [(job, selectors.of(job)) for job in jobs]
    else:
        found = []
        for target in targets:
            jobs = [job for job in selectors.find(cluster, target) if not job.finished]
            if jobs and jobs[0].het_job_id:
                del jobs[1:]  # the id of the first component means all
            if not jobs:
                worst = 1
                _say_unknown(app, target, work)
            found += [(job, _part(target, job)) for job in jobs if work.filter.passes(cluster, job, ctld=work.ctld)]
    if not found:
        _remark(app, ctl, targets, work)
    if not found and work.filter.given and work.level > 0:
        names = choice.named_filters(work.filter)
        app.err(f"scancel: error: No active jobs match ALL job filters, including: {names}")
    found = [(job, target) for job, target in found if target.step is None or not job.pending]
    first = [target for job, target in found if job.pending or (target.step is not None and _waits(cluster, job))]
    return first + [target for job, target in found if not job.pending], worst


def _waits(cluster: Cluster, named: Job) -> bool:
    """Whether a job waits behind another one in the controller's list: ``scancel`` then does its steps twice.

    It goes over the list for waiting jobs first, and takes every job behind one that was found for it, too.
    """
    from slimsched.render.jobs.job_list import in_table_order

    listed = in_table_order(cluster.jobs.values())
    return any(job.pending for job in listed[listed.index(named) + 1 :])


def _remark(app: Application, ctl: Controller, targets: list[JobId], work: Work) -> None:
    """Say which of the names that mean no job nobody knows."""
    cluster, chosen = ctl.cluster, work.filter
    if all(target.job_id < cluster.next_job_id for target in targets) and not chosen.given:
        return
    from slimsched.controller.requests import strangers

    app.remarks += strangers.jobs(cluster, [target.job_id for target in targets])
    for kind, text in (
        *(("partition", chosen.partition), ("account", chosen.account), ("QOS", chosen.qos)),
        ("reservation", chosen.reservation),
    ):
        app.remarks += strangers.notes(cluster, kind, filter(None, [text]))
    app.remarks += strangers.slips(cluster, "job named", filter(None, [chosen.name]))
    app.remarks += strangers.nodes(cluster, chosen.nodelist)


def _part(target: JobId, job: Job) -> JobId:
    """Return the target that means what a record holds of it."""
    from slimsched.controller.life import selectors

    if target.tasks or target.offset is not None:
        return target
    whole = selectors.of(job)
    return whole if target.step is None else whole._replace(text=f"{whole.text}.{target.step}", step=target.step)


def _say_unknown(app: Application, target: JobId, work: Work) -> None:
    if work.level >= 0 and (work.level or not work.ctld):
        what = f"id {target.text}" if target.step is None else f"step id {target.text}"
        app.err(f"scancel: error: Kill job error on job {what}: {Errno.INVALID_JOB_ID.text}")


def _question(ctl: Controller, target: JobId) -> str:
    """Return the question about a job, "" for one that has ended meanwhile."""
    from slimsched.controller.life import selectors

    found = selectors.find(ctl.cluster, target)
    if not found:
        return ""
    what = f"job_id={target.text}" if target.step is None else f"step_id={target.text}"
    return f"Cancel {what} name={found[0].request.name} partition={found[0].request.partition} [y/n]? "


def _confirmed(app: Application, question: str) -> bool:
    """Ask until the answer begins with a y or an n; the end of input is a no."""
    while True:
        line = app.ask(question)
        if not line:
            return False
        answer = line[:1].lower()
        if answer in {"y", "n"}:
            return answer == "y"


def _end(app: Application, ctl: Controller, target: JobId, work: Work, *, first: bool = True, last: bool = True) -> int:
    """Cancel or signal one job or step, and return the number of the error, 0 for none.

    A job that is gone already only counts with a signal, and is only spoken of with ``--verbose``. `AGAIN` for one
    that is to be tried again, unless this is the ``last`` time. A step is spoken of by the number of its job's record.
    """
    from slimsched.controller.life import cancel, selectors

    named, what = target.job, f"{work.kind}job {target.text}"
    signal = work.signal
    if target.step is not None:
        found = selectors.find(ctl.cluster, target)
        named = str(found[0].job_id) if found else named
        what = f"step {named}.{target.step}"
        signal = 0 if signal == choice.KILL else signal
    doing = f"scancel: Signal {signal} to {what}" if signal else f"scancel: Terminating {what}"
    if work.level > 0 and first and not work.ctld:
        app.err(doing)
    if work.level > 1 and work.once:
        app.err(work.once.pop())
    try:
        cancel.act(ctl, target, work.signal, target=work.target, comment=work.comment, cron=work.cron)
    except SlurmError as error:
        if error.errno == Errno.TRANSITION_STATE_NO_UPDATE and not last:
            if work.level > 0:
                app.err("scancel: Job is in transitional state, retrying")
            return AGAIN
        gone = error.errno == Errno.ALREADY_DONE or (error.errno == Errno.INVALID_JOB_ID and target.step is None)
        killed = work.signal in {0, choice.KILL}
        if work.level > 0 or not gone:
            kind = "job id" if target.step is None else "job step id"
            app.err(f"scancel: error: Kill job error on {kind} {named}: {error.message}")
        return 0 if gone and killed else int(error.errno)
    except PluginError as fault:
        app.err(f"scancel: error: Kill job error on job id {target.job}: {fault}")
        return 1
    if work.level > 0 and work.ctld:
        app.err(doing)
    return 0


command = Program(
    "scancel", (*OPTIONS, *STANDARD), run, summary="Cancel or signal jobs", arguments="[JOB_ID[_ARRAY_ID][.STEP_ID]...]"
)
