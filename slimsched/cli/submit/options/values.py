"""Readers of option values: text in, the value of a `JobRequest` field out, Slurm's complaint otherwise.

A reader gets the option's long name and its argument (None without one). Where an option has no field of its own
in the table, its reader returns a dict of fields. A wrong value ends the command with 255, except for the plain
counts, where Slurm's number reader ends it with 1 (oracle SURPRISES D29).
The readers of numbers, times and sizes are in `numbers`, those of what is checked and recorded in `checked`.
"""

from __future__ import annotations

import os

from slimsched.errors import UserError
from slimsched.slurm import kinds, states
from slimsched.slurm.getopt import UsageFault
from slimsched.text import source

BAD_OPTION = 255


def invalid(name: str, preface: str = "", note: str = "") -> UserError:
    """Return the complaint about a wrong value of option ``name``; ``note`` says what would be right."""
    notes = (note,) if note else ()
    return UserError(f"Invalid --{name} specification", exit_code=BAD_OPTION, preface=preface, notes=notes)


def text(name: str, value: str | None) -> str:
    """Return the argument as it is."""
    return value or ""


def recorded(name: str, value: str | None) -> str:
    """Return what is recorded of an option that changes nothing."""
    return value or ""


def flag(name: str, value: str | None) -> bool:
    """Return True: the option was given."""
    return True


def no(name: str, value: str | None) -> bool:
    """Return False for an option that switches something off."""
    return False


def yes_no(name: str, value: str | None) -> bool:
    """Read yes or no."""
    answer = kinds.yes_no(value or "", whole=True)
    if answer is None:
        raise invalid(name)
    return answer


def requeue(name: str, value: str | None) -> bool:
    """Read the optional ``expedite`` of ``--requeue``."""
    if value not in (None, "expedite"):
        raise invalid(name)
    return True


def no_kill(name: str, value: str | None) -> str:
    """Read ``set`` (also for nothing), ``off`` or ``no``."""
    word = (value or "set").lower()
    if word not in ("set", "off", "no"):
        raise invalid(name)
    return word


class Later:
    """An instant relative to the cluster's clock, which is read only once the state is open."""

    def __init__(self, name: str, value: str) -> None:
        self.name, self.value = name, value

    def resolve(self, now: int) -> int:
        """Return seconds since 1970; raise `UserError` for a wrong text."""
        from slimsched.text import moments

        try:
            return moments.moment(self.value, now)
        except ValueError as fault:
            raise invalid(self.name, str(fault)) from None


# words, file names and hosts

EXCLUSIVE = {"exclusive": "NODE", "oversubscribe": "OK", "user": "USER", "mcs": "MCS", "topo": "TOPO"}


def exclusive(name: str, value: str | None) -> dict[str, object]:
    """Read whom an allocation is closed to; it may also be open to all."""
    kind = EXCLUSIVE.get((value or "exclusive").lower())
    if kind is None:
        raise invalid(name)
    return {"exclusive": "" if kind == "OK" else kind, "oversubscribe": kind == "OK"}


def oversubscribe(name: str, value: str | None) -> dict[str, object]:
    """Read ``-s``, which takes the place of an ``--exclusive`` before it."""
    return {"exclusive": "", "oversubscribe": True}


def open_mode(name: str, value: str | None) -> str:
    """Read append or truncate, of which the first letter counts."""
    found = {"a": "append", "t": "truncate"}.get((value or "")[:1].lower())
    if found is None:
        raise invalid(name)
    return found


def mail_type(name: str, value: str | None) -> str:
    """Read a list of mail events."""
    events = kinds.mail_events(value or "")
    if events is None:
        raise invalid(name)
    return events


def from_file(name: str, value: str | None) -> str:
    """Return the argument, or what the file ``@FILE`` holds."""
    path = value or ""
    if not path.startswith("@"):
        return path
    try:
        return source.read_text(path[1:])
    except (OSError, ValueError) as error:
        raise UserError(f"--{name}: {path[1:]}: {getattr(error, 'strerror', None) or 'no UTF-8 text'}") from None


def user_env(name: str, value: str | None) -> str:
    """Read the mode letter that older versions take; a number alone is refused as today's version refuses it."""
    mode = (value or "").lstrip("0123456789").upper()
    if value is not None and mode not in ("L", "S"):
        raise UsageFault("sbatch", f"option '--{name}' doesn't allow an argument", BAD_OPTION)
    return mode


def path(name: str, value: str | None) -> str:
    """Return a directory's full path."""
    return os.path.abspath(value or "")


def filename(name: str, value: str | None) -> str:
    """Return a file name pattern; ``none`` is /dev/null."""
    return "/dev/null" if (value or "").lower() == "none" else value or ""


def hosts(name: str, value: str | None) -> str:
    """Read a hostlist, or the file that holds one if it has a slash."""
    from slimsched.text import hostlist

    spec = value or ""
    if "/" in spec:
        return hostfile(name, spec)
    try:
        hostlist.expand(spec, dialect="slurm")
    except ValueError:
        raise UserError("Invalid node list specified", level="fatal") from None
    return spec


def hostfile(name: str, value: str | None) -> str:
    """Read the nodes named in a file, one or several a line."""
    try:
        return ",".join(source.read_text(value or "", "replace").replace(",", " ").split())
    except OSError as error:
        raise UserError(f"slurm_allocate_resources error opening file {value}, {error.strerror}") from None


def nodefile(name: str, value: str | None) -> str:
    """Read the file of ``--nodefile``."""
    try:
        return hostfile(name, value)
    except UserError as fault:
        raise UserError(f"{fault.message}\nInvalid --nodefile node file", exit_code=BAD_OPTION) from None


def end_state(name: str, value: str | None) -> str:
    """Read a state that a job can end in, long or by its letters."""
    state = states.job_state(value or "")
    if state not in states.ENDS:
        raise UserError(f"Invalid --{name} specification ({', '.join(sorted(states.ENDS))})", exit_code=BAD_OPTION)
    return str(state)
