"""``sacctmgr modify job``: what accounting keeps of a job and may be changed later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.accounts.enforcement import tracks_wckeys
from slimsched.controller.accounts.outcome import Outcome, applied
from slimsched.errors import UserError
from slimsched.model.account import Book, key
from slimsched.model.record import replaced
from slimsched.text.times import instant

if TYPE_CHECKING:
    from slimsched.controller.accounts.where import Request
    from slimsched.controller.core import Controller
    from slimsched.model.request import JobRequest

UNCHANGED = " Error with request: Data has not changed since time specified"
FIELDS = {"Comment": "comment", "AdminComment": "admin_comment", "Extra": "extra", "NewWCKey": "wckey"}
"""Options -> fields of the request."""
RECORDED = {"SystemComment": "system-comment", "DerivedExitCode": "derived-exit-code"}
"""Options -> names under which the request keeps a text of no effect."""


def modify(ctl: Controller, request: Request) -> Outcome:
    """Change jobs that are in memory; those that only the archive has stay as they are.

    A WCKey can be given only where the cluster keeps them (``TrackWCKey``); the user has it then.
    """
    cluster, book = ctl.cluster, Book(ctl.cluster)
    outcome = Outcome(record=applied({}, request.settings), of_records=True)
    ids, users = request.named("names"), request.named("users")
    named = [job for job in cluster.jobs.values() if str(job.job_id) in ids]
    named = [job for job in named if not users or job.user_name in users]
    wckey = outcome.record.get("NewWCKey", "")
    for job in named:
        if wckey and not tracks_wckeys(cluster.config):
            continue
        if wckey and book.get("wckey", job.user_name, wckey) is None:
            book.put(key("wckey", job.user_name, wckey), {"Clusters": book.cluster_name})
        job.request = _changed(job.request, outcome.record)
        cluster.touch_job(job)
        outcome.names.append(f"{job.job_id} submitted at {instant(job.submit_time)}")
    if not named:
        outcome.refusal = UserError(UNCHANGED, level="plain")
    return outcome


def _changed(asked: JobRequest, record: dict[str, str]) -> JobRequest:
    fields = {FIELDS[name]: value for name, value in record.items() if name in FIELDS}
    texts = {RECORDED[name]: value for name, value in record.items() if name in RECORDED}
    return replaced(asked, recorded={**asked.recorded, **texts}, **fields)
