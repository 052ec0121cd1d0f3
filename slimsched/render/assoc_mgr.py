"""``scontrol show assoc_mgr``: the users, associations and QOS that limits are taken from."""

from __future__ import annotations

from collections.abc import Iterator

from slimsched.model.account import Book, Record

KINDS = {"users": "User Records", "associations": "Association Records", "QOS": "QOS Records"}
"""What a section holds -> its heading."""


def text(book: Book) -> str:
    """Return the three sections; one without records says so."""
    found = {"users": _users(book), "associations": _associations(book), "QOS": _qos(book)}
    sections = []
    for kind, heading in KINDS.items():
        rows = "\n".join(found[kind]) if book.defined else ""
        sections.append(f"{heading}\n\n{rows}\n" if rows else f"No {kind} currently cached in Slurm.\n")
    return "Current Association Manager state\n\n" + "\n\n".join(sections)


def _users(book: Book) -> Iterator[str]:
    for name in book.names("user"):
        record = book.get("user", name) or {}
        account = record.get("DefaultAccount", "(null)")
        yield f"UserName={name} DefAccount={account} AdminLevel={record.get('AdminLevel', 'None')}"


def _associations(book: Book) -> Iterator[str]:
    for account, user, partition, record in book.associations():
        place = f"ClusterName={book.cluster_name} Account={account} UserName={user} Partition={partition}"
        yield place + _rest(record)


def _qos(book: Book) -> Iterator[str]:
    for name in book.names("qos"):
        yield f"QOS={name}{_rest(book.get('qos', name) or {})}"


def _rest(record: Record) -> str:
    """Return the options that were set, on a line of their own."""
    given = " ".join(f"{name}={value}" for name, value in record.items() if value)
    return f"\n    {given}" if given else ""
