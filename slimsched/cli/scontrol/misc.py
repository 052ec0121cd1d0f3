"""The keywords of ``scontrol`` for the cluster as a whole, and those that only change how it prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.cli import program
from slimsched.errors import UserError
from slimsched.slurm.errno import Errno
from slimsched.text.sizes import is_number

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.scontrol.settings import Settings


def switch(app: Application, words: list[str], settings: Settings) -> None:
    """Switch a setting for the commands that follow in interactive mode."""
    name = words[0]
    if name == "hide":
        settings.all = settings.details = False
    elif name == "verbose":
        settings.verbose, settings.quiet = settings.verbose + 1, False
    else:
        setattr(settings, name, True)


def nothing(app: Application, words: list[str], settings: Settings) -> None:
    """Accept what concerns daemons only."""


def leave(app: Application, words: list[str], settings: Settings) -> None:
    """Do nothing: the interactive mode handles the end."""


def no_daemon(app: Application, words: list[str], settings: Settings) -> None:
    """Accept what would stop or move a daemon, and say that there is none."""
    app.note("there is no daemon: each command works on the state directory itself")


def version(app: Application, words: list[str], settings: Settings) -> None:
    """Print the version that is reproduced."""
    app.out(f"slurm {program.version(app)}")


def helped(app: Application, words: list[str], settings: Settings) -> None:
    """Print options and keywords."""
    from slimsched.cli.scontrol.dispatch import command

    app.out(command.help())


def ping(app: Application, words: list[str], settings: Settings) -> None:
    """Say that the controller answers, which it does if the state can be read."""
    from slimsched.render.config.show import pings

    with app.session(write=False) as ctl:
        config = ctl.cluster.config
        if settings.form:
            from slimsched.cli.listing import document
            from slimsched.render.json import lists

            document(app, settings.form, lists.pings(config.controllers), ctl.cluster)
            return
    app.out("\n".join(pings(config)))


def errnumstr(app: Application, words: list[str], settings: Settings) -> None:
    """Print the text of an error number: Slurm's own, else the system's."""
    from slimsched.cli.scontrol.error_texts import text

    number = words[0].lstrip("+-")
    if not is_number(number):
        raise UserError("numeric arguments required for keyword:errnumstr", level="plain")
    app.out(text(-int(number) if words[0].startswith("-") else int(number)))


def token(app: Application, words: list[str], settings: Settings) -> None:
    """Refuse to make a token: nothing here asks for one."""
    for word in words:
        if not word.lower().startswith(("lifespan=", "username=")):
            raise UserError(f"Invalid option: `{word}`", level="plain")
    raise UserError(
        "slurm_fetch_token: error with request: Required plugin type not loaded or initialized", level="error"
    )


def _as_administrator(app: Application, call: str) -> None:
    """Refuse who is no administrator of the cluster, as the remote call does."""
    from slimsched.controller.requests import rights, users
    from slimsched.errors import SlurmError

    if not users.speaks_for_another():
        return
    with app.session(write=False) as ctl:
        try:
            rights.require(ctl.cluster, rights.ADMINISTRATOR)
        except SlurmError as error:
            raise UserError(f"{call} error:{error.message}", level="plain") from None


def takeover(app: Application, words: list[str], settings: Settings) -> None:
    """Accept that a backup controller takes over; there is none but the first, whose index is 0."""
    if words and words[0] != "0":
        raise UserError(f"takeover: invalid backup controller index ({words[0]})", level="plain")
    no_daemon(app, words, settings)


def pidinfo(app: Application, words: list[str], settings: Settings) -> None:
    """Say that a process belongs to no job: none is tracked."""
    raise UserError("Failed to locate job for requested pid", level="plain")


def shutdown(app: Application, words: list[str], settings: Settings) -> None:
    """Accept the end of a daemon that is not there."""
    if words and words[0] not in {"slurmctld", "controller"}:
        raise UserError(f"invalid shutdown argument:{words[0]}", level="plain")
    _as_administrator(app, "slurm_shutdown")
    no_daemon(app, words, settings)


def getaddrs(app: Application, words: list[str], settings: Settings) -> None:
    """Print the addresses of nodes; nothing for unknown ones."""
    from slimsched.render.nodes.node_view import NodeView
    from slimsched.text import hostlist

    with app.session(write=False) as ctl:
        cluster = ctl.cluster
        for name in hostlist.expand(words[0], dialect="slurm"):
            index = cluster.node_index.get(name)
            if index is not None:
                view = NodeView(cluster.nodes[index], cluster)
                app.out(f"{name}: {view.address}:{view.port}")


def completing(app: Application, words: list[str], settings: Settings) -> None:
    """List jobs whose processes, or nodes, still end; most simulated jobs end at once."""
    from slimsched.slurm.states import COMPLETING
    from slimsched.text.times import elapsed, instant

    with app.session(write=False) as ctl:
        for job in ctl.cluster.jobs.values():
            if COMPLETING in job.flags:
                line = f"JobId={job.job_id} EndTime={instant(job.end_time)} CompletingTime="
                app.out(
                    f"{line}{elapsed(max(0, ctl.cluster.now - job.end_time), full=True)} Nodes(COMPLETING)={job.nodes}"
                )


def reconfigure(app: Application, words: list[str], settings: Settings) -> None:
    """Read the configuration again: what commands changed in partitions and in the features of nodes is void.

    If the ``slurm.conf`` that it comes from says something new, that holds from now on; with a fault in it nothing
    changes.
    """
    from slimsched.controller.update import partition
    from slimsched.state import reread, scheduler_names
    from slimsched.state.store import Store

    _as_administrator(app, "slurm_reconfigure")
    try:
        with Store.open(app.state, write=True) as store:
            found = reread.renew(store)
    except UserError as fault:
        raise UserError(NOT_RECONFIGURED, level="plain", notes=(fault.message, OLD_ONE, *fault.notes)) from None
    for line in found.notes if found else ():
        app.note(line)
    with app.session() as ctl:
        partition.reset(ctl)
        for line in scheduler_names.unknown(ctl.cluster.config):
            app.note(line)
        partition.tell(ctl)


NOT_RECONFIGURED = "slurm_reconfigure error: Unspecified error"
OLD_ONE = "the old configuration stays"

REBOOT_STATES = ("down", "resume")


def reboot(app: Application, words: list[str], settings: Settings) -> None:
    """Refuse to reboot nodes, as a cluster without RebootProgram does: ``[ASAP] [nextstate=] [reason=] NODES``."""
    options = [word for word in words[:3] if _reboot_option(word)]
    if len(words) - len(options) > 1:
        raise UserError("too many arguments for keyword:reboot", level="plain")
    if len(words) == len(options):
        raise UserError("Missing node list. Specify ALL|<NodeList>", level="plain")
    app.err("scontrol: error: RebootProgram isn't defined")
    raise UserError("scontrol_reboot_nodes error:Unspecified error", level="plain")


def _reboot_option(word: str) -> bool:
    """Whether a word is an option of ``reboot``; refuses one without a value."""
    tag, equals, value = word.lower().partition("=")
    if not equals:
        return tag == "asap"
    if tag not in {"reason", "nextstate"}:
        return False
    if not value:
        raise UserError(f"missing {'reason' if tag == 'reason' else 'state'}", level="plain")
    if tag == "nextstate" and not any(state.startswith(value) for state in REBOOT_STATES):
        said = word.partition("=")[2]
        raise UserError(f"Invalid state: {said}\nValid states: DOWN, RESUME", level="plain")
    return True


def cancel_reboot(app: Application, words: list[str], settings: Settings) -> None:
    """Refuse to cancel a reboot: none is ever pending."""
    from slimsched.controller.requests import text_checks
    from slimsched.errors import SlurmError

    with app.session(write=False) as ctl:
        try:
            text_checks.node_set(ctl.cluster, words[0])
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
