"""File names of a job with their patterns replaced (recorded: sbatch_patterns)."""

from __future__ import annotations

import pytest

from slimsched.executor.file_names import expand

MEANT = {"j": "7", "x": "name"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("%x-%j.out", "name-7.out"),
        ("%4j", "0007"),
        ("%12j", "0000000007"),
        ("%h%q", "%h%q"),
        ("100%%", "100%"),
        ("100%", "100"),
        ("%%%", "%"),
        ("%", ""),
        ("q\\%j", "q%j"),
    ],
)
def test_expand(text: str, name: str) -> None:
    assert expand(text, MEANT) == name
