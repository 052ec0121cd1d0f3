"""The trackable resources (TRES) that accounting counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slimsched.model.config import Config
    from slimsched.model.node import Node

BUILTIN = ("cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages")
"""The resources that every cluster counts, in the order of their numbers (1, 2, ...)."""
FIRST_OWN = 1001
"""The number of the first that ``AccountingStorageTRES`` adds."""


WITH_GPUS = ("gres/gpumem", "gres/gpuutil")
"""Resources that are counted wherever GPUs are."""


def counted(config: Config) -> dict[str, int]:
    """Return the resources that a cluster counts, with their numbers."""
    given = (name.strip().lower() for name in config.get("AccountingStorageTRES").split(","))
    also = ((name, *(WITH_GPUS if name == "gres/gpu" else ())) for name in given)
    more = dict.fromkeys(name for names in also for name in names if name and name not in BUILTIN)
    return dict(zip(BUILTIN, range(1, FIRST_OWN), strict=False)) | dict(zip(more, range(FIRST_OWN, 9999), strict=False))


def capacity(nodes: Sequence[Node]) -> dict[str, int]:
    """Return what nodes have together: CPUs, memory in MB, themselves, and what is billed for them."""
    cpus = sum(node.cpus for node in nodes)
    return {"cpu": cpus, "mem": sum(node.real_memory for node in nodes), "node": len(nodes), "billing": cpus}
