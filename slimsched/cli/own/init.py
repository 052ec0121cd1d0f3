"""`sim init`: make a cluster."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from slimsched.cli.app import Application
from slimsched.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slimsched.model.config import Config
    from slimsched.state.slurm_conf import Imported

_SHAPE = {  # option -> key of the [[nodes]] table
    "nodes": "NodeName",
    "cpus": "CPUs",
    "sockets": "Sockets",
    "cores": "CoresPerSocket",
    "threads": "ThreadsPerCore",
    "memory": "RealMemory",
    "tmp": "TmpDisk",
    "features": "Features",
    "gres": "Gres",
    "weight": "Weight",
    "extra": "Extra",
}


EXAMPLES = """\
\b
Examples:
  sim init --nodes 'node[01-16]' --cpus 32 --memory 128G
  sim init --from /etc/slurm/slurm.conf --state ./copy
  sim init --force --set SchedulerParameters=extra_constraints,defer
  sim init --live --nodes 'n[1-4]' --cpus 8
  sim init --start now --step 10s --runtime 1m
"""


def _only(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> str | None:
    """Return an option's value; refuse one that is given twice."""
    if len(values) > 1:
        raise UserError(f"{option.opts[0]} is given more than once")
    return values[0] if values else None


_once = partial(click.option, multiple=True, callback=_only)


@click.command(name="init", epilog=EXAMPLES)
@_once("--nodes", metavar="HOSTLIST", help="Names of the nodes.  [default: node[01-03]]")
@_once("--cpus", metavar="N", help="CPUs of each node.  [default: 12, as 2 sockets of 6 cores]")
@_once("--sockets", metavar="N", help="Sockets of each node.")
@_once("--cores", metavar="N", help="Cores of each socket.")
@_once("--threads", metavar="N", help="Threads of each core.")
@_once("--memory", metavar="MB", help="Memory of each node; K, M, G and T are understood.  [default: 64000]")
@_once("--tmp", metavar="MB", help="Temporary disk space of each node.")
@_once("--features", metavar="LIST", help="Features of the nodes, separated by commas.")
@_once("--gres", metavar="LIST", help="Generic resources of each node, such as gpu:2.")
@_once("--weight", metavar="N", help="Weight of the nodes; the lowest is used first.")
@_once("--extra", metavar="JSON", help="Extra data of the nodes, for --extra constraints.")
@click.option(
    "--partition",
    "partitions",
    metavar="NAME",
    multiple=True,
    help="A partition of all nodes; the first is the default.  [default: debug]",
)
@click.option(
    "--set", "settings", metavar="KEY=VALUE", multiple=True, help="A key of slurm.conf, such as MinJobAge=60."
)
@_once("--clock", type=click.Choice(["virtual", "wall"]), help="Virtual time, or the system's.  [default: virtual]")
@_once("--start", metavar="TIME", help="Where the virtual clock begins, or now.  [default: 2026-01-01]")
@_once("--timezone", metavar="ZONE", help="Zone of times: a name, UTC, local.  [default: UTC, local by --clock wall]")
@_once("--step", metavar="DURATION", help="How far each Slurm command moves the virtual clock.  [default: 0]")
@_once(
    "--runtime",
    metavar="DURATION",
    help="How long jobs run: a duration, limit (their time limit) or sleep (as their scripts).  [default: sleep]",
)
@_once("--slow-start", metavar="DURATION", help="How long jobs are CONFIGURING before they run.  [default: 0]")
@_once("--slow-end", metavar="DURATION", help="How long jobs are COMPLETING after they ran.  [default: 0]")
@_once("--node-boot", metavar="DURATION", help="How long nodes take to power up.  [default: their ResumeTimeout]")
@click.option("--live", is_flag=True, help="Jobs really run, as processes of this machine, on the system's clock.")
@_once(
    "--pace",
    type=click.Choice(["fast", "slurm"]),
    help="Wait only as long as needed, or as long as Slurm.  [default: fast]",
)
@_once(
    "--slurm-version",
    type=click.Choice(["22.05", "24.11", "26.11"]),
    help="The version of Slurm that clients see.  [default: 26.11]",
)
@_once(
    "--from",
    "source",
    metavar="FILE",
    help="Read a slurm.conf, and gres.conf, topology.conf and cgroup.conf beside it.",
)
@click.option("--force", is_flag=True, help="Replace an existing cluster and delete its jobs.")
@click.option("--merge", is_flag=True, help="With --from: read a changed file again and keep the jobs.")
@click.pass_obj
def command(
    app: Application,
    /,
    *,
    partitions: tuple[str, ...],
    settings: tuple[str, ...],
    clock: str | None,
    start: str | None,
    timezone: str | None,
    step: str | None,
    runtime: str | None,
    slow_start: str | None,
    slow_end: str | None,
    node_boot: str | None,
    live: bool,
    pace: str | None,
    slurm_version: str | None,
    source: str | None,
    force: bool,
    merge: bool,
    **shape: str | None,
) -> None:
    """Create a cluster and its commented cluster.toml.

    Extra constraints are on (SchedulerParameters=extra_constraints), although Slurm's default is off. With --from the
    file decides.
    """
    from slimsched.cli.own.plugins import missing
    from slimsched.priority import multifactor
    from slimsched.state import default, reread, scheduler_names, setup, slurm_conf
    from slimsched.state.config import read
    from slimsched.state.layout import config, locate
    from slimsched.state.store import Store

    node = {_SHAPE[name]: value for name, value in shape.items() if value is not None}
    _check(source, merge=merge, force=force, described=bool(node or partitions))
    imported = slurm_conf.load(source) if source is not None else None
    made = imported.config if imported else default.described(node, partitions)
    if source is not None:
        reread.remember(made, source)
    app.tell_of_waiting()
    folder = locate(app.state)
    if merge:
        read(config(folder))  # an error if there is none
        with Store.open(app.state) as store:
            default.inherit(made, store.load().config)
    own = {"clock": clock, "clock_start": start, "clock_step": step, "runtime": runtime, "pace": pace}
    own |= {"clock_timezone": timezone, "slow_start": slow_start, "slow_end": slow_end, "node_boot": node_boot}
    own |= {"slurm_version": slurm_version}
    if live:
        own |= {"executor": "local", "clock": clock or "wall"}
    default.adjust(made, settings, own)
    doubts = [*_misshapen(made), *_undecodable(made), *missing(made)]
    if doubts and imported is None:
        raise UserError(doubts[0])
    if merge:
        with Store.open(app.state, write=True) as store:
            faults = store.configure(made)
    else:
        from slimsched.executor.local import runs

        faults = setup.create(folder, made, force=force, before=runs.end_all)
    for fault in faults:
        app.note(f"the new cluster was created, but {fault}; sim doctor --rebuild repairs that")
    app.out(_summary(made))
    app.out(f"Configuration: {config(folder)}")
    for line in _report(imported) if imported else ():
        app.out(line)
    ignored = [f"{key} can only be used with SlurmDBD, ignoring" for key in multifactor.needs_slurmdbd(made)]
    for note in (*(imported.notes if imported else ()), *doubts, *ignored, *scheduler_names.unknown(made)):
        for line in note.split("\n"):
            app.note(line)


