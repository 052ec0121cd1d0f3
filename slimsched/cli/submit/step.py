"""A step of ``srun`` on a live cluster: from its options to its place in a job, and to its end."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from slimsched.controller.life import live_steps, step_place
from slimsched.errors import SlurmError, UserError
from slimsched.executor import limits
from slimsched.executor.batch_environment import Export
from slimsched.executor.local import step as running
from slimsched.executor.step_environment import node_environment, step_environment, task_environment
from slimsched.slurm.errno import Errno
from slimsched.text import hostlist

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from slimsched.cli.app import Application
    from slimsched.cli.submit.options.request import Draft
    from slimsched.controller.core import Controller
    from slimsched.executor.local.files import Json
    from slimsched.model.job import Job


class StepCall:
    """A call of ``srun`` that makes a step of ``args`` in a job."""

    def __init__(self, app: Application, made: Draft, args: list[str]) -> None:
        self.app, self.made, self.args = app, made, args
        self.plan: running.Plan | None = None

    def begin(self, ctl: Controller, job: Job) -> bool:
        """Enter the step into a job's record, if there is room for it now; whether there is."""
        found = self._place(job)
        if found is None:
            return False
        number = live_steps.begin(ctl, job, self.wanted(job), found, os.getpid())
        self.plan = self._planned(ctl, job, number, found)
        return True

    def wait(self, job_id: int) -> None:
        """Enter the step once there is room for it."""
        from slimsched.cli.submit import blocking

        def room(ctl: Controller) -> bool:
            return self._place(ctl.cluster.jobs.get(job_id)) is not None

        blocking.until(self.app, room, lambda ctl: not self.begin(ctl, ctl.cluster.jobs[job_id]))
        assert self.plan is not None
        self.app.err(f"srun: Step created for StepId={self.plan.name}")

    def launch(self) -> Json:
        """Run the step that was made."""
        from slimsched.executor.local import afterwards, files

        assert self.plan is not None
        running.flush()
        record = running.StepRun(self.plan).run()
        files.write(self.plan.folder, "end.json", record, durable=False)
        files.let_go(self.plan.folder)
        afterwards.ring(self.app.store.folder)
        return record

    def _place(self, job: Job | None) -> step_place.Place | None:
        """Return where the step can run now, None if it has to wait."""
        if job is None or not job.active or job.ending:
            raise SlurmError(Errno.ALREADY_DONE)
        found = step_place.place(job, self.wanted(job))
        if found is None and self.made.other.get("immediate"):
            raise SlurmError(Errno.NODES_BUSY)
        return found

    def wanted(self, job: Job) -> step_place.Wanted:
        """Return what the step asks for of a job."""
        made, fields = self.made, self.made.fields
        given_cpus = bool(fields.get("cpus_per_task"))
        overlap, exact = "overlap" in made.recorded, "exact" in made.recorded or made.given("cpus-per-task")
        nodes = int(fields.get("min_nodes") or 0)
        layout, _, plane = str(fields.get("distribution") or "").partition("=")
        relative = made.recorded.get("relative")
        named = hostlist.expand(str(fields.get("nodelist") or ""), dialect="slurm")
        if made.inherited("nodelist"):
            named = []
        if made.inherited("nodes") and (named or "exclude" in fields):
            nodes = 0
        tasks = fields.get("num_tasks")
        per_node = int(fields.get("ntasks_per_node") or 0) if made.given("ntasks-per-node") else 0
        if tasks is None:
            tasks = max(1, nodes or len(job.cpus)) * int(fields.get("ntasks_per_node") or 1)
        return step_place.Wanted(
            name=str(fields["name"]) if made.given("job-name") else os.path.basename(self.args[0]),
            tasks=int(tasks),
            nodes=nodes,
            named=named,
            without=hostlist.expand(str(fields.get("exclude") or ""), dialect="slurm"),
            first=int(relative or 0),
            cpus_per_task=int(fields.get("cpus_per_task") or 1) if given_cpus else 1,
            per_node=per_node,
            exact=exact,
            overlap=overlap,
            overcommit=bool(fields.get("overcommit")),
            mem_per_node=fields.get("mem_per_node"),
            mem_per_cpu=fields.get("mem_per_cpu"),
            layout=layout,
            plane=int(plane or 1),
            time_limit=fields.get("time_limit") if made.given("time") else None,
        )

    # what runs

    def _planned(self, ctl: Controller, job: Job, number: int, found: step_place.Place) -> running.Plan:
        made, fields = self.made, self.made.fields
        step, name = job.steps[number], f"{job.job_id}.{number}"
        common = self._environment(step_environment(ctl.cluster, job, number, found.tasks), found)
        nodes = node_environment(step, found.tasks, found.nodes)

        def environment(node: int, local: int) -> Mapping[str, str]:
            return {**common, **nodes[node], **task_environment(found.tasks[node][local], local)}

        place = {rank: node for node, here in enumerate(found.tasks) for rank in here}
        limit = job.start_time + step.begin + step.time_limit * 60 if step.time_limit else 0
        return running.Plan(
            folder=ctl.executor.open_step(job, number),
            name=name,
            nodes=found.nodes,
            ranks=found.tasks,
            words=self._words(step.tasks),
            environment=environment,
            directory=str(fields.get("work_dir") or os.getcwd()),
            input=self._files("input", job, number, place, found.nodes),
            output=(output := self._files("output", job, number, place, found.nodes)),
            error=self._files("error", job, number, place, found.nodes) if "error" in fields else output,
            append=str(fields.get("open_mode") or "").lower().startswith("a"),
            label="label" in made.recorded,
            unbuffered="unbuffered" in made.recorded,
            pty="pty" in made.recorded,
            kill_wait=ctl.cluster.config.number("KillWait"),
            kill_on_bad_exit=made.recorded.get("kill-on-bad-exit", "0") not in ("0", "False"),
            wait=int(made.recorded.get("wait") or 0),
            limit=limits.acted_on(ctl.cluster, limit) if limit else 0,
            quit_on_interrupt="quit-on-interrupt" in made.recorded,
            prefix=ctl.cluster.config.version.prefix,
        )

    def _environment(self, step: Mapping[str, str], found: step_place.Place) -> dict[str, str]:
        """Return the variables of all tasks: what is exported, and the step's own."""
        made, fields = self.made, self.made.fields
        mask = os.umask(0o077)
        os.umask(mask)
        exported = Export(str(fields.get("export") or "")).of(os.environ)
        for name in ("SLURM_EXPORT_ENV", "SLURM_GET_USER_ENV"):
            exported.pop(name, None)
        own = {"SLURM_UMASK": f"{mask:04o}", **step}
        if not fields.get("export") or "ALL" in str(fields["export"]):
            own["SRUN_DEBUG"] = str(3 + made.count("verbose"))
        if "distribution" in fields or os.environ.get("SLURM_JOB_ID"):
            own["SLURM_DISTRIBUTION"] = found.layout
        if made.given("job-name"):
            own["SLURM_JOB_NAME"] = str(fields["name"])
        return {**exported, **own}

    def _words(self, tasks: int) -> Sequence[Sequence[str]]:
        """Return the words of each task's command."""
        if "multi-prog" in self.made.recorded:
            from slimsched.cli.submit import multi_prog

            return multi_prog.read(self.args[0], tasks)
        name = self.args[0]
        if "/" in name and not name.startswith("/") and os.path.exists(name):
            name = os.path.join(os.getcwd(), name)
        return [[name, *self.args[1:]]] * tasks

    def _files(
        self, stream: str, job: Job, number: int, place: Mapping[int, int], nodes: Sequence[str]
    ) -> Sequence[str]:
        """Return the file of each task for a stream."""
        from slimsched.executor import file_names

        text = str(self.made.fields.get(stream) or "")
        tasks = job.steps[number].tasks
        if not text or text.lower().startswith("all"):
            if stream == "input" and _is_null(0):
                return [os.devnull] * tasks
            return [running.ALL] * tasks
        if text.lower().startswith("none"):
            return [os.devnull] * tasks
        if text.isdecimal() and int(text) < tasks:
            return [running.ALL if rank == int(text) else os.devnull for rank in range(tasks)]
        found = []
        for rank in range(tasks):
            letters = {
                **file_names.letters(job, 0, nodes[place[rank]]),
                **{"J": f"{job.job_id}.{number}", "s": str(number), "t": str(rank), "n": str(place[rank])},
                **{"a": "0", "b": "0", "r": "0"},
            }
            found.append(os.path.abspath(file_names.expand(text, letters)))
        if stream == "input":
            for name in found:
                try:
                    os.close(os.open(name, os.O_RDONLY | os.O_CLOEXEC))
                except OSError as fault:
                    raise UserError(f"Could not open stdin file: {fault.strerror}") from fault
        return found


def _is_null(fd: int) -> bool:
    """Whether a descriptor is the empty device, or none at all."""
    try:
        return os.fstat(fd).st_rdev == os.stat(os.devnull).st_rdev
    except OSError:
        return True
