"""``sim wiki serve``: answer an external scheduler over a loopback socket or standard input."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, BinaryIO

import click

from slimsched.cli.app import Application
from slimsched.cli.own.job_argument import Number
from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.sched.wiki.message import Settings


@click.group("wiki")
def command() -> None:
    """Let an external scheduler decide (SchedulerType=sched/wiki), in Slurm's old Wiki protocol."""


@command.command("serve")
@click.option(
    "--port", metavar="PORT", type=Number(0, 65535), help="Port on the loopback address (7321 unless configured)."
)
@click.option("--stdin", "standard", is_flag=True, help="Read requests from standard input, answer on standard output.")
@click.option("--requests", metavar="N", type=Number(1), help="Stop after this many requests.")
@click.option(
    "--conf", type=click.Path(dir_okay=False), help="The wiki.conf to read (that of the state directory by default)."
)
@click.pass_obj
def serve(app: Application, port: int | None, standard: bool, requests: int | None, conf: str | None) -> None:
    """Answer requests until interrupted, each as a separate command.

    wiki.conf, beside cluster.toml, contains the key (AuthKey=...). A request with a wrong signature, or with a time
    more than five minutes off the cluster's clock, is refused. The protocol's version is 1 unless
    SchedulerType=sched/wiki2 or Version=2 in wiki.conf selects 2.
    """
    settings, configured = _settings(app, conf)
    if standard:
        _serve_stream(app, settings, sys.stdin.buffer, sys.stdout.buffer, requests)
    else:
        from slimsched.cli.own import wiki_socket

        def listening(place: str) -> None:
            app.out(place)
            sys.stdout.flush()

        port = configured if port is None else port
        wiki_socket.serve(port, requests, lambda body: _answer(app, body, settings), listening)


def _settings(app: Application, path: str | None) -> tuple[Settings, int]:
    """Return how messages are signed, and the configured port. Raises `UserError`."""
    from slimsched.sched.wiki.message import PORT, read_conf
    from slimsched.state.layout import locate
    from slimsched.text.source import read_text

    with app.session(write=False) as ctl:
        kind = ctl.cluster.config.get("SchedulerType")
        port = ctl.cluster.config.number("SchedulerPort") or PORT
    if kind not in {"sched/wiki", "sched/wiki2"}:
        raise UserError(f"the cluster schedules its jobs itself: SchedulerType={kind}, not sched/wiki")
    path = path or os.path.join(locate(app.state), "wiki.conf")
    try:
        text = read_text(path)
    except FileNotFoundError:
        text = ""
    except UnicodeDecodeError:
        raise UserError(f"{path} is not text") from None
    settings = read_conf(text, version=2 if kind.endswith("2") else 1, user=_user())
    if settings.key is None:
        if settings.version == 2:
            raise UserError(f"{path} has no AuthKey", level="fatal")
        app.note(f"{path} has no AuthKey: requests are not verified")
    return settings, port


def _user() -> str:
    from slimsched.controller.requests.users import invoking_name

    return invoking_name()


def _serve_stream(app: Application, settings: Settings, source: BinaryIO, target: BinaryIO, most: int | None) -> None:
    """Answer the requests of a stream until it ends or contains an invalid message."""
    from slimsched.sched.wiki import message

    count = 0
    while most is None or count < most:
        size = message.size_of(source.read(message.HEAD) or b"")
        body = source.read(size) if size is not None else b""
        if size is None or len(body) < size:
            break  # the beginning of the next message is unknown
        target.write(_answer(app, body, settings))
        target.flush()
        count += 1


def _answer(app: Application, body: bytes, settings: Settings) -> bytes:
    """Return the framed answer to the body of a request."""
    from slimsched.controller.wiki.answer import answer
    from slimsched.sched.wiki.message import frame, unframe

    with app.session() as ctl:
        return frame(answer(ctl, unframe(body), settings))
