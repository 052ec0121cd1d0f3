"""``select/cray_aries``: a wrapper that hands every question to another select plugin.

Which one, ``SelectTypeParameters`` says: ``other_cons_tres`` (or ``other_cons_res``), else linear. Of its own it has
the dimensions of the torus, read from the node names.
"""

from __future__ import annotations

from slimsched.select import registry
from slimsched.select.api import SelectPlugin
from slimsched.select.dims import dimensions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slimsched.model.cluster import Cluster
    from slimsched.model.node import Node

OWN = frozenset({"ba_init", "ba_get_dims"})


class CrayAries(SelectPlugin):
    """Delegates to ``other``."""

    plugin_type = "select/cray_aries"
    plugin_name = "Cray/Aries node selection plugin"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        words = cluster.config.get("SelectTypeParameters").upper().split(",")
        consumable = any(word.strip().startswith("OTHER_CONS") for word in words)
        self.other: SelectPlugin = registry.find("cons_tres" if consumable else "linear")(cluster)
        self._dims: list[int] = []

    def ba_init(self, nodes: Sequence[Node], sanity_check: bool = False) -> None:
        """Read the dimensions from the node names."""
        self._dims = dimensions([node.name for node in nodes], strict=sanity_check)

    def ba_get_dims(self) -> list[int]:
        """Return the size of the torus in each dimension."""
        return list(self._dims)


def _delegate(name: str) -> Callable[..., object]:
    def call(self: CrayAries, *args: object, **kwargs: object) -> object:
        return getattr(self.other, name)(*args, **kwargs)

    call.__name__ = name
    call.__doc__ = getattr(SelectPlugin, name).__doc__
    return call


for _name, _function in vars(SelectPlugin).items():
    if callable(_function) and not _name.startswith("_") and _name not in OWN:
        setattr(CrayAries, _name, _delegate(_name))
