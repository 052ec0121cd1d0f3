"""Questions to a select plugin of which only the answer counts: a refusal, for whatever reason, is ``None``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.errors import Never, NotNow

if TYPE_CHECKING:
    from slimsched.select.api import SelectPlugin
    from slimsched.select.records import JobTest, Mode, Selection


def answer(select: SelectPlugin, test: JobTest, mode: Mode) -> Selection | None:
    """Return the selection of ``job_test``, ``None`` for a refusal."""
    try:
        return select.job_test(test, mode)
    except (NotNow, Never):
        return None


def fits(select: SelectPlugin, test: JobTest, mode: Mode) -> bool:
    """Whether ``job_test`` finds nodes for a job."""
    return answer(select, test, mode) is not None
