"""The parts of an explanation: plain records, which ``render/`` prints and turns into JSON."""

from __future__ import annotations

from slimsched.model.record import Record

NOW, NOT_NOW, NEVER = "now", "not now", "never"
"""Whether a job could start: at the next pass, later, or not at all as the cluster and the job are."""


RESIZE = "resize"
"""The change to another number of nodes."""


class Remedy(Record):
    """One change that would help: in words, as a command if there is one, and its cost (low is cheap)."""

    text: str
    command: str = ""
    cost: int = 5
    what: str = ""  # `RESIZE`, where two hurdles may ask for it


class Hurdle(Record):
    """One thing that must go before a job can start, and each change that would do, the cheapest first."""

    what: str  # "hold", "dependency", "begin time", "limit", "nodes", ...
    text: str
    verdict: str = NOT_NOW
    until: int = 0  # seconds since 1970 if it goes by itself, else 0
    changes: list[Remedy] = []


class StepView(Record):
    """One step on the way from all nodes to those that the job can have: how many are left after it."""

    step: str
    asked: str
    nodes_left: int


class NodeReason(Record):
    """Nodes (a hostlist) that fail the same step first, in the same way."""

    nodes: str
    count: int
    step: str
    reason: str


class Rank(Record):
    """A job's place among those that wait: its priority, and the weighted factors that make it up, by name."""

    job: str
    user: str
    priority: int
    factors: dict[str, int] = {}


class PartitionView(Record):
    """A job in one of the partitions that it asked for."""

    partition: str
    wanted: int  # nodes
    verdict: str
    steps: list[StepView]
    reasons: list[NodeReason]
    hurdles: list[Hurdle] = []
    ranks: list[Rank] = []  # the jobs that come first, and the job itself; none if none comes first


class Wait(Record):
    """A job that must end, or run before; ``end``: seconds since 1970, 0 for no limit."""

    job: str
    state: str
    nodes: str
    end: int


class Start(Record):
    """The expected start of a job (seconds since 1970, 0: unknown), how it is known, and what the job waits for."""

    time: int
    basis: str
    nodes: str = ""
    waits_for: list[Wait] = []


class Explanation(Record):
    """The answer about one job, or the waiting tasks of an array."""

    job: str
    name: str
    user: str
    state: str
    reason: str
    verdict: str  # "" for a job that does not wait
    story: list[str]  # the explanation in whole sentences
    hurdles: list[Hurdle] = []
    partitions: list[PartitionView] = []
    start: Start | None = None
