"""Names in ``SchedulerParameters`` that nobody knows are named once: when the configuration is made or read again."""

from __future__ import annotations

from typing import Any

import pytest

from slimsched.model.config import Config
from slimsched.slurm import conf
from slimsched.state import scheduler_names


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("defer,bf_interval=5, extra_constraints", []),
        ("Ignore_NUMA,bf_exact", []),
        ("bf_intervall=5", ["SchedulerParameters has no 'bf_intervall', which is ignored: bf_interval?"]),
        ("zzz=1,defr", ["SchedulerParameters has no 'zzz', which is ignored", "... 'defr', which is ignored: defer?"]),
    ],
)
def test_unknown_names(text: str, lines: list[str]) -> None:
    found = list(scheduler_names.unknown(Config(slurm={"SchedulerParameters": text})))

    assert [line.replace("SchedulerParameters has no", "...") for line in found] == [
        line.replace("SchedulerParameters has no", "...") for line in lines
    ]


def test_what_the_schedulers_read_is_known() -> None:
    assert set(conf.NUMBERS) | conf.FLAGS <= scheduler_names.KNOWN


def test_the_warning_comes_once(sim: Any) -> None:
    answer = sim.run("init", "--set", "SchedulerParameters=bf_intervall=5")
    note = "note: SchedulerParameters has no 'bf_intervall', which is ignored: bf_interval?\n"

    assert (answer.code, answer.err) == (0, f"sim: {note}")
    assert sim.run("sbatch", "--wrap", "true").err == ""
    assert sim.run("scontrol", "reconfigure").err == f"scontrol: {note}"