def _check(source: str | None, *, merge: bool, force: bool, described: bool) -> None:
    if source == "":
        raise UserError("--from: no file is given")
    if source is not None and described:
        raise UserError("--from takes nodes and partitions from the file: omit the options that describe them")
    if merge and source is None:
        raise UserError("--merge needs --from FILE")
    if merge and force:
        raise UserError("--merge keeps the jobs and --force removes them: choose one")


def _report(imported: Imported) -> Iterator[str]:
    """Yield what the user of an imported configuration has to know."""
    if imported.unused:
        yield f"Kept, and of no effect here: {', '.join(imported.unused)}"
    if imported.differences:
        yield "Your cluster would behave differently because of:"
    yield from (f"  {key}: {reason}" for key, reason in imported.differences.items())
    if not imported.config.nodes:
        yield "No nodes yet. To add one: sim slurmd -Z -N NAME --conf 'CPUs=4 RealMemory=8000 Feature=NAME'"


def _misshapen(config: Config) -> Iterator[str]:
    """Print which nodes have a number of CPUs that is not that of their sockets, cores or threads."""
    for line in config.nodes:
        if line.cpus is None or line.sockets is None:
            continue
        cores = line.sockets * (line.cores_per_socket or 1)
        fitting = (line.sockets, cores, cores * line.threads_per_core)
        if line.cpus not in fitting:
            each = line.cpus // (line.sockets * line.threads_per_core)
            whole = each * line.sockets * line.threads_per_core == line.cpus
            way_out = f"add CoresPerSocket={each}, or " if whole else ""
            numbers = " or ".join(map(str, dict.fromkeys(fitting)))
            yield (
                f"{line.node_name}: CPUs={line.cpus} should be {numbers}, by Sockets={line.sockets}, "
                f"CoresPerSocket={line.cores_per_socket or 1} and ThreadsPerCore={line.threads_per_core}: "
                f"{way_out}leave out one of the numbers"
            )


def _undecodable(config: Config) -> Iterator[str]:
    """Print which nodes have data that no constraint can read; Slurm keeps such data and never matches the node."""
    from slimsched.constraints import node_extra
    from slimsched.errors import SyntaxFault

    for line in config.nodes if config.extra_constraints else ():
        try:
            if line.extra:
                node_extra.decode(line.extra)
        except SyntaxFault as fault:
            yield "\n".join((f"{line.node_name}: Extra is not JSON that constraints can read", *fault.lines()))


def _summary(config: Config) -> str:
    from slimsched.model.cluster import Cluster

    cluster = Cluster(config)
    nodes, cpus = len(cluster.nodes), sum(node.cpus for node in cluster.nodes)
    parts = [name + ("*" if part.default else "") for name, part in cluster.partitions.items()]
    return (
        f"Cluster {config.get('ClusterName')}: {nodes} node{'s' * (nodes != 1)} with {cpus} "
        f"CPU{'s' * (cpus != 1)}, partition{'s' * (len(parts) != 1)} {','.join(parts)}"
    )
