"""priority/multifactor: a weighted sum of factors between 0 and 1."""

from __future__ import annotations

from slimsched.priority.basic import Basic


class Multifactor(Basic):
    """Weighted factors."""

    plugin_name = "multifactor"
