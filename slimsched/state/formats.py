"""The version of the stored format: newer ones are refused, older ones are brought up to date part by part.

Adding a field with a default needs no new version; `STEPS` is for a change of meaning. Every file says in its first
line which format it has, so that files of different age can lie side by side.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from slimsched.errors import StateError

FORMAT = 2

Step = Callable[[str, Any], Any]
"""A function that takes the name of a part (``job``, ``jobs`` for each of them, ``commit``, ...) and its plain JSON,
and returns it in the next format."""


def _same(name: str, value: Any) -> Any:
    return value


STEPS: dict[int, Step] = {1: _same}  # the snapshot became JSON; its records are the same (see format_1)
"""Format -> the step to the next one."""

REBUILD = "run: sim doctor --rebuild"

UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""The errors of decoding JSON that slimsched did not write: broken, of another shape, nested too deeply."""


class NewerFormat(StateError):
    """A file of a newer slimsched, which needs no repair."""


class Mark(msgspec.Struct):
    """The beginning of a file's first line: its format."""

    slimsched: int


def check(path: str, body: bytes | None) -> int:
    """Return the format that the first line of file ``path`` names; `StateError` if we cannot read it."""
    try:
        found = msgspec.json.decode(body or b"", type=Mark).slimsched
    except UNREADABLE:
        raise StateError(path, "is damaged, or was not written by slimsched", REBUILD) from None
    if found > FORMAT:
        problem = f"has state format {found}; this slimsched reads formats up to {FORMAT}"
        raise NewerFormat(path, problem, "install a newer slimsched, or choose another directory with --state")
    if found < FORMAT and found not in STEPS:
        raise StateError(path, f"has state format {found}, which never existed", REBUILD)
    return found


def upgrade(name: str, body: bytes | memoryview, found: int) -> bytes | memoryview:
    """Return a part's JSON in the present format."""
    if found == FORMAT:
        return body
    value = msgspec.json.decode(body)
    for version in range(found, FORMAT):
        value = STEPS[version](name, value)
    return msgspec.json.encode(value)
