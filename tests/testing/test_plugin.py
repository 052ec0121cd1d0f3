"""The pytest plugin, tried on test files of its own; and ``docs/testing.md``, whose examples run."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

pytest_plugins = "pytester"

ROOT = Path(__file__).parents[2]
PLUGIN = ("-p", "slimsched.testing.plugin", "-p", "no:cacheprovider")


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plugin is loaded by its name, whether or not the installation knows it as an entry point."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)


def test_the_entry_point_leads_to_the_plugin() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert project["entry-points"]["pytest11"] == {"slimsched": "slimsched.testing.plugin"}
    assert import_module("slimsched.testing.plugin").slurm_cluster


def test_the_examples_of_the_page(pytester: pytest.Pytester) -> None:
    page = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n# (\w+)\.py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert [name for name, _ in blocks] == [
        "client",
        "test_client",
        "test_faults",
        "test_ends",
        "test_live",
        "test_marked",
    ]
    for name, text in blocks:
        pytester.makepyfile(**{name: text})

    pytester.runpytest_subprocess(*PLUGIN, "-p", "xdist.plugin", "-n2").assert_outcomes(passed=11)


def test_nothing_is_imported_until_the_fixture_is_used(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_without():
            ours = {name for name in sys.modules if name.startswith("slimsched")}
            assert ours == {"slimsched", "slimsched.testing", "slimsched.testing.plugin"}

        def test_with(slurm_cluster):
            assert "slimsched.cli.main" in sys.modules
        """
    )

    pytester.runpytest_subprocess(*PLUGIN).assert_outcomes(passed=2)


def test_the_environment_is_clean_and_put_back(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SBATCH_PARTITION", "nosuch")
    monkeypatch.setenv("SLIMSCHED_STATE", "/nonexistent")
    pytester.makepyfile(
        """
        import os
        import shutil

        import pytest

        before = dict(os.environ)

        @pytest.mark.slurm(nodes=2)
        def test_inside(slurm_cluster, tmp_path):
            assert "SBATCH_PARTITION" not in os.environ
            assert os.environ["SLIMSCHED_STATE"] == str(slurm_cluster.path)
            assert shutil.which("sbatch") == str(slurm_cluster.bin / "sbatch")
            assert slurm_cluster.env["PATH"] == os.environ["PATH"]
            assert slurm_cluster.run("sbatch", "--parsable", "--wrap", "true") == "1\\n"
            assert list(slurm_cluster.nodes) == ["n1", "n2"]
            assert slurm_cluster.path.parent != tmp_path

        def test_afterwards():
            inside = {"PYTEST_CURRENT_TEST"}
            assert {k: v for k, v in os.environ.items() if k not in inside} == {
                k: v for k, v in before.items() if k not in inside
            }

        def test_another(slurm_cluster):
            assert list(slurm_cluster.nodes) == ["n1", "n2", "n3", "n4"]
            assert slurm_cluster.calls == []
        """
    )

    pytester.runpytest_inprocess(*PLUGIN).assert_outcomes(passed=3)


def test_a_failing_test_shows_the_events(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_bad(slurm_cluster):
            slurm_cluster.run("sbatch", "--job-name", "mine", "--wrap", "sleep 60")
            slurm_cluster.node_down("n1")
            assert slurm_cluster.nodes["n1"].state == "idle"

        def test_good(slurm_cluster):
            slurm_cluster.run("sbatch", "--wrap", "true")
        """
    )
    result = pytester.runpytest_inprocess(*PLUGIN)

    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(
        ["*events of the Slurm cluster*", "2026-01-01T00:00:00 *:sbatch *submit*job 1*", "*node n1 *DOWN*"]
    )
    assert result.stdout.str().count("events of the Slurm cluster") == 1


def test_jobs_arrays_and_errors(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        from slimsched.errors import UserError

        def test_it(slurm_cluster):
            slurm_cluster.run("sbatch", "--array=0-2", "--wrap", "sleep 60; exit 2")
            assert [job.state for job in slurm_cluster.jobs(1)] == ["RUNNING"] * 3
            assert slurm_cluster.job("1_2").nodes == ["n1"]
            with pytest.raises(UserError, match="1 means 3 jobs"):
                slurm_cluster.job(1)
            with pytest.raises(UserError, match="Invalid job id specified: 9"):
                slurm_cluster.job(9)
            assert slurm_cluster.wait("1_1").exit_code == 2
            slurm_cluster.run("sbatch", "--hold", "--wrap", "true")
            with pytest.raises(UserError, match="job 4 will not end"):
                slurm_cluster.wait(4)
            with pytest.raises(UserError, match="Batch job submission failed: Invalid partition"):
                slurm_cluster.run("sbatch", "-p", "nosuch", "--wrap", "true")
            with pytest.raises(UserError, match="say what goes wrong"):
                slurm_cluster.fail("squeue")
            job_id = slurm_cluster.run("sbatch", "--parsable", "--wrap", "sleep 600").strip()
            slurm_cluster.end_job(job_id, "OUT_OF_MEMORY", after="10s")
            assert slurm_cluster.wait(job_id)[2:6] == ("OUT_OF_MEMORY", "OutOfMemory", 0, 125)
            slurm_cluster.fail("squeue", times=1, truncate=3)
            assert slurm_cluster.run("squeue") == "   "
            slurm_cluster.node_down("n[1-2]")
            slurm_cluster.node_up("n2")
            assert [node.state for node in slurm_cluster.nodes.values()] == ["down", "idle", "idle", "idle"]
            with pytest.raises(UserError, match="Invalid node name"):
                slurm_cluster.set_extra("n9", {})
        """
    )

    pytester.runpytest_inprocess(*PLUGIN).assert_outcomes(passed=1)


def test_a_cluster_from_slurm_conf_and_markers_of_a_class(pytester: pytest.Pytester) -> None:
    pytester.makefile(
        ".conf",
        slurm="ClusterName=site\nSlurmctldHost=c\nNodeName=x[1-3] CPUs=2\nPartitionName=main Nodes=ALL Default=YES\n",
    )
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.slurm(conf="slurm.conf")
        def test_conf(slurm_cluster):
            assert list(slurm_cluster.nodes) == ["x1", "x2", "x3"]

        @pytest.mark.slurm(nodes=1, cpus=2)
        class TestSmall:
            @pytest.mark.slurm(cpus=6, memory="2G")
            def test_nearest_first(self, slurm_cluster):
                assert [tuple(node)[:4] for node in slurm_cluster.nodes.values()] == [("n1", "idle", 6, 2048)]
        """
    )

    pytester.runpytest_inprocess(*PLUGIN, "--strict-markers").assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("marker", "said"),
    [
        ("nodse=3", "the marker slurm has no 'nodse'; it is slurm(nodes=4"),
        ("3", "the marker slurm takes keywords only"),
        ("cpus='many'", "CPUs"),
        ("conf='nosuch.conf'", "nosuch.conf"),
    ],
)
def test_wrong_markers(marker: str, said: str, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(f"import pytest\n@pytest.mark.slurm({marker})\ndef test_it(slurm_cluster): pass\n")
    result = pytester.runpytest_inprocess(*PLUGIN)

    result.assert_outcomes(errors=1)
    assert said in result.stdout.str()


def test_a_live_cluster_leaves_nothing_behind(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import os
        import subprocess
        from pathlib import Path

        import pytest

        from slimsched.errors import UserError

        PIDS = []

        def submit(script, *options):
            done = subprocess.run(["sbatch", "--parsable", *options, "--wrap", script], capture_output=True, check=True)
            return int(done.stdout)

        def test_it_runs(slurm_cluster_live, tmp_path, monkeypatch):
            monkeypatch.chdir(tmp_path)
            ended = slurm_cluster_live.wait(submit("echo $SLURM_JOB_ID; exit 3"))
            assert (ended.state, ended.exit_code, ended.output, ended.nodes) == ("FAILED", 3, "1\\n", ["n1"])
            os.mkfifo("told")
            submit("trap '' TERM; echo $$ > told; sleep 600")
            PIDS.append(int(Path("told").read_text()))
            with pytest.raises(UserError, match="job 2 has not ended after 1s"):
                slurm_cluster_live.wait(2, timeout="1s")
            with pytest.raises(UserError, match="system's clock"):
                slurm_cluster_live.advance("10m")

        def test_nothing_is_left():
            assert not os.path.exists(f"/proc/{PIDS[0]}/cmdline") or not Path(f"/proc/{PIDS[0]}/cmdline").read_bytes()
            assert "slurm" not in os.environ["PATH"].partition(os.pathsep)[0]
        """
    )

    pytester.runpytest_inprocess(*PLUGIN).assert_outcomes(passed=2)


