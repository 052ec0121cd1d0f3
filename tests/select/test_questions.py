"""Questions to a select plugin: how many nodes they aim at, and what becomes of a refusal."""

from __future__ import annotations

import pytest
from select_world import World

from slimsched.errors import Never, NotNow, SimError
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config
from slimsched.model.job import Job
from slimsched.model.request import JobRequest
from slimsched.select.api import SelectPlugin
from slimsched.select.questions import MOST, Answers, Standing, answer, fits
from slimsched.select.records import JobTest, Mode, Selection


@pytest.mark.parametrize(
    ("asked", "wish"),
    [
        ({}, 1),  # no number: one node
        ({"min_nodes": 2, "max_nodes": 3}, 3),  # a range: as many as it allows
        ({"min_nodes": 2, "max_nodes": 3, "use_min_nodes": True}, 2),
    ],
)
def test_a_question_aims_at_what_the_job_wishes(asked: dict[str, int], wish: int) -> None:
    request = JobRequest(**asked)
    low, high = request.min_nodes or 1, request.max_nodes or 5
    test = JobTest.of(Job(job_id=1, request=request), "debug", 0b11111, low, high, 0b10)

    assert (test.min_nodes, test.max_nodes, test.req_nodes) == (low, high, wish)
    assert (test.bitmap, test.required, test.partition) == (0b11111, 0b10, "debug")


class Refusing(SelectPlugin):
    """Answers what it is given."""

    outcome: Selection | SimError

    def job_test(self, request: JobTest, mode: Mode) -> Selection:
        if isinstance(self.outcome, SimError):
            raise self.outcome
        return self.outcome


@pytest.mark.parametrize("outcome", [Selection(1), NotNow("Resources"), Never("BadConstraints")])
def test_a_refusal_is_no_answer(outcome: Selection | SimError) -> None:
    plugin = Refusing(Cluster(Config()))
    plugin.outcome = outcome
    test = JobTest.of(Job(job_id=1, request=JobRequest()), "", 1, 1, 1)

    assert answer(plugin, test, Mode.RUN_NOW) is (outcome if isinstance(outcome, Selection) else None)
    assert fits(plugin, test, Mode.RUN_NOW) is isinstance(outcome, Selection)


def test_an_answer_is_kept_while_the_state_stays():
    answers, asked = Answers(), []

    def found() -> Selection:
        asked.append(1)
        return Selection(1)

    first = answers.of(1, "a", found)

    assert answers.of(1, "a", found) is first
    assert answers.of(1, "b", lambda: None) is None
    assert answers.of(1, "b", found) is None  # that there is none is an answer, too
    assert len(asked) == 1
    assert answers.of(2, "a", found) is not first


def test_an_answer_comes_with_what_has_changed_since():
    standing: Standing[str] = Standing()
    touched = [(0b1001, 100, True)]

    assert standing.look(1, touched, "when?") == (None, touched)
    standing.note("when?", "then")
    assert standing.look(1, touched, "when?") == ("then", [])
    touched.append((0b0110, 200, False))
    assert standing.look(1, touched, "when?") == ("then", touched[1:])
    standing.note("when?", "later")
    assert standing.look(1, touched, "when?") == ("later", [])
    assert standing.look(1, touched, "where?") == (None, touched)
    assert standing.look(2, touched, "when?") == (None, touched)  # something else that counts has changed
    standing.note("when?", "then")
    assert standing.look(2, [*touched], "when?") == (None, touched)  # the list began anew


def test_no_more_answers_are_kept_than_fit():
    standing: Standing[int] = Standing()
    for number in range(MOST):
        standing.look(1, (), number)
        standing.note(number, number)

    assert standing.look(1, (), MOST)[0] is None
    assert standing.look(1, (), 0)[0] is None


@pytest.mark.parametrize("change", ["start", "end", "limit", "overdue", "many"])
def test_the_future_of_a_node_is_touched_by_what_happens_there(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slimsched.select.future.MOST_TOUCHED", 4)
    world = World()
    first, second = (world.start(nodes=f"node{k}", num_tasks=1, mem_per_cpu=1, minutes=9 + k) for k in (2, 3))
    futures, cluster = world.plugin.ledger.futures, world.cluster
    touched = futures.touched(cluster.now)
    before, first_end = len(touched), first.end_time
    cluster.now += 60
    assert futures.touched(cluster.now) is touched
    assert len(touched) == before  # time alone changes nothing
    if change == "start":
        world.start(nodes="node2", num_tasks=1, mem_per_cpu=1)
    elif change == "end":
        world.end(first)
    elif change == "limit":
        first.end_time += 60
        world.plugin.nodeinfo_set(first)
    elif change == "overdue":
        cluster.now = first.end_time + 5
    else:
        world.end(first)
        world.end(second)
        assert futures.touched(cluster.now) is touched
        world.start(nodes="node2", num_tasks=1, mem_per_cpu=1)
        assert futures.touched(cluster.now) is not touched  # a list has an end
        return

    left, taken = (0b0010, first_end, True), (0b0010, first.end_time, False)
    expected = {
        "start": [(0b0010, cluster.now + 1800, False)],
        "end": [left],
        "limit": [left, taken],
        "overdue": [left, (0b0010, cluster.now + 1, False)],
    }
    assert futures.touched(cluster.now)[before:] == expected[change]
