"""The sums of ``sreport``'s reports: for each report a function that makes the rows of its table.

As slurmdbd sums up hour by hour, the hour that has not passed yet does not count, except in the report on jobs' sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from slimsched.model.account import NORMAL, ROOT, Book
from slimsched.model.resources import capacity
from slimsched.render.accounts.sreport import Use

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
    from slimsched.priority.tres import held as amounts

    return amounts(job).get(resource, 0)


def _booked_on(book: Book, job: Job) -> str:
    """Return the account that a job counts for."""
    return job.request.account or book.default_account(job.user_name) or ROOT


def by_account(cluster: Cluster, jobs: Iterable[Job], asked: Asked) -> list[Use]:
    """Return the usage of the accounts, with all below them, and of their users; only users if any are named."""
    book, found = Book(cluster), _totals(cluster, jobs, asked)
    rows: list[Use] = []
    for account, user, depth in _tree(book, set(found)):
        line = [pair for pair in found if user == pair[1] and account == pair[0]]
        if not user and not asked.users and asked.covers(_above(book, account)):
            line = [pair for pair in found if account in _above(book, pair[0])]
        indent = depth if "tree" in asked.flags else 0
        rows += _lines(cluster, asked, account, user, [found[pair] for pair in line], indent)
    return rows


def _lines(
    cluster: Cluster, asked: Asked, account: str, user: str, spent: list[dict[str, float]], indent: int = 0
) -> list[Use]:
    """Return a row for each resource of what was used of all, none if nothing was."""
    totals = {resource: sum(amounts.get(resource, 0) for amounts in spent) for resource in asked.resources}
    if not any(totals.values()):
        return []
    return [_row(cluster, asked, name, account, user, total, indent) for name, total in totals.items()]


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
    lines: dict[tuple[str, str], list[dict[str, float]]] = {}
    accounts: dict[str, set[str]] = {}
    for (account, user), amounts in _totals(cluster, jobs, asked).items():
        accounts.setdefault(user, set()).add(account)
        lines.setdefault((user, "" if "group" in asked.flags else account), []).append(amounts)
    listed = [
        _lines(cluster, asked, account or ", ".join(sorted(accounts[user])), user, spent)
        for (user, account), spent in lines.items()
    ]
    used = 0 if asked.by_name else -1
    listed.sort(key=lambda rows: (used * rows[0].seconds, rows[0].user, rows[0].account) if rows else (0.0, "", ""))
    return [row for rows in listed[: asked.top] for row in rows]


def by_user(cluster: Cluster, jobs: Iterable[Job], asked: Asked) -> list[Use]:
    """Return all users by what they used, most first."""
    return top(cluster, jobs, asked._replace(top=1 << 30))


def by_qos(cluster: Cluster, jobs: Iterable[Job], asked: Asked) -> list[Use]:
    """Return the usage of the accounts, with all below them, by QOS."""
    book = Book(cluster)
    found = _totals(cluster, jobs, asked, lambda job, account: (account, job.request.qos or NORMAL))
    rows: list[Use] = []
    for account in dict.fromkeys(name for name, _, _ in _tree(book, set(found))):
        if not asked.covers(_above(book, account)):
            continue
        for qos in sorted({qos for _, qos in found}):
            spent = [amounts for (each, its), amounts in found.items() if its == qos and account in _above(book, each)]
            rows += _lines(cluster, asked, account, qos, spent)
    return rows


def by_key(cluster: Cluster, jobs: Iterable[Job], asked: Asked) -> list[Use]:
    """Return the usage of the workload characterization keys, each followed by its users."""
    found = _of_keys(cluster, jobs, asked)
    rows: list[Use] = []
    for key in sorted({key for key, _ in found}):
        users = {user: amounts for (each, user), amounts in sorted(found.items()) if each == key}
        rows += _lines(cluster, asked, key, "", list(users.values()))
        for user, amounts in users.items():
            rows += _lines(cluster, asked, key, user, [amounts])
    return rows


def user_keys(cluster: Cluster, jobs: Iterable[Job], asked: Asked) -> list[Use]:
    """Return the usage of the users by key."""
    found = _of_keys(cluster, jobs, asked)
    order = sorted(found.items(), key=lambda item: (item[0][1], item[0][0]))
    return [row for (key, user), spent in order for row in _lines(cluster, asked, key, user, [spent])]


def _of_keys(cluster: Cluster, jobs: Iterable[Job], asked: Asked) -> dict[tuple[str, str], dict[str, float]]:
    """Return what was used by key and user, nothing if keys do not count (``TrackWCKey``)."""
    if not tracked(cluster):
        return {}
    return _totals(cluster, jobs, asked, lambda job, _: (job.request.wckey, job.user_name))


def tracked(cluster: Cluster) -> bool:
    """Whether usage is summed up by workload characterization key."""
    return cluster.config.get("TrackWCKey").lower() in {"yes", "1", "true", "up"}


def job_sizes(cluster: Cluster, jobs: Iterable[Job], asked: Asked) -> list[Use]:
    """Return for each account how much time its jobs took, or how many they were, by the CPUs that they had."""
    return _sizes(cluster, jobs, asked, lambda job, accounts: accounts)


def sizes_by_key(cluster: Cluster, jobs: Iterable[Job], asked: Asked) -> list[Use]:
    """Return the same for each workload characterization key."""
    return _sizes(cluster, jobs, asked, lambda job, _: [job.request.wckey]) if tracked(cluster) else []


def sizes_by_both(cluster: Cluster, jobs: Iterable[Job], asked: Asked) -> list[Use]:
    """Return the same for each account and key."""
    if not tracked(cluster):
        return []
    return _sizes(cluster, jobs, asked, lambda job, accounts: [f"{each}:{job.request.wckey}" for each in accounts])


def _sizes(
    cluster: Cluster, jobs: Iterable[Job], asked: Asked, names: Callable[[Job, list[str]], list[str]]
) -> list[Use]:
    """Return a row for each of the ``names`` that a job counts for, given the accounts that it counts for."""
    book, rows = Book(cluster), dict[str, list[float]]()
    counted = "printjobcount" in asked.flags
    for job, ran in _sized(cluster, jobs, asked):
        cpus = sum(job.cpus)
        group = sum(cpus >= bound for bound in asked.sizes)
        for name in names(job, _groups(book, _booked_on(book, job), asked)):
            parts = rows.setdefault(name, [0.0] * (len(asked.sizes) + 1))
            parts[group] += 1 if counted else ran * cpus
    whole = sum(sum(parts) for parts in rows.values())
    name = cluster.config.get("ClusterName")
    return [
        Use(name, account, "", "cpu", sum(parts), whole, asked.unit, parts=tuple(parts))
        for account, parts in sorted(rows.items())
    ]


def individual_sizes(cluster: Cluster, jobs: Iterable[Job], asked: Asked) -> tuple[int, ...]:
    """Return the sizes that jobs have, each once (``grouping=individual``)."""
    return tuple(sorted({sum(job.cpus) for job, _ in _sized(cluster, jobs, asked)}))


def _sized(cluster: Cluster, jobs: Iterable[Job], asked: Asked) -> Iterator[tuple[Job, int]]:
    """Yield the jobs that a report on sizes counts, on whichever account, and the seconds that they ran."""
    wanted = asked._replace(accounts=frozenset())
    for job in jobs:
        if (ran := seconds(job, asked, cluster.now)) and wanted.counts(cluster, job, []):
            yield job, ran


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
        if asked.reservations and resv.name not in asked.reservations:
            continue
        if asked.nodes and not asked.nodes & cluster.bitmap_of(resv.nodes):
            continue
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


def _by_user(job: Job, account: str) -> tuple[str, str]:
    return account, job.user_name


def _totals(
    cluster: Cluster, jobs: Iterable[Job], asked: Asked, place: Callable[[Job, str], tuple[str, str]] = _by_user
) -> dict[tuple[str, str], dict[str, float]]:
    """Return what was used of each resource, by the ``place`` that a job on an account counts in."""
    book, period = Book(cluster), asked.hours(cluster)
    found: dict[tuple[str, str], dict[str, float]] = {}
    for job in jobs:
        account = _booked_on(book, job)
        spent = seconds(job, period, cluster.now)
        if spent and asked.counts(cluster, job, _above(book, account)):
            amounts = found.setdefault(place(job, account), {})
            for resource in asked.resources:
                amounts[resource] = amounts.get(resource, 0) + spent * held(job, resource)
    return found
