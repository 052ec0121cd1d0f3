"""``qhost``: the hosts and what they have left of their attributes."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from slimsched.cli.gridengine.program import COMMON, GridProgram, lists
from slimsched.cli.program import Given, Option
from slimsched.errors import SyntaxFault, UserError

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.controller.core import Controller
    from slimsched.controller.gridengine.queue_instances import Instance

OPTIONS = (
    Option("", "F", "[resource_attributes]", "remaining amounts of the hosts' attributes"),
    Option("", "h", "host_list", "only these hosts"),
    Option("", "l", "resource_list", "only hosts that could serve this request"),
    *COMMON,
)


def run(app: Application, given: Given, args: list[str]) -> int:
    """List the hosts, the global one first."""
    with app.session(write=False) as ctl:
        lines = _lines(ctl, given)
    app.out("".join(f"{line}\n" for line in lines), end="")
    return 0


def _lines(ctl: Controller, given: Given) -> list[str]:
    from slimsched.cli.gridengine.qstat import chosen
    from slimsched.controller.gridengine import queue_instances
    from slimsched.render.gridengine import lists as render

    hosts = _hosts(ctl, given)
    if not hosts:
        return []
    lines = [render.HOST_HEAD]
    grid = queue_instances.Grid(ctl)
    full, names = given.has("F"), given.all("F")
    if not given.has("l"):
        lines.append(render.host_line(None))
        if full:
            lines += render.host_values(chosen(queue_instances.left_globally(grid), names), chosen=bool(names))
    for instance in hosts:
        lines.append(render.host_line(instance.node))
        if full:
            left = queue_instances.left_at(grid, instance, host_only=True)
            lines += render.host_values(chosen(left, names), chosen=bool(names))
    return lines


def _hosts(ctl: Controller, given: Given) -> list[Instance]:
    """Return one queue instance for each host that is meant (a host that no partition has shows with none)."""
    from slimsched.constraints.complexes import places, request
    from slimsched.controller.gridengine import qsub_verify
    from slimsched.controller.gridengine.queue_instances import Instance

    try:
        asked = request.read(given.all("l"), places.catalog_of(ctl.cluster), strict=False)
    except SyntaxFault as fault:
        raise UserError(fault.message, level="plain") from None
    fitting = {one.node.name for one in qsub_verify.select(ctl.cluster, asked)}
    wanted = lists(given.all("h"))
    return [
        Instance("", node)
        for node in ctl.cluster.nodes
        if (not asked or node.name in fitting) and (not wanted or any(fnmatchcase(node.name, w) for w in wanted))
    ]


command = GridProgram("qhost", OPTIONS, run, summary="Show hosts")
