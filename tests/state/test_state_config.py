"""cluster.toml: what may stand in it, what is said of what may not, and its compiled form."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from slimsched.errors import StateError, UserError
from slimsched.executor import registry
from slimsched.model.config import Config, NodeConf, PartitionConf, SwitchConf
from slimsched.state import config, config_tables, config_write, default

NODES = '[[nodes]]\nNodeName = "n[1-2]"\nCPUs = 4\n'


def parse(text: str) -> Config:
    return config_tables.parse(text.encode())


def test_values_may_be_typed_or_texts_and_keys_in_any_case() -> None:
    conf = parse(
        """
        clock = "wall"
        complex_semantics = 6.0
        [simulation]
        runtime = "10m"
        [slurm]
        minjobage = 60
        PriorityFavorSmall = true
        SchedulerParameters = ["bf_continue", "bf_interval=30"]
        [[nodes]]
        nodename = "n[1-2]"
        Procs = "4"
        RealMemory = "64G"
        [nodes.Other]
        CpuSpecList = 0
        [[partitions]]
        PartitionName = "p"
        Nodes = "ALL"
        Default = "yes"
        State = "down"
        OverSubscribe = "force:4"
        MaxTime = "2:00:00"
        DefaultTime = 30
        MaxNodes = "UNLIMITED"
        DefMemPerCPU = "1G"
        [usage]
        zoe = 3
        """
    )

    assert conf.slurm == {
        "MinJobAge": "60",
        "PriorityFavorSmall": "YES",
        "SchedulerParameters": "bf_continue,bf_interval=30",
    }
    assert (conf.clock, conf.complex_semantics, conf.runtime, conf.usage) == ("wall", "6.0", "10m", {"zoe": 3.0})
    assert conf.nodes == [NodeConf(node_name="n[1-2]", cpus=4, real_memory=65536, other={"CpuSpecList": "0"})]
    assert conf.partitions == [
        PartitionConf(
            partition_name="p",
            nodes="ALL",
            default=True,
            state="DOWN",
            over_subscribe="FORCE:4",
            max_time=120,
            default_time=30,
            def_mem_per_cpu=1024,
        )
    ]


@pytest.mark.parametrize("start", ['"2026-05-06T07:08:09"', "2026-05-06T07:08:09", '"2026-05-06T09:08:09+02:00"'])
def test_the_start_of_the_clock(start: str, folder: str) -> None:
    from slimsched.state.store import Store

    os.mkdir(folder)
    Path(folder, "cluster.toml").write_text(f"[clock]\nstart = {start}\n{NODES}")
    with Store.open(folder) as store:
        assert store.load().now == 1778051289


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = ", "is not valid TOML: Invalid value"),
        ("", "there are no nodes"),
        ("[slurm]\nMinJobAge = 'soon'\n" + NODES, "[slurm] MinJobAge: should be a whole number, not 'soon'"),
        ("[slurm]\nSchedulerParamters = ''\n", "SchedulerParamters: no such key; did you mean SchedulerParameters?"),
        ("[slurm]\nMinJobAge = {a = 1}\n", "[slurm] MinJobAge: should be a text or a number"),
        ("[slurm]\nMinJobAge = [[1]]\n", "[slurm] MinJobAge: should be a text or a number"),
        ("slurm = 3\n", "slurm: should be a table, headed [slurm]"),
        ("[nodes]\nNodeName = 'n1'\n", "nodes: should be tables, each headed [[nodes]]"),
        (NODES + "CPU = 4\n", "[[nodes]] 1: CPU: no such key; did you mean CPUs?"),
        (NODES + "Sockets = 'x'\n", "[[nodes]] 1: Sockets: should be a whole number, not 'x'"),
        (NODES + "Sockets = -1\n", "[[nodes]] 1: Sockets: should be a whole number, not '-1'"),
        (NODES + "Sockets = 0\n", "[[nodes]] 1 (n[1-2]): a node has at least one CPU"),
        (NODES + "RealMemory = 'lots'\n", "[[nodes]] 1: RealMemory: should be an amount of memory in MB, not 'lots'"),
        (NODES + "State = 'ASLEEP'\n", "[[nodes]] 1 (n[1-2]): State: no such state: 'ASLEEP'"),
        (NODES + NODES, "[[nodes]] 2 (n[1-2]): node n1 is described twice"),
        ("[[nodes]]\nCPUs = 4\n", "[[nodes]] 1: NodeName is missing"),
        ("[[nodes]]\nNodeName = ''\n", "[[nodes]] 1 (): NodeName names no node"),
        (NODES + "[[partitions]]\nPartitionName = 'p'\nNodes = 'n3'\n", "1 (p): Nodes: no such node: n3"),
        (NODES + "[[partitions]]\nPartitionName = 'p'\nNodes = 'n['\n", "1 (p): Nodes: "),
        (NODES + "[[partitions]]\nPartitionName = 'a b'\n", "1 (a b): PartitionName is not a name"),
        (NODES + "[[partitions]]\nPartitionName = 'p'\n" * 2, "[[partitions]] 2 (p): described twice"),
        (NODES + "[[partitions]]\nPartitionName = 'p'\nDefault = 7\n", "1: Default: should be YES or NO, not '7'"),
        (NODES + "[[partitions]]\nPartitionName = 'p'\nMaxTime = 'x'\n", "1: MaxTime: should be a time limit such"),
        (NODES + "[[switches]]\nSwitchName = 's'\nNodes = 'n9'\n", "[[switches]] 1 (s): Nodes: no such node: n9"),
        ("clock = 'moon'\n" + NODES, "[clock] mode: should be virtual or wall, not 'moon'"),
        ("[clock]\nmod = 'wall'\n" + NODES, "[clock] mod: no such key"),
        ("[clock]\nstart = 'noon'\n" + NODES, "[clock] start: 'noon' is not a date and time"),
        ("[simulation]\nruntime = 'x'\n" + NODES, "[simulation] runtime: should be sleep, limit or a duration"),
        ("executor = 'local'\n" + NODES, "executor: jobs that really run need the system's clock, not a virtual one"),
        ("executor = 'remote'\n" + NODES, "executor: should be simulated or local, not 'remote'"),
        ("pace = 'slow'\n" + NODES, "pace: should be fast or slurm, not 'slow'"),
        ("executor = {a = 1}\n" + NODES, "[executor] a: no such key"),
        ("executor = [[1]]\n" + NODES, "executor: should be a text or a number"),
        ("[usage]\nzoe = 'much'\n" + NODES, "[usage] zoe: should be a number"),
        ("colour = 'red'\n" + NODES, "colour: no such key"),
    ],
)
def test_faults_name_table_and_key(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text(text)
    with pytest.raises(StateError) as caught:
        config.read(str(path))

    assert str(caught.value).startswith(f"{path}: ")
    assert said in caught.value.problem
    assert caught.value.repair


def test_each_executor_that_exists_may_be_named_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "cluster.toml"
    for name in registry.BUILTIN:
        path.write_text(f"executor = '{name}'\nclock = 'wall'\n" + NODES)
        assert config.read(str(path)).executor == name


FULL = Config(
    slurm={"ClusterName": 'quo"ted', "Licenses": "a:1"},
    nodes=[
        NodeConf(node_name="n[1-2]", cpus=4, real_memory=1000, extra='{"a": "\\n"}', features="a,b", other={"X": "1"}),
        NodeConf(node_name="m", boards=2, sockets=2, cores_per_socket=3, threads_per_core=2, weight=7, reason="ü"),
    ],
    partitions=[PartitionConf(partition_name="p", nodes="m", max_time=90, hidden=True, other={"Y": "2"})],
    switches=[SwitchConf(switch_name="s", nodes="m"), SwitchConf(switch_name="t", switches="s")],
    clock="wall",
    clock_start="2026-02-03T04:05:06",
    runtime="limit",
    complex_semantics="6.0",
    usage={"zoe": 1.5},
    other={"Bogus": "x"},
)


@pytest.mark.parametrize("conf", [default.cluster(), FULL], ids=["default", "full"])
def test_what_is_written_is_read(tmp_path: Path, conf: Config) -> None:
    path = str(tmp_path / "cluster.toml")
    config.write(path, conf)

    assert config.read(path) == conf


def test_the_file_explains_itself() -> None:
    text = config_write.text(default.cluster())
    comments = [line for line in text.splitlines() if line.startswith("#")]

    assert len(comments) > 15
    assert max(map(len, text.splitlines())) <= 120


def test_the_file_is_parsed_only_when_it_changed(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[bytes] = []
    real = config_tables.parse

    def counted(text: bytes) -> Config:
        parsed.append(text)
        return real(text)

    monkeypatch.setattr(config_tables, "parse", counted)
    os.mkdir(folder)
    path = Path(folder, "cluster.toml")
    for cpus in (4, 4, 8, 8, 8):
        stamp = (1, 1)
        path.write_text(NODES.replace("4", str(cpus)))
        os.utime(path, stamp)  # an edit within the clock's resolution, of the same length
        assert config.load(folder)[0].nodes[0].cpus == cpus
    assert len(parsed) == 2


def test_a_configuration_can_be_described_by_a_few_values() -> None:
    conf = default.described({"NodeName": "a[1-4]", "CPUs": "8", "RealMemory": "2G"}, ("x", "y"))

    assert (conf.nodes[0].cpus, conf.nodes[0].sockets, conf.nodes[0].real_memory) == (8, None, 2048)
    assert [(p.partition_name, p.nodes, p.default) for p in conf.partitions] == [
        ("x", "a[1-4]", True),
        ("y", "a[1-4]", False),
    ]


@pytest.mark.parametrize(
    ("setting", "said"),
    [("MinJobAge", "should be KEY=VALUE"), ("Bogus=1", "no such key"), ("MinJobAge=x", "should be a whole number")],
)
def test_settings_are_checked(setting: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        default.adjust(default.cluster(), [setting], {})


def test_a_byte_order_mark_and_line_ends_of_windows_are_no_fault() -> None:
    text = "\ufeff" + NODES.replace("\n", "\r\n")

    assert config_tables.parse(text.encode()).nodes == [NodeConf(node_name="n[1-2]", cpus=4)]


@pytest.mark.parametrize("depth", [1000, 100_000])
def test_deep_nesting_is_an_answer(tmp_path: Path, depth: int) -> None:
    path = tmp_path / "cluster.toml"
    for text in (
        "a = " + "[" * depth,
        "a = " + "{a=" * depth,
        "[" + ".".join("a" * depth) + "]\n",
        "a." * depth + "b=1",
    ):
        path.write_text(text)
        with pytest.raises(StateError):
            config.read(str(path))


@pytest.mark.parametrize("value", ["9" * 5000, "1e999", f'"{"x" * 1_000_000}"', '"n[1-99999999]"'], ids=len)
@pytest.mark.parametrize("key", ["CPUs", "State", "Weight"])
def test_huge_values(tmp_path: Path, key: str, value: str) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text(f'[[nodes]]\nNodeName = "a"\n{key} = {value}\n')
    with pytest.raises(StateError) as caught:
        config.read(str(path))

    assert len(caught.value.problem) < 500
