"""``qselect``: the queue instances that could serve a request, as configured."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from slimsched.cli.gridengine.program import COMMON, GridProgram, lists
from slimsched.cli.program import RECORDED, Given, Option
from slimsched.errors import SyntaxFault, UserError

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.controller.gridengine.queue_instances import Instance

OPTIONS = (
    Option("", "l", "resource_list", "request the given resources"),
    Option("", "q", "wc_queue_list", "only these queues"),
    Option("", "U", "user_list", "only queues where these users have access", RECORDED, "all users have access"),
    *COMMON,
)


def run(app: Application, given: Given, args: list[str]) -> int:
    """List the queue instances; exit 1 if there are none, or if the request is wrong."""
    from slimsched.constraints.complexes import places, request
    from slimsched.controller.gridengine import qsub_verify

    texts = given.all("l")
    if "" in texts:
        raise UserError('-l option must have argument\ninvalid option argument ""', level="plain")
    with app.session(write=False) as ctl:
        try:
            asked = request.read(texts, places.catalog_of(ctl.cluster), strict=False)
        except SyntaxFault:
            return 1
        wanted = lists(given.all("q"))
        found = [one for one in qsub_verify.select(ctl.cluster, asked) if not wanted or named(one, wanted)]
    app.out("".join(f"{one.name}\n" for one in found), end="")
    return 0 if found else 1


def named(instance: Instance, patterns: list[str]) -> bool:
    """Whether a queue instance is meant by one of some patterns for queues (``q*``) or queue instances (``q@h*``)."""
    return any(fnmatchcase(instance.name if "@" in text else instance.partition, text) for text in patterns)


command = GridProgram("qselect", OPTIONS, run, summary="Select queues")
