r"""The JSON file with its check sums inside: a head, then the parts that it lists, each on a line of its own.

::

    {"crc":"89251dea","head":{"slimsched":2,"parts":{"meta":[120,3735928559]}},
    "meta":{...}
    }

The head gives length and CRC-32 of each part, so that the damage of one costs no other.
"""

from binascii import crc32
from collections.abc import Mapping
from typing import TypeVar

import msgspec

from slimsched.errors import StateError
from slimsched.state import formats

START = b'{"crc":"'
_HEAD = len(b'{"crc":"89251dea","head":')
_END = b"\n}\n"


class Head(formats.Mark, kw_only=True):
    """Head of a document. ``parts`` gives the length and CRC-32 of each part, in the order of the file."""

    parts: dict[str, tuple[int, int]] = {}


H = TypeVar("H", bound=Head)


def pack(head: Head, parts: Mapping[str, bytes]) -> bytes:
    """Return a file's content, from its parts' JSON; ``head.parts`` is filled in."""
    chunks = {name: _lead(name) + body for name, body in parts.items()}
    head.parts = {name: (len(chunk), crc32(chunk)) for name, chunk in chunks.items()}
    body = msgspec.json.encode(head)
    return b"".join([b'%s%08x","head":%s' % (START, crc32(body), body), *chunks.values(), _END])


def unpack(path: str, data: bytes, kind: type[H]) -> tuple[H, dict[str, memoryview], dict[str, StateError]]:
    """Return the head of file ``path``, the JSON of its sound parts, and what is wrong with the others."""
    body = data[_HEAD : data.find(b"\n", _HEAD)].removesuffix(b",")
    if data[:_HEAD] != b'%s%08x","head":' % (START, crc32(body)):
        raise StateError(path, "is damaged, or was not written by slimsched", formats.REBUILD)
    formats.check(path, body)
    try:
        head = msgspec.json.decode(body, type=kind)
    except formats.UNREADABLE as fault:
        raise StateError(path, f"is damaged: {fault}", formats.REBUILD) from None
    parts, faults, end = sound(path, head, data, _HEAD + len(body))
    if data[end:] != _END:
        faults[""] = StateError(path, f"is damaged at its end, byte {end}", formats.REBUILD)
    return head, {name: part[len(_lead(name)) :] for name, part in parts.items()}, faults


def sound(path: str, head: Head, data: bytes, at: int) -> tuple[dict[str, memoryview], dict[str, StateError], int]:
    """Return the parts from offset ``at`` that have their check sum, what is wrong with the others, and the end."""
    view = memoryview(data)
    parts: dict[str, memoryview] = {}
    faults: dict[str, StateError] = {}
    for name, (length, crc) in head.parts.items():
        part = view[at : at + length]
        at += length
        if crc32(part) == crc:
            parts[name] = part
        else:
            problem = f"is damaged: part {name!r} does not have the content that was written"
            faults[name] = StateError(path, problem, formats.REBUILD)
    return parts, faults, at


def _lead(name: str) -> bytes:
    return b',\n"%s":' % name.encode()
