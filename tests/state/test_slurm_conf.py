"""Reading slurm.conf, gres.conf and topology.conf."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from slimsched.errors import UserError
from slimsched.model.cluster import Cluster
from slimsched.model.config import SwitchConf
from slimsched.state import config_tables, config_write, slurm_conf, slurm_keys
from slimsched.state.fields import show

DATA = Path(__file__).parent.parent / "data" / "conf"
NODE = "NodeName=n[1-2] CPUs=4\nPartitionName=p Nodes=n[1-2]\n"


@pytest.fixture(scope="module")
def zoo() -> slurm_conf.Imported:
    return slurm_conf.load(str(DATA / "slurm.conf"))


def load(tmp_path: Path, text: str) -> slurm_conf.Imported:
    (tmp_path / "slurm.conf").write_text(text)
    return slurm_conf.load(str(tmp_path / "slurm.conf"))


def test_global_keys_have_slurms_spelling(zoo: slurm_conf.Imported) -> None:
    assert zoo.config.slurm == {
        "ClusterName": "zoo",
        "ControlMachine": "head",
        "SlurmctldHost": "head1(10.0.0.1),head2(10.0.0.2)",
        "SchedulerParameters": "bf_continue,bf_interval=30",
        "MinJobAge": "120",
        "FirstJobId": "7",
        "JobCompLoc": "a file#1 with blanks",
        "JobSubmitPlugins": "lua",
        "Prolog": "/etc/prolog",
        "GresTypes": "gpu,nic",
    }
    assert zoo.config.other == {}


def test_nodes(zoo: slurm_conf.Imported) -> None:
    down = {"State": "DRAIN", "Reason": "bad disk"}
    old = {"CPUs": 8, "RealMemory": 16000, "Features": "old", "NodeHostname": "host"}
    big = {"CPUs": 32, "Boards": 2, "Sockets": 4, "CoresPerSocket": 4, "ThreadsPerCore": 2, "RealMemory": 16000}

    assert [show(line) for line in zoo.config.nodes] == [
        {"NodeName": "c1", **old, "NodeAddr": "10.0.1.1", "Port": "7001"},
        {"NodeName": "c[2-3]", **old, **down, "NodeAddr": "10.0.1.[2-3]", "Port": "[7002-7003]"},
        {"NodeName": "c4", **old, "NodeAddr": "10.0.1.4", "Port": "7004"},
        {"NodeName": "big", **big, **down, "Features": "old", "Weight": 5},
        {"NodeName": "g[1-2]", **big, "Features": "new,fast", "Gres": "gpu:a100:2,nic"},
    ]
    assert zoo.config.nodes[3].other == {"CpuSpecList": "0"}


def test_partitions(zoo: slurm_conf.Imported) -> None:
    assert [show(line) for line in zoo.config.partitions] == [
        {
            "PartitionName": "cpu",
            "Nodes": "c[1-4],big",
            "Default": True,
            "MaxTime": "1-00:00:00",
            "PriorityTier": 10,
            "PriorityJobFactor": 10,
        },
        {"PartitionName": "gpu", "Nodes": "gpus", "DefMemPerCPU": 2048},
        {
            "PartitionName": "all",
            "Nodes": "ALL",
            "MaxTime": "01:30:00",
            "DefaultTime": "00:31:00",
            "AllowGroups": "a,b",
            "AllowAllocNodes": "head",
        },
    ]
    assert zoo.config.partitions[1].other == {"CpuBind": "core"}
    cluster = Cluster(zoo.config)
    assert cluster.hostlist_of(cluster.partition_bitmap("gpu")) == "g[1-2]"


def test_switches_and_remarks(zoo: slurm_conf.Imported) -> None:
    assert zoo.config.switches == [
        SwitchConf(switch_name="s1", nodes="c[1-4]", link_speed=10),
        SwitchConf(switch_name="s2", nodes="g[1-2],big"),
        SwitchConf(switch_name="top", switches="s1,s2"),
    ]
    assert zoo.notes == [
        f"{DATA}/gres.conf:4: nodes that are not in the cluster: x9",
        f"{DATA}/topology.conf:1: nodes that are not in the cluster: c[5-6]",
    ]
    assert zoo.unused == ["ControlMachine", "CpuBind", "FrontendName", "JobCompLoc"]
    assert list(zoo.differences) == ["Cores (gres.conf)", "CpuSpecList", "JobSubmitPlugins"]


@pytest.mark.parametrize(
    ("text", "hosts", "unused"),
    [
        ("ControlMachine=a\n", "a", []),
        ("ControlMachine=a\nControlAddr=1.2.3.4\nBackupController=b\n", "a(1.2.3.4),b", []),
        ("BackupController=b\nBackupAddr=5.6.7.8\nControlMachine=a\n", "a,b(5.6.7.8)", []),
        ("ControlMachine=a\nSlurmctldHost=c\n", "c", ["ControlMachine"]),
        ("", None, []),
    ],
)
def test_the_hosts_of_slurmctld_by_their_old_names(text, hosts, unused, tmp_path):
    found = load(tmp_path, f"{text}NodeName=n1\nPartitionName=p Nodes=ALL\n")

    assert (found.config.slurm.get("SlurmctldHost"), found.unused) == (hosts, unused)


def test_what_is_imported_survives_in_cluster_toml(zoo: slurm_conf.Imported) -> None:
    assert config_tables.parse(config_write.text(zoo.config).encode()) == zoo.config


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "PurgeJobAfter=12months\n",
            "slurm.conf:1: Parsing error at unrecognized key: PurgeJobAfter"
            "; it belongs to slurmdbd.conf, which is not read here",
        ),
        ("NodeName=n1 CPUs=x\n", "slurm.conf:1: CPUs: should be a whole number, not 'x'"),
        ("\nwhat is this\n", "slurm.conf:2: cannot be read: 'what is this' is not Key=Value"),
        ("CPUs=4 NodeName=n1\n", "slurm.conf:1: NodeName must be the first key of its line"),
        ("Include gone.conf\n", "slurm.conf:1: {0}/gone.conf: No such file or directory"),
        ("Include slurm.conf\n", "slurm.conf:1: Include slurm.conf: includes itself"),
        ("Include /dev/zero\n", "slurm.conf:1: /dev/zero: Not a regular file"),
        ("Include a\0b.conf\n", "slurm.conf:1: a file cannot have this name: '{0}/a\\x00b.conf'"),
        ("ClusterName=a\0b\nInclude %c.conf\n", "slurm.conf:2: a file cannot have this name: '{0}/a\\x00b.conf'"),
        ("", "slurm.conf: there are no nodes"),
        (NODE + "NodeName=n2\n", "slurm.conf:3: NodeName=n2: node n2 is described twice"),
        (NODE + "PartitionName=q Nodes=n7\n", "slurm.conf:3: PartitionName=q: Nodes: no such node: n7"),
        (NODE + "MinJobAge=soon\n", "slurm.conf:3: MinJobAge: should be a whole number, not 'soon'"),
        ("NodeName=n[1-2\n", "slurm.conf:1: NodeName=n[1-2: NodeName: '[' without its ']'"),
        (NODE + "PartitionName=q MaxTime=soon\n", "slurm.conf:3: MaxTime: should be a time limit such as"),
        (NODE + "PartitionName=q State=ASLEEP\n", "slurm.conf:3: PartitionName=q: State: no such state: 'ASLEEP'"),
        (NODE + "DownNodes=n[1\n", "slurm.conf:3: DownNodes: '[' without its ']'"),
        (
            NODE + "DownNodes=n1 Sate=DOWN\n",
            "slurm.conf:3: Parsing error at unrecognized key: Sate; did you mean State?",
        ),
        (NODE + "DownNodes=n1 State=OUT\n", "slurm.conf:3: State: no such state: 'OUT'"),
        (
            NODE + "NodeSet=s Feture=x\n",
            "slurm.conf:3: Parsing error at unrecognized key: Feture; did you mean Feature?",
        ),
        (NODE + "NodeSet=s Nodes=n9\n", "slurm.conf:3: NodeSet=s: Nodes: no such node: n9"),
        (NODE + "NodeSet=s Nodes=n[1\n", "slurm.conf:3: NodeSet=s: Nodes: '[' without its ']'"),
        (NODE + "NodeSet=n2 Nodes=n1\n", "slurm.conf:3: NodeSet=n2: a node has the same name"),
        (NODE + "NodeSet=s\n", "slurm.conf:3: NodeSet=s: neither Nodes nor Feature is given"),
        (NODE + "\nFoo=bar\n", "slurm.conf:4: Parsing error at unrecognized key: Foo"),
        (
            NODE + "SchedulerParametrs=defer\n",
            "slurm.conf:3: Parsing error at unrecognized key: SchedulerParametrs; did you mean SchedulerParameters?",
        ),
        (
            "NodeName=n1 RealMemroy=1\n",
            "slurm.conf:1: Parsing error at unrecognized key: RealMemroy; did you mean RealMemory?",
        ),
        (
            NODE + "PartitionName=q MaxTme=1\n",
            "slurm.conf:3: Parsing error at unrecognized key: MaxTme; did you mean MaxTime?",
        ),
        (
            NODE + "SchedulerParameters=max_job_bf=50\n",
            "slurm.conf:3: SchedulerParameters: Invalid parameter max_job_bf. The option is no longer supported, "
            "please use bf_max_job_test instead.",
        ),
        ("NodeName=n[1-9999999]\n", "slurm.conf:1: NodeName="),
        ("\0\n", "slurm.conf:1: cannot be read: '\\x00' is not Key=Value"),
    ],
)
def test_faults_name_file_and_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        load(tmp_path, text)

    assert said.format(tmp_path) in caught.value.message


@pytest.mark.parametrize(
    ("line", "different"),
    [
        ("InactiveLimit=0", []),
        ("InactiveLimit=60", ["InactiveLimit"]),
        ("BurstBufferType=none", []),
        ("RebootProgram=/bin/reboot ResumeFailProgram=/bin/off", ["RebootProgram", "ResumeFailProgram"]),
        ("MCSPlugin=mcs/none", []),
        ("MCSPlugin=mcs/account", ["MCSPlugin"]),
        ("SlurmdDebug=3", []),
    ],
)
def test_keys_by_which_the_real_cluster_differs(tmp_path: Path, line: str, different: list[str]) -> None:
    made = load(tmp_path, f"{NODE}{line}\n")

    assert list(made.differences) == different
    assert sorted([*made.unused, *made.differences]) == sorted(word.partition("=")[0] for word in line.split())


def test_loops_and_bombs_of_includes_end(tmp_path: Path) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / name).write_text(f"Include {other}\n")
    with pytest.raises(UserError, match="includes itself"):
        load(tmp_path, "Include a\n")
    for number in range(40):
        (tmp_path / f"bomb{number}").write_text(f"Include bomb{number + 1}\n" * 2)
    (tmp_path / "bomb40").write_text("")
    with pytest.raises(UserError, match="includes itself"):
        load(tmp_path, "Include bomb0\n")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Prolog=a\\#b", "a#b"),
        ("Prolog=a # b", "a"),
        ('Prolog="a # b"', '"a'),
        ("Prolog=a \\\n  Epilog=b", "a"),
        ("Prolog=a\\\\", "a\\\\"),
        ("Prolog =  a", "a"),
        ("Prolog=a=b", "a=b"),
        ("Prolog=", ""),
        ("Prolog=a\r", "a"),
        ('pRoLoG="a  b"', "a  b"),
        ("Prolog=a\nProlog=b", "b"),
        ("Prolog=a \\", "a"),
    ],
)
def test_lines(tmp_path: Path, text: str, value: str) -> None:
    assert load(tmp_path, NODE + text).config.slurm["Prolog"] == value


def test_a_million_lines_are_no_trouble(tmp_path: Path) -> None:
    assert load(tmp_path, NODE + "#\n" * 100_000 + "Prolog=x \\\n" * 10_000 + "\n").config.slurm["Prolog"] == "x"


def test_blocks(tmp_path: Path) -> None:
    (tmp_path / "topology.conf").write_text("BlockName=b1 Nodes=n1\nBlockName=b2 Nodes=n2\nBlockSizes=1,2\n")
    made = load(tmp_path, NODE)

    assert [(switch.switch_name, switch.nodes) for switch in made.config.switches] == [("b1", "n1"), ("b2", "n2")]
    assert made.config.get("BlockSizes") == "1,2"
    assert made.unused == []


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "gres.conf",
            "\nName=gpu Cuont=2\n",
            "gres.conf:2: Parsing error at unrecognized key: Cuont; did you mean Count?",
        ),
        ("gres.conf", "Name=gpu Count=two\n", "gres.conf:1: Count: should be a whole number, not 'two'"),
        ("gres.conf", "Name=gpu NodeName=n[1\n", "gres.conf:1: NodeName: '[' without its ']'"),
        ("gres.conf", "Name=gpu File=/dev/nvidia[0\n", "gres.conf:1: File: '[' without its ']'"),
        ("gres.conf", "NodeName=n1 Type=a100\n", "gres.conf:1: Name is missing"),
        ("gres.conf", "gpu\n", "gres.conf:1: cannot be read: 'gpu' is not Key=Value"),
        (
            "topology.conf",
            "SwitchName=s Node=n1\n",
            "topology.conf:1: Parsing error at unrecognized key: Node; did you mean",
        ),
        ("topology.conf", "#\nSwitchName=s Nodes=n[1\n", "topology.conf:2: Nodes: '[' without its ']'"),
        ("topology.conf", "SwitchName=s Switches=a\n", "topology.conf:1: s: Switches: no such switch: a"),
        ("topology.conf", "SwitchName=s LinkSpeed=x\n", "topology.conf:1: LinkSpeed: should be a whole number"),
        ("topology.conf", "BlockName=b Switches=a\n", "topology.conf:1: Parsing error at unrecognized key: Switches"),
        (
            "cgroup.conf",
            "ConstrainCore=yes\n",
            "cgroup.conf:1: Parsing error at unrecognized key: ConstrainCore; did you",
        ),
    ],
)
def test_faults_beside_it_name_file_and_line(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UserError) as caught:
        load(tmp_path, f"GresTypes=gpu\n{NODE}")

    assert caught.value.message.startswith(f"{tmp_path}/{said}")


def test_what_slurm_complains_of_and_goes_on(tmp_path: Path) -> None:
    (tmp_path / "gres.conf").write_text("Name=fpga Count=2\nName=gpu Type=t Count=1K\n")
    made = load(tmp_path, "GresTypes=gpu\nNodeName=n[1-2] Gres=gpu:1024\nPartitionName=p Nodes=ALL\nDownNodes=n[2-3]\n")

    assert made.notes == [
        f"{tmp_path}/slurm.conf:4: DownNode n3 does not exist!",
        f"{tmp_path}/gres.conf:1: Name=fpga is not among GresTypes, and is ignored",
    ]
    assert [(line.node_name, line.state, line.gres) for line in made.config.nodes] == [
        ("n1", "UNKNOWN", "gpu:t:1024"),
        ("n2", "DOWN", "gpu:t:1024"),
    ]


def test_the_table_of_keys_is_sound() -> None:
    assert set(slurm_keys.KNOWN.values()) >= slurm_keys.USED | slurm_keys.WHOLE


def test_keys_that_the_toolkit_reads_are_said_to_be_used() -> None:
    reading = re.compile(r"config\.(?:get|number)\(\s*\"(\w+)\"")
    sources = (Path(slurm_conf.__file__).parent.parent).rglob("*.py")
    read = {key for source in sources for key in reading.findall(source.read_text())}

    assert read <= slurm_keys.USED
    assert len(read) > 10
