"""Documents of a version whose JSON an OpenAPI plugin wrote, made from those of a data parser.

A number is a number or null, a state one word. Keys that only a data parser has stay: readers pass them over.
Source: the specifications in the plugins openapi/v0.0.38 and openapi/dbv0.0.38 of Slurm 22.05.8.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from slimsched.render.json.types import TRIPLE

Record = dict[str, Any]

ONE_WORD = ("job_state", "current", "status")
"""Lists that were written as one word."""


def body(parsed: Mapping[str, Any], *, accounting: bool) -> Record:
    """Return the body of an answer of the controller's, or of the accounting storage's."""
    found = {key: plain(value) for key, value in parsed.items()}
    for key, change in (ACCOUNTED if accounting else OF_CONTROLLER).items():
        for record in found.get(key, ()):
            change(record)
    return found


def plain(value: Any, key: str = "") -> Any:
    """Return a value with plain numbers and states."""
    if isinstance(value, dict):
        if value.keys() == TRIPLE:
            return value["number"] if value["set"] else None
        return {name: plain(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return value[0] if key in ONE_WORD and value else [plain(item) for item in value]
    return value


def _job(record: Record) -> None:
    for key in ("exit_code", "derived_exit_code"):
        record[key] = _wait_status(record[key])
    record["shared"] = (record["shared"] or ["none"])[0]
    record["show_flags"] = ["SHOW_ALL", "SHOW_DETAIL", "SHOW_LOCAL"]
    held = record["job_resources"] or {}
    record["job_resources"] = {
        "nodes": held["nodes"]["list"],
        "allocated_cpus": held["cpus"],
        "allocated_hosts": held["nodes"]["count"],
        "allocated_nodes": [_allocation(node) for node in held["nodes"]["allocation"]],
    } if held else {}  # fmt: skip


def _wait_status(told: Record) -> int:
    """Return an exit code as ``wait`` has it."""
    return (told["return_code"] or 0) << 8 | (told["signal"]["id"] or 0)


def _allocation(node: Record) -> Record:
    return {
        "nodename": node["name"],
        "cpus": node["cpus"]["count"],
        "memory": node["memory"]["allocated"],
        "sockets": {
            str(socket["index"]): {
                "cores": {str(core["index"]): "allocated" for core in socket["cores"] if core["status"] == "ALLOCATED"}
            }
            for socket in node["sockets"]
        },
    }


def _node(node: Record) -> None:
    base, *flags = node["state"]
    node |= {"state": base.lower(), "state_flags": flags}
    node |= {"next_state_after_reboot": "invalid", "next_state_after_reboot_flags": []}
    node |= {key: ",".join(node[key]) for key in ("features", "active_features")}
    for old, new in (("free_mem", "free_memory"), ("alloc_idle_cpus", "idle_cpus"), ("version", "slurmd_version")):
        node[new] = node[old]
    node["tres_weighted"] = float(node["alloc_cpus"])


def _accounted_job(record: Record) -> None:
    for code in (record["exit_code"], record["derived_exit_code"]):
        _number_signal(code)
    asked = record["required"]
    asked["memory"] = asked["memory_per_node"] or asked["memory_per_cpu"] or 0
    for step in record["steps"]:
        _number_signal(step["exit_code"])
        step["state"] = (step["state"] or ["PENDING"])[0]
        owner, _, number = step["step"]["id"].partition(".")
        step["step"] |= {"job_id": int(owner.partition("+")[0]), "id": number}


def _number_signal(code: Record) -> None:
    code["signal"]["signal_id"] = code["signal"]["id"] or 0


OF_CONTROLLER: Mapping[str, Callable[[Record], None]] = {"jobs": _job, "nodes": _node}
ACCOUNTED: Mapping[str, Callable[[Record], None]] = {"jobs": _accounted_job}
"""List -> what its records have of their own."""
