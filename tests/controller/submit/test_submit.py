"""Submission: what is refused, in which words, and which refusals use a job id up."""

from __future__ import annotations

import pytest
import scene
import world

from slimsched.controller.requests import users
from slimsched.controller.requests.users import User
from slimsched.controller.submit import submission
from slimsched.errors import SlurmError, UserError
from slimsched.model.config import PartitionConf
from slimsched.model.request import INFINITE, JobRequest
from slimsched.model.reservation import Reservation
from slimsched.slurm.errno import Errno

CONF = """
ClusterName=oracle
DefMemPerCPU=100
GresTypes=gpu
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=extra_constraints
NodeName=node[1-4] CPUs=4 RealMemory=1000 Features=rack1,intel
NodeName=node[5-6] CPUs=4 RealMemory=1000 Features=rack2,amd
NodeName=node[7-8] CPUs=4 RealMemory=1000 Features=rack2,amd,big Gres=gpu:2 Weight=10
PartitionName=debug Nodes=node[1-8] Default=YES MaxTime=2:00:00 DefaultTime=30:00
PartitionName=batch Nodes=node[5-8] MaxTime=1-00:00:00
"""


def test_refusals_and_the_ids_they_use(sim):
    (sim.cwd / "slurm.conf").write_text(CONF)
    sim("init", "--from", "slurm.conf")
    expected, actual, next_id = [], [], 1
    for record in scene.records("submit_refusals.jsonl"):
        answer = sim.run("sbatch", *record["args"])
        refused = "err" in record
        out = "" if refused else f"Submitted batch job {next_id}\n"
        expected.append((record["args"], int(refused), out, record.get("err", "")))
        plain = "".join(line for line in answer.err.splitlines(True) if not line.startswith("sbatch: note: "))
        actual.append((record["args"], answer.code, answer.out, plain))
        next_id += record["uses_id"]

    assert actual == expected


def refused(ctl, **fields):
    with pytest.raises(UserError) as caught:
        world.job(ctl, **fields)
    return caught.value


def test_bad_extra_carries_a_diagnosis():
    error = refused(world.controller(), extra="load==1")

    assert error.message == "Invalid extra constraints specification"
    assert error.notes[:2] == ("load==1", "    ^^")
    assert error.commits


def test_extra_is_limited_in_bytes():
    ctl = world.controller()
    world.job(ctl, extra="k=" + "x" * 1022)

    assert refused(ctl, extra="k=" + "é" * 512).message == Errno.PATHNAME_TOO_LONG.text


def test_extra_is_free_text_when_constraints_are_off():
    ctl = world.controller(SchedulerParameters="")

    assert world.job(ctl, extra="((((").request.extra == "(((("


def test_refusal_for_lack_of_hardware_leaves_a_failed_job():
    ctl = world.controller()
    error = refused(ctl, cpus_per_task=5)
    job = ctl.cluster.jobs[1]

    assert (error.detail, error.message) == (
        "CPU count per node can not be satisfied",
        "Requested node configuration is not available",
    )
    assert (job.state, job.reason, job.priority) == ("FAILED", "BadConstraints", 4294901759)
    assert world.job(ctl).job_id == 2


@pytest.mark.parametrize(
    ("fields", "detail"),
    [
        ({"mem_per_node": 1001}, "Memory specification can not be satisfied"),
        ({"mem_per_cpu": 300, "cpus_per_task": 4}, "Memory specification can not be satisfied"),
        ({"min_tmp_disk": 1}, "Temporary disk specification can not be satisfied"),
        ({"threads_per_core": 2}, "Socket, core and/or thread specification can not be satisfied"),
        ({"sockets_per_node": 5}, "Socket, core and/or thread specification can not be satisfied"),
        ({"ntasks_per_socket": 2}, ""),
        ({"gres": "gpu:3"}, ""),
        ({"num_tasks": 5, "min_nodes": 1, "max_nodes": 1}, ""),
        ({"min_nodes": 2, "contiguous": True, "nodelist": "node1", "exclude": "node2"}, ""),
        ({"gpus": "5"}, ""),
        ({"features": "rack1&amd"}, ""),
        ({"features": "big", "min_nodes": 3, "max_nodes": 3}, ""),
        ({"features": "big*3", "min_nodes": 4, "max_nodes": 4}, ""),
        ({"nodelist": "node1", "partition": "batch"}, ""),
    ],
)
def test_what_no_node_has(fields, detail):
    assert refused(world.controller(), **fields).detail == detail


