"""The place of the state directory and the names of its files.

lock                         held while a command runs
lock.next                    held while a writer waits for that
cluster.toml                 the configuration, edited by hand
cluster.cache                the same, compiled
faults.json                  faults of commands that a test wrote, if there are any
calls.jsonl                  the commands received, after `sim calls --on`
saved/NAME                   a cluster saved under a name: a state directory of its own
snapshot.json                the live state; its head names the generation and the journal segment that follow
data-G/journal/NNNNNN        commits since snapshot NNNNNN (lower numbers: history)
data-G/archive/NNNNNN        finished jobs with ids from 1000 * NNNNNN
data-G/scripts/NNNNNN/ID     job scripts, a thousand ids a folder
data-G/scripts/NNNNNN/ID.submission   the environment and limits of a script that really runs
data-G/runs/ID.RESTARTS      a run of a job, on a live cluster
data-G/cluster.toml          the configuration of a new cluster, until it is moved to its place
"""

from __future__ import annotations

import os

from slimsched.errors import StateError

RANGE = 1000  # job ids per archive file and script folder
KINDS = ("journal", "archive", "scripts")  # the folders of a generation


def locate(option: str | None) -> str:
    """Return the absolute path of the state directory: ``--state``, SLIMSCHED_STATE, the platform's place."""
    chosen = option if option is not None else os.environ.get("SLIMSCHED_STATE") or _platform()
    if not chosen:
        raise StateError("--state", "no directory is given", "give one: --state DIR")
    return os.path.abspath(chosen)


def _platform() -> str:
    import platformdirs  # costs a fifth of a short command's time: only where no directory is given

    path = platformdirs.user_state_dir("slimsched", appauthor=False)
    if not os.path.isabs(path):
        raise StateError(path, "there is no home directory to keep the state in", "set SLIMSCHED_STATE or use --state")
    return path


def is_own(folder: str) -> bool:
    """Whether a directory is the platform's place for this user's state."""
    try:
        return folder == _platform()
    except StateError:
        return False


def lock(folder: str) -> str:
    """Return the path of the lock file."""
    return os.path.join(folder, "lock")


def turnstile(folder: str) -> str:
    """Return the path of the file that a waiting writer holds."""
    return os.path.join(folder, "lock.next")


def config(folder: str) -> str:
    """Return the path of the configuration."""
    return os.path.join(folder, "cluster.toml")


def new_config(data: str) -> str:
    """Return the path of the configuration that a new generation brings with it."""
    return os.path.join(data, "cluster.toml")


def cache(folder: str) -> str:
    """Return the path of the compiled configuration."""
    return os.path.join(folder, "cluster.cache")


def snapshot(folder: str) -> str:
    """Return the path of the snapshot."""
    return os.path.join(folder, "snapshot.json")


def faults(folder: str) -> str:
    """Return the path of the faults that commands are to have."""
    return os.path.join(folder, "faults.json")


def calls(folder: str) -> str:
    """Return the path of the log of commands."""
    return os.path.join(folder, "calls.jsonl")


def saved(folder: str) -> str:
    """Return the path of the folder of saved clusters."""
    return os.path.join(folder, "saved")


def data(folder: str, generation: int) -> str:
    """Return the path of a generation's folder."""
    return os.path.join(folder, f"data-{generation}")


def journal(data: str, segment: int) -> str:
    """Return the path of a journal segment."""
    return os.path.join(data, "journal", f"{segment:06}")


def archive(data: str, block: int) -> str:
    """Return the path of an archive file."""
    return os.path.join(data, "archive", f"{block:06}")


def script(data: str, job_id: int) -> str:
    """Return the path of a job's script."""
    return os.path.join(data, "scripts", f"{job_id // RANGE:06}", str(job_id))


def submission(data: str, job_id: int) -> str:
    """Return the path of what a job's script takes along."""
    return f"{script(data, job_id)}.submission"
