"""The configuration: what ``cluster.toml`` says, under Slurm's own key names.

``[slurm]`` holds the keys of ``slurm.conf`` as they are; `Config.get` and its typed fellows read them with
Slurm's defaults (`slurm.conf`). Nodes and partitions are given by line, as in ``slurm.conf``.
"""

from typing import TYPE_CHECKING

import msgspec

from slimsched.errors import SyntaxFault
from slimsched.slurm import conf

if TYPE_CHECKING:
    from slimsched.slurm.versions import Version


class NodeConf(msgspec.Struct, kw_only=True, omit_defaults=True, rename="pascal"):
    """One NodeName line: every node of the hostlist ``node_name`` has these values."""

    node_name: str
    cpus: int | None = msgspec.field(default=None, name="CPUs")
    boards: int = 1
    sockets: int | None = None
    cores_per_socket: int | None = None
    threads_per_core: int = 1
    real_memory: int = 1
    tmp_disk: int = 0
    features: str = ""
    gres: str = ""
    weight: int = 1
    state: str = "UNKNOWN"
    reason: str = ""
    extra: str = ""
    comment: str = ""
    topology: str = ""
    node_addr: str = ""
    node_hostname: str = ""
    port: str = ""
    core_spec_count: int = 0
    mem_spec_limit: int = 0
    other: dict[str, str] = {}  # keys that are kept but not used


class PartitionConf(msgspec.Struct, kw_only=True, omit_defaults=True, rename="pascal"):
    """One partition. Times in minutes (``INFINITE``: no limit), memory in MB."""

    partition_name: str
    nodes: str = ""
    default: bool = False
    max_time: int | None = None  # None: unlimited
    default_time: int | None = None  # None: max_time
    min_nodes: int = 0
    max_nodes: int | None = None
    state: str = "UP"  # UP, DOWN, DRAIN, INACTIVE
    priority_tier: int = 1
    priority_job_factor: int = 1
    over_subscribe: str = "NO"  # NO, EXCLUSIVE, YES[:n], FORCE[:n]
    exclusive_user: bool = False
    hidden: bool = False
    root_only: bool = False
    disable_root_jobs: bool = False
    req_resv: bool = False
    lln: bool = msgspec.field(default=False, name="LLN")
    allow_groups: str = "ALL"
    allow_accounts: str = "ALL"
    deny_accounts: str = ""
    allow_qos: str = "ALL"
    deny_qos: str = ""
    allow_alloc_nodes: str = "ALL"
    alternate: str = ""
    qos: str = "N/A"
    def_mem_per_cpu: int | None = msgspec.field(default=None, name="DefMemPerCPU")
    def_mem_per_node: int | None = None
    max_mem_per_cpu: int | None = msgspec.field(default=None, name="MaxMemPerCPU")
    max_mem_per_node: int | None = None
    max_cpus_per_node: int | None = msgspec.field(default=None, name="MaxCPUsPerNode")
    max_cpus_per_socket: int | None = msgspec.field(default=None, name="MaxCPUsPerSocket")
    grace_time: int = 0  # seconds
    over_time_limit: str = "NONE"
    preempt_mode: str = ""  # OFF, REQUEUE, CANCEL, SUSPEND; "": as the cluster's
    tres_billing_weights: str = msgspec.field(default="", name="TRESBillingWeights")
    def_cpu_per_gpu: int | None = msgspec.field(default=None, name="DefCPUPerGPU")
    def_mem_per_gpu: int | None = msgspec.field(default=None, name="DefMemPerGPU")
    job_defaults: str = ""  # "DefCpuPerGPU=2,DefMemPerGPU=100", from an update
    select_type_parameters: str = "NONE"
    resource_limits: str = ""  # of each job, as Grid Engine's queues have them: "h_vmem=2G,s_rt=600"
    complexes: str = ""  # Grid Engine's complex_values of the partition on each of its nodes: "a=5,b=x"
    suspend_time: int | None = None  # seconds, -1: never; None, here and below: the cluster's
    suspend_timeout: int | None = None
    resume_timeout: int | None = None
    power_down_on_idle: bool = False
    other: dict[str, str] = {}

    @property
    def qos_name(self) -> str:
        """Name of its QOS, "" if it has none."""
        return "" if self.qos == "N/A" else self.qos


class NodeSetConf(msgspec.Struct, kw_only=True, omit_defaults=True, rename="pascal"):
    """One NodeSet line: a name that partitions use for some nodes, and for all nodes with a feature."""

    node_set: str
    nodes: str = ""
    feature: str = ""


