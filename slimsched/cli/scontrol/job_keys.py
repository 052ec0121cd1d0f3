"""The keys of ``scontrol update JobId=``, in the order in which they are looked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.cli.scontrol import keys
from slimsched.cli.scontrol.keys import Key, Skipped, instant, minutes, u16, u32, u64, yes_no
from slimsched.errors import SyntaxFault, UserError
from slimsched.text.sizes import strtol

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.controller.update.job import Assignment

MAX_NICE = 2147483645
DEFAULT_NICE = "100"
BARE = (Key("Nice", 2, "Nice"), Key("ResetAccrueTime", 3, "ResetAccrueTime"))
"""Keys that may stand without a value."""


def _out_of_range(name: str, value: str) -> UserError:
    return UserError(f"{name} value out of range (+/- {MAX_NICE}). Value ignored")


def _priority_part(name: str, value: str) -> str:
    """Read a nice value or a site factor: the number at the beginning of the text, 0 without one."""
    number = strtol(value)[0]
    if abs(number) > MAX_NICE:
        raise _out_of_range(name, value)
    return str(number)


def _throttle(name: str, value: str) -> str:
    number = strtol(value)[0]
    if number < 0:
        raise UserError(f"Invalid {name} value")
    return str(number)


def _cpus(name: str, value: str) -> str:
    """Read ``NumCPUs``: ``4`` or ``4-8``."""
    try:
        low, high = keys.counts(value, name)
    except UserError as error:
        raise UserError(f"{error.message}\nInvalid {name} value: {value}") from None
    if low < 1 or (high is not None and high < low):
        raise keys.refusal(name, value)
    return value


def _nodes(name: str, value: str) -> str:
    """Read ``NumNodes``; text that is no number is reported, and the command does nothing then."""
    if value.upper() == "ALL":
        return value
    try:
        keys.counts(value, "requested node count")
    except UserError as error:
        error.exit_code = 0  # the real command forgets to fail
        raise
    return value


def _specialized(name: str, value: str) -> str:
    """Read how many cores or threads are the system's; ``-1`` and ``*`` take the wish back."""
    return "" if value in {"-1", "*"} else u16(name, value)


def _reboot(_name: str, value: str) -> str:
    return yes_no("reboot", value)


def _mail_type(name: str, value: str) -> str:
    """Read mail events as they are shown."""
    from slimsched.cli.submit.options.words import mail_type

    try:
        return mail_type(name, value)
    except (UserError, SyntaxFault):
        raise UserError(f"Invalid {name}: {value}", level="plain") from None


def _end(_name: str, value: str) -> str:
    """Read ``EndTime``: a wrong one is reported and changes nothing, and yet counts as a change."""
    try:
        return instant("EndTime", value)
    except Skipped as skipped:
        raise Skipped(skipped.said, counts=True) from None


JOB_KEYS = (
    Key("AdminComment", 6, "AdminComment", signed=True),
    Key("SiteFactor", 5, "SiteFactor", _priority_part),
    Key("ArrayTaskThrottle", 10, "ArrayTaskThrottle", _throttle),
    Key("Comment", 3, "Comment"),
    Key("Clusters", 8, "Clusters"),
    Key("ClusterFeatures", 8, "ClusterFeatures"),
    Key("DelayBoot", 5, "DelayBoot", minutes),
    Key("Extra", 3, "Extra"),
    Key("TimeLimit", 5, "TimeLimit", signed=True),
    Key("TimeMin", 5, "TimeMin", minutes),
    Key("Priority", 2, "Priority", u32),
    Key("Nice", 2, "Nice", _priority_part),
    Key("CPUsPerTask", 9, "CPUsPerTask", u16),
    Key("CpusPerTres", 9, "CpusPerTres"),
    Key("NumCPUs", 6, "NumCPUs", _cpus),
    Key("NumTasks", 8, "NumTasks", u32),
    Key("ReqProcs", 8, "NumTasks", lambda _, value: u32("NumTasks", value)),
    Key("Requeue", 4, "Requeue", u16),
    Key("ReqNodes", 8, "NumNodes", _nodes),
    Key("NumNodes", 8, "NumNodes", _nodes),
    Key("ReqSockets", 4, "ReqSockets", u16),
    Key("ReqCores", 4, "ReqCores", u16),
    Key("TasksPerNode", 2, "NtasksPerNode", u16),
    Key("ReqThreads", 4, "ReqThreads", u16),
    Key("MinCPUsNode", 4, "MinCPUsNode", u16),
    Key("MinMemoryNode", 10, "MinMemoryNode", u64),
    Key("MinMemoryCPU", 10, "MinMemoryCPU", u64),
    Key("MinTmpDiskNode", 5, "MinTmpDiskNode", u32),
    Key("Partition", 2, "Partition"),
    Key("QOS", 2, "QOS"),
    Key("ReservationName", 3, "ReservationName"),
    Key("Name", 2, "JobName"),
    Key("JobName", 4, "JobName"),
    Key("WCKey", 1, "WCKey"),
    Key("StdErr", 6, "StdErr"),
    Key("StdIn", 5, "StdIn"),
    Key("StdOut", 6, "StdOut"),
    Key("Switches", 5, "Switches"),
    Key("wait-for-switch", 5, "WaitForSwitch", u32),
    Key("OverSubscribe", 2, "OverSubscribe", yes_no),
    Key("Shared", 2, "OverSubscribe", lambda _, value: yes_no("OverSubscribe", value)),
    Key("Contiguous", 3, "Contiguous", yes_no),
    Key("CoreSpec", 4, "CoreSpec", _specialized),
    Key("MemPerTres", 5, "MemPerTres"),
    Key("ThreadSpec", 4, "ThreadSpec", _specialized),
    Key("TresBind", 5, "TresBind"),
    Key("TresFreq", 5, "TresFreq"),
    Key("TresPerJob", 8, "TresPerJob"),
    Key("TresPerNode", 8, "TresPerNode"),
    Key("TresPerSocket", 8, "TresPerSocket"),
    Key("TresPerTask", 8, "TresPerTask"),
    Key("ExcNodeList", 3, "ExcNodeList"),
    Key("NodeList", 8, "ReqNodeList"),
    Key("ReqNodeList", 8, "ReqNodeList"),
    Key("Features", 1, "Features"),
    Key("Prefer", 3, "Prefer"),
    Key("Gres", 2, "Gres"),
    Key("Account", 1, "Account"),
    Key("BurstBuffer", 1, "BurstBuffer"),
    Key("Dependency", 1, "Dependency"),
    Key("Licenses", 1, "Licenses"),
    Key("EligibleTime", 2, "EligibleTime", instant),
    Key("StartTime", 2, "StartTime", instant),
    Key("EndTime", 2, "EndTime", _end),
    Key("Reboot", 3, "Reboot", _reboot),
    Key("UserID", 3, "UserID"),
    Key("Deadline", 3, "Deadline", instant),
    Key("WorkDir", 2, "WorkDir"),
    Key("MailType", 5, "MailType", _mail_type),
    Key("MailUser", 5, "MailUser"),
)

