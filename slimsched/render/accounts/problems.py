"""What ``sacctmgr show problem`` finds: accounts that nobody can use, and users who can use none.

Source: as_mysql_problems.c. Every user has a uid here (``sbatch --uid`` gives one), so its fourth problem has no rows.
"""

from __future__ import annotations

from collections.abc import Iterator

from slimsched.controller.accounts.where import Request
from slimsched.model.account import Book
from slimsched.render.accounts.sacctmgr import RecordRow


def found(book: Book, asked: Request) -> Iterator[RecordRow]:
    """Yield accounts without users, then users without an association, those that the conditions select.

    A condition on users or partitions leaves no account: its own association has neither.
    """
    named = {each.lower() for each in asked.named("clusters")}
    if named and book.cluster_name.lower() not in named:
        return
    every = list(book.associations())
    if not asked.named("users", "partitions"):
        used = {account for account, user, *_ in every if user}
        empty = {account for account, *_ in every} - used
        for account in sorted(_selected(empty, asked.named("accounts"))):
            yield _row(book, "Account has no users", account)
    lost = set(book.names("user")) - {user for _, user, *_ in every}
    for user in sorted(_selected(lost, asked.named("users"))):
        yield _row(book, "User has no Associations", "", user)


def _selected(names: set[str], wanted: list[str]) -> set[str]:
    return names & set(wanted) if wanted else names


def _row(book: Book, text: str, account: str, user: str = "") -> RecordRow:
    row = RecordRow(book, text)
    row.account, row.user = account, user
    return row
