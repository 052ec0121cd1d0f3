"""What `sim doctor` checks outside of the state's files: settings, plugins, the clock, runs, names on PATH."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from slimsched.errors import SimError
from slimsched.state import files as state_files
from slimsched.state import layout
from slimsched.state.doctor import DAMAGED, NOTE, OK, Finding

if TYPE_CHECKING:
    from slimsched.model.config import Config

_Findings = Iterator[Finding]


def check(folder: str) -> _Findings:
    """Yield the findings; nothing about a cluster whose configuration cannot be read, of which the files tell."""
    if not state_files.kind(layout.config(folder)):
        return
    from slimsched.state import config

    try:
        conf = config.read(layout.config(folder))
    except SimError:
        return
    yield from _settings(layout.config(folder), conf)
    yield from _clock(folder, conf)
    if conf.live:
        yield from _runs(folder)
    yield from _names(folder)


def _settings(path: str, conf: Config) -> _Findings:
    """Find what the configuration names and is not there: plugins, parameters, the file that it was read from."""
    from slimsched.cli.own.plugins import missing
    from slimsched.errors import UserError
    from slimsched.state import reread, scheduler_names

    for line in missing(conf):
        yield Finding(path, DAMAGED, line, "install the plugin, or name another one under [slurm]")
    for line in scheduler_names.unknown(conf):
        yield Finding(path, NOTE, line)
    if conf.source and not os.path.exists(conf.source):
        yield Finding(conf.source, NOTE, "has gone; the cluster was read from it, and stays as it is")
        return
    try:
        if reread.changed(conf) is not None:
            yield Finding(conf.source, NOTE, "has changed since it was read; scontrol reconfigure reads it again")
    except UserError as fault:
        yield Finding(conf.source, NOTE, f"has changed, and cannot be read: {fault.message}; the old one holds")


def _clock(folder: str, conf: Config) -> _Findings:
    """Find a system's clock that stands behind the last command, so that time stands still until it has caught up."""
    if conf.clock != "wall" or not state_files.kind(layout.snapshot(folder)):
        return
    import time

    from slimsched.state.store import Store
    from slimsched.text import times

    try:
        with Store.open(folder) as store:
            now = store.load().now
    except SimError:
        return
    behind = now - int(time.time())
    if behind > 1:
        said = (
            f"the last command came at {times.instant(now)}, and the system's clock is {times.elapsed(behind)} behind"
        )
        yield Finding(folder, NOTE, f"{said}: time stands still here until it has caught up")


def _runs(folder: str) -> _Findings:
    """Find runs whose supervisor has died, or never began."""
    from slimsched.executor.local import files, runs

    for run in runs.folders(folder):
        if files.held(files.path(run, "lock")) or files.read(run, "end.json") is not None:
            continue
        job = os.path.basename(run).partition(".")[0]
        began = files.read(run, "started")
        if began is not None:
            text = f"job {job}: its supervisor (process {began.get('pid', '?')}) has died"
            yield Finding(run, NOTE, f"{text}; the next command notes that as NODE_FAIL")
        elif files.read(run, "spec.json") is not None:
            yield Finding(run, NOTE, f"job {job}: its supervisor has not begun; the next command starts it")


def _names(folder: str) -> _Findings:
    """Find where Slurm's names on PATH lead: to this cluster, to another one, or to another program."""
    from slimsched.cli.own import shims

    found = {
        name: path for name in ("sbatch", "squeue", "sacct", "scancel", "scontrol") if (path := shutil.which(name))
    }
    ours = {name: to for name, path in found.items() if (to := shims.target(Path(path))) is not None}
    if not ours:
        return
    place = os.path.dirname(found[next(iter(ours))])
    for name in found.keys() - ours.keys():
        yield Finding(found[name], NOTE, f"is not made by sim shims; programs that call {name} reach another Slurm")
    program, state = next(iter(ours.values()))
    if not shutil.which(program):
        yield Finding(place, DAMAGED, f"its commands call {program}, which is not there", f"run: sim shims {place}")
    elif not os.environ.get("SLIMSCHED_STATE") and os.path.realpath(state) != os.path.realpath(folder):
        yield Finding(place, NOTE, f"its commands use the cluster in {state}")
    else:
        yield Finding(place, OK, f"Slurm's names on PATH lead to this cluster, by {program}")
