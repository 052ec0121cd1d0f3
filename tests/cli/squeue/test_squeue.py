"""``sim squeue`` against what the real one printed for the same jobs."""

from __future__ import annotations

import subprocess
import sys

import pytest
import scene

from slimsched.cli.squeue.squeue import command

RECORDS = scene.records("squeue_formats.jsonl")
HEADER = "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n"


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: " ".join(record["argv"]))
def test_as_recorded(record, capsys, monkeypatch):
    for key, value in record.get("env", {}).items():
        monkeypatch.setenv(key, value)
    monkeypatch.setattr("os.getuid", lambda: 0)
    cluster = scene.formats()
    cluster.now = scene.at("07:26:15") + record["elapsed"]

    answer = scene.call(cluster, command, record["argv"], capsys)

    assert answer == (record.get("rc", 0), record["out"], record.get("err", ""))


def squeue(capsys, *argv):
    return scene.call(scene.formats(), command, argv, capsys)


def test_unknown_single_job(capsys):
    assert squeue(capsys, "-j", "999") == (1, "", "slurm_load_jobs error: Invalid job id specified\n")
    assert squeue(capsys, "-j", "999,998") == (0, HEADER, "")


@pytest.mark.parametrize("word", ["abc", "0", "-1", "99999999999", "_1", "x1", "0_1", "3_[4-5]"])
def test_wrong_job_id(capsys, word):
    assert squeue(capsys, f"-j{word}") == (1, "", f"squeue: error: Invalid job id: {word}\n")


@pytest.mark.parametrize(
    ("word", "names"),
    [("1abc", "1"), ("1.batch", "1"), ("3_", "3_0"), ("3_1-2", "3_1"), (" 1,+2", "2 1")],
)
def test_a_number_is_read_as_far_as_it_goes(capsys, word, names):
    assert squeue(capsys, "-h", f"-j{word}", "-o", "%i")[1].split() == names.split()


def test_unique_id(capsys):
    name = squeue(capsys, "-h", "-j", "9", "-O", "sluid:14")[1].strip()

    assert squeue(capsys, "-h", "-j", name, "-o", "%i") == (0, "9\n", "")
    assert squeue(capsys, "-j", "s2ZZZZZZZZZZZZ") == (1, "", "slurm_load_jobs error: Invalid job id specified\n")


def test_one_task_of_a_pending_array(capsys):
    assert squeue(capsys, "-h", "-j", "3_4", "-o", "%i") == (0, "3_4\n", "")
    assert squeue(capsys, "-h", "-r", "-j", "3_4", "-o", "%i") == (0, "3_4\n", "")
    assert squeue(capsys, "-h", "-j", "3_9", "-o", "%i") == (0, "", "")


def test_wrong_state(capsys):
    code, out, err = squeue(capsys, "-t", "R,bogus")

    assert (code, out) == (1, "")
    assert err.startswith(
        "squeue: error: Invalid job state specified: bogus\nsqueue: error: Valid job states include: p"
    )


def test_wrong_node(capsys):
    assert squeue(capsys, "-w", "nosuch") == (1, "", "squeue: error: Invalid node name nosuch\n")
    assert squeue(capsys, "-w", "z,b[2-3],node1")[2] == "squeue: error: Invalid node name b2\n"


def test_node_by_its_machine(capsys):
    """The name of a machine means the first node on it; localhost is where the controller is."""
    of_node = squeue(capsys, "-w", "node1")
    assert of_node[0] == 0
    assert squeue(capsys, "-w", "vm") == of_node
    assert squeue(capsys, "-w", "localhost") == of_node


def test_all_letters_have_a_field(capsys):
    letters = "abcdefghijklmnopqrtuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

    code, out, err = squeue(capsys, "-j", "1", "-o", "|".join(f"%{letter}" for letter in letters))

    assert (code, err) == (0, "")
    assert [len(line.split("|")) for line in out.splitlines()] == [len(letters)] * 2


def test_every_long_field(capsys):
    listed = scene.call(scene.formats(), command, ["--helpFormat"], capsys)[1].split()

    code, out, err = squeue(capsys, "-t", "all", "-O", ",".join(listed))

    assert (code, err) == (0, "")
    assert {len(line) for line in out.splitlines()} == {20 * len(listed)}


