"""The system calls on the state directory, with errors that name the file and a remedy.

All calls go through this module's ``os``, so that a test can make any one of them fail or kill the process there.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from slimsched.errors import StateError

LIMIT = 1 << 31  # a file larger than this is no state file of ours
_SAFE = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK  # no symlink leads out; a FIFO does not block
_ELSEWHERE = "choose another directory with --state or SLIMSCHED_STATE"
_REASONS = {
    errno.ENOSPC: ("no space left on the device", "free some space and repeat the command; nothing was changed"),
    errno.EDQUOT: ("disk quota exceeded", "free some space and repeat the command; nothing was changed"),
    errno.EFBIG: ("the file cannot grow any further", "raise the file size limit (ulimit -f) and repeat the command"),
    errno.EACCES: ("permission denied", f"give yourself access to it (chmod, chown), or {_ELSEWHERE}"),
    errno.EPERM: ("operation not permitted", f"give yourself access to it (chmod, chown), or {_ELSEWHERE}"),
    errno.EROFS: ("the file system is read-only", f"remount it for writing, or {_ELSEWHERE}"),
    errno.ENOENT: ("no such file or directory", f"create its parent directory, or {_ELSEWHERE}"),
    errno.ENOTDIR: ("a part of the path is not a directory", _ELSEWHERE),
    errno.EISDIR: ("is a directory, not a file", "move it elsewhere, then run: sim doctor --rebuild"),
    errno.ELOOP: ("is a symbolic link, which is not followed", "put the file itself in its place"),
    errno.ENXIO: ("is not a regular file", "move it elsewhere, then run: sim doctor --rebuild"),
    errno.ENAMETOOLONG: ("the path is too long", _ELSEWHERE),
    errno.EIO: ("input/output error", "check the disk, then run: sim doctor"),
    errno.EMFILE: ("too many open files", "raise the limit (ulimit -n) and repeat the command"),
    errno.ENFILE: ("too many open files in the system", "repeat the command later"),
}
_IN_THE_WAY = {errno.EISDIR, errno.ELOOP, errno.ENXIO}  # something other than a file is there: damage


class Refused(StateError):
    """The system refused a call: the file's content is unknown, so nothing may be concluded from it."""


class Unsynced(Refused):
    """The file was replaced, but it is not certain that this outlives a power failure."""


def explain(path: str, fault: OSError) -> StateError:
    """Turn a failed system call on ``path`` into an error for the user."""
    known = _REASONS.get(fault.errno or 0)
    problem, repair = known or (fault.strerror or str(fault), "run: sim doctor")
    return (StateError if fault.errno in _IN_THE_WAY else Refused)(path, problem, repair)


@contextmanager
def explained(path: str) -> Iterator[None]:
    """Raise `StateError` for an `OSError` (or a path that cannot exist) inside."""
    try:
        yield
    except OSError as fault:
        raise explain(path, fault) from fault
    except ValueError as fault:  # the message differs between Python's versions
        raise StateError(path, "the path contains a NUL character", _ELSEWHERE) from fault


def open_file(path: str, flags: int, mode: int = 0o600) -> int:
    """Open a regular file of the state; symbolic links, FIFOs and devices are refused."""
    fd = _create(path, flags, mode) if flags & os.O_CREAT and not os.geteuid() else os.open(path, flags | _SAFE, mode)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise StateError(path, "is not a regular file", "move it elsewhere, then run: sim doctor --rebuild")
    except BaseException:
        os.close(fd)
        raise
    return fd


def _create(path: str, flags: int, mode: int) -> int:
    """Open a file as root; a new one is given to the owner of its folder."""
    try:
        fd = os.open(path, flags | os.O_EXCL | _SAFE, mode)
    except FileExistsError:  # never given away: it could be a second name of somebody else's file
        return os.open(path, flags | _SAFE, mode)
    _give(fd, os.path.dirname(path))
    return fd


def _give(fd: int, folder: str) -> None:
    """Give a file that root made in a user's folder to that user, whose commands could not use it otherwise."""
    owner = os.stat(folder)
    if owner.st_uid:
        os.fchown(fd, owner.st_uid, owner.st_gid)


def read(path: str, at: int = 0) -> bytes | None:
    """Return a file's content from byte ``at`` on, ``None`` if there is no such file."""
    with explained(path):
        try:
            fd = open_file(path, os.O_RDONLY)
        except FileNotFoundError:
            return None
        try:
            size = os.fstat(fd).st_size
            if size > LIMIT:
                raise StateError(path, f"is {size} bytes long, too large for a state file", "run: sim doctor")
            if at:
                os.lseek(fd, at, os.SEEK_SET)
            return _read_all(fd, max(0, size - at))
        finally:
            os.close(fd)


def _read_all(fd: int, size: int) -> bytes:
    data = os.read(fd, size + 1)
    if len(data) == size:
        return data
    parts = [data]
    while parts[-1]:
        parts.append(os.read(fd, 1 << 20))
    return b"".join(parts)


def write_all(fd: int, data: bytes) -> None:
    """Write all of ``data``, however many calls that takes."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def sync_data(fd: int) -> None:
    """Wait until the file's data is on the disk (macOS has no ``fdatasync``)."""
    getattr(os, "fdatasync", os.fsync)(fd)


