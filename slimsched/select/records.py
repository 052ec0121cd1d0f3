"""Questions to select plugins and their answers: plain records."""

from __future__ import annotations

from enum import IntEnum

from slimsched.errors import PluginError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from slimsched.model.job import Job

SELECT_PROTOCOL = 1
"""Version of the packed form of `SelectInfo`."""


class Mode(IntEnum):
    """``mode`` of `SelectPlugin.job_test`."""

    RUN_NOW = 0
    TEST_ONLY = 1
    WILL_RUN = 2


class JobTest:
    """The question of `SelectPlugin.job_test`: a job, the nodes it may use, and how many of them.

    ``req_nodes`` is the number to aim at: the upper number of ``--nodes=MIN-MAX`` if there is one, else
    ``min_nodes``. ``max_nodes`` may be any large number if nothing limits it.
    """

    __slots__ = (
        "amounts",
        "bitmap",
        "exc_cores",
        "job",
        "max_nodes",
        "min_nodes",
        "most_cpus",
        "partition",
        "preemptee_candidates",
        "req_nodes",
        "required",
        "start",
        "until",
    )

    def __init__(
        self,
        job: Job,
        bitmap: int,
        min_nodes: int,
        max_nodes: int,
        req_nodes: int,
        required: int = 0,
        preemptee_candidates: Sequence[Job] = (),
        exc_cores: Mapping[int, int] | None = None,
        partition: str = "",
        start: int = 0,
        most_cpus: Mapping[int, int] | None = None,
    ) -> None:
        """``bitmap``: the candidates; ``required``: nodes that must be chosen; ``partition``: "" is the job's own.

        ``preemptee_candidates``: jobs that may be preempted, the first to go first; ``exc_cores``: node index ->
        CPUs that are held for reservations; ``start``: the job cannot start before (WILL_RUN), seconds since 1970;
        ``most_cpus``: node index -> CPUs that the job may have of it at most, for nodes where that is less than all.

        ``until`` may be set after: when more nodes may be had, so that ends after it do not matter (0: never).
        ``amounts`` is set to False by who needs no CPUs, memory and gres of each node: the answer may leave them empty.
        """
        self.job = job
        self.amounts = True
        self.bitmap = bitmap
        self.min_nodes = min_nodes
        self.max_nodes = max_nodes
        self.req_nodes = req_nodes
        self.required = required
        self.preemptee_candidates = preemptee_candidates
        self.exc_cores: Mapping[int, int] = exc_cores or {}
        self.partition = partition
        self.start = start
        self.until = 0
        self.most_cpus: Mapping[int, int] = most_cpus or {}

    @classmethod
    def of(cls, job: Job, partition: str, nodes: int, low: int, high: int, required: int = 0) -> JobTest:
        """Return the question about ``low`` to ``high`` of ``nodes``, that aims at as many as the job wishes."""
        return cls(job, nodes, low, high, job.request.wished_nodes(low, high), required, partition=partition)

    @property
    def has_choices(self) -> bool:
        """Whether the job leaves a choice between node sets or sizes; `alternatives.best` asks for each in turn."""
        asked = self.job.request
        return bool(asked.prefer or asked.job_size or "[" in asked.features or "*" in asked.features)


class Selection:
    """The answer: the nodes, and what is taken of each (in ascending node order)."""

    __slots__ = ("bitmap", "cpus", "gres", "memory", "preempted", "start_time")

    def __init__(
        self,
        bitmap: int,
        cpus: list[int] | None = None,
        memory: list[int] | None = None,
        gres: list[str] | None = None,
        start_time: int = 0,
        preempted: list[Job] | None = None,
    ) -> None:
        """``memory`` in MB; ``gres`` as "gpu:2(IDX:0-1)"; ``start_time``: when; ``preempted``: jobs that must go."""
        self.bitmap = bitmap
        self.cpus: list[int] = cpus or []
        self.memory: list[int] = memory or []
        self.gres: list[str] = gres or []
        self.start_time = start_time
        self.preempted: list[Job] = preempted or []


class SelectInfo:
    """A plugin's own information about a node or a job: names with JSON values."""

    __slots__ = ("values",)

    def __init__(self, values: Mapping[str, object] | None = None) -> None:
        self.values: dict[str, object] = dict(values or {})

    def clear(self) -> None:
        """Forget everything."""
        self.values.clear()

    def copy(self) -> SelectInfo:
        """Return a copy that shares nothing."""
        import json

        return SelectInfo(json.loads(json.dumps(self.values)))

    def get(self, name: str, state: str = "") -> object:
        """Return a value, ``None`` if it is not set or the record is not in ``state``."""
        if state and self.values.get("state") != state:
            return None
        return self.values.get(name)

    def set(self, name: str, value: object) -> None:
        """Set a value; PluginError if it is not a JSON value."""
        import json

        try:
            json.dumps(value)
        except (TypeError, ValueError, RecursionError) as error:
            raise PluginError(f"select information {name!r}: {error}") from None
        self.values[name] = value

    def pack(self, protocol_version: int = SELECT_PROTOCOL) -> dict[str, object]:
        """Return plain JSON values with the version they follow."""
        _check_protocol(protocol_version)
        return {"protocol_version": protocol_version, "values": self.copy().values}

    @classmethod
    def unpack(cls, packed: Mapping[str, object], protocol_version: int = SELECT_PROTOCOL) -> SelectInfo:
        """Return the record that `pack` packed."""
        _check_protocol(protocol_version)
        values = packed.get("values")
        if packed.get("protocol_version") != protocol_version or not isinstance(values, dict):
            raise PluginError("select information is not packed as protocol version " + str(protocol_version))
        return cls(values).copy()

    def sprint(self, mode: str = "MIXED") -> str:
        """Return the values as ``name=value`` pairs; mode HEAD names only, DATA values only."""
        items = self.values.items()
        if mode == "HEAD":
            return " ".join(name for name, _ in items)
        if mode == "DATA":
            return " ".join(str(value) for _, value in items)
        return " ".join(f"{name}={value}" for name, value in items)


def _check_protocol(version: int) -> None:
    if not 1 <= version <= SELECT_PROTOCOL:
        raise PluginError(f"select information: protocol version {version} is not supported")
