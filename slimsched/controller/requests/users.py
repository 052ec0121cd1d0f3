"""Users who ask and submit: the operating system's users, and those that only the cluster knows.

A name that the system does not know (traces, other people's jobs) gets an id of its own, kept in the cluster.
Whoever can use the state directory may ask as somebody else: `ASKER` names whom (``sim --as USER``).
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

from slimsched import ASKER
from slimsched.errors import SlurmError, UserError
from slimsched.model.record import Value
from slimsched.slurm.errno import Errno
from slimsched.text.sizes import is_number

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster

FIRST_OWN_ID = 2_000_000  # above the numbers that systems and their container ranges usually assign


class User(Value, frozen=True):
    """A user with its primary group."""

    uid: int
    name: str
    gid: int
    group: str


def invoking(cluster: Cluster) -> User:
    """Return the user who asks: whom `ASKER` names, else who runs this process."""
    text = os.environ.get(ASKER)
    if text:
        return resolve(cluster, text)
    uid = os.getuid()
    return _known_by_id(uid) or User(uid, str(uid), os.getgid(), _group_name(os.getgid()))


def invoking_id() -> str:
    """Return the number of the user who asks, or its name if that is all that is known of it."""
    text = os.environ.get(ASKER) or str(os.getuid())
    if is_number(text):
        return text
    found = _known_by_name(text)
    return text if found is None else str(found.uid)


def invoking_name() -> str:
    """Return the name of the user who asks."""
    text = os.environ.get(ASKER) or str(os.getuid())
    found = _known_by_id(int(text)) if is_number(text) else None
    return text if found is None else found.name


def speaks_for_another() -> bool:
    """Whether the user who asks was named, so that what it may do is its own rights."""
    return bool(os.environ.get(ASKER))


def resolve(cluster: Cluster, text: str) -> User:
    """Return the user named by a name or a number; an unknown name gets an id of its own.

    Raises `SlurmError` (USER_ID_MISSING) for an empty name or one with blanks or control characters.
    """
    if is_number(text):
        uid = int(text)
        return _known_by_id(uid) or _own(cluster, uid) or User(uid, text, uid, text)
    if not text or not text.isprintable() or any(c.isspace() for c in text):
        raise SlurmError(Errno.USER_ID_MISSING)
    return _known_by_name(text) or _new(cluster, text)


def in_group(user: User, text: str) -> User:
    """Return a user with another group, by its name or number. Raises `UserError` for an unknown one."""
    import grp

    try:
        found = grp.getgrgid(int(text)) if is_number(text) else grp.getgrnam(text)
    except (KeyError, ValueError, OverflowError):
        raise UserError("Invalid --gid specification", exit_code=255) from None
    return User(user.uid, user.name, found.gr_gid, found.gr_name)


def is_group(cluster: Cluster, text: str) -> bool:
    """Whether a text is a number, or the name of a group of the system or of a job."""
    if is_number(text, 10) or any(job.group_name == text for job in cluster.jobs.values()):
        return True
    import grp

    try:
        grp.getgrnam(text)
    except KeyError:
        return False
    return True


UNKNOWN_ID = 4294967294
"""The text that Slurm shows for a user without an id."""


def uid_of(cluster: Cluster, name: str) -> int:
    """Return the id of a user, without giving one to a name that has none."""
    known = _known_by_name(name)
    return known.uid if known is not None else cluster.users.get(name, UNKNOWN_ID)


def known(cluster: Cluster, name: str) -> int | None:
    """Return a user's number, by number, the cluster's own names, its jobs' users, or the system's names."""
    if is_number(name, 10):
        return int(name)
    if name in cluster.users:
        return cluster.users[name]
    of_jobs = next((job.user_id for job in cluster.jobs.values() if job.user_name == name), None)
    if of_jobs is not None:
        return of_jobs
    found = _known_by_name(name)
    return None if found is None else found.uid


def _new(cluster: Cluster, name: str) -> User:
    uid = cluster.users.get(name)
    if uid is None:
        uid = max(cluster.users.values(), default=FIRST_OWN_ID - 1) + 1
        cluster.users[name] = uid
    return User(uid, name, uid, name)


def _own(cluster: Cluster, uid: int) -> User | None:
    return next((User(uid, name, uid, name) for name, own in cluster.users.items() if own == uid), None)


@lru_cache(maxsize=1024)
def _known_by_id(uid: int) -> User | None:
    import pwd

    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        return None
    return User(uid, entry.pw_name, entry.pw_gid, _group_name(entry.pw_gid))


@lru_cache(maxsize=1024)
def _known_by_name(name: str) -> User | None:
    import pwd

    try:
        entry = pwd.getpwnam(name)
    except (KeyError, ValueError):
        return None
    return User(entry.pw_uid, entry.pw_name, entry.pw_gid, _group_name(entry.pw_gid))


def _group_name(gid: int) -> str:
    import grp

    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)
