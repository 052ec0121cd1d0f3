"""Writes the tables of ``docs/fidelity.md`` from the tables of the code.

python docs/generate_fidelity.py [--check]      --check: write nothing, exit 1 if the page is out of date
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

from fidelity_more import accounts, grid_engine
from regions import replaced, settle, table

from slimsched.cli import help_text
from slimsched.cli.program import HONOURED, OURS, RECORDED, REFUSED, Option, Program
from slimsched.cli.scontrol import keyword_help
from slimsched.cli.subcommands import COMMANDS, SLURM, load
from slimsched.controller.update import job, node, partition, reservation
from slimsched.controller.update.fields import names as changed_fields
from slimsched.render.accounts import sshare
from slimsched.render.jobs import job_list, sacct_fields, sprio, step_list
from slimsched.render.nodes import sinfo_fields
from slimsched.slurm.getopt import LIVE
from slimsched.state import slurm_keys

PAGE = Path(__file__).with_name("fidelity.md")
MARKS = ("<!-- {}: made by generate_fidelity.py -->", "<!-- end of {} -->")
STATUSES = (HONOURED, LIVE, RECORDED, REFUSED, OURS)
SUBMISSION = ("sbatch", "srun", "salloc")

NOT_MEASURED = {
    "CPU_LOAD": "`0.00`: nothing is measured",
    "FREE_MEM": "memory that no job holds: nothing is measured",
    "VERSION": "the version that is reproduced",
}
"""Header of a field of ``sinfo`` -> what stands in it in place of a measurement."""


def main(argv: Sequence[str]) -> int:
    """Bring the page up to date."""
    text = PAGE.read_text(encoding="utf-8")
    for name, body in PARTS.items():
        text = replaced(text, name, body(), *MARKS)
    check = "--check" in argv
    return 0 if settle(PAGE, text, check) or not check else 1


def commands() -> dict[str, Program]:
    """Return Slurm's commands by name."""
    return {name: load(name) for name, entry in COMMANDS.items() if entry.kind == SLURM}


def summary() -> str:
    """Return how many options of each command are what."""
    rows = []
    for name, command in commands().items():
        counted = Counter(option.status for option in help_text.primary(command.options))
        rows.append([f"`{name}`", *(str(counted[status] or "") for status in STATUSES)])
    return table(("command", "honoured", "live", "recorded", "refused", "not in Slurm"), rows)


def options() -> str:
    """Return a table of options for each command; those that submit share one."""
    parts = []
    found = commands()
    shared: dict[str, list[Any]] = {}
    for name in SUBMISSION:
        for option in help_text.primary(found[name].options):
            spelling = _spelling(option, found[name].options)
            shared.setdefault(f"{spelling} {option.status}", [option, spelling, []])[2].append(name)
    submitting = [(_names(names), *_row(option, spelling)) for option, spelling, names in shared.values()]
    parts.append(f"### sbatch, srun, salloc\n\n{table(('commands', 'option', 'status', 'note'), submitting)}\n")
    for name, command in found.items():
        if name not in SUBMISSION:
            rows = [_row(each, _spelling(each, command.options)) for each in help_text.primary(command.options)]
            parts.append(f"### {name}\n\n{table(('option', 'status', 'note'), rows)}\n")
    return "\n" + "".join(parts)


def _names(names: list[str]) -> str:
    return "all" if len(names) == len(SUBMISSION) else ", ".join(names)


def _spelling(option: Option, every: Sequence[Option]) -> str:
    others = [
        f"`{help_text.spelled(other).partition('=')[0].removesuffix('[')}`"
        for other in every
        if other.name == option.name and other is not option
    ]
    return ", ".join([f"`{help_text.spelled(option)}`", *others])


def _row(option: Option, spelling: str) -> tuple[str, str, str]:
    status = "not in Slurm" if option.status == OURS else option.status
    return spelling, status, "; ".join(filter(None, (option.help, option.note)))


def scontrol() -> str:
    """Return the keywords of ``scontrol`` and the fields that it changes."""
    rows = [
        (f"`{name} {words}".rstrip() + "`", keyword_help.status(name), text)
        for name, (words, text) in keyword_help.HELP.items()
    ]
    changed: list[tuple[str, Iterable[str]]] = [
        ("job", changed_fields(job.FIELDS)),
        ("node", changed_fields(node.FIELDS)),
        ("partition", changed_fields(partition.FIELDS)),
        ("reservation", changed_fields((*reservation.FIELDS, reservation.SKIP))),
    ]
    lists = [(kind, ", ".join(f"`{name}`" for name in names)) for kind, names in changed]
    return (
        f"\n### Commands of scontrol\n\n{table(('command', 'status', 'note'), rows)}\n"
        f"### Fields that scontrol update changes\n\n{table(('of a', 'fields'), lists)}\n"
    )


def fields() -> str:
    """Return the fields of the listings."""
    made = [
        ("squeue", _lettered(job_list.JOBS.all())),
        ("squeue --steps", _lettered(step_list.STEPS.all())),
        ("sinfo", _lettered(sinfo_fields.LINES.all())),
        ("sprio", _lettered(sprio.LINES.all())),
    ]
    parts = [f"### Fields of {title}\n\n{table(('-o', '-O', 'header', 'shows'), rows)}\n" for title, rows in made]
    for title, known in (("sacct", sacct_fields.FIELDS), ("sshare", sshare.FIELDS)):
        rows = [(f"`{field.names}`", constant(field.text)) for field in known]
        parts.append(f"### Fields of {title}\n\n{table(('field', 'shows'), rows)}\n")
    return "\n" + "".join(parts)


def _lettered(known: Iterable[Any]) -> list[tuple[str, str, str, str]]:
    return [
        (
            f"`%{field.letter}`" if len(field.letter) == 1 else "",
            ", ".join(f"`{name}`" for name in field.names.split()),
            field.header,
            NOT_MEASURED.get(field.header) or constant(field.text),
        )
        for field in known
        if field.letter[:1] != "#"
    ]


def constant(text: Any) -> str:
    """Return "honoured", or what a field always shows: its reader does not look at the record then."""
    if isinstance(text, attrgetter):
        return HONOURED
    if text.__qualname__.startswith("_step."):
        return f"`{text.__closure__[0].cell_contents}` for steps: nothing is measured"
    while text.__code__.co_varnames[:1] != ("_",):
        inner = [cell.cell_contents for cell in text.__closure__ or () if callable(cell.cell_contents)]
        if len(inner) != 1 or isinstance(inner[0], attrgetter) or "_" not in inner[0].__code__.co_varnames[:1]:
            return HONOURED
        text = inner[0]
    shown = text(None)
    return f"always `{shown}`" if shown else "always empty"


def keys() -> str:
    """Return which keys of ``slurm.conf`` count."""
    used = ", ".join(f"`{name}`" for name in sorted(slurm_keys.USED))
    rest = ", ".join(f"`{name}`" for name in sorted(set(slurm_keys.KNOWN.values()) - slurm_keys.USED))
    return f"\nThese change what happens: {used}.\n\nThese are kept and shown only: {rest}.\n\n"


PARTS = {
    "summary": summary,
    "options": options,
    "gridengine": grid_engine,
    "scontrol": scontrol,
    "accounts": accounts,
    "fields": fields,
    "keys": keys,
}
"""Part of the page -> what makes it."""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
