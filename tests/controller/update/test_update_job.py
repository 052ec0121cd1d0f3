"""scontrol update JobId=: fields, their refusals, and that a refused update changes nothing."""

from __future__ import annotations

import pytest
import world

from slimsched.controller.life import arrays
from slimsched.controller.requests import licensing
from slimsched.controller.update import job as job_fields
from slimsched.errors import UserError
from slimsched.model.request import INFINITE


def update(ctl, spec="1", /, **fields):
    """Update and return the lines said; a value that cannot be read at all comes back as its message."""
    try:
        words = [f"{name}={value}" for name, value in fields.items()]
        return world.said(job_fields.update(ctl, job_fields.parse([f"JobId={spec}", *words], print)))
    except UserError as error:
        return [error.message]


def waiting(**fields):
    ctl = world.controller(Licenses="matlab:2")
    world.job(ctl, begin_time=world.START + 7200, **fields)
    return ctl


@pytest.mark.parametrize(
    ("fields", "attributes"),
    [
        ({"TimeLimit": "20"}, {"time_limit": 20}),
        ({"TimeLimit": "+5"}, {"time_limit": 35}),
        ({"TimeLimit": "-5"}, {"time_limit": 25}),
        ({"TimeLimit": "5:00:00"}, {"time_limit": 300}),
        ({"TimeLimit": "UNLIMITED"}, {"time_limit": INFINITE}),
        ({"JobName": "n"}, {"name": "n"}),
        ({"Extra": "b=2&c=3"}, {"extra": "b=2&c=3"}),
        ({"Comment": "hello world"}, {"comment": "hello world"}),
        ({"Nice": "100"}, {"nice": 100}),
        ({"Nice": "-10"}, {"nice": -10}),
        ({"Nice": "abc"}, {"nice": 0}),
        ({"NumNodes": "2"}, {"min_nodes": 2, "max_nodes": 2, "num_tasks": 2}),
        ({"NumNodes": "1-3"}, {"min_nodes": 1, "max_nodes": 3, "num_tasks": 1}),
        ({"NumCPUs": "2"}, {"min_cpus": 2, "cpus_per_task": None}),
        ({"NumTasks": "3"}, {"num_tasks": 3}),
        ({"MinCPUsNode": "2"}, {"min_cpus_per_node": 2, "min_cpus": 2}),
        ({"MinMemoryNode": "100"}, {"mem_per_node": 100, "mem_per_cpu": None}),
        ({"MinMemoryCPU": "50"}, {"mem_per_cpu": 50, "mem_per_node": None}),
        ({"Features": "rack1"}, {"features": "rack1"}),
        ({"Features": ""}, {"features": ""}),
        ({"ReqNodeList": "node1"}, {"nodelist": "node1"}),
        ({"ExcNodeList": "node2"}, {"exclude": "node2"}),
        ({"Gres": "gpu:1"}, {"gres": "gpu:1"}),
        ({"Requeue": "0"}, {"requeue": False}),
        ({"OverSubscribe": "1"}, {"oversubscribe": True}),
        ({"Contiguous": "1"}, {"contiguous": True}),
        ({"Deadline": "now+4hours"}, {"deadline": world.START + 14400}),
        ({"StartTime": "now+3hours"}, {"begin_time": world.START + 10800}),
        ({"Licenses": "matlab:1"}, {"licenses": "matlab:1"}),
        ({"Switches": "2@5"}, {"switches": 2, "wait_for_switches": 300}),
        ({"Partition": "batch,debug"}, {"partition": "batch,debug"}),
        ({"TresPerNode": "gres/gpu:2"}, {"gres": "gpu:2"}),
        ({"TresPerJob": "gres/gpu:2"}, {"gpus": "2"}),
        ({"CpusPerTres": "gpu:2"}, {"cpus_per_gpu": 2}),
        ({"DelayBoot": "60"}, {"recorded": {"delay-boot": "60"}}),
        ({"MailType": "END", "MailUser": "me"}, {"mail_type": "END", "mail_user": "me"}),
        ({"MailUser": "me"}, {"mail_user": ""}),
        ({"Account": "nobody"}, {"account": ""}),
        ({"QOS": "nothing"}, {"qos": ""}),
        ({"AdminComment": "x"}, {"admin_comment": "x"}),
        ({"NumNodes": "ALL"}, {"min_nodes": 1}),
        ({"TimeMin": "10"}, {"time_min": 10}),
    ],
)
def test_fields_of_a_pending_job(fields, attributes):
    ctl = waiting()

    assert update(ctl, **fields) == []
    request = ctl.cluster.jobs[1].request
    assert {name: getattr(request, name) for name in attributes} == attributes


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"Priority": "abc"}, "Invalid Priority value: abc"),
        ({"TimeLimit": "bogus"}, "Invalid TimeLimit value"),
        ({"TimeLimit": "-31"}, "TimeLimit decrement larger than current time limit (31 > 30)"),
        ({"Partition": "nosuch"}, "Invalid partition name specified for job 1"),
        ({"Extra": "a=="}, "Invalid extra constraints specification for job 1"),
        ({"Extra": ""}, "Invalid extra constraints specification for job 1"),
        ({"Dependency": "afterok:9999"}, "Job dependency problem for job 1"),
        ({"Dependency": "afterok:1"}, "Circular job dependency for job 1"),
        ({"NumNodes": "0"}, "Node count specification invalid for job 1"),
        ({"Features": "nosuch"}, "Invalid feature specification for job 1"),
        ({"ReqNodeList": "nosuch"}, "Invalid node name specified for job 1"),
        ({"ReservationName": "r"}, "Requested reservation is invalid for job 1"),
        ({"Licenses": "x"}, "Invalid license specification for job 1"),
        ({"EndTime": "now+1hour"}, "Job is not running for job 1"),
        ({"BurstBuffer": "x"}, "Requested operation not supported on this system for job 1"),
        ({"ArrayTaskThrottle": "3"}, "Requested operation not supported on this system for job 1"),
        ({"Gres": "nosuch:1"}, "Invalid generic resource (gres) specification for job 1"),
        ({"Contiguous": "maybe"}, "Invalid Contiguous value: maybe"),
        ({"NumTasks": "x"}, "Invalid NumTasks value: x"),
        ({"Deadline": "2020-01-01"}, "Invalid time specified for job 1"),
        ({"Comment": "x" * 2000}, "Pathname of a file, directory or other parameter too long for job 1"),
    ],
)
def test_refusals_leave_the_job_as_it_was(fields, said):
    ctl = waiting()
    before = ctl.cluster.jobs[1].request

    assert update(ctl, JobName="new", **fields) == [said]
    assert ctl.cluster.jobs[1].request is before


