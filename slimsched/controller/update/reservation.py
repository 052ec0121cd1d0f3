"""Reservations: the keys of ``scontrol create`` and ``update reservation``, put on a trial copy.

Which nodes the reservation gets is decided afterwards, from all of them (`reservation_change`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.requests import licensing, text_checks
from slimsched.controller.reservations.rules import FLAGS, flag_of
from slimsched.controller.update import fields
from slimsched.controller.update.fields import Change, Field, Given, Request
from slimsched.errors import SlurmError, SyntaxFault, UserError
from slimsched.model.reservation import Reservation
from slimsched.slurm import numbers, words
from slimsched.slurm.errno import Errno, ErrorCode
from slimsched.text import times
from slimsched.text.sizes import is_number

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from slimsched.controller.core import Controller
    from slimsched.controller.update.fields import KeyValue

CREATED, UPDATED = "No reservation created.", "No reservation update."
"""The end of every refusal in scontrol's own words."""


class Draft(Change[Reservation]):
    """A reservation in the making; ``outcome`` ends every refusal ("No reservation created.")."""

    def __init__(self, ctl: Controller, trial: Reservation, outcome: str) -> None:
        super().__init__(ctl, trial)
        self.outcome = outcome
        self.duration: int | None = None  # seconds
        self.node_text: str | None = None
        self.node_sign = ""  # of Nodes+= and Nodes-=
        self.node_cnt: int | None = None
        self.core_cnt: int | None = None
        self.start_given = self.end_given = self.skip = False

    def error(self, text: str) -> UserError:
        """Return a refusal in scontrol's words."""
        return UserError(f"{text}  {self.outcome}")


class Refused(UserError):
    """A wrong value, of which scontrol says what comes of it."""


ONCE = frozenset({"Accounts", "AllowedPartitions", "Comment", "Groups", "QOS", "Users"})
"""Fields that one command may give only once."""

SKIP = Field("Skip", 2, put=lambda draft, given: setattr(draft, "skip", True))


def parse(texts: list[str], outcome: str) -> Request:
    """Return the reservation that words name, and its fields. Raises `UserError` with ``outcome`` at its end."""

    def refuse(word: KeyValue, field: Field | None) -> UserError:
        if word.text is None:
            said = f"Misformatted parameter '{word.written}', most options have a parameter after '='."
        elif field is None:
            said = f"Unknown parameter {word.written}."
        else:
            said = f"The +=/-= notation is not supported when updating {word.tag}."
        return UserError(f"{said}  {outcome}")

    skips = [text for text in texts if "=" not in text and words.find((SKIP,), text)]
    # the entity itself may stand without a value
    pairs = [text for text in texts if "=" in text or not (text in skips or text.lower().startswith("res"))]
    try:
        given = fields.read(pairs, FIELDS, refuse)
    except Refused as error:
        error.message += f"  {outcome}"
        raise
    given += [Given(SKIP, "", written="Skip") for _ in skips[:1]]
    seen: set[str] = set()
    for item in given:
        if item.field.name in ONCE & seen:
            raise UserError(f"Parameter {item.written} specified more than once")
        seen.add(item.field.name)
    if outcome == UPDATED and "ReservationName" not in seen:
        raise UserError(f"Reservation must be given.  {outcome}")
    name = next((item.text for item in reversed(given) if item.field.name == "ReservationName"), "")
    return Request(name, [item for item in given if item.field.name != "ReservationName"])


# readers, of the text alone


NO_LIST = "Using a comma separated array for {} is no longer valid."


def _node_count(given: Given) -> int:
    """Read how many nodes."""
    if "," in given.text:
        raise UserError(NO_LIST.format("NodeCnt"))
    return fields.node_count(given)


def _core_count(given: Given) -> int:
    """Read how many cores."""
    if "," in given.text:
        raise UserError(NO_LIST.format("CoreCnt"))
    number = numbers.whole(given.text)
    if number is None or not given.text:
        raise UserError(f"Invalid core count {given.text}")
    return number


