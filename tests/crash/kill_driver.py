"""Kill a writer before each of its system calls, one after the other, and report what the next command finds.

``python kill_driver.py SCENARIO`` prints one JSON object a line: the call, what had been acknowledged, what was
found, and what is wrong with it ("" if nothing). A process of its own because it forks, which a test process with
threads must not.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from typing import Any

from slimsched.model.cluster import Cluster
from slimsched.model.job import Job
from slimsched.model.request import JobRequest
from slimsched.slurm.states import COMPLETED
from slimsched.state import default, doctor, files, salvage, setup, store
from slimsched.state.store import Store

CALLS = {"open", "write", "fsync", "fdatasync", "replace", "rename", "ftruncate", "mkdir", "unlink"}
"""Between two others nothing on the disk changes, so that death there is death ahead of the next of these."""


JOBS = 4
ALL = list(range(1, JOBS + 1))


class Deadly:
    """The module ``os``, which kills the process ahead of call number ``fatal``, or in the middle of that write."""

    def __init__(self, fatal: int, *, halfway: bool) -> None:
        self.fatal, self.halfway = fatal, halfway

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in CALLS:
            return real

        def call(*args: Any, **options: Any) -> Any:
            self.fatal -= name == "write" or not self.halfway
            if self.fatal < 0:
                if self.halfway:
                    os.write(args[0], bytes(args[1])[: len(args[1]) // 2])
                os.kill(os.getpid(), 9)
            return real(*args, **options)

        return call


def submit(cluster: Cluster) -> Job:
    job = Job(job_id=cluster.next_job_id, request=JobRequest(), submit_time=cluster.now)
    cluster.next_job_id += 1
    cluster.jobs[job.job_id] = job
    cluster.touch_job(job)
    return job


def submissions(folder: str, acknowledge: Callable[[int], None]) -> None:
    """From nothing: jobs are submitted, end and are archived, with a checkpoint in every second commit."""
    store._SMALL = 600
    for _ in range(JOBS):
        with Store.open(folder, write=True) as opened:
            cluster = opened.load()
            for old in list(cluster.jobs.values())[:-1]:
                old.state = COMPLETED
                cluster.gone_jobs.append(cluster.jobs.pop(old.job_id))
            job = submit(cluster)
            opened.save_script(job.job_id, f"script {job.job_id}")
            opened.commit(cluster)
        acknowledge(job.job_id)


def replacement(folder: str, acknowledge: Callable[[int], None]) -> None:
    """`sim init --force` over a cluster with jobs; the ids of the new one start at 1000."""
    conf = default.cluster()
    conf.slurm["FirstJobId"] = "1000"
    setup.create(folder, conf, force=True)
    acknowledge(0)


def repair(folder: str, acknowledge: Callable[[int], None]) -> None:
    """`sim doctor --rebuild` of a directory without its snapshot."""
    salvage.rebuild(folder)
    acknowledge(0)


def nothing(folder: str) -> None:
    """Begin without a directory."""


def jobs(folder: str) -> None:
    submissions(folder, lambda job_id: None)


def damage(folder: str) -> None:
    submissions(folder, lambda job_id: None)
    with open(os.path.join(folder, "snapshot.json"), "r+b") as file:
        file.write(b"x")
    with open(os.path.join(folder, "data-1", "archive", "000000"), "r+b") as file:
        file.seek(60)
        file.write(b"x")


SCENARIOS = {"submissions": (nothing, submissions), "replacement": (jobs, replacement), "repair": (damage, repair)}


def faults(scenario: str, folder: str, acknowledged: list[int]) -> str:
    """Open the directory as the next command does; return what is wrong with it."""
    if scenario == "repair":
        salvage.rebuild(folder)
    with Store.open(folder, write=True) as opened:
        cluster = opened.load()
        archived = [job.job_id for job in opened.archive.between()]
        known = [*cluster.jobs, *archived]
        if len(known) != len(set(known)):
            return f"a job is there twice: {known}"
        if scenario == "replacement":
            replaced = cluster.next_job_id == 1000
            if acknowledged and not replaced:
                return "init said that it was done, and it was not"
            if sorted(known) != ([] if replaced else ALL):
                return f"neither the old nor the new cluster: {known}"
        elif scenario == "repair":
            if sorted(known) != ALL:
                return f"lost jobs: {known}"
        elif not set(acknowledged) <= set(known):
            return f"lost: {set(acknowledged) - set(known)}"
        scripts = [job_id for job_id in known if opened.script(job_id) != f"script {job_id}"]
        if scripts:
            return f"no script of {scripts}"
        job = submit(cluster)
        if job.job_id in known:
            return f"id {job.job_id} is used again"
        opened.commit(cluster)
    damaged = [finding for finding in doctor.check(folder) if finding.status == doctor.DAMAGED]
    return f"the doctor says: {damaged}" if damaged else ""


def run(scenario: str, template: str, fatal: int, *, halfway: bool) -> bool:
    """Let one writer die; print the report; return whether it lived."""
    folder = tempfile.mkdtemp() + "/state"
    if os.path.exists(template):
        shutil.copytree(template, folder)
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        files.os = Deadly(fatal, halfway=halfway)  # type: ignore[assignment]
        SCENARIOS[scenario][1](folder, lambda job_id: os.write(writer, b"%d " % job_id) and None)
        os._exit(0)
    os.close(writer)
    acknowledged = [int(word) for word in os.fdopen(reader).read().split()]
    _, status = os.waitpid(child, 0)
    try:
        wrong = faults(scenario, folder, acknowledged)
    except Exception as fault:
        wrong = repr(fault)
    shutil.rmtree(os.path.dirname(folder))
    print(json.dumps({"call": fatal, "halfway": halfway, "acknowledged": acknowledged, "wrong": wrong}), flush=True)
    return status == 0


def main(scenario: str) -> None:
    template = tempfile.mkdtemp() + "/state"
    SCENARIOS[scenario][0](template)
    for halfway in (True, False):
        fatal = 0
        while not run(scenario, template, fatal, halfway=halfway):
            fatal += 1
    shutil.rmtree(os.path.dirname(template))


if __name__ == "__main__":
    main(sys.argv[1])
