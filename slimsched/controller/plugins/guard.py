"""Between the controller and plugins of other packages: what they get wrong costs a job its pass, never the state.

A call may raise, answer nonsense, or never come back. Each of these is counted for ``sdiag`` and noted in the history,
and becomes a refusal that every caller knows: `NotNow` from ``job_test``, `PluginError` from what may fail,
nothing at all from what only takes notice. The books of a plugin that failed are built anew from the job records.

How long a call may take is said in `slimsched.outside`. The toolkit's own plugins are called directly.
"""

from __future__ import annotations

from contextlib import suppress
from operator import methodcaller
from typing import TYPE_CHECKING, Any

from slimsched import outside
from slimsched.errors import Never, NotNow, PluginError, PluginFault
from slimsched.select.api import SelectPlugin
from slimsched.select.records import Mode, Selection
from slimsched.slurm.reasons import SYSTEM_FAILURE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.model.node import Node
    from slimsched.model.reservation import Reservation
    from slimsched.select.records import JobTest

MOST = 1 << 62
"""The bound of numbers in an answer: only an integer of 64 bits can be stored."""


def note(cluster: Cluster, plugin: str, call: str, fault: object) -> None:
    """Count a fault for ``sdiag`` and note it in the history."""
    cluster.count("plugin_faults")
    cluster.count(f"plugin_faults {plugin} {call}")
    text = outside.described(fault) if isinstance(fault, BaseException) else str(fault)
    cluster.record("plugin-fault", plugin=plugin, call=call, fault=text[:500])


class Outsider:
    """An instance of a plugin class of another package, and the one way to its functions."""

    def __init__(self, cluster: Cluster, kind: type[Any], argument: object) -> None:
        """Make the instance. Raises `PluginError`."""
        self.cluster = cluster
        self.name = str(kind.plugin_type)
        self.plugin = self.run("__init__", kind, argument)

    def ask(self, name: str, *args: Any, **more: Any) -> Any:
        """Return the answer of function ``name``; a fault is noted, and raised as `PluginFault`."""
        return self.run(name, methodcaller(name, *args, **more), self.plugin)

    def run(self, name: str, function: Callable[..., Any], *args: Any) -> Any:
        """Return the answer of any function, on behalf of the plugin's function ``name``."""
        try:
            refusals = (NotNow, Never) if name == "job_test" else ()
            return outside.run(f"{self.name}: {name}", function, *args, refusals=refusals)
        except PluginFault as fault:
            self.note(name, fault.__cause__)
            raise
        except PluginError as error:
            raise error if str(error).startswith(self.name) else PluginError(f"{self.name}: {error}") from None

    def note(self, name: str, fault: object) -> None:
        """Count a fault of function ``name``."""
        note(self.cluster, self.name, name, fault)

    def note_answer(self, name: str, answer: object) -> None:
        """Count an invalid answer of function ``name``; only a plain value is turned into text."""
        plain = type(answer) in {bool, float, int, str, type(None)}
        self.note(name, f"returned {answer!r}" if plain else f"returned a {type(answer).__name__}")


NOTICES = frozenset(
    {
        "fini",
        "job_fini",
        "nodeinfo_set",
        "nodeinfo_set_all",
        "step_finish",
        "update_node_config",
        "update_node_state",
    }
)
"""Functions that only inform a plugin: their failure stops nothing."""

BOOKINGS = frozenset({"job_begin", "job_expand", "job_fini", "job_resized", "job_resume", "job_suspend"})
"""Functions that change a plugin's books."""


class Guarded(SelectPlugin):
    """A select plugin of another package, behind the checks."""

    def __init__(self, cluster: Cluster, kind: type[SelectPlugin]) -> None:
        super().__init__(cluster)
        self.outsider = Outsider(cluster, kind, cluster)
        self.plugin: SelectPlugin = self.outsider.plugin
        self.plugin_type, self.plugin_name = self.outsider.name, str(kind.plugin_name)

    def job_test(self, request: JobTest, mode: Mode) -> Selection:
        """Ask the plugin; if the job leaves a choice, ask for one node set after the other."""
        if request.has_choices:
            from slimsched.select.alternatives import best

            return best(self.cluster, request, mode, self._job_test)
        return self._job_test(request, mode)

    def _job_test(self, request: JobTest, mode: Mode) -> Selection:
        """Ask the plugin one question; an invalid answer counts as a refusal for the moment."""
        try:
            answer: Selection = self.outsider.ask("job_test", request, mode)
            problem = self.outsider.run("job_test", nonsense, answer, request, mode, self.cluster)
        except PluginError:
            raise NotNow(SYSTEM_FAILURE) from None
        except NotNow as refusal:
            reason = refusal.reason
            if isinstance(reason, str) and reason.isprintable():  # it is shown in lists with one line per job
                raise
            problem = "the reason is not a line of printable text"
        if problem:
            self.outsider.note("job_test", problem)
            raise NotNow(SYSTEM_FAILURE)
        return answer

    def job_begin(self, job: Job) -> None:
        """Let the plugin book the nodes. Raises `PluginError` if it fails, or leaves the job where no node is."""
        self.guarded("job_begin", job)
        try:
            self.outsider.run("job_begin", check_place, job, self.cluster)
        except PluginFault:
            self._rebuild(job)
            raise

    def state_save(self) -> dict[str, object]:
        """Return what the plugin wants to keep. Raises `PluginError` if it cannot be written."""
        state = self.guarded("state_save")
        self.outsider.run("state_save", check_json, state)
        saved: dict[str, object] = state
        return saved

    def resv_test(
        self, resv: Reservation, node_cnt: int, avail_bitmap: int, core_bitmap: dict[int, int] | None = None
    ) -> int | None:
        """Ask the plugin; nodes that were not offered, too many or too few, count as a refusal."""
        cores = {} if core_bitmap is None else core_bitmap
        chosen: int | None = self.guarded("resv_test", resv, node_cnt, avail_bitmap, cores)
        problem = self.outsider.run("resv_test", misplaced, chosen, self.cluster, resv, node_cnt, avail_bitmap, cores)
        if problem:
            self.outsider.note("resv_test", problem)
            return None
        return chosen

    def node_ranking(self, nodes: Sequence[Node]) -> bool:
        """Let the plugin rank the nodes; ranks that are not numbers are ignored."""
        return bool(self.guarded("node_ranking", nodes)) and self._ranks_are_sound(nodes, "node_ranking")

    def update_node_state(self, node: Node) -> None:
        """Tell the plugin."""
        self.guarded("update_node_state", node)
        self._ranks_are_sound([node], "update_node_state")

    def _ranks_are_sound(self, nodes: Sequence[Node], name: str) -> bool:
        strange = [node for node in nodes if type(node.node_rank) is not int]
        for node in strange:
            self.outsider.note(name, f"{node.name} has the rank {node.node_rank!r}")
            node.node_rank = 0
        return not strange

    def guarded(self, name: str, *args: Any, **more: Any) -> Any:
        """Call another function of the plugin."""
        try:
            return self.outsider.ask(name, *args, **more)
        except PluginError as fault:
            if name in BOOKINGS and isinstance(fault, PluginFault):
                self._rebuild(args[0] if name in {"job_begin", "job_fini"} else None)
            if name == "job_ready":
                return False
            if name in NOTICES:
                return None
            raise

    def _rebuild(self, without: Job | None) -> None:
        """Let the plugin read the job records again, ``without`` the job that did not begin or that ends."""
        jobs = [job for job in self.cluster.jobs.values() if job is not without]
        with suppress(PluginError):
            self.guarded("job_init", jobs)