def _instant(what: str) -> Callable[[Given], Callable[[int], int]]:
    def read(given: Given) -> Callable[[int], int]:
        try:
            return fields.instant(given.text)
        except SyntaxFault as fault:
            from slimsched.text import mistyped

            notes = (mistyped.instant(given.text),)
            raise Refused(f"Invalid {what} time {given.written}.", preface=fault.message, notes=notes) from None

    return read


def _duration(given: Given) -> int:
    """Read ``Duration``: minutes, or a Slurm time, in seconds."""
    try:
        minutes = times.minutes(given.text)
    except SyntaxFault:
        from slimsched.text import mistyped

        raise Refused(f"Invalid duration {given.written}.", notes=(mistyped.limit(given.text),)) from None
    return times.YEAR if minutes >= times.INFINITE else minutes * 60


def _span(given: Given) -> int:
    """Read a span of time in seconds."""
    return _seconds(given, given.text)


def _seconds(given: Given, text: str) -> int:
    try:
        return times.span(text)
    except SyntaxFault:
        raise Refused(f"Invalid duration {given.written}.") from None


class FlagChange(NamedTuple):
    """A flag that is set, or taken away if ``gone``; ``seconds`` are those of ``PURGE_COMP``."""

    flag: str
    gone: bool
    seconds: int


def _flags(given: Given) -> list[FlagChange]:
    """Read ``Flags``: a list of flags or their beginnings; ``-FLAG`` or ``-=`` takes one away."""
    found = []
    for word in given.text.split(","):
        written, equals, value = word.lstrip("+-").partition("=")
        name = flag_of(written)
        if not name or (equals and name != "PURGE_COMP"):
            raise Refused(f"Error parsing flags {given.text}.")
        gone = word.startswith("-") or given.sign == "-"
        found.append(FlagChange(name, gone, _seconds(given, value) if equals and not gone else PURGED_AFTER))
    return found


PURGED_AFTER = 300
"""Seconds without a job after which ``PURGE_COMP`` drops a reservation if it does not say how long."""


# what a value changes


def _put_start(draft: Draft, given: Given) -> None:
    draft.trial.start_time = given.value(draft.ctl.cluster.now)
    draft.start_given = True


def _put_end(draft: Draft, given: Given) -> None:
    draft.trial.end_time = given.value(draft.ctl.cluster.now)
    draft.end_given = True


def _put_duration(draft: Draft, given: Given) -> None:
    """Put ``Duration``; ``+=`` and ``-=`` change the present one."""
    present = draft.trial.end_time - draft.trial.start_time
    draft.duration = {"+": present + given.value, "-": present - given.value}.get(given.sign, given.value)


def _put_nodes(draft: Draft, given: Given) -> None:
    draft.node_text, draft.node_sign = given.text, given.sign


def _put_node_cnt(draft: Draft, given: Given) -> None:
    draft.node_cnt = given.value


def _put_core_cnt(draft: Draft, given: Given) -> None:
    draft.core_cnt = given.value


def _put_flags(draft: Draft, given: Given) -> None:
    kept = set(draft.trial.flags)
    for change in given.value:
        if change.gone:
            kept.discard(change.flag)
        else:
            kept.add(change.flag)
        if change.flag == "PURGE_COMP":
            draft.trial.purge_comp = 0 if change.gone else change.seconds
    draft.trial.flags = [flag for flag in FLAGS if flag in kept]


def _put_tres(draft: Draft, given: Given) -> None:
    """Put ``TRES``: ``cpu=4,node=2,license/matlab=1``."""
    found: list[str] = []
    for part in given.text.split(","):
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
        draft.trial.licenses = ",".join(found)


def _put_licenses(draft: Draft, given: Given) -> None:
    licensing.check(draft.ctl.cluster, given.text)
    draft.trial.licenses = given.text


