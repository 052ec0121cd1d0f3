"""The plan of a step: what a call of ``srun`` asks of a job, and what its tasks run with."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from slimsched.cli.submit import drafts
from slimsched.controller.life import step_place
from slimsched.errors import SlurmError, UserError
from slimsched.executor import file_names, limits, step_environment, task_layout
from slimsched.executor.batch_environment import Export
from slimsched.executor.local import spec
from slimsched.executor.local import tasks as running
from slimsched.model import resources
from slimsched.slurm.errno import Errno
from slimsched.text import hostlist

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from slimsched.cli.app import Application
    from slimsched.cli.submit.options.request import Draft
    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import Config
    from slimsched.model.job import Job

NOT_HONOURED = (
    "can't honor --ntasks-per-node set to {} which doesn't match the requested tasks {} with the maximum number of"
    " requested nodes {}. Ignoring --ntasks-per-node."
)
UNLICENSED = (
    "Ignoring --tres-per-task license specification because licenses can only be specified at job allocation time, not"
    " during step allocation."
)
IMPLIED = "Implicitly setting --exact, because -c/--cpus-per-task given."


def wanted(app: Application, ctl: Controller, made: Draft, job: Job, args: list[str]) -> step_place.Wanted:
    """Return what a step asks for of a job; warn of what does not go together."""
    fields, own = made.fields, "jobid" not in made.other
    nodes = len(job.cpus) if own else int(fields.get("min_nodes") or 0)
    per_node = int(fields.get("ntasks_per_node") or 0)
    tasks = fields.get("num_tasks")
    if tasks is None:
        tasks = max(1, nodes or len(job.cpus)) * (per_node or 1)
    elif per_node and nodes and per_node * nodes < tasks:
        if made.given("ntasks-per-node") and not own:
            app.err(f"srun: warning: {NOT_HONOURED.format(per_node, tasks, nodes)}")
            made.drop("ntasks-per-node", "ntasks_per_node")
        per_node = 0
    layout, _, plane = str(fields.get("distribution") or "").partition("=")
    named = _named(made, layout)
    if made.inherited("nodes") and (named or "exclude" in fields) and not own:
        nodes = 0
    exact = made.given("cpus-per-task") and not own
    if not own and made.given("tres-per-task") and resources.LICENSE in str(fields.get("tres_per_task")):
        app.err(f"srun: warning: {UNLICENSED}")
    if made.count("verbose"):
        if own:
            app.err(f"srun: Nodes {job.nodes} are ready for job")
        counts = ",".join(f"{cpus}(x1)" for cpus in job.cpus)
        app.err(f"srun: jobid {job.job_id}: nodes({len(job.cpus)}):`{job.nodes}', cpu counts: {counts}")
        if exact:
            app.err(f"srun: {IMPLIED}")
    return step_place.Wanted(
        name=str(fields["name"]) if made.given("job-name") else os.path.basename(args[0]),
        tasks=int(tasks),
        nodes=nodes,
        named=named,
        without=[*hostlist.expand(str(fields.get("exclude") or ""), dialect="slurm"), *_lacking(ctl, made, job)],
        first=int(made.recorded.get("relative") or 0),
        cpus_per_task=int(fields.get("cpus_per_task") or 1),
        per_node=per_node,
        exact=exact or "exact" in made.recorded,
        overlap="overlap" in made.recorded or "external-launcher" in made.recorded,
        overcommit=bool(fields.get("overcommit")),
        mem_per_node=None if own else fields.get("mem_per_node"),
        mem_per_cpu=None if own else fields.get("mem_per_cpu"),
        gpus=_gpus(made),
        gpus_per_task=_task_gpus(made),
        task_gres=_task_gres(made),
        layout=layout,
        plane=int(plane or 1),
        time_limit=fields.get("time_limit") if made.given("time") and not own else None,
    )


def _lacking(ctl: Controller, made: Draft, job: Job) -> list[str]:
    """Return the nodes of a job that lack the features that a step asks for. Raises `SlurmError` if all do."""
    text = str(made.fields.get("features") or "")
    if not text or not made.given("constraint") or "jobid" not in made.other:
        return []
    from slimsched.controller.schedule.node_sets import FEATURES

    mask, names = ctl.sets.having(FEATURES, text), hostlist.expand(job.nodes, dialect="slurm")
    lacking = [name for name in names if not mask >> ctl.cluster.node_index[name] & 1]
    if len(lacking) == len(names):
        raise SlurmError(Errno.REQUESTED_NODE_CONFIG_UNAVAILABLE)
    return lacking


def _gpus(made: Draft) -> int | None:
    """Return how many GPUs a step asks for on each node, None for all that its job has there."""
    if made.given("gpus-per-node"):
        return _count(str(made.fields["gpus_per_node"]))
    if not made.given("gres"):
        return None
    listed = str(made.fields["gres"]).split(",")
    return sum(_count(item) for item in listed if item.removeprefix("gres/").removeprefix("gres:").startswith("gpu"))


def _task_gpus(made: Draft) -> int:
    """Return how many GPUs a step asks for with each task."""
    asked = _count(str(made.fields.get("gpus_per_task") or "")) if made.given("gpus-per-task") else 0
    return asked or _task_gres(made).get("gres/gpu", 0)


def _task_gres(made: Draft) -> dict[str, int]:
    """Return the generic resources that a step asks for with each task (``--tres-per-task``)."""
    items = str(made.fields.get("tres_per_task") or "").split(",") if made.given("tres-per-task") else ()
    return resources.gres(",".join(item for item in items if item.startswith("gres/")))


def _count(text: str) -> int:
    """Return the number at the end of ``gpu:tesla:2``, 1 for none; 0 for nothing."""
    last = text.rpartition(":")[2]
    return int(last) if last.isdecimal() else int(bool(text))


def _named(made: Draft, layout: str) -> list[str]:
    """Return the nodes that a step must have, as often as they are named if its tasks follow them."""
    if layout == task_layout.ARBITRARY and "hosts" in made.other:
        return hostlist.expand(made.other["hosts"], dialect="slurm")
    if made.inherited("nodelist"):
        return []
    return hostlist.expand(str(made.fields.get("nodelist") or ""), dialect="slurm")


def planned(
    ctl: Controller, made: Draft, job: Job, number: int, found: step_place.Place, args: list[str]
) -> running.Plan:
    """Return what a step that has its place runs."""
    fields, recorded = made.fields, made.recorded
    step, name = job.steps[number], f"{job.job_id}.{number}"
    common = _environment(made, step_environment.step_environment(ctl.cluster, job, number, found.tasks), found)
    nodes = step_environment.node_environment(step, found.tasks, found.nodes)
    each = _task_gpus(made)
    if each:
        common |= step_environment.bound_gpus(each)
    if made.given("tres-per-task"):
        common["SLURM_TRES_PER_TASK"] = str(fields["tres_per_task"])

    def environment(node: int, local: int) -> Mapping[str, str]:
        temporary = {} if local else {"TMPDIR": "/tmp"}  # which Slurm sets for the first task of a node only
        own = {
            **step_environment.task_environment(found.tasks[node][local], local),
            **step_environment.gpu_environment(found.gpus[node], each, local),
        }
        return {**temporary, **common, **nodes[node], **own}

    limit = job.start_time + step.begin + step.time_limit * 60 if step.time_limit else 0
    directory = str(fields.get("work_dir") or drafts.here())
    names = _Names(made, job, number, found)
    output = names.of("output")
    return running.Plan(
        folder=ctl.executor.open_step(job, number),
        name=name,
        nodes=found.nodes,
        ranks=found.tasks,
        words=_words(made, args, name, found, directory),
        environment=environment,
        directory=directory,
        input=names.of("input"),
        output=output,
        error=names.of("error") if "error" in fields else output,
        append=str(fields.get("open_mode") or "").lower().startswith("a"),
        label="label" in recorded,
        unbuffered="unbuffered" in recorded,
        pty="pty" in recorded,
        kill_wait=ctl.cluster.config.number("KillWait"),
        kill_on_bad_exit=_kills(ctl.cluster.config, recorded.get("kill-on-bad-exit")),
        wait=int(recorded["wait"]) if "wait" in recorded else ctl.cluster.config.number("WaitTime"),
        limit=limits.acted_on(ctl.cluster, limit) if limit else 0,
        quit_on_interrupt="quit-on-interrupt" in recorded,
        verbose=bool(made.count("verbose")),
        prefix=ctl.cluster.config.version.prefix,
        prologs=_prologs(spec.of_task(ctl.cluster, "TaskProlog"), recorded.get("task-prolog", "")),
        epilogs=_around(recorded.get("task-epilog"), spec.of_task(ctl.cluster, "TaskEpilog")),
        warn_at=_warned_at(ctl, job),
        warning=warning.number if (warning := limits.warning(job)) else 0,
        forward_interrupts="disable-status" in recorded,
        ignored=[int(number) for number in recorded.get("ignore-signals", "").split(",") if number],
        no_kill=recorded.get("no-kill") == "set",
        wait_for_children="wait-for-children" in recorded,
        memory=_most(ctl.cluster, job, found),
        look=spec.poll(ctl.cluster, job),
    )


def _kills(config: Config, asked: str | None) -> bool:
    """Whether a task that fails ends the others (``--kill-on-bad-exit``, ``KillOnBadExit``)."""
    return bool(config.number("KillOnBadExit")) if asked is None else asked not in ("0", "False")


def _most(cluster: Cluster, job: Job, found: step_place.Place) -> list[int]:
    """Return the bytes of memory by node beyond which a step is killed: its own, or its job's; 0 for none."""
    if not spec.kills_for_memory(cluster) or not job.memory:
        return [0] * len(found.nodes)
    own = dict(zip(hostlist.expand(job.nodes, dialect="slurm"), job.memory, strict=True))
    return [(asked or own[name]) << 20 for name, asked in zip(found.nodes, found.memory, strict=True)]


