"""``wiki.conf``: the key and the few settings of the Wiki interface, one ``Name=value`` a line."""

from __future__ import annotations

from slimsched.errors import UserError
from slimsched.sched.wiki.checksum import key_of
from slimsched.sched.wiki.message import Settings

PORT = 7321
KEYS = ("AuthKey", "HostFormat", "Version")
"""The keys that are used; those of schedulers that we do not call back are passed over."""


def read(text: str, *, version: int = 1, user: str = "slurm") -> Settings:
    """Return the settings; ``version`` is what ``SchedulerType`` says. Raises `UserError` for a wrong value."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, equals, value = line.partition("#")[0].strip().partition("=")
        if equals:
            found[name.strip().lower()] = value.strip()
    version = _one_of(found, "version", (1, 2), version)
    host_format = _one_of(found, "hostformat", (0, 1, 2), 0)
    key = found.get("authkey", "")
    return Settings(version, key_of(key) if key else None, user, host_format)


def _one_of(found: dict[str, str], name: str, allowed: tuple[int, ...], default: int) -> int:
    text = found.get(name, str(default))
    if text not in map(str, allowed):
        raise UserError(f"wiki.conf: {name}={text} should be one of {', '.join(map(str, allowed))}")
    return int(text)
