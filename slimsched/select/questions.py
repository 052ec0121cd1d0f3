"""Questions to a select plugin of which only the answer counts: a refusal, for whatever reason, is ``None``.

A plugin may keep `Answers` that jobs which ask for the same share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from slimsched.errors import Never, NotNow

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from slimsched.select.api import SelectPlugin
    from slimsched.select.future import Touch
    from slimsched.select.need import Need
    from slimsched.select.records import JobTest, Mode, Selection

_Answer = TypeVar("_Answer")


def answer(select: SelectPlugin, test: JobTest, mode: Mode) -> Selection | None:
    """Return the selection of ``job_test``, ``None`` for a refusal."""
    try:
        return select.job_test(test, mode)
    except (NotNow, Never):
        return None


def fits(select: SelectPlugin, test: JobTest, mode: Mode) -> bool:
    """Whether ``job_test`` finds nodes for a job."""
    return answer(select, test, mode) is not None


MOST = 10_000


class Answers:
    """Answers by question, of one state of the nodes or the books."""

    __slots__ = ("_known", "_state")

    def __init__(self) -> None:
        self._state: Hashable = None
        self._known: dict[Hashable, Selection | None] = {}

    def of(self, state: Hashable, question: Hashable, find: Callable[[], Selection | None]) -> Selection | None:
        """Return the answer to a question; ``find`` is asked if it was not in this state of things."""
        known = self._known
        if state != self._state or len(known) >= MOST:
            self._state = state
            known.clear()
        if question not in known:
            known[question] = find()
        return known[question]


class Standing(Generic[_Answer]):
    """Answers, each with what has changed since it was given: most of the time that is nothing that it rests on.

    Most waiting jobs are planned again and again, while a few jobs start and end on some of the nodes.
    """

    __slots__ = ("_known", "_state", "_touched")

    def __init__(self) -> None:
        self._state: Hashable = None
        self._touched: Sequence[Touch] = ()
        self._known: dict[Hashable, tuple[int, _Answer]] = {}  # how many changes were known by then, and the answer

    def look(
        self, state: Hashable, touched: Sequence[Touch], question: Hashable
    ) -> tuple[_Answer | None, Sequence[Touch]]:
        """Return the last answer to a question, ``None`` if there is none, and what has been ``touched`` since.

        Another list of changes, or another state of things, voids all answers.
        """
        if touched is not self._touched or state != self._state or len(self._known) >= MOST:
            self._state, self._touched = state, touched
            self._known.clear()
        place, found = self._known.get(question, (0, None))
        return found, touched[place:]

    def note(self, question: Hashable, found: _Answer) -> None:
        """Keep an answer that is right at present."""
        self._known[question] = len(self._touched), found


def question(need: Need, request: JobTest) -> tuple[object, ...]:
    """Return what jobs that ask for the same nodes have in common."""
    return need, request.bitmap, request.required, request.min_nodes, request.max_nodes, request.req_nodes