def _prologs(*programs: str) -> list[str]:
    """Return the prologs of a task that there are; one without its full path fails."""
    return [path for path in programs if path and path.lower() != "none"]


def _around(*programs: str | None) -> list[str]:
    """Return the programs that there are; one that a user names must have its full path."""
    return [path for path in programs if path and path.startswith("/")]


def _warned_at(ctl: Controller, job: Job) -> float:
    """Return when ``srun`` itself warns its tasks of their job's end, 0 for never: a script's supervisor does it."""
    told = None if job.has_script else limits.warning(job)
    at = limits.warned_at(ctl.cluster, job, told) if told else None
    return at if at is not None and at >= ctl.cluster.now else 0


def _asked(made: Draft) -> dict[str, str]:
    """Return what the tasks of a step in a job are told of its options."""
    found = {}
    if made.given("cpus-per-task"):
        count = str(made.fields["cpus_per_task"])
        found = {"SLURM_CPUS_PER_TASK": count, "SLURM_TRES_PER_TASK": f"cpu={count}"}
    if made.given("ntasks-per-node"):
        found["SLURM_NTASKS_PER_NODE"] = str(made.fields["ntasks_per_node"])
    return found


def _environment(made: Draft, step: Mapping[str, str], found: step_place.Place) -> dict[str, str]:
    """Return the variables of all tasks: what is exported, and the step's own."""
    fields, given = made.fields, str(made.fields.get("export") or "")
    mask = os.umask(0o077)
    os.umask(mask)
    export = Export(given or None)
    exported = export.of(os.environ)
    for name in ("SLURM_EXPORT_ENV", "SLURM_GET_USER_ENV"):
        exported.pop(name, None)
    launchers = () if export.every else step_environment.LAUNCHERS  # srun sets them for itself
    own = {"SLURM_UMASK": f"{mask:04o}", **{k: v for k, v in step.items() if not k.startswith(launchers)}}
    if export.every:
        own["SRUN_DEBUG"] = str(3 + made.count("verbose"))
    memory = {f"SLURM_{field.upper()}": fields.get(field) for field in ("mem_per_node", "mem_per_cpu", "mem_per_gpu")}
    if "jobid" not in made.other:
        for name, amount in memory.items():
            own.pop(name, None)
            if amount is not None:
                own[name] = str(amount)
    else:
        own |= _asked(made)
    if "distribution" in fields or "jobid" in made.other or any(amount is not None for amount in memory.values()):
        own["SLURM_DISTRIBUTION"] = found.layout
    if plane := str(fields.get("distribution") or "").partition("=")[2]:
        own["SLURM_DIST_PLANESIZE"] = plane
    if made.given("job-name"):
        own["SLURM_JOB_NAME"] = str(fields["name"])
    if bind := made.recorded.get("cpu-bind"):
        own |= {"SLURM_CPU_BIND": f"quiet,{bind}", "SLURM_CPU_BIND_LIST": "", "SLURM_CPU_BIND_TYPE": bind}
        own["SLURM_CPU_BIND_VERBOSE"] = "quiet"
    kept = step_environment.PRESERVED if "preserve-env" in made.recorded else ()
    return {
        **{name: value for name, value in exported.items() if name not in step_environment.GPUS},
        **{name: value for name, value in own.items() if name not in kept},
    }


