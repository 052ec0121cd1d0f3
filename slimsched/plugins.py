"""Finding a plugin by its name: a static table for the built-in ones, entry points for all others.

Entry points are looked up only for a name that the table lacks, since reading them costs more than a command.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from slimsched.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Mapping


def load(group: str, name: str, builtin: Mapping[str, str]) -> Any:
    """Return the class of plugin ``name`` ("sched/backfill"); ``group`` is its entry point group.

    Raises `PluginError` for a name that neither the table nor an installed package knows.
    """
    target = builtin.get(name)
    if target is not None:
        module, _, attribute = target.partition(":")
        return getattr(import_module(module), attribute)
    from importlib.metadata import entry_points

    for entry in entry_points(group=group):
        if entry.name in {name, name.partition("/")[2]}:
            return entry.load()
    raise PluginError(f"cannot find {name}: the built-in ones are {', '.join(sorted(builtin))}")
