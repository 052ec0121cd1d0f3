"""Plain numbers, amounts of memory in megabytes, and counts with a suffix.

    memory = digits [ ("K" | "M" | "G" | "T" | "P") [ "B" | "iB" ] ]   in any case; MB without a unit
    count  = digits [ "k" | "m" ]                                      1,024 or 1,048,576 times

Source: sbatch(1) ``--mem``, ``--nodes``; recorded scenario time_and_count_values.
"""

from __future__ import annotations

from slimsched.errors import SyntaxFault

_UNITS = "KMGTP"
_ENDINGS = ("", "b", "ib")
_COUNTS = {"": 1, "k": 1 << 10, "m": 1 << 20}
LONG_MAX = (1 << 63) - 1
_MAX_DIGITS = 18  # below 2**63 in any case


def strtol(text: str) -> tuple[int, str]:
    """Return the number that a text begins with and what follows, as C's strtol does; (0, text) without one.

    A number of more than 64 bits is the largest one that they can hold.
    """
    body = text.lstrip(" \t\n\v\f\r")
    sign, digits = (-1 if body[:1] == "-" else 1), body[body[:1] in ("-", "+") :]
    end = next((i for i, c in enumerate(digits) if c not in "0123456789"), len(digits))
    return (sign * min(int(digits[: min(end, 30)]), LONG_MAX), digits[end:]) if end else (0, text)


def is_number(text: str, digits: int = 9) -> bool:
    """Whether a text is a plain number of so many digits at most, and nothing else."""
    return text.isascii() and text.isdigit() and len(text) <= digits


def memory(text: str) -> int:
    """Return megabytes, rounded up (``10K`` is 1). Raises SyntaxFault."""
    number, suffix = _split(text)
    unit = suffix[:1].upper() or "M"
    if unit not in _UNITS or suffix[1:].lower() not in _ENDINGS:
        raise _fault(text)
    power = _UNITS.index(unit) - 1
    return number << (10 * power) if power >= 0 else -(-number // 1024)


def count(text: str) -> int:
    """Return a count such as ``1k`` (1,024). Raises SyntaxFault."""
    number, suffix = _split(text)
    if suffix.lower() not in _COUNTS:
        raise _fault(text)
    return number * _COUNTS[suffix.lower()]


def megabytes(amount: float, unit: str = "") -> str:
    """Return MB as Slurm prints them: ``100M``, ``1000M``, ``1G``, ``1.50G``, ``62.50G``, ``0``.

    Without a ``unit`` the largest is taken in which the amount is exact, a half counting as exact.
    """
    if int(amount) == 0:
        return "0"
    at = 1
    if unit:
        at = _UNITS.index(unit)
        amount *= 1024.0 ** (1 - at)
    else:
        while amount >= 1024 and int(amount) % 512 == 0 and at < len(_UNITS) - 1:
            amount /= 1024
            at += 1
    return f"{int(amount)}{_UNITS[at]}" if amount == int(amount) else f"{amount:.2f}{_UNITS[at]}"


def _split(text: str) -> tuple[int, str]:
    """Cut the digits at the start from what follows them."""
    suffix = text.lstrip("0123456789")
    digits = text[: len(text) - len(suffix)]
    if not digits or len(digits) > _MAX_DIGITS:
        raise _fault(text)
    return int(digits), suffix


def _fault(text: str) -> SyntaxFault:
    return SyntaxFault("Invalid size", text, (0, len(text)))


def c_number(text: str) -> int | None:
    """Return a number as C writes it: ``10``, ``0x1f``, ``017``."""
    lower = text.lower()
    base = 16 if lower.startswith("0x") else 8 if lower.startswith("0") and len(lower) > 1 else 10
    if not text.isascii() or "_" in text or len(text) > 20:
        return None
    try:
        return int(lower, base)
    except ValueError:
        return None
