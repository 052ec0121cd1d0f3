"""File names of jobs."""

from __future__ import annotations

import pytest
import scene

from slimsched.executor.file_names import pattern
from slimsched.render.jobs.file_names import expand, path
from slimsched.render.jobs.job_view import View


def view(job_id, task=None, **request):
    cluster = scene.formats()
    job = cluster.jobs[job_id]
    for name, value in request.items():
        setattr(job.request, name, value)
    return View(job, cluster, task)


@pytest.mark.parametrize(
    ("text", "job_id", "task", "name"),
    [
        ("%j", 1, None, "1"),
        ("%6j.out", 1, None, "000001.out"),
        ("%99j", 1, None, "0000000001"),
        ("%A_%a", 1, None, "1_4294967294"),
        ("%A_%a", 3, None, "3_4294967294"),
        ("%A_%a", 3, 4, "3_4"),
        ("%A_%3a", 14, None, "3_001"),
        ("%j_%J", 14, None, "14_14"),
        ("%b", 3, 15, "5"),
        ("%x.%u", 1, None, "run1.root"),
        ("%N-%n-%t-%s", 2, None, "node5-0-0-batch"),
        ("%5x", 1, None, "run1"),
        ("100%%", 1, None, "100%"),
        ("%%j-%j", 1, None, "%j-1"),
        ("%q%", 1, None, "%q"),
        ("%", 1, None, ""),
        ("\\%j", 1, None, "%j"),
        ("", 1, None, ""),
    ],
)
def test_expand(text, job_id, task, name):
    assert expand(text, view(job_id, task)) == name


def test_defaults():
    assert [pattern(view(1).job, stream) for stream in ("output", "error", "input")] == [
        "slurm-%j.out",
        "",
        "/dev/null",
    ]
    assert pattern(view(13).job, "output") == "slurm-%A_%a.out"
    assert pattern(view(1, batch=False).job, "output") == ""


def test_path():
    assert path(view(1), "output") == "/scratch/work/slurm-1.out"
    assert path(view(1, output="/tmp/x"), "output") == "/tmp/x"
    assert path(view(1), "error") == ""
