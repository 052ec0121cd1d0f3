"""Questions to a select plugin of which only the answer counts: a refusal, for whatever reason, is ``None``.

A plugin may keep `Answers` that jobs which ask for the same share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from slimsched.errors import Never, NotNow

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from slimsched.select.api import SelectPlugin
    from slimsched.select.need import Need
    from slimsched.select.records import JobTest, Mode, Selection

_Answer = TypeVar("_Answer")

Touch = tuple[int, int]
"""Nodes whose present or future has changed, and the first instant at which an end of a job has come or gone."""


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
    """Answers about some nodes each, which stand until one of these nodes is touched, or an end that was looked at.

    Most waiting jobs are planned again and again on nodes of which nothing has changed since the last time.
    """

    __slots__ = ("_known", "_state", "_touched")

    def __init__(self) -> None:
        self._state: Hashable = None
        self._touched: Sequence[Touch] = ()
        self._known: dict[Hashable, tuple[int, int, _Answer]] = {}  # changes seen by then, last end that was looked at

    def of(
        self,
        state: Hashable,
        touched: Sequence[Touch],
        nodes: int,
        question: Hashable,
        find: Callable[[], _Answer],
        looked: Callable[[_Answer], int] | None = None,
    ) -> _Answer:
        """Return the answer to a question about ``nodes``; ``find`` is asked if none stands.

        ``touched``: what changed, change by change; another list, or another state, voids all answers.
        ``looked``: up to which instant the ends of jobs on any nodes count for an answer; without it they do not.
        """
        known = self._known
        if touched is not self._touched or state != self._state or len(known) >= MOST:
            self._state, self._touched = state, touched
            known.clear()
        seen, now = known.get(question), len(touched)
        if seen is not None:
            place, last, found = seen
            if place == now:
                return found
            if not any(moved & nodes or end <= last for moved, end in touched[place:]):
                known[question] = now, last, found
                return found
        found = find()
        known[question] = now, looked(found) if looked else 0, found
        return found


def question(need: Need, request: JobTest) -> tuple[object, ...]:
    """Return what jobs that ask for the same nodes have in common."""
    return need, request.bitmap, request.required, request.min_nodes, request.max_nodes, request.req_nodes
