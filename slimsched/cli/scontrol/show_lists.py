"""``scontrol show`` of hostlists, and of the small things: licenses, topology, daemons."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from slimsched.errors import UserError
from slimsched.text import hostlist as hostlists
from slimsched.text.source import read_text

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.scontrol.settings import Settings
    from slimsched.render.accounts.assoc_mgr import Wanted

# hostlists


def hostnames(app: Application, text: str | None, _options: Settings) -> int:
    """Print the names of a hostlist, one a line; without one that of the job, by its older variable alone."""
    given = os.environ.get("SLURM_NODELIST") if text is None else text
    if given is None:
        app.err("scontrol: error: host list is empty")
        return 0  # the real command forgets to fail
    try:
        names = hostlists.expand(given)
    except hostlists.HostlistError as fault:
        if fault.detail:
            app.err(f"scontrol: error: {fault.detail}")
        app.err(fault.verdict)
        return 0
    if names:
        app.out("\n".join(names))
    return 0


def hostlist(app: Application, text: str | None, _options: Settings) -> int:
    """Print names as a hostlist, in their order."""
    app.out(hostlists.fold(_names(text), "slurm"))
    return 0


def hostlist_sorted(app: Application, text: str | None, _options: Settings) -> int:
    """Print names as a hostlist, sorted."""
    app.out(hostlists.fold_sorted(_names(text)))
    return 0


def _names(text: str | None) -> list[str]:
    """Return the names of a list, of the file that a path names, or of standard input (``-``)."""
    if text is None:
        raise UserError("invalid encode argument", level="plain")
    if text == "-":
        text = sys.stdin.read()
    elif text.startswith("/"):
        try:
            text = read_text(text, "surrogateescape")
        except OSError:
            raise UserError(f"Error reading {text}", level="plain") from None
    try:
        return hostlists.expand(text)
    except hostlists.HostlistError as fault:
        raise UserError(fault.verdict, level="plain") from None


# licenses, topology, daemons


def licenses(app: Application, name: str | None, options: Settings) -> int:
    """Print the licenses of the configuration and how many are in use."""
    from slimsched.render.nodes import license_list

    with app.session(write=False) as ctl:
        found = license_list.found(ctl.cluster, name)
        if options.form:
            from slimsched.cli.listing import document
            from slimsched.render.json import lists

            document(app, options.form, lists.licenses(found, ctl.cluster.now), ctl.cluster)
            return 0
    if found:
        app.out("\n".join(license_list.records(found, oneliner=options.oneliner)))
        return 0
    if name and license_list.found(ctl.cluster):
        app.out(f"License {name} not found")
        return 1
    app.out("No licenses configured in Slurm.")
    return 0


def topology(app: Application, name: str | None, _options: Settings) -> int:
    """Print the switches, one a line: all, one, or those above a node; ``unit=NAME`` and ``node=NAME`` say which."""
    from slimsched.render.nodes.topology_list import lines

    wanted = [word.rpartition("=")[2] for word in (name or "").split()]
    with app.session(write=False) as ctl:
        if not lines(ctl.cluster):
            return 0
        found = lines(ctl.cluster, wanted)
        if not found:
            raise UserError(f"Topology information contains no switch or node named {wanted[-1]}")
        app.out("\n".join(found))
    return 0


def topology_conf(app: Application, _name: str | None, _options: Settings) -> int:
    """Print the topology as YAML."""
    from slimsched.render.nodes.topology_list import yaml

    with app.session(write=False) as ctl:
        app.out(yaml(ctl.cluster))
    return 0


def aliases(app: Application, host: str | None, _options: Settings) -> int:
    """Print the nodes that are on a machine: all of them without its name."""
    with app.session(write=False) as ctl:
        confs = [(node.name, node.conf.node_hostname or node.name) for node in ctl.cluster.nodes]
    names = [name for name, machine in confs if host in (None, machine)]
    if names:
        app.out(" ".join(names))
    return 0


def daemons(app: Application, _name: str | None, _options: Settings) -> int:
    """Print the daemons that would run on this machine."""
    app.out("slurmctld slurmd ")
    return 0


def assoc_mgr(app: Application, name: str | None, options: Settings) -> int:
    """Print the users, associations and QOS that slurmctld knows, or those that ``users=...`` and its like name."""
    from slimsched.model.account import Book
    from slimsched.render.accounts.assoc_mgr import text

    wanted = _wanted(app, (name or "").split())
    if wanted is not None:
        with app.session(write=False) as ctl:
            config = ctl.cluster.config
            known = config.names_slurmdbd or (bool(config.accounting_storage) and Book(ctl.cluster).defined)
            app.out(text(ctl.cluster, wanted, known=known, oneliner=options.oneliner))
    return 0


def _wanted(app: Application, words: list[str]) -> Wanted | None:
    """Read ``users=``, ``accounts=``, ``qos=`` and ``flags=``; None, and a message, for what says nothing."""
    from slimsched.render.accounts.assoc_mgr import SECTIONS, Wanted

    wanted = Wanted()
    for word in words:
        tag, _, value = word.partition("=")
        name = next((name for name in ("accounts", "flags", "qos", "users") if name.startswith(tag.lower())), "")
        if not value:
            app.err(f"No value given for option {tag}")
            return None
        if not name:
            raise UserError(f"invalid entity: {tag} for keyword:show assoc_mgr", level="plain")
        if name != "flags":
            getattr(wanted, name).update(value.split(","))
            continue
        wanted.sections = {section for section in SECTIONS if section in value.lower()}
        if not wanted.sections:
            app.err(f"invalid flag '{value}', valid options are 'Assoc, QOS, and/or Users'")
            return None
    return wanted


def slurmd(_app: Application, _name: str | None, _options: Settings) -> int:
    """Say that no slurmd answers."""
    raise UserError(
        "scontrol: error: slurm_slurmd_info: Connection refused\nslurm_load_slurmd_status:Connection refused",
        level="plain",
    )


def burst_buffers(_app: Application, _words: str | None, _options: Settings) -> int:
    """Print nothing, whatever is asked about burst buffers: there are none."""
    return 0


def nothing(_app: Application, _name: str | None, _options: Settings) -> int:
    """Print nothing: there are no burst buffers and no federations."""
    return 0
