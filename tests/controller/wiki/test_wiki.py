"""What an external scheduler asks and orders, without a socket between."""

from __future__ import annotations

import pytest
import world
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from slimsched.controller.core import Controller
from slimsched.controller.requests.users import User
from slimsched.controller.wiki.answer import COMMANDS, answer
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config, NodeConf, PartitionConf
from slimsched.sched.wiki.message import Settings, checksum

NOW = 1400000000
ANN = User(1000, "ann", 1000, "users")
V1, V2 = Settings(1, 42), Settings(2, 42)


class Scheduler:
    """An external scheduler over the cluster of the oracle's examples."""

    def __init__(self, setting=V2, **slurm):
        config = Config(
            slurm={"SchedulerType": "sched/wiki", "DefMemPerCPU": "1", **slurm},
            nodes=[
                NodeConf(node_name="tux0", cpus=2, real_memory=4096, tmp_disk=20000, features="fast,ib"),
                NodeConf(node_name="tux[1-3]", cpus=2, real_memory=4096, tmp_disk=20000),
            ],
            partitions=[
                PartitionConf(partition_name="debug", nodes="tux0"),
                PartitionConf(partition_name="batch", nodes="ALL", default=True, max_time=600, default_time=60),
            ],
        )
        self.ctl, self.setting = Controller(Cluster(config, NOW)), setting

    def job(self, **fields):
        fields = {"requeue": True, "work_dir": "/home/ann", **fields}
        return world.job(self.ctl, user=ANN, **{"name": "sim", "num_tasks": 1, **fields})

    def ask(self, payload, **more):
        """Return the payload of the answer to a signed request."""
        body = f"TS={self.ctl.cluster.now} AUTH=root DT=CMD={payload}"
        sealed = answer(self.ctl, f"CK={checksum(42, body.encode())} {body}", self.setting)
        self.ctl.settle()
        head, _, said = sealed.partition(" DT=")
        assert head.startswith("CK=")
        assert checksum(42, sealed[20:].encode()) == sealed[3:19]
        return said


def test_jobs_wait_until_they_are_started():
    scheduler = Scheduler()
    job = scheduler.job(runtime=60)
    assert (job.state, job.priority, job.reason) == ("PENDING", 0, "JobHeldAdmin")
    world.later(scheduler.ctl, 3600)
    assert job.state == "PENDING"

    assert scheduler.ask("STARTJOB ARG=1 TASKLIST=tux1") == "SC=0 RESPONSE=job 1 started successfully"
    assert (job.state, job.nodes, job.request.nodelist, job.request.exclude) == ("RUNNING", "tux1", "", "")
    world.later(scheduler.ctl, 60)
    assert job.state == "COMPLETED"


def test_nodes_in_version_2():
    scheduler = Scheduler()
    cluster = scheduler.ctl.cluster
    cluster.nodes[2].change(state="DOWN", reason="Not 'responding'")
    cluster.nodes[3].change(flags=["DRAIN"])
    cluster.nodes[0].change(load={"load_avg": "0.01"})
    cluster.changed("state")
    scheduler.job()
    scheduler.ask("STARTJOB ARG=1 TASKLIST=tux1")

    rest = "ARCH=x86_64;OS=Linux;"
    assert scheduler.ask("GETNODES ARG=0:ALL") == (
        "SC=0 ARG=4#"
        f"tux0:STATE=Idle;CPULOAD=0.010000;CCLASS=[debug:2][batch:2];{rest}FEATURE=fast:ib;"
        "CMEMORY=4096;CDISK=20000;CPROC=2;#"
        f"tux1:STATE=Running;CCLASS=[batch:2];{rest}CMEMORY=4096;CDISK=20000;CPROC=2;#"
        f'tux2:STATE=Down;CAT="Not  responding ";CCLASS=[batch:2];{rest}CMEMORY=4096;CDISK=20000;CPROC=2;#'
        f"tux3:STATE=Drained;CCLASS=[batch:2];{rest}CMEMORY=4096;CDISK=20000;CPROC=2;"
    )
    assert scheduler.ask(f"GETNODES ARG={NOW + 9}:tux0:nosuch:tux1") == (
        "SC=0 ARG=2#tux0:STATE=Idle;CPULOAD=0.010000;#tux1:STATE=Running;"
    )
    assert scheduler.ask("GETNODES ARG=0:nosuch") == "SC=0 ARG=0#"


