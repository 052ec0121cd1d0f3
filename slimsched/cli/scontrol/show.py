"""The command ``scontrol show ENTITY [ID]``: the table of entities and their printers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from slimsched.cli.scontrol import complexes, show_lists, show_records
from slimsched.errors import UserError
from slimsched.slurm.words import find

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.scontrol.settings import Settings

Printer = Callable[["Application", "str | None", "Settings"], int]


class Entity(NamedTuple):
    """What can be shown: the fewest letters that name it, what prints it, and how many words may follow."""

    name: str
    letters: int
    show: Printer
    most: int = 1


ENTITIES = (
    Entity("aliases", 1, show_lists.aliases),
    Entity("assoc_mgr", 2, show_lists.assoc_mgr),
    Entity("bbstat", 2, show_lists.burst_buffers, 99),
    Entity("burstbuffer", 2, show_lists.nothing),
    Entity("config", 1, show_records.configuration),
    Entity("cache", 2, show_lists.assoc_mgr),
    Entity("complexes", 3, complexes.show),
    Entity("daemons", 1, show_lists.daemons, 0),
    Entity("dwstat", 2, show_lists.burst_buffers, 99),
    Entity("federations", 1, show_lists.nothing),
    Entity("hostlistsorted", 9, show_lists.hostlist_sorted),
    Entity("hostlist", 5, show_lists.hostlist),
    Entity("hostnames", 5, show_lists.hostnames),
    Entity("jobs", 1, show_records.jobs),
    Entity("jobid", 1, show_records.jobs),
    Entity("licenses", 2, show_lists.licenses),
    Entity("nodes", 1, show_records.nodes),
    Entity("partitions", 2, show_records.partitions),
    Entity("partitionname", 2, show_records.partitions),
    Entity("reservations", 1, show_records.reservations),
    Entity("reservationname", 1, show_records.reservations),
    Entity("slurmd", 2, show_lists.slurmd),
    Entity("steps", 2, show_records.steps),
    Entity("topoconf", 5, show_lists.topology_conf),
    Entity("topology", 1, show_lists.topology, 2),
)
"""The first that a word fits is taken."""


def show(app: Application, words: list[str], options: Settings) -> int:
    """Print what ``words`` (an entity, and perhaps an id) names; returns the exit code."""
    if not words:
        raise UserError("too few arguments for keyword:show", level="plain")
    word, equals, value = words[0].partition("=")
    rest = [value, *words[1:]] if equals else words[1:]
    entity = find(ENTITIES, word)
    if entity is None:
        from slimsched.text import alike

        note = alike.unknown("entity", word, {each.name for each in ENTITIES})
        raise UserError(f"invalid entity:{words[0]} for keyword:show", level="plain", notes=(note,))
    if entity.show is show_lists.assoc_mgr:
        return entity.show(app, " ".join(words[1:]), options)
    if len(rest) > entity.most:
        raise UserError("too many arguments for keyword:show", level="plain")
    return entity.show(app, " ".join(rest) if rest else None, options)
