"""The fields of a line of ``sinfo``: the letters of ``-o``, the names of ``-O`` and the sort keys of ``-S``.

A field in `SHARED` belongs to a line as a whole: nodes that differ in it get lines of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from slimsched.render.columns import Field, Table
from slimsched.render.config.forms import preempt_mode
from slimsched.render.nodes.sinfo_rows import NodeRow
from slimsched.render.units import natural, null, number, stamp
from slimsched.text.times import elapsed

if TYPE_CHECKING:
    from slimsched.model.config import PartitionConf
    from slimsched.render.nodes.node_view import NodeView

ENDLESS = 1 << 40  # sorts behind every limit
AVAIL = {"UP": "up", "DOWN": "down", "DRAIN": "drain", "INACTIVE": "inactive"}
STATES = ("INACTIVE", "DOWN", "UP", "DRAIN")  # in the order in which partitions sort by them
MODES = ("OFF", "SUSPEND", "REQUEUE", "CANCEL", "GANG")
NO_USER = 0xFFFFFFFE  # the user of a node without a reason


def partition(row: NodeRow) -> str:
    """Return the partition's name, with a star at the default one."""
    return f"{row.part.partition_name}*" if row.part.default else row.part.partition_name


def job_size(row: NodeRow) -> str:
    """Return how many nodes a job may get."""
    low, high = max(1, row.part.min_nodes), row.part.max_nodes
    if low == high:
        return str(low)
    return f"{low}-{'infinite' if high is None else high}"


def _minutes(value: int | None, unset: str) -> str:
    """Return a limit of a partition."""
    return unset if value is None else elapsed(value * 60)


def over_subscribe(part: PartitionConf) -> str:
    """Return how jobs share nodes; without a count four may."""
    text = part.over_subscribe.upper()
    return f"{text}:4" if text in ("YES", "FORCE") else text


def sct(row: NodeRow) -> str:
    """Return sockets, cores and threads."""
    return ":".join(
        (
            row.spread(lambda v: v.node.sockets),
            row.spread(lambda v: v.node.cores_per_socket),
            row.spread(lambda v: v.node.threads_per_core),
        )
    )


def user(view: NodeView, long: bool = False) -> str:
    """Return who gave a node its reason."""
    node = view.node
    if not node.reason:
        return "Unknown"
    return f"{node.reason_user}({node.reason_uid})" if long else node.reason_user


def slashed(counts: tuple[int, ...]) -> str:
    """Return counts as ``1/2/3``."""
    return "/".join(map(str, counts))


def _all(names: str) -> str:
    return "all" if names.upper() == "ALL" else names


def _time_key(row: NodeRow) -> int:
    return ENDLESS if row.part.max_time is None else row.part.max_time


def _size_key(row: NodeRow) -> int:
    return ENDLESS if row.part.max_nodes is None else row.part.max_nodes + max(1, row.part.min_nodes)


def _shares(row: NodeRow) -> tuple[bool, int]:
    """Sort by how jobs share nodes: not at all, in turns, by force."""
    word, _, count = over_subscribe(row.part).partition(":")
    return word == "FORCE", {"EXCLUSIVE": 0, "NO": 1}.get(word) or int(count or 0)


def _place(words: tuple[str, ...], word: str) -> int:
    return words.index(word) if word in words else len(words)


Key = Callable[[NodeRow], Any]
Value = Callable[["PartitionConf"], object]


def _part(letter: str, names: str, header: str, text: Value, key: Key | None = None) -> Field:
    """Return a field of the partition."""
    return Field(letter, names, header, lambda row: str(text(row.part)), key)


def _node(letter: str, names: str, header: str, text: Callable[[NodeView], str], key: Key | None = None) -> Field:
    """Return a field in which the nodes of a line agree."""
    return Field(letter, names, header, lambda row: row.first(text), key)


def _reason(view: NodeView) -> str:
    return view.node.reason if not view.node.up else ""


def _giver(row: NodeRow) -> int:
    """Sort by who gave a reason."""
    return row.nodes[0].node.reason_uid if row.nodes and row.nodes[0].node.reason else NO_USER


