"""Names in ``SchedulerParameters`` that nobody knows are named once: when the configuration is made or read again."""

from __future__ import annotations

from typing import Any

import pytest

from slimsched.model.config import Config
from slimsched.slurm import conf
from slimsched.state import scheduler_names

NAME = "SchedulerParameters: "
IGNORED = " is not a known parameter and is ignored"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("defer,bf_interval=5, extra_constraints", []),
        ("Ignore_NUMA,bf_exact", []),
        ("bf_intervall=5", [f"{NAME}'bf_intervall'{IGNORED}; did you mean bf_interval?"]),
        ("zzz=1,defr", [f"{NAME}'zzz'{IGNORED}", f"{NAME}'defr'{IGNORED}; did you mean defer?"]),
    ],
)
def test_unknown_names(text: str, lines: list[str]) -> None:
    assert list(scheduler_names.unknown(Config(slurm={"SchedulerParameters": text}))) == lines


def test_what_the_schedulers_read_is_known() -> None:
    assert set(conf.NUMBERS) | conf.FLAGS <= scheduler_names.KNOWN


@pytest.mark.usefixtures("with_notes")
def test_the_warning_comes_once(sim: Any) -> None:
    answer = sim.run("init", "--set", "SchedulerParameters=bf_intervall=5")
    note = f"note: {NAME}'bf_intervall'{IGNORED}; did you mean bf_interval?\n"

    assert (answer.code, answer.err) == (0, f"sim: {note}")
    assert sim.run("sbatch", "--wrap", "true").err == ""
    assert sim.run("scontrol", "reconfigure").err == f"scontrol: {note}"
