"""The select plugin interface (the guide's ``select_p_*`` functions, less the prefix).

Source: Slurm Resource Selection Plugin Programmer Guide, 23 October 2019.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job


class Mode(IntEnum):
    """``mode`` of `SelectPlugin.job_test`."""

    RUN_NOW = 0
    TEST_ONLY = 1
    WILL_RUN = 2


@dataclass(slots=True)
class JobTest:
    """What `SelectPlugin.job_test` is asked: a job, the nodes it may use, and how many of them."""

    job: Job
    bitmap: int  # candidate nodes
    min_nodes: int
    max_nodes: int
    req_nodes: int
    required: int = 0  # nodes that must be among the chosen (req_node_bitmap)
    preemptee_candidates: Sequence[Job] = ()
    exc_cores: dict[int, int] = field(default_factory=dict)  # node index -> cores held for reservations


@dataclass(slots=True)
class Selection:
    """What it answers: the nodes, and what is taken of each (in ascending node order)."""

    bitmap: int
    cpus: list[int] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)  # MB
    gres: list[str] = field(default_factory=list)
    start_time: int = 0  # WILL_RUN: when
    preempted: list[Job] = field(default_factory=list)


class SelectPlugin:
    """Base class of select plugins."""

    plugin_type = "select/"
    plugin_name = ""
    api_version = (1, 0)

    def __init__(self, cluster: Cluster) -> None:
        """Keep the cluster whose nodes are selected."""
        self.cluster = cluster
