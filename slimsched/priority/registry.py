"""Priority plugins by name (``PriorityType``)."""

from __future__ import annotations

from slimsched import plugins
from slimsched.priority.api import API_VERSION, PriorityPlugin

BUILTIN = {
    "basic": "slimsched.priority.basic:Basic",
    "multifactor": "slimsched.priority.multifactor:Multifactor",
}
"""Plugin name, less ``priority/`` -> module and class."""

FAMILY = plugins.Family("priority", BUILTIN, PriorityPlugin, API_VERSION)


def find(name: str) -> type[PriorityPlugin]:
    """Return the class of a plugin (``priority/basic`` or ``basic``). Raises `PluginError`, see `plugins.find`."""
    return plugins.find(FAMILY, name)