NEVER = (
    "-N1 -n5",
    "-N2 --contiguous -w node1 -x node2",
    "--gpus=5",
    "-N5 -C [rack1|amd]",
    "--ntasks-per-socket 2",
    "--tmp 1",
)


@pytest.mark.parametrize("options", NEVER)
@pytest.mark.parametrize("command", ["sbatch", "srun", "salloc"])
@pytest.mark.parametrize("waits", ["", "-d afterok:1", "-b now+1hour"])
def test_what_can_never_run_is_refused_by_every_command(sim, command, options, waits):
    """What ``--test-only`` says is what the command itself does, whether the job could be tried at once or not."""
    (sim.cwd / "slurm.conf").write_text(CONF)
    sim("init", "--from", "slurm.conf")
    sim("sbatch -N8 --exclusive --wrap 'sleep 60'")
    program = "--wrap true" if command == "sbatch" else "true"
    answers = [sim.run(f"{command} {options} {more} {program}") for more in (waits, "--test-only")]

    assert [answer.code for answer in answers] == [1, 1]
    assert answers[1].err == f"allocation failure: {Errno.REQUESTED_NODE_CONFIG_UNAVAILABLE.text}\n"
    assert f": {Errno.REQUESTED_NODE_CONFIG_UNAVAILABLE.text}\n" in answers[0].err
    assert sim("squeue -h -o '%A %t'") == "1 R\n"


def test_data_that_may_change_are_waited_for():
    """Where only ``--extra`` stands in the way, the job is queued, whatever the plugin says of what is left."""
    ctl = world.controller()
    assert world.job(ctl, extra="color=red", num_tasks=2).reason == "Constraints"
    assert world.job(ctl, extra="color=red", nodelist="node1").reason == "BadConstraints"
    ctl.cluster.nodes[0].change(extra="color=red")
    ctl.cluster.changed("extra")
    assert world.job(ctl, extra="color=red", num_tasks=5).state == "PENDING"


def test_a_job_fits_if_one_of_its_partitions_has_the_node():
    job = world.job(world.controller(), nodelist="node1", partition="batch,debug")

    assert (job.state, job.partition, job.nodes) == ("RUNNING", "debug", "node1")


@pytest.mark.parametrize(
    ("mode", "partition", "allowed"),
    [
        ("NO", "debug", True),
        ("ANY", "debug", False),
        ("ALL", "debug", False),
        ("YES", "debug", False),
        ("yes", "debug,batch", True),
        ("ANY", "debug,batch", True),
        ("ALL", "debug,batch", False),
    ],
)
def test_enforcing_partition_limits(mode, partition, allowed):
    ctl = world.controller(EnforcePartLimits=mode)
    if allowed:
        assert world.job(ctl, partition=partition, time_limit=180).job_id == 1
    else:
        assert refused(ctl, partition=partition, time_limit=180).message == Errno.INVALID_TIME_LIMIT.text
        assert world.job(ctl).job_id == 1


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"time_limit": 180}, "PartitionTimeLimit"),
        ({"time_limit": INFINITE}, "PartitionTimeLimit"),
        ({"min_nodes": 9, "max_nodes": 9}, "PartitionNodeLimit"),
        ({"num_tasks": 33}, "PartitionConfig"),
        ({"hold": True}, "JobHeldUser"),
        ({"begin_time": world.START + 60}, "BeginTime"),
        ({"extra": "a=1"}, "Constraints"),
    ],
)
def test_accepted_jobs_that_cannot_start(fields, reason):
    job = world.job(world.controller(), **fields)

    assert (job.state, job.reason) == ("PENDING", reason)


