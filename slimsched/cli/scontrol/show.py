"""The command ``scontrol show ENTITY [ID]``: the table of entities and their printers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from slimsched.cli.scontrol import complexes, show_lists, show_records
from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.scontrol.settings import Settings

Printer = Callable[["Application", "str | None", "Settings"], int]

ENTITIES: tuple[tuple[str, int, Printer], ...] = (
    ("aliases", 1, show_lists.aliases),
    ("assoc_mgr", 2, show_lists.assoc_mgr),
    ("bbstat", 2, show_lists.burst_buffers),
    ("burstbuffer", 2, show_lists.nothing),
    ("config", 1, show_records.configuration),
    ("cache", 2, show_lists.assoc_mgr),
    ("complexes", 3, complexes.show),
    ("daemons", 1, show_lists.daemons),
    ("dwstat", 2, show_lists.burst_buffers),
    ("federations", 1, show_lists.nothing),
    ("hostlistsorted", 9, show_lists.hostlist_sorted),
    ("hostlist", 5, show_lists.hostlist),
    ("hostnames", 5, show_lists.hostnames),
    ("jobs", 1, show_records.jobs),
    ("jobid", 1, show_records.jobs),
    ("licenses", 2, show_lists.licenses),
    ("nodes", 1, show_records.nodes),
    ("partitions", 2, show_records.partitions),
    ("partitionname", 2, show_records.partitions),
    ("reservations", 1, show_records.reservations),
    ("reservationname", 1, show_records.reservations),
    ("slurmd", 2, show_lists.slurmd),
    ("steps", 2, show_records.steps),
    ("topoconf", 5, show_lists.topology_conf),
    ("topology", 1, show_lists.topology),
)
"""Entity, the fewest letters that name it, and what prints it. The first that a word fits is taken."""

MOST: dict[Printer, int] = {show_lists.daemons: 0, show_lists.burst_buffers: 99, show_lists.topology: 2}
"""How many words may follow an entity, if not one."""


def show(app: Application, words: list[str], options: Settings) -> int:
    """Print what ``words`` (an entity, and perhaps an id) names; returns the exit code."""
    if not words:
        raise UserError("too few arguments for keyword:show", level="plain")
    word, equals, value = words[0].partition("=")
    rest = [value, *words[1:]] if equals else words[1:]
    printer = find(word)
    if printer is None:
        raise UserError(f"invalid entity:{words[0]} for keyword:show", level="plain")
    if printer is show_lists.assoc_mgr:
        return printer(app, " ".join(words[1:]), options)
    if len(rest) > MOST.get(printer, 1):
        raise UserError("too many arguments for keyword:show", level="plain")
    return printer(app, " ".join(rest) if rest else None, options)


def find(word: str) -> Printer | None:
    """Return what prints the entity that a word names, in any case and perhaps abbreviated."""
    lower = word.lower()
    for name, least, printer in ENTITIES:
        if len(lower) >= least and name.startswith(lower):
            return printer
    return None
