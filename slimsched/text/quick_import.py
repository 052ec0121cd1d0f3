"""msgspec, imported in half the time by our commands: it is the longest part of their start.

It looks for what our records never hold, and loads tools of its own (`msgspec.inspect`) whether they are used or not.
It is imported here with stand-ins for some modules. All that msgspec offers works afterwards as ever, because a
stand-in passes on what is asked of it. Only a process of ours does this: a program that uses the library or the pytest
plugin imports msgspec as everybody does, for its own threads must not meet a stand-in.
"""

from __future__ import annotations

import os
import sys
import typing
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType

wanted = False
"""Whether this process is a command of ours, which says so before it imports any record."""

TOOLS = ("inspect", "msgpack", "toml", "yaml")
"""Modules of msgspec that no command uses."""


def stand_in(name: str, **known: object) -> ModuleType:
    """Return a module that imports the one of this name when somebody asks for more than what is ``known``."""

    def ask(attribute: str) -> object:
        _withdraw(name, module)
        return getattr(import_module(name), attribute)

    module = ModuleType(name)
    vars(module).update(known, __getattr__=ask)
    return module


def _stand_ins() -> dict[str, ModuleType | None]:
    """Return what is there in place of some modules while msgspec is imported; None: nothing."""
    return {
        "typing_extensions": None,  # msgspec finds the same in `typing`
        "platform": stand_in("platform", system=lambda: os.uname().sysname),  # uuid wants no more
        "datetime": import_module("_datetime"),  # what `datetime` itself offers in the end
        **{name: stand_in(name) for name in ("textwrap", *(f"msgspec.{tool}" for tool in TOOLS))},
    }


def _withdraw(name: str, module: ModuleType | None) -> None:
    if sys.modules.get(name, sys) is module:
        del sys.modules[name]


def msgspec() -> None:
    """Import msgspec, if nobody has yet. Modules that are there already are used as they are."""
    if "msgspec" in sys.modules:
        return
    placed = {name: module for name, module in _stand_ins().items() if name not in sys.modules}
    sys.modules.update(placed)  # type: ignore[arg-type]  # None is how the import system marks what is not there
    try:
        with _uncompiled():
            import_module("msgspec")
    finally:
        for name, module in placed.items():
            _withdraw(name, module)


@contextmanager
def _uncompiled() -> Iterator[None]:
    """Keep `typing.ForwardRef` from compiling: msgspec tries it, to see whether it takes ``is_class``.

    For the first text that it compiles the interpreter makes all classes of the syntax tree.
    """
    known = typing.ForwardRef
    typing.ForwardRef = lambda *_, is_class=False, **__: None  # type: ignore[misc, assignment]
    try:
        yield
    finally:
        typing.ForwardRef = known  # type: ignore[misc]
