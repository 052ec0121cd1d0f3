"""Repair of the snapshot: its sound parts, and the commits of the journal for the rest."""

from __future__ import annotations

import os
from typing import Any

from slimsched.errors import StateError
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config
from slimsched.model.job import Job
from slimsched.state import clock, doctor, exchange, files, formats, journal, layout, salvage_logs, setup, snapshot
from slimsched.state.archive import Archive, Key, key
from slimsched.state.records import Commit, Head


class Recovery:
    """The repair of one state directory.

    ``gone``: jobs that must be in the archive. ``certain``: the snapshot said which generation it belongs to.
    """

    def __init__(self, folder: str, conf: Config, crc: int, done: list[str]) -> None:
        self.folder, self.conf, self.crc, self.done = folder, conf, crc, done
        self.changed = False  # whether the snapshot must be written anew
        self.highest = 0  # job id seen
        self.gone: dict[Key, Job] = {}
        self._waiting: list[Job] = []  # finished jobs that only the live segment has

    def read(self) -> None:
        """Find the live state: `image`."""
        head, parts, bad = self._snapshot()
        self.certain = head is not None
        generation = head.generation if head else setup.last_used(self.folder)
        self.image = snapshot.Image(generation, head.segment if head else 0, 0)
        self.data = layout.data(self.folder, self.image.generation)
        self._folders()
        commits = self._commits()
        seq = head.seq if head else 0
        for commit in commits:
            self._count(commit, archived=not head or commit.seq <= seq)
        if bad or not head:
            self._replay([commit for commit in commits if commit.seq <= seq])
        for name, value in parts.items():
            setattr(self.image, name, value)
        self.image.seq = seq
        self._replay([commit for commit in commits if commit.seq > seq])
        if not self.image.meta.boot_time:
            self.image.meta = exchange.meta(Cluster(self.conf, clock.beginning(self.conf)), self.crc)

    def see(self, job_id: int) -> None:
        """Note that an id is in use."""
        self.highest = max(self.highest, job_id)

    def write(self) -> None:
        """Write the snapshot, if it must be."""
        meta = self.image.meta
        if self.changed:
            self.see(self._last_script())
        if self.highest >= meta.next_job_id:
            self.done.append(f"the next job id is {self.highest + 1} now, it was {meta.next_job_id}")
            meta.next_job_id = self.highest + 1
            self.changed = True
        if self.changed:
            archive = Archive(self.data)
            archive.waiting = self._waiting
            archive.store()
            self.image.segment = max([self.image.segment, *doctor.numbers(self.data, "journal")]) + 1
            setup.begin(self.folder, self.image)
            self.done.append(f"{layout.snapshot(self.folder)}: made again, jobs: {len(self.image.jobs)}")

    def _last_script(self) -> int:
        """Return the highest job id that has a script: lost commits leave their scripts."""
        scripts = os.path.join(self.data, "scripts")
        names = [name for block in files.names(scripts)[-2:] for name in files.names(os.path.join(scripts, block))]
        return max((int(name) for name in names if name.isdigit()), default=0)

    def _snapshot(self) -> tuple[Head | None, dict[str, Any], bool]:
        path = layout.snapshot(self.folder)
        try:
            head, parts, faults = snapshot.sound_parts(path, files.read(path) or b"")
        except formats.NewerFormat:
            raise
        except StateError as fault:
            self._note(f"{path} {fault.problem}{salvage_logs.kept(path)}")
            return None, {}, True
        if faults:
            self._note(f"{path} {next(iter(faults.values())).problem}{salvage_logs.kept(path)}")
        return head, parts, bool(faults)

    def _note(self, text: str) -> None:
        self.done.append(text)
        self.changed = True

    def _folders(self) -> None:
        for path in (self.data, *(os.path.join(self.data, kind) for kind in layout.KINDS)):
            if os.path.lexists(path) and (os.path.islink(path) or not os.path.isdir(path)):
                self._note(f"{path} is no folder{salvage_logs.kept(path)}")
            files.make_folder(path)

    def _commits(self) -> list[Commit]:
        """Read all segments, mending them; what they archived must be in the archive, but for the live segment's."""
        live = self.image.segment
        found: list[Commit] = []
        present = doctor.numbers(self.data, "journal")
        if live and live not in present:
            self._note(f"{layout.journal(self.data, live)} is missing: the commits since the snapshot are lost")
        for number in (n for n in present if not live or n <= live):
            before = len(self.done)
            pairs = salvage_logs.records(layout.journal(self.data, number), "commit", Commit, self.done)
            self.changed |= len(self.done) > before
            found += [commit for _, commit in pairs]
        return sorted(found, key=lambda commit: commit.seq)

    def _replay(self, commits: list[Commit]) -> None:
        for commit in commits:
            journal.apply(self.image, commit)

    def _count(self, commit: Commit, *, archived: bool) -> None:
        for job in commit.gone:
            if archived:
                self.gone[key(job)] = job
            else:
                self._waiting.append(job)
        self.see(max((job.job_id for job in [*commit.jobs, *commit.gone]), default=0))
