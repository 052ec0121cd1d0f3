"""The fields of ``sshare``: the tree of associations with shares, usage and fair-share factors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.priority.fairshare import INFINITE, FairShare, Share
from slimsched.render.accounting import Field

if TYPE_CHECKING:
    from collections.abc import Callable


class Line:
    """One association. ``weighed``: the priority plugin knows shares, so that they are normalized."""

    def __init__(self, tree: FairShare, share: Share, *, weighed: bool) -> None:
        self.tree, self.share, self.weighed = tree, share, weighed

    @property
    def record(self) -> dict[str, str]:
        """The association's record, empty if nobody defined it."""
        return self.tree.book.get("assoc", self.share.account, self.share.user) or {}

    @property
    def account(self) -> str:
        """The account, moved to the right by its depth in the tree."""
        return " " * self.share.depth + self.share.account

    @property
    def factor(self) -> str:
        """The factor of a user; accounts have none."""
        if not self.share.user:
            return ""
        return f"{self.share.factor if self.weighed else 0.0:.6f}"

    @property
    def level(self) -> str:
        """Shares over usage, beside the siblings."""
        if self.share.up is None or not self.weighed:
            return ""
        return "inf" if self.share.level == INFINITE else f"{self.share.level:.6f}"


def _fraction(value: Callable[[Line], float]) -> Callable[[Line], str]:
    return lambda line: f"{value(line):.6f}"


def _below_root(text: Callable[[Line], str]) -> Callable[[Line], str]:
    return lambda line: "" if line.share.up is None else text(line)


def _used(line: Line) -> float:
    whole = line.tree.root.usage
    return line.share.usage / whole if whole else 0.0


FIELDS = (
    Field("Account", -20, lambda line: line.account),
    Field("Cluster", 10, lambda line: line.tree.book.cluster_name),
    Field("EffectvUsage", 13, _fraction(lambda line: line.share.effective if line.weighed else 0.0)),
    Field("FairShare", 10, lambda line: line.factor),
    Field("GrpTRESMins", 30, lambda line: line.record.get("GrpTRESMins", "")),
    Field("GrpTRESRaw", 30, lambda line: ""),
    Field("ID", 6, lambda line: line.record.get("ID", "")),
    Field("LevelFS", 10, lambda line: line.level),
    Field("NormShares", 11, lambda line: f"{line.share.norm:.6f}" if line.weighed else ""),
    Field("NormUsage", 11, _fraction(_used)),
    Field("Partition", 12, lambda line: ""),
    Field(
        "RawShares",
        10,
        _below_root(lambda line: "parent" if line.share.inherits else str(line.share.shares)),
        whole=True,
    ),
    Field("RawUsage", 11, lambda line: str(int(line.share.usage)), whole=True),
    Field("TRESRunMins", 30, lambda line: ""),
    Field("User", 10, lambda line: line.share.user),
)
DEFAULT = "account,user,rawshares,normshares,rawusage,effectvusage,fairshare"
LONG = "account,user,rawshares,normshares,rawusage,normusage,effectvusage,fairshare,levelfs,grptresmins,tresrunmins"
