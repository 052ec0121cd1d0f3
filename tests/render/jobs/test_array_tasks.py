"""Lists of waiting tasks, as long as ``SLURM_BITSTR_LEN`` allows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slimsched.render.jobs.array_tasks import name, shown
from slimsched.text.idset import encode

EVEN = "0,2,4,6,8,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46,48,50"
FEW = "2,4,6,8,12,14,16,18"


@pytest.fixture(autouse=True)
def without_variable(monkeypatch):
    monkeypatch.delenv("SLURM_BITSTR_LEN", raising=False)


@pytest.mark.parametrize(
    ("tasks", "throttle", "text"),
    [
        ("", 0, ""),
        ("0-2", 0, "0-2"),
        ("1-2,6-8,11", 0, "1-2,6-8,11"),
        ("1-2,6-8,11", 9, "1-2,6-8,11%9"),
        ("2,4,6,8,10,12,14,16,18", 9, "2,4,6,8,10,12,14,16,18%9"),
        ("0,4,8,12", 0, "0,4,8,12"),  # --array=0-15:4
        ("2,4-6,8,12,14,18", 9, "2,4-6,8,12,14,18%9"),
        (EVEN, 0, "0,2,4,6,8,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44..."),
        (EVEN, 9, "0,2,4,6,8,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44...%9"),
    ],
)
def test_usual_room(tasks, throttle, text):
    assert shown(tasks, throttle) == text


@pytest.mark.parametrize(
    ("value", "tasks", "text"),
    [
        ("10", FEW, "2,4,6,..."),
        ("-1", FEW, FEW),
        ("65", EVEN, "0,2,4,6,8,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,..."),
        ("0", EVEN, EVEN),
        ("x", EVEN, EVEN),
        ("5000", EVEN, EVEN),
        ("5", FEW, "2..."),
        ("4", FEW, "..."),
        ("2", FEW, "."),
        ("1", FEW, ""),
        ("8", "1-3", "1-3"),
        ("10 of them", FEW, "2,4,6,..."),
    ],
)
def test_room_of_the_users(monkeypatch, value, tasks, text):
    monkeypatch.setenv("SLURM_BITSTR_LEN", value)

    assert shown(tasks) == text


def test_name(monkeypatch):
    assert name(3, "1-4%2") == "3_[1-4%2]"
    assert name(3, FEW + ",20,22,24,26") == "3_[2,4,6,8,12,14,16,18,20,22,24"
    monkeypatch.setenv("SLURM_BITSTR_LEN", "64")
    assert name(3, FEW + ",20,22,24,26") == f"3_[{FEW},20,22,24,26]"


@given(st.sets(st.integers(0, 2000), min_size=1), st.integers(0, 100))
def test_never_longer_than_the_room(ids, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLURM_BITSTR_LEN", str(size))
        text = shown(encode(ids))

    assert not size or ":" in text or len(text) < size
