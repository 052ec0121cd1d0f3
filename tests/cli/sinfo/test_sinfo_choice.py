"""Which nodes and partitions ``sinfo`` lists, how it puts them together, in which order and in which columns."""

from __future__ import annotations

import pytest
import scene

from slimsched.cli.sinfo.sinfo import command
from slimsched.model.config import Config, NodeConf, PartitionConf

EVERY = ["b1", "a1", "a2", "a3", "a10"]


def cluster():
    """Nodes a1-a3, a10 and b1 of two kinds in three partitions, one of them empty."""
    conf = Config(
        slurm={"ClusterName": "c"},
        nodes=[
            NodeConf(node_name="b1", cpus=8, real_memory=4000, sockets=2, cores_per_socket=4, weight=5, features="z"),
            NodeConf(node_name="a[1-3],a10", cpus=4, real_memory=2000, features="f,g"),
        ],
        partitions=[
            PartitionConf(partition_name="wide", nodes="ALL", max_time=60, priority_tier=2, over_subscribe="YES:2"),
            PartitionConf(
                partition_name="usual", nodes="a[1-3]", default=True, max_nodes=2, state="INACTIVE", root_only=True
            ),
            PartitionConf(partition_name="empty", nodes="", max_time=30, allow_groups="g1", state="DRAIN"),
        ],
    )
    made = scene.Cluster(conf, scene.at("08:00:00"))
    why = {"reason_uid": 0, "reason_user": "root"}
    made.nodes[1].change(flags=["DRAIN"], reason="late", reason_time=scene.at("07:30:00"), **why)
    made.nodes[2].change(state="DOWN", reason="early", reason_time=scene.at("07:00:00"), **why)
    made.nodes[3].change(flags=["NOT_RESPONDING"])
    return made


@pytest.fixture
def sinfo(capsys):
    def run(*argv):
        code, out, err = scene.call(cluster(), command, argv, capsys)
        assert (code, err) == (0, "")
        return out

    return run


@pytest.mark.parametrize(
    ("argv", "nodes"),
    [
        ("-p wide", "b1 a1 a2 a3 a10"),
        ("-p usual", "a1 a2 a3"),
        ("-p usual -n a[2-9]", "a2 a3"),
        ("-p wide -t idle", "b1 a1 a3 a10"),  # the base state, whatever the flags
        ("-p wide -t drain,down", "a1 a2"),
        ("-p wide -t drain&idle", "a1"),
        ("-p wide -t drain+idle", "a1"),
        ("-p wide -t idle&!drain", "b1 a3 a10"),
        ("-p wide -t idle+~drain", "b1 a3 a10"),
        ("-p wide -t ~drain", "b1 a2 a3 a10"),
        ("-p wide -t !!drain", "a1"),
        ("-p wide -t down,idle&drain", ""),  # one & joins all
        ("-p wide -t blocked,external,down", "a2"),
        ("-p wide -t d", "a2"),  # the first state that begins so
        ("-p wide -t DRAINE", "a1"),
        ("-p wide -t no_r", "a3"),
        ("-p wide -t i", "b1 a1 a3 a10"),
        ("-p wide -t all", "b1 a1 a2 a3 a10"),
        ("-p wide -d", "a3"),
        ("-p wide -r", "b1 a1 a2 a10"),
        ("-R", "a1 a2"),
        ("-R -t idle", "b1 a1 a3 a10"),
        ("-n nosuch", ""),
    ],
)
def test_choice(argv, nodes, sinfo):
    found = sinfo("-h", "-N", "-S", "", "-o", "%N", *argv.split()).split()

    assert list(dict.fromkeys(found)) == nodes.split()


@pytest.mark.parametrize(
    ("form", "lines"),
    [
        ("%P|%D", ["wide|5", "usual*|3", "empty|0"]),
        ("%R|%D", ["wide|5", "usual|3", "empty|0"]),
        ("%a|%D", ["up|5", "inactive|3"]),  # a partition without nodes needs its name
        ("%D", ["5"]),
        ("%n", EVERY),  # a line for each host and each address
        ("%o", EVERY),
        ("%n %R", [f"{n} wide" for n in EVERY] + [f"{n} usual" for n in EVERY[1:4]] + ["n/a empty"]),
        ("%f %N", ["z b1", "f,g a[1-3,10]"]),
        ("%c %m %X:%Y:%Z %w", ["4+ 2000+ 2+:1+:1 1+"]),
        ("%z", ["2+:1+:1"]),
        ("%p %I", ["2 1", "1 1"]),
        ("%v %D", ["26.11.0-0rc1 5"]),
        ("%l %L", ["1:00:00 n/a", "infinite n/a"]),
        ("%s %h", ["1-infinite YES:2", "1-2 NO"]),
        ("%r %g", ["no all", "yes all"]),
        ("%E %u %U", ["none Unknown Unknown", "late root root(0)", "early root root(0)"]),
        ("%E %H", ["none Unknown", "late 2026-11-21T07:30:00", "early 2026-11-21T07:00:00"]),
        ("%A %F", ["0/3 0/3/2/5"]),
        ("%C", ["0/16/8/24"]),
    ],
)
def test_fields(form, lines, sinfo):
    assert sorted(sinfo("-h", "-S", "", "-o", form).splitlines()) == sorted(lines)


