"""What of the submitter's environment a job gets."""

from __future__ import annotations

import pytest
import world

from slimsched.executor.batch_environment import Export, batch_environment

OWN = {"A": "1", "B": "2", "SLURM_FOO": "3"}


@pytest.mark.parametrize(
    ("text", "found", "login"),
    [
        (None, {**OWN}, False),
        ("", {"SLURM_FOO": "3", "SLURM_EXPORT_ENV": "", "SLURM_GET_USER_ENV": "1"}, True),
        ("ALL", {**OWN}, False),
        ("NIL", {"SLURM_FOO": "3", "SLURM_EXPORT_ENV": "NIL"}, False),
        ("NONE", {"SLURM_FOO": "3", "SLURM_EXPORT_ENV": "NONE", "SLURM_GET_USER_ENV": "1"}, True),
        ("A", {"A": "1", "SLURM_FOO": "3", "SLURM_EXPORT_ENV": "A", "SLURM_GET_USER_ENV": "1"}, True),
        ("ALL,B=x", {**OWN, "B": "x", "SLURM_EXPORT_ENV": "ALL,B=x", "SLURM_GET_USER_ENV": "1"}, True),
        (
            "X=a b,Y='q,r'",
            {
                **{"X": "a b", "Y": "'q,r'", "SLURM_FOO": "3"},
                **{"SLURM_EXPORT_ENV": "X=a b,Y='q,r'", "SLURM_GET_USER_ENV": "1"},
            },
            True,
        ),
    ],
)
def test_export(text, found, login):
    export = Export(text)

    assert (export.of(OWN), export.login) == (found, login)


@pytest.mark.parametrize(
    ("text", "new", "named", "broken"),
    [
        ("'X=a,b',Z=1", {"X": "a,b", "Z": "1"}, [], ""),
        ('"X=a,b",A', {"X": "a,b"}, ["A"], ""),
        ("X=\"a,'b\",c',A", {"X": "\"a,'b\",c'"}, ["A"], ""),
        ("A,X='a,Z=1", {}, ["A"], "X='a,Z=1"),
        (",,A,", {}, ["A"], ""),
        ("all,A", {}, ["A"], ""),
    ],
)
def test_quotes_in_an_export(text, new, named, broken):
    export = Export(text)

    assert (export.set, export.named, export.broken, export.every) == (new, named, broken, text.startswith("all"))


def test_the_variables_of_an_array_task():
    ctl = world.uniform()
    job = world.submit(ctl)
    job.array_job_id, job.array_task_id = job.job_id, 4
    found = batch_environment(ctl.cluster, job, ["n1"], {"SLURM_NTASKS": "9"}, tasks="2,4,6", folder="/here")

    names = ("COUNT", "ID", "MAX", "MIN", "STEP")
    assert [found[f"SLURM_ARRAY_TASK_{name}"] for name in names] == ["3", "4", "6", "2", "2"]
    assert found["SLURM_NTASKS"] == "9"
    assert "SLURM_CONF" not in found
    ctl.cluster.config.source = "/etc/slurm.conf"
    found = batch_environment(ctl.cluster, job, ["n1"], {"SLURM_CONF": "x"}, tasks="", folder="/here")
    assert found["SLURM_CONF"] == "/etc/slurm.conf"
    found = batch_environment(ctl.cluster, job, ["n1"], {"SLURM_NTASKS": "9"}, tasks="2,4,6", folder="/here")
    assert (found["SLURM_SUBMIT_DIR"], found["SLURM_STEP_ID"], found["ENVIRONMENT"]) == ("/here", "-5", "BATCH")
