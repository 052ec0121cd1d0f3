"""What squeue, scontrol show job, JSON and sacct say of the same fact of a job is the same."""

from __future__ import annotations

import re

import pytest
import scene

from slimsched.render.jobs import job_list, show
from slimsched.render.jobs.sacct_fields import ROWS
from slimsched.render.jobs.sacct_rows import AccountingRow
from slimsched.render.json.jobs import JOB

FACTS = [
    # squeue -O, scontrol show job, JSON, sacct -o; "": not there
    ("Account", "Account", "account", ""),
    ("Cluster", "", "cluster", "Cluster"),
    ("Comment", "Comment", "comment", ""),
    ("CPUsPerTask", "CPUs/Task", "cpus_per_task", ""),
    ("cpus-per-tres", "CpusPerTres", "cpus_per_tres", ""),
    ("Dependency", "Dependency", "dependency", ""),
    ("ExcNodes", "ExcNodeList", "excluded_nodes", ""),
    ("Exclusive", "Exclusive", "", "Exclusive"),
    ("Feature", "Features", "features", "Constraints"),
    ("GroupName", "", "group_name", "Group"),
    ("JobArrayId", "", "", "JobID"),
    ("JobId", "JobId", "job_id", "JobIDRaw"),
    ("Licenses", "Licenses", "licenses", "Licenses"),
    ("mem-per-tres", "MemPerTres", "memory_per_tres", ""),
    ("MinCPUs", "MinCPUsNode", "minimum_cpus_per_node", ""),
    ("Name", "JobName", "name", "JobName"),
    ("Nice", "Nice", "nice", ""),
    ("NodeList", "NodeList", "nodes", ""),
    ("NumCPUs", "NumCPUs", "cpus", ""),
    ("NumTasks", "NumTasks", "tasks", ""),
    ("OverSubscribe", "OverSubscribe", "", "OverSubscribe"),
    ("Partition", "Partition", "partition", "Partition"),
    ("PriorityLong", "Priority", "priority", "Priority"),
    ("ReqNodes", "ReqNodeList", "required_nodes", ""),
    ("Reservation", "Reservation", "resv_name", "ReqReservation"),
    ("RestartCnt", "Restarts", "restart_cnt", "Restarts"),
    ("SLUID", "", "", "SLUID"),
    ("State", "JobState", "job_state", "State"),
    ("tres-per-job", "TresPerJob", "tres_per_job", ""),
    ("tres-per-node", "TresPerNode", "tres_per_node", ""),
    ("tres-per-socket", "TresPerSocket", "tres_per_socket", ""),
    ("tres-per-task", "TresPerTask", "tres_per_task", ""),
    ("UserName", "", "user_name", "User"),
    ("WorkDir", "WorkDir", "current_working_directory", "WorkDir"),
]
NONE = {"(null)", "N/A", "None"}


def views():
    cluster = scene.formats()
    for number, job in enumerate(cluster.jobs.values(), 1):
        asked = job.request
        asked.gpus, asked.gpus_per_socket, asked.gpus_per_task = f"a100:{number}", "1", f"a100:{number}"
        asked.cpus_per_gpu, asked.mem_per_gpu, asked.cpus_per_task = number % 3 or None, number % 4 or None, number % 5
        asked.oversubscribe, asked.exclusive = bool(number % 2), "user" if number % 2 else ""
        asked.nodelist = "node2,node1" if number % 2 else "elsewhere"
    return job_list.views(cluster)


def plain(value):
    """Return a value as a text, "" for what stands for none."""
    if isinstance(value, dict):
        value = value["number"] if value["set"] else ""
    if isinstance(value, list):
        value = value[0]
    return "" if str(value) in NONE else str(value)


def shown(view, key):
    found = re.search(rf"(?:^|\s){re.escape(key)}=(\S*)", show.text(view))
    return plain(found.group(1)) if found else ""


@pytest.mark.parametrize(("field", "key", "path", "column"), FACTS)
def test_every_command_says_the_same(field, key, path, column):
    said = []
    for view in views():
        texts = {plain(job_list.JOBS.by_name(field).text(view))}
        texts |= {shown(view, key)} if key else set()
        texts |= {plain(JOB.of(view)[path])} if path else set()
        texts |= {plain(ROWS.by_name(column).text(AccountingRow(view)))} if column else set()
        said.append(texts)

    assert [len(texts) for texts in said] == [1] * len(said), said
