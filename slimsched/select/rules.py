"""The rules of ``SelectTypeParameters``: the unit of allocation (a CPU, core, socket or board), and memory."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from slimsched.model.config import Config

_UNITS = {"CR_CORE": "CORE", "CR_SOCKET": "SOCKET", "CR_BOARD": "BOARD"}


class Rules:
    """The parameters, read once."""

    __slots__ = ("block", "memory", "unit", "whole_nodes", "whole_units")

    def __init__(self, config: Config, *, whole_nodes: bool) -> None:
        """``whole_nodes``: only whole nodes are allocated, whatever the parameters say."""
        words = [word.strip() for word in config.get("SelectTypeParameters").upper().split(",")]
        units = (_UNITS[name] for name in (word.removesuffix("_MEMORY") for word in words) if name in _UNITS)
        self.whole_nodes = whole_nodes
        self.unit = next(units, "CPU")
        self.memory = any(word.endswith("MEMORY") for word in words)
        self.block = "CR_CORE_DEFAULT_DIST_BLOCK" in words  # fill one socket before the next
        self.whole_units = self.unit != "CPU" and not whole_nodes
