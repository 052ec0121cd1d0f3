"""The import of msgspec: quick, and nobody can tell the difference afterwards."""

from __future__ import annotations

import subprocess
import sys

import pytest

from slimsched.text.quick_import import TOOLS

START = "from slimsched.cli.start import prepare; prepare(); import slimsched.model"
STANDS_FOR = ("re", "typing_extensions", "platform", "datetime", "textwrap", *(f"msgspec.{tool}" for tool in TOOLS))


def python(code: str) -> str:
    """Run code in a process of its own, which has not imported msgspec yet; return what it prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout


def test_nothing_is_left_of_the_stand_ins() -> None:
    code = f"import sys\n{START}\nprint([name for name in {STANDS_FOR} if name in sys.modules])"

    assert python(code) == "[]\n"


@pytest.mark.parametrize(
    ("code", "answer"),
    [
        ("print(msgspec.json.schema(dict[str, int])['additionalProperties'])", "{'type': 'integer'}"),
        ("print(msgspec.inspect.type_info(int))", "IntType(gt=None, ge=None, lt=None, le=None, multiple_of=None)"),
        ("import msgspec.inspect as known; print(known.type_info is msgspec.inspect.type_info)", "True"),
        (
            "import datetime; print(msgspec.json.decode(b'\"2026-01-01\"', type=datetime.date))\n"
            "print(datetime.__file__.endswith('datetime.py'))",
            "2026-01-01\nTrue",
        ),
        (
            "import uuid; print(msgspec.json.encode(uuid.UUID(int=7)))",
            "b'\"00000000-0000-0000-0000-000000000007\"'",
        ),
        ("import os, platform; print(platform.system() == os.uname().sysname, bool(platform.machine()))", "True True"),
        ("print(msgspec.msgpack.decode(msgspec.msgpack.encode([1])), msgspec.toml.decode('a = 1'))", "[1] {'a': 1}"),
        (
            "from typing import Annotated as A\n"
            "print(msgspec.json.decode(b'\"ab\"', type=A[str, msgspec.Meta(pattern='^a')]))",
            "ab",
        ),
        (
            "import re, typing; print(typing.Pattern[str].__origin__ is re.Pattern, typing.get_origin(typing.Match))",
            "True <class 're.Match'>",
        ),
        ("print(msgspec.yaml.__all__)", "('encode', 'decode')"),
        ("import textwrap; print(textwrap.fill('a b', 1))", "a\nb"),
        ("import typing_extensions; print(typing_extensions.Self is __import__('typing').Self)", "True"),
    ],
)
def test_what_was_put_off_is_there_when_it_is_wanted(code: str, answer: str) -> None:
    assert python(f"{START}\nimport msgspec\n{code}") == answer + "\n"


def test_a_program_that_uses_the_library_imports_msgspec_as_everybody_does() -> None:
    assert python("import sys, slimsched.model.job\nprint('msgspec.inspect' in sys.modules)") == "True\n"


def test_modules_that_are_there_stay() -> None:
    code = (
        f"import sys, datetime, platform, textwrap\nbefore = [datetime, platform, textwrap]\n{START}\n"
        "print(before == [sys.modules[name] for name in ('datetime', 'platform', 'textwrap')])"
    )

    assert python(code) == "True\n"


def test_a_stand_in_passes_on_what_is_asked_of_it_while_it_stands() -> None:
    code = """
import sys
from slimsched.text.quick_import import stand_in
sys.modules.pop("textwrap", None)
sys.modules["textwrap"] = module = stand_in("textwrap", fill=len)
import textwrap
print(textwrap.fill("a"), textwrap.shorten("a b c", 3, placeholder=""), sys.modules["textwrap"] is module)
"""

    assert python(code) == "1 a b False\n"


def test_another_interpreter_imports_typing_as_ever() -> None:
    refuse = "import _sre\nknown = _sre.compile\ndef refuse(*_): _sre.compile = known; raise RuntimeError"
    code = f"{refuse}\n_sre.compile = refuse\n{START}\nimport re, typing"

    assert python(f"{code}; print(typing.Pattern is not None, re.match('a', 'ab').end())") == "True 1\n"
