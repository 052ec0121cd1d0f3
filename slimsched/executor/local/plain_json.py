"""JSON for supervisors: what the module `json` is made of, without it. Its import takes longer than a bare start."""

from __future__ import annotations

from _json import encode_basestring_ascii, make_encoder, make_scanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Usual:
    """How `json` reads if nobody says otherwise."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float


def _refuse(value: Any) -> Any:
    raise TypeError(f"no JSON: {value!r}")


_usual: Any = _Usual
_scan = make_scanner(_usual)
_encode = make_encoder(None, _refuse, encode_basestring_ascii, None, ": ", ", ", False, False, True)


def loads(text: str | bytes) -> Any:
    """Read a value. Raises `ValueError` for anything else."""
    if isinstance(text, bytes):
        text = text.decode()
    text = text.strip()
    try:
        value, end = _scan(text, 0)
    except StopIteration:
        raise ValueError("no JSON") from None
    if end != len(text):
        raise ValueError("more than one value")
    return value


def dumps(value: Any) -> str:
    """Return the text of a value. Raises `TypeError` for what JSON does not have."""
    return "".join(_encode(value, 0))
