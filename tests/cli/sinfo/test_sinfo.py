"""``sim sinfo`` against what the real one printed for the same nodes."""

from __future__ import annotations

import pytest
import scene
import world

from slimsched.cli.sinfo.sinfo import command
from slimsched.model.config import Config, NodeConf, PartitionConf
from slimsched.model.reservation import Reservation

HEADER = "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n"


@pytest.mark.parametrize("record", scene.records("sinfo_variants.jsonl"), ids=lambda record: " ".join(record["argv"]))
def test_as_recorded(record, capsys, monkeypatch):
    for key, value in record.get("env", {}).items():
        monkeypatch.setenv(key, value)

    answer = scene.call(scene.nodes_busy(), command, record["argv"], capsys)

    assert answer == (record.get("rc", 0), record["out"], record.get("err", ""))


def sinfo(capsys, *argv, cluster=None):
    return scene.call(cluster or scene.nodes_busy(), command, argv, capsys)


def test_long(capsys):
    out = sinfo(capsys, "-l", "-p", "batch")[1]

    assert out == (
        "Sat Nov 21 07:32:46 2026\n"
        "PARTITION AVAIL  TIMELIMIT   JOB_SIZE ROOT OVERSUBS     GROUPS  NODES       STATE RESERVATION NODELIST\n"
        "batch        up 1-00:00:00 1-infinite   no       NO        all      1     drained             node7\n"
        "batch        up 1-00:00:00 1-infinite   no       NO        all      2        idle             node[5-6]\n"
        "batch        up 1-00:00:00 1-infinite   no       NO        all      1        down             node8\n"
    )


def test_reasons(capsys):
    assert sinfo(capsys, "-R")[1] == (
        "REASON               USER      TIMESTAMP           NODELIST\n"
        "disk                 root      2026-11-21T07:32:46 node7\n"
        "psu fail             root      2026-11-21T07:32:46 node8\n"
    )
    assert sinfo(capsys, "-Rl")[1] == (
        "Sat Nov 21 07:32:46 2026\n"
        "REASON               USER         TIMESTAMP           STATE  NODELIST\n"
        "disk                 root(0)      2026-11-21T07:32:46 drain  node7\n"
        "psu fail             root(0)      2026-11-21T07:32:46 down   node8\n"
    )


def test_reservations(capsys):
    cluster = scene.nodes_busy()
    assert sinfo(capsys, "-T", cluster=cluster)[1] == "No reservations in the system\n"

    for name, hours, nodes, flags in (("maint1", 0, "node[4-5]", ["MAINT"]), ("later", 1, "node2", [])):
        start = cluster.now + 3600 * hours
        cluster.reservations[name] = Reservation(
            name=name, start_time=start, end_time=start + 7200, nodes=nodes, flags=flags
        )

    assert sinfo(capsys, "-T", cluster=cluster)[1] == (
        "RESV_NAME     STATE           START_TIME             END_TIME     DURATION  NODELIST\n"
        "maint1       ACTIVE  2026-11-21T07:32:46  2026-11-21T09:32:46     02:00:00  node[4-5]\n"
        "later      INACTIVE  2026-11-21T08:32:46  2026-11-21T10:32:46     02:00:00  node2\n"
    )
    assert sinfo(capsys, "-h", "-N", "-p", "batch", "-o", "%N %t %i", cluster=cluster)[1] == (
        "node5 maint maint1\nnode6 idle \nnode7 drain \nnode8 down \n"
    )


