"""Questions to a select plugin: how many nodes they aim at, and what becomes of a refusal."""

from __future__ import annotations

import pytest

from slimsched.errors import Never, NotNow, SimError
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config
from slimsched.model.job import Job
from slimsched.model.request import JobRequest
from slimsched.select.api import SelectPlugin
from slimsched.select.questions import Answers, answer, fits
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