def _put_features(draft: Draft, given: Given) -> None:
    text_checks.features(draft.ctl.cluster, given.text, Errno.INVALID_FEATURE)
    draft.trial.features = given.text


ABSENT = {
    "users": Errno.USER_ID_MISSING,
    "groups": Errno.GROUP_ID_MISSING,
    "accounts": Errno.INVALID_ACCOUNT,
}
"""What is said about a name that is to be taken out of a list and is not in it."""


def _list(attribute: str) -> Callable[[Draft, Given], None]:
    """Return what puts a list of names; ``+=`` and ``-=`` change the present one."""

    def put(draft: Draft, given: Given) -> None:
        present = getattr(draft.trial, attribute)
        if given.sign == "-" and not set(given.text.split(",")) - {""} <= set(present.split(",")):
            raise SlurmError(ABSENT[attribute])
        setattr(draft.trial, attribute, numbers.names(present, given.sign, given.text))

    return put


def _put_partitions(draft: Draft, given: Given) -> None:
    known = draft.ctl.cluster.partitions.keys()
    now = draft.trial.allowed_partitions
    draft.trial.allowed_partitions = _members(now, given, known, Errno.INVALID_PARTITION_NAME)


def _put_qos(draft: Draft, given: Given) -> None:
    known = [key.removeprefix("qos ") for key in draft.ctl.cluster.accounting if key.startswith("qos ")]
    draft.trial.qos = _members(draft.trial.qos, given, known, Errno.INVALID_QOS)


def _members(present: str, given: Given, known: Collection[str], wrong: ErrorCode) -> str:
    """Return a list of known names, all let in or ("-name") all kept out, after a change.

    A sign before a name, or ``+=`` and ``-=`` for all, changes the present list, any other name begins a new one.
    Raises `SlurmError` with ``wrong`` for a name that is not known, a mixed list and one without names.
    """
    words = [f"{given.sign}{word}" for word in given.text.split(",") if word]
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


def _put_partition(draft: Draft, given: Given) -> None:
    if given.text not in draft.ctl.cluster.partitions:
        raise SlurmError(Errno.INVALID_PARTITION_NAME)
    draft.trial.partition = given.text


FIELDS = (
    Field("Accounts", 1, put=_list("accounts"), signed=True),
    Field("AllowedPartitions", 3, put=_put_partitions, signed=True),
    Field("Comment", 3, put="comment"),
    Field("Flags", 2, _flags, _put_flags, signed=True),
    Field("Groups", 1, put=_list("groups"), signed=True),
    Field("QOS", 1, put=_put_qos, signed=True),
    Field("Users", 1, put=_list("users"), signed=True),
    Field("ReservationName", 1),
    Field("BurstBuffer", 2, put="burst_buffer"),
    Field("StartTime", 2, _instant("start"), _put_start),
    Field("EndTime", 1, _instant("end"), _put_end),
    Field("Duration", 1, _duration, _put_duration, signed=True),
    Field("MaxStartDelay", 2, _span, "max_start_delay"),
    Field("NodeCnt", 5, _node_count, _put_node_cnt),
    Field("NodeCount", 5, means="NodeCnt"),
    Field("CoreCnt", 5, _core_count, _put_core_cnt),
    Field("CoreCount", 5, means="CoreCnt"),
    Field("CPUCnt", 5, means="CoreCnt"),
    Field("CPUCount", 5, means="CoreCnt"),
    Field("Nodes", 5, put=_put_nodes, signed=True),
    Field("Features", 2, put=_put_features),
    Field("Licenses", 2, put=_put_licenses),
    Field("PartitionName", 1, put=_put_partition),
    Field("TRES", 1, put=_put_tres, signed=True),
    Field("TRESPerNode", 5, put="tres_per_node", signed=True),
)
"""In the order in which they are looked for."""
