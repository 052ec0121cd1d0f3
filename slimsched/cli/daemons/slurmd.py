"""The command ``slurmd``: it registers a node or describes this machine; with ``--every`` it stays."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from slimsched.cli.program import OURS, RECORDED, STANDARD_H, Given, Option, Program
from slimsched.errors import SlurmError, UserError
from slimsched.state import layout
from slimsched.text.sizes import is_number

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.controller.core import Controller
    from slimsched.controller.update.registration import Registration

NO_DAEMON = "there is no daemon"

OPTIONS = (
    Option("", "b", help="the node has just booted"),
    Option("", "c", help="clear saved state", status=RECORDED, note=NO_DAEMON),
    Option("", "C", help="describe this machine as a NodeName line"),
    Option("", "D", help="stay in the foreground", status=RECORDED, note=NO_DAEMON),
    Option("", "f", "file", "configuration file", RECORDED, NO_DAEMON),
    Option("", "F", "[feature]", "replace a FUTURE node"),
    Option("", "L", "file", "log file", RECORDED, NO_DAEMON),
    Option("", "M", help="lock into memory", status=RECORDED, note=NO_DAEMON),
    Option("", "n", "nice", "nice value of the daemon", RECORDED, NO_DAEMON),
    Option("", "N", "nodes", "name of the node, or a hostlist of several"),
    Option("", "s", help="log to syslog", status=RECORDED, note=NO_DAEMON),
    Option("", "v", help="say more", status=RECORDED, note=NO_DAEMON),
    Option("", "Z", help="register as a dynamic node, which is then made"),
    Option("conf", "", "values", "with -Z: the node as its NodeName line would have it"),
    Option("conf-server", "", "host", "where to find the configuration", RECORDED, NO_DAEMON),
    Option("extra", "", "text", "the node's Extra, JSON for constraints"),
    Option("instance-id", "", "id", "cloud instance"),
    Option("instance-type", "", "type", "type of the cloud instance"),
    Option("real-memory", "", "MB", "memory of the node, if it differs from the configuration", OURS),
    Option("extra-from", "", "source", "Extra from load (of this machine), a file, or a command", OURS),
    Option("every", "", "duration", "with --extra-from: stay, and look again after each 10s", OURS),
    Option("load", "", "values", "load values: name=value,...; with -N global of the whole cluster", OURS),
)


def run(app: Application, given: Given, args: list[str]) -> int:
    """Register the nodes of ``-N``, or with ``-C`` print what this machine is."""
    if given.has("C"):
        app.out(describe())
        return 0
    from slimsched.controller.requests import text_checks
    from slimsched.controller.update import registration
    from slimsched.model import bitmap

    names = given.last("N") or os.uname().nodename.partition(".")[0]
    source, pause = given.last("extra-from"), _pause(given)
    said = _said(given)
    with app.session() as ctl:
        if given.has("Z"):
            _make(ctl, names, given.last("conf") or "")
        if names == "global" and said.load is not None and "global" not in ctl.cluster.node_index:
            from slimsched.controller.gridengine import definitions

            definitions.report(ctl, {**ctl.cluster.complexes.load, **said.load})
            return 0
        try:
            nodes = text_checks.node_set(ctl.cluster, names)
        except SlurmError:
            nodes = 0
        if not nodes:
            raise UserError(f"Unable to determine this slurmd's NodeName: {names}", level="fatal")
        for index in bitmap.iterate(nodes):
            registration.register(ctl, ctl.cluster.nodes[index], said)
    if source is not None and pause:
        _stay(app, source, pause, said.extra, nodes)
    return 0


def _make(ctl: Controller, names: str, conf: str) -> None:
    """Make the nodes that register with ``-Z``, as ``--conf`` has them, else as this machine is."""
    import shlex

    from slimsched.controller.update import node_table
    from slimsched.text import hostlist

    words = shlex.split(conf) or describe().split("\n")[0].split()[1:]
    try:
        for name in hostlist.expand(names, dialect="slurm"):
            node_table.register(ctl, name, words)
    except SlurmError as error:
        preface = f"slurmd: error: {error.detail}" if error.detail else ""
        said = f"Unable to register: {error.message}"
        raise UserError(said, notes=error.notes, preface=preface) from None


def _stay(app: Application, source: str, pause: int, last: str | None, nodes: int) -> None:
    """Keep the ``Extra`` of nodes current until the cluster has gone or somebody ends the command."""
    import time

    from slimsched.cli.daemons import extra_data
    from slimsched.controller.update import registration
    from slimsched.model import bitmap

    while app.state_holds(layout.config):
        time.sleep(pause)
        try:
            found = extra_data.read(source)
        except UserError as fault:  # the next look may do better
            app.report(fault)
            continue
        if found != last and app.state_holds(layout.config):
            with app.session() as ctl:
                for index in bitmap.iterate(nodes):
                    registration.register(ctl, ctl.cluster.nodes[index], registration.Registration(found))
            last = found


def _pause(given: Given) -> int:
    """Return the seconds of ``--every``, 0 without it."""
    text = given.last("every")
    if text is None:
        return 0
    from slimsched.text import times

    if not given.has("extra-from"):
        raise UserError("--every needs --extra-from")
    return times.duration(text)


def _said(given: Given) -> Registration:
    from slimsched.controller.update.registration import Registration

    extra = given.last("extra")
    source = given.last("extra-from")
    if source is not None and extra is not None:
        raise UserError("--extra and --extra-from exclude each other")
    if source is not None:
        from slimsched.cli.daemons import extra_data

        extra = extra_data.read(source)
    return Registration(
        extra,
        _load(given.all("load")) if given.has("load") else None,
        given.last("instance-id"),
        given.last("instance-type"),
        given.has("b"),
        given.has("F"),
        _memory(given.last("real-memory")),
    )


def _memory(text: str | None) -> int | None:
    """Return the megabytes of ``--real-memory``."""
    if text is None:
        return None
    if not is_number(text, 11):
        raise UserError(f"Invalid --real-memory specification: {text}")
    return int(text)


def _load(texts: list[str]) -> dict[str, str]:
    """Return the load values of ``--load a=1,b=2``."""
    found = {}
    for item in ",".join(texts).split(","):
        name, equals, value = item.partition("=")
        if not name or not equals:
            raise UserError(f"Invalid --load specification: {item}")
        found[name] = value
    return found


def describe() -> str:
    """Return this machine as ``slurmd -C`` does: a NodeName line, and how long it has been up."""
    cpus = os.cpu_count() or 1
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    name = os.uname().nodename.partition(".")[0]
    minutes, seconds = divmod(_uptime(), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return (
        f"NodeName={name} CPUs={cpus} Boards=1 SocketsPerBoard=1 CoresPerSocket={cpus} ThreadsPerCore=1 "
        f"RealMemory={memory}\nUpTime={days}-{hours:02}:{minutes:02}:{seconds:02}"
    )


def _uptime() -> int:
    """Return the seconds since the machine booted, 0 where it does not say."""
    import time

    try:
        return int(time.clock_gettime(time.CLOCK_BOOTTIME))
    except (AttributeError, OSError):
        return 0


command = Program("slurmd", (*OPTIONS, *STANDARD_H), run, summary="Register a node with the controller")
