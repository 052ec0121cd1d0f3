"""Keywords of ``scontrol`` around the cluster as a whole, and those that only switch how it prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched import SLURM_VERSION
from slimsched.errno import Errno
from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.scontrol.settings import Settings


def switch(app: Application, words: list[str], settings: Settings) -> None:
    """Switch a setting for the commands that follow in interactive mode."""
    name = words[0]
    if name == "hide":
        settings.all = False
    elif name == "verbose":
        settings.verbose += 1
    else:
        setattr(settings, name, True)


def nothing(app: Application, words: list[str], settings: Settings) -> None:
    """Accept what concerns daemons only."""


def leave(app: Application, words: list[str], settings: Settings) -> None:
    """Leave (the interactive mode sees to it)."""


def no_daemon(app: Application, words: list[str], settings: Settings) -> None:
    """Accept what would stop or move a daemon, and say that there is none."""
    app.note("there is no daemon: each command works on the state directory itself")


def version(app: Application, words: list[str], settings: Settings) -> None:
    """Print the version that is reproduced."""
    app.out(f"slurm {SLURM_VERSION}")


def helped(app: Application, words: list[str], settings: Settings) -> None:
    """Print options and keywords."""
    from slimsched.cli.scontrol.dispatch import command

    app.out(command.help())


def ping(app: Application, words: list[str], settings: Settings) -> None:
    """Say that the controller answers, which it does if the state can be read."""
    with app.session(write=False) as ctl:
        host = ctl.cluster.config.get("SlurmctldHost", "localhost").partition("(")[0]
        if settings.form:
            from slimsched.cli.listing import document
            from slimsched.render import json_lists

            document(app, settings.form, json_lists.pings(host), ctl.cluster)
            return
    app.out(f"Slurmctld(primary) at {host} is UP")


def errnumstr(app: Application, words: list[str], settings: Settings) -> None:
    """Print the text of an error number."""
    number = words[0].removeprefix("-")
    known = {int(item): item.text for item in Errno}
    value = int(number) if number.isascii() and number.isdigit() and len(number) < 10 else -1
    app.out(known.get(value, f"Unknown error {words[0]}"))


def getaddrs(app: Application, words: list[str], settings: Settings) -> None:
    """Print the addresses of nodes; nothing for unknown ones."""
    from slimsched.text import hostlist

    with app.session(write=False) as ctl:
        cluster = ctl.cluster
        for name in hostlist.expand(words[0], dialect="slurm"):
            index = cluster.node_index.get(name)
            if index is not None:
                conf = cluster.nodes[index].conf
                app.out(f"{name}: {conf.node_addr or name}:{conf.port or '6818'}")


def completing(app: Application, words: list[str], settings: Settings) -> None:
    """List jobs that are completing: a simulated job completes at once."""


def reconfigure(app: Application, words: list[str], settings: Settings) -> None:
    """Reread ``cluster.toml``: what commands changed in partitions is void."""
    with app.session() as ctl:
        ctl.cluster.reset_partitions()
        ctl.cluster.record("reconfigure")
        ctl.select.reconfigure()
        ctl.cluster.pass_due = True


def reboot(app: Application, words: list[str], settings: Settings) -> None:
    """Refuse to reboot nodes, as a cluster without RebootProgram does."""
    app.err("scontrol: error: RebootProgram isn't defined")
    raise UserError("scontrol_reboot_nodes error:Unspecified error", level="plain")


def cancel_reboot(app: Application, words: list[str], settings: Settings) -> None:
    """Refuse to cancel a reboot: none is ever pending."""
    from slimsched.controller import checks
    from slimsched.errors import SlurmError

    with app.session(write=False) as ctl:
        try:
            checks.node_set(ctl.cluster, words[0])
            errno = Errno.INVALID_NODE_STATE_TRANSITION
        except SlurmError as error:
            errno = error.errno
    raise UserError(f"slurm_update error: {errno.text}", level="plain")


def power(app: Application, words: list[str], settings: Settings) -> int:
    """Power nodes up or down: ``power down [ASAP|FORCE] NODES [reason=…]``, ``power up NODES``."""
    from slimsched.cli.scontrol.update import update

    action, *rest = words
    how = f"_{rest.pop(0)}" if len(rest) > 1 and rest[0].lower() in {"asap", "force"} else ""
    if action.lower() not in {"up", "down"} or not rest:
        raise UserError(f"Invalid power action: {action}")
    return update(app, [f"nodename={rest[0]}", f"state=POWER_{action}{how}", *rest[1:]], settings)


def write(app: Application, words: list[str], settings: Settings) -> None:
    """Write a job's script, or the configuration, to a file."""
    what = words[0].lower()
    if what == "batch_script":
        _write_script(app, words[1:])
    elif what == "config":
        _write_config(app, words[1:])
    else:
        raise UserError(f"invalid write argument: {words[0]}", level="plain")


def _write_script(app: Application, words: list[str]) -> None:
    if not words:
        raise UserError("too few arguments for keyword:write batch_script", level="plain")
    job = words[0]
    with app.session(write=False):
        script = app.store.script(int(job)) if job.isascii() and job.isdigit() and len(job) < 10 else None
    if script is None:
        raise UserError(f"job script retrieval failed: {Errno.INVALID_JOB_ID.text}", level="plain")
    if words[1:] == ["-"]:
        app.out(script, end="")
        return
    path = words[1] if len(words) > 1 else f"slurm-{job}.sh"
    _save(path, script)
    app.out(f"batch script for job {job} written to {path}")


def _write_config(app: Application, words: list[str]) -> None:
    from slimsched.cli.scontrol.config_file import render
    from slimsched.text import times

    with app.session(write=False) as ctl:
        text = render(ctl.cluster)
        path = words[0] if words else f"{app.store.folder}/slurm.conf.{times.instant(ctl.cluster.now)}"
    _save(path, text)
    app.out(f"Slurm config saved to {path}")


def _save(path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}") from None
