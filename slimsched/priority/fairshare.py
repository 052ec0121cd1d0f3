"""The fair-share factor: how far users are below what their shares promise them (Fair Tree, or the older formula).

Shares come from the associations (``Fairshare``), usage from what jobs used (`slimsched.priority.usage`), beginning
with the configuration's table: by ``ACCOUNT/USER``, by user (for the default account) or by account (usage of nobody
in particular). On a cluster without associations every user has one share.
Source: Slurm's pages "Fair Tree Fairshare Algorithm" and "Classic Fairshare Algorithm".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model.account import ROOT, Book, Record, key
from slimsched.priority.usage import UsageLedger

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from slimsched.model.cluster import Cluster

INFINITE = float("inf")
PARENT = 0x7FFFFFFF
"""Slurm's number of shares for ``Fairshare=parent``."""


class Share:
    """One association. ``norm``, ``effective``: its part of its siblings' shares and usage; ``factor``: of a user.

    ``usage`` is what was used so far, ``weighed`` the same as of the last calculation, which alone decides.
    """

    __slots__ = (
        "account",
        "below",
        "depth",
        "effective",
        "factor",
        "inherits",
        "norm",
        "partition",
        "record",
        "shares",
        "up",
        "usage",
        "user",
        "weighed",
    )

    def __init__(
        self, account: str, user: str, shares: int, up: Share | None, usage: tuple[float, float] = (0.0, 0.0)
    ) -> None:
        self.account, self.user, self.shares, self.up = account, user, shares, up
        self.usage, self.weighed = usage
        self.inherits = False  # Fairshare=parent: it has the place of its account
        self.partition = ""  # of a user's association for one partition only
        self.record: Record = {}
        self.below: list[Share] = []
        self.depth: int = up.depth + 1 if up is not None else 0
        self.norm = self.effective = self.factor = 0.0
        if up is not None:
            up.below.append(self)

    def order(self) -> tuple[bool, str, str, str]:
        """Return the key by which siblings are listed: users first, then accounts, by name."""
        return not self.user, self.account, self.user, self.partition

    @property
    def raw(self) -> int:
        """The shares as they were given."""
        return PARENT if self.inherits else self.shares

    @property
    def level(self) -> float:
        """Shares over usage among its siblings; infinite for one that has used nothing."""
        if self.inherits and self.up is not None and self.up.up is not None:
            return self.up.level
        if not self.shares:
            return 0.0
        return self.norm / self.effective if self.effective else INFINITE


