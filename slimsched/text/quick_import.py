"""`typing` and msgspec, imported in half the time by our commands: they are the longest part of their start.

Msgspec looks for what our records never hold, and loads tools of its own (`msgspec.inspect`) whether they are used or
not. Both are imported here with stand-ins for some modules. All that they offer works afterwards as ever, because a
stand-in passes on what is asked of it. Only a process of ours does this: a program that uses the library or the pytest
plugin imports msgspec as everybody does, for its own threads must not meet a stand-in.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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


def typing() -> None:
    """Import `typing`, if nobody has yet, without `re`, of which it wants two types and which few commands use."""
    if "typing" in sys.modules or "re" in sys.modules:
        return
    try:
        empty = import_module("_sre").compile("", 0, [1], 0, {}, ())  # what `re.compile("")` comes to
    except (AttributeError, ImportError, RuntimeError, TypeError):
        return  # another interpreter: `typing` is imported as ever
    sys.modules["re"] = module = stand_in("re", Pattern=type(empty), Match=type(empty.match("")))
    try:
        import_module("typing")
    finally:
        _withdraw("re", module)


def _compiled(*words: object) -> object:
    return import_module("re").compile(*words)


def _stand_ins() -> dict[str, ModuleType | None]:
    """Return what is there in place of some modules while msgspec is imported; None: nothing."""
    return {
        "typing_extensions": None,  # msgspec finds the same in `typing`
        "platform": stand_in("platform", system=lambda: os.uname().sysname),  # uuid wants no more
        "datetime": import_module("_datetime"),  # what `datetime` itself offers in the end
        "re": stand_in("re", compile=_compiled),
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
    module: Any = import_module("typing")
    known = module.ForwardRef
    module.ForwardRef = lambda *_, is_class=False, **__: None
    try:
        yield
    finally:
        module.ForwardRef = known
