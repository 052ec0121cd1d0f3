"""Resources of the database, the shares of clusters, and the licenses that they are."""

from __future__ import annotations

import pytest

ADD = "sacctmgr -i add resource matlab server=flex count=100 type=license cluster=cluster"


@pytest.fixture
def shared(sim):
    sim(f"{ADD} allowed=50")
    return sim


def rows(sim, *more: str) -> list[str]:
    return sim(" ".join(["sacctmgr -nP show resource", *more])).splitlines()


def test_a_resource_with_a_share(sim):
    assert sim(f"{ADD} allowed=50") == (
        " Adding Resource(s)\n  matlab@flex\n   Cluster - cluster\t50\n Settings\n  Name           = matlab\n"
        "  Server         = flex\n  Description    = matlab\n  Count          = 100\n  Type           = License\n"
    )
    assert sim.run(f"{ADD} allowed=50") == (1, " Nothing new added.\n", "")
    assert rows(sim) == ["matlab|flex|License|100|0|50||"]
    assert rows(sim, "withclusters") == ["matlab|flex|License|100|0|50||cluster|50|"]
    assert sim("sacctmgr -nP show transaction format=action,where").splitlines()[-1] == "Add Resources|matlab@flex"


def test_a_share_of_a_resource_that_exists(sim):
    sim("sacctmgr -i add resource matlab server=flex count=100 type=license")
    assert rows(sim, "withclusters") == []

    assert "  LastConsumed   = 0\n" in sim(f"{ADD} percentallowed=20")
    assert rows(sim, "withclusters") == ["matlab|flex|License|100|0|20||cluster|20|"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("add resource x", " Need to designate a resource type to initially add 'x'.\n"),
        ("add resource x type=license", " Need to designate a resource count to initially add 'x'.\n"),
        (
            "modify resource matlab set allowed=5",
            'Can\'t change "allowed" without specifying a cluster.\n',
        ),
        (
            "modify resource matlab cluster=cluster set count=5",
            'Can\'t change "count" on a cluster-based resource. Remove cluster selection.\n',
        ),
        (
            "modify resource matlab cluster=cluster set allowed=101",
            " If change was accepted it would look like this...\n  matlab@flex\n   Cluster - cluster\t 101%\n"
            "   total\t\t101%\n",
        ),
    ],
)
def test_refusals(shared, line, said):
    assert shared.run(f"sacctmgr -i {line}") == (1, "", said)
    assert rows(shared, "withclusters") == ["matlab|flex|License|100|0|50||cluster|50|"]


def test_more_than_all_cannot_be_handed_out(sim):
    answer = sim.run(f"{ADD} allowed=101")

    assert answer.code == 1
    assert answer.err == " Problem adding system resource: You can not allocate more than 100% of a resource\n"
    assert rows(sim) == []


def test_changes_of_resources_and_of_shares(shared):
    both = " Modified server resource ...\n  matlab@flex\n  Cluster - cluster\t- matlab@flex\n"
    assert shared("sacctmgr -i modify resource matlab server=flex set count=200") == both
    assert shared("sacctmgr -i modify resource matlab cluster=cluster set allowed=30") == (
        " Modified server resource ...\n  Cluster - cluster\t- matlab@flex\n"
    )
    assert rows(shared, "withclusters") == ["matlab|flex|License|200|0|30||cluster|30|"]
    assert shared("sacctmgr -i delete resource matlab cluster=cluster") == (
        " Deleting resource(s)...\n  Cluster - cluster\t- matlab@flex\n"
    )
    assert rows(shared) == ["matlab|flex|License|200|0|0||"]
    assert shared("sacctmgr -i delete resource matlab") == " Deleting resource(s)...\n  matlab@flex\n"
    assert rows(shared) == []


def test_the_share_is_a_license(shared):
    shared("sacctmgr -i modify resource matlab set lastconsumed=70")
    assert shared("scontrol -o show lic") == (
        "LicenseName=matlab@flex Total=50 Used=0 Free=30 Reserved=0 Remote=yes LastConsumed=70 LastDeficit=20 "
        "LastUpdate=2026-01-01T00:00:00\n"
    )
    assert shared.run("sbatch -L matlab@flex:51 --wrap true").code == 1
    shared("sbatch -L matlab@flex:25 --wrap 'sleep 60'")
    shared("sbatch -L matlab@flex:25 --wrap 'sleep 60'")
    shared("sbatch -L matlab@flex:1 --wrap 'sleep 60'")
    assert shared("squeue -h -S i -o '%i %t %r'") == "1 R None\n2 R None\n3 PD Licenses\n"
    assert "Used=50 Free=0 Reserved=0 Remote=yes" in shared("scontrol show lic matlab@flex")


def test_what_others_use_is_not_free(shared):
    shared("sacctmgr -i modify resource matlab set lastconsumed=100")
    shared("sbatch -L matlab@flex:1 --wrap 'sleep 60'")
    assert shared("squeue -h -o '%t %r'") == "PD Licenses\n"

    shared("sacctmgr -i modify resource matlab set lastconsumed=10")
    assert shared("squeue -h -o '%t %r'") == "R None\n"


def test_absolute_shares_are_numbers(sim):
    assert "  Flags          = Absolute\n" in sim(f"{ADD} allowed=30 flags=absolute")
    assert sim("scontrol -o show lic").startswith("LicenseName=matlab@flex Total=30 ")
    unknown = sim.run(f"{ADD} flags=foo")
    assert (unknown.code, unknown.out.splitlines()[-1]) == (1, " 'Absolute'")
