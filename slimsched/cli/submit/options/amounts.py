"""Readers of times and sizes. See `values` for what a reader is."""

from __future__ import annotations

from slimsched.cli.submit.options.counts import positive
from slimsched.cli.submit.options.values import Later, invalid
from slimsched.errors import UserError
from slimsched.model.request import INFINITE

MAX_MEMORY = 1 << 62  # MB; what a stored number can hold
MAX_DIGITS = 15
RUN_TIMES = "write seconds, a length of time (10m, 1h30m, 1-00:00:00), or -1 for no end"


def limit(name: str, value: str | None) -> int:
    """Read a time limit, in minutes."""
    from slimsched.text import times

    try:
        return times.time_limit(value or "")
    except ValueError:
        raise invalid(name) from None


def span(name: str, value: str | None) -> int:
    """Read one of Slurm's times, in seconds."""
    from slimsched.text import times

    try:
        return times.span(value or "")
    except ValueError:
        raise invalid(name) from None


def duration(name: str, value: str | None) -> int:
    """Read a length of time, in seconds."""
    from slimsched.text import times

    try:
        return times.duration(value or "")
    except ValueError:
        raise invalid(name) from None


def run_time(name: str, value: str | None) -> int:
    """Read how long a simulated job runs, in seconds.

    A number alone is seconds, as for sleep(1) and in traces, with decimals or -1 for a run without end; anything
    else is a length of time (10m, 1h30m, 1-00:00:00).
    """
    text = value or ""
    if text == "-1":
        return INFINITE
    number, _, decimals = text.partition(".")
    if not all(part.isascii() and part.isdigit() for part in (number, decimals or "0")):
        try:
            return duration(name, text)
        except UserError:
            raise invalid(name, note=RUN_TIMES) from None
    if len(text) > MAX_DIGITS:
        raise invalid(name, note=RUN_TIMES)
    return round(float(text))


def later(name: str, value: str | None) -> Later:
    """Read an instant; its text is checked at once, its value follows from the cluster's clock."""
    instant = Later(name, value or "")
    instant.resolve(1)
    return instant


def memory(name: str, value: str | None) -> int:
    """Read a size in MB, rounded up."""
    from slimsched.text import sizes

    try:
        amount = sizes.memory((value or "").lstrip().removeprefix("+"))
    except ValueError:
        raise invalid(name) from None
    if amount > MAX_MEMORY:
        raise invalid(name)
    return amount


def switches(name: str, value: str | None) -> dict[str, object]:
    """Read ``count[@time]``; an invalid time is ignored."""
    number, at, wait = (value or "").partition("@")
    found: dict[str, object] = {}
    if at:
        found.update(switch_wait(name, wait))
    return {"switches": positive(name, number)} | found


def switch_wait(name: str, value: str | None) -> dict[str, object]:
    """Read how long to wait for the switches."""
    try:
        seconds = span(name, value)
    except UserError:
        return {}
    return {} if seconds == INFINITE else {"wait_for_switches": seconds}