def test_nodes_in_version_1():
    scheduler = Scheduler(V1, SelectType="select/linear")
    scheduler.job()
    scheduler.ask("STARTJOB ARG=1 TASKLIST=tux1")
    assert scheduler.ask("GETNODES ARG=0:tux0:tux1") == (
        "SC=0 ARG=2#tux0:STATE=Idle;ARCH=x86_64;OS=Linux;FEATURES=fast:ib;CMEMORY=4096;CDISK=20000;CPROC=2;#"
        "tux1:STATE=Busy;ARCH=x86_64;OS=Linux;CMEMORY=4096;CDISK=20000;CPROC=2;"
    )


def test_equal_nodes_are_merged():
    scheduler = Scheduler(V2._replace(host_format=2))
    assert scheduler.ask("GETNODES ARG=1:ALL") == (
        "SC=0 ARG=2#tux0:STATE=Idle;CCLASS=[debug:2][batch:2];ARCH=x86_64;OS=Linux;FEATURE=fast:ib;#"
        "tux[1-3]:STATE=Idle;CCLASS=[batch:2];ARCH=x86_64;OS=Linux;"
    )


def test_jobs_in_both_versions():
    scheduler = Scheduler()
    scheduler.job(min_nodes=2, max_nodes=4, num_tasks=4, ntasks_per_node=2, features="fast&ib", comment="qos:high")
    scheduler.job(name='b"ad;#', num_tasks=2, account="phys", time_limit=10, batch=False, runtime=600)
    scheduler.ask("STARTJOB ARG=2 TASKLIST=tux1*2")

    first, second = scheduler.ask("GETJOBS ARG=0:ALL").removeprefix("SC=0 ARG=2#").split("#")
    assert first == (
        '1:STATE=Idle;RFEATURES=fast:ib;MAXNODES=4;IWD="/home/ann";'
        f"UPDATETIME={NOW};WCLIMIT=3600;TASKS=4;NODES=2;DPROCS=1;QUEUETIME={NOW};STARTTIME=0;"
        'RCLASS="batch";RMEM=1;RDISK=0;COMMENT="TPN:2?JOBFLAGS:RESTARTABLE?qos:high";NAME="sim";UNAME=ann;GNAME=users;'
    )
    assert second == (
        '2:STATE=Running;TASKLIST=tux1:tux1;IWD="/home/ann";FLAGS=INTERACTIVE;'
        f"UPDATETIME={NOW};WCLIMIT=600;TASKS=2;NODES=1;DPROCS=1;QUEUETIME={NOW};STARTTIME={NOW};"
        'RCLASS="batch";RMEM=1;RDISK=0;COMMENT="";ACCOUNT="phys";NAME="b";UNAME=ann;GNAME=users;'
    )
    scheduler.setting = V1
    assert scheduler.ask("GETJOBS ARG=0:1:2:77") == (
        "SC=0 ARG=3#1:STATE=Idle;RFEATURES=fast:ib;IWD=/home/ann;"
        f"UPDATETIME={NOW};WCLIMIT=3600;TASKS=4;NODES=2;TASKPERNODE=2;DPROCS=1;QUEUETIME={NOW};STARTTIME=0;"
        "PARTITIONMASK=batch;DMEM=1;RMEM=0;RDISK=0;QOS=high;COMMENT=qos:high;UNAME=ann;GNAME=users;#"
        "2:STATE=Running;TASKLIST=:tux1:tux1;IWD=/home/ann;"
        f"UPDATETIME={NOW};WCLIMIT=600;TASKS=2;NODES=1;DPROCS=1;QUEUETIME={NOW};STARTTIME={NOW};"
        "PARTITIONMASK=batch;DMEM=1;RMEM=0;RDISK=0;ACCOUNT=phys;UNAME=ann;GNAME=users;#(null)"
    )
    assert scheduler.ask(f"GETJOBS ARG={NOW + 1}:1") == "SC=0 ARG=1#1:STATE=Idle;"
    world.later(scheduler.ctl, 600)
    assert scheduler.ask(f"GETJOBS ARG={NOW + 900}:2") == "SC=0 ARG=1#2:STATE=Completed;"


