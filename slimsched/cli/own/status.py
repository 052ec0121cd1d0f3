"""``sim status``: the cluster at a glance."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from slimsched.cli.app import Application

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from slimsched.controller.core import Controller


@click.command("status")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object; times are seconds since 1970.")
@click.pass_obj
def command(app: Application, as_json: bool) -> None:
    """Show the clock, the nodes, the jobs and what pending jobs wait for. The clock does not move."""
    import json

    with app.session(write=False) as ctl:
        found = _facts(ctl, app.store.folder)
    if as_json:
        app.out(json.dumps(found, indent=2))
    else:
        app.out("\n".join(_lines(found)))


def _facts(ctl: Controller, folder: str) -> dict[str, object]:
    from slimsched.controller.life import arrays
    from slimsched.render.nodes.node_view import views

    cluster = ctl.cluster
    states: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for job in cluster.jobs.values():
        count = arrays.count(job.array_tasks) or 1
        states[job.state] += count
        if job.pending:
            reasons[job.reason] += count
    config = cluster.config
    return {
        "cluster": config.get("ClusterName"),
        "state": folder,
        "jobs_run": "as processes of this machine" if config.live else "in simulation",
        "clock": config.clock,
        "step": config.clock_step if config.clock == "virtual" else "",
        "now": cluster.now,
        "nodes": _ordered(Counter(view.state.lower() for view in views(cluster))),
        "jobs": _ordered(states),
        "reasons": _ordered(reasons),
    }


def _ordered(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _lines(found: Mapping[str, object]) -> Iterable[str]:
    from slimsched.text import times

    def counts(name: str) -> str:
        each = found[name]
        assert isinstance(each, dict)
        return ", ".join(f"{count} {word}" for word, count in each.items()) or "none"

    step = f", {found['step']} with each command" if found["step"] else ""
    yield f"Cluster:  {found['cluster']} in {found['state']}; jobs run {found['jobs_run']}"
    yield f"Clock:    {times.instant(int(str(found['now'])))} ({found['clock']}{step})"
    yield f"Nodes:    {counts('nodes')}"
    yield f"Jobs:     {counts('jobs')}"
    if found["reasons"]:
        yield f"Waiting:  {counts('reasons')}"
