r"""The frame, in which the journal, the archive and the snapshot's head store JSON: ``LENGTH CRC JSON\n``.

LENGTH (of the JSON, in bytes) and CRC (CRC-32 of length and JSON) are eight hexadecimal digits each. JSON has no
raw line break and no NUL byte, so a frame is a line of text, and what a crash leaves is told from damage:
a write that was cut short has no line end, and blocks that never reached the disk read as NUL bytes.
"""

from __future__ import annotations

from binascii import crc32

HEAD = 18  # characters before the JSON


def pack(body: bytes) -> bytes:
    """Return ``body`` as a frame."""
    length = b"%08x" % len(body)
    return b"%s %08x %s\n" % (length, crc32(body, crc32(length)), body)


def unpack(data: bytes, at: int) -> bytes | None:
    """Return the body of the frame at offset ``at``, ``None`` if there is no sound frame."""
    end = at + HEAD + _length(data, at)
    body = data[at + HEAD : end]
    head = b"%s %08x " % (data[at : at + 8], crc32(body, crc32(data[at : at + 8])))
    return body if data[at : at + HEAD] == head and data[end : end + 1] == b"\n" else None


def _length(data: bytes, at: int) -> int:
    try:
        return int(data[at : at + 8], 16)
    except ValueError:
        return 0


def split(data: bytes, at: int = 0) -> tuple[list[bytes], int]:
    """Return the bodies of the frames from offset ``at``, and the offset where sound frames end."""
    bodies = []
    while at < len(data):
        body = unpack(data, at)
        if body is None:
            break
        bodies.append(body)
        at += HEAD + len(body) + 1
    return bodies, at


def salvage(data: bytes) -> tuple[list[bytes], int]:
    """Return the bodies of all sound frames, wherever they are, and how many lines are none."""
    lines = data.split(b"\n")
    bodies = [body for line in lines if (body := unpack(line + b"\n", 0)) is not None]
    return bodies, sum(map(bool, lines)) - len(bodies)


def torn(data: bytes, end: int) -> bool:
    """Whether what follows the sound frames is a write cut short by a crash, not damage."""
    rest = data[end:]
    if b"\n" not in rest and len(rest) <= HEAD + _length(rest, 0):
        return True
    return b"\0" in rest and not any(unpack(line + b"\n", 0) for line in rest.split(b"\n")[1:])
