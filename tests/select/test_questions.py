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


def test_an_answer_stands_until_one_of_its_nodes_is_touched():
    standing: Standing[int] = Standing()
    touched: list[tuple[int, int]] = []

    def ask(fresh: int, state: int = 1, changes: list[tuple[int, int]] = touched) -> int:
        return standing.of(state, changes, 0b0110, "when?", lambda: fresh, lambda found: 100 * found)

    assert ask(1) == 1
    touched.append((0b1001, 101))
    assert ask(2) == 1
    touched.append((0b1000, 500))
    touched.append((0b0010, 500))
    assert ask(3) == 3
    touched.append((0b1000, 301))
    assert ask(4) == 3
    touched.append((0b1000, 300))  # an end on other nodes, but it was looked at
    assert ask(4) == 4
    assert ask(5, state=2) == 5  # something else that counts has changed
    assert ask(6, state=2, changes=[*touched]) == 6  # the list began anew
    assert ask(7, state=2, changes=[*touched]) == 7


def test_no_more_answers_are_kept_than_fit():
    standing: Standing[int] = Standing()
    touched: list[tuple[int, int]] = []
    for number in range(MOST + 1):
        standing.of(1, touched, 1, number, lambda: 1)

    assert standing.of(1, touched, 1, MOST, lambda: 2) == 1
    assert standing.of(1, touched, 1, 0, lambda: 2) == 2


@pytest.mark.parametrize("change", ["start", "end", "limit", "overdue", "many"])
def test_the_future_of_a_node_is_touched_by_what_happens_there(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slimsched.select.future.MOST_TOUCHED", 2)
    world = World()
    first, second = (world.start(nodes=f"node{k}", num_tasks=1, mem_per_cpu=1, minutes=9 + k) for k in (2, 3))
    futures, cluster = world.plugin.ledger.futures, world.cluster
    futures.touched(cluster.now)
    touched = futures.touched(cluster.now)
    before = len(touched)
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
        for job in (first, second):
            world.end(job)
            last = futures.touched(cluster.now)
        assert last is not touched  # a list has an end
        return

    assert [nodes for nodes, _ in futures.touched(cluster.now)[before:]] == [0b0010]
