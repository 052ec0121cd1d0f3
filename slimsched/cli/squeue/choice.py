"""The jobs and columns that ``squeue`` lists, selected by its options and variables."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from slimsched.cli.listing import first_set, words
from slimsched.errors import UserError
from slimsched.render.jobs.job_list import JobChoice, state_of, visible
from slimsched.slurm.states import JOB, PENDING

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.cli.app import Application
    from slimsched.cli.program import Given
    from slimsched.model.cluster import Cluster
    from slimsched.render.jobs.job_view import View

FORMATS = {
    "": "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R",
    "long": "%.18i %.9P %.8j %.8u %.8T %.10M %.9l %.6D %R",
    "start": "%.18i %.9P %.8j %.8u %.2t %.19S %.6D %20Y %R",
}
"""The formats without ``-o``, by the option that selects them."""

LISTS: dict[str, tuple[str, bool, Callable[[View], str]]] = {
    "account": ("SQUEUE_ACCOUNT", True, lambda view: view.request.account),
    "name": ("SQUEUE_NAMES", True, lambda view: view.request.name),
    "qos": ("SQUEUE_QOS", True, lambda view: view.request.qos),
    "licenses": ("SQUEUE_LICENSES", False, lambda view: view.request.licenses),
}
"""Options that compare a value of the job with a list: their variables, whether in any case, and the value."""

KINDS = {"account": "account", "qos": "QOS", "licenses": "license"}
"""Options whose names are looked up, for a note on those that nobody knows."""

SLUID_LENGTH = 14


class SpareArgument(UserError):
    """A plain argument that belongs to no option; the command shows its usage."""


def choice_of(app: Application, given: Given, args: list[str], cluster: Cluster) -> JobChoice:
    """Return the choice that the command line makes; raises `UserError` in ``squeue``'s words."""
    choice = JobChoice()
    _states(choice, given)
    _jobs(choice, given, args, cluster)
    for option, (variable, any_case, value) in LISTS.items():
        text = first_set(given, option, variable)
        if text is not None:
            choice.tests.append(_among(text, value, any_case=any_case))
            if option in KINDS:
                _remark(app, cluster, KINDS[option], words(text))
    reservation = given.last("reservation")
    if reservation is not None:
        reservations = words(reservation)
        _remark(app, cluster, "reservation", reservations)
        choice.tests.append(lambda view: view.request.reservation in reservations)
    _users(choice, app, given, cluster)
    _nodes(choice, given, cluster)
    _times(choice, given)
    _partitions(choice, app, given, cluster)
    return choice


def _remark(app: Application, cluster: Cluster, kind: str, names: list[str]) -> None:
    """Say which names there are none of, behind the answer."""
    from slimsched.controller.requests import strangers

    app.remarks += strangers.notes(cluster, kind, names)


def _partitions(choice: JobChoice, app: Application, given: Given, cluster: Cluster) -> None:
    """Choose by partition; those that are hidden show their jobs if they, or single jobs, are asked for."""
    text = first_set(given, "partition", "SQUEUE_PARTITION")
    if text is not None:
        choice.partitions = frozenset(words(text))
        if not choice.partitions <= cluster.partitions.keys():
            _remark(app, cluster, "partition", words(text))
    every = next((option.name == "all" for option, _ in reversed(given.pairs) if option.name in ("all", "hide")), None)
    if every is None:
        every = text is not None or "SQUEUE_ALL" in os.environ
    if every or choice.ids:
        return
    hidden = {name for name, part in cluster.partitions.items() if part.hidden}
    if hidden:
        choice.tests.append(lambda view: not hidden.issuperset(view.partition.split(",")))


def _among(text: str, value: Callable[[View], str], *, any_case: bool) -> Callable[[View], bool]:
    """Return the test whether one of a job's values (separated by commas) is in a list."""
    fold = str.casefold if any_case else str
    listed = {fold(word) for word in words(text)}
    return lambda view: any(item.partition(":")[0] in listed for item in fold(value(view)).split(","))


def _states(choice: JobChoice, given: Given) -> None:
    text = first_set(given, "states", "SQUEUE_STATES")
    if text is None:
        if starts(given):
            choice.states = frozenset({PENDING})
        return
    if text.casefold() == "all":
        choice.states = None
        return
    try:
        choice.states = frozenset(state_of(word.strip()) for word in words(text))
    except KeyError as unknown:
        from slimsched.text import alike

        raise UserError(
            f"Invalid job state specified: {unknown.args[0]}\nValid job states include: {','.join(JOB).lower()}\n",
            notes=alike.hint("state", str(unknown.args[0]), JOB),
        ) from None


