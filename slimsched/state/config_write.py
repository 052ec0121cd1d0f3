"""Writing ``cluster.toml``: our own layout and comments around values in tomli_w's spelling."""

from __future__ import annotations

from typing import Any

from slimsched.model.config import Config
from slimsched.state import fields

_HEAD = """\
# The cluster that slimsched simulates. Edit it freely: the next command reads it.
"""


def text(config: Config) -> str:
    """Return ``config`` as a commented ``cluster.toml``."""
    parts = [
        _HEAD + _values({"executor": config.executor}),
        "[clock]\n" + _values({"mode": config.clock, "start": config.clock_start}),
        "[simulation]\n" + _values({"runtime": config.runtime}),
        "[slurm]\n" + _values(config.slurm),
    ]
    for name in ("nodes", "partitions", "switches"):
        parts += [f"[[{name}]]\n" + _values(_line(item)) for item in getattr(config, name)]
    return "\n".join(parts)


def _line(item: Any) -> dict[str, Any]:
    known = {key.attribute: key for key in fields.keys(type(item)).values()}
    values = {}
    for field in item.__struct_fields__:
        value = getattr(item, field)
        if field in known and value is not None and value != "":
            values[known[field].name] = value
    if getattr(item, "other", None):
        values["Other"] = dict(item.other)
    return values


def _values(values: dict[str, Any]) -> str:
    import tomli_w

    return tomli_w.dumps(values)
