r"""The file of ``sacctmgr dump`` and ``load``: a cluster, its accounts and users, and their limits.

file  = { line }                       "#" begins a comment, "\" at the end of a line continues it
line  = ( "QOS" | "Cluster" | "Parent" | "Account" | "User" ) "-" name { ":" option "=" value }
name, value may be in quotation marks. Accounts and users belong to the account of the last Parent line.
Source: sacctmgr(1), "Flat file dump and load".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.accounts import options, values
from slimsched.controller.accounts.outcome import Outcome, record_event
from slimsched.errors import UserError
from slimsched.model.account import ROOT, Book, Record, key
from slimsched.model.record import Record as Plain
from slimsched.slurm import limits, words

if TYPE_CHECKING:
    from slimsched.controller.core import Controller

OBJECTS = {"cluster": "Cluster", "machine": "Cluster", "parent": "Parent", "account": "Account", "project": "Account"}
OBJECTS |= {"user": "User", "qos": "QOS"}
OWN = {
    "Account": (
        options.Option("Description", 3, values.TEXT),
        options.Option("Organization", 1, values.TEXT),
    ),
    "User": (
        options.Option("AdminLevel", 2, values.LEVEL),
        options.Option("Coordinator", 2, values.NAMES, "Coordinators"),
        options.Option("DefaultAccount", 8, values.LOWER),
        options.Option("DefaultWCKey", 8, values.TEXT),
        options.Option("Partition", 1, values.TEXT),
        options.Option("WCKeys", 2, values.NAMES),
    ),
    "Cluster": (options.Option("Classification", 2, values.TEXT),),
    "Parent": (),
    "QOS": (options.Option("Description", 1, values.TEXT), *options.QOS[1:]),
}
"""Object -> the options of its own record; all others are limits of the association."""
USUAL = ("Priority", "0")
"""What every QOS sets."""
LIMITS = (
    *("DefaultQOS", "Fairshare", "GrpTRESMins", "GrpTRESRunMins", "GrpTRES", "GrpJobs", "GrpJobsAccrue"),
    *("GrpSubmitJobs", "GrpWall", "MaxTRESMinsPerJob", "MaxTRESRunMins", "MaxTRESPerJob", "MaxTRESPerNode", "MaxJobs"),
    *("MaxJobsAccrue", "MinPrioThreshold", "MaxSubmitJobs", "MaxWallDurationPerJob", "Priority", "QosLevel", "Comment"),
)
"""Limits in the order in which they are written."""
QUOTED = {"DefaultQOS": "DefaultQOS", "QosLevel": "QOS", "Comment": "Comment"}
"""Limits whose values are in quotation marks -> their names in a file."""
_WRITTEN = {row.name: row.names()[0][0] for row in limits.LIMITS if limits.ASSOC in row.where and not row.resource}
"""Limits -> the names of their options, by which ``load`` finds them again."""
HEAD = """\
# Cluster - 'NAME':OPTION=VALUE:... comes first; then accounts and users, each below the last Parent line.
# Parent - 'ACCOUNT'
# Account - 'NAME':Description='TEXT':Organization='TEXT':OPTION=VALUE:...
# User - 'NAME':Partition='NAME':DefaultAccount='ACCOUNT':AdminLevel='LEVEL':OPTION=VALUE:...
# An account must have been created before it is a parent; the options may come in any order.
"""


class DumpLine(NamedTuple):
    """One line of a file: its number, the object, its name, and its own options and limits."""

    number: int
    object: str
    name: str
    own: Record
    limits: Record


class Loaded(Plain):
    """The result of ``load``: new accounts and users with their associations, and changes of others.

    ``refusal``: what is wrong with a line behind the cluster's.
    """

    cluster: str = ""
    accounts: list[str] = []
    associations: list[str] = []
    users: list[str] = []
    user_associations: list[tuple[str, str, str]] = []
    changes: list[tuple[str, str, str, str, str]] = []  # option, kind, name, old value, new value
    orphans: bool = False  # some stand before any Parent line
    refusal: UserError | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing was done."""
        return not (self.accounts or self.associations or self.users or self.user_associations or self.changes)


