"""Types of the data parser: what a value of a record becomes in JSON.

Source: Slurm's data_parser v0.0.46 (OpenAPI types).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from slimsched.model.request import INFINITE
from slimsched.text import signals

TRIPLE = {"set", "infinite", "number"}
"""The keys of a `number`."""


def text(value: str | None) -> str:
    """Return a text, empty if there is none."""
    return value or ""


def whole(value: int | None) -> int:
    """Return a whole number, 0 if there is none."""
    return int(value or 0)


def truth(value: object) -> bool:
    """Return whether something holds."""
    return bool(value)


def same(value: Any) -> Any:
    """Return what is in its final form already."""
    return value


def words(value: str | Iterable[str] | None) -> list[str]:
    """Return a list of words, from a list or from a text with commas between them."""
    items = value.split(",") if isinstance(value, str) else value or ()
    return [item for item in items if item]


def number(value: float | None, infinite: bool = False) -> dict[str, Any]:
    """Return a number that may be unset (None) or without end: whether it is, and itself."""
    infinite = infinite or value == INFINITE
    known = value is not None and not infinite
    return {"set": known, "infinite": infinite, "number": value if known else 0}


def count(value: int | None) -> dict[str, Any]:
    """Return a number, 0 if there is none."""
    return number(value or 0)


def endless(value: int | None) -> dict[str, Any]:
    """Return a limit, without end if there is none."""
    return number(INFINITE if value is None else value)


def real(value: float | None) -> dict[str, Any]:
    """Return a number with a fraction that may be unset (None) or without end."""
    found = number(value)
    return {**found, "number": float(found["number"])}


def flags(*names: str) -> Callable[[Mapping[str, Any] | Iterable[str]], list[str]]:
    """Return the type of a set of flags: those that hold, in the order of ``names``; unknown ones come last."""
    rank = {name: place for place, name in enumerate(names)}

    def listed(value: Mapping[str, Any] | Iterable[str]) -> list[str]:
        held = [name for name, holds in value.items() if holds] if isinstance(value, Mapping) else value
        return sorted(held, key=lambda name: rank.get(name, len(rank)))

    return listed


def exit_code(code: int, signal: int = 0) -> dict[str, Any]:
    """Return an exit code with the signal that ended the process, if one did."""
    word = "SIGNALED" if signal else "ERROR" if code else "SUCCESS"
    return {
        "status": [word],
        "return_code": number(None if signal else code),
        "signal": {"id": number(signal or None), "name": signals.name(signal) if signal else ""},
    }


def exits(value: tuple[int, int]) -> dict[str, Any]:
    """Return the `exit_code` of a pair."""
    return exit_code(*value)