def test_no_jobs():
    assert Scheduler().ask("GETJOBS ARG=0:ALL") == "SC=0 ARG=0#"


START = [
    ("STARTJOB", "-300 RESPONSE=STARTJOB lacks ARG"),
    ("STARTJOB ARG=one TASKLIST=tux0", "-300 RESPONSE=Invalid ARG value"),
    ("STARTJOB ARG=1", "-300 RESPONSE=STARTJOB lacks TASKLIST"),
    ("STARTJOB ARG=1 TASKLIST=tux[0-", "-300 RESPONSE=STARTJOB TASKLIST is invalid"),
    ("STARTJOB ARG=9 TASKLIST=tux0", "-700 RESPONSE=No such job"),
    ("STARTJOB ARG=1 TASKLIST=nosuch", "-700 RESPONSE=Invalid TASKLIST"),
    ("STARTJOB ARG=1 TASKLIST=tux3", "-700 RESPONSE=TASKLIST includes non-responsive node"),
    ("STARTJOB ARG=2 TASKLIST=tux0", "-700 RESPONSE=Job not pending, can't start"),
    ("STARTJOB ARG=1 TASKLIST=tux2*2", "-913 RESPONSE=Could not start job 1(tux2): Resources"),
    ("STARTJOB ARG=3 TASKLIST=", "-912 RESPONSE=Could not start job 3((null)): Dependency"),
    ("STARTJOB ARG=4 TASKLIST=tux0", "-919 RESPONSE=Could not start job 4(tux0): BeginTime"),
]


@pytest.mark.parametrize(("request_", "said"), START)
def test_starts_that_fail(request_, said):
    scheduler = Scheduler()
    first = scheduler.job(num_tasks=2, exclude="tux1")
    scheduler.job(num_tasks=2)
    scheduler.ask("STARTJOB ARG=2 TASKLIST=tux2:tux2")
    scheduler.job(dependency="afterok:2")
    scheduler.job(begin_time=NOW + 3600)
    scheduler.ctl.cluster.nodes[3].change(state="DOWN")
    scheduler.ctl.cluster.changed("state")

    assert scheduler.ask(request_) == f"SC={said}"
    assert all(job.priority == 0 for job in scheduler.ctl.cluster.jobs.values() if job.pending)
    assert (first.state, first.reason, first.request.exclude, first.request.nodelist) == (
        "PENDING",
        "JobHeldAdmin",
        "tux1",
        "",
    )


def test_an_array_starts_task_by_task():
    scheduler = Scheduler()
    scheduler.job(array="0-2")
    for node in ("tux0", "tux1"):
        assert scheduler.ask(f"STARTJOB ARG=1 TASKLIST={node}").startswith("SC=0 ")
    running = [job for job in scheduler.ctl.cluster.jobs.values() if job.active]
    assert [(job.array_task_id, job.nodes) for job in running] == [(0, "tux0"), (1, "tux1")]


