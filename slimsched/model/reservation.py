"""The advance reservation."""

import msgspec


class Reservation(msgspec.Struct, omit_defaults=True, kw_only=True):
    """Nodes held from ``start_time`` to ``end_time`` (seconds since 1970) for ``users`` or ``accounts``."""

    name: str
    start_time: int = 0
    end_time: int = 0
    nodes: str = ""
    node_cnt: int = 0
    core_cnt: int = 0
    cores: dict[str, int] = {}  # node -> CPUs, if it holds some CPUs of its nodes and not all
    features: str = ""
    partition: str = ""
    flags: list[str] = []  # MAINT, FLEX, IGNORE_JOBS, DAILY, SPEC_NODES, ALL_NODES, ...
    users: str = ""
    groups: str = ""
    accounts: str = ""
    licenses: str = ""
    tres: str = ""
    burst_buffer: str = ""
    comment: str = ""
    max_start_delay: int = 0  # seconds
    allowed_partitions: str = ""
    qos: str = ""
    tres_per_node: str = ""
    purge_comp: int = 0  # seconds of idleness after which it is dropped, 0: never
    idle_since: int = 0  # since when no job has asked for it, 0: one does, or it has not begun
    watts: str = ""
