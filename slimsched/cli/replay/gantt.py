"""`sim gantt`: who ran where, as a drawing in the terminal or a picture."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import click

from slimsched.cli.app import Application
from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.render.replay.bars import Drawing

MODES = ("user", "size", "wait", "state")

EXAMPLES = """\
\b
Examples:
  sim gantt run1
  sim gantt run1 --colour wait --from 86400 --to 172800
  sim gantt run1 --svg run1.svg --png run1.png
  sim gantt --state ./cluster
"""


@click.command(name="gantt", epilog=EXAMPLES)
@click.argument("run", required=False)
@click.option(
    "--colour", type=click.Choice(MODES), default="user", help="What colours and signs stand for.  [default: user]"
)
@click.option("--from", "begin", metavar="TIME", help="Begin here: seconds of the trace, or a time of the cluster.")
@click.option("--to", "end", metavar="TIME", help="End here.")
@click.option(
    "--rows", type=click.IntRange(1), metavar="N", help="Lines for nodes.  [default: what fits, 32 in a pipe]"
)
@click.option("--svg", metavar="FILE", help="Write an SVG instead.")
@click.option("--png", metavar="FILE", help="Write a PNG instead (needs matplotlib).")
@click.pass_obj
def command(
    app: Application,
    run: str | None,
    colour: str,
    begin: str | None,
    end: str | None,
    rows: int | None,
    svg: str | None,
    png: str | None,
) -> int:
    """Draw who ran where: nodes by time, of RUN, a folder that sim replay --out made, or of the state directory.

    A sign stands for the jobs that used most of its nodes and its time. On a terminal it has their colour.
    """
    from slimsched.cli.replay import shown
    from slimsched.render.replay import stills
    from slimsched.render.replay.bars import Drawing

    title, found = shown.schedule(app, run)
    since, until = _instant("--from", begin), _instant("--to", end)
    if since is not None and until is not None and until <= since:
        raise UserError("--to is not after --from")
    drawing = Drawing(found, since, until)
    if not drawing.bars:
        app.note("no job ran in this time")
    if svg is not None:
        with open(svg, "w", encoding="utf-8") as out:
            out.writelines(f"{line}\n" for line in stills.svg(drawing, colour, title))
    if png is not None:
        stills.png(drawing, colour, title, png)
    if svg is None and png is None and drawing.nodes:
        _draw(app, drawing, colour, rows)
    return 0


def _draw(app: Application, drawing: Drawing, mode: str, rows: int | None) -> None:
    from slimsched.render.replay import gantt

    width, height = shutil.get_terminal_size()
    grid = gantt.Grid(drawing, mode, width, rows or (max(8, height - 4) if app.draws else 32))
    if app.draws:
        gantt.show(grid)
    else:
        app.out("\n".join(gantt.plain(grid)))


def _instant(option: str, text: str | None) -> int | None:
    from slimsched.state import clock

    if text is None:
        return None
    found = int(text) if text.isascii() and text.lstrip("-").isdecimal() else clock.parse(text)
    if found is None:
        raise UserError(f"{option} {text}: give seconds of the trace, or a time such as 2026-01-31T12:00")
    return found
