"""The pytest plugin: two fixtures, ``slurm_cluster`` and ``slurm_cluster_live``, the marker ``slurm``, and events.

The events are those of the cluster of a test that failed.

Nothing of slimsched is imported before a test asks for the fixture.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from slimsched.testing.cluster import Cluster

CLUSTER = pytest.StashKey["Cluster"]()
"""Where a test keeps its cluster, for the report of its failure."""

MARKER = (
    "slurm(nodes=4, cpus=8, memory=None, step=None, slow_start=None, slow_end=None, conf=None): the cluster of a "
    "fixture: a number of nodes (n1, n2, ...) or a hostlist, the CPUs and memory of each, how far each Slurm command "
    "moves the clock, how long jobs are configuring and completing; or a slurm.conf, relative to the test's file"
)
OPTIONS = ("nodes", "cpus", "memory", "step", "slow_start", "slow_end", "conf")
FOREIGN = ("SLURM", "SBATCH", "SALLOC", "SRUN", "SQUEUE", "SINFO", "SACCT", "SPRIO", "SCANCEL", "SLIMSCHED")
"""How variables begin that would change what Slurm's commands do."""


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", MARKER)


@pytest.fixture
def slurm_cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Make a Slurm cluster of the test's own on a virtual clock, and put Slurm's commands first on PATH."""
    with _cluster(request, tmp_path_factory.mktemp("slurm"), live=False) as cluster:
        yield cluster


@pytest.fixture
def slurm_cluster_live(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Make one whose jobs really run, as processes of this machine; none of them is left afterwards."""
    with _cluster(request, tmp_path_factory.mktemp("slurm"), live=True) as cluster:
        yield cluster


@contextmanager
def _cluster(request: pytest.FixtureRequest, folder: Path, *, live: bool) -> Iterator[Cluster]:
    from slimsched.testing.cluster import Cluster

    options = _options(request)
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(FOREIGN)]:
            patch.delenv(name)
        cluster = Cluster(folder, options, live=live)
        request.node.stash[CLUSTER] = cluster
        for name, value in cluster.variables.items():
            patch.setenv(name, value)
        try:
            yield cluster
        finally:
            if live:
                cluster.close()


def _options(request: pytest.FixtureRequest) -> dict[str, str]:
    """Return what the markers of a test ask for, the nearest first; a wrong one is a usage error."""
    given: dict[str, Any] = {}
    for marker in request.node.iter_markers("slurm"):
        unknown = [name for name in marker.kwargs if name not in OPTIONS]
        if marker.args or unknown:
            wrong = f"has no {unknown[0]!r}" if unknown else "takes keywords only"
            raise pytest.UsageError(f"the marker slurm {wrong}; it is {MARKER.partition(':')[0]}")
        given = {**marker.kwargs, **given}
    if given.get("conf") is not None:
        given["conf"] = Path(request.path).parent / given["conf"]
    return {name: str(value) for name, value in given.items() if value is not None}


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """Show what happened in the cluster of a test that failed."""
    outcome = yield
    report, cluster = outcome.get_result(), item.stash.get(CLUSTER, None)
    if report.failed and cluster is not None:
        report.sections.append(("events of the Slurm cluster", cluster.events))
