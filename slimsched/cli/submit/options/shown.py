"""The options that ``-v`` lists, in Slurm's order, with their values as Slurm writes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from slimsched.cli.submit.options.signals import signal_text
from slimsched.cli.submit.options.values import Later
from slimsched.slurm.getopt import NONE
from slimsched.text import times

if TYPE_CHECKING:
    from slimsched.cli.submit.options.request import Draft, Reading

PLACES = {
    "bb": "bell bb",
    "bbf": "bell bbf",
    "cluster-constraint": "c",
    "contiguous": "cons",
    "jobid": "job",
    "no-requeue": "no-shell requeue",
    "threads": "max-threads",
}
"""Options that Slurm does not list by their own names."""

FIXED = {
    "bell": "bell-always",
    "no-bell": "bell-never",
    "requeue": "requeue",
    "no-requeue": "no-requeue",
    "oversubscribe": "oversubscribe",
}


def described(made: Draft, now: int) -> list[tuple[str, str]]:
    """Return name and value of every option that is set; ``now`` is what times are relative to."""
    rows = []
    for name in sorted(made.last, key=lambda name: PLACES.get(name, name)):
        reading = made.last[name]
        rows.append((name, str(made.count(name)) if name == "verbose" else _value(made, name, reading, now)))
    return rows


def _value(made: Draft, name: str, reading: Reading, now: int) -> str:
    value = reading.value
    if name in FIXED:
        return FIXED[name]
    if name == "nodes":
        return _nodes(made.fields)
    if name in _WRITERS:
        return _WRITERS[name](value)
    if isinstance(value, Later):
        return times.instant(value.resolve(now))
    if name == "mail-type":
        return str(made.fields["mail_type"] or "NONE")
    if reading.option.kind == NONE:
        return "set"
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else reading.text or ""


def _megabytes(amount: int) -> str:
    """Return memory in the largest unit in which it is whole; megabytes go without, nothing at all has none."""
    for unit in ("", "G", "T", "P"):
        if amount % 1024:
            return f"{amount}{unit}"
        amount //= 1024
    return f"{amount}?"


def _nodes(fields: dict[str, Any]) -> str:
    low, high = fields["min_nodes"], fields["max_nodes"] or 0
    return str(low) if low == high else f"{low}-{high}"


def _exclusive(fields: dict[str, Any]) -> str:
    kind = str(fields["exclusive"]).lower()
    return {"": "oversubscribe", "node": "exclusive"}.get(kind, kind)


def _geometry(fields: dict[str, Any]) -> str:
    return ":".join(str(number) for number in fields.values()) or "unset"


def _switches(fields: dict[str, Any]) -> str:
    wait = fields.get("wait_for_switches")
    return str(fields["switches"]) + ("" if wait is None else f"@{times.elapsed(wait, full=True)}")


def _gres(text: str) -> str:
    return ",".join(item if item == "none" or "/" in item else f"gres/{item}" for item in text.split(","))


def _priority(number: int) -> str:
    """Return a priority as a signed number of 32 bits, so that TOP is -3."""
    return str(number - (1 << 32) if number >= 1 << 31 else number)


def _time(minutes: int) -> str:
    return times.limit(minutes, full=True)


_WRITERS: dict[str, Callable[[Any], str]] = {
    "mem": _megabytes,
    "mem-per-cpu": _megabytes,
    "mem-per-gpu": _megabytes,
    "tmp": _megabytes,
    "exclusive": _exclusive,
    "extra-node-info": _geometry,
    "switches": _switches,
    "gres": _gres,
    "priority": _priority,
    "time": _time,
    "time-min": _time,
    "delay-boot": lambda text: times.elapsed(times.span(text), full=True),
    "open-mode": lambda word: str(word)[:1],
    "signal": signal_text,
    "distribution": str,
    "profile": str,
    "chdir": str,
    "kill-command": str,
    "gres-flags": str,
    "output": str,
    "error": str,
    "input": str,
    "kill-on-invalid-dep": lambda yes: "yes" if yes else "no",
    "no-kill": lambda word: "set" if word == "set" else "unset",
    "propagate": lambda text: text or "ALL",
}
