"""Readers of counts: tasks, nodes, priorities. See `values` for what a reader is."""

from __future__ import annotations

from slimsched.cli.options.values import BAD_OPTION, invalid
from slimsched.errors import UserError

NICE_LIMIT = 2147483645
NO_VAL = 4294967294  # Slurm's "no value"; priorities stay below it
TOP = NO_VAL - 1
MAX_COUNT = 2147483647


def whole(value: str) -> int | None:
    """Return a decimal number, None for anything else."""
    digits = value[1:] if value[:1] in ("-", "+") else value
    return int(value) if digits.isascii() and digits.isdigit() and len(digits) < 20 else None


def positive(name: str, value: str | None) -> int:
    """Read a count of at least one."""
    number = whole(value or "")
    if number is None or not 0 < number <= MAX_COUNT:
        raise UserError(f'Invalid numeric value "{value}" for --{name}.')
    return number


def count(name: str, value: str | None) -> int:
    """Read a count of at least zero."""
    number = whole(value or "")
    if number is None or not 0 <= number <= MAX_COUNT:
        raise UserError(f'Invalid numeric value "{value}" for --{name}.')
    return number


def leading(value: str) -> int:
    """Return the number at the beginning of a text as C's strtol does, 0 if there is none."""
    body = value.lstrip()
    sign = -1 if body[:1] == "-" else 1
    body = body[1:] if body[:1] in ("-", "+") else body
    end = next((i for i, c in enumerate(body) if c not in "0123456789"), len(body))
    return sign * int(body[: min(end, 30)] or 0)


def nice(name: str, value: str | None) -> int:
    """Read a nice value; nothing means 100, text that is no number 0."""
    number = leading(value) if value else 100
    if abs(number) > NICE_LIMIT:
        raise UserError(f"Invalid --nice value, out of range (+/- {NICE_LIMIT})", exit_code=BAD_OPTION)
    return number


def priority(name: str, value: str | None) -> int:
    """Read a priority; TOP is the highest, text that is no number 0."""
    if (value or "").upper() == "TOP":
        return TOP
    number = leading(value or "")
    if number < 0:
        raise UserError("Priority must be >= 0", exit_code=BAD_OPTION)
    if number >= NO_VAL:
        raise UserError(f"Priority must be < {NO_VAL}", exit_code=BAD_OPTION)
    return number


def exit_code(name: str, value: str | None) -> int:
    """Read an exit status, 0 to 255."""
    number = whole(value or "")
    if number is None or not 0 <= number <= 255:
        raise UserError(f"Invalid --{name} specification (0 to 255)", exit_code=BAD_OPTION)
    return number


def _node_count(word: str) -> int | None:
    """Return a node count, which may end in k or m; None for anything else."""
    from slimsched.text import sizes

    try:
        return min(sizes.count(word), MAX_COUNT)
    except ValueError:
        return -1 if word[:1] == "-" and whole(word) is not None else None


def nodes(name: str, value: str | None) -> dict[str, object]:
    """Read a node count: ``2``, ``2-4``, ``2,4`` or ``1-9:2``."""
    spec = value or ""
    if "," in spec or ":" in spec:
        return _node_sizes(spec)
    single = _node_count(spec)
    if single is not None:
        return {
            "min_nodes": None if single < 0 else single,
            "max_nodes": None if single < 0 else single,
            "job_size": "",
        }
    low, _, high = spec.partition("-")
    least, most = _node_count(low), _node_count(high) if high else -1
    if least is None or most is None or least < 0:
        raise _bad_nodes(spec)
    if most < least:
        raise UserError(f"Maximum node count {most} is less than minimum node count {least}", exit_code=BAD_OPTION)
    return {"min_nodes": least, "max_nodes": most, "job_size": ""}


def _node_sizes(spec: str) -> dict[str, object]:
    """Read a list of acceptable node counts, with ranges and steps."""
    from slimsched.text import idset

    sizes: set[int] = set()
    for item in spec.split(","):
        span, _, step = item.partition(":")
        low, dash, high = span.partition("-")
        ends = [_node_count(word) for word in (low, high if dash else low, step or "1")]
        if any(end is None or end < 1 for end in ends) or max(e or 0 for e in ends) > 1_000_000:
            raise _bad_nodes(spec)
        least, most, stride = (end or 1 for end in ends)
        sizes.update(range(least, most + 1, stride))
    if not sizes:
        raise _bad_nodes(spec)
    return {"min_nodes": min(sizes), "max_nodes": max(sizes), "job_size": idset.encode(sorted(sizes))}


def _bad_nodes(spec: str) -> UserError:
    return UserError(f'"{spec}" is not a valid node count', exit_code=BAD_OPTION)


def geometry(name: str, value: str | None) -> dict[str, object]:
    """Read ``sockets[:cores[:threads]]``; ``*`` leaves one open."""
    fields = ("sockets_per_node", "cores_per_socket", "threads_per_core")
    parts = (value or "").split(":")
    if len(parts) > len(fields):
        raise invalid(name)
    return {field: positive(name, part) for field, part in zip(fields, parts, strict=False) if part not in ("", "*")}