@pytest.mark.parametrize(
    ("flags", "cpus", "state", "long", "compact"),
    [
        ([], 0, "IDLE", "idle", "idle"),
        ([], 1, "IDLE", "mixed", "mix"),
        ([], 4, "IDLE", "allocated", "alloc"),
        (["DRAIN"], 0, "IDLE", "drained", "drain"),
        (["DRAIN"], 1, "IDLE", "draining", "drng"),
        (["FAIL"], 0, "IDLE", "fail", "fail"),
        (["FAIL"], 1, "IDLE", "failing", "failg"),
        (["NOT_RESPONDING"], 0, "IDLE", "idle*", "idle*"),
        (["NOT_RESPONDING"], 1, "IDLE", "mixed*", "mix*"),
        (["NOT_RESPONDING"], 0, "DOWN", "down*", "down*"),
        (["DRAIN", "NOT_RESPONDING"], 0, "DOWN", "drained*", "drain*"),
        (["NOT_RESPONDING"], 0, "UNKNOWN", "unknown*", "unk*"),
        (["PLANNED"], 0, "IDLE", "planned", "plnd"),
        (["PLANNED"], 1, "IDLE", "mixed-", "mix-"),
        (["RESERVED"], 0, "IDLE", "reserved", "resv"),
        (["MAINTENANCE", "RESERVED"], 0, "IDLE", "maint", "maint"),
        (["MAINTENANCE", "RESERVED"], 1, "IDLE", "mixed$", "mix$"),
        (["COMPLETING"], 0, "IDLE", "completing", "comp"),
        (["POWERED_DOWN"], 0, "IDLE", "idle~", "idle~"),
        (["POWERED_DOWN", "NOT_RESPONDING"], 0, "IDLE", "idle~", "idle~"),
        (["POWERED_DOWN", "PLANNED"], 0, "IDLE", "idle~", "idle~"),
        (["POWERED_DOWN"], 0, "DOWN", "down~", "down~"),
        (["CLOUD", "POWERED_DOWN"], 0, "IDLE", "idle~", "idle~"),
        (["CLOUD", "NOT_RESPONDING", "POWERING_UP"], 0, "IDLE", "idle#", "idle#"),
        (["CLOUD", "NOT_RESPONDING", "POWERING_UP"], 1, "IDLE", "mixed#", "mix#"),
        (["CLOUD", "NOT_RESPONDING", "POWERING_UP"], 4, "IDLE", "allocated#", "alloc#"),
        (["POWERING_DOWN"], 0, "IDLE", "idle%", "idle%"),
        (["POWERING_DOWN"], 0, "DOWN", "down%", "down%"),
        (["POWER_DOWN"], 1, "IDLE", "mixed!", "mix!"),
        (["DRAIN", "POWER_DOWN"], 1, "IDLE", "draining!", "drng!"),
        (["DRAIN", "POWERING_UP"], 0, "IDLE", "drained#", "drain#"),
        (["MAINTENANCE", "RESERVED", "POWERED_DOWN"], 0, "IDLE", "maint", "maint"),
        (["DRAIN", "POWERED_DOWN"], 0, "IDLE", "drained~", "drain~"),
        (["DRAIN", "MAINTENANCE"], 0, "IDLE", "drained$", "drain$"),
        (["DRAIN", "MAINTENANCE", "NOT_RESPONDING"], 1, "IDLE", "draining$", "drng$"),
        (["MAINTENANCE"], 0, "DOWN", "down$", "down$"),
        (["MAINTENANCE", "NOT_RESPONDING"], 0, "IDLE", "maint*", "maint*"),
        (["NOT_RESPONDING", "RESERVED"], 0, "IDLE", "idle*", "idle*"),
        (["NOT_RESPONDING", "PLANNED"], 1, "IDLE", "mixed*", "mix*"),
        (["FAIL", "NOT_RESPONDING", "MAINTENANCE"], 1, "IDLE", "failing*", "failg*"),
        (["INVALID_REG"], 0, "IDLE", "inval", "inval"),
        (["INVALID_REG", "DRAIN", "NOT_RESPONDING"], 0, "IDLE", "inval*", "inval*"),
        (["COMPLETING"], 4, "IDLE", "allocated+", "alloc+"),
        ([], 0, "FUTURE", "future", "futr"),
    ],
)
def test_state_words(capsys, flags, cpus, state, long, compact):
    cluster = scene.Cluster(world.recorded(), scene.at("08:00:00"))
    cluster.nodes[0].change(state=state, flags=flags)
    if cpus:
        scene.run(cluster, scene.add(cluster, 1, "07:00:00"), "node1", [cpus], [100], "07:00:00")

    shown = sinfo(capsys, "-h", "-n", "node1", "-F", "-p", "debug", "-o", "%T %t", cluster=cluster)
    assert shown == (0, f"{long} {compact}\n", "")


