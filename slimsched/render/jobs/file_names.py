"""The file names of a job as the commands show them."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from slimsched.executor import file_names

if TYPE_CHECKING:
    from slimsched.render.jobs.job_view import View


def path(view: View, stream: str) -> str:
    """Return the full path of a stream's file, "" if it has none."""
    text = file_names.pattern(view.job, stream)
    return posixpath.join(view.request.work_dir, expand(text, view)) if text else ""


def expand(text: str, view: View) -> str:
    """Return a file name of a job with its patterns replaced."""
    return file_names.expand(text, file_names.letters(view.job, view.task, view.batch_host))
