"""The states of jobs and of nodes: a row for each, with all that commands, JSON, accounting and Wiki make of it.

Records hold a state's name. To add a state, write its row (and a constant if code names it); nothing else lists states.
Source: slurm.h for the codes; the manual pages of squeue, sinfo and sacct for words and letters.
"""

from __future__ import annotations

from typing import NewType

from slimsched.slurm import reasons
from slimsched.slurm.rows import Row

State = NewType("State", str)
"""The name of a state of a job or a node."""

PENDING = State("PENDING")
RUNNING = State("RUNNING")
SUSPENDED = State("SUSPENDED")
COMPLETED = State("COMPLETED")
CANCELLED = State("CANCELLED")
FAILED = State("FAILED")
TIMEOUT = State("TIMEOUT")
NODE_FAIL = State("NODE_FAIL")
PREEMPTED = State("PREEMPTED")
BOOT_FAIL = State("BOOT_FAIL")
DEADLINE = State("DEADLINE")
OUT_OF_MEMORY = State("OUT_OF_MEMORY")
STOPPED = State("STOPPED")
COMPLETING = State("COMPLETING")  # of nodes, too
CONFIGURING = State("CONFIGURING")
RESV_DEL_HOLD = State("RESV_DEL_HOLD")  # held, as its reservation is over
REQUEUED = State("REQUEUED")  # a run that accounting keeps; the job itself is pending again
RESIZING = State("RESIZING")  # a part of a run that accounting keeps; the job goes on with fewer nodes
REVOKED = State("REVOKED")
SPECIAL_EXIT = State("SPECIAL_EXIT")

CANCELLED_STEP = (CANCELLED, 0, 15)
FAILS = "jobs_failed"


class JobState(Row):
    """A state of jobs: a base state, or (``code`` from 256 up) a flag beside one.

    ``letters``: ``squeue``'s. ``ended``: the job is over. ``reason``: the reason that such an end gives the job.
    ``shows_reason``: ``squeue`` shows why, not where. ``counter``: where ``sdiag`` counts the end. ``step``: state,
    exit code and signal of the batch step, None for the script's own. ``wiki``: the word of the Wiki protocol.
    """

    name: State
    letters: str
    code: int
    colour: str = ""
    ended: bool = False
    reason: reasons.Reason = reasons.NONE
    shows_reason: bool = False
    counter: str = FAILS
    step: tuple[State, int, int] | None = None
    wiki: str = "Removed"


JOB_STATES = (
    JobState(PENDING, "PD", 0, "yellow", shows_reason=True, wiki="Idle"),
    JobState(RUNNING, "R", 1, "green", wiki="Running"),
    JobState(SUSPENDED, "S", 2, "magenta", wiki="Suspended"),
    JobState(COMPLETED, "CD", 3, "dim", True, counter="jobs_completed", wiki="Completed"),
    JobState(CANCELLED, "CA", 4, "dim", True, counter="jobs_canceled", step=CANCELLED_STEP),
    JobState(FAILED, "F", 5, "red", True, reasons.EXIT_CODE, True),
    JobState(TIMEOUT, "TO", 6, "red", True, reasons.TIME_LIMIT, True, step=CANCELLED_STEP),
    JobState(NODE_FAIL, "NF", 7, "red", True, reasons.NODE_DOWN, step=(CANCELLED, 0, 0)),
    JobState(PREEMPTED, "PR", 8, "magenta", True, step=CANCELLED_STEP),
    JobState(BOOT_FAIL, "BF", 9, "", True, reasons.BOOT_FAIL),
    JobState(DEADLINE, "DL", 10, "red", True, reasons.DEADLINE, True, step=CANCELLED_STEP),
    JobState(OUT_OF_MEMORY, "OOM", 11, "red", True, reasons.OUT_OF_MEMORY, True, step=(OUT_OF_MEMORY, 0, 125)),
    JobState(COMPLETING, "CG", 1 << 15, "cyan"),
    JobState(CONFIGURING, "CF", 1 << 14, "cyan"),
    JobState(State("EXPEDITING"), "EX", 1 << 24),
    JobState(RESIZING, "RS", 1 << 13, ended=True, step=CANCELLED_STEP),
    JobState(RESV_DEL_HOLD, "RD", 1 << 21),
    JobState(REQUEUED, "RQ", 1 << 10, ended=True, step=CANCELLED_STEP),
    JobState(State("REQUEUE_FED"), "RF", 1 << 20),
    JobState(State("REQUEUE_HOLD"), "RH", 1 << 11),
    JobState(REVOKED, "RV", 1 << 19, ended=True),
    JobState(State("SIGNALING"), "SI", 1 << 22),
    JobState(SPECIAL_EXIT, "SE", 1 << 12),
    JobState(State("STAGE_OUT"), "SO", 1 << 23),
    JobState(STOPPED, "ST", 1 << 16),
)
"""In the order in which Slurm lists them."""

JOB: dict[str, JobState] = {row.name: row for row in JOB_STATES}
ACTIVE = frozenset({RUNNING, SUSPENDED})  # holds nodes
FINISHED = frozenset(row.name for row in JOB_STATES if row.ended)

ENDS = FINISHED - {REQUEUED, RESIZING, REVOKED}  # of jobs; the others are ends of runs that accounting keeps


def accounted(state: State) -> bool:
    """Whether accounting knows a state; most flags beside a state it does not. Source: `_supported_state` of sacct."""
    return state in (PENDING, *ACTIVE, *FINISHED)


def job_state(word: str) -> State | None:
    """Return the state of jobs that a word names, long or by its letters, in any case."""
    upper = word.upper()
    return next((row.name for row in JOB_STATES if upper in (row.name, row.letters)), None)


