"""Hostlists: ordered lists of names, repeats kept, with runs of numbers in brackets.

Two dialects read the same grammar ::

    list    = [ element ] { "," [ element ] }
    element = literal { "[" range { "," range } "]" literal }
    range   = digits [ "-" digits ]

``flux`` (RFC 29) allows one bracket an element, printable non-blank ASCII in literals, and keeps the
leading zeros of a bracket's first id for all its ids. ``slurm`` multiplies several brackets, keeps a
width within its own range, and also separates by blanks and line ends.

Source: RFC 29; ``scontrol show hostnames|hostlist|hostlistsorted``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from slimsched.errors import SyntaxFault

if TYPE_CHECKING:
    from collections.abc import Iterable

Dialect = Literal["slurm", "flux"]

MAX_NAMES = 1 << 20  # names from one text
MAX_LENGTH = 1023  # characters of one bracketed name, as Flux has it
MAX_CHARACTERS = 1 << 27  # characters of all bracketed names together
_DIGITS = "0123456789"
_MAX_TAIL = 18  # digits that count as a name's number; those before them belong to its prefix
_BLANKS = str.maketrans("\t\n ", ",,,")

_Range = tuple[int, int, int]  # first id, last id, width (0: no padding)


class HostlistError(SyntaxFault):
    """A hostlist does not follow its grammar, or stands for too many names.

    ``detail`` is the line that Slurm's own parser reports ahead of its verdict, or empty.
    """

    def __init__(self, message: str, text: str, span: tuple[int, int], detail: str = "") -> None:
        super().__init__(message, text, span)
        self.detail = detail

    @property
    def verdict(self) -> str:
        """The message of ``scontrol show hostnames`` for the whole text."""
        return f"Invalid hostlist: {self.text}"


def expand(text: str, dialect: Dialect = "slurm") -> list[str]:
    """Return the names that ``text`` stands for, in its order.

    Raises HostlistError, also for more than 1,048,576 names, before any of them is made.
    """
    return _Reader(text, flux=dialect == "flux").read()


class _Reader:
    """One pass over the text, cut at its opening brackets: every character is looked at once."""

    def __init__(self, text: str, *, flux: bool) -> None:
        self.text = text
        self.flux = flux
        self.names: list[str] = []
        self.characters = 0
        self.start = 0  # where the element in hand begins
        self.literals = [""]  # its literals, one more than
        self.brackets: list[list[_Range]] = []

    def read(self) -> list[str]:
        """Return all names."""
        first, *segments = self.text.split("[")
        self._literal(first, 0)
        at = len(first) + 1
        for segment in segments:
            body, closed, rest = segment.partition("]")
            if not closed:
                raise self._fault("'[' without its ']'", at - 1, at + len(segment))
            if self.flux and self.brackets:
                raise self._fault("a second bracket in one name", at - 1, at + len(body) + 1)
            self.brackets.append(self._ranges(body, at))
            self.literals.append("")
            self._literal(rest, at + len(body) + 1)
            at += len(segment) + 1
        self._finish(len(self.text))
        return self.names

    def _literal(self, rest: str, at: int) -> None:
        """Take the text between two brackets: the end of one element, plain names, the start of the next."""
        if self.flux:
            self._check_characters(rest, at)
        else:
            rest = rest.translate(_BLANKS)
        first, comma, more = rest.partition(",")
        self.literals[-1] = first
        if not comma:
            return
        self._finish(at + len(first))
        plain, _, last = more.rpartition(",")
        self.names += [name for name in plain.split(",") if name]
        self.start = at + len(rest) - len(last)
        self.literals = [last]
        self.brackets = []

    def _check_characters(self, rest: str, at: int) -> None:
        """Refuse what RFC 29 does not allow in a prefix or suffix."""
        if rest.isascii() and rest.isprintable() and " " not in rest and "]" not in rest:
            return
        bad = next(i for i, c in enumerate(rest) if not ("!" <= c <= "~") or c == "]")
        what = "']' without its '['" if rest[bad] == "]" else "a character that no name may hold"
        raise self._fault(what, at + bad, at + bad + 1)

    def _ranges(self, body: str, at: int) -> list[_Range]:
        """Read the inside of one bracket, which starts at ``at``."""
        ranges: list[_Range] = []
        floor = 0
        for token in body.split(","):
            low, dash, high = token.partition("-")
            if not dash or (not high and not self.flux):
                high = low
            if not (token.isascii() and low.isdigit() and high.isdigit()) or len(token) > MAX_LENGTH:
                raise self._bad_range(token, at)
            lo, hi = int(low), int(high)
            if hi < lo:
                raise self._bad_range(token, at)
            width = len(low) if low[0] == "0" and len(low) > 1 else 0
            if self.flux and not ranges:
                floor = width
            ranges.append((lo, hi, max(width, floor)))
            at += len(token) + 1
        return ranges

    def _finish(self, end: int) -> None:
        """Add the names of the element in hand, which ends at ``end``."""
        if not self.brackets:
            if self.literals[0]:
                self.names.append(self.literals[0])
            self._check_count(0, end)
            return
        count, length = 1, sum(map(len, self.literals))
        for ranges in self.brackets:
            count *= sum(hi - lo + 1 for lo, hi, _ in ranges)
            length += max(max(len(str(hi)), width) for _, hi, width in ranges)
        self._check_count(count, end)
        self.characters += count * length
        if length > MAX_LENGTH:
            raise self._fault(f"names of more than {MAX_LENGTH:,} characters", self.start, end)
        if self.characters > MAX_CHARACTERS:
            raise self._fault(f"more than {MAX_CHARACTERS:,} characters of names", self.start, end)
        self.names += _product(self.literals, self.brackets)

    def _check_count(self, more: int, end: int) -> None:
        """Refuse a list that would grow past the limit."""
        if len(self.names) + more > MAX_NAMES:
            raise self._fault(f"more than {MAX_NAMES:,} names", self.start, end)

    def _bad_range(self, token: str, at: int) -> HostlistError:
        detail = f"_parse_single_range: Invalid range: `{token}'"
        return self._fault("not a number or an ascending range", at, at + len(token), detail)

    def _fault(self, message: str, start: int, end: int, detail: str = "") -> HostlistError:
        return HostlistError(message, self.text, (start, end), detail)


def _product(literals: list[str], brackets: list[list[_Range]]) -> list[str]:
    """Multiply an element's brackets; the last one runs fastest."""
    names = _numbered(literals[0], brackets[0], literals[1])
    for ranges, literal in zip(brackets[1:], literals[2:], strict=True):
        tails = _numbered("", ranges, literal)
        names = [name + tail for name in names for tail in tails]
    return names


