"""The command ``scontrol write config``: the cluster as a ``slurm.conf``, with partitions as they were changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.state import fields

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import NodeConf, PartitionConf


def render(cluster: Cluster) -> str:
    """Return the text of the file."""
    lines = [f"{key}={value}" for key, value in cluster.config.slurm.items()]
    lines += [_line(conf) for conf in cluster.config.nodes]
    lines += [_line(part) for part in cluster.partitions.values()]
    return "\n".join(lines) + "\n"


def _line(conf: NodeConf | PartitionConf) -> str:
    """Return a NodeName or PartitionName line; values with blanks are quoted."""
    pairs = [(key, fields.as_text(value)) for key, value in fields.show(conf).items()]
    pairs += conf.other.items()
    return " ".join(f'{key}="{value}"' if " " in value else f"{key}={value}" for key, value in pairs)
