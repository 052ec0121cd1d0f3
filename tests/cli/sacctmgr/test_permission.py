"""``sim --as USER sacctmgr``: what coordinators, operators and others may change in the accounting records."""

from __future__ import annotations

import pytest

CLOSED = "sacctmgr: error: Getting response to message type: DBD_FINI\n"
NO_PRIVILEGE = (
    "sacctmgr: error: Your user doesn't have privilege to perform this action\n"
    f" Error with request: Access/permission denied\n{CLOSED}"
)
NO_PROMOTION = (
    "sacctmgr: error: You can't promote a user to an admin level higher than your own\n"
    f" Error with request: Access/permission denied\n{CLOSED}"
)
SETUP = (
    "add account phys",
    "add account phys1 parent=phys",
    "add account chem",
    "add user alice account=phys1",
    "add user bob account=phys1,chem defaultaccount=chem",
    "add user carol account=chem adminlevel=operator",
    "add coordinator account=phys names=alice",
)


def elsewhere(uid: int) -> str:
    return f" error: Coordinator alice({uid}) tried to add associations where they were not allowed\n{CLOSED}"


ALLOWED = [
    ("alice", "add account sub parent=phys"),
    ("alice", "add account sub parent=phys1"),
    ("alice", "add user dave account=phys1"),
    ("alice", "add coordinator account=phys1 names=bob"),
    ("alice", "modify account phys1 set fairshare=3"),
    ("alice", "modify user bob where account=phys1 set maxjobs=3"),
    ("alice", "delete user bob where account=phys1"),
    ("bob", "modify user bob set defaultaccount=phys1"),
    ("carol", "add account other"),
    ("carol", "modify user bob set adminlevel=operator"),
    ("carol", "delete user bob"),
    ("root", "add qos low"),
]
ONLY = "Only admins/operators"
DENIED = [
    ("alice", "modify account phys set fairshare=3", NO_PRIVILEGE),
    ("alice", "modify account phys1 set description=x", NO_PRIVILEGE),
    ("alice", "modify user bob where account=chem set maxjobs=3", NO_PRIVILEGE),
    ("alice", "modify user bob set maxjobs=3", NO_PRIVILEGE),
    ("alice", "modify user bob set defaultaccount=phys1", NO_PRIVILEGE),
    ("alice", "delete account phys1", NO_PRIVILEGE),
    ("alice", "delete user bob", NO_PRIVILEGE),
    ("alice", "delete coordinator account=chem names=alice", NO_PRIVILEGE),
    ("alice", "modify qos normal set priority=3", NO_PRIVILEGE),
    ("alice", "add user eve account=phys1 adminlevel=admin", f" error: {ONLY} can add an admin/operator\n{CLOSED}"),
    ("bob", "add account sub", f" error: {ONLY}/coordinators can add accounts\n{CLOSED}"),
    ("bob", "add user eve account=chem", f" error: {ONLY}/coordinators can add accounts\n{CLOSED}"),
    ("bob", "modify user bob set adminlevel=operator", NO_PROMOTION),
    ("carol", "modify user bob set adminlevel=admin", NO_PROMOTION),
    ("carol", "delete cluster cluster", NO_PRIVILEGE),
    ("carol", "shutdown", NO_PRIVILEGE),
]


@pytest.fixture
def accounts(sim):
    for words in SETUP:
        assert sim.run(f"sacctmgr -i {words}").code == 0

    def run(line: str) -> tuple[int, str, str]:
        answer = sim.run(line)
        return answer.code, answer.out, answer.err

    return run


@pytest.mark.parametrize(("user", "words"), ALLOWED)
def test_allowed(accounts, user, words):
    code, _, err = accounts(f"--as {user} sacctmgr -i {words}")
    assert (code, err) == (0, "")


@pytest.mark.parametrize(("user", "words", "said"), DENIED)
def test_denied_and_nothing_changed(accounts, user, words, said):
    before = accounts("sacctmgr -P show assoc tree")[1], accounts("sacctmgr -P show user withcoord")[1]
    assert accounts(f"--as {user} sacctmgr -i {words}") == (1, "", said)
    assert before == (accounts("sacctmgr -P show assoc tree")[1], accounts("sacctmgr -P show user withcoord")[1])


@pytest.mark.parametrize("parent", ["root", "chem"])
def test_a_coordinator_adds_accounts_beneath_its_own_only(accounts, parent):
    code, out, err = accounts(f"--as alice sacctmgr -i add account sub parent={parent}")
    uid = int(err.partition("alice(")[2].partition(")")[0])
    assert (code, out, err) == (1, "", elsewhere(uid))


def test_a_qos_is_announced_and_then_refused(accounts):
    code, out, err = accounts("--as alice sacctmgr -i add qos low")
    assert (code, out) == (1, " Adding QOS(s)\n  low\n Settings\n  Description    = low\n")
    assert err == f" Problem adding QOS: Access/permission denied\n{CLOSED}"
    assert accounts("sacctmgr -nP show qos format=name")[1] == "normal\n"


def test_users_modify_their_own_jobs(accounts):
    accounts("sbatch --uid=bob -A chem --wrap true")
    assert accounts("--as bob sacctmgr -i modify job 1 set comment=mine")[0] == 0
    assert accounts("--as alice sacctmgr -i modify job 1 set comment=hers") == (1, "", NO_PRIVILEGE)