def test_exact(sinfo):
    assert sinfo("-h", "-e", "-S", "", "-o", "%c %m %N").splitlines() == ["8 4000 b1", "4 2000 a[1-3,10]"]
    assert sinfo("-h", "-e", "-S", "", "-o", "%N").splitlines() == ["b1,a[1-3,10]"]


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ("N", "a1 a2 a3 a10 b1"),
        ("-N", "b1 a10 a3 a2 a1"),
        ("n", "a1 a2 a3 a10 b1"),
        ("o", "a1 a2 a3 a10 b1"),
        ("c,N", "a1 a2 a3 a10 b1"),
        ("-c,N", "b1 a1 a2 a3 a10"),
        ("m,N", "a1 a2 a3 a10 b1"),
        ("w,-N", "a10 a3 a2 a1 b1"),
        ("f,N", "a1 a2 a3 a10 b1"),
        ("-f,N", "b1 a1 a2 a3 a10"),
        ("t,N", "a2 a10 b1 a1 a3"),
        ("-T,N", "a3 a1 a10 b1 a2"),
        ("E,N", "a3 a10 b1 a2 a1"),
        ("H,N", "a3 a10 b1 a2 a1"),
        ("u,N", "a1 a2 a3 a10 b1"),
        ("-U,N", "a3 a10 b1 a1 a2"),
        ("z,N", "b1 a1 a2 a3 a10"),
        ("-X,Y,Z,d,O,N", "a1 a2 a3 a10 b1"),
        ("A,F,D,N", "a1 a2 a3 a10 b1"),
    ],
)
def test_order_of_nodes(order, names, sinfo):
    assert sinfo("-h", "-p", "wide", "-N", "-S", order, "-o", "%N").split() == names.split()


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ("#P", "wide usual* empty"),
        ("-#P", "wide usual* empty"),
        ("P", "empty usual* wide"),
        ("-P", "wide usual* empty"),
        ("R", "empty usual* wide"),
        ("a,P", "usual* wide empty"),
        ("l,P", "empty wide usual*"),
        ("s,P", "usual* empty wide"),
        ("r,P", "empty wide usual*"),
        ("p,P", "empty usual* wide"),
        ("h,P", "empty usual* wide"),
        ("g,P", "usual* wide empty"),
        ("M,P", "empty usual* wide"),
        ("D", "empty usual* wide"),
    ],
)
def test_order_of_partitions(order, names, sinfo):
    assert sinfo("-h", "-S", order, "-o", "%P").split() == names.split()


@pytest.mark.parametrize(
    ("form", "lines"),
    [
        ("%5P|", ["PARTI|", "wide |", "usua*|", "empty|"]),  # the star of the default partition is kept
        ("%.3P|", ["PAR|", "wid|", "us*|", "emp|"]),
        ("%1P|", ["P|", "w|", "*|", "e|"]),
        ("%3R|", ["PAR|", "wid|", "usu|", "emp|"]),
        ("%.5a|%.1R", ["AVAIL|P", "   up|w", "inact|u", "drain|e"]),
    ],
)
def test_width(form, lines, sinfo):
    assert sinfo("-S", "", "-o", form).splitlines() == lines


