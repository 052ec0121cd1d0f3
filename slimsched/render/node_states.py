"""The state words that ``sinfo --states`` takes, and what each of them means."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from slimsched.errors import UserError
from slimsched.model import node as states
from slimsched.render.node_view import ALLOCATED, MIXED

if TYPE_CHECKING:
    from slimsched.render.node_view import NodeView

Test = Callable[["NodeView"], bool]


def _base(name: str) -> Test:
    return lambda view: view.base == name


def _flag(name: str) -> Test:
    return lambda view: name in view.flags


def _word(word: str) -> Test:
    return lambda view: view.word == word


def _never(_view: NodeView) -> bool:
    return False


TESTS: dict[str, Test] = {
    "alloc": _base(ALLOCATED),
    "allocated": _base(ALLOCATED),
    "cloud": _never,
    "comp": _flag(states.COMPLETING),
    "completing": _flag(states.COMPLETING),
    "down": _base(states.DOWN),
    "drain": _flag(states.DRAIN),
    "drained": _word("drained"),
    "draining": _word("draining"),
    "drng": _word("draining"),
    "err": _base("ERROR"),
    "error": _base("ERROR"),
    "fail": _flag(states.FAIL),
    "failg": _word("failing"),
    "failing": _word("failing"),
    "future": _base(states.FUTURE),
    "futr": _base(states.FUTURE),
    "idle": _base(states.IDLE),
    "inval": _flag(states.INVALID_REG),
    "invalid_reg": _flag(states.INVALID_REG),
    "maint": _flag(states.MAINT),
    "maintenance": _flag(states.MAINT),
    "mix": _base(MIXED),
    "mixed": _base(MIXED),
    "no_respond": _flag(states.NO_RESPOND),
    "noresp": _flag(states.NO_RESPOND),
    "not_responding": _flag(states.NO_RESPOND),
    "npc": _never,
    "perfctrs": _never,
    "planned": _flag(states.PLANNED),
    "plnd": _flag(states.PLANNED),
    "power_down": _never,
    "power_up": _never,
    "powered_down": _flag(states.POWERED_DOWN),
    "powering_down": _never,
    "powering_up": _never,
    "reboot": _never,
    "reboot_issued": _never,
    "reboot_requested": _never,
    "reserved": _flag(states.RESERVED),
    "resv": _flag(states.RESERVED),
    "unk": _base(states.UNKNOWN),
    "unknown": _base(states.UNKNOWN),
}
"""Word -> its test. What no node here can be (a cloud, powered up) is a word all the same."""


SHORTENED = (
    "unknown", "down", "idle", "allocated", "error", "mixed", "future", "drain", "drained", "reserved", "perfctrs",
    "draining", "drng", "completing", "no_respond", "powered_down", "fail", "failing", "maint", "planned",
)  # fmt: skip
"""Words of which a beginning is enough, in the order in which it is looked for."""


def _test(word: str) -> Test | None:
    """Return the test of a word or of its beginning."""
    known = word if word in TESTS else next((name for name in SHORTENED if name.startswith(word)), "")
    return TESTS.get(known)


NOT = "!~"
"""Signs before a word that turn its test round."""


def state_test(text: str) -> Test:
    """Return the test of a list of which any item may hold; of an item all words joined by ``&`` or ``+`` must.

    ``!`` or ``~`` before a word asks for nodes of which it does not hold. Raises `UserError` for a word that is none.
    """
    items = (item.replace("+", "&").split("&") for item in text.split(","))
    tests = [[_signed(word) for word in words if word] for words in items]
    return lambda view: any(all(test(view) is wanted for test, wanted in item) for item in tests if item)


def _signed(word: str) -> tuple[Test, bool]:
    name = word.strip().lower()
    test = _test(name.lstrip(NOT))
    if test is None:
        raise UserError(f'Bad state string: "{word}"\nValid node states include: {",".join(TESTS)}')
    return test, (len(name) - len(name.lstrip(NOT))) % 2 == 0