def _delegate(name: str) -> Callable[..., Any]:
    def run(self: Guarded, *args: Any, **more: Any) -> Any:
        return self.guarded(name, *args, **more)

    run.__name__, run.__doc__ = name, getattr(SelectPlugin, name).__doc__
    return run


for _name, _function in vars(SelectPlugin).items():
    if callable(_function) and not _name.startswith("_") and _name not in vars(Guarded):
        setattr(Guarded, _name, _delegate(_name))


def check_place(job: Job, cluster: Cluster) -> None:
    """Raise `KeyError` for an unknown node of a job, `ValueError` for another number of nodes than of CPUs."""
    nodes = cluster.bitmap_of(job.nodes).bit_count()
    if not nodes == len(job.cpus) == len(job.memory):
        raise ValueError(f"{nodes} nodes, CPUs of {len(job.cpus)}, memory of {len(job.memory)}")


def nonsense(answer: object, request: JobTest, mode: Mode, cluster: Cluster) -> str:
    """Return what is wrong with the answer of ``job_test``, "" if nothing is."""
    if not isinstance(answer, Selection) or not isinstance(answer.bitmap, int):
        return f"{type(answer).__name__} is not a Selection"
    count = answer.bitmap.bit_count()
    if answer.bitmap < 0 or answer.bitmap & ~request.bitmap:
        return "nodes outside the candidates"
    if request.required & ~answer.bitmap:
        return "a required node is missing"
    if not max(1, request.min_nodes) <= count <= request.max_nodes:
        return f"{count} nodes, not {request.min_nodes} to {request.max_nodes}"
    lengths = (count,) if request.amounts else (0, count)
    for column in (answer.cpus, answer.memory):
        if type(column) is not list or len(column) not in lengths or not all(_is_count(value) for value in column):
            return f"cpus and memory must have {count} entries"
    gres = answer.gres
    if type(gres) is not list or len(gres) not in (0, count) or not all(type(text) is str for text in gres):
        return f"gres must have {count} entries"
    if not _is_count(answer.start_time):
        return f"{answer.start_time!r} is not a start time"
    if mode is Mode.WILL_RUN and answer.start_time < cluster.now:
        return "a start in the past"
    offered = {id(job) for job in request.preemptee_candidates}
    return "" if all(id(job) in offered for job in answer.preempted) else "preempts a job that it was not asked about"


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < MOST


def check_json(state: object) -> None:
    """Raise an error unless a value is an object of JSON that reads as it was written."""
    import json

    if not isinstance(state, dict):
        raise TypeError(f"{type(state).__name__} is not a dict")
    text = json.dumps(state, ensure_ascii=False, allow_nan=False)
    if json.loads(text.encode()) != state:
        raise ValueError("the state has names that are not strings")


def misplaced(chosen: object, cluster: Cluster, resv: Reservation, count: int, free: int, cores: dict[int, int]) -> str:
    """Return what is wrong with the answer of ``resv_test``, "" if nothing is."""
    if chosen is None:
        return ""
    if type(chosen) is not int or chosen < 0 or chosen & ~free:
        return f"{chosen!r} are not nodes that are available"
    if chosen.bit_count() != count and (count or not chosen):
        return f"{chosen.bit_count()} nodes, not {count or 'some'}"
    if not resv.core_cnt:
        return "CPUs of a reservation of whole nodes" if cores else ""
    sound = all(chosen >> k & 1 and type(n) is int and 0 < n <= cluster.nodes[k].cpus for k, n in cores.items())
    return "" if sound and len(cores) == chosen.bit_count() else "the CPUs are not some of each node"