def _size(letter: str, names: str, header: str, name: str) -> Field:
    """Return a field that shows a number of the nodes, or the least one."""

    def value(view: NodeView) -> int:
        return int(getattr(view.node, name))

    return Field(
        letter, names, header, lambda row: row.spread(value), lambda row: min(map(value, row.nodes), default=0)
    )


def _name_key(name: Callable[[NodeView], str]) -> Key:
    """Sort by the first of some names of the nodes, numbers in them by their size."""
    return lambda row: min((natural(name(view)) for view in row.nodes), default=("", -1))


def _busy(row: NodeRow) -> int:
    """Sort by how many nodes are allocated."""
    return row.node_counts()[0]


def _available(part: PartitionConf) -> str:
    return AVAIL.get(part.state, part.state)


def _mode(row: NodeRow) -> str:
    return preempt_mode(row.cluster.config, row.part.preempt_mode)


def _groups_key(row: NodeRow) -> str:
    return "" if _all(row.part.allow_groups) == "all" else row.part.allow_groups


def _features_key(row: NodeRow) -> str:
    return row.first(lambda view: view.node.features, "")


def _sct_key(row: NodeRow) -> tuple[int, ...]:
    """Sort by the least sockets, cores and threads."""
    nodes = [view.node for view in row.nodes]
    names = ("sockets", "cores_per_socket", "threads_per_core")
    return tuple(min((getattr(node, name) for node in nodes), default=0) for name in names)


def reason_time(view: NodeView) -> str:
    """Return when a node got its reason."""
    return stamp(view.node.reason_time, view.cluster.now, "Unknown")


PARTITION_FIELDS = (
    Field("P", "partition", "PARTITION", partition, lambda row: row.part.partition_name, mark="*"),
    Field("#P", "", "PARTITION", partition, lambda row: row.place),
    _part("R", "partitionname", "PARTITION", lambda part: part.partition_name, lambda row: row.part.partition_name),
    Field("#R", "", "PARTITION", partition, lambda row: row.place),
    _part("a", "available", "AVAIL", _available, lambda row: _place(STATES, row.part.state)),
    Field("l", "time", "TIMELIMIT", lambda row: _minutes(row.part.max_time, "infinite"), _time_key),
    Field("L", "defaulttime", "DEFAULTTIME", lambda row: _minutes(row.part.default_time, "n/a")),
    Field("s", "size", "JOB_SIZE", job_size, _size_key),
    _part("r", "root", "ROOT", lambda part: "yes" if part.root_only else "no", lambda row: row.part.root_only),
    _part("h", "oversubscribe share", "OVERSUBSCRIBE", over_subscribe, _shares),
    _part("g", "groups", "GROUPS", lambda part: _all(part.allow_groups), _groups_key),
    _part("S", "allocnodes", "ALLOCNODES", lambda part: _all(part.allow_alloc_nodes),
        lambda row: row.part.priority_job_factor),  # as Slurm sorts by this letter
    _part("p", "prioritytier", "PRIO_TIER", lambda part: part.priority_tier, lambda row: row.part.priority_tier),
    _part("I", "priorityjobfactor", "PRIO_JOB_FACTOR", lambda part: part.priority_job_factor),
    Field("M", "preemptmode", "PREEMPT_MODE", _mode, lambda row: _place(MODES, _mode(row))),
    _part("B", "maxcpuspernode", "MAX_CPUS_PER_NODE", lambda part: number(part.max_cpus_per_node)),
    _part("V", "cluster", "CLUSTER", lambda _: "N/A"),
)  # fmt: skip
"""Fields of a partition."""