def test_more_nodes_than_the_partition_has():
    """The change is made, and is complained of now and at every later change (scenario scontrol_update_job)."""
    ctl = waiting()
    said = ["Requested partition configuration not available now for job 1"]

    assert update(ctl, NumNodes="99") == said
    assert update(ctl, JobName="new") == said
    assert update(ctl, NumCPUs="2") == []
    request = ctl.cluster.jobs[1].request
    assert (request.min_nodes, request.max_nodes, request.name) == (99, 99, "new")
    assert update(ctl, NumNodes="1") == []


def test_tasks_cover_the_nodes():
    ctl = waiting()
    update(ctl, NumNodes="4")

    assert update(ctl, NumTasks="3") == ["Task count specification invalid for job 1"]


def test_priority_by_hand_stays():
    """Scenario scontrol_update_job, jobs 1 and 2."""
    ctl = waiting()
    job = ctl.cluster.jobs[1]
    update(ctl, Priority="500")
    update(ctl, Nice="5")
    assert (job.priority, job.request.nice) == (500, 0)
    update(ctl, Priority="0")
    assert (job.priority, job.reason) == (0, "JobHeldAdmin")
    update(ctl, Nice="100")
    update(ctl, Nice="10")
    assert (job.priority, job.request.nice) == (2, 100)


