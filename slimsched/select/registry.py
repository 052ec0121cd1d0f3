"""Finding a select plugin by the name that ``SelectType`` gives.

Those of the toolkit stand in a static table, so that the usual command imports one module and nothing else;
another name is looked up among the entry points of the group ``slimsched.select``.
"""

from __future__ import annotations

from importlib import import_module

from slimsched.errors import PluginError
from slimsched.select.api import API_VERSION, SelectPlugin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster

BUILT_IN = {
    "linear": "slimsched.select.linear:Linear",
    "cons_tres": "slimsched.select.cons_tres:ConsTres",
    "cray_aries": "slimsched.select.cray_aries:CrayAries",
    "cons_res": "slimsched.select.cons_tres:ConsTres",  # its name before Slurm 19.05
}
"""Plugin name, less ``select/`` -> module and class."""

GROUP = "slimsched.select"


def find(name: str) -> type[SelectPlugin]:
    """Return the class of a plugin (``select/linear`` or ``linear``).

    Raises PluginError if there is none, it cannot be imported, or it follows another major API version.
    """
    short = name.removeprefix("select/")
    target = BUILT_IN.get(short)
    plugin = _attribute(target) if target else _entry_point(short)
    if not (isinstance(plugin, type) and issubclass(plugin, SelectPlugin)):
        raise PluginError(f"select/{short}: {plugin!r} is not a SelectPlugin")
    if plugin.api_version[0] != API_VERSION[0]:
        theirs, ours = (".".join(map(str, version)) for version in (plugin.api_version, API_VERSION))
        raise PluginError(f"select/{short}: made for select API {theirs}, this is {ours}")
    return plugin


def load(name: str, cluster: Cluster) -> SelectPlugin:
    """Return the plugin, told of the cluster's nodes and of the jobs that hold some."""
    plugin = find(name)(cluster)
    plugin.init()
    plugin.node_init(cluster.nodes)
    plugin.job_init(list(cluster.jobs.values()))
    return plugin


def _attribute(target: str) -> object:
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)


def _entry_point(name: str) -> object:
    from importlib.metadata import entry_points

    found = entry_points(group=GROUP, name=name)
    if not found:
        raise PluginError(f"Couldn't find the specified plugin name for select/{name}")
    try:
        return next(iter(found)).load()
    except Exception as error:
        raise PluginError(f"select/{name}: {type(error).__name__}: {error}") from error