def sync_folder(path: str) -> None:
    """Wait until the folder's entries are on the disk."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def sync(path: str) -> None:
    """Wait until the folder's entries are on the disk; `StateError` if that fails."""
    with explained(path):
        sync_folder(path)


def replace(path: str, data: bytes, *, suffix: str = ".new", durable: bool = True) -> None:
    """Put ``data`` in the place of the file ``path``: afterwards it is the old or the new content, never a mix.

    `Unsynced` is raised if it is the new one.
    """
    with explained(path):
        _write(path + suffix, data, os.O_TRUNC, durable)
        try:
            os.replace(path + suffix, path)
        except OSError:
            with suppress(OSError):
                os.unlink(path + suffix)  # for example, a folder is in its place
            raise
        if durable:
            try:
                sync_folder(os.path.dirname(path))
            except OSError as fault:
                raise Unsynced(path, f"is replaced, but {explain(path, fault).problem}", "run: sim doctor") from fault


def create(path: str, data: bytes, *, entered: bool = True) -> None:
    """Write a file that nothing refers to yet; an earlier one of the same name is overwritten in place.

    Without ``entered`` its entry in the folder may not be on the disk yet: somebody else does `sync` the folder.
    """
    with explained(path):
        _write(path, data, os.O_TRUNC, durable=True)
        if entered:
            sync_folder(os.path.dirname(path))


def _write(path: str, data: bytes, flags: int, durable: bool) -> None:
    fd = open_file(path, os.O_WRONLY | os.O_CREAT | flags)
    try:
        write_all(fd, data)
        if durable:
            sync_data(fd)
    except OSError:
        with suppress(OSError):
            os.unlink(path)  # half of the file is useless
        raise
    finally:
        os.close(fd)


def append(path: str, data: bytes, at: int) -> None:
    """Write ``data`` at offset ``at``, cutting off what lies behind it; on an error the file ends at ``at`` again."""
    with explained(path):
        fd = open_file(path, os.O_WRONLY | os.O_CREAT)
        try:
            if os.fstat(fd).st_size != at:
                os.ftruncate(fd, at)
            os.lseek(fd, at, os.SEEK_SET)
            try:
                write_all(fd, data)
                sync_data(fd)
            except OSError:
                os.ftruncate(fd, at)
                raise
        finally:
            os.close(fd)


def make_folder(path: str, *, durable: bool = True) -> None:
    """Make a folder that only its owner may enter, with its parents; an existing folder is left as it is."""
    with explained(path):
        missing = []
        while not os.path.isdir(path):
            missing.append(path)
            parent = os.path.dirname(path)
            if parent == path:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
            path = parent
        for folder in reversed(missing):
            with suppress(FileExistsError):  # another process was faster, or a file is in the way
                os.mkdir(folder, 0o700)
                if not os.geteuid():
                    _give_folder(folder)
            if durable:
                sync_folder(os.path.dirname(folder))


def _give_folder(path: str) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | _SAFE)
    try:
        _give(fd, os.path.dirname(path))
    finally:
        os.close(fd)


def refuse_links(*paths: str) -> None:
    """Raise `StateError` if one of the folders is a symbolic link: the state would lead out of its directory."""
    for path in paths:
        with explained(path):
            try:
                linked = stat.S_ISLNK(os.lstat(path).st_mode)
            except FileNotFoundError:
                continue
            if linked:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def kind(path: str) -> str:
    """Return what is at ``path``: ``file``, ``folder``, ``other`` (a link among them), or "" for nothing."""
    with explained(path):
        try:
            mode = os.lstat(path).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return ""
    return "file" if stat.S_ISREG(mode) else "folder" if stat.S_ISDIR(mode) else "other"


def set_aside(path: str) -> str:
    """Rename whatever is at ``path`` to the first free ``path.damaged-N``; return that name."""
    with explained(path):
        aside = _free(path)
        os.rename(path, aside)
        sync_folder(os.path.dirname(path))
        return aside


def keep_copy(path: str) -> str:
    """Give the file ``path`` the first free ``path.damaged-N`` as a second name; return that name."""
    with explained(path):
        aside = _free(path)
        link(path, aside)
        sync_folder(os.path.dirname(path))
        return aside


def _free(path: str) -> str:
    number = 1
    while kind(f"{path}.damaged-{number}"):
        number += 1
    return f"{path}.damaged-{number}"


def link(path: str, second: str) -> None:
    """Give a file a second name, or copy it where the file system has no hard links."""
    with explained(second):
        try:
            os.link(path, second, follow_symlinks=False)
        except OSError as fault:
            if fault.errno not in {errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS}:
                raise
            _write(second, read(path) or b"", os.O_TRUNC, durable=True)


def move(path: str, target: str) -> None:
    """Rename a file, replacing the one that has the name."""
    with explained(path):
        os.replace(path, target)
        for folder in {os.path.dirname(path), os.path.dirname(target)}:
            sync_folder(folder)


def remove_tree(path: str) -> None:
    """Remove a file, a link, or a folder with all that is in it; links are not followed."""
    with explained(path):
        if kind(path) != "folder":
            os.unlink(path)
            return
        for name in os.listdir(path):
            remove_tree(os.path.join(path, name))
        os.rmdir(path)


def names(path: str) -> list[str]:
    """Return the sorted names in a folder, none if it does not exist."""
    with explained(path):
        try:
            return sorted(os.listdir(path))
        except FileNotFoundError:
            return []
