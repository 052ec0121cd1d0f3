"""``qconf``: definitions of complex attributes, and what hosts and queues offer."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from slimsched.cli.gridengine.program import COMMON, GridProgram, lists
from slimsched.cli.program import Given, Option
from slimsched.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.cli.app import Application
    from slimsched.controller.core import Controller

OPTIONS = (
    Option("", "sc", help="show the definitions of complex attributes"),
    Option("", "Mc", "file", "replace the definitions by those of a file"),
    Option("", "ac", "definition", "add an attribute: its eight columns in one word"),
    Option("", "dc", "attribute_list", "delete attributes"),
    Option("", "mattr", "obj attr list name", "modify entries: queue|exechost complex_values a=5,b=x NAME"),
    Option("", "aattr", "obj attr list name", "add entries"),
    Option("", "dattr", "obj attr list name", "delete entries"),
    Option("", "se", "host", "show a host (global: the cluster)"),
    Option("", "sel", help="show the names of the hosts"),
    Option("", "sq", "queue", "show a queue (a partition)"),
    Option("", "sql", help="show the names of the queues"),
    *COMMON,
)
READING = frozenset({"sc", "se", "sel", "sq", "sql"})


def run(app: Application, given: Given, args: list[str]) -> int:
    """Run the command of the first option."""
    chosen = next(((option, value or "") for option, value in given.pairs if option.name in ACTIONS), None)
    if chosen is None or args:
        raise UserError('error: no option argument provided to "qconf"', level="plain")
    option, value = chosen
    with app.session(write=option.name not in READING) as ctl:
        return ACTIONS[option.name](app, ctl, value)


# showing


def _definitions(app: Application, ctl: Controller, _value: str) -> int:
    from slimsched.controller.gridengine import definitions
    from slimsched.render.gridengine.objects import complex_list

    app.out(complex_list(definitions.attributes(ctl.cluster).values()))
    return 0


def _host(app: Application, ctl: Controller, name: str) -> int:
    from slimsched.render.gridengine import objects

    if name == "global":
        app.out(objects.host("global", ctl.cluster.complexes.values, ctl.cluster.complexes.load, 0))
        return 0
    index = ctl.cluster.node_index.get(name)
    if index is None:
        raise UserError(f'Host object "{name}" does not exist', level="plain")
    node = ctl.cluster.nodes[index]
    app.out(objects.host(name, node.complexes, node.load, node.cpus))
    return 0


def _queue(app: Application, ctl: Controller, name: str) -> int:
    from slimsched.model import bitmap
    from slimsched.render.gridengine import objects

    part = ctl.cluster.partitions.get(name)
    if part is None:
        raise UserError(f'No cluster queue or queue instance matches "{name}"', level="plain")
    nodes = [ctl.cluster.nodes[i] for i in bitmap.iterate(ctl.cluster.partition_bitmap(name))]
    app.out(objects.queue(part, nodes))
    return 0


def _hosts(app: Application, ctl: Controller, _value: str) -> int:
    app.out("\n".join(node.name for node in ctl.cluster.nodes))
    return 0


def _queues(app: Application, ctl: Controller, _value: str) -> int:
    app.out("\n".join(ctl.cluster.partitions))
    return 0


# definitions


def _said(what: str, name: str) -> str:
    """Return the message of a change."""
    from slimsched.controller.requests.users import invoking_name

    return f"{invoking_name()}@{os.uname().nodename.partition('.')[0]} {what.format(name)}"


def _rows(text: str) -> list[dict[str, str]]:
    """Return the definitions in the form of ``qconf -sc``."""
    from slimsched.constraints.complexes.builtin import FIELDS

    lines = (line.split() for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return [dict(zip(FIELDS, words, strict=False)) for words in lines]


def _modify(app: Application, ctl: Controller, path: str) -> int:
    """Bring the definitions to what a file says; what is still referred to is kept, with a refusal."""
    from slimsched.constraints.complexes import definition
    from slimsched.controller.gridengine import definitions
    from slimsched.text.source import read_text

    try:
        rows = _rows(read_text(path))
    except (OSError, ValueError) as fault:
        raise UserError(f"{path}: {getattr(fault, 'strerror', None) or fault}", level="plain") from None
    wanted = {row["name"]: definition.read(row) for row in rows}
    known = dict(definitions.attributes(ctl.cluster))
    code = max([_delete_one(app, ctl, name) for name in known if name not in wanted], default=0)
    for name, attribute in wanted.items():
        if name not in known:
            definitions.create(ctl, rows[list(wanted).index(name)])
            app.err(_said('added "{0}" to complex entry list', name))
        elif attribute != known[name]:
            definitions.update(ctl, name, rows[list(wanted).index(name)])
            app.err(_said('modified "{0}" in complex entry list', name))
    return code


def _delete_one(app: Application, ctl: Controller, name: str) -> int:
    from slimsched.constraints.complexes.definition import DefinitionFault
    from slimsched.controller.gridengine import definitions

    try:
        definitions.delete(ctl, name)
    except DefinitionFault as fault:
        app.err(fault.message)
        return 1
    app.err(_said('removed "{0}" from complex entry list', name))
    return 0


def _add(app: Application, ctl: Controller, text: str) -> int:
    from slimsched.controller.gridengine import definitions

    for row in _rows(text):
        definitions.create(ctl, row)
        app.err(_said('added "{0}" to complex entry list', row["name"]))
    return 0


def _delete(app: Application, ctl: Controller, text: str) -> int:
    return max([_delete_one(app, ctl, name) for name in lists([text])], default=0)


# entries of hosts and queues


def _entries(change: str) -> Callable[[Application, Controller, str], int]:
    def act(app: Application, ctl: Controller, value: str) -> int:
        from slimsched.controller.gridengine import entries

        kind, field, text, name = value.split(" ", 3)
        if kind not in {"queue", "exechost"}:
            raise UserError("denied: only attributes of queue and exechost can be changed", level="plain")
        for line in entries.change(ctl, change, kind, field, name, text):
            app.out(line)
        where = "cluster queue" if kind == "queue" else "exechost"
        app.out(_said(f'modified "{{0}}" in {where} list', name))
        return 0

    return act


ACTIONS: dict[str, Callable[[Application, Controller, str], int]] = {
    "sc": _definitions,
    "se": _host,
    "sel": _hosts,
    "sq": _queue,
    "sql": _queues,
    "Mc": _modify,
    "ac": _add,
    "dc": _delete,
    "mattr": _entries("modify"),
    "aattr": _entries("add"),
    "dattr": _entries("delete"),
}
command = GridProgram("qconf", OPTIONS, run, summary="Show and change complex attributes, hosts and queues")
