"""The meaning of a submission, spelled out before it is checked.

The default partition, ``-w ALL``, the account and the QOS of the user's association, features as Slurm writes them,
nodes and tasks as the numbers of GPUs give them. Nothing here refuses anything: what cannot be read, or contradicts
itself, stays as it was given, and `check` refuses it. What slurmctld fills in once a submission is accepted is in
`defaults`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.requests import resource_texts
from slimsched.model.record import copied

if TYPE_CHECKING:
    from slimsched.controller.requests.users import User
    from slimsched.model.cluster import Cluster
    from slimsched.model.request import JobRequest

DEFAULTED = ("partition", "num_tasks", "min_nodes", "mem_per_node", "qos")
"""Fields that get a default if they are not given; a request records which of them were given."""


def normalise(cluster: Cluster, request: JobRequest, user: User) -> JobRequest:
    """Return a copy of a request with everything that it implies filled in."""
    made = copied(request)
    made.account, made.wckey = request.account.lower(), request.wckey.lower()  # as accounting keeps them
    if made.priority:
        from slimsched.controller.requests import rights

        made.priority = made.priority if rights.level(cluster) else None  # of a user's wish only a hold counts
    empty = [name for name in request.given if not getattr(request, name)]
    made.given = [name for name in DEFAULTED if getattr(request, name)] + empty
    made.partition = request.partition or cluster.default_partition
    part = cluster.partitions.get(made.partition.partition(",")[0])
    if part is not None and made.nodelist.upper() == "ALL":
        made.nodelist = cluster.hostlist_of(cluster.partition_bitmap(part.partition_name))
    if part is not None and (cluster.accounting or cluster.config.names_slurmdbd):
        from slimsched.controller.accounts import assoc_limits

        assoc_limits.associate(cluster, made, part, user)
    if request.features or request.prefer:
        from slimsched.constraints.slurm_features import canonical

        made.features, made.prefer = canonical(request.features), canonical(request.prefer)
    _infer_sizes(made)
    return made


def _infer_sizes(request: JobRequest) -> None:
    """Fill in missing numbers of nodes and tasks from the numbers of GPUs."""
    try:
        job, node, _, task = resource_texts.gpu_counts(request).values()
    except ValueError:
        return
    if job and node:
        nodes = job // node
        if (request.min_nodes or 1) <= nodes <= (request.max_nodes or nodes):
            request.min_nodes = request.max_nodes = nodes
    if job and task and request.num_tasks is None:
        request.num_tasks = job // task
    if node and task and request.ntasks_per_node is None:
        request.ntasks_per_node = node // task
