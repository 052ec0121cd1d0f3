"""Writes the lists of options, and of variables, in ``man/*.1`` from the tables of the code.

python docs/generate_man.py [--check]      --check: write nothing, exit 1 if a page is out of date
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from regions import replaced, settle

from slimsched.cli.group import group, with_state
from slimsched.cli.help_text import primary
from slimsched.cli.program import HONOURED, OURS, RECORDED, Option, Program
from slimsched.cli.scontrol.keyword_help import HELP
from slimsched.cli.subcommands import COMMANDS, load
from slimsched.cli.submit.environment import variables
from slimsched.slurm.getopt import LIVE, NONE, OPTIONAL

FOLDER = Path(__file__).parent.parent / "man"
MARKS = ('.\\" {}: made by docs/generate_man.py', '.\\" end of {}')
PREFIXES = {"sbatch": "SBATCH", "salloc": "SALLOC", "srun": "SLURM"}
KINDS = {"integer range": "N", "integer": "N"}
REASONS = {
    LIVE: "Where jobs really run",
    RECORDED: "Accepted, without effect",
    OURS: "This program's own",
    "refused": "Refused",
}


def main(argv: Sequence[str]) -> int:
    """Bring the pages up to date."""
    check = "--check" in argv
    current = [settle(page(name), made(name), check) for name in ("", *COMMANDS)]
    return 0 if all(current) or not check else 1


def page(name: str) -> Path:
    """Return the path of a command's page; "" is ``sim`` itself."""
    return FOLDER / (f"sim-{name}.1" if name else "sim.1")


def made(name: str) -> str:
    """Return a page with its generated parts as they should be."""
    text = replaced(page(name).read_text(encoding="utf-8"), "options", options(name), *MARKS)
    if name in PREFIXES:
        text = replaced(text, "variables", _variables(PREFIXES[name]), *MARKS)
    if name == "scontrol":
        text = replaced(text, "commands", _keywords(), *MARKS)
    if not name:
        text = replaced(text, "commands", _commands(), *MARKS)
    return text


def options(name: str) -> str:
    """Return the list of options of a command; those of its subcommands follow under their names."""
    command = load(name) if name else group
    if isinstance(command, Program):
        return _list(_items(command.options))
    parts = [_list(map(_of_click, _own(with_state(command)))) if _own(command) else ""]
    subcommands = getattr(command, "commands", {}) if name else {}
    for title, sub in subcommands.items():
        parts.append(f".Ss {title}\n{escaped(_sentence(sub.get_short_help_str(200)))}\n")
        parts.append(_list(map(_of_click, _own(sub))))
    return "".join(parts)


def _own(command: click.Command) -> list[click.Option]:
    context = click.Context(command, help_option_names=["-h", "--help"])
    return [param for param in command.get_params(context) if isinstance(param, click.Option)]


def _items(every: Sequence[Option]) -> Iterator[tuple[str, str]]:
    for option in primary(every):
        others = [other for other in every if other.name == option.name and other is not option]
        flags = [_flags(each) for each in (option, *others)]
        said = [_sentence(option.help)]
        if option.status != HONOURED:
            reason = REASONS[option.status]
            said.append(_sentence(f"{reason}: {option.note}" if option.note else reason))
        yield " , ".join(flags), "\n".join(map(escaped, filter(None, said)))


def _flags(option: Option) -> str:
    """Return an option's spellings as mdoc has them."""
    arg = escaped(option.arg[1:-1] if option.kind == OPTIONAL else option.arg, word=True)
    tail = {NONE: "", OPTIONAL: f" Ns Oo = Ns Ar {arg} Oc"}.get(option.kind, f" Ns = Ns Ar {arg}")
    if not option.long:
        bare = {NONE: "", OPTIONAL: f" Op Ar {arg}"}.get(option.kind, f" Ar {arg}")
        return f"Fl {option.short}{bare}"
    return f"Fl {option.short} , " * bool(option.short) + f"Fl \\-{option.long}{tail}"


def _of_click(option: click.Option) -> tuple[str, str]:
    names = " , ".join(f"Fl {name[1:].replace('-', chr(92) + '-', 1)}" for name in sorted(option.opts, key=len))
    kind: Any = option.type
    choices = "|".join(getattr(kind, "choices", ()))
    arg = "" if option.is_flag else option.metavar or choices or KINDS.get(kind.name, kind.name.upper())
    return names + (f" Ar {escaped(arg, word=True)}" if arg else ""), escaped(option.help or "")


def _list(items: Any) -> str:
    rows = "".join(f".It {head}\n{text}\n" if text else f".It {head}\n" for head, text in items)
    return f".Bl -tag -width Ds\n{rows}.El\n" if rows else ""


def _variables(prefix: str) -> str:
    rows = "".join(f".It Ev {name} Ta Fl \\-{option}\n" for name, option in sorted(variables(prefix).items()))
    return f".Bl -column SBATCH_CONSOLIDATE_SEGMENTS option\n{rows}.El\n"


def _keywords() -> str:
    rows = [
        (f"Cm {name}" + "".join(f" Ar {escaped(word, word=True)}" for word in words.split()), _sentence(text))
        for name, (words, text) in HELP.items()
    ]
    return _list((head, escaped(text)) for head, text in rows)


def _commands() -> str:
    return _list((f"Xr sim-{name} 1", escaped(entry.help)) for name, entry in COMMANDS.items())


def _sentence(text: str) -> str:
    return text and text[0].upper() + text[1:] + "." * (not text.endswith((".", "!", "?")))


def escaped(text: str, *, word: bool = False) -> str:
    """Return text as roff takes it; ``word``: as one argument of a macro."""
    text = text.replace("\\", "\\e")
    if word:
        return f'"{text}"' if " " in text else text if text.strip("|.,:;()[]?!") else f"\\&{text}"
    return "\\&" + text if text.startswith((".", "'")) else text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
