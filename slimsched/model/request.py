"""The job request: the options of ``sbatch``, ``srun`` and ``salloc`` as plain values.

One record serves the submission (``cli`` fills it), the live job (``job.request``, where the controller
puts the defaults in) and ``scontrol update`` (which changes it). ``None`` or "" means "not given".
"""

import msgspec

from slimsched.text.times import INFINITE as INFINITE  # for limits of nodes and tasks too


class JobRequest(msgspec.Struct, omit_defaults=True, kw_only=True):
    """One submission. Limits in minutes, memory in MB, instants in seconds since 1970."""

    name: str = ""
    partition: str = ""  # comma-separated
    account: str = ""
    qos: str = ""
    reservation: str = ""
    wckey: str = ""
    comment: str | None = None
    admin_comment: str | None = None

    # time
    time_limit: int | None = None
    time_min: int | None = None
    begin_time: int = 0
    deadline: int = 0
    # order
    priority: int | None = None  # asked for explicitly; 0 is a hold
    nice: int = 0
    hold: bool = False
    dependency: str = ""
    kill_on_invalid_dep: bool | None = None
    array: str = ""

    # size
    min_nodes: int | None = None
    max_nodes: int | None = None
    job_size: str = ""  # -N 1,3,5 or 1-9:2, as an idset; "" for a plain range
    num_tasks: int | None = None
    min_cpus: int | None = None  # of the whole job, if an update raised it above the need of the tasks
    cpus_per_task: int | None = None
    ntasks_per_node: int | None = None
    ntasks_per_socket: int | None = None
    ntasks_per_core: int | None = None
    ntasks_per_gpu: int | None = None
    sockets_per_node: int | None = None
    cores_per_socket: int | None = None
    threads_per_core: int | None = None
    core_spec: int | None = None
    thread_spec: int | None = None
    overcommit: bool = False

    # per node
    min_cpus_per_node: int | None = None  # --mincpus
    min_tmp_disk: int | None = None
    mem_per_node: int | None = None  # 0: all of the node's
    mem_per_cpu: int | None = None
    mem_per_gpu: int | None = None
    gres: str = ""  # tres_per_node: "gpu:tesla:2,craynetwork:1"
    gpus: str = ""  # tres_per_job
    gpus_per_node: str = ""
    gpus_per_socket: str = ""
    gpus_per_task: str = ""
    cpus_per_gpu: int | None = None
    tres_per_task: str = ""
    licenses: str = ""

    # which nodes
    nodelist: str = ""  # required nodes
    exclude: str = ""
    features: str = ""  # -C
    prefer: str = ""
    cluster_features: str = ""
    extra: str | None = None
    contiguous: bool = False
    exclusive: str = ""  # "", "NODE", "USER", "MCS", "TOPO"
    oversubscribe: bool = False
    spread_job: bool = False
    use_min_nodes: bool = False
    switches: int | None = None
    wait_for_switches: int | None = None  # seconds
    flux_constraint: str = ""  # RFC 31 object, as JSON text
    requires: list[str] = []  # RFC 35 queries
    hard_resources: list[str] = []  # SGE -l, one text per option
    soft_resources: list[str] = []

    # run
    requeue: bool | None = None
    reboot: bool = False
    signal: str = ""
    wait_all_nodes: int | None = None
    export: str | None = None
    output: str | None = None
    error: str | None = None
    input: str | None = None
    open_mode: str = ""
    work_dir: str = ""
    command: str = ""  # path of the script, or srun's program
    script_args: list[str] = []
    submit_line: str = ""
    cron: str = ""  # when it runs again and again, as a crontab says
    cron_lines: list[int] = []  # the first and the last of its lines there
    mail_type: str = ""
    mail_user: str = ""
    tres_bind: str = ""
    tres_freq: str = ""
    distribution: str = ""
    network: str = ""
    mcs_label: str = ""
    batch: bool = True  # false for srun and salloc
    recorded: dict[str, str] = {}  # options that are accepted and shown, by their long names
    given: list[str] = []  # fields with a default for which the user gave a value, for an account or a QOS also ""

    # simulation
    sim_runtime: int | None = None  # seconds
    sim_exit: int | None = None
    sim_state: str = ""  # that it ends in, "": as its exit code says

    @property
    def may_requeue(self) -> bool:
        """Whether the cluster may requeue it by itself: a batch job without ``--no-requeue``."""
        return self.batch and bool(self.requeue)

    @property
    def takes_licenses(self) -> bool:
        """Whether it asks for licenses, for itself or for each task."""
        return bool(self.licenses) or "license/" in self.tres_per_task

    @property
    def task_cpus_text(self) -> str:
        """The CPUs of a task as a part of ``TresPerTask``, "" if none are asked for or `tres_per_task` has them."""
        typed = any(item.lower().startswith("cpu") for item in self.tres_per_task.split(","))
        return f"cpu={self.cpus_per_task}" if self.cpus_per_task and not typed else ""

    def wished_nodes(self, low: int, high: int) -> int:
        """Return how many of ``low`` to ``high`` nodes are best: the most of a range, unless ``--use-min-nodes``."""
        return high if self.max_nodes and not self.use_min_nodes else low


def requested(fields: dict[str, object]) -> JobRequest:
    """Return the request with these fields; a ValueError names the one that is unknown or of the wrong type."""
    unknown = sorted(fields.keys() - set(JobRequest.__struct_fields__))
    if unknown:
        raise ValueError(f"no field {unknown[0]!r}; there are {', '.join(JobRequest.__struct_fields__)}")
    return msgspec.convert(fields, JobRequest)
