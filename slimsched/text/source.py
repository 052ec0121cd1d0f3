"""Files named by users (scripts, lists, configurations): regular files of limited size only.

A FIFO would block for ever and a device has no end. What is open already (``/dev/stdin``, ``/dev/fd/63`` as a shell
puts it for ``<(command)``) is read whatever it is: somebody gave it to us for that.
"""

from __future__ import annotations

import errno
import os
import stat

MOST = 1 << 26
"""The size limit of files, in bytes."""

GIVEN = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY


def read_bytes(path: str, most: int = MOST) -> bytes:
    """Return a file's content. Raises `OSError`, also for what is not a regular file, or longer than ``most`` bytes."""
    given = path.startswith(GIVEN)
    try:
        fd = os.open(path, _FLAGS if given else _FLAGS | os.O_NONBLOCK)
    except ValueError:  # a NUL character or half of a pair of surrogates: no file has such a name
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path) from None
    with open(fd, "rb") as stream:
        if not given and not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise OSError(errno.EINVAL, "Not a regular file", path)
        data = stream.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
    return data


def read_text(path: str, errors: str = "strict") -> str:
    """Return the text of a UTF-8 file, with plain line ends; as `read_bytes`, and `UnicodeDecodeError` if strict."""
    text = read_bytes(path).decode("utf-8", errors)
    return text.replace("\r\n", "\n").replace("\r", "\n")
