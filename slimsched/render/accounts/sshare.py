"""The fields of ``sshare``: the tree of associations with shares, usage and fair-share factors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model.account import key
from slimsched.model.resources import counted
from slimsched.priority.fairshare import INFINITE, FairShare, Share
from slimsched.render.columns import Field, Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.priority.usage import Amounts


class ShareRow:
    """One association. ``weighed``: the priority plugin knows shares, so that they are normalized."""

    def __init__(self, tree: FairShare, share: Share, *, weighed: bool) -> None:
        self.tree, self.share, self.weighed = tree, share, weighed
        self.indent = 0

    @property
    def account(self) -> str:
        """The account, moved to the right by its depth below what is shown above it."""
        return " " * self.indent + self.share.account

    @property
    def factor(self) -> str:
        """The factor of a user; accounts have none."""
        if not self.share.user:
            return ""
        return f"{self.share.factor if self.weighed else 0.0:.6f}"

    @property
    def used(self) -> str:
        """Usage as a part of the cluster's; the root of a tree that is not fair has none."""
        if self.share.up is None and not self.tree.fair:
            return ""
        return f"{self.tree.used(self.share):.6f}"

    def spent(self, used: dict[str, Amounts]) -> list[tuple[str, float]]:
        """Return what the association used of each resource that accounting counts."""
        share = self.share
        found = used.get(key("assoc", share.account, share.user, share.partition), {})
        return [(name, found.get(name, 0.0)) for name in counted(self.tree.cluster.config)]

    def minutes(self, used: dict[str, Amounts]) -> str:
        """Return the same in minutes."""
        return ",".join(f"{name}={int(amount / 60)}" for name, amount in self.spent(used))

    @property
    def level(self) -> str:
        """Shares over usage, beside the siblings."""
        if self.share.up is None or not self.weighed:
            return ""
        return "inf" if self.share.level == INFINITE else f"{self.share.level:.6f}"


def indented(lines: list[ShareRow]) -> list[ShareRow]:
    """Return the lines, each moved to the right of the account that is shown above it."""
    depths: dict[Share, int] = {}
    for line in lines:
        up = line.share.up
        line.indent = depths[up] + 1 if up in depths else 0
        depths[line.share] = line.indent
    return lines


def _fraction(value: Callable[[ShareRow], float]) -> Callable[[ShareRow], str]:
    return lambda line: f"{value(line):.6f}"


def _below_root(text: Callable[[ShareRow], str]) -> Callable[[ShareRow], str]:
    return lambda line: "" if line.share.up is None else text(line)


FIELDS = (
    Field.named("Account", -20, lambda line: line.account),
    Field.named("Cluster", 10, lambda line: line.tree.book.cluster_name),
    Field.named("EffectvUsage", 13, _fraction(lambda line: line.share.effective if line.weighed else 0.0)),
    Field.named("FairShare", 10, lambda line: line.factor),
    Field.named("GrpTRESMins", 30, lambda line: line.share.record.get("GrpTRESMins", "")),
    Field.named("GrpTRESRaw", 30, lambda line: line.minutes(line.tree.ledger.groups)),
    Field.named("ID", 6, lambda line: line.share.record.get("ID", "")),
    Field.named("LevelFS", 10, lambda line: line.level),
    Field.named("NormShares", 11, lambda line: f"{line.share.norm:.6f}" if line.weighed else ""),
    Field.named("NormUsage", 11, lambda line: line.used),
    Field.named("Partition", 12, lambda line: line.share.partition),
    Field.named(
        "RawShares",
        10,
        _below_root(lambda line: "parent" if line.share.inherits else str(line.share.shares)),
        whole=True,
    ),
    Field.named("RawUsage", 11, lambda line: str(int(line.share.usage)), whole=True),
    Field.named("TRESRunMins", 30, lambda line: line.minutes(line.tree.ledger.pledged)),
    Field.named("User", 10, lambda line: line.share.user),
)
LINES = Table(FIELDS, shortened=True, every="ALL")
DEFAULT = "account,user,rawshares,normshares,rawusage,effectvusage,fairshare"
LONG = "account,user,rawshares,normshares,rawusage,normusage,effectvusage,fairshare,levelfs,grptresmins,tresrunmins"


def usual(*, long: bool, partitions: bool, fair: bool) -> str:
    """Return the format that ``--long`` and ``--partition`` ask for; ``fair``: levels are a fair tree's."""
    names = (LONG if long else DEFAULT).split(",")
    if not fair and long:
        names.remove("levelfs")
    if partitions:
        names.insert(2, "partition")
    return ",".join(names)
