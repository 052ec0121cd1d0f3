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
    """Show the clock, nodes, jobs, what pending jobs wait for and what happens next. The clock does not move."""
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
        "next": _next(ctl),
    }


_HAPPENS = {
    "END": "job {job} ends",
    "RESERVATION": "reservation {name} begins or ends",
    "NODE": "node {name} changes its state",
    "DEADLINE": "job {job} can no longer meet its deadline",
    "BEGIN": "job {job} may begin",
    "READY": "job {job} may find its nodes ready",
    "SLICE": "a time slice is over",
    "PREEMPT": "the grace time of job {job} is over",
    "STEP": "a step of job {job} begins or ends",
    "TRIGGER": "a trigger is looked at",
}
"""Class of events -> what happens, in words; the others are scheduling passes."""


def _next(ctl: Controller) -> dict[str, object] | None:
    """Return the next event that comes by itself, None if there is none."""
    from slimsched.controller.schedule.event_queue import EventQueue

    event = EventQueue(ctl).peek()
    if event is None:
        return None
    what = _HAPPENS.get(event.kind.name, "a scheduling pass")
    return {"time": max(event.time, ctl.cluster.now), "what": what.format(job=event.job_id, name=event.name)}


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
    following = found["next"]
    if isinstance(following, dict):
        yield f"Next:     {times.instant(following['time'])} {following['what']}"
    else:
        yield "Next:     nothing until the next command"
