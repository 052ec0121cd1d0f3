"""The choice of ``scancel``: jobs, signal and verbosity, from options and environment."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from slimsched.cli.listing import asked_clusters
from slimsched.errors import SyntaxFault, UserError
from slimsched.slurm.states import job_state
from slimsched.text import signals, source

if TYPE_CHECKING:
    from slimsched.cli.program import Given
    from slimsched.controller.life.cancel import Filter
    from slimsched.slurm.job_ids import JobId

TEXTS = ("account", "name", "nodelist", "partition", "qos", "reservation", "wckey")
VARIABLES = {
    name: f"SCANCEL_{name.upper()}" for name in ("account", "name", "partition", "qos", "state", "user", "wckey")
}
"""Filters that a variable may set."""

LOWERED = ("account", "qos")
"""Filters that are compared in lower case, as Slurm keeps these names."""

SWITCHES = {"TRUE": True, "T": True, "FALSE": False, "F": False}
KILL = 9
LARGEST = 0xFFFF  # number of a signal
VALID_STATES = "Valid job states are PENDING, RUNNING, and SUSPENDED"
TITLES = (
    *(("account", "account"), ("job_name", "name"), ("nodelist", "nodelist"), ("partition", "partition")),
    *(("qos", "qos"), ("reservation", "reservation"), ("state", "state"), ("user_name", "user"), ("wckey", "wckey")),
)
"""The names of filters in messages, and the attributes that hold them."""


def target(text: str) -> JobId:
    """Return what a word means: ``5``, ``5_3``, ``5_[1-3]``, ``5_*``, ``5.0``, ``5+1``."""
    from slimsched.controller.life.selectors import MAX_ID
    from slimsched.slurm import job_ids

    try:
        named = job_ids.read(text)
    except SyntaxFault:
        named = None
    if named is None or not 0 < named.job_id <= MAX_ID or not (named.step or "0").isdecimal():
        notes = (f"jobs of a name: scancel -n {text}",) if text[:1].isalpha() else ()
        raise UserError(f"Invalid job id {text}", notes=notes)
    return named if named.step != "" else named._replace(text=f"{named.job}.0", step="0")


def singles(named: JobId) -> list[JobId]:
    """Return the ids of the tasks that a list in brackets names one by one."""
    if "[" not in named.text:
        return [named]
    from slimsched.text import idset

    tasks = map(str, idset.decode(named.tasks))
    return [named._replace(text=f"{named.job_id}_{task}", tasks=task) for task in tasks]


def switched(given: Given, name: str) -> bool:
    """Whether a switch is on, by its option or by its variable."""
    if given.has(name):
        return True
    return _variable(name) or False


def verbosity(given: Given) -> int:
    """Return how much is said: below 0 for little, above 0 for more."""
    level = int(_variable("verbose") or False)
    for option, _ in given.pairs:
        level = -1 if option.name == "quiet" else level + (option.name == "verbose")
    return level


def asks_controller(given: Given) -> bool:
    """Whether one request asks the controller to find and end the jobs: ``--ctld``, or as ``-M`` has it."""
    asked = given.has("ctld") or "SCANCEL_CTLD" in os.environ or bool(asked_clusters(given))
    return asked and not (given.has("sibling") or switched(given, "interactive"))


def _variable(name: str) -> bool | None:
    text = os.environ.get(f"SCANCEL_{name.upper()}")
    if text is None:
        return None
    found = SWITCHES.get(text.upper())
    if found is None:
        import sys

        sys.stderr.write(f"scancel: error: Unrecognized SCANCEL_{name.upper()} value: {text}\n")
    return found


def chosen(given: Given) -> Filter:
    """Return the filter that options and environment make. Raises `UserError`."""
    from slimsched.controller.life.cancel import Filter

    found = Filter()
    for name in TEXTS:
        value = _value(given, name)
        if value == "":
            found.empty += (name,)
        setattr(found, name, (value.lower() if name in LOWERED else value) if value else "")
    found.state = _state(given)
    user = _user(given)
    if user is None:
        return _with_nodes(found)
    if user.isdigit():
        found.user_id = int(user)
    else:
        found.user = user
    return _with_nodes(found)


def _user(given: Given) -> str | None:
    """Return the name or the number of the user whose jobs are meant, None for all."""
    for option, value in reversed(given.pairs):
        if option.name == "me":
            from slimsched.controller.requests import users

            return users.invoking_id()
        if option.name == "user":
            return value
    return _value(given, "user")


def _with_nodes(found: Filter) -> Filter:
    """Return a filter with the nodes of a file instead of its name."""
    if "/" in found.nodelist:
        found.nodelist = _from_file(found.nodelist)
    return found


def _value(given: Given, name: str) -> str | None:
    value = given.last(name)
    return os.environ.get(VARIABLES[name]) if value is None and name in VARIABLES else value


def _state(given: Given) -> str:
    """Return the state that is asked for, by its name or its two letters."""
    text = _value(given, "state")
    if text is None:
        return ""
    state = job_state(text)
    if state:
        return state
    lead = "Invalid job state specified" if given.has("state") else "Unrecognized SCANCEL_STATE value"
    from slimsched.text import alike

    notes = alike.hint("state", text, ("PENDING", "RUNNING", "SUSPENDED"))
    raise UserError(f"{lead}: {text}\n{VALID_STATES}", level="plain", notes=notes)


def _from_file(path: str) -> str:
    try:
        return ",".join(source.read_text(path, "surrogateescape").split())
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None


def signal_number(text: str | None) -> int:
    """Return the number of ``--signal``, 0 for none. Raises `UserError`."""
    if text is None:
        return 0
    number = signals.number(text)
    if not 0 < number <= LARGEST:
        raise UserError(f"Unknown job signal: {text}", level="plain")
    return number


def named_filters(found: Filter) -> str:
    """Return the filters in force as a message lists them."""
    values = [(title, getattr(found, name)) for title, name in TITLES]
    if found.user_id is not None:
        values = [(title, found.user_id if title == "user_name" else value) for title, value in values]
    empty = {title for title, name in TITLES if name in found.empty}
    return "".join(f"{title}={value} " for title, value in values if value not in ("", None) or title in empty)
