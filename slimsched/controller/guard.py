"""Between the controller and plugins of other packages: what they get wrong costs a job its pass, never the state.

A call may raise, answer nonsense, or never come back. Each of these is counted for ``sdiag`` and noted in the history,
and becomes a refusal that every caller knows: `NotNow` from ``job_test``, `PluginError` from what may fail,
nothing at all from what only takes notice. The books of a plugin that failed are built anew from the job records.

How long a call takes is measured in lines of Python run outside of this package, so that the answer does not
depend on the machine; an endless loop in C code (``sum(itertools.count())``) is not found. The toolkit's own plugins
are called directly.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slimsched.controller.reasons import SYSTEM_FAILURE
from slimsched.errors import Never, NotNow, PluginError
from slimsched.select.api import SelectPlugin
from slimsched.select.records import Mode, Selection

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType, TracebackType

    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.select.records import JobTest

MOST_LINES = 2_000_000
"""Lines of Python that one call may run."""

OURS = str(Path(__file__).parent.parent)


def trusted(plugin: type[Any]) -> bool:
    """Whether a plugin is one of the toolkit's own."""
    return plugin.__module__.startswith("slimsched.")


class Overrun(BaseException):
    """A call ran for too long; no ``except Exception`` of the plugin catches it."""


class Budget:
    """Ends what runs inside it with `Overrun` after `MOST_LINES` lines; a debugger's trace function is left alone."""

    def __enter__(self) -> None:
        self._left = MOST_LINES
        self._mine = sys.gettrace() is None
        if self._mine:
            sys.settrace(self._call)

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._mine:
            sys.settrace(None)

    def _call(self, frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        return None if frame.f_code.co_filename.startswith(OURS) else self._line

    def _line(self, frame: FrameType, event: str, argument: object) -> Callable[..., Any]:
        self._left -= 1
        if self._left < 0:
            raise Overrun(f"still running after {MOST_LINES} lines")
        return self._line


def note(cluster: Cluster, plugin: str, call: str, fault: object) -> None:
    """Count a fault for ``sdiag`` and note it in the history."""
    cluster.count("plugin_faults")
    cluster.count(f"plugin_faults {plugin} {call}")
    text = f"{type(fault).__name__}: {fault}" if isinstance(fault, BaseException) else str(fault)
    cluster.record("plugin-fault", plugin=plugin, call=call, fault=text[:500])


def call(cluster: Cluster, plugin: str, name: str, run: Callable[[], Any]) -> Any:
    """Return what ``run`` returns; any error that is not of the interface is noted and becomes a `PluginError`."""
    try:
        with Budget():
            return run()
    except (NotNow, Never, PluginError):
        raise
    except (Exception, Overrun) as fault:
        note(cluster, plugin, name, fault)
        raise PluginError(f"{plugin}: {name}: {type(fault).__name__}: {fault}") from fault


NOTICES = frozenset(
    {
        "fini",
        "job_fini",
        "job_signal",
        "nodeinfo_set",
        "nodeinfo_set_all",
        "reconfigure",
        "step_finish",
        "update_node_config",
        "update_node_state",
    }
)
"""Functions that tell a plugin something: their failure keeps nobody from going on."""

BOOKINGS = frozenset({"job_begin", "job_expand", "job_fini", "job_resized", "job_resume", "job_suspend"})
"""Functions that change a plugin's books."""


class Guarded(SelectPlugin):
    """A select plugin of another package, behind the checks."""

    def __init__(self, cluster: Cluster, plugin: SelectPlugin) -> None:
        super().__init__(cluster)
        self.plugin = plugin
        self.plugin_type, self.plugin_name = plugin.plugin_type, plugin.plugin_name

    def job_test(self, request: JobTest, mode: Mode) -> Selection:
        """Ask the plugin, where there is a choice for one node set after the other."""
        if request.has_choices:
            from slimsched.select.choices import best

            return best(self.cluster, request, mode, self._job_test)
        return self._job_test(request, mode)

    def _job_test(self, request: JobTest, mode: Mode) -> Selection:
        """Ask the plugin one question; an answer that is none counts as a refusal for the moment."""
        try:
            answer = call(self.cluster, self.plugin_type, "job_test", lambda: self.plugin.job_test(request, mode))
        except PluginError:
            raise NotNow(SYSTEM_FAILURE) from None
        problem = nonsense(answer, request, mode, self.cluster)
        if problem:
            note(self.cluster, self.plugin_type, "job_test", problem)
            raise NotNow(SYSTEM_FAILURE)
        found: Selection = answer
        return found

    def guarded(self, name: str, *args: Any, **more: Any) -> Any:
        """Call another function of the plugin."""
        try:
            return call(self.cluster, self.plugin_type, name, lambda: getattr(self.plugin, name)(*args, **more))
        except PluginError as fault:
            if name in BOOKINGS and fault.__cause__ is not None:
                self._rebuild(args[0] if name in {"job_begin", "job_fini"} else None)
            if name == "job_ready":
                return False
            if name in NOTICES:
                return None
            raise

    def _rebuild(self, without: Job | None) -> None:
        """Let the plugin read the job records again, ``without`` the job that did not begin or that ends."""
        jobs = [job for job in self.cluster.jobs.values() if job is not without]
        with suppress(PluginError, NotNow, Never):
            self.guarded("job_init", jobs)


def _delegate(name: str) -> Callable[..., Any]:
    def run(self: Guarded, *args: Any, **more: Any) -> Any:
        return self.guarded(name, *args, **more)

    run.__name__, run.__doc__ = name, getattr(SelectPlugin, name).__doc__
    return run


for _name, _function in vars(SelectPlugin).items():
    if callable(_function) and not _name.startswith("_") and _name not in vars(Guarded):
        setattr(Guarded, _name, _delegate(_name))


def nonsense(answer: object, request: JobTest, mode: Mode, cluster: Cluster) -> str:
    """Return what is wrong with the answer of ``job_test``, "" if nothing is."""
    if not isinstance(answer, Selection) or not isinstance(answer.bitmap, int):
        return f"{type(answer).__name__} is no Selection"
    count = answer.bitmap.bit_count()
    if answer.bitmap < 0 or answer.bitmap & ~request.bitmap:
        return "nodes outside of the candidates"
    if request.required & ~answer.bitmap:
        return "a required node is missing"
    if not max(1, request.min_nodes) <= count <= request.max_nodes:
        return f"{count} nodes, not {request.min_nodes} to {request.max_nodes}"
    for column in (answer.cpus, answer.memory):
        if len(column) != count or not all(isinstance(value, int) and value >= 0 for value in column):
            return f"cpus and memory must have {count} entries"
    if len(answer.gres) not in (0, count):
        return f"gres must have {count} entries"
    if mode is Mode.WILL_RUN and answer.start_time < cluster.now:
        return "a start in the past"
    offered = {id(job) for job in request.preemptee_candidates}
    return "" if all(id(job) in offered for job in answer.preempted) else "preempts a job that it was not asked about"
