"""Which plain questions a request with choices becomes, and which answer is taken: the plugin is a stub that notes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from select_world import World

from slimsched.errors import Never, NotNow
from slimsched.model import bitmap
from slimsched.model.config import NodeConf
from slimsched.select import alternatives
from slimsched.select.records import Mode, Selection

NODES = [  # node[1-2] are red, node[3-5] blue, node[5-6] big
    NodeConf(node_name="node[1-2]", features="red"),
    NodeConf(node_name="node[3-4]", features="blue"),
    NodeConf(node_name="node5", features="blue,big"),
    NodeConf(node_name="node6", features="big"),
]


class Stub:
    """Answers a question with the lowest nodes that it allows; ``busy`` ones are free at ``later``."""

    def __init__(self, world: World, busy: str = "", later: int = 500, refuses: Callable[[int], bool] | None = None):
        self.cluster = world.cluster
        self.busy, self.later = world.cluster.bitmap_of(busy), later
        self.refuses = refuses or (lambda size: False)
        self.asked: list[tuple[Any, ...]] = []

    def __call__(self, request: Any, mode: Mode) -> Selection:
        names = self.cluster.hostlist_of
        size = request.min_nodes, request.max_nodes, request.req_nodes
        self.asked.append((names(request.bitmap), *size, names(request.required), request.job.request.num_tasks))
        if request.bitmap.bit_count() < request.min_nodes or request.required & ~request.bitmap:
            raise Never("BadConstraints")
        nodes = request.bitmap if mode == Mode.TEST_ONLY else request.bitmap & ~self.busy
        wanted = min(request.req_nodes, nodes.bit_count())
        if nodes.bit_count() < request.min_nodes or self.refuses(wanted):
            if mode != Mode.WILL_RUN:
                raise NotNow("Resources")
            return Selection(bitmap.lowest(request.bitmap, request.req_nodes), start_time=self.later)
        found = request.required | bitmap.lowest(nodes & ~request.required, wanted - request.required.bit_count())
        return Selection(found, start_time=0)


def ask(stub: Stub, world: World, mode: Mode = Mode.RUN_NOW, **asked: object) -> Selection:
    return alternatives.best(world.cluster, world.query(world.job(**asked)), mode, stub)


@pytest.fixture
def world() -> World:
    return World(nodes=NODES)


@pytest.mark.parametrize(
    ("asked", "busy", "nodes", "questions"),
    [
        ({"features": "[red|blue]", "min_nodes": 2}, "", "node[1-2]", ["node[1-2]"]),
        ({"features": "[red|blue]", "min_nodes": 2}, "node1", "node[3-4]", ["node[1-2]", "node[3-5]"]),
        ({"features": "[red|blue]", "min_nodes": 3}, "", "node[3-5]", ["node[1-2]", "node[3-5]"]),
        ({"prefer": "big"}, "", "node5", ["node[5-6]"]),
        ({"prefer": "big"}, "node[5-6]", "node1", ["node[5-6]", "node[1-6]"]),
        ({"prefer": "big", "features": "red"}, "node[5-6]", "node1", ["node[5-6]", "node[1-2]"]),
        ({"features": "[red|blue]&big"}, "", "node5", ["(none)", "node5"]),
    ],
    ids=str,
)
def test_alternatives_are_asked_in_their_order(world, asked, busy, nodes, questions):
    stub = Stub(world, busy)
    found = ask(stub, world, **asked)

    assert world.cluster.hostlist_of(found.bitmap) == nodes
    assert [question[0] or "(none)" for question in stub.asked] == questions


def test_for_the_future_the_alternative_that_starts_first_is_taken(world):
    stub = Stub(world, "node[1-2]")
    found = ask(stub, world, Mode.WILL_RUN, features="[red|blue]", min_nodes=2)

    assert (world.cluster.hostlist_of(found.bitmap), found.start_time) == ("node[3-4]", 0)
    assert [question[0] for question in stub.asked] == ["node[1-2]", "node[3-5]"]


@pytest.mark.parametrize(
    ("asked", "busy", "error"),
    [
        ({"features": "[red|blue]", "min_nodes": 2}, "node[1-4]", NotNow),
        ({"features": "[red|blue]", "min_nodes": 3}, "node5", NotNow),  # one never, the other not now
        ({"features": "[red|blue]", "min_nodes": 4}, "", Never),
        ({"features": "red*3"}, "", Never),
        ({"features": "[red*2&blue*1]", "min_nodes": 1, "max_nodes": 2}, "", Never),
    ],
    ids=str,
)
def test_never_is_said_only_if_no_alternative_may_be_later(world, asked, busy, error):
    with pytest.raises(error):
        ask(Stub(world, busy), world, **asked)


@pytest.mark.parametrize(
    ("asked", "questions", "nodes"),
    [
        # each: nodes, fewest, most, wished, required, tasks
        (
            {"features": "[red*1&big*2]", "num_tasks": 8, "min_nodes": 3, "max_nodes": 3},
            [
                ("node[1-2]", 1, 1, 1, "", 1),
                ("node[5-6]", 2, 2, 2, "", 2),
                ("node[1-6]", 3, 3, 3, "node[1,5-6]", 8),
            ],
            "node[1,5-6]",
        ),
        (
            {"features": "[blue*1&big*1]", "min_nodes": 1, "max_nodes": 6},  # the rarest first, each node once
            [
                ("node[5-6]", 1, 1, 1, "", None),
                ("node[3-4]", 1, 1, 1, "", None),
                ("node[1-6]", 2, 6, 6, "node[3,5]", None),
            ],
            "node[1-6]",
        ),
        (
            {"features": "[red*1&blue*1]", "nodelist": "node[2,6]", "min_nodes": 3, "max_nodes": 3},
            [
                ("node[1-2]", 1, 1, 1, "node2", None),
                ("node[3-5]", 1, 1, 1, "", None),
                ("node[1-6]", 3, 3, 3, "node[2-3,6]", None),
            ],
            "node[2-3,6]",
        ),
        (
            {"features": "[red*1&blue*1]", "nodelist": "node[1-2]", "min_nodes": 3, "max_nodes": 3},
            [
                ("node[1-2]", 1, 1, 1, "", None),  # more than are counted are required: any of them will do
                ("node[3-5]", 1, 1, 1, "", None),
                ("node[1-6]", 3, 3, 3, "node[1-3]", None),
            ],
            "node[1-3]",
        ),
        (
            {"features": "red*2"},
            [("node[1-2]", 2, 2, 2, "", None), ("node[1-6]", 2, 0x7FFFFFFF, 2, "node[1-2]", None)],
            "node[1-2]",
        ),
    ],
    ids=str,
)
def test_counted_features_are_chosen_one_by_one_and_then_required(world, asked, questions, nodes):
    stub = Stub(world)
    found = ask(stub, world, **asked)

    assert stub.asked == questions
    assert world.cluster.hostlist_of(found.bitmap) == nodes


def test_parts_ask_for_no_gpus_and_for_no_row(world):
    seen = []

    def test(request, mode):
        seen.append((request.job.request.gpus, request.job.request.contiguous))
        return Selection(bitmap.lowest(request.bitmap, request.req_nodes))

    ask(test, world, features="[red*1&big*1]", gpus="4", contiguous=True, min_nodes=2)

    assert seen == [("", False), ("", False), ("4", True)]


@pytest.mark.parametrize(
    ("sizes", "busy", "sizes_asked", "count"),
    [
        ("1,3,5", "", [(1, 5, 5)], 5),
        ("1,3,5", "node[4-6]", [(1, 5, 5)], 3),
        ("1,3,5", "node[3-6]", [(1, 5, 5), (1, 1, 1)], 1),
        ("2,4", "node6", [(2, 4, 4)], 4),
        ("2,4", "node[4-6]", [(2, 4, 4), (2, 2, 2)], 2),
        ("1-3", "node[2-6]", [(1, 3, 3)], 1),
        ("3,6", "node[4-6]", [(3, 6, 6)], 3),
    ],
)
def test_listed_sizes(world, sizes, busy, sizes_asked, count):
    stub = Stub(world, busy)
    low, high = int(sizes[0]), int(sizes[-1])
    found = ask(stub, world, job_size=sizes, min_nodes=low, max_nodes=high)

    assert found.bitmap.bit_count() == count
    assert [question[1:4] for question in stub.asked] == sizes_asked


def test_a_size_that_is_refused_gives_way_to_the_next(world):
    stub = Stub(world, "node[5-6]", refuses=lambda size: size == 3)
    found = ask(stub, world, job_size="1-3,6", min_nodes=1, max_nodes=6)

    assert found.bitmap.bit_count() == 2
    assert [question[3] for question in stub.asked] == [6, 3, 2]


def test_the_last_refusal_counts_if_no_size_fits(world):
    stub = Stub(world, "node[5-6]", refuses=lambda size: size in (2, 3))
    with pytest.raises(NotNow):
        ask(stub, world, job_size="2-3,6", min_nodes=2, max_nodes=6)
