"""The rows of ``sacct``: a job or its batch step, with the values that several fields share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model.account import NORMAL, Book
from slimsched.model.job import Ended
from slimsched.model.record import replaced
from slimsched.model.request import INFINITE
from slimsched.model.resources import shown
from slimsched.render.jobs.job_view import View
from slimsched.render.jobs.step_list import BATCH, EXTERN, StepView
from slimsched.slurm import reasons, states
from slimsched.text import sizes
from slimsched.text.hostlist import expand
from slimsched.text.sizes import is_number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from slimsched.model.job import Job

SIGTERM = 15

SCHEDULERS = {"Main": "SchedMain", "Backfill": "SchedBackfill", "Submit": "SchedSubmit"}


START_RECEIVED = "StartReceived"
FLAGS = ("None", *SCHEDULERS.values(), START_RECEIVED)
"""What ``--flags`` takes."""


class AccountingRow(StepView):
    """One line: a job (``step`` ""), its batch step, or a numbered step. ``unit``: that memory is shown in.

    ``since`` and ``until`` cut its times (``--truncate``); 0 leaves them alone.
    """

    def __init__(self, view: View, step: str = "", unit: str = "") -> None:
        super().__init__(view, step)
        self.asked, self.unit = view.request, unit
        self.since = self.until = 0

    # identity

    @property
    def name(self) -> str:
        """Its id as users write it; accounting learns of what a component belongs to when that starts."""
        unknown = self.job.het_job_id and not (self.job.nodes or self.job.restarts)
        return self.raw if unknown else super().name

    @property
    def raw(self) -> str:
        """The same with the job's own number, also for a task of an array."""
        return f"{self.job.job_id}.{self.step}" if self.step else str(self.job.job_id)

    @property
    def submit_line(self) -> str:
        """The command that made it, "" for a batch step."""
        if self.step:
            return self.run.line if self.run is not None else ""
        return self.asked.submit_line

    @property
    def account(self) -> str:
        """The account it is booked on: its own, else its user's default."""
        return self.asked.account or Book(self.view.cluster).default_account(self.job.user_name)

    @property
    def association(self) -> int:
        """Number of the association it is booked on, 0 if there is none."""
        line = Book(self.view.cluster).line(self.account, self.job.user_name, self.job.partition)
        return int(line[0][1].get("ID", "0")) if line else 0

    @property
    def qos(self) -> str:
        """Name of its QOS, "Unknown" if nobody defined it."""
        name = self.asked.qos or NORMAL
        return name if name == NORMAL or Book(self.view.cluster).get("qos", name) is not None else "Unknown"

    @property
    def qos_id(self) -> str:
        """Number of its QOS, "" if nobody defined it."""
        return (Book(self.view.cluster).get("qos", self.qos) or {}).get("ID", "")

    # times

    @property
    def started(self) -> bool:
        """Whether it has begun: it runs, ran, or ended without ever running."""
        return self.job.state != states.PENDING

    @property
    def never_ran(self) -> bool:
        """Whether it ended without ever having had nodes."""
        return self.job.finished and not self.job.nodes

    @property
    def start(self) -> int:
        """When it began, 0 if it waits, or never ran."""
        resized = 0 if self.step else self.job.resize_time
        return max(self.start_time, resized, self.since) if self.started and not self.never_ran else 0

    @property
    def end(self) -> int:
        """When it ended, 0 if it has not."""
        ended = self._ended
        return min(ended, self.until or ended) if ended else self.until

    @property
    def _ended(self) -> int:
        """When it ended, however its times are cut."""
        job = self.job
        last = job.end_time if job.finished else 0
        if self.step == BATCH and job.script is not None and last:
            return job.script.end
        if self.runs_on and (self.run is None or self.run.end is None):
            return 0
        if self.run is None or self.run.end is None:
            return last
        done = job.start_time + self.run.end
        return done if done <= (last or self.view.now) else last

    @property
    def runs_on(self) -> bool:
        """Whether it is a step whose processes still end, its job having ended for accounting."""
        return bool(self.step and self.job.ending and not self.job.clears)

    @property
    def elapsed(self) -> int:
        """Seconds that it has run."""
        if self.step == BATCH and self.script is not None and not (self.since or self.until):
            return max(0, self.script.end - self.start - self.suspended)
        if self.since or self.until or self.run is not None or self.runs_on or self.job.resize_time:
            return max(0, (self.end or self.view.now) - self.start) if self.started else 0
        return self.view.used

    @property
    def script(self) -> Ended | None:
        """What was measured of the processes: of the script, of a numbered step, for the job of all together."""
        if self.run is not None:
            return self.run.measured
        if self.step:
            return self.job.script if self.step == BATCH else None
        found = [one for one in (self.job.script, *(step.measured for step in self.job.steps)) if one is not None]
        return Ended(user=sum(one.user for one in found), system=sum(one.system for one in found)) if found else None

    @property
    def largest_node(self) -> str:
        """The node of the task that had the most memory, the first one if there was but one task."""
        return self.run.largest_node if self.run is not None else self.nodes

    @property
    def suspended(self) -> int:
        """Seconds that it stood still between its start and now."""
        if not self.started or not self.job.nodes:
            return 0
        end = self.job.end_time if self.job.finished else self.view.now
        return max(0, end - self.job.start_time - self.view.used)

    @property
    def planned(self) -> int:
        """Seconds that it waited, or has waited, after it could have started."""
        job = self.job
        if not job.eligible_time:
            return 0
        return max(0, (job.start_time if self.started else self.view.now) - job.eligible_time)

    @property
    def begun(self) -> bool:
        """Whether a numbered step had its turn before the job ended."""
        return self.run is not None and self.run.begin <= self.view.used

    # size

    @property
    def nodes(self) -> str:
        """Its nodes; of a step the first ones."""
        if not self.job.nodes:
            return "None assigned"
        return super().nodes if self.step else self.job.nodes

    @property
    def node_count(self) -> int:
        """Nodes that it has, or asks for."""
        if self.run is not None or self.step == BATCH:
            return super().node_count
        return self.view.node_count if self.job.cpus or not self.job.nodes else len(expand(self.job.nodes))

    @property
    def cpus(self) -> int:
        """CPUs that it has or had, 0 if it never got any."""
        if self.run is not None and self.run.nodes:
            return sum(self.run.cpus)
        if self.run is not None:
            return min(self.tasks * self.view.cpus_per_task, sum(self.job.cpus))
        return self.job.cpus[0] if self.step == BATCH and self.job.cpus else sum(self.job.cpus)

    @property
    def requested_memory(self) -> int:
        """MB that it asks for in all."""
        return self.view.requested_amounts["mem"]

    def amounts(self, *, allocated: bool) -> dict[str, int]:
        """Return the resources that it has or asks for, memory in MB."""
        if self.step:
            count = self.node_count
            return {"cpu": self.cpus, "mem": self.megabytes, "node": count}
        if not allocated:
            return shown(self.view.cluster.config, self.view.requested_amounts)
        return shown(self.view.cluster.config, self.view.allocated_amounts) if self.job.nodes else {}

    def tres(self, *, allocated: bool) -> str:
        """Return the resources as a text, sorted by name."""
        amounts = self.amounts(allocated=allocated)
        texts = {name: self.memory(n) if name == "mem" else str(n) for name, n in amounts.items() if n}
        return ",".join(f"{name}={texts[name]}" for name in sorted(texts))

    def memory(self, amount: int) -> str:
        """Return MB in the wanted unit."""
        return sizes.megabytes(amount, self.unit)

    # outcome

    @property
    def outcome(self) -> tuple[str, int, int]:
        """State, exit code and signal."""
        job = self.job
        code, signal = job.exit_code, job.exit_signal
        end = states.JOB[job.state].step
        if not self.step:
            if job.state == states.NODE_FAIL:
                return job.state, 1, 0
            told = code if not end or job.state == states.REQUEUED else 0
            silent = end is not None and job.state != states.OUT_OF_MEMORY  # that signal is the job's, too
            return self.view.state, told, 0 if silent else signal
        if self.step == EXTERN:
            return (states.COMPLETED if job.finished and not self.runs_on else states.RUNNING), 0, 0
        if self.step == BATCH and self.runs_on and job.script is None:
            return states.RUNNING, 0, 0
        if self.step == BATCH and job.state == states.NODE_FAIL:
            return (job.state if self.job.cpus[1:] else states.CANCELLED), 0, 0
        if self.step == BATCH and job.script is not None:
            code, signal = job.script.exit_code, job.script.signal
            killed = job.state if job.state == states.OUT_OF_MEMORY else states.CANCELLED
            return killed if signal else states.FAILED if code else states.COMPLETED, code, signal
        if self.run is not None and self.run.signal and self._ended:
            return states.TIMEOUT if self.run.timed_out else states.CANCELLED, 0, self.run.signal
        if self.run is not None and (self.run.pid or self._ended != job.end_time or not job.finished or end is None):
            code = self.run.exit_code
            return states.RUNNING if not self._ended else states.FAILED if code else states.COMPLETED, code, 0
        if end:
            return end
        if job.state == states.FAILED and signal:
            return states.CANCELLED, code, signal
        return job.state, code, signal

    @property
    def state(self) -> str:
        """The state, with who cancelled a job."""
        state = self.outcome[0]
        if state == states.CANCELLED:
            record = self.job.script if self.step == BATCH else self.run if self.step else self.job
            who = record.requid if record is not None else None
            return f"{state} by {who}" if who is not None else state
        return state

    @property
    def exit(self) -> str:
        """Exit code and signal: ``1:0``; "" of a script whose end its node could not tell."""
        state, code, signal = self.outcome
        if self.step == BATCH and state == states.CANCELLED and self.job.state == states.NODE_FAIL:
            return ""
        return f"{code}:{signal}"

    @property
    def derived(self) -> tuple[int, int]:
        """The highest exit code of the steps that had their turn, and the signal of one that none surpasses.

        One that ``sacctmgr modify job`` set stands where Slurm has it: behind the colon.
        """
        changed = self.job.request.recorded.get("derived-exit-code", "")
        if is_number(changed):
            return 0, int(changed)
        had = [
            (step.exit_code, step.signal if step.pid else 0) for step in self.job.steps if step.begin <= self.view.used
        ]
        return max(had, default=(0, 0))

    @property
    def reason(self) -> str:
        """The reason why it waited when it was submitted; jobs that ran have none."""
        if self.job.nodes or not reasons.row(self.job.reason).accounted:
            return reasons.NONE
        return self.job.reason

    @property
    def flags(self) -> list[str]:
        """What accounting notes: which scheduler started it, and that it heard of the start."""
        if not self.job.nodes:
            return []
        by = SCHEDULERS.get(self.job.scheduler)
        return [by, START_RECEIVED] if by else [START_RECEIVED]

    @property
    def limit(self) -> str | int:
        """Minutes, or a word for a limit that is not a number."""
        limit = self.view.limit
        return "UNLIMITED" if limit == INFINITE else limit


