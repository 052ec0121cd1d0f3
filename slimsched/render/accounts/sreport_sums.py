"""The sums of ``sreport``'s reports: for each report a function that makes the rows of its table.

As slurmdbd sums up hour by hour, the hour that has not passed yet does not count, except in the report on jobs' sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from slimsched.model.account import ROOT, Book
from slimsched.model.resources import capacity
from slimsched.render.accounts.sreport import Use, Whole

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.render.accounts.sreport import Asked


def seconds(job: Job, asked: Asked, now: int) -> int:
    """Return the seconds for which a job held its nodes that lie in a period."""
    if not job.nodes or not job.start_time:
        return 0
    last = job.end_time if job.finished else now
    return max(0, min(last, asked.end) - max(job.start_time, asked.start))


def held(job: Job, resource: str) -> int:
    """Return how much of a resource a job holds, memory in MB."""
    from slimsched.priority.usage import held as amounts

    found: dict[str, int] = amounts(job)
    return found.get(resource, job.billing or found["cpu"] if resource == "billing" else 0)


def _booked_on(book: Book, job: Job) -> str:
    """Return the account that a job counts for."""
    return job.request.account or book.default_account(job.user_name) or ROOT


def utilization(cluster: Cluster, jobs: Iterable[Job], asked: Asked) -> list[Whole]:
    """Return a row for each resource, none for a period before the cluster was made."""
    period = asked.hours(cluster)
    if period.end <= period.start:
        return []
    listed, name, there = list(jobs), cluster.config.get("ClusterName"), capacity(cluster.nodes)
    rows = []
    for resource in asked.resources:
        used = sum(seconds(job, period, cluster.now) * held(job, resource) for job in listed)
        rows.append(Whole(name, resource, used, there.get(resource, 0) * (period.end - period.start), asked.unit))
    return rows


def by_account(cluster: Cluster, jobs: Iterable[Job], asked: Asked) -> list[Use]:
    """Return the usage of the accounts, with all below them, each followed by its users."""
    book, found = Book(cluster), _totals(cluster, jobs, asked)
    rows: list[Use] = []
    for resource in asked.resources:
        spent = {pair: amounts[resource] for pair, amounts in found.items() if amounts.get(resource)}
        for account, user, depth in _tree(book, set(spent)):
            line = {pair for pair in spent if user == pair[1] and account == pair[0]}
            if not user:
                line = {pair for pair in spent if account in _above(book, pair[0])}
            total = sum(spent[pair] for pair in line)
            if total:
                rows.append(_row(cluster, asked, resource, account, user, total, depth if "tree" in asked.flags else 0))
    return rows


def _tree(book: Book, pairs: set[tuple[str, str]]) -> Iterator[tuple[str, str, int]]:
    """Yield the accounts from the root down, each with its users, and how deep they are."""
    known = [account for account, user, _, _ in book.associations() if not user]
    for account in dict.fromkeys([*known, *sorted(account for account, _ in pairs)]):
        depth = book.depth(account) if account in known else 1
        yield account, "", depth
        for _, user in sorted(pair for pair in pairs if pair[0] == account):
            yield account, user, depth + 1


def _above(book: Book, account: str) -> list[str]:
    """Return an account and those above it."""
    line = [name.partition(" ")[2] for name, _ in book.line(account)] if book.get("assoc", account) is not None else []
    return line or [account, ROOT]


def top(cluster: Cluster, jobs: Iterable[Job], asked: Asked) -> list[Use]:
    """Return the users by what they used, most first; ``group``: all their accounts in one."""
    rows: dict[str, list[Use]] = {}
    found = _totals(cluster, jobs, asked)
    for resource in asked.resources:
        spent: dict[tuple[str, str], float] = {}
        for (account, user), amounts in found.items():
            place = (user, "") if "group" in asked.flags else (user, account)
            spent[place] = spent.get(place, 0) + amounts.get(resource, 0)
        listed = [_row(cluster, asked, resource, account, user, n, 0) for (user, account), n in spent.items() if n]
        rows[resource] = sorted(listed, key=lambda row: (-row.seconds, row.user, row.account))[: asked.top]
    return [row for listed in rows.values() for row in listed]


def by_user(cluster: Cluster, jobs: Iterable[Job], asked: Asked) -> list[Use]:
    """Return all users by what they used, most first."""
    return top(cluster, jobs, asked._replace(top=1 << 30))


def by_qos(cluster: Cluster, jobs: Iterable[Job], asked: Asked) -> list[Use]:
    """Return the usage of the accounts by QOS."""
    book, period, spent = Book(cluster), asked.hours(cluster), dict[tuple[str, str, str], float]()
    for job in jobs:
        account = _booked_on(book, job)
        if asked.counts(job, account):
            for resource in asked.resources:
                place = resource, account, job.request.qos or "normal"
                spent[place] = spent.get(place, 0) + seconds(job, period, cluster.now) * held(job, resource)
    return [_row(cluster, asked, resource, a, qos, n, 0) for (resource, a, qos), n in sorted(spent.items()) if n]


def job_sizes(cluster: Cluster, jobs: Iterable[Job], asked: Asked) -> list[Use]:
    """Return for each account how much time its jobs took, or how many they were, by the CPUs that they had."""
    book, rows = Book(cluster), dict[str, list[float]]()
    counted = "printjobcount" in asked.flags
    for job in jobs:
        account = _booked_on(book, job)
        ran = seconds(job, asked, cluster.now)
        if not ran or not asked._replace(accounts=frozenset()).counts(job, account):
            continue
        cpus = sum(job.cpus)
        group = sum(cpus >= bound for bound in asked.sizes)
        for name in _groups(book, account, asked):
            parts = rows.setdefault(name, [0.0] * (len(asked.sizes) + 1))
            parts[group] += 1 if counted else ran * cpus
    whole = sum(sum(parts) for parts in rows.values())
    name = cluster.config.get("ClusterName")
    return [
        Use(name, account, "", "cpu", sum(parts), whole, asked.unit, parts=tuple(parts))
        for account, parts in sorted(rows.items())
    ]


def _groups(book: Book, account: str, asked: Asked) -> list[str]:
    """Return the accounts whose line a job of an account counts in."""
    line = _above(book, account)
    if "flatview" in asked.flags:
        return [account] if not asked.accounts or account in asked.accounts else []
    tops = asked.accounts or {ROOT}
    if "acctasparent" in asked.flags:
        return [each for each, up in pairwise(line) if up in tops]
    return [each for each in line if each in tops]


def reservations(cluster: Cluster, jobs: Iterable[Job], asked: Asked) -> list[Use]:
    """Return the usage of the existing reservations by jobs."""
    listed, rows = list(jobs), []
    for resv in cluster.reservations.values():
        start, end = max(resv.start_time, asked.start), min(resv.end_time, asked.end, cluster.now)
        if end <= start:
            continue
        cpus = sum(cluster.nodes[i].cpus for i in _indices(cluster, resv.nodes))
        period = asked._replace(start=start, end=end)
        had = sum(seconds(job, period, cluster.now) * sum(job.cpus) for job in listed if job.resv_name == resv.name)
        whole = cpus * (end - start)
        row = Use(cluster.config.get("ClusterName"), resv.name, "", "cpu", had, whole, asked.unit, parts=(had,))
        rows.append(row._replace(start=resv.start_time, end=resv.end_time))
    return rows


def _indices(cluster: Cluster, nodes: str) -> list[int]:
    from slimsched.model.bitmap import iterate

    return list(iterate(cluster.bitmap_of(nodes)))


def _row(cluster: Cluster, asked: Asked, resource: str, account: str, user: str, spent: float, indent: int) -> Use:
    period = asked.hours(cluster)
    whole = capacity(cluster.nodes).get(resource, 0) * max(0, period.end - period.start)
    return Use(cluster.config.get("ClusterName"), account, user, resource, spent, whole, asked.unit, indent)


def _totals(cluster: Cluster, jobs: Iterable[Job], asked: Asked) -> dict[tuple[str, str], dict[str, float]]:
    """Return what was used of each resource, by account and user."""
    book, period = Book(cluster), asked.hours(cluster)
    found: dict[tuple[str, str], dict[str, float]] = {}
    for job in jobs:
        account = _booked_on(book, job)
        spent = seconds(job, period, cluster.now)
        if spent and asked.counts(job, account):
            amounts = found.setdefault((account, job.user_name), {})
            for resource in asked.resources:
                amounts[resource] = amounts.get(resource, 0) + spent * held(job, resource)
    return found