IDLE = State("IDLE")
DOWN = State("DOWN")
FUTURE = State("FUTURE")
UNKNOWN = State("UNKNOWN")
ALLOCATED = State("ALLOCATED")
MIXED = State("MIXED")
ERROR = State("ERROR")
DRAIN = State("DRAIN")
FAIL = State("FAIL")
PLANNED = State("PLANNED")
RESERVED = State("RESERVED")
MAINT = State("MAINTENANCE")
NO_RESPOND = State("NOT_RESPONDING")
INVALID_REG = State("INVALID_REG")
POWERED_DOWN = State("POWERED_DOWN")
POWERING_UP = State("POWERING_UP")
POWERING_DOWN = State("POWERING_DOWN")
POWER_UP = State("POWER_UP")  # an order that waits
POWER_DOWN = State("POWER_DOWN")  # likewise
CLOUD = State("CLOUD")
DYNAMIC = State("DYNAMIC_NORM")  # made by a command or its own registration


class StateOfNode(Row):
    """A state of nodes: a base state, or (``code`` from 16 up) a flag beside one.

    ``word`` and ``short``: what ``sinfo`` shows. ``also``: further words that ``sinfo --states`` takes. ``blocks``: a
    node with the flag takes no job, and loses the flag when it returns to service. ``here``: a node can be in it.
    ``wiki``: what the Wiki protocol makes of it.
    """

    name: State
    code: int
    word: str
    short: str = ""
    colour: str = ""
    also: tuple[str, ...] = ()
    blocks: bool = False
    here: bool = True
    wiki: str = ""


NODE_STATES = (
    StateOfNode(UNKNOWN, 0, "unknown", "unk"),
    StateOfNode(DOWN, 1, "down", colour="bold red", wiki="Down"),
    StateOfNode(IDLE, 2, "idle", colour="green", wiki="Idle"),
    StateOfNode(ALLOCATED, 3, "allocated", "alloc", "blue"),
    StateOfNode(ERROR, 4, "error", also=("err",)),
    StateOfNode(MIXED, 5, "mixed", "mix", "cyan"),
    StateOfNode(FUTURE, 6, "future", "futr"),
    StateOfNode(State("BLOCKED"), 1 << 28, "blocked", "block", here=False),
    StateOfNode(CLOUD, 1 << 7, "cloud"),
    StateOfNode(COMPLETING, 1 << 10, "completing", "comp"),
    StateOfNode(DRAIN, 1 << 9, "drain", blocks=True, wiki="Draining"),
    StateOfNode(State("DYNAMIC_FUTURE"), 1 << 25, "dynamic_future", here=False),
    StateOfNode(DYNAMIC, 1 << 26, "dynamic_norm"),
    StateOfNode(State("EXTERNAL"), 1 << 8, "external", here=False),
    StateOfNode(INVALID_REG, 1 << 22, "inval", also=("invalid_reg",), blocks=True),
    StateOfNode(FAIL, 1 << 13, "fail", colour="red", blocks=True, wiki="Draining"),
    StateOfNode(MAINT, 1 << 15, "maint", colour="magenta", also=("maintenance",)),
    StateOfNode(POWER_DOWN, 1 << 23, "power_down"),
    StateOfNode(POWER_UP, 1 << 24, "power_up"),
    StateOfNode(State("PERFCTRS"), 1 << 4, "perfctrs", also=("npc",), here=False),
    StateOfNode(POWERED_DOWN, 1 << 12, "powered_down"),
    StateOfNode(State("REBOOT_REQUESTED"), 1 << 16, "reboot_requested", also=("reboot",), here=False),
    StateOfNode(State("REBOOT_ISSUED"), 1 << 20, "reboot_issued", here=False),
    StateOfNode(RESERVED, 1 << 5, "reserved", "resv", "magenta"),
    StateOfNode(NO_RESPOND, 1 << 11, "no_respond", also=("noresp", "not_responding"), blocks=True, wiki="Down"),
    StateOfNode(PLANNED, 1 << 21, "planned", "plnd", "yellow"),
    StateOfNode(POWERING_UP, 1 << 14, "powering_up"),
    StateOfNode(POWERING_DOWN, 1 << 18, "powering_down", blocks=True, wiki="Down"),
)
"""Flags in the order in which ``scontrol show node`` adds them to the base state."""

NODE: dict[str, StateOfNode] = {row.name: row for row in NODE_STATES}
FIRST_FLAG = 1 << 4
BLOCKING = frozenset(row.name for row in NODE_STATES if row.blocks)
SWITCHING = frozenset({POWERED_DOWN, POWERING_UP, POWERING_DOWN, POWER_UP, POWER_DOWN})
"""Flags of nodes that are not simply on."""
CONFIGURED: dict[str, tuple[State, ...]] = {
    **dict.fromkeys(("UNKNOWN", "IDLE", "RESUME"), (IDLE,)),
    "CLOUD": (IDLE, CLOUD, POWERED_DOWN),
    **dict.fromkeys(("DRAIN", "DRAINED", "DRAINING"), (IDLE, DRAIN)),
    **dict.fromkeys(("FAIL", "FAILING"), (IDLE, FAIL)),
    "DOWN": (DOWN,),
    "FUTURE": (FUTURE,),
}
"""Words of ``State=`` in the configuration -> the base state and the flag in which a node begins."""


class NodeWord(Row):
    """The word of ``sinfo`` for a node's base state and flags together."""

    word: str
    short: str
    colour: str


NODE_WORDS = (
    NodeWord("drained", "drain", "red"),
    NodeWord("draining", "drng", "red"),
    NodeWord("failing", "failg", "red"),
)
