"""The words of a simulator's events are a shell's, however they are found."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slimsched.replay import events
from slimsched.replay.trace import TraceJob

TEXT = st.text(st.sampled_from("ab-=,# \t\r\x0b\x0c\x1c\x85\xa0\u2028;|&'\"\\"), max_size=12)


@given(text=TEXT)
def test_they_are_those_of_a_shell(text: str) -> None:
    line = f"-dt 1 -e submit_batch_job | -sim-walltime 5 {text} -x end.job"
    (job,) = events.read([line], {})
    try:
        words = shlex.split(f"{text} -x end.job")
    except ValueError:
        assert not isinstance(job, TraceJob)
        return
    assert isinstance(job, TraceJob)
    assert job.words == tuple(words[:-1])


def test_a_line_without_quotes_needs_no_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(shlex, "split")
    (job,) = events.read(["-dt 1 -e submit_batch_job | -sim-walltime 5 -n 2 a.job"], {})

    assert isinstance(job, TraceJob)
    assert job.words == ("-n", "2")
