"""The select plugin interface (the guide's ``select_p_*`` functions, less the prefix).

The controller calls, in the guide's order: ``init``, ``node_init``, ``state_restore``, ``job_init``; then for each
job ``job_test`` on the available nodes, on a refusal ``job_test(TEST_ONLY)`` on all configured ones, ``job_begin``,
``job_ready`` until it is true, and ``job_fini``; at the end ``state_save`` and ``fini``.
A plugin reads and writes records of the cluster in memory only: no files, no clock, no output.

Where the guide returns SLURM_SUCCESS a method returns ``None``; where it returns SLURM_ERROR it raises
`PluginError` (or `NotNow` and `Never` from ``job_test``).

Source: Slurm Resource Selection Plugin Programmer Guide, 23 October 2019.
"""

from __future__ import annotations

from slimsched.errors import Never, NotNow, PluginError
from slimsched.select.records import SELECT_PROTOCOL, JobTest, Mode, SelectInfo, Selection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.model.node import Node
    from slimsched.model.reservation import Reservation

__all__ = [
    "SELECT_PROTOCOL",
    "JobTest",
    "Mode",
    "Never",
    "NotNow",
    "PluginError",
    "SelectInfo",
    "SelectPlugin",
    "Selection",
]

API_VERSION = (1, 0)
STATE_MAGIC = 0x53454C31  # "SEL1"


