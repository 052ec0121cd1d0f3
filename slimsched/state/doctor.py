"""The checks of `sim doctor`: every file of a state directory, what is wrong with it and how to repair it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from typing import NamedTuple

from slimsched.errors import StateError
from slimsched.state import archive, config, exchange, files, formats, journal, layout, lock, logs, setup, snapshot
from slimsched.state.records import Commit

OK, NOTE, DAMAGED = "ok", "note", "damaged"
_TEMPORARY = re.compile(r"(cluster\.toml|faults\.json|snapshot\.json(\.format-\d+)?|data-\d+)\.new|cluster\.cache\.\d+")


class Finding(NamedTuple):
    """The finding on one file. ``status``: `OK`, `NOTE` (harmless) or `DAMAGED`."""

    path: str
    status: str
    text: str
    repair: str = ""


class _Case:
    """The directory that is checked, and the results of earlier checks."""

    def __init__(self, folder: str, image: snapshot.Image) -> None:
        self.folder, self.image = folder, image
        self.data = layout.data(folder, image.generation)
        new = layout.new_config(self.data)
        self.config = new if files.kind(new) else layout.config(folder)
        self.gone: set[archive.Key] = set()  # jobs that must be in the archive
        self.waiting: set[archive.Key] = set()  # those that may be there already, but not in its index


_Findings = Iterator[Finding]


def check(folder: str) -> list[Finding]:
    """Return the findings on all files of ``folder``, under its lock; nothing is changed."""
    if not files.names(folder):
        return [Finding(folder, OK, "no cluster yet; the first command creates one")]
    try:
        setup.refuse_foreign(folder)
        with lock.held(folder, exclusive=False):
            return list(_all(folder))
    except StateError as fault:
        return [_damage(fault)]


def leftovers(folder: str, generation: int) -> list[str]:
    """Return what commands that were killed left behind: temporary files and generations without a snapshot."""
    found = [os.path.join(folder, name) for name in files.names(folder) if _TEMPORARY.fullmatch(name)]
    found += [layout.data(folder, number) for number in setup.generations(folder) if number != generation]
    for kind in layout.KINDS:
        inside = os.path.join(layout.data(folder, generation), kind)
        found += [os.path.join(inside, name) for name in files.names(inside) if name.endswith(".new")]
    return found


def numbers(data: str, kind: str) -> list[int]:
    """Return the numbers of a generation's journal segments or archive files."""
    return sorted(int(name) for name in files.names(os.path.join(data, kind)) if name.isdigit())


def strange_scripts(data: str) -> list[tuple[str, str]]:
    """Return each wrong path among the scripts, and what belongs there: "folder" or "file"."""
    found = []
    scripts = os.path.join(data, "scripts")
    if files.kind(scripts) != "folder":
        return []
    for name in filter(str.isdigit, files.names(scripts)):
        folder = os.path.join(scripts, name)
        if files.kind(folder) != "folder":
            found.append((folder, "folder"))
            continue
        paths = (os.path.join(folder, job) for job in files.names(folder) if job.isdigit())
        found += [(path, "file") for path in paths if files.kind(path) != "file"]
    return found


def spans(store: archive.Archive) -> dict[int, archive.Span]:
    """Return the spans that the index of an archive should have."""
    found = {}
    for block in numbers(store.data, "archive"):
        log = logs.read(layout.archive(store.data, block))
        jobs = store.block(block)
        if log and jobs:
            found[block] = archive.span(jobs, log.end)
    return found


def _all(folder: str) -> _Findings:
    yield from _caught(_access(folder))
    path = layout.snapshot(folder)
    try:
        data = files.read(path)
        if data is None:
            yield from _caught(_config(layout.config(folder)))
            setup.refuse_lost(folder)
            yield Finding(path, NOTE, "does not exist yet; the next command creates it")
            return
        case = _Case(folder, snapshot.unpack(path, data))
    except StateError as fault:
        yield from _caught(_config(layout.config(folder)))
        yield _damage(fault)
        return
    yield from _caught(_config(case.config))
    yield Finding(path, OK, f"format {case.image.format}, jobs: {len(case.image.jobs)}")
    for look in (_folders, _journal, _archive, _scripts, _together, _leftovers):
        yield from _caught(look(case))


def _caught(findings: _Findings) -> _Findings:
    try:
        yield from findings
    except StateError as fault:
        yield _damage(fault)


def _damage(fault: StateError) -> Finding:
    return Finding(fault.path, DAMAGED, fault.problem, fault.repair)


