"""Numbers, counts of nodes and lists that are changed, as Slurm's commands read them, whichever command it is.

A number that is out of its bounds reads as None, or raises a SyntaxFault where Slurm has words of its own for it.
Amounts of memory are read in `text.sizes`, spans of time in `text.times`, instants in `text.moments`, words in `kinds`.
Source: src/common/proc_args.c and parse_value.c of Slurm; the function is named where there is one.
"""

from __future__ import annotations

from slimsched.errors import SyntaxFault
from slimsched.text.sizes import is_number, strtol

INFINITE16 = 0xFFFF
NO_VAL16 = 0xFFFE
NO_VAL = 0xFFFFFFFE  # Slurm's "no value"; priorities stay below it
MAX_COUNT = 0x7FFFFFFF
MAX_NICE = 0x7FFFFFFD
_LONGEST = 19  # digits of the largest number that is looked at
_FACTORS = {"k": 1 << 10, "m": 1 << 20}


def whole(text: str, below: int = 1 << 64) -> int | None:
    """Return a number from 0 up to a bound, which is not among them; a sign may stand ahead, and nothing is 0."""
    body = text.lstrip()
    if not is_number(body[body[:1] in {"+", "-"} :], _LONGEST):
        return None if text else 0
    number = int(body)
    return number if 0 <= number < below else None


def nice(text: str) -> int | None:
    """Return a nice value: the number at the beginning of a text, 0 without one."""
    number = strtol(text)[0]
    return number if abs(number) <= MAX_NICE else None


def count(text: str, what: str, least: int) -> int:
    """Return a count of what is named. Raises SyntaxFault. Source: ``parse_int``."""
    return _bounded(text, what, *strtol(text), least)


def count_range(text: str, what: str) -> tuple[int, int | None]:
    """Return the ends of ``2``, ``2-4`` or ``1k``. Raises SyntaxFault. Source: ``get_resource_arg_range``."""
    low, rest = _suffixed(text)
    _bounded(text, what, low, rest.partition("-")[0], 0)
    if not rest[1:]:
        return low, None
    high, rest = _suffixed(rest[1:])
    return low, _bounded(text, what, high, rest.partition("-")[0], 1)


def _bounded(text: str, what: str, number: int, rest: str, least: int) -> int:
    if rest or number < least:
        raise _fault(f'Invalid numeric value "{text}" for {what}.', text)
    if number > MAX_COUNT:
        raise _fault(f"Numeric argument ({number}) to big for {what}.", text)
    return number


def node_range(text: str) -> tuple[int, int | None]:
    """Return the least and the most nodes of ``2``, ``2-4``, ``-4`` for 1-4, ``2-0`` for 2 or more (None).

    Raises SyntaxFault. Source: ``verify_node_count``.
    """
    low, dash, high = text.partition("-")
    least, most = node_count(low), node_count(high)
    if not dash:
        if least < 0:
            raise bad_nodes(text)
        return least, least
    least = max(least, 1) if least < 0 else least
    if most and most < least:
        raise _fault(f"Maximum node count {most} is less than minimum node count {least}", text)
    return least, most or None


def node_count(text: str) -> int:
    """Return a count of nodes; -1 for no number at all, which is no fault by itself. Raises SyntaxFault."""
    number, rest = strtol(text)
    number = -1 if rest == text else number
    for letter, factor in _FACTORS.items():  # one after the other, so that "1km" is a number, too
        if rest[:1].lower() == letter:
            number, rest = number * factor, rest[1:]
    if rest.strip():
        raise bad_nodes(text)
    return min(number, MAX_COUNT)


def bad_nodes(text: str) -> SyntaxFault:
    """Return the complaint about a text that is no count of nodes."""
    return _fault(f'"{text}" is not a valid node count', text)


def _suffixed(text: str) -> tuple[int, str]:
    """Return a number with its ``k`` or ``m``, and what follows it."""
    number, rest = strtol(text)
    factor = _FACTORS.get(rest[:1].lower(), 0)
    return (number * factor, rest[1:]) if factor else (number, rest)


def _fault(said: str, text: str) -> SyntaxFault:
    return SyntaxFault(said, text, (0, len(text)))


def names(old: str, sign: str, new: str) -> str:
    """Return a list of names, each once, as ``=``, ``+=`` or ``-=`` (``sign``: "", "+", "-") leaves it."""
    present, given = ([name for name in text.split(",") if name] for text in (old, new))
    if sign == "-":
        return ",".join(name for name in present if name not in given)
    return ",".join(dict.fromkeys([*present, *given] if sign == "+" else given))
