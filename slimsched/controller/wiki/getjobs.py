"""GETJOBS: the jobs, in more or less detail."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.requests import time_limits
from slimsched.controller.wiki.getnodes import span
from slimsched.model.request import INFINITE
from slimsched.sched.wiki import tasklist
from slimsched.sched.wiki.message import Settings, Words, data, plain
from slimsched.slurm import states
from slimsched.text import hostlist
from slimsched.text.times import YEAR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job

COMMENTED = {"qos": "QOS", "class": "RCLASS"}
"""Key that version 1 reads from a job's comment -> field of the answer."""

Pairs = list[tuple[str, object]]


def get_jobs(ctl: Controller, words: Words, settings: Settings) -> str:
    """Return the jobs asked for; an unknown one is ``(null)``, as it always was. Raises `Refused`."""
    since, wanted = span(words)
    cluster = ctl.cluster
    found: list[Job | None] = list(cluster.jobs.values())
    if not wanted.startswith("ALL"):
        ids = [text for text in wanted.split(":") if text]
        found = [cluster.jobs.get(int(text)) if text.isdecimal() and len(text) < 12 else None for text in ids]
    rows = [_record(cluster, job, since, settings) if job else "(null)" for job in found]
    return data("#".join([str(len(rows)), *rows]) + "#" * (not rows))


def _record(cluster: Cluster, job: Job, since: int, settings: Settings) -> str:
    pairs: Pairs = [("STATE", _state(job, settings.version))]
    if settings.version == 2 and job.finished:
        pairs.append(("EXITCODE", job.exit_code))
    if since <= cluster.now:
        facts = _Facts(cluster, job, settings)
        pairs += facts.version_1() if settings.version == 1 else facts.version_2()
        if since <= job.submit_time:
            pairs += [("UNAME", plain(job.user_name)), ("GNAME", plain(job.group_name))]
    return f"{job.job_id}:" + "".join(f"{name}={value};" for name, value in pairs)


def _state(job: Job, version: int) -> str:
    if version == 2 and job.state == states.FAILED:
        return "Completed"
    return states.JOB[job.state].wiki


