"""The repair of a generation: the sound parts of snapshot, journal and archive become a new generation.

Nothing of the old one is touched until the new one is whole and the snapshot names it, so that a repair that is
killed, or that the disk stops, can be begun again.
"""

from __future__ import annotations

import os
from binascii import crc32
from typing import Any

import msgspec

from slimsched.errors import StateError
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config
from slimsched.model.job import Job
from slimsched.state import (
    archive,
    clock,
    doctor,
    exchange,
    files,
    formats,
    frames,
    journal,
    layout,
    logs,
    setup,
    snapshot,
)
from slimsched.state.records import Commit, Head


class Recovery:
    """The repair of one state directory.

    ``problems``: what was read and found bad. ``generation``, ``data``: the one that was found, and its folder.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.problems: list[str] = []
        self._segments: dict[int, list[bytes]] = {}
        self._archived: dict[int, dict[archive.Key, Job]] = {}
        self._highest = 0  # job id seen
        self._head, self._parts, self._whole = self._snapshot()
        self.generation = self._head.generation if self._head else setup.last_used(folder)
        self.data = layout.data(folder, self.generation)

    def read(self, conf: Config, text: bytes) -> None:
        """Find the live state, and all finished jobs; `files.Refused` if something cannot be read."""
        present = {kind: self._is_folder(kind) for kind in layout.KINDS}
        head = self._head
        self.image = snapshot.Image(self.generation, head.segment if head else 0, 0)
        commits = self._commits(present["journal"])
        seq = head.seq if head else 0
        if not self._whole:
            self._replay([commit for commit in commits if commit.seq <= seq], 0)
        for name, value in self._parts.items():
            setattr(self.image, name, value)
        self.image.seq = seq
        self._replay([commit for commit in commits if commit.seq > seq], seq)
        if not self.image.meta.boot_time:
            self.image.meta = exchange.meta(Cluster(conf, clock.beginning(conf)), crc32(text))
        self._archive(commits, seq if head else self.image.seq, present["archive"])
        self._next_id(present["scripts"])

    def write(self) -> list[str]:
        """Write the new generation and switch to it; return what was done."""
        number = setup.following(self.folder)
        data = layout.data(self.folder, number)
        self._fill(f"{data}.new")
        files.move(f"{data}.new", data)
        self.image.generation, self.image.segment = number, max(self._segments, default=0) + 1
        path, done = layout.snapshot(self.folder), []
        if not self._whole and files.kind(path):
            done.append(f"{path} was kept as {os.path.basename(files.keep_copy(path))}")
        setup.begin(self.folder, self.image)
        done.append(f"{path}: rebuilt, jobs: {len(self.image.jobs)}")
        return done

    def _fill(self, data: str) -> None:
        """Write journal, archive and scripts into a folder that counts only when it has its name."""
        if files.kind(data):
            files.remove_tree(data)
        for kind in layout.KINDS:
            files.make_folder(os.path.join(data, kind))
        for segment, bodies in self._segments.items():
            logs.rewrite(layout.journal(data, segment), bodies)
        spans = {}
        for block, jobs in self._archived.items():
            size = logs.rewrite(layout.archive(data, block), jobs.values())
            spans[block] = archive.span(list(jobs.values()), size)
        archive.Archive(data).write_index(spans)
        self._link_scripts(data)
        self._keep_ends(data)

    def _keep_ends(self, data: str) -> None:
        """Take along how jobs that really ran have ended, where no command has read it yet."""
        for name in files.names(os.path.join(self.data, "runs")):
            if end := files.read(os.path.join(self.data, "runs", name, "end.json")):
                files.make_folder(os.path.join(data, "runs", name))
                files.create(os.path.join(data, "runs", name, "end.json"), end)

    def _snapshot(self) -> tuple[Head | None, dict[str, Any], bool]:
        """Return the snapshot's head, its sound parts, and whether these are all."""
        path = layout.snapshot(self.folder)
        try:
            data = files.read(path)
            if data is None:
                raise StateError(path, "is missing", formats.REBUILD)
            head, parts, faults = snapshot.sound_parts(path, data)
        except (files.Refused, formats.NewerFormat):
            raise
        except StateError as fault:
            self.problems.append(f"{path} {fault.problem}")
            return None, {}, False
        self.problems += [f"{path} {fault.problem}" for fault in faults.values()]
        return head, parts, not faults

    def _is_folder(self, kind: str) -> bool:
        """Whether the generation has a folder of this kind, and not something else in its place."""
        for path in (self.data, os.path.join(self.data, kind)):
            found = files.kind(path)
            if found != "folder":
                problem = f"{path} {'is not a directory' if found else 'is missing'}"
                self.problems += [problem] if problem not in self.problems else []
                return False
        return True

    def _commits(self, present: bool) -> list[Commit]:
        """Return the sound commits of all segments, in their order."""
        live = self.image.segment
        numbers = doctor.numbers(self.data, "journal") if present else []
        if live and live not in numbers:
            self.problems.append(
                f"{layout.journal(self.data, live)} is missing: the commits since the snapshot are lost"
            )
        found: list[Commit] = []
        for number in (n for n in numbers if not live or n <= live):
            path = layout.journal(self.data, number)
            records, problem = _log_records(path, "commit", Commit)
            self.problems += [f"{path} {problem}"] if problem else []
            self._segments[number] = [body for body, _ in records]
            found += [commit for _, commit in records]
        return sorted(found, key=lambda commit: commit.seq)

    def _replay(self, commits: list[Commit], seq: int) -> None:
        """Apply the commits that follow number ``seq``, and note it where some are missing."""
        for commit in commits:
            if commit.seq != seq + 1:
                lost = str(seq + 1) if commit.seq == seq + 2 else f"{seq + 1} to {commit.seq - 1}"
                self.problems.append(f"{self.data}/journal is missing what was written as commit {lost}")
            seq = commit.seq
            journal.apply(self.image, commit)

    def _archive(self, commits: list[Commit], seq: int, present: bool) -> None:
        """Find the finished jobs, in the archive and in the journal: those until commit ``seq`` are in both."""
        for block in doctor.numbers(self.data, "archive") if present else []:
            path = layout.archive(self.data, block)
            records, problem = _log_records(path, "job", Job)
            self.problems += [f"{path} {problem}"] if problem else []
            if records:
                self._archived[block] = {archive.key(job): job for _, job in records}
        lacking: dict[int, int] = {}
        for commit in commits:
            for job in commit.gone:
                block = job.job_id // layout.RANGE
                known = self._archived.setdefault(block, {})
                if commit.seq <= seq and archive.key(job) not in known:
                    lacking[block] = lacking.get(block, 0) + 1
                known.setdefault(archive.key(job), job)
            self._see(*(job.job_id for job in (*commit.jobs, *commit.gone)))
        for block, count in lacking.items():
            self.problems.append(
                f"{layout.archive(self.data, block)} is missing {count} finished jobs that the journal has"
            )
        self._see(*(job_id for jobs in self._archived.values() for job_id, _ in jobs))

    def _see(self, *job_ids: int) -> None:
        self._highest = max(self._highest, *job_ids, 0)

    def _next_id(self, scripts: bool) -> None:
        """Set the next job id so that none is given twice, even if only the scripts of lost commits are left."""
        self._see(*self.image.jobs)
        if scripts and self.problems:
            for block in self._script_folders():
                self._see(*(int(name) for name in files.names(block) if name.isdigit()))
        meta = self.image.meta
        if self._highest >= meta.next_job_id:
            self.problems.append(f"the next job id is now {self._highest + 1}; it was {meta.next_job_id}")
            meta.next_job_id = self._highest + 1

    def _script_folders(self) -> list[str]:
        folder = os.path.join(self.data, "scripts")
        if files.kind(folder) != "folder":
            return []
        paths = [os.path.join(folder, name) for name in files.names(folder) if name.isdigit()]
        return [path for path in paths if files.kind(path) == "folder"]

    def _link_scripts(self, data: str) -> None:
        for folder in self._script_folders():
            target = os.path.join(data, "scripts", os.path.basename(folder))
            files.make_folder(target)
            for name in files.names(folder):
                if name.removesuffix(".submission").isdigit() and files.kind(os.path.join(folder, name)) == "file":
                    files.link(os.path.join(folder, name), os.path.join(target, name))
            files.sync(target)