def test_users(capsys):
    assert squeue(capsys, "-h", "-u", "root", "-j", "1", "-o", "%u %U")[1] == "root 0\n"
    assert squeue(capsys, "-h", "-u", "0", "-j", "1", "-o", "%u")[1] == "root\n"


def test_hidden_partition(capsys):
    cluster = scene.formats()
    cluster.partitions["batch"].hidden = True

    assert scene.call(cluster, command, ["-h", "-p", "debug", "-t", "CD", "-o", "%i"], capsys)[1] == "10\n"
    assert "batch" not in scene.call(cluster, command, [], capsys)[1]
    assert "batch" in scene.call(cluster, command, ["-a"], capsys)[1]
    assert "batch" in scene.call(cluster, command, ["-p", "batch"], capsys)[1]


def test_clusters(capsys):
    assert squeue(capsys, "-M", "oracle", "-h", "-j", "1", "-o", "%i") == (0, "CLUSTER: oracle\n1\n", "")
    code, out, err = squeue(capsys, "-M", "nosuch")
    assert (code, out) == (1, "")
    assert err.endswith("squeue: fatal: Could not get cluster information\n")


def test_control_characters_are_data_when_nobody_looks(capsys):
    cluster = scene.formats()
    cluster.jobs[1].request.name = "a\x1b[31m"

    assert scene.call(cluster, command, ["-h", "-j", "1", "-o", "%j"], capsys)[1] == "a\x1b[31m\n"


def test_huge_width(capsys):
    code, out, _ = squeue(capsys, "-h", "-j", "1", "-o", "%.99999999999999999i|")

    assert code == 0
    assert len(out) < 100_000


def test_verbose(capsys):
    lines = squeue(capsys, "-v", "-u", "root", "-t", "R", "-h")[1].splitlines()

    assert lines[1] == "all         = false"
    assert "states      = R" in lines
    assert "users       = root" in lines
    assert "verbose     = 1" in lines
    assert "last_update_time=1795245980 records=14" in lines


def test_spare_argument(capsys):
    code, out, err = squeue(capsys, "extra", "arg")

    assert (code, err) == (1, "squeue: error: Unrecognized option: extra\n")
    assert out.startswith("Usage: squeue [-A account]")


def test_a_list_imports_little():
    code = "import sys, slimsched.cli.squeue.squeue; print(*sys.modules)"

    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    heavy = ("click", "rich", "tomllib", "json", "slimsched.select", "slimsched.sched", "slimsched.constraints")
    assert [name for name in heavy if name in loaded] == []
    assert "slimsched.render.jobs.long_fields" not in loaded


def test_iterate(with_notes, capsys, monkeypatch):
    code, out, err = squeue(capsys, "-i", "60", "-j", "1", "-o", "%i")
    assert (code, out) == (0, "Sat Nov 21 07:26:20 2026\nJOBID\n1\n")
    assert err == "squeue: note: the virtual clock does not move by itself, so the list is printed only once\n"

    def interrupted(seconds):
        assert seconds == 60
        raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", interrupted)
    cluster = scene.formats()
    cluster.config.clock = "wall"
    code, out, err = scene.call(cluster, command, ["-i", "60", "-h", "-j", "1", "-o", "%i"], capsys)
    assert (code, out, err) == (130, "1\n", "")


def test_help_lists(capsys):
    assert squeue(capsys, "--helpFormat")[1].startswith(
        "Account             AccrueTime          admin_comment       AllocNodes          \n"
        "AllocSID            ArrayJobId          ArrayTaskId         AssocId             \n"
    )
    assert squeue(capsys, "--helpstate")[1].startswith("pending\nrunning\nsuspended\n")
    assert squeue(capsys, "--helpformat")[1].startswith(
        "%a    %F    %K    %B    %o    %k    %O    %I    \n%X    %E    %e    %x    "
    )
    assert squeue(capsys, "-s", "--helpformat")[1] == "%A    %i    %j    %l    %M    %N    %P    %S    \n%u    %U    \n"
