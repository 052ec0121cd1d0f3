"""Jobs, queue instances and hosts as ``qstat`` and ``qhost`` print them.

Source: oracle/sge cli_transcripts.jsonl.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from slimsched.constraints.complexes import values
from slimsched.slurm import states
from slimsched.text import zone

if TYPE_CHECKING:
    from collections.abc import Iterable

    from slimsched.controller.gridengine.queue_instances import Instance, Shown
    from slimsched.model.job import Job
    from slimsched.model.node import Node

JOB_HEAD = (
    "job-ID  prior   name       user         state submit/start at     queue                          "
    "slots ja-task-ID \n" + "-" * 113
)
QUEUE_HEAD = "queuename                      qtype resv/used/tot. load_avg arch          states"
RULE = "-" * 81
HOST_HEAD = (
    "HOSTNAME                ARCH         NCPU NSOC NCOR NTHR  LOAD  MEMTOT  MEMUSE  SWAPTO  SWAPUS\n" + "-" * 94
)
_HASHES = "#" * 76
PENDING = f"\n{_HASHES}\n{' - PENDING JOBS' * 5}\n{_HASHES}"
_TIME = "%m/%d/%Y %H:%M:%S"
_UNKNOWN = "-NA-"


def job_line(job: Job, queue: str | None = "") -> str:
    """Return a job's line; ``queue``: where it runs, None in lists that say so above it."""
    moment = time.strftime(_TIME, time.gmtime(zone.civil(job.start_time if job.active else job.submit_time)))
    place = "" if queue is None else f"{queue[:30]:<30} "
    head = f"{job.job_id:7d} {job.priority / 2**32:7.5f} {job.request.name[:10]:<10} {job.user_name[:12]:<12}"
    return f"{head} {state(job):<5} {moment} {place}{slots(job):5d} {_task(job):<7}"


def _task(job: Job) -> str:
    return job.array_tasks or ("" if job.array_task_id is None else str(job.array_task_id))


def state(job: Job) -> str:
    """Return Grid Engine's letters for a job's state."""
    if job.active:
        return "s" if job.state == states.SUSPENDED else "r"
    return "hqw" if job.held else "qw"


def slots(job: Job) -> int:
    """Return the CPUs that a job has or asks for."""
    request = job.request
    return sum(job.cpus) or max(request.num_tasks or 1, request.min_nodes or 1) * (request.cpus_per_task or 1)


def queue_line(instance: Instance, used: int) -> str:
    """Return a queue instance's line."""
    node = instance.node
    state = _queue_state(node)
    load, arch = (_UNKNOWN, _UNKNOWN) if state == "u" else (_load(node) or _UNKNOWN, _arch(node))
    return f"{instance.name[:30]:<30} {'BIP':<5} {f'0/{used}/{node.cpus}':<14} {load:<8} {arch:<13} {state}"


def _queue_state(node: Node) -> str:
    if node.state != "IDLE" or "NOT_RESPONDING" in node.flags:
        return "u"
    return "" if node.up else "d"


def _arch(node: Node) -> str:
    return node.load.get("arch", "lx-amd64")


def _load(node: Node) -> str:
    found = values.number(node.load.get("load_avg", ""), "DOUBLE")
    return "" if found is None else f"{found:.2f}"


def host_line(node: Node | None) -> str:
    """Return a host's line, that of the global host for None."""
    if node is None or _queue_state(node) == "u":
        cells = ["global" if node is None else node.name, "-", *"-" * 9]
    else:
        cores = node.sockets * node.cores_per_socket
        sizes = [str(n) for n in (node.cpus, node.sockets, cores, cores * node.threads_per_core)]
        memory = [_short(text) for text in (f"{node.real_memory}M", *map(node.load.get, _MEMORY))]
        cells = [node.name, _arch(node), *sizes, _load(node) or "-", *memory]
    name, arch, *counts = cells
    return f"{name[:23]:<23} {arch[:12]:<12} " + " ".join(
        f"{cell:>{width}}" for cell, width in zip(counts, (4, 4, 4, 4, 5, 7, 7, 7, 7), strict=True)
    )


_MEMORY = ("mem_used", "swap_total", "swap_used")


def _short(text: str | None) -> str:
    number = None if text is None else values.number(text, "MEMORY")
    if number is None:
        return "-"
    for unit in "TGMK":
        if number >= values.SUFFIX[unit]:
            return f"{number / values.SUFFIX[unit]:.1f}{unit}"
    return f"{number:.1f}"


def queue_values(shown: Iterable[Shown]) -> list[str]:
    """Return the attributes of a queue instance, one a line."""
    return [f"\t{one.letters}:{one.attribute.name}={values.show(one.attribute, one.value)}" for one in shown]


def host_values(shown: Iterable[Shown], *, chosen: bool) -> list[str]:
    """Return the attributes of a host, one a line; ``chosen``: not all that it has."""
    lines: list[str] = []
    for one in shown:
        number = one.attribute.type == "INT" and not isinstance(one.value, str)
        value = f"{one.value:.6f}" if number else values.show(one.attribute, one.value)
        lead = "    Host Resource(s):      " if chosen and not lines else "   "
        lines.append(f"{lead}{one.letters}:{one.attribute.name}={value}")
    return lines
