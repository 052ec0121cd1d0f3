"""A JSON reader and writer for deeply nested values, at which Python's own would exceed its recursion limit.

Both fall back on a loop with a stack of its own only when the standard library gives up.
"""

from __future__ import annotations

import json
from typing import Any

MAX_DEPTH = 2048
"""Levels of arrays and objects; the JSON reader that Flux uses stops here as well."""

_BLANK = " \t\n\r"
_CLOSING = {"[": "]", "{": "}"}
_read = json.JSONDecoder().raw_decode


def loads(text: str | bytes, max_depth: int = MAX_DEPTH) -> Any:
    """Return the value of a JSON text; a `ValueError` says what is wrong, nesting beyond ``max_depth`` too."""
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    if text.count("[") + text.count("{") <= max_depth:  # how deep the library goes differs between Python's versions
        try:
            return json.loads(text)
        except RecursionError:
            pass
    return _loads(text, max_depth)


def dumps(value: Any) -> str:
    """Return a value as JSON text in ASCII."""
    try:
        return json.dumps(value)
    except RecursionError:
        return _dumps(value)


def _loads(text: str, max_depth: int) -> Any:
    at = 0
    stack: list[Any] = []  # open arrays and objects
    keys: list[str] = []  # the key that waits for its value, for each
    while True:
        at = _skip(text, at)
        opening = text[at : at + 1]
        if opening not in _CLOSING:
            value, at = _read(text, at)
        elif len(stack) == max_depth:
            raise ValueError(f"nested more than {max_depth} levels deep")
        else:
            value = [] if opening == "[" else {}
            at = _skip(text, at + 1)
            if text[at : at + 1] != _CLOSING[opening]:
                stack.append(value)
                key, at = _key(text, at) if opening == "{" else ("", at)
                keys.append(key)
                continue
            at += 1
        value, at = _attach(text, at, value, stack, keys)
        if not stack:
            if _skip(text, at) < len(text):
                raise json.JSONDecodeError("Extra data", text, at)
            return value


def _attach(text: str, at: int, value: Any, stack: list[Any], keys: list[str]) -> tuple[Any, int]:
    """Put a finished value where it belongs, close what ends after it, and step over the next comma."""
    while stack:
        top = stack[-1]
        if isinstance(top, list):
            top.append(value)
        else:
            top[keys[-1]] = value
        at = _skip(text, at)
        sign = text[at : at + 1]
        if sign == ",":
            at = _skip(text, at + 1)
            if isinstance(top, dict):
                keys[-1], at = _key(text, at)
            break
        if sign != ("]" if isinstance(top, list) else "}"):
            raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
        value = stack.pop()
        keys.pop()
        at += 1
    return value, at


def _key(text: str, at: int) -> tuple[str, int]:
    """Read ``"key":``."""
    if text[at : at + 1] != '"':
        raise json.JSONDecodeError("Expecting property name enclosed in double quotes", text, at)
    key, at = _read(text, at)
    at = _skip(text, at)
    if text[at : at + 1] != ":":
        raise json.JSONDecodeError("Expecting ':' delimiter", text, at)
    return key, at + 1


def _skip(text: str, at: int) -> int:
    while text[at : at + 1] in _BLANK and at < len(text):
        at += 1
    return at


def _dumps(value: Any) -> str:
    pieces: list[str] = []
    todo: list[tuple[bool, Any]] = [(False, value)]  # the rest: text as it is, or a value
    while todo:
        ready, item = todo.pop()
        if ready:
            pieces.append(item)
        elif isinstance(item, list | dict) and item:
            todo.extend(reversed(_opened(item)))
        else:
            pieces.append(json.dumps(item))
    return "".join(pieces)


def _opened(item: list[Any] | dict[str, Any]) -> list[tuple[bool, Any]]:
    array = isinstance(item, list)
    parts: list[tuple[bool, Any]] = [(True, "[" if array else "{")]
    for i, entry in enumerate(item):
        if i:
            parts.append((True, ", "))
        if isinstance(item, dict):
            parts += [(True, f"{json.dumps(entry)}: "), (False, item[entry])]
        else:
            parts.append((False, entry))
    return [*parts, (True, "]" if array else "}")]
