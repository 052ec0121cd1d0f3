"""Scheduler plugins by name (``SchedulerType``)."""

from __future__ import annotations

from slimsched import plugins
from slimsched.sched.api import API_VERSION, SchedPlugin

BUILTIN = {
    "backfill": "slimsched.sched.backfill:Backfill",
    "builtin": "slimsched.sched.builtin:Builtin",
    "wiki": "slimsched.sched.wiki:Wiki",
    "wiki2": "slimsched.sched.wiki:Wiki2",
}
"""Plugin name, less ``sched/`` -> module and class."""

FAMILY = plugins.Family("sched", BUILTIN, SchedPlugin, API_VERSION)


def find(name: str) -> type[SchedPlugin]:
    """Return the class of a plugin (``sched/backfill`` or ``backfill``). Raises `PluginError`, see `plugins.find`."""
    return plugins.find(FAMILY, name)


def is_built_in(name: str) -> bool:
    """Whether a plugin of that name is one of the toolkit's own."""
    return name.removeprefix("sched/") in BUILTIN