def dump(book: Book) -> str:
    """Return the file of a cluster."""
    root = book.get("assoc", ROOT) or {}
    cluster = {"Fairshare": "1", **root, **(book.get("cluster", book.cluster_name) or {})}
    lines = [_qos(name, record) for name in book.names("qos") if (record := book.get("qos", name)) is not None]
    lines.append(f"Cluster - '{book.cluster_name}'{_limits(cluster)}")
    every = list(book.associations())
    for account, user, _, _ in every:
        if user:
            continue
        below = [each for each in every if each[1] and each[0] == account]
        children = [each for each in every if not each[1] and each[0] != ROOT and book.parent(each[0]) == account]
        if below or children:
            lines.append(f"Parent - '{account}'")
        lines += [_user(book, name, partition, record) for _, name, partition, record in below]
        lines += [_account(book, name, record) for name, _, _, record in children]
    return HEAD + "\n".join(lines) + "\n"


def _qos(name: str, record: Record) -> str:
    """Return the line of a QOS: its description, then what it sets."""
    given = {"Description": record.get("Description", ""), **record}
    told = ((each, value) for each, value in given.items() if each != "ID" and value and (each, value) != USUAL)
    return f"QOS - '{name}'" + "".join(
        f":{each}='{value}'" if not value.replace(".", "").isdigit() else f":{each}={value}" for each, value in told
    )


def _account(book: Book, name: str, limits: Record) -> str:
    record = book.get("account", name) or {}
    own = "".join(f":{each}='{record[each]}'" for each in ("Description", "Organization") if record.get(each))
    return f"Account - '{name}'{own}{_limits({'Fairshare': '1', **limits})}"


def _user(book: Book, name: str, partition: str, limits: Record) -> str:
    record = book.get("user", name) or {}
    own = {
        "Partition": partition,
        **{each: record.get(each, "") for each in ("DefaultAccount", "DefaultWCKey", "AdminLevel")},
    }
    own["Coordinator"] = record.get("Coordinators", "")
    text = "".join(f":{each}='{value}'" for each, value in own.items() if value and value != "None")
    return f"User - '{name}'{text}{_limits({'Fairshare': '1', **limits})}"


def _limits(record: Record) -> str:
    found = []
    for name in LIMITS:
        if name in QUOTED and record.get(name):
            found.append(f":{QUOTED[name]}='{record[name]}'")
        elif record.get(name):
            found.append(f":{_WRITTEN.get(name, name)}={record[name]}")
    return "".join(found)


def parse(text: str) -> Iterator[DumpLine]:
    """Yield the lines of a file; raises `UserError`."""
    joined, start = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        part = _without_comment(line)
        start = start or number
        if part.rstrip().endswith("\\"):
            joined += part.rstrip()[:-1]
            continue
        joined, whole = "", joined + part
        first, start = start, 0
        if whole.strip():
            yield _line(first, whole.strip())


def _without_comment(line: str) -> str:
    at = line.find("#")
    while at > 0 and line[at - 1] == "\\":
        at = line.find("#", at + 1)
    return (line if at < 0 else line[:at]).replace("\\#", "#")


def _line(number: int, text: str) -> DumpLine:
    word, dash, rest = text.partition("-")
    kind = OBJECTS.get(word.strip().lower())
    if kind is None or not dash:
        raise UserError(f" Misformatted line({number}): {text}", level="plain")
    name, *pairs = _items(rest.strip())
    if not name or "=" in name:
        raise UserError(f" No name given\n Problem with line({number})", level="plain")
    own: Record = {}
    limits: Record = {}
    for pair in filter(None, pairs):
        _read(number, kind, pair, own, limits)
    return DumpLine(number, kind, name if kind == "User" else name.lower() if kind != "Cluster" else name, own, limits)


def _items(text: str) -> list[str]:
    """Return the items between colons, without quotation marks; a colon inside quotation marks does not separate."""
    found, quote = [""], ""
    for char in text:
        if quote or char in "'\"":
            ends = char == quote
            found[-1] += "" if ends or not quote else char
            quote = "" if ends else quote or char
        elif char == ":":
            found.append("")
        else:
            found[-1] += char
    return [item.strip() for item in found]


def _read(number: int, kind: str, pair: str, own: Record, limits: Record) -> None:
    name, equals, value = pair.partition("=")
    if not equals:
        text = f" Bad format on {pair}: End your option with an '=' sign"
        raise UserError(f"{text}\n Problem with line({number})", level="plain")
    if not value:
        return
    option = words.find(OWN[kind], name)
    record = own if option is not None else limits
    option = option or words.find(options.ASSOCIATION, name)
    if option is None:
        raise UserError(f" Unknown option: {pair}\n Problem with line({number})", level="plain")
    try:
        values.assign(record, option, "=", value)
    except UserError as fault:  # in a file nothing that is wrong is passed over
        raise UserError(fault.message, level=fault.level) from None


