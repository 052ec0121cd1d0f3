"""`sim env`: what a shell evaluates to have Slurm's commands."""

from __future__ import annotations

import shlex

import click

from slimsched.cli.app import Application


@click.command(name="env")
@click.option("--live", is_flag=True, help="Jobs really run. Without a named state directory a temporary one is made.")
@click.option("--nodes", metavar="HOSTLIST", help="Names of the nodes of a new cluster.")
@click.option("--cpus", metavar="N", help="CPUs of each node of a new cluster.")
@click.pass_obj
def command(app: Application, live: bool, nodes: str | None, cpus: str | None) -> None:
    """Print shell commands that put sbatch, squeue and so on first on PATH and select the state directory.

    eval "$(sim env --live)"
    """
    from slimsched.cli.live import place
    from slimsched.cli.own.shims import ahead
    from slimsched.state.layout import locate

    folder = locate(app.state) if place.named(app) or not live else place.temporary()
    node = {key: value for key, value in (("NodeName", nodes), ("CPUs", cpus)) if value is not None}
    names = place.prepared(folder, node, live=live)
    app.out(f"export SLIMSCHED_STATE={shlex.quote(folder)}")
    app.out(ahead(names))
