"""Dynamic nodes: ``scontrol create`` and ``delete NodeName=``, and a slurmd that registers with ``-Z``.

Source: dynamic_nodes.html; slurmctld's node manager, by behaviour.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.requests import rights
from slimsched.errors import SlurmError
from slimsched.model import bitmap
from slimsched.model.cluster import shorten
from slimsched.model.record import replaced
from slimsched.slurm import states
from slimsched.slurm.errno import Errno, ErrorCode
from slimsched.text import hostlist

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.config import NodeConf

ONLY_CONS_TRES = "Node {} only compatible with select/cons_tres"
ONLY_FUTURE = "Only State=FUTURE and State=CLOUD allowed for nodes created by scontrol"
UNPARSED = "Failed to parse nodeline '{}'"


def create(ctl: Controller, words: list[str]) -> None:
    """Add the nodes that the words of a NodeName line describe, all of them or none. Raises `SlurmError`."""
    rights.require(ctl.cluster, rights.ADMINISTRATOR)
    conf = _parse(words)
    if states.CONFIGURED.get(conf.state.upper()) not in (states.CONFIGURED["FUTURE"], states.CONFIGURED["CLOUD"]):
        raise SlurmError(Errno.INVALID_NODE_STATE, detail=ONLY_FUTURE)
    add(ctl, conf)


def add(ctl: Controller, conf: NodeConf) -> None:
    """Add the nodes of a line to the table. Raises `SlurmError`."""
    cluster = ctl.cluster
    if cluster.config.get("SelectType") != "select/cons_tres":
        raise SlurmError(Errno.ACCESS_DENIED, detail=ONLY_CONS_TRES.format("creation"))
    names = hostlist.expand(conf.node_name, dialect="slurm")
    if any(name in cluster.node_index for name in names):
        raise SlurmError(Errno.NODE_ALREADY_EXISTS)
    most = cluster.config.number("MaxNodeCount")
    if len(cluster.nodes) + len(names) > most:
        room = f"the cluster has {len(cluster.nodes)} nodes; MaxNodeCount in slurm.conf makes room for more"
        raise SlurmError(Errno.NODE_TABLE_FULL, notes=(f"{room}: sim init --set MaxNodeCount=100",))
    cluster.add_nodes([replaced(conf, node_name=name) for name in names])
    for name in names:
        cluster.touch_node(cluster.nodes[cluster.node_index[name]])
    cluster.record("node-create", node=hostlist.fold(names, "slurm"), state=shorten(conf.state))
    _renew(ctl)


def _parse(words: list[str]) -> NodeConf:
    """Return the node line that words make. Raises `SlurmError`."""
    from slimsched.model.config import NodeConf
    from slimsched.state import fields, slurm_conf, slurm_differences, slurm_lines

    text = " ".join(f'{key}="{value}"' if " " in value else f"{key}={value}" for key, _, value in map(_cut, words))
    known = fields.keys(NodeConf)
    values = {}
    for key, _, value in map(_cut, words):
        if key.lower() not in known and key.lower() not in slurm_differences.LINE_KEYS["nodename"]:
            said = slurm_lines.unknown("nodeline", key, [each.name for each in known.values()]).message
            raise _unparsed(text, said.partition(": ")[2])
        values[known[key.lower()].name if key.lower() in known else key] = value
    try:
        conf = slurm_conf.node_conf(values)
        hostlist.expand(conf.node_name, dialect="slurm")
    except ValueError as fault:
        raise _unparsed(text, str(fault)) from None
    return conf


def _cut(word: str) -> tuple[str, str, str]:
    key, equals, value = word.partition("=")
    return key, equals, value.strip('"')


def _unparsed(text: str, why: str) -> SlurmError:
    return SlurmError(ErrorCode(-1, "Unspecified error"), detail=UNPARSED.format(shorten(text)), notes=(why,))


def register(ctl: Controller, name: str, words: list[str]) -> None:
    """Add a node that registers itself, if it is not there yet. Raises `SlurmError`."""
    if name not in ctl.cluster.node_index:
        conf = _parse([f"NodeName={name}", *words])
        add(ctl, conf)


def delete(ctl: Controller, text: str) -> None:
    """Remove dynamic nodes that no job and no reservation uses; others stay, and are refused. Raises `SlurmError`."""
    cluster = ctl.cluster
    rights.require(cluster, rights.ADMINISTRATOR)
    if cluster.config.get("SelectType") != "select/cons_tres":
        raise SlurmError(Errno.ACCESS_DENIED, detail=ONLY_CONS_TRES.format("deletion"))
    try:
        names = hostlist.expand(text, dialect="slurm")
    except ValueError:
        raise SlurmError(Errno.INVALID_NODE_NAME) from None
    refused = {name: why for name in names if (why := _why_not(ctl, name)) is not None}
    gone = bitmap.of(cluster.node_index[name] for name in names if name not in refused)
    if gone:
        _forget(ctl, gone)
    if refused or not names:
        error = next(iter(refused.values()), SlurmError(Errno.INVALID_NODE_NAME))
        error.detail = f"failed to delete nodes {hostlist.fold(list(refused), 'slurm')}" if refused else ""
        error.commits = True
        raise error


def _why_not(ctl: Controller, name: str) -> SlurmError | None:
    """Return why a node cannot be removed, None if it can."""
    cluster = ctl.cluster
    index = cluster.node_index.get(name)
    if index is None:
        return SlurmError(Errno.INVALID_NODE_NAME)
    if cluster.nodes[index].made is None:
        return SlurmError(Errno.NOT_SUPPORTED, notes=(f"node {name} is in the configuration; only created nodes go",))
    for job in cluster.jobs.values():
        texts = [job.nodes] if job.active else [job.request.nodelist, job.request.exclude] if job.pending else []
        if any(cluster.bitmap_of(text) >> index & 1 for text in texts):
            return SlurmError(Errno.NODES_BUSY, notes=(f"job {job.job_id} {'uses' if job.active else 'names'} {name}",))
    for resv in cluster.reservations.values():
        if cluster.bitmap_of(resv.nodes) >> index & 1:
            return SlurmError(Errno.NODES_BUSY, notes=(f"reservation {resv.name} has {name}",))
    return None


def _forget(ctl: Controller, gone: int) -> None:
    """Remove nodes, and their names where others use them: in partitions and in plans."""
    cluster = ctl.cluster
    lost = {cluster.nodes[index].name for index in bitmap.iterate(gone)}
    for part in cluster.partitions.values():
        names = hostlist.expand(part.nodes, dialect="slurm")
        if lost.intersection(names):
            part.nodes = hostlist.fold([name for name in names if name not in lost], "slurm")
            cluster.dirty_partitions.add(part.partition_name)
    for job in cluster.jobs.values():
        if job.sched_nodes and cluster.bitmap_of(job.sched_nodes) & gone:
            job.planned, job.sched_nodes = False, ""
            cluster.touch_job(job)
    cluster.record("node-delete", node=cluster.hostlist_of(gone))
    cluster.remove_nodes(gone)
    _renew(ctl)


def _renew(ctl: Controller) -> None:
    """Let those who keep node sets begin anew."""
    ctl.renew_nodes()
    ctl.cluster.pass_due = True