class _Facts(NamedTuple):
    """The facts of one job, in the order of each version."""

    cluster: Cluster
    job: Job
    settings: Settings

    def version_1(self) -> Pairs:
        job, request = self.job, self.job.request
        pairs = [*self._hosts(), *self._start_date(), *self._tasks_on_nodes(), *self._features(), *self._rejected("")]
        pairs += self._unless_finished("IWD", plain(request.work_dir))
        pairs += [*self._sizes(), *self._times(), ("PARTITIONMASK", job.partition), *self._memory()]
        pairs += self._ends()
        if request.account:
            name, _, qos = request.account.partition("-")
            pairs.append(("QOS", plain(qos)) if name == "qos" and qos else ("ACCOUNT", plain(request.account)))
        for item in (request.comment or "").split(","):
            word, colon, value = item.partition(":")
            if colon and word in COMMENTED:
                pairs.append((COMMENTED[word], plain(value)))
        return pairs + ([("COMMENT", plain(request.comment or ""))] if request.comment else [])

    def version_2(self) -> Pairs:
        job, request = self.job, self.job.request
        pairs = [*self._features(), *self._hosts(), *self._start_date()]
        if job.pending:
            pairs.append(("MAXNODES", request.max_nodes or 0))
        pairs += [*self._tasks_on_nodes(), *self._rejected('"')]
        pairs += self._unless_finished("IWD", _quoted(request.work_dir))
        pairs += [] if request.batch else [("FLAGS", "INTERACTIVE")]
        pairs += [(name, _quoted(text)) for name, text in (("GRES", request.gres), ("WCKEY", request.wckey)) if text]
        pairs += [*self._sizes(), *self._times(), ("RCLASS", _quoted(job.partition)), *self._memory()]
        pairs += [("COMMENT", _quoted(self._comment())), *self._ends()]
        pairs += [("ACCOUNT", _quoted(request.account))] if request.account else []
        return [*pairs, ("NAME", _quoted(request.name))]

    def _unless_finished(self, name: str, value: object) -> Pairs:
        return [] if self.job.finished else [(name, value)]

    def _hosts(self) -> Pairs:
        job, pairs = self.job, []
        lists = {"HOSTLIST": job.request.nodelist}
        if self.settings.version == 2:
            lists["EXCLUDE_HOSTLIST"] = job.request.exclude
        for name, text in lists.items():
            if job.pending and text:
                expression = self.settings.version == 2 and self.settings.host_format
                names = hostlist.expand(text, dialect="slurm")
                pairs.append((name, hostlist.fold(names, "slurm") if expression else ":".join(names)))
        return list(pairs)

    def _start_date(self) -> Pairs:
        begin = self.job.request.begin_time
        return [("STARTDATE", begin)] if self.job.pending and begin else []

    def _tasks_on_nodes(self) -> Pairs:
        job = self.job
        if not job.active:
            return []
        size = job.request.cpus_per_task or 1
        names = hostlist.expand(job.nodes, dialect="slurm")
        counts = [(name, max(1, cpus // size)) for name, cpus in zip(names, job.cpus, strict=False)]
        return [("TASKLIST", tasklist.write(counts, self.settings.version, self.settings.host_format))]

    def _features(self) -> Pairs:
        text = self.job.request.features
        return [("RFEATURES", plain(text.replace("&", ":")))] if self.job.pending and text and "|" not in text else []

    def _rejected(self, quote: str) -> Pairs:
        if self.job.state != states.FAILED:
            return []
        return [("REJMESSAGE", f'"{plain(self.job.reason)}"')]

    def _sizes(self) -> Pairs:
        job, request = self.job, self.job.request
        seconds = time_limits.planned_seconds(
            job, self.cluster.partitions[job.partition or request.partition.split(",")[0]]
        )
        size = request.cpus_per_task or 1
        nodes = len(job.cpus) if job.active else request.min_nodes or 1
        waiting = max(request.num_tasks or 1, nodes * (request.ntasks_per_node or 1))
        pairs: Pairs = [
            ("UPDATETIME", job.end_time if job.finished else job.start_time if job.active else job.submit_time),
            ("WCLIMIT", min(seconds, YEAR) if request.time_limit != INFINITE else YEAR),
            ("TASKS", waiting if job.pending else sum(job.cpus) // size),
        ]
        pairs += self._unless_finished("NODES", nodes)
        if self.settings.version == 1 and request.ntasks_per_node and not job.finished:
            pairs.append(("TASKPERNODE", request.ntasks_per_node))
        return [*pairs, ("DPROCS", size)]

    def _times(self) -> Pairs:
        return [("QUEUETIME", self.job.submit_time), ("STARTTIME", self.job.start_time)]

    def _memory(self) -> Pairs:
        request, pairs = self.job.request, []
        if self.settings.version == 1 and request.mem_per_cpu:
            pairs.append(("DMEM", request.mem_per_cpu))
        memory = request.mem_per_node or (request.mem_per_cpu if self.settings.version == 2 else 0) or 0
        return [*pairs, ("RMEM", memory), ("RDISK", request.min_tmp_disk or 0)]

    def _ends(self) -> Iterator[tuple[str, object]]:
        job = self.job
        if job.finished:
            yield "COMPLETETIME", job.end_time
        if job.state == states.SUSPENDED:
            yield "SUSPENDTIME", self.cluster.now - job.suspend_time

    def _comment(self) -> str:
        job, request = self.job, self.job.request
        parts = [f"DEPEND={job.dependency}"] if job.dependency else []
        parts += ["NACCESSPOLICY:shared"] if request.oversubscribe else []
        parts += [f"TPN:{request.ntasks_per_node}"] if request.ntasks_per_node else []
        parts += ["JOBFLAGS:RESTARTABLE"] if request.requeue and request.batch else []
        return "?".join([*parts, request.comment] if request.comment else parts)


def _quoted(text: str) -> str:
    """Return a text in quotes, cut before a quote of its own."""
    return f'"{plain(text.partition(chr(34))[0])}"'