JOB_ID = Key("JobId", 3, "JobId")
RESIZING = frozenset({"NumNodes", "ReqNodeList"})


class JobUpdate(NamedTuple):
    """A command line: which jobs, and what to change. ``given`` counts changes that come to nothing as well."""

    ids: str | None
    name: str | None
    user: str | None
    changes: list[Assignment]
    given: int


def parse(words: list[str], report: Callable[[str], None]) -> JobUpdate:
    """Read the words of an update; ``report`` gets what is wrong without stopping it. Raises `UserError`."""
    ids = user = name = None
    changes: list[Assignment] = []
    given, place = 0, 0
    while place < len(words):
        word, place = _next(words, place)
        value = word.value or ""
        key = keys.find((JOB_ID, *JOB_KEYS, *BARE), word.tag)
        if key is None:
            raise keys.aborted(keys.NOT_SUPPORTED.format(word.written))
        if key is JOB_ID:
            ids = value
        elif key.field == "UserID":
            user = _user(value)
        else:
            try:
                change = _change(key, word, ids)
            except Skipped as skipped:
                report(skipped.said)
                given += skipped.counts
                continue
            name = value if key.field == "JobName" else name
            changes.append(change)
            given += 1
        if word.sign and not key.signed:
            raise UserError(f"Option {word.written} does not accept [+|-]= syntax")
    return JobUpdate(ids, name, user, changes, given)


def _next(words: list[str], place: int) -> tuple[keys.Word, int]:
    """Return the word at a place, with the next word for its value if it has none, and the place behind it."""
    word = keys.cut(words[place])
    if word.value is not None:
        return word, place + 1
    bare = keys.find(BARE, word.tag)
    if bare is not None:
        return word._replace(tag=bare.name, value=DEFAULT_NICE if bare.name == "Nice" else ""), place + 1
    if place + 1 == len(words):
        raise keys.aborted(f"Invalid input: {word.written}")
    return word._replace(value=words[place + 1], written=words[place + 1]), place + 2


def _change(key: Key, word: keys.Word, ids: str | None) -> Assignment:
    from slimsched.controller.update.job import Assignment

    value, sign = word.value or "", word.sign
    if key.field == "AdminComment" and sign == "-":
        raise UserError("Invalid syntax, AdminComment can not be subtracted from.")
    if key.field == "TimeLimit":
        sign, value = _limit(sign, value, ids)
    return Assignment(key.field, key.read(key.name, value), sign, word.written)


def _limit(sign: str, value: str, ids: str | None) -> tuple[str, str]:
    """Return sign and time of ``TimeLimit=5``, ``=+5``, ``+=5``; the job must be known for a step up or down."""
    if value[:1] in {"+", "-"}:
        if sign:
            raise UserError("Invalid syntax, variations of +=- are not accepted.")
        sign, value = value[0], value[1:]
    minutes("TimeLimit", value)
    if sign and ids is None:
        raise UserError("JobId must precede TimeLimit increment or decrement")
    return sign, value


def _user(value: str) -> str:
    import pwd

    if not (value.isascii() and value.isdigit()):
        try:
            pwd.getpwnam(value)
        except (KeyError, ValueError):
            raise keys.aborted(f"Invalid UserID: {value}") from None
    return value
