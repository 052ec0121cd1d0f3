"""The JSON-lines protocol: reading and answering request lines, in bulk and without a cluster.

A request that is wrong is answered and never raised, so that one bad line does not end a run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from slimsched.constraints import deep_json
from slimsched.errors import SyntaxFault, UserError

T = TypeVar("T")
Answer = dict[str, Any]
Respond = Callable[[dict[str, Any]], Answer]

_TYPES: dict[type, str] = {str: "text", list: "a list", dict: "an object", int: "a whole number"}


class BadRequest(UserError):
    """A request line that cannot be understood."""


def answer(line: bytes, respond: Respond) -> str:
    """Return the answer to one request line, as a line of JSON."""
    return deep_json.dumps(_answer(line, respond))


def _answer(line: bytes, respond: Respond) -> Answer:
    try:
        request = deep_json.loads(line, deep_json.MAX_DEPTH + 1)
    except ValueError as error:
        return _invalid(f"the line cannot be read: {error}")
    if not isinstance(request, dict):
        return _invalid("the line is not a JSON object")
    try:
        return respond(request)
    except SyntaxFault as fault:
        return _invalid(f"{fault.message}; {fault.hint}" if fault.hint else fault.message, fault.offset)
    except UserError as error:
        return _invalid(error.message)


def _invalid(error: str, offset: int | None = None) -> Answer:
    found: Answer = {"valid": False, "error": error}
    if offset is not None:
        found["offset"] = offset
    return found


def records(request: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the ``nodes`` of a request, each with its place for messages."""
    nodes = [(f"nodes[{i}].", node) for i, node in enumerate(field(request, "nodes", list, optional=True) or ())]
    for at, node in nodes:
        if not isinstance(node, dict):
            raise BadRequest(f"{at[:-1]} is not an object")
    return nodes


def field(record: dict[str, Any], name: str, kind: type[T], at: str = "", *, optional: bool = False) -> Any:
    """Return a field of a request, which must be of ``kind`` (or null or left out, if ``optional``)."""
    value = record.get(name)
    if (isinstance(value, kind) and not isinstance(value, bool)) or (optional and value is None):
        return value
    raise BadRequest(f'"{at}{name}" is missing' if name not in record else f'"{at}{name}" must be {_TYPES[kind]}')