ORDERS = [
    ("SUSPENDJOB ARG=1", "0 RESPONSE=job 1 suspended successfully", "SUSPENDED"),
    ("RESUMEJOB ARG=1", "-700 RESPONSE=Job is not suspended", "RUNNING"),
    ("SUSPENDJOB ARG=2", "-700 RESPONSE=Job is pending execution", "RUNNING"),
    ("SUSPENDJOB ARG=9", "-700 RESPONSE=Invalid job id specified", "RUNNING"),
    ("CANCELJOB ARG=1", "-300 RESPONSE=No TYPE value", "RUNNING"),
    ("CANCELJOB ARG=1 TYPE=X", "-300 RESPONSE=Invalid TYPE value", "RUNNING"),
    ('CANCELJOB ARG=1 TYPE=ADMIN COMMENT="no longer needed" ', "0 RESPONSE=job 1 cancelled successfully", "CANCELLED"),
    ("CANCELJOB ARG=1 TYPE=WALLCLOCK", "0 RESPONSE=job 1 cancelled successfully", "TIMEOUT"),
    ("CANCELJOB ARG=9 TYPE=ADMIN", "-700 RESPONSE=Invalid job id specified", "RUNNING"),
    ("REQUEUEJOB ARG=1", "0 RESPONSE=job 1 requeued successfully", "PENDING"),
    ("REQUEUEJOB ARG=2", "-700 RESPONSE=Job is pending execution", "RUNNING"),
    ("SIGNALJOB ARG=1 VALUE=SIGUSR1", "0 RESPONSE=job 1 signalled", "RUNNING"),
    ("SIGNALJOB ARG=1 VALUE=usr1", "0 RESPONSE=job 1 signalled", "RUNNING"),
    ("SIGNALJOB ARG=1 VALUE=9", "0 RESPONSE=job 1 signalled", "RUNNING"),
    ("SIGNALJOB ARG=1 VALUE=KILL", "-300 RESPONSE=SIGNALJOB has invalid signal value", "RUNNING"),
    ("SIGNALJOB ARG=1", "-300 RESPONSE=SIGNALJOB lacks VALUE=", "RUNNING"),
    ("NOTIFYJOB ARG=1 MSG=maintenance at noon", "0 RESPONSE=job 1 notified successfully", "RUNNING"),
    ("NOTIFYJOB ARG=1", "-300 RESPONSE=NOTIFYJOB lacks MSG=", "RUNNING"),
    ("JOBADDTASK ARG=17 1 tux3", "-810 RESPONSE=JOBADDTASK command not supported", "RUNNING"),
    ("SELFDESTRUCT ARG=1", "-300 RESPONSE=unsupported request type", "RUNNING"),
    ("INITIALIZE ARG=USEHOSTEXP=N EPORT=15017", "0 RESPONSE=EPORT=15017 USEHOSTEXP=N", "RUNNING"),
    ("INITIALIZE ARG=USEHOSTEXP=Q", "-300 RESPONSE=INITIALIZE has invalid USEHOSTEXP", "RUNNING"),
]


@pytest.mark.parametrize(("request_", "said", "state"), ORDERS)
def test_orders(request_, said, state):
    scheduler = Scheduler()
    job = scheduler.job(runtime=600)
    scheduler.ask("STARTJOB ARG=1 TASKLIST=tux1")
    scheduler.job()

    assert scheduler.ask(request_) == f"SC={said}"
    assert job.state == state
    if state == "PENDING":
        assert (job.priority, job.reason) == (0, "JobHeldAdmin")


@pytest.mark.parametrize("name", sorted(name for name, command in COMMANDS.items() if command.version == 2))
def test_what_version_1_does_not_know(name):
    assert Scheduler(V1).ask(f"{name} ARG=1") == "SC=-300 RESPONSE=unsupported request type"


