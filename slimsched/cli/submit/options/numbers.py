"""Readers of counts, times and sizes. See `values` for what a reader is."""

from __future__ import annotations

from collections.abc import Callable

from slimsched.cli.submit.options.values import BAD_OPTION, Later, invalid
from slimsched.errors import SyntaxFault, UserError
from slimsched.model.request import INFINITE
from slimsched.slurm import numbers
from slimsched.text.sizes import strtol

TOP = numbers.NO_VAL - 1
MAX_MEMORY = 1 << 62  # MB; what a stored number can hold
MAX_DIGITS = 15
RUN_TIMES = "write seconds, a length of time (10m, 1h30m, 1-00:00:00), or -1 for no end"


def leading(value: str) -> int:
    """Return the number at the beginning of a text, 0 if there is none."""
    return strtol(value)[0]


def integer(what: str, value: str, least: int) -> int:
    """Read a whole number that is called ``what`` in complaints."""
    try:
        return numbers.count(value, what, least)
    except SyntaxFault as fault:
        raise UserError(fault.message) from None


def positive(name: str, value: str | None) -> int:
    """Read a count of at least one."""
    return integer(f"--{name}", value or "", 1)


def count(name: str, value: str | None) -> int:
    """Read a count of at least zero."""
    return integer(f"--{name}", value or "", 0)


def immediate(name: str, value: str | None) -> int:
    """Read how many seconds an allocation may take; nothing means at once."""
    return 1 if value is None else integer("immediate", value, 0)


def reserved_ports(name: str, value: str | None) -> int:
    """Read an optional number of ports."""
    return 0 if value is None else integer("--resv-port", value, 0)


def switched(name: str, value: str | None) -> int:
    """Read an optional number that switches something on; nothing means 1."""
    return 1 if value is None else count(name, value)


def zero_or_one(name: str, value: str | None) -> int:
    """Read 0 or 1."""
    number = count(name, value)
    if number > 1:
        raise invalid(name)
    return number


def short_count(name: str, value: str | None) -> int:
    """Read a number of 16 bits."""
    number = numbers.whole(value or "", numbers.NO_VAL16)
    if number is None:
        raise invalid(name)
    return number


def fan_out(name: str, value: str | None) -> int:
    """Read a number of 16 bits, or ``off``."""
    text = value or ""
    number = numbers.NO_VAL16 - 1 if text.lower() == "off" else numbers.whole(text, numbers.NO_VAL16)
    if number is None:
        raise UserError(f"Invalid --{name} value: {text}", exit_code=BAD_OPTION)
    return number


def nice(name: str, value: str | None) -> int:
    """Read a nice value; nothing means 100, and text that is not a number means 0."""
    number = numbers.nice(value) if value else 100
    if number is None:
        raise UserError(f"Invalid --nice value, out of range (+/- {numbers.MAX_NICE})", exit_code=BAD_OPTION)
    return number


def priority(name: str, value: str | None) -> int:
    """Read a priority; TOP is the highest, and text that is not a number means 0."""
    if (value or "").upper() == "TOP":
        return TOP
    number = leading(value or "")
    if number < 0:
        raise UserError("Priority must be >= 0", exit_code=BAD_OPTION)
    if number >= numbers.NO_VAL:
        raise UserError(f"Priority must be < {numbers.NO_VAL}", exit_code=BAD_OPTION)
    return number


def exit_code(name: str, value: str | None) -> int:
    """Read an exit status, 0 to 255."""
    number = numbers.whole(value or "", 256)
    if not value or number is None:
        raise UserError(f"Invalid --{name} specification (0 to 255)", exit_code=BAD_OPTION)
    return number


def nodes(name: str, value: str | None) -> dict[str, object]:
    """Read a node count: ``2``, ``2-4``, ``-4`` for 1-4, ``2-0`` for 2 or more, ``2,4`` or ``1-9:2``."""
    spec = value or ""
    if "," in spec or ":" in spec:
        return _node_sizes(spec)
    try:
        least, most = numbers.node_range(spec)
    except SyntaxFault as fault:
        raise UserError(fault.message, exit_code=BAD_OPTION) from None
    return {"min_nodes": least, "max_nodes": most, "job_size": ""}


def _node_sizes(spec: str) -> dict[str, object]:
    """Read a list of acceptable node counts, with ranges and steps."""
    from slimsched.text import idset

    sizes: set[int] = set()
    for item in spec.split(","):
        span, _, step = item.partition(":")
        low, dash, high = span.partition("-")
        ends = [_list_count(word, spec) for word in (low, high if dash else low, step or "1")]
        if min(ends) < 1 or max(ends) > 1_000_000:
            raise _bad_nodes(spec)
        least, most, stride = ends
        sizes.update(range(least, most + 1, stride))
    if not sizes:
        raise _bad_nodes(spec)
    return {"min_nodes": min(sizes), "max_nodes": max(sizes), "job_size": idset.encode(sorted(sizes))}


def _list_count(word: str, spec: str) -> int:
    """Return a node count of a list; the list as a whole is named if it is none."""
    try:
        return numbers.node_count(word)
    except SyntaxFault:
        raise _bad_nodes(spec) from None


def _bad_nodes(spec: str) -> UserError:
    return UserError(numbers.bad_nodes(spec).message, exit_code=BAD_OPTION)


ORDINALS = ("first", "second", "third")


def geometry(name: str, value: str | None) -> dict[str, object]:
    """Read ``sockets[:cores[:threads]]``, each a count or ``least-most``; ``*`` or nothing leaves one open."""
    fields = ("sockets_per_node", "cores_per_socket", "threads_per_core")
    parts = (value or "").split(":")  # more than three are not looked at
    found: dict[str, object] = {}
    for field, ordinal, part in zip(fields, ORDINALS, parts, strict=False):
        if part[:1] not in ("", "*"):
            found[field] = _least(part, f"{ordinal} arg of -B")
    return found


def _least(part: str, what: str) -> int:
    """Return the lower end of ``4``, ``2-4``, ``1k``."""
    try:
        return numbers.count_range(part, what)[0]
    except SyntaxFault as fault:
        raise UserError(fault.message) from None


# times and sizes


def _time(kind: str) -> Callable[[str, str | None], int]:
    """Return the reader of one kind of times (of `text.times`)."""

    def read(name: str, value: str | None) -> int:
        from slimsched.text import times

        try:
            number: int = getattr(times, kind)(value or "")
        except ValueError:
            raise invalid(name) from None
        return number

    return read


limit = _time("time_limit")  # minutes
span = _time("span")  # seconds, as Slurm reads them
duration = _time("duration")  # seconds


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
