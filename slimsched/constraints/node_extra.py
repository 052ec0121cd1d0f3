"""A node's ``Extra`` text: JSON, decoded once.

Slurm reads it with json-c in lax mode. Well-formed JSON is taken as Slurm takes it: an object gives the
node its data, an array or a string is accepted and gives none, a bare number, boolean or null is refused,
and so is nesting beyond 32 levels. Ill-formed JSON that json-c lets through is refused here.
Source: SURPRISES B12-B16.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from slimsched.errors import SyntaxFault

MAX_DEPTH = 32
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', re.DOTALL)
_BLANK = " \t\n\r"
_INT64 = (-(2**63), 2**63 - 1)
_SURROGATE = re.compile("[\ud800-\udfff]")

Values = Mapping[str, Any]
_NONE: Values = {}


class _NotJson(ValueError):
    """A name that Python reads as a number and that JSON does not have."""


def _refuse(name: str) -> NoReturn:
    raise _NotJson(name)


_read = json.JSONDecoder(parse_constant=_refuse).raw_decode
_read_long = json.JSONDecoder(parse_constant=_refuse, parse_int=lambda digits: _whole(digits)).raw_decode


def decode(text: str) -> Values:
    """Return the keys and values of an Extra text, none for an empty text, an array or a string.

    Raises a `SyntaxFault` for text that Slurm, or only this program, refuses.
    """
    start = len(text) - len(text.lstrip(_BLANK))
    if start == len(text):
        if not text:
            return _NONE
        raise SyntaxFault("nothing but white space", text, (0, len(text)), _example())
    _check_depth(text)
    try:
        value, end = _parse(text, start)
    except _NotJson as error:
        raise _fault_of_name(text, str(error)) from None
    except json.JSONDecodeError as error:
        raise _fault(text, error.pos, error.msg) from None
    rest = text[end:].lstrip(_BLANK)
    if rest:
        raise SyntaxFault("text after the end of the JSON value", text, (len(text) - len(rest), len(text)), "remove it")
    if isinstance(value, dict):
        return value
    if isinstance(value, list | str):
        return _NONE
    raise SyntaxFault("a bare number, boolean or null is not node data", text, (start, end), _example())


def lenient(text: str | None) -> Values | None:
    """Return the data of a node as scheduling sees it: None for no text and for text that cannot be decoded."""
    if not text:
        return None
    try:
        if text[0] == "{" and text.count("{") + text.count("[") <= MAX_DEPTH:
            value, end = _read(text, 0)
            if end == len(text):  # nearly every text; `decode` handles the rest
                return value  # type: ignore[no-any-return]
    except ValueError:
        pass
    try:
        return decode(text)
    except SyntaxFault:
        return None


def scalar(value: Any) -> str | float | bool | None:
    """Return a decoded value as comparisons take it: a string, float or boolean; None for anything else."""
    kind = type(value)
    if kind is int:
        return float(min(max(value, _INT64[0]), _INT64[1]))
    if kind is str:
        # a C string ends at NUL, and json-c puts U+FFFD for half a pair
        return _SURROGATE.sub("\ufffd", value.partition("\0")[0])
    return value if kind is float or kind is bool else None


def _parse(text: str, start: int) -> tuple[Any, int]:
    try:
        return _read(text, start)
    except (json.JSONDecodeError, _NotJson):
        raise
    except ValueError:  # more digits than int() takes
        return _read_long(text, start)


def _whole(digits: str) -> int:
    """Return an integer of any length, held to the 64 bits that json-c keeps."""
    if len(digits) < 25:
        return int(digits)
    kept = digits.lstrip("-0")[:25]
    return -int(kept) if digits[0] == "-" else int(kept)


def _check_depth(text: str) -> None:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    depth = 0
    for match in _BRACKET.finditer(text):
        sign = match.group()
        if sign in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise SyntaxFault(f"nested more than {MAX_DEPTH} levels deep", text, match.span(), "use fewer levels")
        elif sign in "]}":
            depth -= 1


def _fault(text: str, at: int, why: str = "") -> SyntaxFault:
    if why.startswith("Illegal trailing comma"):  # Python 3.13 and later point at the comma
        at = len(text) - len(text[at + 1 :].lstrip(_BLANK))
    ahead = text[at : at + 1]
    if why.startswith("Invalid control"):
        return SyntaxFault("a control character inside a string", text, (at, at + 1), "write it as \\n, \\t or \\u00XX")
    if ahead == "'":
        return SyntaxFault("JSON strings need double quotes", text, (at, at + 1), "write \" instead of '")
    if ahead in ("}", "]") and text[:at].rstrip(_BLANK).endswith(","):
        return SyntaxFault(f'a comma before "{ahead}"', text, (at, at + 1), "remove the comma")
    message = f"ill-formed JSON: {why[:1].lower()}{why[1:]}" if why else "ill-formed JSON: expecting a value"
    return SyntaxFault(message, text, (at, at + 1), _example())


def _fault_of_name(text: str, name: str) -> SyntaxFault:
    at = next((m.start() for m in re.finditer(rf'"(?:[^"\\]|\\.)*"|{re.escape(name)}', text) if m.group() == name), 0)
    return SyntaxFault(f"JSON has no {name}", text, (at, at + len(name)), "use a number, or a string in double quotes")


def _example() -> str:
    return 'for example: {"load": 0.45, "gpu": true, "site": "north"}'