@pytest.mark.parametrize(
    ("flags", "cpus", "state", "nodes", "counted"),
    [
        ([], 0, "IDLE", "0/1/0/1", "0/4/0/4"),
        ([], 1, "IDLE", "1/0/0/1", "1/3/0/4"),
        (["DRAIN"], 0, "IDLE", "0/0/1/1", "0/0/4/4"),
        (["DRAIN"], 1, "IDLE", "1/0/0/1", "1/0/3/4"),  # its jobs go on
        (["NOT_RESPONDING"], 0, "IDLE", "0/1/0/1", "0/4/0/4"),
        ([], 0, "DOWN", "0/0/1/1", "0/0/4/4"),
        (["FAIL"], 0, "IDLE", "0/1/0/1", "0/4/0/4"),
        ([], 0, "UNKNOWN", "0/1/0/1", "0/4/0/4"),
    ],
)
def test_counts(capsys, flags, cpus, state, nodes, counted):
    cluster = scene.Cluster(world.recorded(), scene.at("08:00:00"))
    cluster.nodes[0].change(state=state, flags=flags)
    if cpus:
        scene.run(cluster, scene.add(cluster, 1, "07:00:00"), "node1", [cpus], [100], "07:00:00")

    assert sinfo(capsys, "-h", "-n", "node1", "-o", "%F %C", cluster=cluster)[1] == f"{nodes} {counted}\n"


def test_planned_nodes_are_those_with_room(capsys):
    cluster = scene.formats()

    assert sinfo(capsys, "-h", "-p", "debug", "-S", "N", "-o", "%N %t", cluster=cluster)[1] == (
        "node[1,5-6] alloc\nnode[2,7] mix-\nnode[3-4,8] plnd\n"
    )


def test_future_nodes_are_hidden(capsys):
    cluster = scene.nodes_busy()
    cluster.nodes[5].change(state="FUTURE")

    assert "node5\n" in sinfo(capsys, "-h", "-t", "idle", "-p", "batch", "-o", "%t %N", cluster=cluster)[1]
    assert "futr node6\n" in sinfo(capsys, "-h", "-F", "-p", "batch", "-o", "%t %N", cluster=cluster)[1]


def test_hidden_partition(capsys):
    cluster = scene.nodes_busy()
    cluster.partitions["batch"].hidden = True

    assert "batch" not in sinfo(capsys, cluster=cluster)[1]
    assert "batch" in sinfo(capsys, "-a", cluster=cluster)[1]
    assert "batch" in sinfo(capsys, "-p", "batch", cluster=cluster)[1]


def test_wrong_words(capsys):
    code, out, err = sinfo(capsys, "-t", "idle,bogus")
    assert (code, out) == (1, "")
    assert err.startswith('sinfo: error: Bad state string: "bogus"\nsinfo: error: valid states: unknown,down,')
    assert err.endswith("powering_up,powering_down\n")


@pytest.mark.parametrize("order", ["=", "x,C,v", "?"])
def test_orders_that_mean_nothing(order, capsys):
    assert sinfo(capsys, "-S", order) == sinfo(capsys, "-S", "")


def test_sizes_that_differ():
    conf = Config(
        nodes=[NodeConf(node_name="a[1-2]", cpus=4, real_memory=100), NodeConf(node_name="b1", cpus=8, weight=2)],
        partitions=[PartitionConf(partition_name="p", nodes="ALL", default=True)],
    )
    cluster = scene.Cluster(conf, 60)
    from slimsched.render.columns import Style, parse_short
    from slimsched.render.nodes import sinfo_fields, sinfo_rows

    wanted = parse_short("%N %c %m %w", sinfo_fields.LINES.by_letter)
    for shared, expected in (
        (sinfo_fields.SHARED, ["a[1-2],b1 4+ 1+ 1+"]),
        (sinfo_fields.EXACT, ["a[1-2] 4 100 1", "b1 8 1 2"]),
    ):
        fields = [field for field in wanted.fields if field in shared]
        found = sinfo_rows.rows(cluster, sinfo_rows.Selection(), fields)
        assert wanted.lines(found, Style(header=False)) == expected


def test_every_long_field(capsys):
    listed = sinfo(capsys, "--helpFormat")[1].split()

    code, out, err = sinfo(capsys, "-O", ",".join(listed))

    assert (code, err) == (0, "")
    assert {len(line) for line in out.splitlines()} == {20 * len(listed)}


def test_verbose(capsys):
    lines = sinfo(capsys, "-v", "-N", "-n", "node1")[1].splitlines()

    assert lines[1] == "dead        = false"
    assert "format      = nodelist:9 ,nodes:.6 ,partition:.9 ,statecompact:6" in lines
    assert "node_field  = true" in lines
    assert "nodes       = node1" in lines
    assert "state_flag      = true" in lines
    assert "default_time_flag =false" in lines


def test_the_reason_of_a_node_in_service_is_not_listed(capsys):
    cluster = scene.nodes_busy()
    cluster.nodes[4].change(reason="onlyreason")

    assert "onlyreason" not in scene.call(cluster, command, ["-N", "-h", "-o", "%N %E"], capsys)[1]
