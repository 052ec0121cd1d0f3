"""Readers of option values: text in, the value of a `JobRequest` field out, Slurm's complaint otherwise.

A reader gets the option's long name and its argument (None without one). Where an option has no field of its own
in the table, its reader returns a dict of fields. A wrong value ends the command with 255, except for the plain
counts, where Slurm's number reader ends it with 1 (oracle SURPRISES D29).
The readers of numbers are in `counts`, those of times and sizes in `amounts`, those of words and hosts in `words`.
"""

from __future__ import annotations

from slimsched.errors import UserError
from slimsched.slurm import kinds

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
