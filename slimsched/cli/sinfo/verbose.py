"""The lines of ``sinfo -v`` before a list: the options as it understood them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from slimsched.cli.listing import RULE, first_set
from slimsched.cli.sinfo.choice import format_texts, partition_text, state_text

if TYPE_CHECKING:
    from slimsched.cli.program import Given
    from slimsched.render.columns import Column, Format

Shown = Callable[["Given", "Format"], object]


def _word(value: object) -> str:
    return "true" if value else "false"


def _switch(option: str) -> Shown:
    return lambda given, _: _word(given.has(option))


def _filtering(given: Given, wanted: Format) -> str:
    """Whether some nodes or partitions are left out."""
    chosen = (state_text(given), partition_text(given), given.last("nodes"))
    return _word(given.has("dead") or given.has("responding") or any(text is not None for text in chosen))


def _format(given: Given, wanted: Format) -> str:
    """Return the format as it was given, or what the options stand for in the long format."""
    text = next((text for text in format_texts(given) if text is not None), None)
    return ",".join(_spelled(column) for column in wanted.columns) if text is None else text


def _made_up(given: Given, wanted: Format) -> bool:
    """Whether the columns are those that the options stand for, and as wide as they need to be."""
    return format_texts(given) == (None, None) and not given.has("list-reasons")


LINES: tuple[tuple[str, Shown], ...] = (
    ("dead       ", _switch("dead")),
    ("exact      ", lambda given, _: int(given.has("exact"))),
    ("filtering  ", _filtering),
    ("format     ", _format),
    ("iterate    ", lambda given, _: given.last("iterate") or 0),
    ("long       ", _switch("long")),
    ("no_header  ", _switch("noheader")),
    ("node_field ", lambda given, wanted: _word(given.has("Node") and _made_up(given, wanted))),
    ("node_format", _switch("Node")),
    ("nodes      ", lambda given, _: given.last("nodes") or "n/a"),
    ("part_field ", lambda given, wanted: _word(_made_up(given, wanted))),
    ("partition  ", lambda given, _: partition_text(given) or "n/a"),
    ("responding ", _switch("responding")),
    ("states     ", lambda given, _: state_text(given) or "(null)"),
    ("sort       ", lambda given, _: first_set(given, "sort", "SINFO_SORT") or "(null)"),
    ("summarize  ", _switch("summarize")),
    ("verbose    ", lambda given, _: given.count("verbose")),
)
"""Lines: the name, and the function that reads its value."""

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
    ("oversubscribe_flag      = ", ""),  # Slurm does not set it for the letter h
    ("state_flag      = ", "statecompact"),
    ("statecomplete_flag = ", "statecomplete"),
    ("weight_flag     = ", "weight"),
)
"""Line of ``sinfo -v`` on a field that lines may be told apart by, and the field's name in the long format."""


def sinfo(given: Given, wanted: Format) -> list[str]:
    """Return the lines for the columns that will be shown; the date comes after them."""
    shown = {name for field in wanted.fields for name in field.names.split(" ")}
    every = given.has("all") or partition_text(given) is not None or "SINFO_ALL" in os.environ
    listed = [f"{name} = {value(given, wanted)}" for name, value in LINES]
    flags = [f"{name}{_word(field in shown if field else every and name.startswith('all'))}" for name, field in FLAGS]
    return [RULE, *listed, RULE, *flags, RULE, ""]


def _spelled(column: Column) -> str:
    """Return a column as the long format spells it."""
    name = column.field.names.split(" ")[0] if column.field else ""
    return f"{name}:{'.' * column.right}{column.width}{column.suffix}"
