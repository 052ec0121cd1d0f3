"""Messages of the Wiki protocol: nine bytes ahead, ``CK= TS= AUTH= DT=``, the words of a request. And ``wiki.conf``.

A message that cannot be framed gets no answer; one that is framed gets an answer whatever it holds.
The check sum is a CRC-16 of the text, mixed with the key: it keeps mistakes out and not attackers.
Source: the oracle's wiki.md, section 3, and its vectors.
"""

from __future__ import annotations

from binascii import crc_hqx
from typing import NamedTuple

from slimsched.errors import SimError, UserError

MASK = 0xFFFFFFFF
ROUNDS = (
    (0xCBA4E531, 0x12BE4590),
    (0x537158EB, 0xAB54CE58),
    (0x145CDC3C, 0x6954C7A6),
    (0x0D3FDEB2, 0x15A2CA46),
)
DIGITS = {"x": (16, "0123456789abcdef"), "0": (8, "01234567"), "": (10, "0123456789")}
"""First character after which digits follow -> base and digits of a key."""


def checksum(key: int, text: bytes) -> str:
    """Return the sixteen hexadecimal digits for a text under a key of 32 bits."""
    left, right = crc_hqx(text, 0), key & MASK
    for first, second in ROUNDS:
        mixed = right ^ first
        low, high = mixed & 0xFFFF, mixed >> 16
        turned = (low * low + (~(high * high) & MASK)) & MASK
        turned = (turned >> 16 | turned << 16) & MASK
        left, right = right, left ^ (((turned ^ second) + low * high) & MASK)
    return f"{left:08x}{right:08x}"


def key_of(text: str) -> int:
    """Return the number that a key's text stands for, as C reads it: 0x hexadecimal, 0 octal, else decimal.

    Reading stops at the first character that is not a digit; a text without digits is 0.
    """
    body = text.strip()[:32].lower()
    sign = -1 if body.startswith("-") else 1
    body = body.lstrip("+-")
    lead = "x" if body.startswith("0x") else "0" if body.startswith("0") else ""
    base, digits = DIGITS[lead]
    body = body[2:] if lead == "x" else body
    end = next((k for k, char in enumerate(body) if char not in digits), len(body))
    return sign * int(body[:end] or "0", base) & MASK


HEAD = 9
LONGEST = 1 << 20
"""Bytes of the longest body that is read."""

MAX_SKEW = 300
"""Seconds by which the clocks of the two sides may differ."""

MOST_TEXT = 127
"""Characters of a status answer; data may be longer."""

MALFORMED, SKEWED, FORGED, DENIED, UNSUPPORTED, UNFIT, NOT_STARTED = -300, -350, -422, -700, -810, -730, -910


class Refused(SimError):
    """A request is answered by a status code below zero."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class Settings(NamedTuple):
    """The settings of signed messages: the version of the protocol, the key (None: no key) and our user's name."""

    version: int = 1
    key: int | None = None
    user: str = "slurm"
    host_format: int = 0


def size_of(head: bytes) -> int | None:
    """Return the length that a head announces, None if it is none or too long to be read."""
    digits = head.lstrip(b" ")
    end = next((k for k, byte in enumerate(digits) if not 48 <= byte <= 57), len(digits))
    if len(head) != HEAD or not end or int(digits[:end]) > LONGEST:
        return None
    return int(digits[:end])


def frame(text: str) -> bytes:
    """Return a text as it is sent: its length, and a NUL byte that counts."""
    body = text.encode("utf-8", "surrogateescape") + b"\0"
    return b"%08d\n" % len(body) + body


def unframe(data: bytes) -> str:
    """Return the text of a body, up to the first NUL byte."""
    return data.split(b"\0", 1)[0].decode("utf-8", "surrogateescape")


def seal(text: str, settings: Settings, now: int) -> str:
    """Return an answer with its signature; without a key the seed is 0."""
    body = f"TS={now} AUTH={settings.user} DT={text}"
    return f"CK={checksum(settings.key or 0, body.encode('utf-8', 'surrogateescape'))} {body}"