def load(ctl: Controller, lines: list[DumpLine], cluster: str = "", *, clean: bool = False) -> Loaded:
    """Add and change what a file says; ``clean``: forget all accounts and users first. Raises `UserError`."""
    book = Book(ctl.cluster)
    done = Loaded()
    parent = ""
    for line in lines:
        if line.object == "QOS":
            _load_qos(book, line, done)
        elif line.object == "Cluster":
            done.cluster = _begin(book, line, cluster, done, clean=clean)
        elif not done.cluster:
            text = " You need to specify a cluster name first with 'Cluster - $NAME' in your file"
            raise UserError(text, level="plain")
        elif line.object == "Parent":
            parent = line.name
            if book.get("assoc", parent) is None:
                text = (
                    f" line({line.number}) You need to add this parent ({parent}) as a child before you can add "
                    "children to it."
                )
                done.refusal = UserError(text, level="plain")
                return done
        else:
            done.orphans |= not parent
            (_load_account if line.object == "Account" else _load_user)(book, line, parent or ROOT, done)
    if not done.empty:
        names = [*done.accounts, *done.users, *(name for _, _, name, _, _ in done.changes)]
        record_event(ctl, "load", "cluster", Outcome(names=names or [done.cluster]))
    return done


def _begin(book: Book, line: DumpLine, cluster: str, done: Loaded, *, clean: bool) -> str:
    if done.cluster:
        raise UserError(" You can only add one cluster at a time.", level="plain")
    name = cluster or line.name
    if name.lower() != book.cluster_name.lower():
        text = f" Cluster '{name}' is not the one of this directory"
        raise UserError(f"{text}: load with cluster={book.cluster_name}", level="plain")
    if clean:
        for each in [
            *(key("account", n) for n in book.names("account")),
            *(key("user", n) for n in book.names("user")),
        ]:
            if each not in {key("account", ROOT), key("user", ROOT)}:
                book.drop(each)
        for account, user, partition, _ in list(book.associations()):
            if account != ROOT or user not in {"", ROOT}:
                book.drop(key("assoc", account, user, partition))
    _change(book, key("assoc", ROOT), "Cluster", name, line.limits, done)
    return name


def _load_qos(book: Book, line: DumpLine, done: Loaded) -> None:
    name = line.name.lower()
    if book.get("qos", name) is None:
        made = {"ID": book.next_id("qos"), "Description": name, "Priority": "0", **line.own}
        book.put(key("qos", name), made)
        done.changes.append(("Description", "QOS", name, "", made["Description"]))
    else:
        _change(book, key("qos", name), "QOS", name, line.own, done)


def _load_account(book: Book, line: DumpLine, parent: str, done: Loaded) -> None:
    name, place = line.name, key("assoc", line.name)
    if book.get("account", name) is None:
        book.put(key("account", name), {"Description": name, "Organization": parent, **line.own})
        done.accounts.append(name)
    else:
        _change(book, key("account", name), "Account", name, line.own, done)
    if place not in book.records:
        book.put(place, {"ID": book.next_id("assoc"), "ParentName": parent, **line.limits})
        done.associations.append(name)
    else:
        _change(book, place, "Account", name, {**line.limits, "ParentName": parent}, done)


def _load_user(book: Book, line: DumpLine, parent: str, done: Loaded) -> None:
    name = line.name
    own = {option: value for option, value in line.own.items() if option not in {"Partition", "WCKeys"}}
    if book.get("user", name) is None:
        book.put(key("user", name), {"DefaultAccount": parent, **own})
        done.users.append(name)
    else:
        _change(book, key("user", name), "User", name, own, done)
    association = parent, name, line.own.get("Partition", "")
    place = key("assoc", *association)
    if place not in book.records:
        book.put(place, {"ID": book.next_id("assoc"), "ParentName": parent, **line.limits})
        done.user_associations.append(association)
    else:
        _change(book, place, "User", name, line.limits, done)


def _change(book: Book, place: str, kind: str, name: str, wanted: Record, done: Loaded) -> None:
    """Change an existing record where it differs."""
    record = book.records.get(place, {})
    usual = {"Fairshare": "1"}
    for option, value in wanted.items():
        old = record.get(option, usual.get(option, ""))
        if old != value:
            done.changes.append((option, kind, name, old, value))
            record = {**record, option: value}
    if record != book.records.get(place, {}):
        book.put(place, record)