def test_a_running_job():
    ctl = world.controller()
    job = world.job(ctl)

    assert update(ctl, TimeLimit="40", JobName="rn", Comment="c", Priority="7", NumNodes="1", Extra="a=1") == []
    assert (job.end_time, job.priority, job.nodes) == (world.START + 2400, 7, "node1")
    assert update(ctl, EndTime="now+10minutes") == []
    assert (job.end_time, job.request.time_limit) == (world.START + 600, 10)
    for fields, said in (
        ({"Partition": "batch"}, "Job is no longer pending execution"),
        ({"StartTime": "now"}, "Job is no longer pending execution"),
        ({"Features": "rack2"}, "Job is no longer pending execution"),
        ({"ReqNodeList": "node3"}, "Invalid node name specified"),
        ({"MinMemoryNode": "200"}, "Requested operation requires extern step"),
        ({"NumNodes": "2"}, "Requested operation not supported on this system"),
        ({"EndTime": "now-1minute"}, "Invalid time specified"),
        ({"Gres": "gpu:1"}, "Job is no longer pending execution"),
        ({"NumTasks": "2"}, "Job is no longer pending execution"),
        ({"Dependency": "singleton"}, "Job is no longer pending execution"),
        ({"Contiguous": "1"}, "Job is no longer pending execution"),
        ({"WorkDir": "/tmp"}, "Job is no longer pending execution"),
        ({"Reboot": "1"}, "Job is no longer pending execution"),
        ({"ResetAccrueTime": ""}, "Job is no longer pending execution"),
        ({"Clusters": "c"}, "Not a valid federated job"),
    ):
        assert update(ctl, **fields) == [f"{said} for job 1"]


def test_what_a_running_job_has_already_is_no_change():
    ctl = world.controller()
    job = world.job(ctl, partition="debug", work_dir="/w", features="rack1", exclude="node8")

    assert update(ctl, Partition="debug", WorkDir="/w", Features="rack1", ExcNodeList="node8") == []
    assert update(ctl, TimeMin="5", Deadline="now+1hour", Licenses="", Requeue="0", Switches="1") == []
    assert (job.request.time_min, job.request.deadline, job.request.requeue) == (None, 0, False)


@pytest.mark.parametrize(
    ("asked", "given", "left"),
    [
        ("matlab:3", "matlab:3", {"matlab": -1, "foo": 1}),  # more than there are: slurmctld allows it
        ("matlab:2|foo:1", "matlab:2", {"matlab": 0, "foo": 1}),  # its own count as free
        ("matlab:3|foo", "foo", {"matlab": 2, "foo": 0}),
        ("", "", {"matlab": 2, "foo": 1}),
    ],
)
def test_a_running_job_takes_other_licenses_at_once(asked, given, left):
    ctl = world.controller(Licenses="matlab:4,foo:1")
    job = world.job(ctl, licenses="matlab:1")
    world.job(ctl, licenses="matlab:2")

    assert update(ctl, Licenses=asked) == []
    assert job.licenses_alloc == given
    assert licensing.left(ctl.cluster) == left


def test_a_held_job_must_be_released_before_it_gets_a_priority():
    ctl = world.controller()
    world.job(ctl, hold=True)

    assert update(ctl, Priority="5") == ["Job is in held state, pending scheduler release for job 1"]


def test_a_closed_partition_takes_no_job():
    ctl = waiting()
    ctl.cluster.partitions["batch"].state = "DRAIN"

    assert update(ctl, Partition="batch") == ["Required partition not available (inactive or drain) for job 1"]


