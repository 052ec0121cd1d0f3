"""The command ``scontrol update``: the table of entities, and the words of its refusals."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from slimsched.cli.scontrol.jobs import failed
from slimsched.controller.update.fields import NO_CHANGES, cut
from slimsched.errors import SlurmError, UserError
from slimsched.slurm.words import find
from slimsched.text.sizes import is_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from slimsched.cli.app import Application
    from slimsched.cli.scontrol.settings import Settings

NO_ENTITY = (
    "No valid entity in update command\n"
    'Input line must include "NodeName", "PartitionName", "Reservation", "JobId", or "SlurmctldDebug"'
)
MAX_DEBUG = 9


class Entity(NamedTuple):
    """A kind of record: its tag with the fewest letters, its rank among those that a line names, and its function."""

    name: str
    letters: int
    rank: int
    apply: Callable[[Application, list[str], Settings], int]


def update(app: Application, words: list[str], settings: Settings) -> int:
    """Update the entity that one of the words names; a job's line may name a partition and a reservation as well."""
    if words[0].lower() in {"cluster", "complex"}:
        from slimsched.cli.scontrol import complexes

        apply = complexes.update if words[0].lower() == "complex" else complexes.update_cluster
        return apply(app, words[1:])
    named = [entity for tag in _tags(words) if (entity := find(ENTITIES, tag)) is not None]
    if not named:
        raise UserError(NO_ENTITY, level="plain")
    return min(named, key=lambda entity: entity.rank).apply(app, words, settings)


def _tags(words: list[str]) -> Iterator[str]:
    """Yield the tags of a line; the word behind one without ``=`` is its value."""
    pending = iter(words)
    for text in pending:
        word = cut(text)
        if word.text is None:
            next(pending, None)
        yield word.tag


@contextmanager
def refusals(lead: str) -> Iterator[None]:
    """Turn a `SlurmError` inside it into plain text behind a lead-in, as scontrol prints it."""
    try:
        yield
    except SlurmError as error:
        raise reworded(error, lead) from None


def reworded(error: SlurmError, lead: str) -> UserError:
    """Return a refusal as scontrol prints it: the controller's own words, then the error behind a lead-in."""
    preface = "\n".join(f"scontrol: error: {line}" for line in error.detail.splitlines())
    return UserError(f"{lead}{error.message}", level="plain", notes=error.notes, preface=preface)


def _job(app: Application, words: list[str], settings: Settings) -> int:
    from slimsched.controller.update import job

    def report(said: str, note: str) -> None:
        app.err(said)
        app.remarks.append(note)

    line = job.parse(words, report)
    with app.session() as ctl:
        failures = job.update(ctl, line)
        from slimsched.controller.explain import changed_job

        if failures:
            raise failed(
                [one._replace(notes=one.notes or changed_job.notes(ctl, one, line.fields)) for one in failures]
            )
        app.remarks += changed_job.remarks(ctl, line.fields)
    return 0


def _node(app: Application, words: list[str], settings: Settings) -> int:
    from slimsched.controller.requests import users
    from slimsched.controller.update import node

    request = node.parse(words)
    with app.session() as ctl, refusals("slurm_update error: "):
        node.update(ctl, request, users.invoking(ctl.cluster))
    return 0


def _partition(app: Application, words: list[str], settings: Settings) -> int:
    from slimsched.controller.update import partition

    request = partition.parse(words)
    if not request.fields:
        raise UserError(NO_CHANGES)
    with app.session() as ctl, refusals("slurm_update error: "):
        partition.update(ctl, request)
    return 0


def _reservation(app: Application, words: list[str], settings: Settings) -> int:
    from slimsched.controller.update import reservation, reservation_change

    request = reservation.parse(words, reservation.UPDATED)
    with app.session() as ctl, refusals("slurm_update error: "):
        reservation_change.update(ctl, request)
    app.out("Reservation updated.")
    return 0


def _step(app: Application, words: list[str], settings: Settings) -> int:
    from slimsched.controller.update import step

    limit = step.parse(words)
    with app.session() as ctl, refusals("slurm_update error: "):
        step.update(ctl, limit)
    return 0


def _debug(app: Application, words: list[str], settings: Settings) -> int:
    """Accept the level at which a daemon would log."""
    value = cut(words[-1]).text
    if value is None or not (is_number(value, 4) and int(value) <= MAX_DEBUG):
        raise UserError(f"invalid debug level: {value}", level="plain")
    return 0


def _power_saving(key: str) -> Callable[[Application, list[str], Settings], int]:
    """Return what sets which nodes, partitions or states power saving leaves alone; the last word counts."""

    def apply(app: Application, words: list[str], settings: Settings) -> int:
        from slimsched.controller.update import power_settings

        with app.session() as ctl, refusals("slurm_update error: "):
            power_settings.update(ctl, key, cut(words[-1]))
        return 0

    return apply


ENTITIES = (
    Entity("nodename", 3, 4, _node),
    Entity("partitionname", 3, 5, _partition),
    Entity("jobid", 3, 1, _job),
    Entity("jobname", 3, 1, _job),
    Entity("stepid", 4, 2, _step),
    Entity("reservationname", 3, 3, _reservation),
    Entity("slurmctlddebug", 2, 6, _debug),
    Entity("suspendexcnodes", 11, 7, _power_saving("SuspendExcNodes")),
    Entity("suspendexcparts", 11, 7, _power_saving("SuspendExcParts")),
    Entity("suspendexcstates", 11, 7, _power_saving("SuspendExcStates")),
)
"""The entities, in the order in which a tag is looked up."""
