"""The network of switches as ``scontrol show topology`` and ``show topoconf`` print it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.text import hostlist

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slimsched.model.cluster import Cluster
    from slimsched.model.config import SwitchConf

KINDS = ("block", "flat", "ring", "torus3d", "tree")


def lines(cluster: Cluster, wanted: Sequence[str] = ()) -> list[str]:
    """Return a line for each switch, with its level above the nodes and all nodes below it.

    ``wanted`` are names of switches, or of nodes that must be below a switch.
    """
    switches = {switch.switch_name: switch for switch in cluster.config.switches}
    levels: dict[str, int] = {}
    below: dict[str, list[str]] = {}
    for _ in switches:  # each round knows one level more
        for name, switch in switches.items():
            known = [lower for lower in _lower(switch) if lower in levels]
            if name not in levels and len(known) == len(_lower(switch)):
                levels[name] = 1 + max((levels[lower] for lower in known), default=-1)
                own = hostlist.expand(switch.nodes) if switch.nodes else []
                below[name] = [*own, *(node for lower in known for node in below[lower])]
    return [
        _line(switch, levels.get(name, 0), below.get(name, []))
        for name, switch in switches.items()
        if all(text == name or text in below.get(name, []) for text in wanted)
    ]


def _line(switch: SwitchConf, level: int, nodes: list[str]) -> str:
    lower = f" Switches={switch.switches}" if switch.switches else ""
    listed = hostlist.fold(nodes, "slurm")
    return f"SwitchName={switch.switch_name} Level={level} LinkSpeed={switch.link_speed} Nodes={listed}{lower}"


def _lower(switch: SwitchConf) -> list[str]:
    return hostlist.expand(switch.switches) if switch.switches else []


def yaml(cluster: Cluster) -> str:
    """Return the topology as a YAML document."""
    body = ["- topology: default", "  cluster_default: false"]
    for kind in KINDS:
        switches = cluster.config.switches if kind == "tree" else []
        if not switches:
            body.append(f"  {kind}: {{}}")
            continue
        body += ["  tree:", "    switches:"]
        for switch in switches:
            children = f"children: {switch.switches}" if switch.switches else f"nodes: {switch.nodes}"
            body += [f"    - switch: {switch.switch_name}", f"      {children}"]
    return "\n".join(["%YAML 1.1", "---", *body, "..."])
