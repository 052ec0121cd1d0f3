"""``sim wiki serve``: answer an external scheduler over a loopback socket or standard input."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, BinaryIO

import click

from slimsched.cli.app import Application
from slimsched.cli.job_argument import Number
from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.sched.wiki.message import Settings

HOST = "127.0.0.1"
PATIENCE = 10
"""Seconds that a scheduler may take for each piece of a message."""


@click.group("wiki")
def command() -> None:
    """Let an external scheduler decide (SchedulerType=sched/wiki), in Slurm's old Wiki protocol."""


@command.command("serve")
@click.option(
    "--port", metavar="PORT", type=Number(0, 65535), help="Port on the loopback address; 7321 unless configured."
)
@click.option("--stdin", "standard", is_flag=True, help="Read requests from standard input, answer on standard output.")
@click.option("--requests", metavar="N", type=Number(1), help="Stop after so many requests.")
@click.option("--conf", type=click.Path(dir_okay=False), help="wiki.conf; the state directory's unless given.")
@click.pass_obj
def serve(app: Application, port: int | None, standard: bool, requests: int | None, conf: str | None) -> None:
    """Answer requests until interrupted, each as a command of its own.

    The key stands in wiki.conf (AuthKey=...), beside cluster.toml. Requests with another signature, or that are
    more than five minutes off the cluster's clock, are refused. Version 1 of the protocol is spoken unless
    SchedulerType=sched/wiki2 or Version=2 in wiki.conf says otherwise.
    """
    settings, configured = _settings(app, conf)
    if standard:
        _serve_stream(app, settings, sys.stdin.buffer, sys.stdout.buffer, requests)
    else:
        _serve_socket(app, settings, configured if port is None else port, requests)


def _settings(app: Application, path: str | None) -> tuple[Settings, int]:
    """Return how messages are signed, and the configured port. Raises `UserError`."""
    from slimsched.sched.wiki import conf
    from slimsched.state.layout import locate

    with app.session(write=False) as ctl:
        kind = ctl.cluster.config.get("SchedulerType")
        port = ctl.cluster.config.number("SchedulerPort") or conf.PORT
    if kind not in {"sched/wiki", "sched/wiki2"}:
        raise UserError(f"the cluster schedules by itself: SchedulerType={kind}, not sched/wiki")
    path = path or os.path.join(locate(app.state), "wiki.conf")
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        text = ""
    except UnicodeDecodeError:
        raise UserError(f"{path} is no text") from None
    settings = conf.read(text, version=2 if kind.endswith("2") else 1, user=_user())
    if settings.key is None:
        if settings.version == 2:
            raise UserError(f"{path} lacks AuthKey", level="fatal")
        app.note(f"{path} has no AuthKey: requests are not verified")
    return settings, port


def _user() -> str:
    from slimsched.controller.users import invoking

    return invoking().name


def _serve_stream(
    app: Application, settings: Settings, source: BinaryIO, target: BinaryIO, most: int | None = None
) -> int:
    """Answer the requests of a stream until it ends or says something that is no message; returns their number."""
    from slimsched.sched.wiki import message

    count = 0
    while most is None or count < most:
        size = message.size_of(source.read(message.HEAD) or b"")
        body = source.read(size) if size is not None else b""
        if size is None or len(body) < size:
            break  # there is no telling where the next message would begin
        target.write(message.frame(_answer(app, message.unframe(body), settings)))
        target.flush()
        count += 1
    return count


def _answer(app: Application, body: str, settings: Settings) -> str:
    from slimsched.controller.wiki.answer import answer

    with app.session() as ctl:
        return answer(ctl, body, settings)


def _serve_socket(app: Application, settings: Settings, port: int, most: int | None) -> None:
    """Answer one request for each connection."""
    import socket

    with socket.create_server((HOST, port)) as server:
        app.out(f"{HOST}:{server.getsockname()[1]}")
        sys.stdout.flush()
        count = 0
        while most is None or count < most:
            connection, _ = server.accept()
            count += 1
            with connection:
                connection.settimeout(PATIENCE)
                try:
                    with connection.makefile("rwb") as stream:
                        _serve_stream(app, settings, stream, stream, 1)  # type: ignore[arg-type]
                except OSError:
                    continue  # it has gone; the next one may not
