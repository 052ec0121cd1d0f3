"""The state words of ``sinfo --states`` and their meanings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from slimsched.errors import UserError
from slimsched.slurm import states

if TYPE_CHECKING:
    from slimsched.render.nodes.node_view import NodeView

Test = Callable[["NodeView"], bool]


def _base(name: str) -> Test:
    return lambda view: view.base == name


def _flag(name: str) -> Test:
    return lambda view: name in view.flags


def _word(word: str) -> Test:
    return lambda view: view.word == word


def _allocated(view: NodeView) -> bool:
    """Whether any of a node is allocated: the real command lists mixed nodes too, also those that are draining."""
    return view.base in {states.ALLOCATED, states.MIXED}


def _never(_view: NodeView) -> bool:
    return False


def _tests() -> Iterator[tuple[str, Test]]:
    for words in states.NODE_WORDS:
        for word in (words.word, words.short):
            yield word, _word(words.word)
    for row in states.NODE_STATES:
        test = _never if not row.here else _base(row.name) if row.code < states.FIRST_FLAG else _flag(row.name)
        for word in filter(None, (row.word, row.short, *row.also)):
            yield word, _allocated if row.name == states.ALLOCATED else test


TESTS = dict(sorted(dict(_tests()).items()))
"""Word -> its test. Words for states that no node has here (a cloud, powered up) are included."""


VALID = (
    "unknown,down,idle,allocated,mixed,future,drained,draining,blocked,cloud,completing,drain,dynamic_future,"
    "dynamic_norm,external,invalid_reg,fail,maintenance,power_down,power_up,powered_down,reboot_requested,"
    "reboot_issued,reserved,not_responding,planned,powering_up,powering_down"
)
"""The words that the refusal of another one names."""

SHORTENED = (
    "unknown", "down", "idle", "allocated", "error", "mixed", "future", "drain", "drained", "reserved", "perfctrs",
    "draining", "drng", "completing", "no_respond", "powered_down", "fail", "failing", "maint", "planned",
)  # fmt: skip
"""Words that may be abbreviated, in the order in which they are looked up."""


def _test(word: str) -> Test | None:
    """Return the test of a word or of its beginning."""
    known = word if word in TESTS else next((name for name in SHORTENED if name.startswith(word)), "")
    return TESTS.get(known)


NOT = "!~"
"""Signs before a word that negate its test."""


def state_test(text: str) -> Test:
    """Return the test of a list of words: one of them must hold, or all if ``&`` or ``+`` stands anywhere in it.

    ``!`` or ``~`` before a word asks for nodes that are not in that state. Raises `UserError` for an unknown word.
    """
    joined = text.replace("+", "&")
    tests = [_signed(word) for word in joined.replace("&", ",").split(",") if word]
    hold = all if "&" in joined and tests else any
    return lambda view: hold(test(view) is wanted for test, wanted in tests)


def _signed(word: str) -> tuple[Test, bool]:
    name = word.strip().lower()
    test = _test(name.lstrip(NOT))
    if test is None:
        from slimsched.text import alike

        notes = alike.hint("state", name.lstrip(NOT), VALID.split(","))
        raise UserError(f'Bad state string: "{word}"\nvalid states: {VALID}', notes=notes)
    return test, (len(name) - len(name.lstrip(NOT))) % 2 == 0
