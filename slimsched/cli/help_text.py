"""The texts of ``--help`` and ``--usage`` of Slurm's commands, laid out from their option tables for 80 columns."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from slimsched.slurm.getopt import HONOURED, LIVE, NONE, OPTIONAL, OURS, RECORDED, REFUSED, REQUIRED, Option

if TYPE_CHECKING:
    from slimsched.cli.program import Program

WIDTH = 80
COLUMN = 35  # where the explanations begin

SECTIONS = {
    OURS: "This program's own",
    HONOURED: "Options",
    LIVE: "Where jobs really run (sim init --live)",
    RECORDED: "Accepted, without effect here",
    REFUSED: "Refused",
}
"""Status -> heading of the options that have it; those that nobody knows from Slurm come first."""


def help_text(command: Program) -> str:
    """Return the answer to ``--help``."""
    lines = [f"Usage: {command.name} [OPTIONS...] {command.arguments}".rstrip(), "", f"{command.summary}."]
    for status, title in SECTIONS.items():
        chosen = [option for option in primary(command.options) if option.status == status]
        if chosen:
            lines += ["", f"{title}:"]
            lines += (line for option in chosen for line in _entry(_label(option), said(option, command.options)))
    if command.keywords is not None:
        for title, entries in command.keywords().items():
            lines += ["", f"{title}:"]
            lines += (line for words, text in entries for line in _entry(f"  {words}", text))
    lines += ["", f"Manual page: man sim-{command.name.removeprefix('sim ')}"]
    return "\n".join(lines)


def usage_text(command: Program) -> str:
    """Return the answer to ``--usage``: every option, those of one letter without an argument together."""
    options = primary(command.options)
    letters = "".join(sorted(option.short for option in options if option.short and option.kind == NONE))
    words = [f"[-{letters}]"] if letters else []
    words += (f"[{_brief(option)}]" for option in options if option.kind != NONE or not option.short)
    head = f"Usage: {command.name} "
    glued = [word.replace(" ", "\0") for word in words] + command.arguments.split()
    lines = wrap(" ".join(glued), WIDTH - len(head), break_long_words=False, break_on_hyphens=False)
    return head + f"\n{' ' * len(head)}".join(lines).replace("\0", " ")


def primary(options: Sequence[Option]) -> list[Option]:
    """Return the options without the further names that some of them have."""
    return [option for option in options if option.name == (option.long or option.short)]


def spelled(option: Option) -> str:
    """Return an option's spellings with its argument: ``-N, --nodes=N``, ``-N node`` if it has no long name."""
    if not option.long:
        return f"-{option.short} {option.arg}".rstrip()
    short = f"-{option.short}, " if option.short else ""
    tail = {NONE: "", OPTIONAL: f"[={option.arg[1:]}", REQUIRED: f"={option.arg}"}[option.kind]
    return f"{short}--{option.long}{tail}"


def said(option: Option, options: Sequence[Option]) -> str:
    """Return an option's effect, its other names, and the reason if it has no effect."""
    others = [spelled(other) for other in options if other.name == option.name and other is not option]
    others = [other.partition("=")[0].removesuffix("[") for other in others]
    text = option.help
    if others:
        text += f"; also {', '.join(others)}"
    if option.note and option.status != HONOURED:
        text += f" ({option.note})"
    return text


def _label(option: Option) -> str:
    return f"  {spelled(option)}" if option.short else f"      {spelled(option)}"


def _brief(option: Option) -> str:
    if not option.short:
        return spelled(option)
    return f"-{option.short}{option.arg}" if option.kind == OPTIONAL else f"-{option.short} {option.arg}".rstrip()


def _entry(label: str, text: str) -> list[str]:
    """Return a label and its explanation beside it, or below it if the label is long."""
    lines = wrap(text, WIDTH - COLUMN, break_on_hyphens=False) or [""]
    if len(label) > COLUMN - 2:
        lines.insert(0, label)
    else:
        lines[0] = f"{label:<{COLUMN}}{lines[0]}"
    return [lines[0].rstrip(), *(f"{'':<{COLUMN}}{line}" for line in lines[1:])]
