"""What ``sinfo -v`` prints ahead of a list: the options as it understood them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.render.units import long_date

if TYPE_CHECKING:
    from slimsched.cli.command import Given
    from slimsched.model.cluster import Cluster
    from slimsched.render.columns import Column, Format

RULE = "-" * 29

SWITCH, COUNT, TEXT = range(3)
SINFO = (
    ("dead       ", "dead", SWITCH),
    ("exact      ", "exact", COUNT),
    ("filtering  ", "", SWITCH),
    ("format     ", "format", TEXT),
    ("iterate    ", "iterate", COUNT),
    ("long       ", "long", SWITCH),
    ("no_header  ", "noheader", SWITCH),
    ("node_field ", "Node", SWITCH),
    ("node_format", "Node", SWITCH),
    ("nodes      ", "nodes", TEXT),
    ("part_field ", "", SWITCH),
    ("partition  ", "partition", TEXT),
    ("responding ", "responding", SWITCH),
    ("states     ", "states", TEXT),
    ("sort       ", "sort", TEXT),
    ("summarize  ", "summarize", SWITCH),
    ("verbose    ", "verbose", COUNT),
)
"""Line of ``sinfo -v``: its name, the option, and how it is shown."""

FLAGS = (
    ("all_flag        = ", ""),
    ("alloc_mem_flag  = ", "allocmem"),
    ("avail_flag      = ", "available"),
    ("comment_flag    = ", "comment"),
    ("cpus_flag       = ", "cpus"),
    ("default_time_flag =", "defaulttime"),
    ("disk_flag       = ", "disk"),
    ("extra_flag      = ", "extra"),
    ("features_flag   = ", "features"),
    ("features_flag_act = ", "features_act"),
    ("groups_flag     = ", "groups"),
    ("gres_flag       = ", "gres"),
    ("gres_used_flag  = ", "gresused"),
    ("job_size_flag   = ", "size"),
    ("max_time_flag   = ", "time"),
    ("memory_flag     = ", "memory"),
    ("partition_flag  = ", "partition"),
    ("port_flag       = ", "port"),
    ("priority_job_factor_flag   = ", "priorityjobfactor"),
    ("priority_tier_flag   = ", "prioritytier"),
    ("reason_flag     = ", "reason"),
    ("reason_timestamp_flag = ", "timestamp"),
    ("reason_user_flag = ", "user"),
    ("reservation_flag = ", ""),
    ("resv_name_flag   = ", "reservation"),
    ("root_flag       = ", "root"),
    ("oversubscribe_flag      = ", "oversubscribe"),
    ("state_flag      = ", "statecompact"),
    ("statecomplete_flag = ", "statecomplete"),
    ("weight_flag     = ", "weight"),
)
"""Line of ``sinfo -v`` on a field that lines may be told apart by, and the field's name in the long format."""


def sinfo(given: Given, wanted: Format, cluster: Cluster) -> list[str]:
    """Return the lines of ``sinfo -v`` for the columns that will be shown."""
    shown = {name for field in wanted.fields for name in field.names.split(" ")}
    listed = []
    for name, option, kind in SINFO:
        value = _value(given, option, kind)
        if name.startswith("part_field"):
            value = _word("partition" in shown)
        elif option == "format":
            value = ",".join(_spelled(column) for column in wanted.columns)
        elif option in ("nodes", "partition") and not given.has(option):
            value = "n/a"
        listed.append(f"{name} = {value}")
    flags = [f"{name}{_word(field in shown)}" for name, field in FLAGS]
    return [RULE, *listed, RULE, *flags, RULE, "", long_date(cluster.now)]


def _spelled(column: Column) -> str:
    """Return a column as the long format spells it."""
    name = column.field.names.split(" ")[0] if column.field else ""
    return f"{name}:{'.' * column.right}{column.width}{column.suffix}"


def _value(given: Given, option: str, kind: int) -> str:
    """Return an option as it is shown."""
    if kind == SWITCH:
        return _word(given.has(option))
    if kind == COUNT:
        return str(given.count(option))
    return given.last(option) or "(null)"


def _word(value: bool) -> str:
    return "true" if value else "false"