def _jobs(choice: JobChoice, given: Given, args: list[str], cluster: Cluster) -> None:
    """Read ``--job`` and ``--step``, and refuse a single job that does not exist."""
    if not (args or given.has("job") or given.has("step")):
        return
    from slimsched.cli.job_ids import named_jobs, step_key

    named, rest = named_jobs(given, args)
    if "job" in named:
        choice.ids = [key for word in words(named["job"]) for key in _keys(word, cluster)]
    if "step" in named:
        choice.steps = [step_key(word) for word in words(named["step"])]
    if rest:
        option = "-j" if rest[0][:1].isdigit() else "-u"
        raise SpareArgument(f"Unrecognized option: {rest[0]}", notes=(f"did you mean squeue {option} {rest[0]}?",))
    if given.has("step") and given.has("job") and "job" not in named:
        raise UserError("Incompatible options --jobs and --steps")
    if not given.has("step") and choice.ids is not None and len(choice.ids) == 1:
        wanted = choice.ids[0][0]
        if not any(wanted in (job.job_id, job.array_job_id) for job in visible(cluster, {wanted})):
            from slimsched.controller.requests import strangers

            notes = strangers.jobs(cluster, [wanted])
            raise UserError("slurm_load_jobs error: Invalid job id specified", level="plain", notes=notes)


def _keys(word: str, cluster: Cluster) -> list[tuple[int, int | None]]:
    """Return what a word of ``--job`` names, which may also be a job's unique id."""
    if word.startswith("s") and len(word) == SLUID_LENGTH:
        from slimsched.render.jobs.job_view import View

        return [(job.job_id, None) for job in cluster.jobs.values() if View(job, cluster).sluid == word] or [(-1, None)]
    from slimsched.cli.job_ids import job_key

    return [job_key(word)]


def _users(choice: JobChoice, app: Application, given: Given, cluster: Cluster) -> None:
    """Choose by user: ``--me`` is a list of users with oneself in it, the last list counts."""
    if given.has("notme"):
        uid = _asker(cluster)
        choice.tests.append(lambda view: view.job.user_id != uid)
    text = user_list(given, cluster)
    if text is not None:
        choice.users = user_ids(app, cluster, text)


def _asker(cluster: Cluster) -> int:
    from slimsched.controller.requests import users  # few lists name oneself

    return users.invoking(cluster).uid


def user_list(given: Given, cluster: Cluster) -> str | None:
    """Return the users to choose, None for all."""
    for option, value in reversed(given.pairs):
        if option.name in ("user", "me"):
            return str(_asker(cluster)) if option.name == "me" else value
    return os.environ.get("SQUEUE_USERS")


def user_ids(app: Application, cluster: Cluster, text: str) -> frozenset[int]:
    """Return the numbers of the users in a list, and report unknown users."""
    from slimsched.controller.requests import users  # few lists name users

    found = [(name, users.known(cluster, name)) for name in words(text)]
    for name, uid in found:
        if uid is None:
            app.err(f"{app.command}: error: Invalid user: {name}\n")
            _remark(app, cluster, "user", [name])
    return frozenset(uid for _, uid in found if uid is not None)


def _nodes(choice: JobChoice, given: Given, cluster: Cluster) -> None:
    text = given.last("nodelist")
    if text is None:
        return
    from slimsched.text import hostlist

    try:
        names = sorted(hostlist.expand(text), key=hostlist.sort_key)
    except ValueError:
        raise UserError(f"'{text}' invalid entry for --nodelist") from None
    choice.nodes = 0
    for name in names:
        choice.nodes |= 1 << _node(cluster, name, text)


def _node(cluster: Cluster, name: str, text: str) -> int:
    """Return the number of the node of a name, or of the first one on a machine of it; raises `UserError`."""
    index = cluster.node_index.get(name)
    if index is not None:
        return index
    from slimsched.controller.requests import strangers

    here = os.uname().nodename.partition(".")[0]
    hosts = {here, *cluster.config.controllers} if name.lower() == "localhost" else {name}
    found = (node.index for node in cluster.nodes if node.name in hosts or node.conf.node_hostname in hosts)
    index = next(found, None)
    if index is None:
        raise UserError(f"Invalid node name {name}", notes=strangers.nodes(cluster, text))
    return index


def _times(choice: JobChoice, given: Given) -> None:
    for option, over in (("running-over", True), ("running-under", False)):
        text = given.last(option)
        if text is not None:
            choice.tests.append(_ran(text, over))


def _ran(text: str, over: bool) -> Callable[[View], bool]:
    """Return the test whether a job runs, for longer or for less than a time."""
    from slimsched.errors import SyntaxFault
    from slimsched.text.times import span

    try:
        bound = span(text)
    except SyntaxFault:
        raise UserError(f"Invalid time specification {text}") from None
    return lambda view: view.running and (view.used > bound) is over


def starts(given: Given) -> bool:
    """Whether expected starts are asked for; steps have none."""
    return given.has("start") and not given.has("step")


def formats(given: Given, usual: str = "") -> tuple[str | None, str | None]:
    """Return the short format that is used, or None and the long one; ``usual`` is a listing's own short format.

    The variables count if no option chooses a format; ``--start`` has its own even beside ``-O``.
    """
    short, long = given.last("format"), given.last("Format")
    if short is None and long is None and not any(map(given.has, ("long", "start", "step"))):
        short = os.environ.get("SQUEUE_FORMAT")
        long = os.environ.get("SQUEUE_FORMAT2") if short is None else None
    if short is None and starts(given):
        return FORMATS["start"], None
    if short is None and long is None:
        short = usual or FORMATS["long" if given.has("long") else ""]
    return short, long