def _numbered(prefix: str, ranges: list[_Range], suffix: str) -> list[str]:
    names: list[str] = []
    for lo, hi, width in ranges:
        if width:
            names += [f"{prefix}{i:0{width}d}{suffix}" for i in range(lo, hi + 1)]
        else:
            names += [f"{prefix}{i}{suffix}" for i in range(lo, hi + 1)]
    return names


@lru_cache(maxsize=1 << 16)
def split_number(name: str) -> tuple[str, str]:
    """Split a name into its prefix and the digits at its end (at most 18 of them, perhaps none)."""
    prefix = name.rstrip(_DIGITS)
    if len(name) - len(prefix) > _MAX_TAIL:
        prefix = name[:-_MAX_TAIL]
    return prefix, name[len(prefix) :]


def fold(names: Iterable[str], dialect: Dialect | None = None) -> str:
    """Return the hostlist of ``names`` in their order, runs by the last number in brackets.

    Neighbours join a run only if its width reproduces them: ``node[01-02]``, ``n[9-11]``. Both dialects
    read the result alike: a bracket is closed where RFC 29 would carry its leading zeros too far
    (``node[01-02],node1``); with dialect ``slurm`` it is not, as Slurm prints it (``node[01-02,1]``).
    """
    groups: list[str] = []
    prefix: str | None = None
    runs: list[str] = []  # finished runs of the bracket in hand
    first = last = ""  # digits at both ends of the run in hand
    floor = 0  # width that the bracket's first id forces on the others
    expected = -1  # next number of the run in hand; -1: its name has none
    for name in names:
        head, tail = split_number(name)
        width = len(tail)
        number = int(tail) if tail else -2
        if number == expected and head == prefix and (width == len(first) or (width > len(first) and tail[0] != "0")):
            last = tail
            expected += 1
            continue
        if prefix is not None:
            runs.append(first if first == last else f"{first}-{last}")
            if head != prefix or width < floor or not tail or not first:
                groups.append(bracketed(prefix, runs))
                runs = []
        if not runs:
            floor = width if dialect != "slurm" and width > 1 and tail[0] == "0" else 0
        prefix, first, last, expected = head, tail, tail, number + 1
    if prefix is not None:
        runs.append(first if first == last else f"{first}-{last}")
        groups.append(bracketed(prefix, runs))
    return ",".join(groups)


def bracketed(prefix: str, runs: list[str]) -> str:
    """Return the hostlist of one prefix and its runs of numbers (``3``, ``5-7``)."""
    if len(runs) == 1 and "-" not in runs[0]:
        return prefix + runs[0]
    return f"{prefix}[{','.join(runs)}]"


def sort_key(name: str) -> tuple[str, int, int]:
    """Order by prefix, then unnumbered before numbered, fewer digits before more, then by number."""
    prefix, tail = split_number(name)
    return prefix, len(tail), int(tail or 0)


def fold_sorted(names: Iterable[str]) -> str:
    """Return the hostlist of the sorted ``names``, repeats kept (``scontrol show hostlistsorted``)."""
    return fold(sorted(names, key=sort_key), "slurm")
