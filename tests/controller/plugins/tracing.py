"""Plugins for tests, as another package would bring them: one that writes down its calls, and some that go wrong."""

from __future__ import annotations

from slimsched.errors import NotNow, PluginError
from slimsched.sched.api import SchedPlugin
from slimsched.select.api import Mode, SelectPlugin
from slimsched.select.cons_tres import ConsTres

CALLS: list[str] = []
"""Every call since the test began."""

READY_AFTER = [0]
"""How often ``job_ready`` says no."""


class Tracing(ConsTres):
    """cons_tres that writes down what it is asked."""

    plugin_type = "select/tracing"


def _traced(name):
    def run(self, *args, **more):
        mode = next((arg for arg in args if isinstance(arg, Mode)), None)
        CALLS.append(f"{name} {mode.name}" if mode is not None else name)
        return getattr(ConsTres, name)(self, *args, **more)

    return run


for _name, _function in vars(SelectPlugin).items():
    if callable(_function) and not _name.startswith("_") and "info" not in _name:
        setattr(Tracing, _name, _traced(_name))


class Slow(Tracing):
    plugin_type = "select/slow"

    def job_ready(self, job):
        CALLS.append("job_ready")
        READY_AFTER[0] -= 1
        return READY_AFTER[0] < 0


class Saved(Tracing):
    plugin_type = "select/saved"

    def state_save(self):
        return super().state_save() | {"count": len(CALLS)}

    def state_restore(self, saved):
        super().state_restore(saved)
        CALLS.append(f"restored {'count' in saved}")


class Amnesiac(Tracing):
    """Saves what it cannot take back."""

    plugin_type = "select/amnesiac"

    def state_save(self):
        return {"magic": 7}


class NoNodes(Tracing):
    plugin_type = "select/no_nodes"

    def job_begin(self, job):
        raise PluginError("the switch is on fire")


class Raising(Tracing):
    plugin_type = "select/raising"

    def job_test(self, request, mode):
        if request.job.request.name == "bad":
            raise ZeroDivisionError("no")
        return super().job_test(request, mode)


class Looping(Tracing):
    plugin_type = "select/looping"

    def job_test(self, request, mode):
        while request.job.request.name == "bad":
            try:
                pass
            except Exception:
                continue
        return super().job_test(request, mode)


class Outside(Tracing):
    plugin_type = "select/outside"

    def job_test(self, request, mode):
        found = super().job_test(request, mode)
        if request.job.request.name == "bad":
            found.bitmap <<= 60
        return found


class Jealous(Tracing):
    """Preempts whom it likes."""

    plugin_type = "select/jealous"

    def job_test(self, request, mode):
        found = super().job_test(request, mode)
        if request.job.request.name == "bad":
            found.preempted = [job for job in self.cluster.jobs.values() if job.active]
        return found


class Painting(Tracing):
    """Gives a reason that would colour a terminal."""

    plugin_type = "select/painting"

    def job_test(self, request, mode):
        if request.job.request.name == "bad":
            raise NotNow("red\x1b[31m\n")
        return super().job_test(request, mode)


class Torn(Tracing):
    """Loses its books when a job begins or ends."""

    plugin_type = "select/torn"

    def job_begin(self, job):
        super().job_begin(job)
        if job.request.name == "bad":
            raise KeyError("torn")

    def job_fini(self, job):
        raise KeyError("torn")


class Wild(SchedPlugin):
    """Wants to start what it must not."""

    plugin_type = "sched/wild"

    def schedule(self):
        for job in list(self.host.cluster.jobs.values()):
            self.host.attempt(job, self.host.cluster.partitions["debug"], 0, "Wild")
        return 0


class Mistaken(SchedPlugin):
    plugin_type = "sched/mistaken"

    def schedule(self):
        self.errno = 9007
        return -1

    def strerror(self, errnum):
        return {9007: "lost the queue"}.get(errnum)

    def initial_priority(self, max_prio):
        return -5


PLUGINS = {cls.plugin_type: cls for cls in (Tracing, Slow, Saved, Amnesiac, NoNodes, Raising, Looping, Outside)}
PLUGINS |= {cls.plugin_type: cls for cls in (Jealous, Painting, Torn, Wild, Mistaken)}


def install(monkeypatch):
    """Let the registries find the plugins of this file."""
    from slimsched.sched import registry as sched
    from slimsched.select import registry as select

    CALLS.clear()
    READY_AFTER[0] = 0
    for name, cls in PLUGINS.items():
        kind, _, short = name.partition("/")
        table = select.BUILT_IN if kind == "select" else sched.BUILTIN
        monkeypatch.setitem(table, short, f"{cls.__module__}:{cls.__name__}")
