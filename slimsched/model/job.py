"""The job record: identity, state, times and allocation; what it asked for is in ``job.request``."""

from typing import TYPE_CHECKING, Literal

import msgspec

from slimsched.model.request import JobRequest
from slimsched.slurm.reasons import NONE, Reason
from slimsched.slurm.states import ACTIVE, FINISHED, JOB, PENDING

if TYPE_CHECKING:
    from slimsched.slurm.states import State
else:
    State = Literal[tuple(JOB)]  # a record with any other state counts as damaged when it is read

HOLD_PRIORITY = 0
SIGTERM = 15

GANG = "gang"
"""The mark of a suspended job that only waits for its turn; it keeps its CPUs."""


class Ended(msgspec.Struct, omit_defaults=True):
    """How the process of a batch script, or those of a step, ended, as measured.

    ``end`` in seconds since 1970, ``rss`` in kB.
    """

    end: int = 0
    exit_code: int = 0
    signal: int = 0
    user: float = 0.0  # seconds of processor time
    system: float = 0.0
    rss: int = 0  # most resident memory
    requid: int | None = None  # who killed it, where the job as such was not ended


class Step(msgspec.Struct, omit_defaults=True):
    """One ``srun`` of a job's script. Seconds count from the job's start; ``end`` None: it ends with the job.

    A step that really runs has its place in the job, too: ``nodes`` as a hostlist, the CPUs on each, the MB on each.
    """

    name: str
    begin: int = 0
    end: int | None = None
    tasks: int = 0  # 0: as many as the job has
    exit_code: int = 0
    signal: int = 0  # that cancelled it
    requid: int | None = None  # who did
    time_limit: int | None = None  # minutes, None: that of its job

    nodes: str = ""  # "": the first ones of its job
    cpus: list[int] = []
    memory: list[int] = []
    gpus: list[str] = []  # "0-1" per node, if it asked for some
    layout: str = ""  # how its tasks are laid out: "block", "cyclic", ...
    overlap: bool = False  # others may have its CPUs and memory, too
    pid: int = 0  # of its srun
    measured: Ended | None = None  # its processes together; the memory of its largest task
    largest: int = 0  # that task
    largest_node: str = ""
    line: str = ""  # the call of srun

    @property
    def timed_out(self) -> bool:
        """Whether its own limit ends it."""
        return self.time_limit is not None and self.signal == SIGTERM and self.requid is None


class Fate(msgspec.Struct, omit_defaults=True, frozen=True):
    """How a test decided that a run ends. ``after``: seconds of running, None: when it would end anyway."""

    state: State
    exit_code: int = 0
    signal: int = 0
    after: int | None = None


class Job(msgspec.Struct, omit_defaults=True, kw_only=True):
    """One job, or the pending tasks of an array (``array_tasks`` not empty): one record until they start."""

    job_id: int
    request: JobRequest
    user_id: int = 0
    user_name: str = ""
    group_id: int = 0
    group_name: str = ""
    alloc_node: str = ""
    alloc_sid: int = 0

    # array
    array_job_id: int = 0  # 0: not of an array
    array_task_id: int | None = None  # a single task
    array_tasks: str = ""  # idset of the tasks still pending in this record
    array_max_tasks: int = 0  # the throttle, 0: none

    # component of a heterogeneous job; the ids of all follow one another
    het_job_id: int = 0  # that of the first, which leads; 0: no component
    het_job_offset: int = 0
    het_size: int = 0  # how many there are

    # state
    state: State = PENDING  # base state; COMPLETING and CONFIGURING are flags
    flags: list[str] = []
    reason: Reason = NONE
    state_desc: str = ""  # free text that replaces the reason word
    priority: int = 0
    sched_hold: bool = False  # held by the scheduler plugin, which may release it
    partition: str = ""  # where it runs or last ran; request.partition until then
    partition_qos: str = ""  # the QOS of that partition when it started, under which it counts until it ends
    exit_code: int = 0
    exit_signal: int = 0
    restarts: int = 0
    requid: int | None = None  # who cancelled it
    dependency: str = ""  # the part of request.dependency that is not fulfilled, as shown

    # times, seconds since 1970, 0: not set
    submit_time: int = 0
    eligible_time: int = 0
    accrue_time: int = 0
    start_time: int = 0  # pending: expected start, from begin_time or the backfill plan
    end_time: int = 0  # running: when the limit is reached; finished: when it ended
    suspend_time: int = 0
    pre_sus_time: int = 0  # seconds run before the last suspension
    suspended_for: str = ""  # "gang": until its turn comes; "preempt": until its CPUs are free; "": until resumed
    preempt_time: int = 0  # when it must have ended for the job that preempts it
    preempted_at: int = 0  # when it was told to go for another
    preempts_since: int = 0  # pending: when it told others to go, for whose nodes it waits
    last_sched_eval: int = 0
    scheduler: str = ""  # "Main", "Backfill"
    planned: bool = False  # backfill holds sched_nodes for it from start_time
    sched_nodes: str = ""

    # allocation; the lists follow the order of the hostlist ``nodes``
    nodes: str = ""
    cpus: list[int] = []
    memory: list[int] = []  # MB
    gres: list[str] = []  # "gpu:2(IDX:0-1)" per node, "" for none
    cpu_ids: list[str] = []  # "0-1" per node
    billing: int = 0
    resv_name: str = ""
    licenses_alloc: str = ""
    resize_time: int = 0  # when it lost nodes last, or gave them back
    failed_node: str = ""  # that it ended with

    # processes, on a live cluster
    ending: str = ""  # the state that it ends in once its processes are gone; COMPLETING until then
    then: str = ""  # what follows that end: "requeue", "hold" (requeued and held), "cancel" (requeued and cancelled)
    clears: int = 0  # when a slow end is over, its processes being gone
    script: Ended | None = None  # how its script ended

    # simulation
    run_time: int | None = None  # seconds that it will run once started; None: until the limit
    sim_exit_code: int = 0
    sim_exit_rule: str = ""  # of an array, whose tasks end each in its way: an expression in the task's number
    fate: Fate | None = None  # of its present or next run
    steps: list[Step] = []
    waiting: list[Step] = []  # steps that wait for room, in order of their calls

    @property
    def pending(self) -> bool:
        """Whether it waits to be scheduled."""
        return self.state == PENDING

    @property
    def leads(self) -> bool:
        """Whether it stands for all of a job: a plain one, or the first component of a heterogeneous one."""
        return not self.het_job_offset

    @property
    def het_ids(self) -> str:
        """The ids of all components of a heterogeneous job: ``12-14``, "" for a plain one."""
        return f"{self.het_job_id}-{self.het_job_id + self.het_size - 1}" if self.het_job_id else ""

    @property
    def has_script(self) -> bool:
        """Whether it runs a batch script: of the components of a heterogeneous job the first."""
        return self.request.batch and self.leads

    @property
    def active(self) -> bool:
        """Whether it holds an allocation."""
        return self.state in ACTIVE

    @property
    def finished(self) -> bool:
        """Whether it has ended."""
        return self.state in FINISHED

    @property
    def held(self) -> bool:
        """Whether its priority is zero."""
        return self.priority == HOLD_PRIORITY
