"""``sim sdiag``: what the scheduler has done so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.cli.listing import check_cluster, document, form
from slimsched.cli.program import RECORDED, STANDARD_H, Given, Option, Program
from slimsched.errors import UserError
from slimsched.slurm.errno import Errno

if TYPE_CHECKING:
    from slimsched.cli.app import Application

NO_CALLS = "sdiag's own call is the only one counted"

OPTIONS = (
    Option("all", "a", help="show everything, which is the default"),
    Option("cluster", "M", "names", "cluster to ask"),
    Option("json", "", "[data_parser]", "answer in JSON"),
    Option("no-trunc", "", "", "do not cut the lists of calls", RECORDED, NO_CALLS),
    Option("reset", "r", help="reset the counters"),
    Option("sort-by-id", "i", "", "sort the calls by number", RECORDED, NO_CALLS),
    Option("sort-by-time", "t", "", "sort the calls by time", RECORDED, NO_CALLS),
    Option("sort-by-time2", "T", "", "sort the calls by mean time", RECORDED, NO_CALLS),
    Option("yaml", "", "[data_parser]", "answer in YAML"),
    *STANDARD_H,
)


def run(app: Application, given: Given, args: list[str]) -> int | None:
    """Print the report, or reset the counters."""
    from slimsched.controller.requests import rights, users
    from slimsched.render import sdiag

    anew = given.has("reset")
    with app.session(write=anew) as ctl:
        check_cluster(app, given, ctl.cluster)
        forms = form(given)
        if anew:
            if not rights.level(ctl.cluster):
                raise UserError(f"slurm_reset_statistics: {Errno.ACCESS_DENIED.text}", level="plain")
            ctl.cluster.reset_statistics()
            app.out("Reset scheduling statistics")
        elif forms:
            from slimsched.render.json import stats

            document(app, forms, stats.body(ctl.cluster, users.invoking(ctl.cluster)), ctl.cluster)
        else:
            app.out(sdiag.text(ctl.cluster, users.invoking(ctl.cluster)))
            for said in (sdiag.constraints(ctl.cluster), *sdiag.plugin_faults(ctl.cluster)):
                if said:
                    app.note(said)
    return 0


command = Program("sdiag", OPTIONS, run, summary="Show what the scheduler has done so far")
