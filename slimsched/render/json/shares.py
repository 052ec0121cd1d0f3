"""``sshare --json``: shares, usage and fair-share factors in the shape of Slurm's data parser."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from slimsched.model.request import INFINITE
from slimsched.render.accounts.sshare import ShareRow
from slimsched.render.json.table import Table
from slimsched.render.json.types import number, real, same, text, whole


def _parent(line: ShareRow) -> str:
    above = line.share.up
    return "" if above is None else line.share.account if line.share.user else above.account


def _weighed(value: Callable[[ShareRow], float]) -> Callable[[ShareRow], float | None]:
    """Return the getter of what only a cluster with multifactor priority knows."""
    return lambda line: value(line) if line.weighed else None


def _level(line: ShareRow) -> float:
    level = line.share.level
    return INFINITE if level == float("inf") else level


def _limits(line: ShareRow) -> list[tuple[str, float]]:
    """Return the limits on minutes of resources."""
    pairs = (item.partition("=") for item in line.share.record.get("GrpTRESMins", "").split(",") if item)
    return [(name, float(value or 0)) for name, _, value in pairs]


def _whole_amounts(amounts: list[tuple[str, float]]) -> list[dict[str, Any]]:
    return [{"name": name, "value": number(int(value))} for name, value in amounts]


def _amounts(amounts: list[tuple[str, float]]) -> list[dict[str, Any]]:
    return [{"name": name, "value": float(value)} for name, value in amounts]


SHARE: Table[ShareRow] = Table(
    ("id", int, lambda line: line.share.record.get("ID") or 0),
    ("cluster", text, lambda line: line.tree.book.cluster_name),
    ("name", text, lambda line: line.share.user or line.share.account),
    ("parent", text, _parent),
    ("partition", text, lambda line: line.share.partition),
    ("shares_normalized", real, _weighed(lambda line: line.share.norm)),
    ("shares", number, lambda line: line.share.raw),
    ("tres/run_seconds", _whole_amounts, lambda line: line.spent(line.tree.ledger.pledged)),
    ("tres/group_minutes", _whole_amounts, _limits),
    ("effective_usage", real, _weighed(lambda line: line.share.effective)),
    ("usage_normalized", real, _weighed(lambda line: line.tree.used(line.share))),
    ("usage", whole, lambda line: line.share.usage),
    ("tres/usage", _amounts, lambda line: line.spent(line.tree.ledger.groups)),
    ("fairshare/factor", real, _weighed(lambda line: line.share.factor)),
    ("fairshare/level", real, _weighed(_level)),
    ("type", same, lambda line: ["USER" if line.share.user else "ASSOCIATION"]),
)


def body(lines: Iterable[ShareRow]) -> dict[str, Any]:
    """Return the tree as a list, with the shares of the whole."""
    found = list(lines)
    return {"shares": {"shares": SHARE.every(found), "total_shares": len(found)}}