NODE_FIELDS = (
    Field("t", "statecompact", "STATE", lambda row: row.first(lambda view: view.compact), lambda row: row.rank),
    Field("T", "statelong", "STATE", lambda row: row.state, lambda row: row.rank),
    _node("", "statecomplete", "STATECOMPLETE", lambda view: view.full.lower()),
    _node("E", "reason", "REASON", lambda view: _reason(view) or "none", lambda row: row.first(_reason, "")),
    _node("H", "timestamp", "TIMESTAMP", reason_time, lambda row: row.nodes[0].node.reason_time if row.nodes else 0),
    _node("u", "user", "USER", user, _giver),
    _node("U", "userlong", "USER", lambda view: user(view, long=True), _giver),
    _node("f", "features", "AVAIL_FEATURES", lambda view: null(view.node.features), _features_key),
    _node("b", "features_act", "ACTIVE_FEATURES", lambda view: null(view.node.active_features)),
    _node("G", "gres", "GRES", lambda view: null(view.node.gres)),
    _node("", "gresused", "GRES_USED", lambda view: null(view.gres_used)),
    _node("i", "reservation resvname", "RESERVATION", lambda view: view.reservation),
    _node("", "allocmem", "ALLOCMEM", lambda view: str(view.memory_used)),
    _node("", "comment", "COMMENT", lambda view: null(view.node.comment)),
    _node("", "extra", "EXTRA", lambda view: null(view.node.extra)),
    _node("n", "nodehost", "HOSTNAMES", lambda view: view.hostname, _name_key(lambda view: view.hostname)),
    _node("o", "nodeaddr", "NODE_ADDR", lambda view: view.address, _name_key(lambda view: view.address)),
)
"""Fields in which the nodes of a line agree."""

SUM_FIELDS = (
    Field("D", "nodes", "NODES", lambda row: str(len(row.nodes)), lambda row: len(row.nodes)),
    Field("N", "nodelist", "NODELIST", lambda row: row.names, _name_key(lambda view: view.node.name)),
    Field("A", "nodeai", "NODES(A/I)", lambda row: slashed(row.node_counts()[:2]), _busy),
    Field("F", "nodeaiot", "NODES(A/I/O/T)", lambda row: slashed(row.node_counts()), _busy),
    Field("C", "cpusstate", "CPUS(A/I/O/T)", lambda row: slashed(row.cpu_counts())),
)
"""Fields that are summed over the nodes of a line."""

SIZE_FIELDS = (
    _size("c", "cpus", "CPUS", "cpus"),
    _size("X", "sockets", "SOCKETS", "sockets"),
    _size("Y", "cores", "CORES", "cores_per_socket"),
    _size("Z", "threads", "THREADS", "threads_per_core"),
    _size("m", "memory", "MEMORY", "real_memory"),
    _size("d", "disk", "TMP_DISK", "tmp_disk"),
    _size("w", "weight", "WEIGHT", "weight"),
    Field("z", "socketcorethread", "S:C:T", sct, _sct_key),
    Field(
        "e",
        "freemem",
        "FREE_MEM",
        lambda row: row.spread(lambda view: view.free_memory, "-"),
        lambda row: min((view.free_memory for view in row.nodes), default=0),
    ),
    Field("O", "cpusload", "CPU_LOAD", lambda row: row.first(lambda _: "0.00"), lambda _: 0),
    Field("v", "version", "VERSION", lambda row: row.first(lambda view: view.cluster.config.version.release)),
    Field("", "port", "PORT", lambda row: row.first(lambda view: view.port)),
)
"""Sizes of the nodes. With ``--exact`` the nodes of a line agree in them."""

LINES = Table([*PARTITION_FIELDS, *NODE_FIELDS, *SUM_FIELDS, *SIZE_FIELDS], unsorted=None, every="ALL")
UNSHARED = frozenset({"allocnodes", "cluster", "oversubscribe share"})
"""Names of partition fields that do not part lines: of several partitions on one line, the first one's is shown."""

SHARED = frozenset(field for field in (*PARTITION_FIELDS, *NODE_FIELDS) if field.names not in UNSHARED)
EXACT = SHARED | frozenset(SIZE_FIELDS)
NAMING = frozenset(field for field in PARTITION_FIELDS if field.letter in ("P", "R"))
"""Fields of which one must be shown so that partitions without nodes are listed."""
