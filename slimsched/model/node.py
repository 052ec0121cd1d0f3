"""The node record. Only `NodeState`, the part that commands and time change, is stored; the rest is configuration."""

from typing import TYPE_CHECKING, Literal

import msgspec

from slimsched.model.config import NodeConf
from slimsched.slurm.states import BLOCKING, CONFIGURED, IDLE, NO_RESPOND, NODE, POWERED_DOWN, POWERING_UP

if TYPE_CHECKING:
    Known = str
else:
    Known = Literal[tuple(NODE)]  # a record with any other state or flag is damaged


class NodeState(msgspec.Struct, omit_defaults=True, kw_only=True):
    """The changes of ``scontrol update``, a registering node or the schedule. ``None``: as configured."""

    state: Known | None = None  # base state: IDLE, DOWN, FUTURE; MIXED and ALLOCATED follow from the jobs
    flags: list[Known] | None = None
    reason: str | None = None
    reason_time: int | None = None
    reason_uid: int | None = None
    reason_user: str | None = None
    extra: str | None = None
    comment: str | None = None
    weight: int | None = None
    features: str | None = None
    active_features: str | None = None
    gres: str | None = None
    real_memory: int | None = None
    resume_after: int | None = None
    fails_at: int | None = None  # when it goes down, as a test decided
    last_busy: int | None = None
    boot_time: int | None = None
    power_time: int | None = None  # since when it goes up or down, 0: it does neither
    load: dict[str, str] | None = None  # SGE load values
    complexes: dict[str, str] | None = None  # SGE complex_values
    other: dict[str, str] | None = None
    made: NodeConf | None = None  # of a dynamic node, which the configuration does not have


class Node:
    """One node: its place in the node table, its configuration and its present state."""

    __slots__ = (
        "active_features",
        "boards",
        "boot_time",
        "comment",
        "complexes",
        "conf",
        "core_spec_count",
        "cores_per_socket",
        "cpus",
        "extra",
        "fails_at",
        "features",
        "flags",
        "gres",
        "index",
        "last_busy",
        "load",
        "made",
        "mem_spec_limit",
        "name",
        "node_rank",
        "other",
        "partitions",
        "power_time",
        "real_memory",
        "reason",
        "reason_time",
        "reason_uid",
        "reason_user",
        "resume_after",
        "saved",
        "sockets",
        "state",
        "threads_per_core",
        "tmp_disk",
        "weight",
    )

    def __init__(self, name: str, index: int, conf: NodeConf) -> None:
        """Build the node as configured; ``index`` is its bit in every bitmap."""
        self.name: str = name
        self.index: int = index
        self.conf: NodeConf = conf
        self.boards = conf.boards
        self.threads_per_core: int = conf.threads_per_core
        self.sockets: int
        self.cores_per_socket: int
        self.cpus: int
        self.sockets, self.cores_per_socket, self.cpus = _shape(conf)
        self.real_memory: int = conf.real_memory
        self.tmp_disk = conf.tmp_disk
        self.core_spec_count = conf.core_spec_count
        self.mem_spec_limit = conf.mem_spec_limit
        self.features = conf.features
        self.active_features = conf.features
        self.gres = conf.gres
        self.weight = conf.weight
        self.node_rank = 0  # place in the order of the select plugin, if it has one; see `Cluster.ranked`
        self.extra = conf.extra
        self.comment = conf.comment
        base, *flags = CONFIGURED.get(conf.state.upper().partition("+")[0], (IDLE,))
        self.state: str = base
        self.flags: list[str] = [*flags]
        self.reason = conf.reason
        self.reason_time = 0
        self.reason_uid = 0
        self.reason_user = "root"
        self.resume_after = 0
        self.fails_at = 0
        self.last_busy = 0
        self.boot_time = 0
        self.power_time = 0
        self.load: dict[str, str] = {}
        self.complexes: dict[str, str] = {}
        self.other: dict[str, str] = {}
        self.made: NodeConf | None = None
        self.partitions: list[str] = []
        self.saved = NodeState()

    def change(self, **fields: object) -> None:
        """Set stored fields, remembering that they now differ from the configuration."""
        for key, value in fields.items():
            setattr(self, key, value)
            setattr(self.saved, key, value)

    def restore(self, saved: NodeState) -> None:
        """Set what an earlier command changed."""
        self.saved = saved
        for key in NodeState.__struct_fields__:
            value = getattr(saved, key)
            if value is not None:
                setattr(self, key, value)

    @property
    def up(self) -> bool:
        """Whether jobs may be placed on it: neither down, drained, failing, future nor silent.

        One that is switched off, or on its way up, takes jobs; they wait for it.
        """
        if self.state != IDLE:
            return False
        return not BLOCKING.intersection(self.flags) or (POWERING_UP in self.flags and self._only_boots)

    @property
    def _only_boots(self) -> bool:
        return BLOCKING.intersection(self.flags) == {NO_RESPOND}

    @property
    def power_rank(self) -> int:
        """Its place in the order in which jobs get nodes: 0 up, 1 coming up, 2 off."""
        if not self.flags:
            return 0
        return 2 if POWERED_DOWN in self.flags else 1 if POWERING_UP in self.flags else 0

    @property
    def silent(self) -> bool:
        """Whether it does not answer although it should."""
        return NO_RESPOND in self.flags and POWERING_UP not in self.flags


def _shape(conf: NodeConf) -> tuple[int, int, int]:
    """Return sockets, cores per socket and CPUs as slurmctld derives them from what is given."""
    threads = conf.threads_per_core
    cores = conf.cores_per_socket or 1
    sockets = conf.sockets
    if sockets is None:
        sockets = max(1, (conf.cpus or 1) // (cores * threads))
    return sockets, cores, conf.cpus or sockets * cores * threads
