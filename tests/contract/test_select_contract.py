"""Every select plugin keeps to the contract, and the contract finds out those that do not."""

from __future__ import annotations

import pytest

from slimsched.errors import NotNow
from slimsched.select import contract
from slimsched.select.api import JobTest, Mode, Selection, SelectPlugin
from slimsched.select.cons_tres import ConsTres
from slimsched.select.registry import BUILT_IN, find


@pytest.mark.parametrize("check", contract.CHECKS, ids=lambda c: c.__name__)
@pytest.mark.parametrize("name", BUILT_IN)
def test_contract(name, check):
    check(find(name))


class Outside(ConsTres):
    def job_test(self, request: JobTest, mode: Mode) -> Selection:
        found = super().job_test(request, mode)
        found.bitmap = (1 << len(found.cpus)) - 1
        return found


class Forgetful(ConsTres):
    def job_fini(self, job):
        pass


class Careless(ConsTres):
    def job_begin(self, job):
        pass


class Hasty(ConsTres):
    def job_test(self, request: JobTest, mode: Mode) -> Selection:
        if mode == Mode.WILL_RUN:
            raise NotNow
        return super().job_test(request, mode)


class Unversioned(ConsTres):
    """Checks no magic number, which the guide recommends and does not demand."""

    def state_restore(self, saved):
        pass


class Amnesiac(ConsTres):
    def job_init(self, jobs):
        super().job_init([])


class Noisy(SelectPlugin):
    def job_test(self, request: JobTest, mode: Mode) -> Selection:
        raise ZeroDivisionError("no")


@pytest.mark.parametrize(
    ("plugin", "broken"),
    [
        (Outside, "keeps_to_the_question"),
        (Forgetful, "begin_and_fini_restore"),
        (Careless, "never_overbooks"),
        (Hasty, "modes_nest"),
        (Amnesiac, "save_and_restore"),
        (Noisy, "tests_leave_no_trace"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_the_contract_finds_faults(plugin, broken):
    faults = dict(contract.check(plugin))

    assert faults[broken]


def test_what_the_guide_only_recommends_is_no_fault():
    assert not any(fault for _, fault in contract.check(Unversioned))