def test_partition_states():
    ctl = world.controller()
    part = ctl.cluster.partitions["debug"]
    part.state = "DOWN"

    assert world.job(ctl).reason == "PartitionDown"
    for state in ("DRAIN", "INACTIVE"):
        part.state = state
        assert refused(ctl).message == "Required partition not available (inactive or drain)"


@pytest.mark.parametrize(
    ("fields", "errno"),
    [
        ({"root_only": True}, Errno.ACCESS_DENIED),
        ({"req_resv": True}, Errno.ACCESS_DENIED),
        ({"allow_groups": "wheel"}, Errno.JOB_MISSING_REQUIRED_PARTITION_GROUP),
        ({"allow_accounts": "physics"}, Errno.INVALID_ACCOUNT),
    ],
)
def test_partition_access(fields, errno):
    ctl = world.controller()
    ctl.cluster.config.slurm["EnforcePartLimits"] = "ALL"
    ctl.cluster.add_partition(PartitionConf(partition_name="closed", nodes="node1", **fields))
    with pytest.raises(SlurmError) as caught:
        world.job(ctl, users.User(1000, "jo", 1000, "staff"), partition="closed")

    assert caught.value.errno == errno


def test_a_group_that_is_not_let_in_waits():
    ctl = world.controller()
    ctl.cluster.add_partition(PartitionConf(partition_name="closed", nodes="node1", allow_groups="wheel,adm"))

    job = world.job(ctl, users.User(1000, "jo", 1000, "staff"), partition="closed")

    text = "uid 1000 not in group permitted to use this partition (closed). groups allowed: wheel,adm"
    assert (job.reason, job.state_desc) == ("PartitionConfig", text)
    assert world.job(ctl, users.User(0, "root", 0, "root"), partition="closed").state == "RUNNING"


def test_defaults_are_filled_in():
    request = world.job(world.controller()).request

    assert (request.partition, request.min_nodes, request.num_tasks, request.min_cpus_per_node) == ("debug", 1, 1, 1)
    assert (request.mem_per_cpu, request.mem_per_node, request.requeue) == (100, None, True)


@pytest.mark.parametrize(
    ("fields", "nodes", "tasks", "cpus"),
    [
        ({"min_nodes": 2, "max_nodes": 2}, 2, 2, 1),
        ({"min_nodes": 2, "max_nodes": 4}, 2, None, 1),
        ({"min_nodes": 2, "max_nodes": 2, "ntasks_per_node": 2}, 2, 4, 2),
        ({"nodelist": "node[1-2]"}, 2, 2, 1),
        ({"num_tasks": 6}, 1, 6, 1),
        ({"cpus_per_task": 2}, 1, 1, 2),
        ({"num_tasks": 3, "ntasks_per_node": 2}, 1, 3, 1),
    ],
)
def test_sizes_follow_from_each_other(fields, nodes, tasks, cpus):
    request = world.job(world.controller(), **fields).request

    assert (request.min_nodes, request.num_tasks, request.min_cpus_per_node) == (nodes, tasks, cpus)


def test_a_partition_default_memory_comes_first():
    ctl = world.controller()
    ctl.cluster.partitions["debug"].def_mem_per_node = 400

    assert (world.job(ctl).request.mem_per_node, world.job(ctl, partition="batch").request.mem_per_cpu) == (400, 100)


def test_priorities_fall_and_a_held_job_gets_none():
    ctl = world.controller()
    jobs = [world.job(ctl), world.job(ctl, hold=True), world.job(ctl, nice=50), world.job(ctl, priority=100)]

    assert [job.priority for job in jobs] == [4294901759, 0, 4294901708, 100]


