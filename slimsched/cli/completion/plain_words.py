"""The positional arguments of the programs: the names, or the grammar, that complete them."""

from __future__ import annotations

from collections.abc import Callable

from click.shell_completion import CompletionItem as Candidate

from slimsched.cli.completion.values import Kind, Names, Sentence, jobs, matching


def of_words(program: str) -> Kind | None:
    """Return the kind of a program's plain words; None if nothing completes them."""
    return PLAIN[program]() if program in PLAIN else None


def _of_scontrol() -> Kind:
    from slimsched.cli.scontrol import completion

    return Sentence(completion.words)


def _of_sacctmgr() -> Kind:
    from slimsched.cli.sacctmgr.grammar import following

    return Sentence(lambda plain, current, _: matching(map(Candidate, following(plain)), current))


PLAIN: dict[str, Callable[[], Kind]] = {
    "scancel": lambda: Names(jobs),
    "qdel": lambda: Names(jobs),
    "scontrol": _of_scontrol,
    "sacctmgr": _of_sacctmgr,
}
"""Program -> the kind of its plain words."""
