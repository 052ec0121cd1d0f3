"""The fields of a reservation as ``scontrol create`` and ``update reservation`` read them.

A reader sets values in a trial copy; which nodes the reservation gets is decided afterwards, from all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from slimsched.errors import SyntaxFault, UserError
from slimsched.text import moments, times

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slimsched.controller.update_job import Assignment
    from slimsched.model.cluster import Cluster
    from slimsched.model.reservation import Reservation

    Reader = Callable[["Draft", Assignment], None]

FLAGS = (
    *("MAINT", "NO_HOLD_JOBS_AFTER_END", "OVERLAP", "IGNORE_JOBS", "HOURLY", "DAILY", "WEEKDAY", "WEEKEND", "WEEKLY"),
    *("SPEC_NODES", "ALL_NODES", "ANY_NODES", "STATIC_ALLOC", "PART_NODES", "PURGE_COMP", "LICENSE_ONLY", "TIME_FLOAT"),
    *("REPLACE_DOWN", "REPLACE", "FLEX", "MAGNETIC", "USER_DELETE", "FORCE_START"),
)
"""The flags, in the order in which Slurm shows them."""

LEAST = 3  # letters of an abbreviated flag


@dataclass(slots=True)
class Draft:
    """A reservation in the making; ``outcome`` ends every refusal ("No reservation created.")."""

    cluster: Cluster
    resv: Reservation
    outcome: str
    duration: int | None = None  # seconds
    node_text: str | None = None
    node_cnt: int | None = None
    core_cnt: int | None = None
    end_given: bool = False

    def error(self, text: str) -> UserError:
        """Return a refusal in scontrol's words."""
        return UserError(f"{text}  {self.outcome}")


def read(draft: Draft, assignments: Sequence[Assignment]) -> None:
    """Take the fields of a command. Raises `UserError`."""
    for item in assignments:
        FIELDS[item.field](draft, item)


def _moment(draft: Draft, item: Assignment, what: str) -> int:
    try:
        return moments.moment(item.value, draft.cluster.now)
    except SyntaxFault as fault:
        error = draft.error(f"Invalid {what} time {item.written}.")
        error.preface = fault.message
        raise error from None


def _start(draft: Draft, item: Assignment) -> None:
    draft.resv.start_time = _moment(draft, item, "start")


def _end(draft: Draft, item: Assignment) -> None:
    draft.resv.end_time = _moment(draft, item, "end")
    draft.end_given = True


def _duration(draft: Draft, item: Assignment) -> None:
    """Read ``Duration``: minutes, or a Slurm time; ``+=`` and ``-=`` change the present one."""
    try:
        seconds = times.minutes(item.value) * 60
    except SyntaxFault:
        raise draft.error(f"Invalid duration {item.written}.") from None
    if seconds >= times.INFINITE * 60:
        seconds = 365 * 86400
    present = draft.resv.end_time - draft.resv.start_time
    draft.duration = present + seconds if item.sign == "+" else present - seconds if item.sign == "-" else seconds


def _nodes(draft: Draft, item: Assignment) -> None:
    draft.node_text = item.value


def _node_cnt(draft: Draft, item: Assignment) -> None:
    if not (item.value.isascii() and item.value.isdigit() and len(item.value) < 10):
        raise draft.error(f"Invalid node count {item.written}.")
    draft.node_cnt = int(item.value)


def _core_cnt(draft: Draft, item: Assignment) -> None:
    if not (item.value.isascii() and item.value.isdigit() and 0 < len(item.value) < 10):
        raise draft.error(f"Invalid core count {item.written}.")
    draft.core_cnt = int(item.value)


def _flags(draft: Draft, item: Assignment) -> None:
    """Read ``Flags``: a list of flags or their beginnings; ``-FLAG`` or ``-=`` takes one away."""
    kept = set(draft.resv.flags)
    for word in item.value.split(","):
        name = _flag(word.lstrip("+-"))
        if not name:
            raise draft.error(f"Error parsing flags {item.value}.")
        if word.startswith("-") or item.sign == "-":
            kept.discard(name)
        else:
            kept.add(name)
    draft.resv.flags = [flag for flag in FLAGS if flag in kept]


def _flag(word: str) -> str:
    """Return the flag that a word means, "" for none."""
    upper = word.partition("=")[0].upper()
    if upper in FLAGS:
        return upper
    return next((flag for flag in FLAGS if len(upper) >= LEAST and flag.startswith(upper)), "")


def _list(attribute: str) -> Reader:
    """Return the reader of a list of names; ``+=`` and ``-=`` change the present one."""

    def read_list(draft: Draft, item: Assignment) -> None:
        names = [name for name in item.value.split(",") if name]
        present = [name for name in getattr(draft.resv, attribute).split(",") if name]
        if item.sign == "+":
            names = [*present, *(name for name in names if name not in present)]
        elif item.sign == "-":
            names = [name for name in present if name not in names]
        setattr(draft.resv, attribute, ",".join(names))

    return read_list


def _text(attribute: str) -> Reader:
    return lambda draft, item: setattr(draft.resv, attribute, item.value)


def _partition(draft: Draft, item: Assignment) -> None:
    if item.value not in draft.cluster.partitions:
        raise draft.error(f"Invalid partition name {item.value}.")
    draft.resv.partition = item.value


FIELDS: dict[str, Reader] = {
    "Accounts": _list("accounts"),
    "BurstBuffer": _text("burst_buffer"),
    "Comment": _text("comment"),
    "CoreCnt": _core_cnt,
    "Duration": _duration,
    "EndTime": _end,
    "Features": _text("features"),
    "Flags": _flags,
    "Groups": _list("groups"),
    "Licenses": _text("licenses"),
    "NodeCnt": _node_cnt,
    "Nodes": _nodes,
    "PartitionName": _partition,
    "StartTime": _start,
    "Users": _list("users"),
}
"""Field of a reservation -> its reader."""

ALIASES = {
    "User": "Users",
    "Account": "Accounts",
    "NodeCount": "NodeCnt",
    "Partition": "PartitionName",
    "Flag": "Flags",
}
"""Other names of them."""