def _words(made: Draft, args: list[str], step: str, found: step_place.Place, directory: str) -> Sequence[Sequence[str]]:
    """Return the words of each task's command."""
    tasks = sum(map(len, found.tasks))
    if "multi-prog" in made.recorded:
        from slimsched.cli.submit import multi_prog

        return multi_prog.read(args[0], tasks)
    name = args[0]
    if "/" in name and not name.startswith("/"):
        name = os.path.join(directory, name)
    if "bcast" in made.recorded:
        from slimsched.cli.submit import step_programs

        return step_programs.broadcast(made.recorded["bcast"], args, step, found)
    return [[name, *args[1:]]] * tasks


class _Names:
    """The names of a step's files."""

    def __init__(self, made: Draft, job: Job, number: int, found: step_place.Place) -> None:
        self.made, self.job, self.number, self.found = made, job, number, found
        self.tasks = job.steps[number].tasks

    def of(self, stream: str) -> Sequence[str]:
        """Return the file of each task for ``input``, ``output`` or ``error``."""
        if "pty" in self.made.recorded:  # the terminal is that of the first task
            return [running.ALL, *[os.devnull] * (self.tasks - 1)]
        text = str(self.made.fields.get(stream) or "")
        if not text or text.lower().startswith("all"):
            null = stream == "input" and _is_null(0)
            return [os.devnull if null else running.ALL] * self.tasks
        if text.lower().startswith("none"):
            return [os.devnull] * self.tasks
        if text.isdecimal() and int(text) < self.tasks:
            return [running.ALL if rank == int(text) else os.devnull for rank in range(self.tasks)]
        place = {rank: node for node, here in enumerate(self.found.tasks) for rank in here}
        found = [self._meant(text, rank, place[rank]) for rank in range(self.tasks)]
        if stream == "input":
            for name in found:
                try:
                    os.close(os.open(name, os.O_RDONLY | os.O_CLOEXEC))
                except OSError as fault:
                    raise UserError(f"Could not open stdin file: {fault.strerror}") from fault
        return found

    def _meant(self, text: str, rank: int, node: int) -> str:
        """Return the path that a pattern stands for in a task."""
        job, number = self.job, self.number
        letters = {
            **file_names.letters(job, 0, self.found.nodes[node]),
            **{"J": f"{job.job_id}.{number}", "s": str(number), "t": str(rank), "n": str(node)},
            **{"a": "0", "b": "0", "r": "0"},
        }
        lone = (len(text) - len(text.rstrip("%"))) % 2  # a sign at the end that nothing follows vanishes
        return os.path.abspath(file_names.expand(text[: len(text) - lone], letters))


def _is_null(fd: int) -> bool:
    """Whether a descriptor is the empty device, or none at all."""
    try:
        return os.fstat(fd).st_rdev == os.stat(os.devnull).st_rdev
    except OSError:
        return True
