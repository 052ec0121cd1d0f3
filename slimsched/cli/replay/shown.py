"""What reports and drawings are about: the folder of a replay, or the cluster of the state directory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.cli.app import Application
from slimsched.cli.replay.replay import OWN

if TYPE_CHECKING:
    from slimsched.replay.schedule import Schedule


def schedule(app: Application, run: str | None) -> tuple[str, Schedule]:
    """Return a title and the schedule: of the folder that ``sim replay --out`` made, else of the cluster."""
    from slimsched.replay import compare
    from slimsched.replay import schedule as schedules
    from slimsched.text import times

    if run is not None:
        result = compare.read(run)
        policy = result.options.get("policy")
        under = "the cluster's own policy" if policy == OWN else policy
        return f"{result.options.get('trace')} under {under}", schedules.of_run(result)
    with app.session(write=False) as ctl:
        found = schedules.of_cluster(ctl.cluster, app.store.archive.between(), app.store.node_history())
        return f"Cluster {ctl.cluster.config.get('ClusterName')} at {times.instant(ctl.cluster.now)}", found