def unseal(body: str, settings: Settings, now: int) -> str:
    """Return the payload of a request. Raises `Refused` if anything in the request is wrong.

    A signature is verified whenever there is a key, also in version 1, where the original did not. It covers the text
    from ``TS=`` on, and nothing else may stand ahead of that.
    """
    if settings.key is None and "CMD=" in body:
        return body[body.index("CMD=") :]
    covered = body[max(body.find("TS="), 0) :]
    for name in ("AUTH", "DT", "TS"):
        if f"{name}=" not in covered:
            raise Refused(MALFORMED, f"request lacks {name}")
    stamp = covered[3:].split(" ", 1)[0]
    sent = int(stamp) if stamp.isascii() and stamp.isdigit() and len(stamp) < 20 else 0
    if abs(now - sent) > MAX_SKEW:
        raise Refused(SKEWED, "TS value too far from NOW")
    expected = f"CK={checksum(settings.key or 0, covered.encode('utf-8', 'surrogateescape'))}"
    if settings.key is not None and body.removesuffix(covered).rstrip() != expected:
        raise Refused(FORGED, "bad checksum")
    payload = covered[covered.index("DT=") + 3 :]
    if "CMD=" not in payload:
        raise Refused(MALFORMED, "request lacks CMD")
    return payload[payload.index("CMD=") :]


def status(code: int, text: str) -> str:
    """Return the payload of an answer that is a code and a text."""
    return f"SC={code} RESPONSE={text}"[:MOST_TEXT]


def data(text: str) -> str:
    """Return the payload of an answer that is data."""
    return f"SC=0 ARG={text}"


class Words(NamedTuple):
    """A request: its command, the argument, and ``NAME=value`` options; the first of two with the same name counts."""

    command: str
    options: dict[str, str]
    text: str

    @property
    def argument(self) -> str:
        """The value of ``ARG=``. Raises `Refused` if there is none."""
        if "ARG" not in self.options:
            raise Refused(MALFORMED, f"{self.command} lacks ARG")
        return self.options["ARG"]

    @property
    def job_id(self) -> int:
        """The argument as a job id. Raises `Refused`."""
        return number(self.argument, "Invalid ARG value")

    def rest(self, name: str) -> str | None:
        """Return all that follows ``name=`` to the end of the message, None if it does not occur."""
        _, found, tail = self.text.partition(f" {name}=")
        return tail if found else None


def words(payload: str) -> Words:
    """Read a payload that begins with ``CMD=``; a value may stand in quotes of either kind."""
    options: dict[str, str] = {}
    place = 0
    while place < len(payload):
        if payload[place].isspace():
            place += 1
            continue
        end = _behind(payload, place, "=")
        if end >= len(payload) or payload[end] != "=":
            place = end
            continue
        name, (value, place) = payload[place:end], _value(payload, end + 1)
        options.setdefault(name, value)
    return Words(options.get("CMD", ""), options, payload)


def _behind(text: str, place: int, also: str = "") -> int:
    """Return where the word at ``place`` ends."""
    while place < len(text) and not text[place].isspace() and text[place] not in also:
        place += 1
    return place


def _value(text: str, place: int) -> tuple[str, int]:
    """Return the value at ``place`` and where it ends."""
    if place < len(text) and text[place] in "\"'":
        close = text.find(text[place], place + 1)
        if close > 0:
            return text[place + 1 : close], close + 1
    end = _behind(text, place)
    return text[place:end], end


def number(text: str, complaint: str) -> int:
    """Return a whole number. Raises `Refused` with the complaint."""
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        raise Refused(MALFORMED, complaint)
    return int(text)


def plain(text: str) -> str:
    """Return a value without what would end it or its record."""
    return "".join(" " if char in ';#"' or not char.isprintable() else char for char in text)


PORT = 7321
KEYS = ("AuthKey", "HostFormat", "Version")
"""The keys that are used; those for schedulers that are called back are ignored."""


def read_conf(text: str, *, version: int = 1, user: str = "slurm") -> Settings:
    """Return the settings; ``version`` is what ``SchedulerType`` says. Raises `UserError` for a wrong value."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, equals, value = line.partition("#")[0].strip().partition("=")
        if equals:
            found[name.strip().lower()] = value.strip()
    version = _one_of(found, "version", (1, 2), version)
    host_format = _one_of(found, "hostformat", (0, 1, 2), 0)
    key = found.get("authkey", "")
    return Settings(version, key_of(key) if key else None, user, host_format)


def _one_of(found: dict[str, str], name: str, allowed: tuple[int, ...], default: int) -> int:
    text = found.get(name, str(default))
    if text not in map(str, allowed):
        raise UserError(f"wiki.conf: {name}={text} should be one of {', '.join(map(str, allowed))}")
    return int(text)
