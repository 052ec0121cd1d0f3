"""One request in, one answer out: the table of commands, and every refusal as a status code.

The instant is that of the cluster's clock; a scheduler whose clock differs reads it off the answer's ``TS=``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.wiki import getjobs, getnodes, job_orders, startjob
from slimsched.errors import SlurmError, UserError
from slimsched.sched.wiki import REFUSED, message

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.controller.core import Controller
    from slimsched.sched.wiki.message import Settings, Words

    Handler = Callable[[Controller, Words, Settings], str]


class Command(NamedTuple):
    """A command: its function, and its first version of the protocol."""

    handler: Handler
    version: int = 1


COMMANDS: dict[str, Command] = {
    "CANCELJOB": Command(job_orders.cancel),
    "GETJOBS": Command(getjobs.get_jobs),
    "GETNODES": Command(getnodes.get_nodes),
    "INITIALIZE": Command(job_orders.initialize, 2),
    "JOBADDTASK": Command(job_orders.unsupported, 2),
    "JOBRELEASETASK": Command(job_orders.unsupported, 2),
    "JOBWILLRUN": Command(startjob.job_will_run, 2),
    "MODIFYJOB": Command(job_orders.modify),
    "NOTIFYJOB": Command(job_orders.notify, 2),
    "REQUEUEJOB": Command(job_orders.requeue, 2),
    "RESUMEJOB": Command(job_orders.resume),
    "SIGNALJOB": Command(job_orders.signal, 2),
    "STARTJOB": Command(startjob.start_job),
    "SUSPENDJOB": Command(job_orders.suspend),
}


def answer(ctl: Controller, body: str, settings: Settings) -> str:
    """Return the signed answer to the body of a request."""
    try:
        payload = message.unseal(body, settings, ctl.cluster.now)
    except message.Refused as refusal:
        ctl.sched.errno = REFUSED
        ctl.cluster.count("wiki_refused")
        return message.seal(message.status(refusal.code, refusal.text), settings, ctl.cluster.now)
    return message.seal(_carry_out(ctl, message.words(payload), settings), settings, ctl.cluster.now)


def _carry_out(ctl: Controller, words: Words, settings: Settings) -> str:
    """Return the payload of the answer to a request whose signature is right."""
    name = next((name for name in COMMANDS if words.command.startswith(name)), "")
    command = COMMANDS.get(name)
    try:
        if command is None or command.version > settings.version:
            raise message.Refused(message.MALFORMED, "unsupported request type")
        return command.handler(ctl, words._replace(command=name), settings)
    except message.Refused as refusal:
        return message.status(refusal.code, refusal.text)
    except SlurmError as refusal:
        return message.status(message.DENIED, refusal.message)
    except UserError:
        return message.status(message.DENIED, "Invalid argument")