def test_modify():
    scheduler = Scheduler()
    job = scheduler.job()
    assert (
        scheduler.ask(
            "MODIFYJOB ARG=1 COMMENT='new note' VARIABLELIST=A=1,B=2 TIMELIMIT=90 BANK=phys NODES=2 HOSTLIST=tux0:tux1 "
            f"JOBNAME='two words' MINSTARTTIME={NOW + 60} RFEATURES=fast DEPEND=singleton PARTITION=batch UNKNOWN=1"
        )
        == "SC=0 RESPONSE=job 1 modified successfully"
    )

    request = job.request
    assert (request.comment, request.time_limit, request.account, request.min_nodes) == ("new note", 90, "", 2)
    assert (request.nodelist, request.name, request.begin_time) == ("tux0,tux1", "two words", NOW + 60)
    assert (request.features, job.dependency, request.export) == ("fast", "singleton(unfulfilled)", "ALL,A=1,B=2")


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ("MODIFYJOB ARG=1 PARTITION=nosuch", "-700 RESPONSE=Invalid partition name specified"),
        ("MODIFYJOB ARG=2 JOBNAME=x", "-700 RESPONSE=Requested operation is presently disabled"),
        ("MODIFYJOB ARG=9 JOBNAME=x", "-700 RESPONSE=Invalid job id specified"),
        ("MODIFYJOB ARG=1 TIMELIMIT=soon", "-300 RESPONSE=Invalid argument"),
        ("MODIFYJOB ARG=1 VARIABLELIST=junk", "-700 RESPONSE=Invalid argument"),
        ("MODIFYJOB ARG=1 HOSTLIST=tux[", "-700 RESPONSE=Invalid argument"),
        ("MODIFYJOB ARG=1 GRES=nosuch:1", "-700 RESPONSE=Invalid generic resource (gres) specification"),
    ],
)
def test_modifications_that_are_refused(request_, said):
    scheduler = Scheduler()
    scheduler.job()
    scheduler.job(name="runs")
    scheduler.ask("STARTJOB ARG=2 TASKLIST=tux1")
    assert scheduler.ask(request_) == f"SC={said}"


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (f"JOBWILLRUN ARG=JOBID=2@{NOW + 600},tux[0-3]", f"0 ARG=STARTINFO=2:2@{NOW + 600},tux0"),
        ("JOBWILLRUN ARG=JOBID=2,tux1", f"0 ARG=STARTINFO=2:2@{NOW + 3600},tux1"),
        ("JOBWILLRUN ARG=JOBID=2,", f"0 ARG=STARTINFO=2:2@{NOW},tux0"),
        (
            "JOBWILLRUN ARG=2 NODES=tux1 PREEMPT=1",
            f"0 ARG=STARTINFO=2 TASKS=2 STARTTIME={NOW} NODES=tux1 PREEMPT=1",
        ),
        ("JOBWILLRUN ARG=2 NODES=", "0 ARG=Jobs not runable on selected nodes"),
        ("JOBWILLRUN ARG=2 NODES=nosuch", "-700 RESPONSE=Invalid available nodes value"),
        ("JOBWILLRUN ARG=1 NODES=tux0", "-700 RESPONSE=WillRun not applicable to non-pending job"),
        ("JOBWILLRUN ARG=9 NODES=tux0", "-700 RESPONSE=No such job"),
        ("JOBWILLRUN ARG=2", "-300 RESPONSE=Missing NODES value"),
        ("JOBWILLRUN ARG=2 STARTTIME=x NODES=tux0", "-300 RESPONSE=Invalid STARTTIME value"),
        ("JOBWILLRUN ARG=2 NODES=tux0 PREEMPT=x", "-300 RESPONSE=Invalid PREEMPT value"),
        ("JOBWILLRUN", "-300 RESPONSE=JOBWILLRUN lacks ARG"),
    ],
)
def test_will_run(request_, said):
    scheduler = Scheduler()
    scheduler.job(num_tasks=2)
    scheduler.ask("STARTJOB ARG=1 TASKLIST=tux1")
    scheduler.job(num_tasks=2)
    assert scheduler.ask(request_) == f"SC={said}"


def test_long_answers_are_cut():
    scheduler = Scheduler()
    scheduler.job()
    assert len(scheduler.ask(f"STARTJOB ARG=1 TASKLIST=tux0*{'9' * 6}")) <= 127


def test_forged_requests_change_nothing():
    scheduler = Scheduler(V1)
    job = scheduler.job()
    body = f"CK={checksum(43, b'x')} TS={NOW} AUTH=root DT=CMD=STARTJOB ARG=1 TASKLIST=tux0"
    said = answer(scheduler.ctl, body, V1)

    assert said.endswith("DT=SC=-422 RESPONSE=bad checksum")
    assert job.state == "PENDING"
    assert scheduler.ctl.sched.strerror(scheduler.ctl.sched.get_errno()) == "Message of the external scheduler refused"


PIECES = """ARG=1 ARG= ARG=0:ALL ARG=2:1 TASKLIST=tux0 TASKLIST=[ TYPE=ADMIN NODES=tux[0-3] NODES= ' = VALUE=TERM
HOSTLIST=tux9 TIMELIMIT=5 DEPEND=x COMMENT=' PREEMPT=1 MSG=\x00 GRES=:"""
PIECE = st.sampled_from(PIECES.split()) | st.text(max_size=8)
REQUEST = st.tuples(st.sampled_from(sorted(COMMANDS)), st.lists(PIECE, max_size=4))


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=60)
@given(st.lists(REQUEST, max_size=5))
def test_every_request_gets_an_answer(requests):
    for setting in (V1, V2):
        scheduler = Scheduler(setting)
        scheduler.job(num_tasks=2)
        scheduler.job()
        for name, pieces in requests:
            said = scheduler.ask(" ".join([name, *pieces]))
            assert said.startswith(("SC=0 ", "SC=-"))
