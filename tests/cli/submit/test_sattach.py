"""What ``sattach`` says of lines that it does not understand. Source: sattach/opt.c by behaviour."""

from __future__ import annotations

from typing import Any

import pytest

USAGE = "Usage: sattach [options] <jobid.stepid>\n"
GONE = "error: Could not get job step info: Invalid job id specified"


@pytest.mark.parametrize(
    ("words", "out", "said"),
    [
        ("", USAGE, "error: too many parameters"),
        ("1.0 2.0", USAGE, "error: too many parameters"),
        ("x.0", "", "fatal: Bad job/step specification: x.0"),
        ("-Qv 1.0", "", "error: don't specify both --verbose (-v) and --quiet (-Q)"),
        ("--pty=0 --input-filter=0 1.0", "", "error: don't specify both --pty and I/O filtering"),
        ("--input-filter=x 1.0", "", 'error: Invalid numeric value "x" for input-filter.'),
        ("--error-filter=-1 1.0", "", 'error: Invalid numeric value "-1" for error-filter.'),
        ("--output-filter=2147483648 1.0", "", "error: Numeric argument 2147483648 to big for output-filter."),
        ("--output-filter=- 1.0", "", GONE),
        ("1.0", "", GONE),
        ("1", "", GONE),
    ],
)
def test_refusals(sim: Any, words: str, out: str, said: str) -> None:
    assert sim.run(f"sattach {words}") == (1, out, f"sattach: {said}\n")
