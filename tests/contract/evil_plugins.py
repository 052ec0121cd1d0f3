"""Plugins of another package that keep to their contract until a test sets `DEED`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from slimsched.priority.api import PriorityPlugin
from slimsched.priority.basic import Basic
from slimsched.sched.api import SchedPlugin
from slimsched.sched.backfill import Backfill
from slimsched.select.api import SelectPlugin
from slimsched.select.cons_tres import ConsTres

DEED: list[Any] = ["", None]
"""The function that goes wrong (``kind.name``), and what it does instead."""


def commit(function: str, deed: Callable[..., Any]) -> None:
    """Let a function go wrong from now on."""
    DEED[:] = [function, deed]


def behave() -> None:
    """Let every function do what it should."""
    DEED[:] = ["", None]


class Select(ConsTres):
    plugin_type = "select/evil"


class Sched(Backfill):
    plugin_type = "sched/evil"
    leads = True


class Priority(Basic):
    plugin_type = "priority/evil"


def _wrap(kind: str, plugin: type, base: type, name: str) -> None:
    def run(self: Any, *args: Any, **more: Any) -> Any:
        if DEED[0] == f"{kind}.{name}":
            return DEED[1](self, *args, **more)
        return getattr(base, name)(self, *args, **more)

    setattr(plugin, name, run)


for _kind, _plugin, _base, _interface in (
    ("select", Select, ConsTres, SelectPlugin),
    ("sched", Sched, Backfill, SchedPlugin),
    ("priority", Priority, Basic, PriorityPlugin),
):
    for _name, _function in vars(_interface).items():
        if callable(_function) and (_name == "__init__" or not _name.startswith("_")):
            _wrap(_kind, _plugin, _base, _name)


# what plugins do


def raises(fault: BaseException) -> Callable[..., Any]:
    """Return a deed that raises."""

    def deed(self: Any, *args: Any, **more: Any) -> Any:
        raise fault

    return deed


def returns(value: Any) -> Callable[..., Any]:
    """Return a deed that answers whatever it is asked."""
    return lambda self, *args, **more: value


def loops(self: Any, *args: Any, **more: Any) -> Any:
    """Never return: one instruction that jumps to itself."""
    while True:
        pass


def loops_inside(self: Any, *args: Any, **more: Any) -> Any:
    """Never return: a loop that catches what it can, and calls Python's own library."""
    import json

    while True:
        try:
            json.loads("[1, 2, 3]")
        except Exception:
            continue


def recurses(self: Any, *args: Any, **more: Any) -> Any:
    """Call itself for ever."""
    return recurses(self, *args, **more)


def prints_and_leaves(self: Any, *args: Any, **more: Any) -> Any:
    """Say goodbye and go."""
    print("goodbye")
    sys.exit(0)


class Unspeakable(Exception):
    """Has no text."""

    def __str__(self) -> str:
        raise ValueError("no text")