class FairShare:
    """The tree of a cluster, with a factor for each user."""

    def __init__(self, cluster: Cluster, before: FairShare | None = None) -> None:
        """Build the tree from the present records; later changes do not reach it. ``before``: an earlier tree."""
        self.cluster, self.book = cluster, Book(cluster)
        self.ledger: UsageLedger = UsageLedger(cluster, before.ledger if before is not None else None)
        self.root = Share(ROOT, "", 1, None, self._usage(ROOT))
        self.users: dict[tuple[str, str, str], Share] = {}
        self._factors: dict[tuple[str, str, str], float] = {}  # as they were asked for
        if self.book.defined:
            self._from_associations()
        else:
            self._flat()
        _sum(self.root)
        self.fair = "NO_FAIR_TREE" not in cluster.config.get("PriorityFlags").upper()
        if self.fair:
            self._rank()
        else:
            self._classic()

    def share(self, account: str, user: str, partition: str = "") -> Share | None:
        """Return a user's share in an account ("" for the default one); a share for the partition comes first."""
        account = account or self.book.default_account(user) or (ROOT if not self.book.defined else "")
        found = self.users.get((account, user, partition)) or self.users.get((account, user, ""))
        return found or (None if self.book.defined else self.users.get((ROOT, user, "")))

    def factor(self, account: str, user: str, partition: str = "") -> float:
        """Return a user's factor in an account ("" for the default one), between 0 and 1."""
        place = account, user, partition
        found = self._factors.get(place)
        if found is None:
            share = self.share(*place)
            found = share.factor if share is not None else float(not self.book.defined)  # 1: one who has used nothing
            self._factors[place] = found
        return found

    def used(self, share: Share) -> float:
        """Return an association's part of all usage."""
        return share.weighed / self.root.weighed if self.root.weighed else 0.0

    def rows(self) -> Iterator[Share]:
        """Yield the tree from the root on: each account, its users, then the accounts below it."""
        waiting = [self.root]
        while waiting:
            share = waiting.pop()
            yield share
            waiting += sorted(share.below, key=Share.order, reverse=True)

    # building

    def _usage(self, account: str, user: str = "", partition: str = "") -> tuple[float, float]:
        """Return what an association has used, and what of it was there at the last calculation."""
        begun = self.ledger.start_value(self._table(account, user)) if not partition else 0.0
        place = key("assoc", account, user, partition)
        used, weighed = self.ledger.billing(place)
        return begun + used, begun + weighed

    def _table(self, account: str, user: str) -> float:
        """Return the usage that the configuration gives."""
        table = self.cluster.config.usage
        if not user:
            return table.get(account, 0.0) if key("user", account) not in self.book.records else 0.0
        if f"{account}/{user}" in table:
            return table[f"{account}/{user}"]
        usual = self.book.default_account(user)
        return table.get(user, 0.0) if not usual or usual == account else 0.0

    def _from_associations(self) -> None:
        accounts = {ROOT: self.root}
        for account, user, partition, record in self.book.associations():
            shares = int(text) if (text := record.get("Fairshare", "1")).isdigit() else 1
            if user:
                share = Share(account, user, shares, accounts[account], self._usage(account, user, partition))
                share.inherits, share.partition, share.record = text == "parent", partition, record
                self.users[account, user, partition] = share
            elif account != ROOT:
                up = accounts[self.book.parent(account)]
                accounts[account] = Share(account, "", shares, up, self._usage(account))
                accounts[account].record = record
            else:
                self.root.record = record

    def _flat(self) -> None:
        """Give every known user one share."""
        users = {name.rpartition("/")[2] for name in self.cluster.config.usage}
        users |= {place.split(" ")[2] for place in self.cluster.usage if place.startswith("assoc ")}
        users |= {job.user_name for job in self.cluster.jobs.values()}
        for user in sorted(users or {ROOT}):
            share = self.users[ROOT, user, ""] = Share(ROOT, user, 1, self.root, self._usage(ROOT, user))
            share.record = self.book.get("assoc", ROOT, user) or {}
        self.root.record = self.book.get("assoc", ROOT) or {}

    # the factors

    def _rank(self) -> None:
        """Rank the users in the tree, best first, and turn ranks into factors.

        Equal users share a rank. Equal accounts are one. A user who equals an account has the rank of its best user.
        """
        total = left = rank = len(self.users)
        waiting = [(list(self.root.below), False)]
        while waiting:
            listed, equal = waiting.pop()
            tied = _best(listed)
            if listed:
                waiting.append((listed, False))
            users = [share for share in tied if share.user]
            rank = rank if equal or not users else left
            for share in users:
                share.factor = rank / total
            left -= len(users)
            merged = [below for share in tied for below in share.below]
            if merged:
                waiting.append((merged, equal or bool(users)))

    def _classic(self) -> None:
        """Set each factor to 2 ** -(usage / shares), both as parts of the whole cluster."""
        damp = max(1, self.cluster.config.number("FairShareDampeningFactor"))
        whole = self.root.weighed or 1.0
        self.root.norm = 1.0
        below: list[tuple[Share, float, float]] = [(share, 1.0, 1.0) for share in self.root.below]
        while below:
            share, shares_above, used_above = below.pop()
            part, siblings = share.weighed / whole, sum(each.shares for each in share.up.below) if share.up else 1
            used = part + (used_above - part) * share.shares / siblings if share.up is not self.root else part
            norm = shares_above * share.norm
            share.norm, share.effective = norm, used
            share.factor = 2.0 ** (-used / norm / damp) if norm else 0.0
            below += [(each, norm, used) for each in share.below]


def _sum(root: Share) -> None:
    """Add up the usage from the leaves, then set each one's part of its siblings' shares and usage."""
    order = [root]
    for share in order:
        order += share.below
    for share in reversed(order):
        share.usage += sum(below.usage for below in share.below)
        share.weighed += sum(below.weighed for below in share.below)
    root.effective = 1.0 if root.weighed else 0.0
    for share in order:
        shares = sum(below.shares for below in share.below)
        for below in share.below:
            below.norm = below.shares / shares if shares else 0.0
            below.effective = below.weighed / share.weighed if share.weighed else 0.0


def _best(listed: list[Share]) -> list[Share]:
    """Take the shares with the highest level from a list."""
    top = max((share.level for share in listed), default=0.0)
    tied = [share for share in listed if share.level == top]
    listed[:] = [share for share in listed if share.level != top]
    return tied


def highest(records: Iterable[dict[str, str]], name: str) -> int:
    """Return the highest number under a name of some records, 0 if there is none."""
    return max((int(record[name]) for record in records if record.get(name, "").isdigit()), default=0)
