"""``scontrol update``: which entity is meant, and its fields by their names or the abbreviations of them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from slimsched.cli.scontrol.jobs import failed
from slimsched.errors import SlurmError, UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from slimsched.cli.app import Application
    from slimsched.cli.scontrol.settings import Settings
    from slimsched.controller.update_job import Assignment

NO_ENTITY = (
    "No valid entity in update command\n"
    'Input line must include "NodeName", "PartitionName", "Reservation", "JobId", or "SlurmctldDebug"'
)
NO_CHANGES = "No changes specified"

JOB_ALIASES = {"CPUs/Task": "CPUsPerTask", "Name": "JobName", "NodeList": "ReqNodeList", "ReqCPUs": "NumCPUs"}
JOB_ALIASES |= {
    "ReqNodes": "NumNodes",
    "ReqTasks": "NumTasks",
    "Shared": "OverSubscribe",
    "TasksPerNode": "NtasksPerNode",
}
JOB_ALIASES |= {"Constraint": "Features", "MinCPUs": "MinCPUsNode", "Reservation": "ReservationName"}


class Entity(NamedTuple):
    """A kind of record: the fewest letters of its tag, and the function that updates it."""

    tag: str
    letters: int
    apply: Callable[[Application, str, list[str], Settings], int]


def update(app: Application, words: list[str], settings: Settings) -> int:
    """Update the entity that one of the words names, by the other words."""
    if words[0].lower() in {"cluster", "complex"}:
        from slimsched.cli.scontrol import complexes

        apply = complexes.update if words[0].lower() == "complex" else complexes.update_cluster
        return apply(app, words[1:])
    tags = [_tag(word) for word in words]
    for entity in ENTITIES:
        for place, tag in enumerate(tags):
            if len(tag) >= entity.letters and entity.tag.startswith(tag):
                name = words[place].partition("=")[2]
                return entity.apply(app, name, words[:place] + words[place + 1 :], settings)
    raise UserError(NO_ENTITY, level="plain")


def _tag(word: str) -> str:
    """Return what stands before the "=", in lower case; "" without one."""
    left, equals, _ = word.partition("=")
    return left.lower() if equals else ""


# fields


def assignments(
    words: Iterable[str], fields: Iterable[str], aliases: dict[str, str], wording: Wording
) -> list[Assignment]:
    """Return the words ``field=value`` as assignments to known fields; ``wording`` words the refusals."""
    from slimsched.controller.update_job import Assignment

    names = {name.lower(): name for name in fields} | {name.lower(): target for name, target in aliases.items()}
    found = []
    for word in words:
        left, equals, value = word.partition("=")
        if not equals and left.lower() not in wording.bare:
            raise wording.error(wording.no_sign, word)
        sign = left[-1] if left[-1:] in {"+", "-"} else ""
        name = _field(left[: len(left) - len(sign)].lower(), names)
        if name is None or (sign and name not in wording.signed):
            raise wording.error(wording.unknown, word)
        found.append(Assignment(name, value, sign, word))
    return found


def _field(tag: str, names: dict[str, str]) -> str | None:
    """Return the field that a tag means: by its whole name, else as the only one that begins so (3 letters)."""
    if tag in names or len(tag) < 3:
        return names.get(tag)
    found = {target for name, target in names.items() if name.startswith(tag)}
    return found.pop() if len(found) == 1 else None


class Wording(NamedTuple):
    """How an entity's refusals are worded; ``signed`` fields know "+=", ``bare`` ones stand without "="."""

    no_sign: str
    unknown: str
    level: str = "plain"
    signed: frozenset[str] = frozenset()
    bare: frozenset[str] = frozenset()

    def error(self, text: str, word: str) -> UserError:
        """Return a refusal about a word."""
        return UserError(text.format(word), level=self.level)


NOT_SUPPORTED = "Update of this parameter is not supported: {}\nRequest aborted"
JOB = Wording(
    "Invalid input: {}\nRequest aborted", NOT_SUPPORTED, signed=frozenset({"TimeLimit"}), bare=frozenset({"nice"})
)
NODE = Wording("scontrol: error: Invalid input: {}  Request aborted", NOT_SUPPORTED)
PARTITION = Wording("Invalid input: {}\nRequest aborted", NOT_SUPPORTED, "error", frozenset({"Nodes"}))


# entities


def _job(app: Application, name: str, words: list[str], settings: Settings) -> int:
    return _update_jobs(app, [name], "", words)


def _job_name(app: Application, name: str, words: list[str], settings: Settings) -> int:
    return _update_jobs(app, [], name, words)


def _update_jobs(app: Application, ids: list[str], name: str, words: list[str]) -> int:
    from slimsched.controller import selectors, update_job
    from slimsched.controller.job_fields import FIELDS

    words = [word for word in words if not word.lower().startswith(("userid=", "uid="))]
    changes = assignments(words, FIELDS, JOB_ALIASES, JOB)
    if not changes:
        raise UserError(NO_CHANGES, level="plain")
    with app.session() as ctl:
        specs = selectors.lists(ids) if ids else selectors.by_name(ctl.cluster, name)
        failures = update_job.update(ctl, specs, changes)
        if failures:
            raise failed(failures)
    return 0


def _node(app: Application, name: str, words: list[str], settings: Settings) -> int:
    from slimsched.controller import update_node, users

    changes = assignments(words, update_node.FIELDS, {}, NODE)
    if not changes:
        raise UserError(NO_CHANGES, level="plain")
    with app.session() as ctl, refusals("slurm_update error: "):
        update_node.update(ctl, name, changes, users.invoking())
    return 0


def _partition(app: Application, name: str, words: list[str], settings: Settings) -> int:
    from slimsched.controller import update_partition

    changes = assignments(words, update_partition.FIELDS, {"Shared": "OverSubscribe"}, PARTITION)
    if not changes:
        raise UserError(NO_CHANGES)
    with app.session() as ctl, refusals("slurm_update error: "):
        update_partition.update(ctl, name, changes)
    return 0


def _reservation(app: Application, name: str, words: list[str], settings: Settings) -> int:
    from slimsched.cli.scontrol.reservations import update as update_reservation

    return update_reservation(app, name, words)


def _step(app: Application, name: str, words: list[str], settings: Settings) -> int:
    """Refuse to update a step: nothing of a step that Slurm lets change is kept."""
    from slimsched.errno import Errno

    raise UserError(f"slurm_update error: {Errno.INVALID_JOB_ID.text}", level="plain")


def _debug(app: Application, name: str, words: list[str], settings: Settings) -> int:
    return 0


@contextmanager
def refusals(lead: str) -> Iterator[None]:
    """Turn a `SlurmError` inside it into plain text behind a lead-in, as scontrol prints it."""
    try:
        yield
    except SlurmError as error:
        raise UserError(f"{lead}{error.message}", level="plain", notes=error.notes) from None


ENTITIES = (
    Entity("jobid", 4, _job),
    Entity("jobname", 4, _job_name),
    Entity("stepid", 4, _step),
    Entity("reservationname", 3, _reservation),
    Entity("nodename", 3, _node),
    Entity("partitionname", 3, _partition),
    Entity("slurmctlddebug", 5, _debug),
)
"""The entities, those first whose fields may be named like another entity."""