@pytest.mark.parametrize("field", ["CoreSpec", "ThreadSpec"])
def test_specialized_cores_must_be_allowed(field):
    assert update(waiting(), **{field: "1"}) == ["Access/permission denied for job 1"]
    ctl = waiting()
    ctl.cluster.config.slurm["AllowSpecResourcesUsage"] = "YES"
    assert update(ctl, **{field: "1"}) == []


def test_only_a_job_with_a_layout_can_change_it():
    ctl = waiting()
    assert update(ctl, ReqSockets="2") == ["Job is no longer pending execution for job 1"]
    ctl.cluster.jobs[1].request.cores_per_socket = 1
    assert update(ctl, ReqSockets="2") == []


def test_a_job_that_was_given_up_is_tried_anew_after_a_change():
    ctl = world.controller()
    job = world.job(ctl, nodelist="node2", extra="a=1")
    assert (job.reason, job.priority) == ("BadConstraints", 0)
    ctl.cluster.nodes[1].change(extra='{"a": 1}')
    ctl.cluster.changed("extra")
    update(ctl, Comment="again")
    ctl.settle()

    assert (job.state, job.nodes) == ("RUNNING", "node2")


def test_a_job_can_ask_for_more_cpus_than_its_tasks_need():
    ctl = waiting()
    update(ctl, NumCPUs="3", StartTime="now")
    ctl.settle()

    assert ctl.cluster.jobs[1].cpus == [3]


def test_fields_are_looked_at_in_the_order_of_the_controller():
    assert update(waiting(), Features="nosuch", Partition="nosuch") == ["Invalid partition name specified for job 1"]


def test_a_finished_job_keeps_everything_but_its_comments():
    ctl = world.controller()
    world.job(ctl, runtime=10)
    world.later(ctl, 10)

    assert update(ctl, Comment="good") == []
    assert update(ctl, JobName="x") == ["Job has already finished for job 1"]


def test_a_shorter_limit_ends_a_running_job_sooner():
    ctl = world.controller()
    job = world.job(ctl, runtime=3000, time_limit=60)
    update(ctl, TimeLimit="5")
    world.later(ctl, 300)

    assert (job.state, job.end_time) == ("TIMEOUT", world.START + 300)


def test_dependency_and_begin_time_set_the_reason():
    ctl = world.controller()
    world.job(ctl, hold=True)
    job = world.job(ctl, begin_time=world.START + 60)
    update(ctl, "2", Dependency="afterok:1")
    assert (job.reason, job.dependency) == ("Dependency", "afterok:1(unfulfilled)")
    update(ctl, "2", Dependency="")
    assert (job.reason, job.dependency) == ("BeginTime", "")
    update(ctl, "2", StartTime="now")
    ctl.settle()
    assert job.state == "RUNNING"


def test_extra_lets_a_job_start():
    ctl = world.controller()
    ctl.cluster.nodes[2].change(extra='{"a": 1}')
    ctl.cluster.changed("extra")
    job = world.job(ctl, extra="a=99")
    update(ctl, Extra="a=1")
    ctl.settle()

    assert (job.state, job.nodes) == ("RUNNING", "node3")


def test_arrays():
    ctl = world.controller()
    world.job(ctl, array="0-5%1")
    assert update(ctl, ArrayTaskThrottle="3") == []
    ctl.settle()
    assert [label for label, (state, _) in world.states(ctl).items() if state == "RUNNING"] == ["1_0", "1_1", "1_2"]
    assert update(ctl, "1_5", Priority="3") == []
    assert update(ctl, "1_[3-4]", TimeLimit="7") == []
    limits = {arrays.label(j): j.request.time_limit for j in ctl.cluster.jobs.values() if j.pending}
    assert limits == {"1_[3-4%3]": 7, "1_5": None}


def test_every_field_does_something():
    assert all(field.put or field.means or field.name in {"JobId", "UserID"} for field in job_fields.FIELDS)
