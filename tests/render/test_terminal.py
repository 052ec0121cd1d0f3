"""What a person sees: colours by state, lines that fit, no control characters from data."""

from __future__ import annotations

import io
import re

import pytest
import scene
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from slimsched.cli.sinfo.sinfo import command as sinfo
from slimsched.cli.squeue.squeue import command as squeue
from slimsched.render.columns import Style, parse_short
from slimsched.render.jobs import job_list
from slimsched.render.jobs.job_list import JOBS
from slimsched.render.terminal import LEAST, fit, plain, show

USUAL = "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R"


def plain_lines(text):
    """Return lines without what only paints them."""
    return [re.sub(r"\x1b\[[\d;]*m", "", line) for line in text.splitlines()]


def drawn(text=USUAL, width=80, colour=None, header=True, change=None):
    cluster = scene.formats()
    if change:
        change(cluster)
    choice = job_list.JobChoice()
    records = job_list.whole(cluster, choice, job_list.Manner()).records
    out = io.StringIO()
    console = Console(
        file=out, width=width, force_terminal=True, color_system=colour, highlight=False, no_color=not colour
    )
    show(parse_short(text, JOBS.by_letter), records, Style(header=header), console)
    return out.getvalue()


def test_usual_table():
    lines = [line.rstrip() for line in plain_lines(drawn())]

    assert lines[:3] == [
        "    JOBID PARTITION NAME    USER ST TIME NODES NODELIST(REASON)",
        "        7     debug big     root PD 0:00     8 (Resources)",
        "        5     debug later   root PD 0:00     1 (BeginTime)",
    ]
    assert "3_[2-5%2]     debug arr     root PD 0:00     1 (JobArrayTaskLimit)" in lines


@pytest.mark.parametrize("width", [42, 50, 60, 72, 80, 200])
def test_lines_fit(width):
    def lengthen(cluster):
        for job in cluster.jobs.values():
            job.request.name = "a-very-long-name-" * 5

    assert max(map(len, plain_lines(drawn(width=width, change=lengthen)))) <= width


def test_more_columns_than_there_is_room_for():
    """Then the text stands as it does in a pipe: complete, if not on one line each."""
    records = job_list.whole(scene.formats(), job_list.JobChoice(), job_list.Manner()).records
    text = parse_short(USUAL, JOBS.by_letter).lines(records)

    assert plain_lines(drawn(width=30)) == text
    assert plain_lines(drawn(width=42)) != text


def test_names_give_way_first():
    def lengthen(cluster):
        cluster.jobs[7].request.name = "x" * 100

    line = next(line for line in drawn(width=80, change=lengthen).splitlines() if "xxx" in line)

    assert "x…" in line
    assert "(Resources)" in line


def test_colour_by_state():
    text = drawn(colour="standard")

    assert "\x1b[32m" in next(line for line in text.splitlines() if "run1" in line)
    assert "\x1b[33m" in next(line for line in text.splitlines() if "big" in line)


def test_control_characters_are_spelled_out():
    def attack(cluster):
        cluster.jobs[1].request.name = "a\x1b]0;owned\x07\r\n\x9b31m[red]b"

    for text in (USUAL, "%i|%j"):
        shown = "\n".join(plain_lines(drawn(text, width=200, change=attack)))
        assert not any(c in shown for c in "\x1b\x07\r\x9b")
        assert "a\\x1b]0;owned\\x07\\r\\n\\x9b31m[red]b" in shown


def test_a_format_with_text_of_its_own_stays_as_it_is():
    assert "7|big|\n" in drawn("%i|%j|")
    assert drawn("no fields").splitlines()[0] == "no fields"


def test_no_header():
    assert "JOBID" not in drawn(header=False)


@given(st.lists(st.integers(1, 300), min_size=1, max_size=12), st.integers(1, 300))
def test_fit(widths, room):
    heads = ["NAME", "JOBID", "NODELIST", "COMMAND", "A", "B", "C", "D", "E", "F", "G", "H"][: len(widths)]

    cut = fit(widths, heads, room)
    whole = [max(width, len(head)) for width, head in zip(widths, heads, strict=True)]

    assert all(a <= b for a, b in zip(cut, whole, strict=True))
    assert all(a >= min(b, LEAST) for a, b in zip(cut, whole, strict=True))
    if sum(cut) + len(cut) - 1 > room:
        assert all(a <= LEAST for a in cut)


def test_plain():
    assert plain("é x\t\u202e\x00") == "é x\\t\\u202e\\x00"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("command", [squeue, sinfo])
def test_commands_ask_whether_somebody_looks(command, monkeypatch):
    out = Terminal()
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")

    code = command.main(scene.Scene(scene.formats()), [])

    assert code == 0
    assert "PARTITI" in out.getvalue()
    assert max(map(len, plain_lines(out.getvalue()))) <= 60


@pytest.mark.parametrize(
    ("room", "widths"),
    [
        (99, [30, 8, 9, 5]),
        (55, [30, 8, 9, 5]),  # all of it fits
        (49, [24, 8, 9, 5]),  # the name first
        (31, [8, 6, 9, 5]),  # then a heading that yields
        (28, [8, 6, 6, 5]),  # then other headings
        (24, [7, 6, 4, 4]),  # values at last
        (9, [4, 4, 4, 4]),
    ],
)
def test_what_gives_way_first(room, widths):
    assert fit([30, 6, 4, 1], ["NAME", "NODELIST", "PARTITION", "NODES"], room) == widths