def _access(folder: str) -> _Findings:
    with files.explained(folder):
        status = os.stat(folder)
    mode = stat.S_IMODE(status.st_mode)
    remarks: list[tuple[object, str]] = [
        (mode & 0o022, f"other users can write to it, and can therefore act as operators (mode {mode:04o})"),
        (status.st_uid != os.geteuid(), f"belongs to another user (uid {status.st_uid})"),
        (not os.access(folder, os.W_OK | os.X_OK), "cannot be written; only commands that read work here"),
    ]
    yield from (Finding(folder, NOTE, text) for holds, text in remarks if holds)


def _config(path: str) -> _Findings:
    conf = config.read(path)
    said = f"tables of nodes: {len(conf.nodes)}, partitions: {len(conf.partitions)}, {conf.clock} clock"
    yield Finding(path, OK, said)


def _folders(case: _Case) -> _Findings:
    for path in (case.data, *(os.path.join(case.data, kind) for kind in layout.KINDS)):
        if files.kind(path) != "folder":
            yield Finding(path, DAMAGED, "is not a directory" if files.kind(path) else "is missing", formats.REBUILD)
            return
    cache = layout.cache(case.folder)
    if files.kind(cache) not in {"", "file"}:
        yield Finding(cache, DAMAGED, "is not a regular file", formats.REBUILD)


def _scripts(case: _Case) -> _Findings:
    for path, kind in strange_scripts(case.data):
        right = "a directory" if kind == "folder" else "a regular file"
        yield Finding(path, DAMAGED, f"is not {right}", formats.REBUILD)


def _journal(case: _Case) -> _Findings:
    """Check the segments; the live one must lead on from the snapshot without a gap.

    One behind it is of a checkpoint that was killed, and of no account.
    """
    live, count = case.image.segment, 0
    for number in sorted({live, *(n for n in numbers(case.data, "journal") if n < live)}):
        path = layout.journal(case.data, number)
        commits = journal.Segment(path).read()
        count += len(commits)
        yield from _cut_short(path)
        if number == live:
            _follow(case.image, path, commits)
        keys = case.waiting if number == live else case.gone
        keys.update(archive.key(job) for commit in commits for job in commit.gone)
    yield Finding(os.path.join(case.data, "journal"), OK, f"commits: {count}")


def _follow(image: snapshot.Image, path: str, commits: list[Commit]) -> None:
    for commit in commits:
        if commit.seq != image.seq + 1:
            raise StateError(path, f"has commit {commit.seq} where {image.seq + 1} should be", formats.REBUILD)
        journal.apply(image, commit)


def _cut_short(path: str) -> _Findings:
    data = files.read(path)
    if data is not None and logs.parse(path, data).end < len(data):
        yield Finding(
            path, NOTE, "ends in a record that a crash cut short; that record is ignored and will be overwritten"
        )


def _archive(case: _Case) -> _Findings:
    store = archive.Archive(case.data)
    found: set[archive.Key] = set()
    index = store.read_index()
    sound: dict[int, archive.Span] = {}
    for block in numbers(case.data, "archive"):
        yield from _cut_short(layout.archive(case.data, block))
        log = logs.read(layout.archive(case.data, block))
        jobs = store.block(block)
        found.update(map(archive.key, jobs))
        settled = [job for job in jobs if archive.key(job) not in case.waiting]
        if log and (settled or block in index):
            sound[block] = archive.span(settled, log.end)
    path = os.path.join(case.data, "archive")
    missing = sorted(case.gone - found)
    if missing:
        problem = f"is missing {len(missing)} finished jobs that the journal has, beginning with job {missing[0][0]}"
        yield Finding(path, DAMAGED, problem, formats.REBUILD)
    if not archive.covers(index, sound):
        yield Finding(store.index_path, DAMAGED, "does not fit the files", formats.REBUILD)
    if not missing:
        yield Finding(path, OK, f"finished jobs: {len(found)}")


def _together(case: _Case) -> _Findings:
    """Check that configuration and state fit together."""
    exchange.check_nodes(config.read(case.config), case.image, case.config)
    highest = max(case.image.jobs, default=0)
    if highest >= case.image.meta.next_job_id:
        problem = f"the next job id would be {case.image.meta.next_job_id}, but there is a job {highest}"
        yield Finding(layout.snapshot(case.folder), DAMAGED, problem, formats.REBUILD)


def _leftovers(case: _Case) -> _Findings:
    for path in leftovers(case.folder, case.image.generation):
        yield Finding(path, NOTE, "is left over from a command that was killed; sim doctor --rebuild removes it")
