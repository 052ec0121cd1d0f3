"""The fields of a reservation as ``scontrol create`` and ``update reservation`` read them.

A reader sets values in a trial copy; which nodes the reservation gets is decided afterwards, from all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from slimsched.controller.submit import resource_texts, text_checks
from slimsched.errno import Errno
from slimsched.errors import SlurmError, SyntaxFault, UserError
from slimsched.text import moments, times
from slimsched.text.sizes import is_number

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from slimsched.controller.update.job import Assignment
    from slimsched.model.cluster import Cluster
    from slimsched.model.reservation import Reservation

    Reader = Callable[["Draft", Assignment], None]

FLAGS = (
    *("MAINT", "NO_HOLD_JOBS_AFTER_END", "OVERLAP", "IGNORE_JOBS", "HOURLY", "DAILY", "WEEKDAY", "WEEKEND", "WEEKLY"),
    *("SPEC_NODES", "ALL_NODES", "ANY_NODES", "STATIC_ALLOC", "PART_NODES", "PURGE_COMP", "LICENSE_ONLY", "TIME_FLOAT"),
    *("REPLACE_DOWN", "REPLACE", "FLEX", "MAGNETIC", "USER_DELETE", "FORCE_START"),
)
"""The flags, in the order in which Slurm shows them."""

FLAG_WORDS = (
    *(("MAINTENANCE", 3, "MAINT"), ("OVERLAP", 1, "OVERLAP"), ("FLEX", 1, "FLEX"), ("IGNORE_JOBS", 1, "IGNORE_JOBS")),
    *(("HOURLY", 1, "HOURLY"), ("DAILY", 1, "DAILY"), ("WEEKDAY", 1, "WEEKDAY"), ("WEEKEND", 1, "WEEKEND")),
    *(("WEEKLY", 1, "WEEKLY"), ("ANY_NODES", 1, "ANY_NODES"), ("LICENSE_ONLY", 1, "ANY_NODES")),
    *(("STATIC_ALLOC", 1, "STATIC_ALLOC"), ("SPEC_NODES", 2, "SPEC_NODES"), ("ALL_NODES", 2, "ALL_NODES")),
    *(("PART_NODES", 2, "PART_NODES"), ("PURGE_COMP", 2, "PURGE_COMP"), ("TIME_FLOAT", 1, "TIME_FLOAT")),
    *(("MAGNETIC", 3, "MAGNETIC"), ("PROMISCUOUS", 3, "MAGNETIC"), ("REPLACE", 1, "REPLACE")),
    *(("REPLACE_DOWN", 8, "REPLACE_DOWN"), ("NO_HOLD_JOBS_AFTER_END", 1, "NO_HOLD_JOBS_AFTER_END")),
    *(("USER_DELETE", 1, "USER_DELETE"), ("FORCE_START", 2, "FORCE_START")),
)
"""How a flag may be written, the fewest letters, and the flag; the first that fits is taken."""


@dataclass(slots=True)
class Draft:
    """A reservation in the making; ``outcome`` ends every refusal ("No reservation created.")."""

    cluster: Cluster
    resv: Reservation
    outcome: str
    duration: int | None = None  # seconds
    node_text: str | None = None
    node_sign: str = ""  # of Nodes+= and Nodes-=
    start_given: bool = False
    skip: bool = False
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
    draft.start_given = True


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
    draft.node_text, draft.node_sign = item.value, item.sign


def _node_cnt(draft: Draft, item: Assignment) -> None:
    if not is_number(item.value):
        raise draft.error(f"Invalid node count {item.written}.")
    draft.node_cnt = int(item.value)


def _core_cnt(draft: Draft, item: Assignment) -> None:
    if not is_number(item.value):
        raise draft.error(f"Invalid core count {item.written}.")
    draft.core_cnt = int(item.value)


def _flags(draft: Draft, item: Assignment) -> None:
    """Read ``Flags``: a list of flags or their beginnings; ``-FLAG`` or ``-=`` takes one away."""
    kept = set(draft.resv.flags)
    for word in item.value.split(","):
        written, equals, value = word.lstrip("+-").partition("=")
        name = _flag(written)
        if not name or (equals and name != "PURGE_COMP"):
            raise draft.error(f"Error parsing flags {item.value}.")
        gone = word.startswith("-") or item.sign == "-"
        (kept.discard if gone else kept.add)(name)
        if name == "PURGE_COMP":
            draft.resv.purge_comp = 0 if gone else _seconds(draft, item, value) if equals else PURGED_AFTER
    draft.resv.flags = [flag for flag in FLAGS if flag in kept]


PURGED_AFTER = 300
"""Seconds without a job after which ``PURGE_COMP`` drops a reservation if it does not say how long."""


def _flag(word: str) -> str:
    """Return the flag that a word means, "" for none."""
    upper = word.upper()
    if upper in FLAGS:
        return upper
    return next((f for name, letters, f in FLAG_WORDS if len(upper) >= letters and name.startswith(upper)), "")


def _seconds(draft: Draft, item: Assignment, text: str) -> int:
    """Return a span of time in seconds. Raises `UserError`."""
    try:
        return times.span(text)
    except SyntaxFault:
        raise draft.error(f"Invalid duration {item.written}.") from None


def _max_start_delay(draft: Draft, item: Assignment) -> None:
    draft.resv.max_start_delay = _seconds(draft, item, item.value)


def _tres(draft: Draft, item: Assignment) -> None:
    """Read ``TRES``: ``cpu=4,node=2,license/matlab=1``."""
    found: list[str] = []
    for part in item.value.split(","):
        kind, _, count = part.partition("=")
        if not is_number(count):
            raise SlurmError(Errno.INVALID_TRES)
        if kind.lower() == "cpu":
            draft.core_cnt = int(count)
        elif kind.lower() == "node":
            draft.node_cnt = int(count)
        elif kind.lower().startswith("license/"):
            found.append(f"{kind[8:]}:{count}")
        else:
            raise SlurmError(Errno.INVALID_TRES)
    if found:
        draft.resv.licenses = ",".join(found)


def _licenses(draft: Draft, item: Assignment) -> None:
    resource_texts.check_licenses(draft.cluster, item.value)
    draft.resv.licenses = item.value


def _features(draft: Draft, item: Assignment) -> None:
    text_checks.features(draft.cluster, item.value, Errno.INVALID_FEATURE)
    draft.resv.features = item.value


def _skip(draft: Draft, item: Assignment) -> None:
    draft.skip = True


ABSENT = {
    "users": Errno.USER_ID_MISSING,
    "groups": Errno.GROUP_ID_MISSING,
    "accounts": Errno.INVALID_ACCOUNT,
}
"""What is said about a name that is to be taken out of a list and is not in it."""


def _list(attribute: str) -> Reader:
    """Return the reader of a list of names; ``+=`` and ``-=`` change the present one."""

    def read_list(draft: Draft, item: Assignment) -> None:
        names = [name for name in item.value.split(",") if name]
        present = [name for name in getattr(draft.resv, attribute).split(",") if name]
        if item.sign == "+":
            names = [*present, *(name for name in names if name not in present)]
        elif item.sign == "-":
            if not set(names) <= set(present):
                raise SlurmError(ABSENT[attribute])
            names = [name for name in present if name not in names]
        setattr(draft.resv, attribute, ",".join(names))

    return read_list


def _partitions(draft: Draft, item: Assignment) -> None:
    known = draft.cluster.partitions.keys()
    draft.resv.allowed_partitions = _members(draft.resv.allowed_partitions, item, known, Errno.INVALID_PARTITION_NAME)


def _qos(draft: Draft, item: Assignment) -> None:
    known = [key.removeprefix("qos ") for key in draft.cluster.accounting if key.startswith("qos ")]
    draft.resv.qos = _members(draft.resv.qos, item, known, Errno.INVALID_QOS)


def _members(present: str, item: Assignment, known: Collection[str], wrong: Errno) -> str:
    """Return a list of known names, all let in or ("-name") all kept out, after a change.

    A sign before a name, or ``+=`` and ``-=`` for all, changes the present list, any other name begins a new one.
    Raises `SlurmError` with ``wrong`` for a name that is not known, a mixed list and one without names.
    """
    words = [f"{item.sign}{word}" for word in item.value.split(",") if word]
    names = {word.lstrip("-") for word in present.split(",") if word}
    out = (present or words[0] if words else "").startswith("-")
    if not present and any(word.startswith("+") or word.startswith("-") != out for word in words):
        raise SlurmError(wrong)
    for number, word in enumerate(words):
        name = word.lstrip("+-")
        if name not in known:
            raise SlurmError(wrong)
        if word[0] not in "+-" and number == 0:
            names, out = set(), False
        (names.add if word.startswith("-") == out else names.discard)(name)
    if not names:
        raise SlurmError(wrong)
    return ",".join(f"-{name}" if out else name for name in sorted(names))


def _text(attribute: str) -> Reader:
    return lambda draft, item: setattr(draft.resv, attribute, item.value)


def _partition(draft: Draft, item: Assignment) -> None:
    if item.value not in draft.cluster.partitions:
        raise SlurmError(Errno.INVALID_PARTITION_NAME)
    draft.resv.partition = item.value


FIELDS: dict[str, Reader] = {
    "Accounts": _list("accounts"),
    "AllowedPartitions": _partitions,
    "BurstBuffer": _text("burst_buffer"),
    "Comment": _text("comment"),
    "CoreCnt": _core_cnt,
    "Duration": _duration,
    "EndTime": _end,
    "Features": _features,
    "Flags": _flags,
    "Groups": _list("groups"),
    "Licenses": _licenses,
    "MaxStartDelay": _max_start_delay,
    "NodeCnt": _node_cnt,
    "Nodes": _nodes,
    "PartitionName": _partition,
    "QOS": _qos,
    "Skip": _skip,
    "StartTime": _start,
    "TRES": _tres,
    "TRESPerNode": _text("tres_per_node"),
    "Users": _list("users"),
}
"""Field of a reservation -> its reader."""
