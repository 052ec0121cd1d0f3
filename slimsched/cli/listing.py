"""The common parts of ``squeue`` and ``sinfo``: options with default variables, repetition, printing."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from slimsched.errors import UserError
from slimsched.text.sizes import strtol

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.program import Given
    from slimsched.model.cluster import Cluster
    from slimsched.render.columns import Format, Style, Table

RULE = "-" * 29
"""The line above and below the options that ``--verbose`` lists."""


def first_set(given: Given, option: str, variable: str) -> str | None:
    """Return an option's argument, else the variable's value, else None."""
    value = given.last(option)
    return os.environ.get(variable) if value is None else value


def words(text: str) -> list[str]:
    """Return the items of a list, without empty ones."""
    return [item for item in text.split(",") if item]


def print_format_help(app: Application, given: Given, kind: str, table: Table, states: Iterable[str]) -> bool:
    """Print what ``--helpformat``, ``--helpFormat`` or ``--helpstate`` lists; return whether one of them is given."""
    for option in ("helpformat", "helpFormat", "helpstate"):
        if given.has(option):
            from slimsched.render import format_help

            app.out(format_help.text(option, kind, table, states))
            return True
    return False


def print_table(app: Application, wanted: Format, records: Sequence[object], style: Style) -> None:
    """Print records as Slurm does, or as a coloured table if a person looks at them."""
    if app.draws:
        from slimsched.render.terminal import show

        show(wanted, records, style)
        return
    lines = wanted.lines(records, style)
    if lines:
        app.out("\n".join(lines))


def print_sorted(app: Application, wanted: Format, records: list[Any], order: str, table: Table, style: Style) -> None:
    """Print sorted records; raises `UserError` after the header for an invalid order."""
    from slimsched.render.columns import sort

    try:
        records = sort(records, order, table)
    except KeyError as unknown:
        print_table(app, wanted, [], style)
        raise UserError(f"Invalid sort specification: {unknown.args[0]}") from None
    print_table(app, wanted, records, style)


STORAGE = "accounting_storage/slurmdbd"
"""What JSON names as the source of accounting records: accounting commands always, others where it is configured."""


def document(
    app: Application, kinds: Mapping[str, str | None], body: dict[str, Any], cluster: Cluster, storage: str = ""
) -> None:
    """Print an answer as JSON or YAML (`slimsched.cli.data_parser.document`)."""
    from slimsched.cli import data_parser

    if cluster.config.names_slurmdbd:
        storage = STORAGE
    data_parser.document(app, kinds, body, cluster, storage)


def form(given: Given) -> dict[str, str | None]:
    """Return the forms other than a table that the options ask for, with their arguments."""
    return {kind: given.last(kind) or "" for kind in ("json", "yaml") if given.has(kind)}


def repeat(app: Application, given: Given, action: Callable[[], Cluster]) -> None:
    """Print once, or with ``--iterate`` again and again until interrupted.

    ``action`` prints and returns the cluster that it printed. A virtual clock stands still, so once is enough.
    """
    seconds = interval(app, given)
    cluster = action()
    if seconds and cluster.config.clock != "wall":
        app.note("the virtual clock does not move by itself, so the list is printed only once")
        return
    while seconds:
        time.sleep(seconds)
        action()


def interval(app: Application, given: Given) -> int:
    """Return the seconds of ``--iterate``, 0 without it."""
    text = given.last("iterate")
    if text is None:
        return 0
    seconds, _ = strtol(text)
    if seconds <= 0:
        raise UserError(ITERATE_FAULT[app.command].format(text))
    return seconds


LONG_AND_FORMAT = "Options -o(--format) and -l(--long) are mutually exclusive. Please remove one and retry."

ITERATE_FAULT = {"squeue": "--iterate={}\n", "sinfo": "Error: invalid entry for --iterate={}"}
"""Command -> its message for a wrong ``--iterate``."""


UNKNOWN_CLUSTER = (
    "'{}' can't be reached now, or it is an invalid entry for --cluster.  "
    "Use 'sacctmgr list clusters' to see available clusters."
)


def check_clusters(app: Application, given: Given, cluster: Cluster) -> None:
    """Announce the cluster that ``-M`` names; raises `UserError` for one that does not exist."""
    if text := asked_clusters(given):
        app.out(f"CLUSTER: {own_cluster(app, text, cluster)}")


def asked_clusters(given: Given) -> str:
    """Return the names of the clusters that an option or a variable asks for, "" for none."""
    return given.last("clusters") or given.last("cluster") or os.environ.get("SLURM_CLUSTERS", "")


def check_cluster(app: Application, given: Given, cluster: Cluster) -> None:
    """Refuse a ``-M`` that names another cluster, for commands that ask one cluster only. Raises `UserError`."""
    own_cluster(app, asked_clusters(given), cluster)


def own_cluster(app: Application, text: str, cluster: Cluster) -> str:
    """Return the name of the cluster; raises `UserError` if ``text`` names another one."""
    own = cluster.config.get("ClusterName")
    unknown = next((name for name in words(text) if name not in (own, "all")), None)
    if unknown is not None:
        app.err(f"{app.command}: error: Problem talking to database")
        app.err(f"{app.command}: error: {UNKNOWN_CLUSTER.format(unknown)}")
        raise UserError("Could not get cluster information", level="fatal")
    return str(own)