@pytest.mark.parametrize(
    ("variables", "argv", "header"),
    [
        ({"SINFO_FORMAT": "%P"}, "", "PARTITION"),
        ({"SINFO_FORMAT": "%P"}, "-o %N", "NODELIST"),
        ({"SINFO_FORMAT": "%P"}, "-O nodes:", "NODES"),
        ({"SINFO_FORMAT": "%P"}, "-s", "PARTITION AVAIL  TIMELIMIT   NODES(A/I/O/T) NODELIST"),
        ({"SINFO_FORMAT": "%P"}, "-N", "NODELIST   NODES PARTITION STATE "),
        ({"SINFO_FORMAT": "%P"}, "-R", "REASON               USER      TIMESTAMP           NODELIST"),
        ({}, "-O nodes: -o nodelist:", "NODELIST"),  # beside -O, also that of -o is a long format
        ({}, "-R -N", "NODELIST   NODES PARTITION STATE "),
        ({}, "-N -R -s", "PARTITION AVAIL  TIMELIMIT   NODES(A/I/O/T) NODELIST"),
        ({}, "-o %N -O nodes:", "NODES"),
    ],
)
def test_which_format(variables, argv, header, sinfo, monkeypatch):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert sinfo(*argv.split()).splitlines()[0] == header


@pytest.mark.parametrize("options", [["-l", "-o", "%N"], ["-O", "nodes", "--long"]])
def test_long_beside_a_format(options, capsys):
    assert scene.call(cluster(), command, options, capsys) == (
        1,
        "",
        "sinfo: fatal: Options -o(--format) and -l(--long) are mutually exclusive. Please remove one and retry.\n",
    )


def test_lines_of_several_partitions(sinfo):
    """Fields that Slurm does not tell lines apart by: one line, with the values of the first partition."""
    assert sinfo("-h", "-o", "%h|%S|%V|%D").count("\n") == 1
    assert sinfo("-h", "-o", "%a|%r|%l|%D").count("\n") > 1


def test_names_in_slurms_order(sinfo):
    assert sinfo("--helpformat").startswith("%S    %a    %V    %Y    %c    %O    %C    %L    \n%d    %f    %b    %e")
    assert sinfo("--helpFormat").startswith("AllocMem            AllocNodes          Available           Cluster")
    assert sinfo("--helpstate").startswith("unknown\ndown\nidle\n")


@pytest.mark.parametrize(
    ("variables", "argv", "names"),
    [
        ({"SINFO_PARTITION": "wide,empty"}, "", "wide empty"),
        ({"SINFO_PARTITION": "wide"}, "-p usual", "usual*"),
        ({"SINFO_PARTITION": "wide"}, "-a", "wide usual* empty"),
        ({"SINFO_SORT": "P"}, "", "empty usual* wide"),
        ({"SINFO_SORT": "P"}, "-S -P", "wide usual* empty"),
    ],
)
def test_variables(variables, argv, names, sinfo, monkeypatch):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert sinfo("-h", "-o", "%P", *argv.split()).split() == names.split()


@pytest.mark.parametrize(("first", "second"), [("-a", "-p"), ("SINFO_ALL", "SINFO_PARTITION")])
def test_conflicts(first, second, capsys, monkeypatch):
    argv = ["-a", "-p", "wide"] if first == "-a" else []
    if not argv:
        monkeypatch.setenv(first, "1")
        monkeypatch.setenv(second, "wide")

    text = f"sinfo: error: Conflicting options, {first} and {second}, specified. Please choose one or the other.\n"
    assert scene.call(cluster(), command, argv, capsys) == (1, "", text)


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        ("-v", ["filtering   = false", "part_field  = true", "node_field  = false", "all_flag        = false"]),
        ("-v -p wide", ["filtering   = true", "partition   = wide", "all_flag        = true"]),
        ("-v -t idle -e", ["filtering   = true", "states      = idle", "exact       = 1"]),
        ("-v -R", ["states      = down,fail,drain", "part_field  = false", "reason_user_flag = true"]),
        ("-v -o %P -S N", ["format      = %P", "part_field  = false", "sort        = N", "partition_flag  = true"]),
        ("-vv -l", ["verbose     = 2", "long        = true", "resv_name_flag   = true"]),
    ],
)
def test_verbose(argv, expected, sinfo):
    lines = sinfo(*argv.split()).splitlines()

    assert [line for line in expected if line not in lines] == []
    assert lines.count("Sat Nov 21 08:00:00 2026") == 1


def test_reasons_in_the_order_of_partitions(sim):
    conf = "ClusterName=c\nNodeName=n[1-2] CPUs=1\nPartitionName=a Nodes=n2\nPartitionName=b Nodes=n1\n"
    (sim.cwd / "slurm.conf").write_text(conf)
    sim("init --from slurm.conf")
    sim("scontrol update nodename=n1 state=drain reason=x")
    sim("scontrol update nodename=n2 state=down reason=y")

    assert sim("sinfo -hR -o '%E %N'").split() == ["y", "n2", "x", "n1"]
    assert sim("sinfo -hR -o '%P %D'").split() == ["a", "2"]  # partitions do not part reasons
