"""Which jobs ``squeue`` lists, by its options and variables."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from slimsched.cli.listing import check_clusters, first_set, words
from slimsched.errors import UserError
from slimsched.model.job import PENDING
from slimsched.render.job_list import STATE_WORDS, Choice, state_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.cli.app import Application
    from slimsched.cli.command import Given
    from slimsched.model.cluster import Cluster
    from slimsched.render.job_view import View

LISTS: dict[str, tuple[str, Callable[[View], str]]] = {
    "account": ("SQUEUE_ACCOUNT", lambda view: view.request.account),
    "name": ("SQUEUE_NAMES", lambda view: view.request.name),
    "partition": ("SQUEUE_PARTITION", lambda view: view.partition),
    "qos": ("SQUEUE_QOS", lambda view: view.request.qos),
    "reservation": ("SQUEUE_RESERVATION", lambda view: view.request.reservation),
    "licenses": ("SQUEUE_LICENSES", lambda view: view.request.licenses),
}
"""Options that compare a value of the job with a list: their variables, and the value."""


class SpareArgument(UserError):
    """A plain argument that belongs to no option; the command shows its usage."""


def choice_of(app: Application, given: Given, args: list[str], cluster: Cluster) -> Choice:
    """Return the choice that the command line makes; raises `UserError` in ``squeue``'s words."""
    choice = Choice()
    check_clusters(app, given, cluster)
    _states(choice, given)
    _jobs(choice, given, args, cluster)
    for option, (variable, value) in LISTS.items():
        text = first_set(given, option, variable)
        if text is not None:
            choice.tests.append(_among(text, value))
    _users(choice, app, given, cluster)
    _nodes(choice, given, cluster)
    _times(choice, given)
    if not (given.has("all") or given.has("partition") or "SQUEUE_ALL" in os.environ) or given.has("hide"):
        hidden = {name for name, part in cluster.partitions.items() if part.hidden}
        if hidden:
            choice.tests.append(lambda view: view.partition not in hidden)
    return choice


def _among(text: str, value: Callable[[View], str]) -> Callable[[View], bool]:
    """Return the test whether one of a job's values (separated by commas) is in a list, in any case."""
    listed = {word.casefold() for word in words(text)}
    return lambda view: any(item.partition(":")[0] in listed for item in value(view).casefold().split(","))


def _states(choice: Choice, given: Given) -> None:
    text = first_set(given, "states", "SQUEUE_STATES")
    if text is None:
        if given.has("start"):
            choice.states = frozenset({PENDING})
        return
    if text.casefold() == "all":
        choice.states = None
        return
    try:
        choice.states = frozenset(state_of(word.strip()) for word in words(text))
    except KeyError as unknown:
        raise UserError(
            f"Invalid job state specified: {unknown.args[0]}\nValid job states include: {','.join(STATE_WORDS)}"
        ) from None


def _jobs(choice: Choice, given: Given, args: list[str], cluster: Cluster) -> None:
    """Read ``--job`` (or the plain argument behind it), and refuse a single job that does not exist."""
    rest = list(args)
    for option in ("job", "step"):
        text = given.last(option)
        if text is None and given.has(option) and rest:
            text = rest.pop(0)
        if text is not None:
            choice.ids = {key for word in text.split(",") if word for key in job_keys(word, option)}
    if rest:
        raise SpareArgument(f"Unrecognized option: {rest[0]}")
    if given.has("job") and choice.ids is not None and len(choice.ids) == 1:
        wanted = next(iter(choice.ids))[0]
        if not any(wanted in (job.job_id, job.array_job_id) for job in cluster.jobs.values()):
            raise UserError("slurm_load_jobs error: Invalid job id specified", level="plain")


def job_keys(word: str, option: str = "job") -> list[tuple[int, int | None]]:
    """Return the (job id, task) that a word names: ``12``, ``12_3``, ``12_[1-3]``; a step's part is left out."""
    number, underscore, tasks = word.partition(".")[0].partition("_")
    listed = tasks.strip("[]")
    if not _whole(number) or not int(number) or (underscore and not _whole(listed.replace("-", "0").replace(",", "0"))):
        raise UserError(f"Invalid {option} id: {word}")
    if not underscore:
        return [(int(number), None)]
    from slimsched.text.idset import IdsetError, decode

    try:
        return [(int(number), task) for task in decode(listed)]
    except IdsetError:
        raise UserError(f"Invalid {option} id: {word}") from None


def _whole(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 11


def _users(choice: Choice, app: Application, given: Given, cluster: Cluster) -> None:
    if given.has("me") or given.has("notme"):
        uid, mine = os.getuid(), given.has("me")
        choice.tests.append(lambda view: (view.job.user_id == uid) is mine)
    text = first_set(given, "user", "SQUEUE_USERS")
    if text is None:
        return
    wanted: set[int] = set()
    for name in words(text):
        uid_of = user_id(cluster, name)
        if uid_of is None:
            app.err(f"squeue: error: Invalid user: {name}\n")
        else:
            wanted.add(uid_of)
    choice.tests.append(lambda view: view.job.user_id in wanted)


def user_id(cluster: Cluster, name: str) -> int | None:
    """Return a user's number, by number, the cluster's own names, its jobs' users, or the system's names."""
    if _whole(name):
        return int(name)
    if name in cluster.users:
        return cluster.users[name]
    known = next((job.user_id for job in cluster.jobs.values() if job.user_name == name), None)
    if known is not None:
        return known
    import pwd

    try:
        return pwd.getpwnam(name).pw_uid
    except (KeyError, ValueError):
        return None


def _nodes(choice: Choice, given: Given, cluster: Cluster) -> None:
    text = given.last("nodelist")
    if text is None:
        return
    try:
        choice.nodes = cluster.bitmap_of(text)
    except KeyError as unknown:
        raise UserError(f"Invalid node name {unknown.args[0]}") from None
    except ValueError:
        raise UserError(f"Invalid node name {text}") from None


def _times(choice: Choice, given: Given) -> None:
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
