"""Notes on names in a refused submission that nobody knows, or that are not for its user, and what there is instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.life import arrays, dependency
from slimsched.controller.requests import licensing, partition_limits, resource_texts, text_checks
from slimsched.controller.reservations import access
from slimsched.errors import SlurmError
from slimsched.model import bitmap, resources
from slimsched.model.account import NORMAL, Book
from slimsched.select import gres as gres_texts
from slimsched.text import alike, hostlist

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slimsched.controller.explain.refused import Refused
    from slimsched.model.cluster import Cluster

_MOST = 3  # unknown nodes that are named


def partitions(case: Refused) -> Iterator[str]:
    """Yield a note for each unknown partition."""
    for name in case.request.partition.split(","):
        if name not in case.cluster.partitions:
            yield alike.unknown("partition", name, case.cluster.partitions)


def default_partition(case: Refused) -> Iterator[str]:
    """Yield the partitions that a job may name."""
    yield f"no partition is the default (Default=YES): name one with -p{alike.listed(list(case.cluster.partitions))}"


def nodes(case: Refused) -> Iterator[str]:
    """Yield the unknown nodes, or those that are required and excluded."""
    cluster, request = case.cluster, case.request
    if request.exclude.upper() == "ALL":
        yield "--exclude=ALL leaves no node"
        return
    known = True
    for text in (request.nodelist, request.exclude):
        try:
            names = hostlist.expand(text, dialect="slurm") if text and text.upper() != "ALL" else []
        except ValueError:
            yield f"{text!r} is not a list of nodes; write a,b,c or n[01-04,7]"
            return
        for name in [name for name in names if name not in cluster.node_index][:_MOST]:
            known = False
            every = cluster.hostlist_of(bitmap.full(len(cluster.nodes)))
            yield f"no node {name!r}{alike.meant(name, cluster.node_index) or f'; there are: {every}'}"
    if known:
        both = text_checks.node_set(cluster, request.nodelist) & text_checks.node_set(cluster, request.exclude)
        yield f"--nodelist wants {cluster.hostlist_of(both)}, and --exclude does not"


def gres(case: Refused) -> Iterator[str]:
    """Yield the generic resources that the cluster does not have, and what its nodes have."""
    request, known = case.request, resource_texts.gres_names(case.cluster)
    try:
        asked = {item.name for item in (*gres_texts.parse(request.gres), *gres_texts.of_tasks(request.tres_per_task))}
        if any(resource_texts.gpu_counts(request).values()):
            asked.add("gpu")
    except ValueError:
        yield "a generic resource is NAME, NAME:COUNT or NAME:TYPE:COUNT, as gpu:2 or gpu:a100:2"
        return
    for name in sorted(asked - known):
        yield f"no gres {name!r}{alike.meant(name, known)}"
    yield f"nodes have {_of_nodes(case.cluster)}"


def gres_types(cluster: Cluster, text: str) -> Iterator[str]:
    """Yield the types that no node has of a generic resource that exists, and what there is."""
    there = [item for node in cluster.nodes for item in gres_texts.parse(node.gres)]
    types = {name: {item.type for item in there if item.name == name} for name in {item.name for item in there}}
    for item in gres_texts.parse(text.lower().replace("gres:", "gres/")):
        if item.type and item.name in types and item.type not in types[item.name]:
            yield f"no node has {item.name}:{item.type}; nodes have {_of_nodes(cluster)}"


def _of_nodes(cluster: Cluster) -> str:
    texts = sorted({node.gres for node in cluster.nodes if node.gres})
    return " or ".join(texts[:_MOST]) if texts else 'no gres (cluster.toml gives them: gres = "gpu:2")'


def licenses(case: Refused) -> Iterator[str]:
    """Yield the licenses that do not exist, or not in this number."""
    total = licensing.totals(case.cluster)
    try:
        asked = resources.licenses(resources.asked_licenses(case.request))
    except SlurmError:
        yield "licenses are NAME or NAME:COUNT, separated by commas (all of them) or | (any of them)"
        return
    for name, count in asked:
        if name not in total:
            yield alike.unknown("license", name, total)
        elif count > total[name]:
            yield f"license {name}: {count} wanted, the cluster has {total[name]}"


def account(case: Refused) -> Iterator[str]:
    """Yield the accounts that a user has, and the line that adds one."""
    if case.cluster.accounting:
        book, name = Book(case.cluster), case.user.name
        asked = case.request.account or book.default_account(name)
        own = sorted({acct for acct, user, _, _ in book.associations() if user == book.user_name(name)})
        what = f"association with account {asked!r}" if asked else "association, and no default account"
        yield f"user {name} has no {what}{alike.meant(asked, own) or (alike.listed(own) if own else '')}"
        if book.get("account", asked) is not None:
            yield f"to make one: sim sacctmgr -i add user {name} account={asked}"
        elif asked:
            yield f"to make one: sim sacctmgr -i add account {asked} && sim sacctmgr -i add user {name} account={asked}"
    yield from _lists(case, "account", case.request.account)


def qos(case: Refused) -> Iterator[str]:
    """Yield an unknown QOS, or those that the user's association has, and the line that adds one."""
    if case.cluster.accounting:
        book, asked, name = Book(case.cluster), case.request.qos, case.user.name
        known = book.names("qos")
        if asked not in known:
            yield alike.unknown("QOS", asked, known)
        else:
            own = book.qos_of(book.line(case.request.account or book.default_account(name), name))
            if asked not in own:
                yield f"user {name} may not use the QOS {asked!r}{alike.listed(own)}"
                yield f"to allow it: sim sacctmgr -i modify user where name={name} set qos+={asked}"
    yield from _lists(case, "qos", case.request.qos or NORMAL)


