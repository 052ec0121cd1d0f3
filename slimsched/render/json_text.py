"""JSON and YAML documents in the layout of Slurm's data parser, around lists of plain values."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from slimsched import SLURM_VERSION

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster

PARSER = "data_parser/v0.0.46"
_CONTROLS = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), 0x2028, 0x2029)}


def number(value: float | None, infinite: bool = False) -> dict[str, Any]:
    """Return a number as the data parser writes it: whether it is set, whether it is without end, and itself."""
    known = value is not None and not infinite
    return {"set": known, "infinite": infinite, "number": value if known else 0}


def exit_code(code: int, signal: int = 0) -> dict[str, Any]:
    """Return an exit code with its signal."""
    word = "SIGNALED" if signal else "ERROR" if code else "SUCCESS"
    return {
        "status": [word],
        "return_code": number(code),
        "signal": {"id": number(signal or None), "name": str(signal or "")},
    }


def document(body: dict[str, Any], cluster: Cluster, command: list[str], user: str, kind: str) -> str:
    """Return ``body`` with what every answer ends in, as ``json`` or ``yaml``."""
    major, minor, rest = SLURM_VERSION.split(".", 2)
    version = {"major": major, "micro": rest.partition("-")[0], "minor": minor}
    meta = {
        "plugin": {"type": "", "name": "", "data_parser": PARSER, "accounting_storage": ""},
        "client": {"source": "", "user": user, "group": user},
        "command": command,
        "slurm": {"version": version, "release": SLURM_VERSION, "cluster": cluster.config.get("ClusterName")},
    }
    whole = {**body, "meta": meta, "errors": [], "warnings": []}
    return as_json(whole) if kind == "json" else "\n".join(["%YAML 1.1", "---", *as_yaml(whole), "..."])


def as_json(value: Any, indent: str = "") -> str:
    """Return a value as JSON, two blanks a level, slashes escaped, an empty list over two lines."""
    inner = indent + "  "
    if isinstance(value, dict):
        items = [f"{inner}{json.dumps(key)}: {as_json(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(items) + f"\n{indent}}}"
    if isinstance(value, list):
        listed = ",\n".join(inner + as_json(item, inner) for item in value)
        return f"[\n{listed}\n{indent}]" if value else f"[\n{indent}]"
    return _scalar(value).replace("/", "\\/")


def _scalar(value: Any) -> str:
    """Return a plain value; the control characters that JSON allows and YAML does not are escaped for both."""
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isascii() and "\x7f" not in text else text.translate(_CONTROLS)


def as_yaml(value: Any, indent: str = "") -> list[str]:
    """Return the lines of a list or a mapping as YAML."""
    lines: list[str] = []
    if isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, (dict, list)) and item:
                lines += [f"{indent}{key}:", *as_yaml(item, indent + "  " * isinstance(item, dict))]
            else:
                lines.append(f"{indent}{key}: {_scalar(item)}")
        return lines
    for item in value:
        if isinstance(item, (dict, list)) and item:
            first, *rest = as_yaml(item, indent + "  ")
            lines += [f"{indent}- {first.lstrip()}", *rest]
        else:
            lines.append(f"{indent}- {_scalar(item)}")
    return lines
