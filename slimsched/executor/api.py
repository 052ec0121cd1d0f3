"""The executor interface: what the controller asks of whatever runs the jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model.record import Value

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Ended, Job
    from slimsched.slurm.states import State


class Outcome(Value, frozen=True):
    """The end of a running job, when and how; instants in seconds since 1970.

    ``script``: how its process ended, where there is one. ``stopped``: when its end was begun, 0 if it ended of itself.
    ``failed``: a prolog or an epilog: the node, why it is to be drained, and whether the job was launched all the same.
    Of a step: ``largest``, the task with the most memory and its node, and ``by``, the user who ended it.
    """

    time: int
    state: State
    exit_code: int = 0
    signal: int = 0
    script: Ended | None = None
    stopped: int = 0
    largest: tuple[int, str] = (0, "")
    by: int | None = None
    failed: tuple[str, str, bool] | None = None


class Executor:
    """Base class of executors.

    What has to happen outside of the state is put off: `write` is called before the commit, `start` after it.
    """

    def __init__(self, cluster: Cluster, place: str = "") -> None:
        """Keep the cluster whose jobs are executed, and the folder of its generation's files ("": none)."""
        self.cluster, self.place = cluster, place

    def prepare(self, job: Job, script: str) -> None:
        """Take in a new job's script when it is submitted."""

    def launch(self, job: Job) -> None:
        """Run a job that was just given its nodes."""

    def outcome(self, job: Job) -> Outcome | None:
        """Return when and how a running job ends of itself; ``None`` if nobody knows."""
        return None

    def own(self, job: Job) -> None:
        """Let an allocation last no longer than this process, once this is committed."""

    def disown(self, job: Job) -> None:
        """Forget an allocation of this process, which has ended."""

    def abandoned(self, job: Job) -> bool:
        """Whether the process that an allocation belongs to has gone."""
        return False

    def open_step(self, job: Job, number: int) -> str:
        """Return the folder of a step of this process, there once this is committed."""
        raise NotImplementedError

    def step_outcome(self, job: Job, number: int) -> Outcome | None:
        """Return how a step has ended; None for one that goes on."""
        return None

    def order_step(self, job: Job, number: int, order: dict[str, object]) -> None:
        """Ask something of a step that runs: to ``stop``, to take a ``signal``, or another time ``limit``."""

    def stop(self, job: Job, state: State) -> bool:
        """Begin to end a job, that is to end in ``state``; whether its processes take time for it."""
        return False

    def signal(self, job: Job, number: int, target: str = "steps") -> None:
        """Send a signal to a running job: to its ``steps``, its ``script`` alone, or ``all`` of it."""

    def suspend(self, job: Job) -> None:
        """Make a running job stand still."""

    def resume(self, job: Job) -> None:
        """Let a suspended job go on."""

    def set_limit(self, job: Job) -> None:
        """Take note of a running job's new time limit."""

    def set_fate(self, job: Job) -> None:
        """Take note of what was decided about the end of a running job."""

    def notify(self, job: Job, text: str) -> None:
        """Put a message into a running job's output."""

    def run_program(self, words: list[str], user_id: int, environment: dict[str, str] | None = None) -> None:
        """Run a program as a user, once this is committed; nobody waits for it. ``environment``: None for our own."""

    # around the commit

    @property
    def behind(self) -> bool:
        """Whether `start` has something to do that an earlier command should have done."""
        return False

    def write(self) -> None:
        """Write what the commit that follows refers to."""

    def start(self) -> None:
        """Do what the last commit decided; the state's lock is free."""
