"""The local executor: a started job is a process of this machine, under a supervisor of its own.

A commit says that a job runs; its folder is there by then, and the supervisor is started afterwards, outside of the
lock. So a job that should run is in one of four cases, each certain: it has an end record; a supervisor holds its lock;
its supervisor never began, and whoever finds that out starts it; or its supervisor has died, and the job is lost.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from slimsched.errors import SlurmError, StateError
from slimsched.executor.api import Outcome
from slimsched.executor.local import files, plain_json
from slimsched.executor.local.owners import Owners, ended
from slimsched.slurm import states
from slimsched.slurm.errno import Errno
from slimsched.state import files as state_files
from slimsched.state import layout

if TYPE_CHECKING:
    from slimsched.executor.local.files import Json
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.slurm.states import State

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
SUPERVISE = "import sys; sys.path.append(sys.argv.pop(1)); from slimsched.executor.local.supervisor import main; main()"


class Local(Owners):
    """Jobs that run."""

    def __init__(self, cluster: Cluster, place: str = "") -> None:
        super().__init__(cluster, place)
        self._known: dict[str, Outcome] = {}
        self._begin()

    def _begin(self) -> None:
        """Forget what was put off."""
        self.submitted: dict[int, Json] = {}
        self.launched: dict[str, Job] = {}  # in this session, by their folders, which are not made yet
        self.waiting: list[str] = []  # folders of runs whose supervisor is to be started
        self.forget()

    @property
    def state(self) -> str:
        """The state directory."""
        return os.path.dirname(self.place)

    # the verbs

    def prepare(self, job: Job, script: str) -> None:
        """Take along what the submitting process has. Raises `SlurmError` for another user's job."""
        if os.geteuid() and job.user_id != os.geteuid():
            raise SlurmError(Errno.ACCESS_DENIED, notes=("only root can run jobs as another user",))
        job.run_time = None
        request = job.request
        if request.sim_state or request.sim_exit is not None or request.sim_runtime is not None:
            from slimsched.executor import fates

            job.fate = fates.asked_live(request)
        if request.batch:
            from slimsched.executor.local.submission import gathered

            self.submitted[job.job_id] = gathered(self.cluster.config, job)

    def launch(self, job: Job) -> None:
        """Run the script of a batch job, once this is committed."""
        if job.has_script:
            self.launched[self._folder(job)] = job

    def outcome(self, job: Job) -> Outcome | None:
        """Return how a run has ended, or that it was lost; None for one that goes on."""
        folder = self._folder(job)
        if folder in self.launched or states.CONFIGURING in job.flags:
            return None
        if not job.has_script:
            return self._allocation(job, folder)
        if folder not in self._known and (found := self._look(folder)) is not None:
            self._known[folder] = found
        return self._known.get(folder)

    def _look(self, folder: str) -> Outcome | None:
        record = files.read(folder, "end.json")
        if record is None:
            if folder in self.waiting or files.held(files.path(folder, "lock")):
                return None
            record = files.read(folder, "end.json")  # it may have ended in between
        if record is not None:
            self.over.append(folder)
            return ended(record, self.cluster.now)
        if not os.path.exists(files.path(folder, "started")) and os.path.exists(files.path(folder, "spec.json")):
            self.waiting.append(folder)
            return None
        self.lost.append(folder)
        self.over.append(folder)
        return Outcome(self.cluster.now, states.NODE_FAIL, 1)

    def stop(self, job: Job, state: State) -> bool:
        """Tell the supervisor to end the run; false where there is none."""
        if self.launched.pop(self._folder(job), None) is not None:  # its supervisor is not there yet
            return False
        if not job.has_script:
            return self._revoke(job, state)
        if self.outcome(job) is not None:
            return False
        if not job.ending:
            from slimsched.executor.local.spec import TEXTS

            still = job.state == states.SUSPENDED  # it is killed without a word
            self._order(job, {"do": "kill" if still else "stop", "why": state, "text": TEXTS[state]})
        return True

    def signal(self, job: Job, number: int, target: str = "steps") -> None:
        """Send a signal to the steps, the script, or all of a running job."""
        self._order(job, {"do": "signal", "number": number, "to": target})

    def suspend(self, job: Job) -> None:
        """Stop all processes; their time limit waits."""
        from signal import SIGSTOP

        if job.has_script:
            self._order(job, {"do": "limit", "limit": 0, "warn": None})
            self._order(job, {"do": "fate", "fate": None})
        self._order(job, {"do": "signal", "number": int(SIGSTOP), "to": "all"})

    def resume(self, job: Job) -> None:
        """Let all processes go on, with a new end."""
        from signal import SIGCONT

        self._order(job, {"do": "signal", "number": int(SIGCONT), "to": "all"})
        self.set_limit(job)
        self.set_fate(job)

    def set_fate(self, job: Job) -> None:
        """Tell the supervisor how the run is to end."""
        if job.fate is not None and job.has_script and self._folder(job) not in self.launched:
            from slimsched.executor.local.spec import fate

            self._order(job, {"do": "fate", "fate": fate(job)})

    def set_limit(self, job: Job) -> None:
        """Tell the supervisor of another time limit."""
        from slimsched.executor.local.spec import due

        if job.has_script and self._folder(job) not in self.launched:
            self._order(job, {"do": "limit", **due(self.cluster, job)})

    def notify(self, job: Job, text: str) -> None:
        """Put a message into the job's output, or have ``salloc`` or ``srun`` print it."""
        order: Json = {"do": "notify", "text": text}
        if job.has_script or not job.request.command:
            self.orders.append((self._folder(job), order))
        else:
            self._order(job, order)

    # around the commit

    @property
    def behind(self) -> bool:
        """Whether a run was found whose command died before it could start a supervisor."""
        return bool(self.waiting)

    def write(self) -> None:
        """Keep what was submitted, and make the folders of the runs that begin."""
        for job_id, submission in self.submitted.items():
            path = layout.submission(self.place, job_id)
            state_files.make_folder(os.path.dirname(path))
            text = plain_json.dumps(submission)
            state_files.create(path, text.encode(), entered=False)  # the commit syncs the folder of the scripts
        for folder, job in self.launched.items():
            self._make(folder, job)
        for folder in self.held:
            if state_files.kind(folder):
                state_files.remove_tree(folder)  # of a commit that failed
            files.hold(folder)
        self._clear()

    def _clear(self) -> None:
        """End what a run that was lost has left, and remove folders that no command will look into any more.

        Their commands died behind their commits, or their commits failed.
        """
        for folder in self.lost:
            from slimsched.executor.local import family

            family.kill_run(folder)
        if not self.over:
            return
        runs = os.path.join(self.place, "runs")
        used = {self._folder(job) for job in self.cluster.jobs.values() if _kept(job)}.union(self.over, self.held)
        for name in state_files.names(runs):
            if (folder := os.path.join(runs, name)) not in used and not files.held(files.path(folder, "lock")):
                _remove(folder)

    def _make(self, folder: str, job: Job) -> None:
        from slimsched.executor.local.spec import made, other_user

        number = job.array_job_id or job.job_id
        submission = self.submitted.get(number) or _read(layout.submission(self.place, number))
        script = state_files.read(layout.script(self.place, number)) or b""
        state_files.refuse_links(os.path.dirname(folder))
        if state_files.kind(folder):
            state_files.remove_tree(folder)  # of a commit that failed
        state_files.make_folder(folder, durable=False)  # its supervisor sees to that, at the end
        path = files.path(folder, "slurm_script")
        if user := other_user(job):
            path = files.path(_open_folder(), "slurm_script")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        fd = os.open(path, flags, 0o700)
        try:
            state_files.write_all(fd, script)
            if user:
                os.fchown(fd, user, job.group_id)
        finally:
            os.close(fd)
        os.mkfifo(files.path(folder, "control"), 0o600)
        files.write(folder, "spec.json", made(self.cluster, job, submission, folder, path), durable=False)
        self.waiting.append(folder)

    def start(self) -> None:
        """Start supervisors, pass orders on, clear away what is over."""
        for folder in self.waiting:
            self._supervise(folder)
        self._pass_on()
        for folder in self.over:
            _remove(folder)
        for words, user_id, environment in self.programs:
            from slimsched.executor.local import programs

            programs.run(words, user_id, environment)
        self._begin()

    def _pass_on(self) -> None:
        """Pass orders on. Those to the run that this process is a part of wait for its end, which they would bring."""
        ours = os.path.join(os.environ.get("SLIMSCHED_RUN", "."), "")
        own = [(folder, order) for folder, order in self.orders if os.path.join(folder, "").startswith(ours)]
        for folder, order in self.orders:
            if (folder, order) not in own:
                files.order(folder, order)
        if own and files.left_behind():
            try:
                for folder, order in own:
                    files.order(folder, order)
            finally:
                os._exit(0)

    def _supervise(self, folder: str) -> None:
        """Start a supervisor, unless another command did."""
        for _ in range(files.TRIES):
            if _begun(folder):
                return
            try:
                lock = files.take(files.path(folder, "lock"))
            except FileNotFoundError:
                return
            if lock >= 0:
                break
            time.sleep(files.TRY_AGAIN)  # it is being started, or looked at
        else:
            return
        try:
            if not _begun(folder):
                files.detach([sys.executable, "-I", "-S", "-c", SUPERVISE, ROOT, folder], lock)
        finally:
            os.close(lock)


def _begun(folder: str) -> bool:
    """Whether a run's supervisor has been at work."""
    return any(os.path.exists(files.path(folder, name)) for name in ("started", "end.json"))


def _kept(job: Job) -> bool:
    """Whether the folder of a job's run is needed: it runs, or somebody waits for the allocation."""
    return job.active or (job.pending and not job.request.batch)


def _remove(folder: str) -> None:
    """Remove the folder of a run, and that of its script, unless another command was faster."""
    with suppress(StateError):
        if elsewhere := files.script_folder(files.read(folder, "spec.json") or {}):
            state_files.remove_tree(elsewhere)
        state_files.remove_tree(folder)


def _open_folder() -> str:
    """Return a new folder for the script of another user, who may not enter the state directory.

    It is ours, so that nobody else can put anything into it or in its place.
    """
    import tempfile

    folder = tempfile.mkdtemp(prefix=files.ELSEWHERE)
    os.chmod(folder, 0o711)
    return folder


def _read(path: str) -> Json:
    found: Json = plain_json.loads(state_files.read(path) or b"null")
    if not isinstance(found, dict):
        raise StateError(path, "is missing: the job cannot be started", "cancel the job and submit it again")
    return found
