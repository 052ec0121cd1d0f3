"""The module ``os`` as `slimsched.state.files` sees it, with one call that does not come to its end."""

from __future__ import annotations

import os
from typing import Any

CHANGING = {"write", "replace", "rename", "ftruncate", "mkdir", "unlink", "rmdir", "link"}
"""Between two of these nothing on the disk changes (``open`` is one of them if it may make a file)."""

OTHERS = {"open", "read", "fstat", "lstat", "listdir", "lseek", "fsync", "fdatasync"}


class Killed(BaseException):
    """The process is dead: nothing of it reaches the disk any more."""


class Faulty:
    """``at``: the number of the call, from 0. ``fault``: ``kill`` (ahead of it), ``half`` (in the middle of a write),
    or the number of the error with which it fails.

    ``calls``: the names of the calls so far.
    """

    def __init__(self, at: int, fault: str | int) -> None:
        self.at, self.fault = at, fault
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in CHANGING | OTHERS:
            return real

        def call(*args: Any, **options: Any) -> Any:
            if self._counts(name, args):
                self.calls.append(name)
                if len(self.calls) > self.at:
                    self._fail(args)
            return real(*args, **options)

        return call

    def _counts(self, name: str, args: tuple[Any, ...]) -> bool:
        if self.fault == "half" and len(self.calls) <= self.at:
            return name == "write"
        changing = name in CHANGING or (name == "open" and args[1] & os.O_CREAT)
        return bool(changing) or isinstance(self.fault, int)

    def _fail(self, args: tuple[Any, ...]) -> None:
        if isinstance(self.fault, int):
            if len(self.calls) == self.at + 1:
                raise OSError(self.fault, os.strerror(self.fault))
            return
        if self.fault == "half" and len(self.calls) == self.at + 1:
            os.write(args[0], bytes(args[1])[: len(args[1]) // 2])
        raise Killed