def test_fates_on_a_live_cluster(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import subprocess

        import pytest

        WAIT = "sleep 600"

        @pytest.mark.parametrize(
            ("options", "script", "ended"),
            [
                (["--sim-state=OUT_OF_MEMORY"], "true", ("OUT_OF_MEMORY", "OutOfMemory", 0, 125)),
                (["--sim-state=FAILED", "--sim-exit=7"], "true", ("FAILED", "NonZeroExitCode", 7, 0)),
                (["--sim-exit=0", "--sim-runtime=0"], WAIT, ("COMPLETED", "None", 0, 0)),
                (["--sim-state=NODE_FAIL", "--no-requeue"], "true", ("NODE_FAIL", "NodeDown")),
            ],
        )
        def test_at_submission(slurm_cluster_live, tmp_path, monkeypatch, options, script, ended):
            monkeypatch.chdir(tmp_path)
            slurm_cluster_live.run("sbatch", *options, "--wrap", script)
            job = slurm_cluster_live.wait(1)
            assert job[2:2 + len(ended)] == ended
            assert ("oom_kill" in job.output) == (job.state == "OUT_OF_MEMORY")

        def test_a_running_job(slurm_cluster_live, tmp_path, monkeypatch):
            monkeypatch.chdir(tmp_path)
            for words in (["OUT_OF_MEMORY"], ["--signal=11"], ["--signal=KILL"], ["--exit=4"], ["PREEMPTED"]):
                job_id = slurm_cluster_live.run("sbatch", "--parsable", "--wrap", "sleep 600").strip()
                slurm_cluster_live.run("fault", "job", job_id, *words, "--in=0s")
                slurm_cluster_live.wait(job_id)
            said = slurm_cluster_live.run("sacct", "-n", "-P", "-o", "JobID,State,ExitCode")
            assert said.splitlines() == [
                "1|OUT_OF_MEMORY|0:125", "1.batch|OUT_OF_MEMORY|0:125", "2|FAILED|0:11", "2.batch|CANCELLED|0:11",
                "3|FAILED|0:9", "3.batch|CANCELLED|0:9", "4|FAILED|4:0", "4.batch|FAILED|4:0",
                "5|PREEMPTED|0:0", "5.batch|CANCELLED|0:15",
            ]
        """
    )

    pytester.runpytest_inprocess(*PLUGIN).assert_outcomes(passed=5)
