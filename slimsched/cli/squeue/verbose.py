"""The lines of ``squeue -v`` before a list: the options as it understood them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from slimsched.cli.job_ids import named_jobs
from slimsched.cli.listing import RULE, first_set
from slimsched.cli.squeue.choice import FORMATS, formats, starts, user_list
from slimsched.cli.squeue.choice import LISTS as COMPARED

if TYPE_CHECKING:
    from slimsched.cli.program import Given
    from slimsched.model.cluster import Cluster
    from slimsched.render.jobs.job_list import JobChoice

UNSET = "(null)"
VARIABLES = {"partition": "SQUEUE_PARTITION", "states": "SQUEUE_STATES", "sort": "SQUEUE_SORT", "reservation": ""}
VARIABLES |= {option: variable for option, (variable, _, _) in COMPARED.items()}
"""Option -> its variable."""


class Understood:
    """A command line with what the environment and the defaults add to it."""

    def __init__(self, given: Given, args: list[str], cluster: Cluster, choice: JobChoice) -> None:
        self.given, self.cluster, self.choice = given, cluster, choice
        self.texts: dict[str, str | None] = dict(named_jobs(given, args)[0])
        self.texts |= {option: first_set(given, option, variable) for option, variable in VARIABLES.items()}
        self.texts["user"] = user_list(given, cluster)
        short, _ = formats(given)
        usual = short in (FORMATS[""], FORMATS["long"])  # made later, when it is needed
        self.texts["format"] = None if usual else short
        if starts(given):
            self.texts["sort"] = self.texts["sort"] or "S"
            self.texts["states"] = self.texts["states"] or "PD"

    def words(self, option: str) -> list[str]:
        """Return the items of a list."""
        return [word for word in (self.texts.get(option) or "").split(",") if word]


Shown = Callable[[Understood], object]


def _switch(option: str) -> Shown:
    variable = f"SQUEUE_{option.upper()}"
    return lambda seen: "true" if seen.given.has(option) or variable in os.environ else "false"


def _text(option: str) -> Shown:
    def value(seen: Understood) -> str:
        text = seen.texts.get(option)
        return UNSET if text is None else text

    return value


def _flag(option: str) -> Shown:
    return lambda seen: int(seen.given.has(option))


def _all(seen: Understood) -> str:
    """Whether hidden partitions are listed too."""
    return "true" if seen.texts["partition"] is not None else str(_switch("all")(seen))


def _job_flag(seen: Understood) -> int:
    """Whether single jobs are listed; beside ``--steps`` they only choose among the steps."""
    return int(seen.given.has("job") and not (seen.given.has("step") and "job" in seen.texts))


LINES: tuple[tuple[str, Shown], ...] = (
    ("all        ", _all),
    ("array      ", _switch("array")),
    ("federation ", _switch("federation")),
    ("format     ", _text("format")),
    ("iterate    ", lambda seen: seen.given.last("iterate") or 0),
    ("job_flag   ", _job_flag),
    ("jobs       ", _text("job")),
    ("licenses   ", _text("licenses")),
    ("local      ", _switch("local")),
    ("names      ", _text("name")),
    ("nodes      ", lambda seen: seen.cluster.hostlist_of(seen.choice.nodes) if seen.choice.nodes else ""),
    ("only_job_state", _switch("only-job-state")),
    ("partitions ", _text("partition")),
    ("priority   ", _switch("priority")),
    ("reservation", _text("reservation")),
    ("sibling     ", _switch("sibling")),
    ("sort       ", _text("sort")),
    ("start_flag ", _flag("start")),
    ("states     ", _text("states")),
    ("step_flag  ", _flag("step")),
    ("steps      ", _text("step")),
    ("users      ", _text("user")),
    ("verbose    ", lambda seen: seen.given.count("verbose")),
)
"""Lines: the name, and the function that reads its value."""


def _key(job: int, task: int | None) -> str:
    return f"{job}" if task is None else f"{job}_{task}"


LISTS: dict[str, Callable[[Understood], Iterable[str]]] = {
    "job_list": lambda seen: (_key(*key) for key in seen.choice.ids or ()),
    "licenses_list": lambda seen: seen.words("licenses"),
    "part_list": lambda seen: seen.words("partition"),
    "state_list": lambda seen: sorted(seen.choice.states or ()) if seen.texts["states"] else (),
    "step_list": lambda seen: (f"{_key(job, task)}.{step}" for job, task, step in seen.choice.steps or ()),
}
"""Lists that ``-vv`` prints word by word."""


def lines(given: Given, args: list[str], cluster: Cluster, choice: JobChoice) -> list[str]:
    """Return the lines; the date and the count of records come after them."""
    seen = Understood(given, args, cluster, choice)
    found = [f"{name} = {value(seen)}" for name, value in LINES]
    if given.count("verbose") > 1:
        found += [f"{name}[{i}] = {item}" for name, items in LISTS.items() for i, item in enumerate(items(seen))]
    return [RULE, *found, RULE, "", ""]
