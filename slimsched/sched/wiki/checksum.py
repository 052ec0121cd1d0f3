"""The check sum of Wiki messages: a CRC-16 of the text, mixed with the key.

Only 16 bits of the text are protected, so it keeps mistakes out and not attackers.
Source: the oracle's wiki.md, section 3, and its vectors.
"""

from __future__ import annotations

from binascii import crc_hqx

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