Records = list[tuple[bytes, Any]]
"""Records with their JSON, in the present format."""


def _log_records(path: str, name: str, kind: Any) -> tuple[Records, str]:
    """Return the sound records of a file, and what is wrong with it ("": nothing, or there is no such file).

    `files.Refused` and `formats.NewerFormat` are raised: then the file was not looked into.
    """
    try:
        data = files.read(path)
        if data is None:
            return [], ""
        log = logs.parse(path, data)
        if not log.end:
            raise StateError(path, "is damaged at its start", formats.REBUILD)
        bodies = [bytes(formats.upgrade(name, body, log.format)) for body in log.bodies]
        return list(zip(bodies, logs.decode(path, name, log, kind), strict=True)), ""
    except (files.Refused, formats.NewerFormat):
        raise
    except StateError as fault:
        found, lost = _sound(path, kind)
        return found, f"{fault.problem}: {len(found)} sound records, {lost} lost"


def _sound(path: str, kind: Any) -> tuple[Records, int]:
    if files.kind(path) != "file":
        return [], 0  # nothing in it was ours
    bodies, lost = frames.salvage(files.read(path) or b"")
    return [(body, record) for body in bodies if (record := _decoded(body, kind)) is not None], lost


def _decoded(body: bytes, kind: Any) -> Any:
    try:
        return msgspec.json.decode(body, type=kind)
    except formats.UNREADABLE:
        return None  # also the frame that tells the format