class SelectPlugin:
    """Base class of select plugins: every function of the guide, the optional ones with its default.

    A plugin must give `job_test`; one that books anything gives `job_begin`, `job_fini` and `job_init` too.
    """

    plugin_type = "select/"
    plugin_name = ""
    api_version = API_VERSION
    state_version = 1

    def __init__(self, cluster: Cluster) -> None:
        """Keep the cluster whose nodes are selected."""
        self.cluster = cluster

    # one-time calls

    def init(self) -> None:
        """Set the plugin up; called once, before any other function."""

    def fini(self) -> None:
        """Release everything; called once, after all other functions."""

    # state

    def state_save(self) -> dict[str, object]:
        """Return what must outlive this process, as plain JSON values with ``magic`` and ``version``."""
        return {"magic": STATE_MAGIC, "version": self.state_version, "plugin": self.plugin_type}

    def state_restore(self, saved: Mapping[str, object]) -> None:
        """Take back what `state_save` returned (empty: nothing was saved).

        Raises PluginError, which stops the command, if it is not of this plugin or of a newer version.
        """
        if not saved:
            return
        if saved.get("magic") != STATE_MAGIC:
            raise PluginError(f"{self.plugin_type}: saved state has the wrong magic number {saved.get('magic')!r}")
        version = saved.get("version")
        if not isinstance(version, int) or version > self.state_version:
            raise PluginError(f"{self.plugin_type}: saved state has version {version!r}, not {self.state_version}")

    def node_init(self, nodes: Sequence[Node]) -> None:
        """Learn the node table: at the start, and whenever nodes are added or removed."""

    def job_init(self, jobs: Sequence[Job]) -> None:
        """Book what the active jobs among ``jobs`` hold, forgetting all earlier bookings; none of them is pending."""

    def reconfigure(self) -> None:
        """React to a changed partition or general configuration."""

    # nodes

    def nodeinfo_alloc(self) -> SelectInfo:
        """Return an empty record of node information."""
        return SelectInfo()

    def nodeinfo_free(self, nodeinfo: SelectInfo) -> None:
        """Empty the record; nothing refers to it any more."""
        nodeinfo.clear()

    def nodeinfo_pack(self, nodeinfo: SelectInfo, protocol_version: int = SELECT_PROTOCOL) -> dict[str, object]:
        """Return the record as plain JSON values."""
        return nodeinfo.pack(protocol_version)

    def nodeinfo_unpack(self, packed: Mapping[str, object], protocol_version: int = SELECT_PROTOCOL) -> SelectInfo:
        """Return the record that `nodeinfo_pack` packed; PluginError if it is not one."""
        return SelectInfo.unpack(packed, protocol_version)

    def nodeinfo_set(self, job: Job) -> None:
        """Refresh what is known about ``job``, after it was restored or scheduled, or when its end moved.

        Somebody asks for the record if ``cluster.select_jobinfo`` has one for ``job.job_id``.
        """

    def nodeinfo_set_all(self) -> None:
        """Refresh the records of ``cluster.select_nodeinfo``, by node index."""

    def nodeinfo_get(self, nodeinfo: SelectInfo, dinfo: str, state: str = "") -> object:
        """Return one value of a node's record; ``state`` "ALLOCATED" restricts it to allocated nodes."""
        return nodeinfo.get(dinfo, state)

    def update_node_config(self, index: int) -> None:
        """Note that node ``index`` registered with another configuration (memory, CPUs, gres)."""

    def node_ranking(self, nodes: Sequence[Node]) -> bool:
        """Set ``node.node_rank`` of every node, lowest first; false: keep the order of the node table.

        Called at the start and when the configuration of a node has changed. What the controller chooses itself (nodes
        of steps), and what `resv_test` of this class does, follows the ranks; `job_test` may.
        """
        return False

    def update_node_state(self, node: Node) -> None:
        """Note that a node's state changed, by hand or because a job began or ended on it; may set its rank."""

    # information about jobs

    def jobinfo_alloc(self) -> SelectInfo:
        """Return an empty record of job information."""
        return SelectInfo()

    def jobinfo_copy(self, jobinfo: SelectInfo) -> SelectInfo:
        """Return a copy that shares nothing with the record."""
        return jobinfo.copy()

    def jobinfo_free(self, jobinfo: SelectInfo) -> None:
        """Empty the record; nothing refers to it any more."""
        jobinfo.clear()

    def jobinfo_pack(self, jobinfo: SelectInfo, protocol_version: int = SELECT_PROTOCOL) -> dict[str, object]:
        """Return the record as plain JSON values."""
        return jobinfo.pack(protocol_version)

    def jobinfo_unpack(self, packed: Mapping[str, object], protocol_version: int = SELECT_PROTOCOL) -> SelectInfo:
        """Return the record that `jobinfo_pack` packed; PluginError if it is not one."""
        return SelectInfo.unpack(packed, protocol_version)

    def jobinfo_get(self, jobinfo: SelectInfo, data_type: str) -> object:
        """Return one value of the record."""
        return jobinfo.get(data_type)

    def jobinfo_set(self, jobinfo: SelectInfo, data_type: str, data: object) -> None:
        """Set one value of the record; PluginError if it is not a JSON value."""
        jobinfo.set(data_type, data)

    def jobinfo_sprint(self, jobinfo: SelectInfo, size: int, mode: str = "MIXED") -> str:
        """Return the record as text of at most ``size`` characters."""
        return jobinfo.sprint(mode)[:size]

    def jobinfo_xstrdup(self, jobinfo: SelectInfo, mode: str = "MIXED") -> str:
        """Return the record as text of any length."""
        return jobinfo.sprint(mode)

    # jobs

    def job_test(self, request: JobTest, mode: Mode) -> Selection:
        """Choose nodes for a job from ``request.bitmap``.

        RUN_NOW: on what is free; TEST_ONLY: on an empty cluster; WILL_RUN: when and where, given the ends of
        the running jobs. The answer lies within the candidates and holds the required.
        Raises Never if the candidates would not do even if no job ran, NotNow if only other jobs are in the way.
        """
        raise Never()

    def job_begin(self, job: Job) -> None:
        """Book ``job.nodes``; PluginError sends the job back to the queue."""

    def job_ready(self, job: Job) -> bool:
        """Whether its nodes are ready; until then the job stays CONFIGURING and is asked about again."""
        return True

    def job_fini(self, job: Job) -> None:
        """Free what the job holds."""

    def job_signal(self, job: Job, signal: int) -> None:
        """Deliver a signal where steps are launched outside of the controller; SIGKILL when a job is cancelled.

        `PluginError` is reported to the sender; a cancelled job ends all the same.
        """

    def job_mem_confirm(self, job: Job) -> None:
        """Check the job's memory after one of its nodes came back with another size; PluginError: it no longer fits."""

    def job_suspend(self, job: Job, indf_susp: bool = True) -> None:
        """Release CPUs for other jobs; ``indf_susp``: suspended by a person, without end; else by gang scheduling."""

    def job_resume(self, job: Job, indf_susp: bool = True) -> None:
        """Take them back; PluginError if they are not free."""

    def job_expand_allow(self) -> bool:
        """Whether `job_expand` is supported."""
        return False

    def job_expand(self, from_job: Job, to_job: Job) -> None:
        """Give all that ``from_job`` holds to ``to_job``."""
        raise PluginError(f"{self.plugin_type} does not expand jobs")

    def job_resized(self, job: Job, node: Node) -> None:
        """Take ``node`` away from the job."""
        raise PluginError(f"{self.plugin_type} does not resize jobs")

    # steps

    def step_pick_nodes(self, job: Job, step_jobinfo: SelectInfo, node_count: int) -> int | None:
        """Choose nodes of the job for a step, as a bitmap.

        ``step_jobinfo`` has ``step_id`` and takes what there is to say of the step. ``None`` or `PluginError` leaves
        the choice to the controller.
        """
        return None

    def step_finish(self, job: Job, step_id: int, killing_step: bool) -> None:
        """Note that a step has ended; ``killing_step``: it is being killed, and a second call reports its end."""

    # reservations

    def resv_test(
        self, resv: Reservation, node_cnt: int, avail_bitmap: int, core_bitmap: dict[int, int] | None = None
    ) -> int | None:
        """Choose ``node_cnt`` of ``avail_bitmap`` for a reservation, which ``None`` refuses.

        ``core_bitmap``: node index -> CPUs that the reservation cannot use; on return, those that it is to use, if
        ``resv.core_cnt`` asks for some only (``node_cnt`` may be 0 then: any number of nodes). Unless a plugin says
        otherwise, the first nodes are taken, and cores cannot be reserved.
        """
        if resv.core_cnt or node_cnt > avail_bitmap.bit_count():
            return None
        return self.cluster.first_nodes(avail_bitmap, node_cnt)

    # other information

    def get_info_from_plugin(self, dinfo: str, job: Job | None = None) -> object:
        """Return plugin information of kind ``dinfo``, about ``job`` if it concerns one; ``None`` if there is none."""
        return None

    def ba_init(self, nodes: Sequence[Node], sanity_check: bool = False) -> None:
        """Read the dimensions of the system from its node names; PluginError if ``sanity_check`` finds a misfit."""

    def ba_get_dims(self) -> list[int]:
        """Return the number of elements in each dimension, empty if the system has none."""
        return []
