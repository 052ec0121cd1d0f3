"""Texts decoded from bytes that are not UTF-8; Python holds each such byte as a lone surrogate."""

from __future__ import annotations

from typing import Any


def readable(text: str) -> str:
    """Return a text that can be stored: bytes (of arguments, paths, scripts) that are not UTF-8 become U+FFFD."""
    if text.isascii():
        return text
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:  # a surrogate that stands for no byte; only a plugin can make one
        return text.encode("utf-8", "replace").decode()


def readable_values(value: Any) -> Any:
    """Return a record of dicts, lists and plain values, as deep as its own fields go, with its texts readable."""
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, dict):
        return {readable_values(key): readable_values(item) for key, item in value.items()}
    return [readable_values(item) for item in value] if isinstance(value, (list, tuple)) else value
