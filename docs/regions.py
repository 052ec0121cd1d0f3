"""Parts of a document that are generated: what stands between two marks is replaced, the rest is written by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path


def replaced(text: str, name: str, body: str, begin: str, end: str) -> str:
    """Return ``text`` with ``body`` between the lines ``begin`` and ``end``, in which ``{}`` stands for ``name``."""
    first, last = begin.format(name), end.format(name)
    head, mark, rest = text.partition(first + "\n")
    _, closing, tail = rest.partition(last + "\n")
    if not mark or not closing:
        raise SystemExit(f"no part between {first!r} and {last!r}")
    return f"{head}{first}\n{body}{last}\n{tail}"


def settle(path: Path, made: str, check: bool) -> bool:
    """Write a document that is out of date; with ``check`` only say so. Return whether it was up to date."""
    if path.read_text(encoding="utf-8") == made:
        return True
    if not check:
        path.write_text(made, encoding="utf-8")
    print(f"{path}: {'out of date' if check else 'written'}")
    return False


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)
