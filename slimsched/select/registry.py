"""Finding a select plugin by the name that ``SelectType`` gives, and starting it as the guide's flow says.

Those of the toolkit stand in a static table, so that the usual command imports one module and nothing else;
another name is looked up among the entry points of the group ``slimsched.select``.
"""

from __future__ import annotations

from slimsched import plugins
from slimsched.select.api import API_VERSION, SelectPlugin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from slimsched.model.cluster import Cluster

BUILT_IN = {
    "linear": "slimsched.select.linear:Linear",
    "cons_tres": "slimsched.select.cons_tres:ConsTres",
    "cray_aries": "slimsched.select.cray_aries:CrayAries",
    "processors": "slimsched.select.processors:Processors",
    "cons_res": "slimsched.select.cons_tres:ConsTres",  # its name before Slurm 19.05
}
"""Plugin name, less ``select/`` -> module and class."""

FAMILY = plugins.Family("select", BUILT_IN, SelectPlugin, API_VERSION)


def find(name: str) -> type[SelectPlugin]:
    """Return the class of a plugin (``select/linear`` or ``linear``). Raises `PluginError`, see `plugins.find`."""
    return plugins.find(FAMILY, name)


def load(name: str, cluster: Cluster, saved: Mapping[str, object] | None = None) -> SelectPlugin:
    """Return the plugin, started: told of the nodes, given back its ``saved`` state, told of the active jobs."""
    return start(find(name)(cluster), cluster, saved)


def start(plugin: SelectPlugin, cluster: Cluster, saved: Mapping[str, object] | None = None) -> SelectPlugin:
    """Call what the guide calls at slurmctld's start, in its order."""
    plugin.init()
    plugin.node_init(cluster.nodes)
    rank(plugin, cluster)
    plugin.state_restore(saved or {})
    jobs = cluster.begun()
    plugin.job_init(jobs)
    for job in jobs:
        if job.active:
            plugin.nodeinfo_set(job)
    return plugin


def rank(plugin: SelectPlugin, cluster: Cluster) -> None:
    """Let the plugin rank the nodes, if it does so."""
    cluster.ranked = plugin.node_ranking(cluster.nodes)