def _lists(case: Refused, kind: str, name: str) -> Iterator[str]:
    """Yield the lists of a partition (``AllowQos``) that keep an account or a QOS out."""
    words = {"account": "Accounts", "qos": "Qos"}[kind]
    for part in case.partitions():
        allowed = getattr(part, f"allow_{kind}s" if kind == "account" else "allow_qos")
        denied = getattr(part, f"deny_{kind}s" if kind == "account" else "deny_qos")
        if not partition_limits.open_to(allowed, denied, name):
            shown = f"Deny{words}={denied}" if denied else f"Allow{words}={allowed}"
            yield f"partition {part.partition_name} does not let {kind} {name or '(none)'} in: {shown}"


def wckey(case: Refused) -> Iterator[str]:
    """Yield the WCKeys that a user has."""
    book = Book(case.cluster)
    user = book.user_name(case.user.name)
    own = [name.partition(" ")[2] for name in book.names("wckey") if name.partition(" ")[0] == user]
    yield f"user {user} has no WCKey {case.request.wckey!r}{alike.meant(case.request.wckey, own) or alike.listed(own)}"


def dependency_fault(case: Refused) -> Iterator[str]:
    """Yield a wrong type of a dependency, or the jobs that nobody knows."""
    for part in case.request.dependency.replace("?", ",").split(","):
        word = part.partition(":")[0]
        if not word[:1].isdigit() and word.lower() not in (*dependency.TYPES, "singleton"):
            types = (*dependency.TYPES[:5], "singleton")
            yield f"no type of dependency {word!r}{alike.meant(word, types) or alike.listed(list(types))}"
            return
    try:
        items, _ = dependency.parse(case.request.dependency)
    except SlurmError:
        yield "a dependency is TYPE:JOBID[:JOBID...], as afterok:12 or afterany:12:13, or singleton"
        return
    for item in items:
        if item.type != "singleton" and not dependency.targets_of(case.cluster, item):
            yield f"there is no job {item.job_id}, or it is over and forgotten (MinJobAge)"


def array(case: Refused) -> Iterator[str]:
    """Yield the way to write an array, and the bounds."""
    most = case.cluster.config.number("MaxArraySize")
    try:
        tasks, _ = arrays.parse(case.request.array, most)
    except SlurmError:
        yield f"write 0-9, 1,3,5 or 0-99%4 (four at once); numbers go up to {most - 1} (MaxArraySize={most})"
        return
    limit = case.cluster.config.parameters.number("max_array_tasks")
    yield f"{arrays.count(tasks)} tasks, at most {limit} are allowed (SchedulerParameters=max_array_tasks={limit})"


def reservation(case: Refused) -> Iterator[str]:
    """Yield the reservations that do not exist or are over."""
    known = case.cluster.reservations
    for name in case.request.reservation.split(","):
        if name not in known:
            yield alike.unknown("reservation", name, known)
        elif known[name].end_time <= case.cluster.now:
            yield f"reservation {name} is over"


def reservation_users(case: Refused) -> Iterator[str]:
    """Yield for whom a reservation is."""
    for name in case.request.reservation.split(","):
        found = case.cluster.reservations.get(name)
        if found is not None and not access.admits(case.cluster, found, case.user, case.request.account):
            who = {"users": found.users, "groups": found.groups, "accounts": found.accounts}
            said = ", ".join(f"{kind} {names}" for kind, names in who.items() if names)
            yield f"reservation {name} is for {said or 'nobody while its start floats'}, not for user {case.user.name}"