class SwitchConf(msgspec.Struct, kw_only=True, omit_defaults=True, rename="pascal"):
    """One line of ``topology.conf``: a switch with its nodes or lower switches, or a block of nodes."""

    switch_name: str
    nodes: str = ""
    switches: str = ""
    link_speed: int = 1


class Config(msgspec.Struct, kw_only=True, omit_defaults=True):
    """The whole of ``cluster.toml``."""

    slurm: dict[str, str] = {}
    nodes: list[NodeConf] = []
    partitions: list[PartitionConf] = []
    switches: list[SwitchConf] = []
    node_sets: list[NodeSetConf] = []
    clock: str = "virtual"  # or "wall"
    clock_start: str = "2026-01-01T00:00:00"  # or "now"
    clock_timezone: str = ""  # UTC, local or a name of the tz database; "": UTC by a virtual clock, else local
    clock_step: str = ""  # how far each command moves a virtual clock: a duration
    executor: str = "simulated"  # or "local"
    pace: str = "fast"  # or "slurm": passes, limits and requeues come as late as in Slurm
    slurm_version: str = "26.11"  # that commands name and follow where clients notice: see slurm.versions
    runtime: str = "sleep"  # [simulation] runtime: "sleep", "limit" or a duration
    slow_start: str = ""  # [simulation]: how long a job is CONFIGURING before it runs: a duration
    slow_end: str = ""  # [simulation]: how long it is COMPLETING after it ran: a duration
    node_boot: str = ""  # [simulation]: how long nodes take to power up: a duration; "": their ResumeTimeout
    complex_semantics: str = "8.1"  # or "6.0"
    source: str = ""  # the slurm.conf that it was read from
    source_checksum: str = ""  # of what that said then
    usage: dict[str, float] = {}  # fairshare usage by user or account
    other: dict[str, str] = {}

    @property
    def live(self) -> bool:
        """Whether jobs are processes of this machine."""
        return self.executor == "local"

    @property
    def version(self) -> "Version":
        """The version of Slurm that the cluster passes for."""
        from slimsched.slurm.versions import VERSIONS

        return VERSIONS[self.slurm_version]

    def sets_in(self, text: str) -> str:
        """Return the NodeSets that a hostlist names: ``gpu,big``."""
        from slimsched.text import hostlist

        known = {each.node_set for each in self.node_sets}
        return ",".join(name for name in hostlist.expand(text, dialect="slurm") if name in known) if known else ""

    def get(self, key: str) -> str:
        """Return a ``slurm.conf`` value, else Slurm's default, else ""."""
        return self.slurm.get(key, conf.DEFAULTS.get(key, ""))

    @property
    def controllers(self) -> list[str]:
        """The hosts of slurmctld, the primary one first, without their addresses."""
        return [host.partition("(")[0] for host in self.get("SlurmctldHost").split(",")]

    def number(self, key: str) -> int:
        """Return a whole-number value, or the default if the text is not a number."""
        try:
            return int(self.get(key) or 0)
        except ValueError:
            return int(conf.DEFAULTS.get(key, 0))

    def flag(self, key: str) -> bool:
        """Return a yes/no value; text that is neither counts as no."""
        from slimsched.slurm import kinds

        return kinds.boolean(self.get(key)) is True

    def seconds(self, key: str) -> int:
        """Return a Slurm time in seconds, or the default if the text is not a time."""
        from slimsched.text import times

        try:
            return times.span(self.get(key) or conf.DEFAULTS[key])
        except SyntaxFault:
            return times.span(conf.DEFAULTS[key])

    @property
    def accounting_storage(self) -> str:
        """The plugin that keeps accounting records, without its prefix; "" for none."""
        plugin = self.get("AccountingStorageType").lower().removeprefix("accounting_storage/")
        return "" if plugin == "none" else plugin

    @property
    def names_slurmdbd(self) -> bool:
        """Whether the configuration itself says that slurmdbd keeps the records, which it does by default."""
        return "AccountingStorageType" in self.slurm and self.accounting_storage == "slurmdbd"

    @property
    def parameters(self) -> conf.Parameters:
        """``SchedulerParameters``."""
        return conf.parameters(self.get("SchedulerParameters"))

    @property
    def preempts(self) -> bool:
        """Whether running jobs may have to go for others (``PreemptType``)."""
        return self.get("PreemptType") != conf.NO_PREEMPTION

    @property
    def extra_constraints(self) -> bool:
        """Whether ``--extra`` filters nodes (``SchedulerParameters=extra_constraints``)."""
        return "extra_constraints" in self.parameters
