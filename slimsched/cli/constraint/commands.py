"""``sim constraint match``, ``check`` and ``convert``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

import click

from slimsched.constraints.dialects import DIALECTS
from slimsched.errors import UserError
from slimsched.text.source import read_text

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.constraints.json_line import Respond

_CHUNK = 1 << 16  # bytes read at once
_LANGUAGE = click.Choice(list(DIALECTS))
_dialect = click.option(
    "--dialect", type=_LANGUAGE, default="slurm-extra", show_default=True, help="Language of the expression."
)
_jsonl = click.option(
    "--jsonl",
    is_flag=True,
    help="Read one JSON object per line from standard input and answer each; no cluster is needed.",
)


@click.group("constraint")
def command() -> None:
    """Match and check node constraints.

    The languages are Slurm's --extra expressions (slurm-extra) and --constraint lists (slurm-features), Flux's
    constraint objects of RFC 31 (flux-json) and its --requires queries of RFC 35 (flux-query), and Grid Engine's
    requests for complex attributes (sge). Put -- before an expression that begins with "-".
    """


@command.command()
@click.argument("expr", required=False)
@_dialect
@_jsonl
@click.option("-e", "--expand", is_flag=True, help="Print one node per line instead of a hostlist.")
@click.pass_obj
def match(app: Application, expr: str | None, dialect: str, jsonl: bool, expand: bool) -> None:
    """List the cluster's nodes that satisfy EXPR.

    With --jsonl each input line is an object such as {"constraint": "load<0.5", "nodes": [{"name": "n1", "extra":
    null}]}, extra being the node's text or null, and is answered by {"valid": true, "matched": ["n1"]} or by
    {"valid": false, "error": "...", "offset": 5}. Lines of sge hold "complexes" (definitions), "request", "soft" and
    "queues" (name and values of "global", "host" and "queue") instead.
    """
    if jsonl:
        from slimsched.constraints.bulk import matcher

        _answer_lines(app, matcher(dialect), expr)
        return
    from slimsched.constraints import dialects
    from slimsched.constraints.evaluate import matching
    from slimsched.model import bitmap

    text = _given(expr, dialect)
    with app.session(write=False) as ctl:
        mask = matching(ctl.cluster, dialects.parse_for(ctl.cluster, text, dialect))
        names = [ctl.cluster.nodes[i].name for i in bitmap.iterate(mask)] if expand else [ctl.cluster.hostlist_of(mask)]
    app.out("\n".join(names) if mask else "", end="\n" if mask else "")


@command.command(short_help="Say whether EXPR is well-formed.")
@click.argument("expr")
@_dialect
@click.pass_obj
def check(app: Application, expr: str, dialect: str) -> None:
    """Say whether EXPR is well-formed; if not, show where it goes wrong and what would be right.

    What is well-formed is held against the cluster's data: a line that begins with "warning: " names a likely slip,
    such as a key that no node has, white space or quotes in a value, or a limit outside of the values seen.
    The exit status is 0, with warnings too, and 1 for an expression that is not valid.
    """
    from slimsched.constraints import dialects, warnings
    from slimsched.constraints.predicate import show

    text = _given(expr, dialect)
    if dialect != "sge":  # whose attributes are the cluster's
        dialects.parse(text, dialect)
    with app.session(write=False) as ctl:
        predicate = dialects.parse_for(ctl.cluster, text, dialect)
        slips = warnings.slips(ctl.cluster, predicate, dialect, text)
    app.out(f"valid: {show(predicate)}")
    for slip in slips:
        app.out(f"warning: {slip}")


@command.command(short_help="Translate EXPR into another language.")
@click.argument("expr", required=False)
@click.option("--from", "source", type=_LANGUAGE, required=True, help="Language of EXPR.")
@click.option("--to", "target", type=_LANGUAGE, required=True, help="Language wanted.")
@_jsonl
@click.pass_obj
def convert(app: Application, expr: str | None, source: str, target: str, jsonl: bool) -> None:
    """Translate EXPR where the other language can say the same; else name the part that it cannot say."""
    if jsonl:
        from slimsched.constraints.bulk import converter

        _answer_lines(app, converter(source, target), expr)
        return
    from slimsched.constraints import dialects

    app.out(dialects.convert(_given(expr, source), source, target))


@command.command(short_help="Check the definition of a complex attribute.")
@click.argument("columns", nargs=-1, metavar="[NAME SHORTCUT TYPE RELOP REQUESTABLE CONSUMABLE DEFAULT URGENCY]")
@_jsonl
@click.pass_obj
def define(app: Application, columns: tuple[str, ...], jsonl: bool) -> None:
    """Say whether the definition of a complex attribute is accepted; nothing is stored.

    With --jsonl each input line is an object such as {"definition": {"name": "a", ...}, "op": "add", "existing": []}
    and is answered by {"accepted": true} or {"accepted": false, "error": "..."}.
    """
    from slimsched.constraints.complexes import builtin, bulk, definition

    if jsonl:
        _answer_lines(app, bulk.define_lines, columns[0] if columns else None)
        return
    if len(columns) != len(builtin.FIELDS):
        raise UserError(f"the {len(builtin.FIELDS)} columns of a definition are required; see --help", exit_code=2)
    definition.add(definition.read(dict(zip(builtin.FIELDS, columns, strict=True))), builtin.attributes())
    app.out("accepted")


def _answer_lines(app: Application, respond: Respond, expr: str | None) -> None:
    """Answer every line of standard input; what has arrived is answered before more is waited for."""
    from slimsched.constraints.json_line import answer

    if expr is not None:
        raise UserError("--jsonl reads the expressions from standard input: omit EXPR", exit_code=2)
    for lines in _batches(sys.stdin.buffer):
        app.out("".join(f"{answer(line, respond)}\n" for line in lines), end="")
        sys.stdout.flush()


def _given(expr: str | None, dialect: str) -> str:
    """Return the expression; a constraint object may also come from ``@FILE``."""
    if expr is None:
        raise UserError("an expression is missing; see --help", exit_code=2)
    if dialect == "flux-json" and expr.startswith("@"):
        try:
            return read_text(expr[1:])
        except (OSError, ValueError) as error:
            raise UserError(f"{expr[1:]}: {error}") from None
    return expr


def _batches(stream: BinaryIO) -> Iterator[list[bytes]]:
    """Yield the whole lines of each piece that the stream has ready, without their line ends."""
    started: list[bytes] = []  # pieces of a line whose end has not come yet
    while piece := stream.read1(_CHUNK):  # type: ignore[attr-defined]
        *whole, rest = piece.split(b"\n")
        if whole:
            whole[0] = b"".join(started) + whole[0]
            started = []
            yield whole
        if rest:
            started.append(rest)
    if started:
        yield [b"".join(started)]
