"""The fair-share tree: Slurm's example, ties, the older formula, and what a table of usage alone gives."""

from __future__ import annotations

import pytest

from slimsched.model.account import Book
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config
from slimsched.priority.fairshare import FairShare


def tree(shares, usage, **keys):
    """Return the tree of associations "ACCOUNT" or "ACCOUNT USER" below the accounts named before the colon."""
    cluster = Cluster(Config(usage=usage, slurm=keys))
    book = Book(cluster)
    book.put("account root", {})
    book.drop("assoc root root")
    for name, (parent, number) in shares.items():
        book.put(f"assoc {name}", {"Fairshare": str(number), "ParentName": parent, "ID": "9"})
    return FairShare(cluster)


EXAMPLE = {
    "A": ("root", 40),
    "B": ("root", 60),
    "A u1": ("A", 30),
    "A u2": ("A", 70),
    "B u3": ("B", 1),
    "B u4": ("B", 1),
}


def test_the_best_account_goes_first_with_all_its_users():
    found = tree(EXAMPLE, {"A/u1": 10.0, "A/u2": 70.0, "B/u3": 5.0, "B/u4": 15.0})

    assert {user: share.factor for (_, user, _), share in found.users.items()} == {
        "u3": 1.0,
        "u4": 0.75,
        "u1": 0.5,
        "u2": 0.25,
    }


def test_equal_users_share_a_place_and_equal_accounts_are_merged():
    flat = tree({"A": ("root", 1), "A u1": ("A", 1), "A u2": ("A", 1), "A u3": ("A", 1)}, {"A/u3": 8.0})
    merged = tree(EXAMPLE | {"A": ("root", 1), "B": ("root", 1)}, {"A/u1": 5.0, "A/u2": 5.0, "B/u3": 2.0, "B/u4": 8.0})

    assert [flat.factor("A", user) for user in ("u1", "u2", "u3")] == [1.0, 1.0, pytest.approx(1 / 3)]
    assert [merged.factor("", user) for user in ("u1", "u2")] == [0.0, 0.0]  # no default account
    places = sorted(merged.users, key=lambda key: -merged.users[key].factor)
    assert places == [("B", "u3", ""), ("A", "u2", ""), ("B", "u4", ""), ("A", "u1", "")]


def test_a_user_who_equals_an_account_has_the_rank_of_its_best_user():
    shares = {"root": ("", 1), "root me": ("root", 1), "A": ("root", 1), "A u1": ("A", 1), "A u2": ("A", 1)}
    shares |= {"B": ("root", 1), "B1": ("B", 1), "B1 u3": ("B1", 1), "B1 u4": ("B1", 1)}

    unused = tree(shares, {})
    used = tree(shares, {"A/u1": 1.0})

    assert {share.factor for share in unused.users.values()} == {1.0}  # as Slurm shows new users
    factors = {user: share.factor for (_, user, _), share in used.users.items()}
    assert factors == {"me": 1.0, "u3": 1.0, "u4": 1.0, "u2": 0.4, "u1": 0.2}


def test_rows_are_each_account_with_its_users():
    found = tree(EXAMPLE, {"B/u3": 5.0, "A": 15.0})

    rows = [(row.depth, row.account, row.user, row.shares, row.usage, row.effective) for row in found.rows()]

    assert rows == [
        (0, "root", "", 1, 20.0, 1.0),
        (1, "A", "", 40, 15.0, 0.75),
        (2, "A", "u1", 30, 0.0, 0.0),
        (2, "A", "u2", 70, 0.0, 0.0),
        (1, "B", "", 60, 5.0, 0.25),
        (2, "B", "u3", 1, 5.0, 1.0),
        (2, "B", "u4", 1, 0.0, 0.0),
    ]


def test_users_with_the_share_of_their_account_share_its_place():
    users = {f"A u{number}": ("A", "parent") for number in (1, 2)}
    found = tree({"A": ("root", 1), "B": ("root", 1), "B u3": ("B", 1), **users}, {"A/u1": 9.0, "B/u3": 5.0})

    assert {user: share.factor for (_, user, _), share in found.users.items()} == {
        "u3": 1.0,
        "u1": pytest.approx(2 / 3),
        "u2": pytest.approx(2 / 3),
    }


def test_the_older_formula():
    keys = {"PriorityFlags": "NO_FAIR_TREE"}
    found = tree({"A": ("root", 1), "A u1": ("A", 1), "A u2": ("A", 1)}, {"A/u1": 50.0, "A/u2": 50.0}, **keys)

    assert found.factor("A", "u1") == found.factor("A", "u2") == pytest.approx(2.0 ** -(0.75 / 0.5))


def test_a_table_of_usage_is_enough():
    found = FairShare(Cluster(Config(usage={"alice": 1000.0, "bob": 10.0, "carol": 0.0})))

    assert [found.factor("", user) for user in ("carol", "bob", "alice")] == [
        1.0,
        pytest.approx(2 / 3),
        pytest.approx(1 / 3),
    ]
    assert found.factor("any", "nobody") == 1.0  # has used nothing


def test_a_user_without_association_has_no_share():
    assert tree(EXAMPLE, {}).factor("A", "u3") == 0.0