def rows(views: list[View], *, steps: bool, unit: str = "") -> list[AccountingRow]:
    """Return the rows of jobs in the order of their ranks, each followed by its batch step (``steps``)."""
    found: list[AccountingRow] = []
    extern = bool(views) and "contain" in views[0].cluster.config.get("PrologFlags").lower().split(",")
    for view in sorted(views, key=lambda view: view.rank):
        found.append(AccountingRow(view, unit=unit))
        if steps and view.job.has_script and view.job.nodes:
            found.append(AccountingRow(view, BATCH, unit))
        if steps and extern and view.job.nodes:
            found.append(AccountingRow(view, EXTERN, unit))
        if steps and view.job.nodes:
            found += [row for n in range(len(view.job.steps)) if (row := AccountingRow(view, str(n), unit)).begun]
    return found


def accounted(job: Job) -> Job:
    """Return a job as accounting has it, which hears of the end when that begins: none is COMPLETING there.

    Steps run on while their processes end (`AccountingRow.runs_on`).
    """
    if not job.ending:
        return job
    flags = [flag for flag in job.flags if flag != states.COMPLETING]
    return replaced(job, state=states.State(job.ending), flags=flags)


def by_age(jobs: Iterable[Job]) -> list[Job]:
    """Return jobs in the order of accounting's records.

    The last task of an array keeps the array's number, but its record is the youngest of them.
    """
    listed = list(jobs)
    youngest: dict[int, int] = {}
    for job in listed:
        if job.array_job_id:
            youngest[job.array_job_id] = max(youngest.get(job.array_job_id, 0), job.job_id)

    def age(job: Job) -> tuple[int, bool, int]:
        last = job.array_job_id == job.job_id
        return youngest[job.array_job_id] if last else job.job_id, last, job.restarts

    return sorted(listed, key=age)
