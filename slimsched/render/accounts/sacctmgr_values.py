"""The values of accounting records as ``sacctmgr`` prints them."""

from __future__ import annotations

from slimsched.text import sizes, times

SECONDS = frozenset({"GraceTime", "PreemptExemptTime"})
FACTORS = frozenset({"UsageFactor", "UsageThreshold", "LimitFactor"})


def shown(key: str, value: str) -> str:
    """Return a value as it is printed: minutes and seconds as a time, memory with its unit."""
    if not value:
        return ""
    if "Wall" in key:
        return times.elapsed(int(value) * 60, full=True)
    if key in SECONDS:
        return times.elapsed(int(value), full=True)
    if key in FACTORS:
        return f"{float(value):.6f}"
    if "TRES" in key:
        pairs = (item.partition("=") for item in value.split(","))
        return by_name(",".join(f"{n}={sizes.megabytes(int(v)) if n == 'mem' else v}" for n, _, v in pairs))
    return value


def by_name(resources: str) -> str:
    """Return resources in the order of their names, as everything that comes out of a database is printed."""
    return ",".join(sorted(resources.split(",")))


def amount(value: str, resource: str) -> str:
    """Return how much of one resource a value says."""
    pairs = (item.partition("=") for item in value.split(","))
    return next((number for name, _, number in pairs if name == resource), "")
