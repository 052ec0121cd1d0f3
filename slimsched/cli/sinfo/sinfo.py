"""``sim sinfo``: list partitions and nodes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from slimsched.cli.listing import (
    LONG_AND_FORMAT,
    check_clusters,
    document,
    first_set,
    form,
    print_format_help,
    print_table,
    repeat,
    words,
)
from slimsched.cli.program import PLAIN, RECORDED, STANDARD, Given, Option, Program
from slimsched.cli.sinfo.choice import format_given, format_texts, partition_text, state_text
from slimsched.errors import SyntaxFault, UserError
from slimsched.render.columns import Format, Style, sort
from slimsched.render.nodes.sinfo_fields import EXACT, LINES, NAMING, PARTITION_FIELDS, SHARED
from slimsched.render.nodes.sinfo_rows import Selection, rows
from slimsched.render.nodes.state_words import VALID, state_test
from slimsched.render.units import long_date
from slimsched.slurm.states import NO_RESPOND

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.model.cluster import Cluster
    from slimsched.render.nodes.node_view import NodeView

FORMATS = (
    (("summarize",), "%{part}P %.5a %.10l %.16F %N"),
    (("Node", "long"), "%{node}N %.6D %.{part}P %.11T %4c %.8z %.6m %.8d %.6w %.8f %20E"),
    (("Node",), "%{node}N %.6D %.{part}P %6t"),
    (("list-reasons", "long"), "%20E %12U %19H %6t %N"),
    (("list-reasons",), "%20E %9u %19H %N"),
    (("long",), "%{part}P %.5a %.10l %.10s %.4r %.8h %.10g %.6D %.11T %.11i %N"),
    ((), "%{part}P %.5a %.10l %.6D %.6t %N"),
)
"""The formats without ``-o``: the first line counts whose options are all given."""

LEAST_WIDTH = 9  # of the columns that grow with the names in them
FEDERATION = "there is no federation of clusters"

OPTIONS = (
    Option("all", "a", help="include hidden partitions"),
    Option("clusters", "M", "names", "clusters to ask"),
    Option("dead", "d", help="only nodes that do not respond"),
    Option("exact", "e", help="group nodes only if their sizes are the same"),
    Option("federation", "", "", "the whole federation", RECORDED, FEDERATION),
    Option("format", "o", "format", "columns, by letters: %.10P %N"),
    Option("Format", "O", "format", "columns, by names: Partition:10,NodeList"),
    Option("future", "F", help="include nodes in state FUTURE"),
    Option("helpformat", help="list the letters of -o"),
    Option("helpFormat", help="list the names of -O"),
    Option("helpstate", help="list the states"),
    Option("hide", help="exclude hidden partitions"),
    Option("iterate", "i", "seconds", "repeat the list at this interval"),
    Option("json", "", "[data_parser]", "answer in JSON"),
    Option("list-reasons", "R", help="list why nodes are down or drained"),
    Option("local", "", "", "this cluster only", RECORDED, FEDERATION),
    Option("long", "l", help="longer lines"),
    Option("Node", "N", help="print one line for each node and partition"),
    Option("noconvert", "", "", "no conversion of units", RECORDED, "amounts are always printed in MB"),
    Option("nodes", "n", "NODES", "only these nodes"),
    Option("noheader", "h", help="no header line"),
    Option("partition", "p", "PARTITION", "only these partitions"),
    Option("reservation", "T", help="list reservations"),
    Option("responding", "r", help="only nodes that respond"),
    Option("sort", "S", "fields", "order, by the letters of -o: #P,-t"),
    Option("states", "t", "node_state", "only nodes in these states"),
    Option("summarize", "s", help="print one line for each partition"),
    Option("verbose", "v", help="say more"),
    Option("yaml", "", "[data_parser]", "answer in YAML"),
    PLAIN,
    *STANDARD,
)


def run(app: Application, given: Given, _args: list[str]) -> int | None:
    """List what the options ask for."""
    if not print_format_help(app, given, "NODES", LINES, VALID.split(",")):
        repeat(app, given, lambda: _once(app, given))
    return 0


def _once(app: Application, given: Given) -> Cluster:
    """List nodes or reservations in the form that is asked for."""
    _check(given)
    with app.session(write=False) as ctl:
        check_clusters(app, given, ctl.cluster)
        _check_sight(ctl.cluster)
        forms = form(given)
        if forms:
            from slimsched.render.json import nodes

            if ctl.cluster.config.version.openapi:  # which left all other options aside
                document(app, forms, nodes.every(ctl.cluster), ctl.cluster)
                return ctl.cluster
            found = sort(rows(ctl.cluster, _selection(given), nodes.GROUPED), _order(given), LINES)
            document(app, forms, {"sinfo": [nodes.row(line) for line in found]}, ctl.cluster)
            return ctl.cluster
        if given.has("verbose"):
            from slimsched.cli.sinfo import verbose

            wanted = _format(app, given, ctl.cluster)
            app.out("\n".join(verbose.sinfo(given, wanted)))
        _list(app, given, ctl.cluster)
        _remark(app, given, ctl.cluster)
        return ctl.cluster


def _check_sight(cluster: Cluster) -> None:
    """Refuse the list if nodes or partitions are private data. Raises `UserError`."""
    private = cluster.config.get("PrivateData").lower()
    if "nodes" in private or "partitions" in private:
        from slimsched.controller.requests import rights

        rights.require_sight(cluster, "partitions", "slurm_load_partitions")
        rights.require_sight(cluster, "nodes", "slurm_load_node")


def _remark(app: Application, given: Given, cluster: Cluster) -> None:
    """Say which partitions and nodes there are none of, behind the answer."""
    partitions, nodes = words(partition_text(given) or ""), given.last("nodes")
    if nodes is None and cluster.partitions.keys() >= set(partitions):
        return
    from slimsched.controller.requests import strangers

    app.remarks += strangers.notes(cluster, "partition", partitions)
    app.remarks += strangers.nodes(cluster, nodes or "")


def _list(app: Application, given: Given, cluster: Cluster) -> None:
    if given.has("reservation"):
        _reservations(app, cluster, header=not given.has("noheader"))
        return
    wanted = _format(app, given, cluster)
    header = not given.has("noheader")
    if header and (given.has("long") or given.has("iterate") or given.has("verbose")):
        app.out(long_date(cluster.now))
    shared = [field for field in wanted.fields if field in (EXACT if given.has("exact") else SHARED)]
    if given.has("list-reasons"):
        shared = [field for field in shared if field not in PARTITION_FIELDS]
    chosen = _selection(given)
    chosen.empty = chosen.empty and not NAMING.isdisjoint(wanted.fields)
    print_table(app, wanted, sort(rows(cluster, chosen, shared), _order(given), LINES), Style(header=header))


def _reservations(app: Application, cluster: Cluster, *, header: bool) -> None:
    from slimsched.controller.reservations import access
    from slimsched.render.nodes import reservation_list

    seen = access.seen(cluster)
    if seen:
        wanted = reservation_list.table(cluster, header=header)
        print_table(app, wanted, seen, Style(header=header))
    else:
        app.out(reservation_list.NONE)


def _order(given: Given) -> str:
    """Return the order asked for, else by node with ``-N``, else by partition and state."""
    order = first_set(given, "sort", "SINFO_SORT")
    if order is None:
        order = "N" if given.has("Node") else "#P,-t"
    return order


def _format(app: Application, given: Given, cluster: Cluster) -> Format:
    """Return the columns that the options or variables ask for; name the specifications that ask for none."""
    long, short = format_texts(given)
    if long is not None:
        wanted = LINES.long(long)
        for name in wanted.invalid:
            from slimsched.text import alike

            app.err(f"sinfo: error: Invalid job format specification: {name}")
            app.remarks += alike.hint("field", name, LINES.names().split())
        return wanted
    if short is None:
        names = [name + "*" for name in cluster.partitions]
        widths = {"node": _widest(node.name for node in cluster.nodes), "part": _widest(names)}
        kind = next(text for options, text in FORMATS if all(map(given.has, options)))
        short = kind.format(**widths)
    wanted = LINES.short(short)
    for name in wanted.invalid:
        app.err(f"Invalid node format specification: {name}")
    return wanted


def _check(given: Given) -> None:
    """Refuse a format beside ``--long``, and to choose partitions and to show all of them."""
    if given.has("long") and format_given(given):
        raise UserError(LONG_AND_FORMAT, level="fatal")
    for first, second, both in (
        ("-a", "-p", given.has("all") and given.has("partition")),
        ("SINFO_ALL", "SINFO_PARTITION", {"SINFO_ALL", "SINFO_PARTITION"} <= os.environ.keys()),
    ):
        if both:
            raise UserError(f"Conflicting options, {first} and {second}, specified. Please choose one or the other.")


def _widest(names: Iterable[str]) -> int:
    return max(LEAST_WIDTH, *map(len, names), 0)


def _selection(given: Given) -> Selection:
    """Return which partitions and nodes are shown."""
    chosen = Selection()
    chosen.by_node = given.has("Node")
    chosen.empty = not chosen.by_node
    chosen.future = given.has("future") or "SINFO_FUTURE" in os.environ
    chosen.hidden = (given.has("all") or "SINFO_ALL" in os.environ) and not given.has("hide")
    partitions = partition_text(given)
    if partitions is not None:
        chosen.partitions = set(words(partitions))
    if given.has("list-reasons"):
        chosen.empty = False
    _add_tests(chosen, given)
    return chosen


def _add_tests(chosen: Selection, given: Given) -> None:
    """Add the conditions on nodes."""
    states = state_text(given)
    if states is not None and states.lower() != "all":
        chosen.tests.append(state_test(states))
    text = given.last("nodes")
    if text is not None:
        names = _names(text)
        chosen.tests.append(lambda view: view.node.name in names)
    for option, silent in (("dead", True), ("responding", False)):
        if given.has(option):
            chosen.tests.append(_responds(silent))


def _names(text: str) -> set[str]:
    from slimsched.text import hostlist

    try:
        return set(hostlist.expand(text))
    except SyntaxFault:
        raise UserError(f"'{text}' invalid entry for --nodes") from None


def _responds(silent: bool) -> Callable[[NodeView], bool]:
    return lambda view: (NO_RESPOND in view.flags) is silent


command = Program("sinfo", OPTIONS, run, summary="List partitions and nodes")
