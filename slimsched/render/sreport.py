"""The tables of ``sreport``: how the cluster was used in a period, by what accounting knows of its jobs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from slimsched.model.account import Book
from slimsched.render.accounting import Field, Style
from slimsched.text.times import instant

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job

RULE = "-" * 80
HOUR = 3600


class Use(NamedTuple):
    """CPU minutes of a user on an account; of nobody: of the account, or of the cluster."""

    cluster: str
    account: str
    user: str
    minutes: int


class Whole(NamedTuple):
    """CPU minutes of the whole cluster."""

    cluster: str
    allocated: int
    reported: int


UTILIZATION = (
    Field("Cluster", 9, lambda row: row.cluster),
    Field("Allocated", 12, lambda row: str(row.allocated), whole=True),
    Field("Down", 12, lambda _: "0"),
    Field("PLND Down", 12, lambda _: "0"),
    Field("Idle", 12, lambda row: str(row.reported - row.allocated), whole=True),
    Field("Planned", 12, lambda _: "0"),
    Field("Reported", 13, lambda row: str(row.reported), whole=True),
)
BY_ACCOUNT = (
    Field("Cluster", 9, lambda row: row.cluster),
    Field("Account", 15, lambda row: row.account),
    Field("Login", 9, lambda row: row.user),
    Field("Proper Name", 15, lambda row: row.user),
    Field("Used", 10, lambda row: str(row.minutes), whole=True),
    Field("Energy", 8, lambda _: "0"),
)
TOP = (
    Field("Cluster", 9, lambda row: row.cluster),
    Field("Login", 9, lambda row: row.user),
    Field("Proper Name", 15, lambda row: row.user),
    Field("Account", 15, lambda row: row.account),
    Field("Used", 10, lambda row: str(row.minutes), whole=True),
    Field("Energy", 8, lambda _: "0"),
)


def title(text: str, start: int, end: int, style: Style) -> list[str]:
    """Return what stands above a table."""
    if not style.header:
        return []
    return [RULE, f"{text} {instant(start)} - {instant(end - 1)}", "Usage reported in CPU Minutes", RULE]


def seconds(job: Job, start: int, end: int, now: int) -> int:
    """Return the CPU seconds of a job that lie in a period."""
    if not job.nodes or not job.start_time:
        return 0
    last = job.end_time if job.finished else now
    return max(0, min(last, end) - max(job.start_time, start)) * sum(job.cpus)


def utilization(cluster: Cluster, jobs: Iterable[Job], start: int, end: int) -> list[Whole]:
    """Return the one row of the cluster, none for a period before it was made; only whole hours count."""
    start, end = max(start, cluster.boot_time), min(end, cluster.now - cluster.now % HOUR)
    if end <= start:
        return []
    used = sum(seconds(job, start, end, cluster.now) for job in jobs)
    there = sum(node.cpus for node in cluster.nodes) * (end - start)
    return [Whole(cluster.config.get("ClusterName"), used // 60, there // 60)]


def by_account(cluster: Cluster, jobs: Iterable[Job], start: int, end: int) -> list[Use]:
    """Return the usage of the accounts, each followed by its users, after that of the whole cluster."""
    found = _totals(cluster, jobs, start, end)
    name = cluster.config.get("ClusterName")
    rows = [Use(name, "root", "", sum(found.values()) // 60)] if found else []
    for account in sorted({account for account, _ in found}):
        users = {user: spent for (of, user), spent in found.items() if of == account}
        if account != "root":
            rows.append(Use(name, account, "", sum(users.values()) // 60))
        rows += [Use(name, account, user, spent // 60) for user, spent in sorted(users.items())]
    return rows


def top(cluster: Cluster, jobs: Iterable[Job], start: int, end: int) -> list[Use]:
    """Return the users by what they used, most first."""
    found = _totals(cluster, jobs, start, end)
    name = cluster.config.get("ClusterName")
    rows = [Use(name, account, user, spent // 60) for (account, user), spent in found.items()]
    return sorted(rows, key=lambda row: (-row.minutes, row.user, row.account))


def _totals(cluster: Cluster, jobs: Iterable[Job], start: int, end: int) -> dict[tuple[str, str], int]:
    """Return CPU seconds by account and user."""
    book = Book(cluster)
    found: dict[tuple[str, str], int] = {}
    for job in jobs:
        spent = seconds(job, start, end, cluster.now)
        if spent:
            key = job.request.account or book.default_account(job.user_name), job.user_name
            found[key] = found.get(key, 0) + spent
    return found
