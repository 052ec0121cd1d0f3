"""The command ``sim plugins``: it lists select, scheduler and priority plugins and checks their contracts."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

import click

from slimsched.cli.app import Application
from slimsched.cli.listing import print_table
from slimsched.cli.own.job_argument import Number
from slimsched.errors import PluginError, UserError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.metadata import EntryPoint

    from slimsched.controller.core import Controller
    from slimsched.model.config import Config
    from slimsched.plugins import Family
    from slimsched.render.columns import Format
    from slimsched.select.api import SelectInfo, SelectPlugin

HEADINGS = ("NAME", "ORIGIN", "API", "STATUS")


@click.group("plugins", invoke_without_command=True)
@click.option("--plain", is_flag=True, help="Print on a terminal what a pipe would get (or set SLIMSCHED_PLAIN=1).")
@click.pass_context
def command(context: click.Context, plain: bool) -> None:
    """List the installed plugins: their names, their origin and the interface they follow.

    A package offers plugins by entry points of the groups slimsched.select, slimsched.sched and slimsched.priority.
    """
    if context.invoked_subcommand is None:
        from slimsched.render.columns import COLUMNS

        app: Application = context.obj
        app.plain |= plain
        rows = [row for family in families() for row in _rows(family)]
        print_table(app, _format(rows), rows, COLUMNS)


def missing(config: Config) -> Iterator[str]:
    """Yield which plugins of a configuration are not there; commands that need them stop with the same message."""
    from slimsched import plugins

    for family, key in zip(families(), ("SelectType", "SchedulerType", "PriorityType"), strict=True):
        try:
            plugins.find(family, config.get(key))
        except PluginError as fault:
            yield f"{key}: {fault}"


def _format(rows: list[tuple[str, ...]]) -> Format:
    """Return columns as wide as what stands in them."""
    from slimsched.render.columns import Column, Field, Format

    fields = [Field("", "", head, itemgetter(place)) for place, head in enumerate(HEADINGS)]
    sizes = [max(map(len, cells)) for cells in zip(HEADINGS, *rows, strict=True)]
    columns = [Column(field, size, suffix="  ") for field, size in zip(fields, sizes, strict=True)]
    columns[-1] = Column(fields[-1])
    return Format(columns)


@command.command("check")
@click.argument("name", metavar="KIND/NAME")
@click.pass_obj
def check(app: Application, name: str) -> int:
    """Run the contract tests on a plugin.

    NAME is such as select/mine. The exit status is 1 if a test fails.
    """
    from slimsched import plugins

    kind = name.partition("/")[0]
    family = next((family for family in families() if family.kind == kind), None)
    if family is None:
        raise UserError(f"{name}: write select/NAME, sched/NAME or priority/NAME")
    failed = 0
    for title, fault in plugins.run_checks(plugins.find(family, name), _checks(kind)):
        app.out(f"{'FAILED' if fault else 'ok':<7} {title}{': ' if fault else ''}{fault}")
        failed += bool(fault)
    return 1 if failed else 0


@command.command("show")
@click.argument("job_id", metavar="[JOBID]", required=False, type=Number(1))
@click.option("--json", "packed", is_flag=True, help="Print the packed form, with its protocol version, as JSON.")
@click.option("--field", metavar="NAME", default="", help="Print one value of each record.")
@click.option("--width", metavar="COUNT", type=Number(1), help="Print at most this many characters of a job's record.")
@click.option("--sanity-check", "strict", is_flag=True, help="Refuse node names that are not positions in the system.")
@click.pass_obj
def show(app: Application, job_id: int | None, packed: bool, field: str, width: int | None, strict: bool) -> None:
    """Print what the cluster's select plugin reports.

    It reports about itself and its nodes or, with a job id, about that running job.
    """
    with app.session(write=False) as ctl:
        lines = _job_lines(ctl, job_id, packed, field, width) if job_id else _node_lines(ctl, packed, field, strict)
        app.out("\n".join(lines))


def _node_lines(ctl: Controller, packed: bool, field: str, strict: bool) -> list[str]:
    import json

    select, cluster = ctl.select, ctl.cluster
    select.ba_init(cluster.nodes, strict)
    records = cluster.select_nodeinfo = {node.index: select.nodeinfo_alloc() for node in cluster.nodes}
    select.nodeinfo_set_all()
    sent = {node.name: select.nodeinfo_pack(records[node.index]) for node in cluster.nodes}
    if packed:
        lines, received = [json.dumps(sent)], {}
    else:
        received = {name: select.nodeinfo_unpack(buffer) for name, buffer in sent.items()}
        lines = _of_nodes(select, received, field)
    for record in (*records.values(), *received.values()):
        select.nodeinfo_free(record)
    return lines


def _of_nodes(select: SelectPlugin, records: dict[str, SelectInfo], field: str) -> list[str]:
    if field:
        return [f"{name} {select.nodeinfo_get(record, field)}" for name, record in records.items()]
    dims = "x".join(map(str, select.ba_get_dims())) or "none"
    return [
        f"{select.plugin_type}: {select.plugin_name}",
        f"CR_PLUGIN={select.get_info_from_plugin('CR_PLUGIN')} dimensions={dims}",
        *(f"{name} {record.sprint()}".rstrip() for name, record in records.items()),
    ]


def _job_lines(ctl: Controller, job_id: int, packed: bool, field: str, width: int | None) -> list[str]:
    import json

    select, cluster = ctl.select, ctl.cluster
    job = cluster.jobs.get(job_id)
    if job is None or not job.active:
        raise UserError(f"job {job_id} is not running")
    record = cluster.select_jobinfo[job_id] = select.jobinfo_alloc()
    select.nodeinfo_set(job)
    copy = select.jobinfo_copy(record)
    sent = select.jobinfo_pack(copy)
    received = select.jobinfo_unpack(sent)
    if packed:
        shown = json.dumps(sent)
    elif field:
        shown = f"job {job_id} {select.jobinfo_get(received, field)}"
    else:
        text = select.jobinfo_sprint(received, width) if width else select.jobinfo_xstrdup(received)
        shown = f"job {job_id} {text}".rstrip()
    for each in (record, copy, received):
        select.jobinfo_free(each)
    return [shown]


def families() -> tuple[Family, ...]:
    """Return the kinds of plugins."""
    from slimsched.priority import registry as priority
    from slimsched.sched import registry as sched
    from slimsched.select import registry as select

    return select.FAMILY, sched.FAMILY, priority.FAMILY


def _checks(kind: str) -> Any:
    if kind == "select":
        from slimsched.select.contract import CHECKS

        return CHECKS
    if kind == "sched":
        from slimsched.controller.plugins import sched_contract

        return sched_contract.CHECKS
    from slimsched.priority import contract

    return contract.CHECKS


def _rows(family: Family) -> list[tuple[str, ...]]:
    """Return the lines of one kind: the built-in ones, then those of other packages."""
    from slimsched import plugins

    ours = plugins.spelled(family.version)
    rows: list[tuple[str, ...]] = [(f"{family.kind}/{name}", "built in", ours, "ok") for name in family.builtin]
    for entry in plugins.installed(family):
        short = plugins.short_name(family, entry)
        theirs, status = "?", "ok"
        try:
            plugin: Any = plugins.imported(family, entry)
            version = getattr(plugin, "api_version", None)
            theirs = plugins.spelled(version) if isinstance(version, tuple) else "?"
            plugins.checked(family, short, plugin)
        except PluginError as fault:
            status = f"refused: {fault}"
        if short in family.builtin:
            status = "hidden by the built-in plugin"
        rows.append((f"{family.kind}/{short}", _origin(entry), theirs, status))
    return rows


def _origin(entry: EntryPoint) -> str:
    """Return the package of an entry point with its version."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "?"