def test_users_the_system_does_not_know_get_ids_of_their_own():
    cluster = world.controller().cluster
    ann, bob = users.resolve(cluster, "ann-of-the-trace"), users.resolve(cluster, "bob-of-the-trace")

    assert (ann.uid, bob.uid) == (users.FIRST_OWN_ID, users.FIRST_OWN_ID + 1)
    assert users.resolve(cluster, str(bob.uid)) == bob
    assert users.resolve(cluster, "0").name == "root"
    for text in ("", "a b", "a\n"):
        with pytest.raises(SlurmError):
            users.resolve(cluster, text)


def test_max_job_count():
    ctl = world.controller(MaxJobCount="1")
    world.job(ctl)

    assert refused(ctl).message == Errno.MAX_JOB_COUNT.text


def test_reservations_must_be_open_to_the_user():
    ctl = world.controller()
    bob = User(1001, "bob", 1001, "staff")
    for name, who, node in (("mine", "bob", "node1"), ("theirs", "ann", "node3"), ("others", "-bob", "node4")):
        ctl.cluster.reservations[name] = Reservation(
            name=name, start_time=world.START, end_time=world.START + 3600, nodes=node, node_cnt=1, users=who
        )

    assert world.job(ctl, bob, reservation="mine").nodes == "node1"
    assert refused(ctl, reservation="nosuch").message == Errno.RESERVATION_INVALID.text
    for name, node in (("theirs", "node3"), ("others", "node4")):
        with pytest.raises(UserError, match=Errno.RESERVATION_ACCESS.text):
            world.job(ctl, bob, reservation=name)
        assert world.job(ctl, reservation=name).nodes == node  # root manages Slurm and may use any
    assert refused(ctl, reservation="mine", nodelist="node2").detail == "Problem using reservation"


def test_licenses():
    ctl = world.controller(Licenses="matlab:2,ansys")

    assert world.job(ctl, licenses="matlab:2,ansys").state == "RUNNING"
    for text in ("matlab:3", "nosuch", "matlab:x", ":1"):
        assert refused(ctl, licenses=text).message == Errno.INVALID_LICENSES.text


def test_time_min_and_deadline():
    ctl = world.controller()

    assert refused(ctl, time_min=20, time_limit=10).message == Errno.INVALID_TIME_MIN_LIMIT.text
    assert refused(ctl, deadline=world.START + 300).message == Errno.INVALID_TIME_LIMIT.text
    assert world.job(ctl, deadline=world.START + 300, time_limit=5).job_id == 1


def test_test_only_uses_id_and_priority_and_keeps_nothing():
    ctl = world.controller()
    world.job(ctl, min_nodes=8, max_nodes=8, exclusive="NODE", time_limit=45)
    plan = submission.test_only(ctl, JobRequest(min_nodes=2, max_nodes=2, exclusive="NODE", extra="a=1"), world.ROOT)

    assert (plan.job_id, plan.start_time - world.START, plan.cpus, plan.nodes, plan.partition) == (
        *(2, 45 * 60, 8, "node[1-2]", "debug"),
    )
    assert list(ctl.cluster.jobs) == [1]
    assert world.job(ctl).priority == 4294901757


@pytest.mark.parametrize("fields", [{"min_nodes": 9, "max_nodes": 9}, {"mem_per_node": 2000}, {"nodelist": "node2"}])
def test_test_only_says_what_can_never_run(fields):
    ctl = world.controller()
    ctl.cluster.nodes[1].change(flags=["DRAIN"])
    with pytest.raises(SlurmError) as caught:
        submission.test_only(ctl, JobRequest(**fields), world.ROOT)

    assert caught.value.errno == Errno.REQUESTED_NODE_CONFIG_UNAVAILABLE
    assert caught.value.commits
