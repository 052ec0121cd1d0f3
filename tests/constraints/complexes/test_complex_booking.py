"""Booking: the document's examples, and the scenarios recorded with Grid Engine 8.1.9."""

from __future__ import annotations

import pytest
from complex_cases import attribute, cases
from sge_scheduler import Scheduler

from slimsched.constraints.complexes.booking import MANY, Bookings, Place, Placement, demands
from slimsched.constraints.complexes.catalog import Catalog
from slimsched.errors import SyntaxFault

SCENARIOS = {case["scenario"]: case for case in cases("consumables")}


def shown(value: float, kind: str) -> str:
    from slimsched.constraints.complexes import values

    return values.show(attribute(f"x x {kind} <= YES YES 0 0"), value)


def loads(reports: list[str]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for report in reports:
        host, name, value = report.split(":")
        found.setdefault(host, {})[name] = value
    return found


def check_rest(grid: Scheduler, expected: dict[str, dict[str, list[str]]]) -> None:
    for instance, amounts in expected.items():
        place = Place(*instance.split("@"))
        for name, (value, letters) in amounts.items():
            known = grid.catalog.attributes[name]
            if known.relop == "EXCL" or known.consumable == "NO":
                continue  # what is left of them is no number
            found = grid.rest(place, name)

            assert (shown(found[0], known.type), found[1]) == (value, letters), (instance, name)


@pytest.mark.parametrize("number", SCENARIOS)
def test_recorded_scenarios(number: int) -> None:
    scenario = SCENARIOS[number]
    grid = Scheduler(scenario)
    for step in scenario["steps"]:
        if "error" in step:
            with pytest.raises(SyntaxFault) as caught:
                grid.submit(step["job"], step["submit"])

            assert caught.value.message == step["error"]
            continue
        if "submit" in step:
            grid.submit(step["job"], step["submit"])

            assert grid.running.get(step["job"], {}) == step["granted"], step
        elif "delete" in step:
            grid.delete(step["delete"])
            for name, (_, granted) in step["job_states"].items():
                assert grid.running.get(name, {}) == granted, step
        elif "load_now" in step:
            grid.load = loads(step["load_now"])
            grid.schedule()
            for name, (_, granted) in step["job_states"].items():
                assert grid.running.get(name, {}) == granted, step
        elif "reconfigure" in step:
            grid.queues["a.q"]["complex_values"] = step["reconfigure"].split()[-2]
        check_rest(grid, step.get("rest", {}))


@pytest.mark.parametrize("semantics", ["8.1", "6.0"])
def test_example_e1_of_the_document(semantics: str) -> None:
    """A fixed value is compared for each slot and never counted down."""
    grid = Scheduler(
        {
            "semantics": semantics,
            "attributes": ["t01 t01 INT <= YES NO 0 0"],
            "queues": [{"name": "q1", "hosts": "h1", "slots": "5", "complex_values": "t01=20", "seq_no": "0"}],
        }
    )

    grid.submit("j1", "-pe one 4 -l t01=10")

    assert grid.running == {"j1": {"q1@h1": 4}}
    assert grid.rest(Place("q1", "h1"), "slots") == (1.0, "qc")
    assert grid.rest(Place("q1", "h1"), "t01") == (20.0, "qf")


@pytest.mark.parametrize("semantics", ["8.1", "6.0"])
def test_example_e2_of_the_document(semantics: str) -> None:
    """A consumable is taken once for each slot, on each queue for the slots there."""
    queues = [("q2", "5"), ("q3", "1"), ("q4", "3")]
    grid = Scheduler(
        {
            "semantics": semantics,
            "attributes": ["t02 t02 INT <= YES YES 0 0"],
            "queues": [
                {"name": name, "hosts": f"h{i}", "slots": slots, "complex_values": "t02=40", "seq_no": str(i)}
                for i, (name, slots) in enumerate(queues)
            ],
        }
    )

    grid.submit("j2", "-pe p1 4 -l t02=20")
    left = {
        name: tuple(grid.rest(Place(name, f"h{i}"), what)[0] for what in ("slots", "t02"))
        for i, (name, _) in enumerate(queues)
    }

    assert grid.running == {"j2": {"q2@h0": 2, "q3@h1": 1, "q4@h2": 1}}
    assert left == {"q2": (3.0, 0.0), "q3": (0.0, 20.0), "q4": (2.0, 20.0)}


def test_reasons_are_said_as_grid_engine_says_them() -> None:
    """Of serial jobs, as far as the booking is the reason."""
    compared = 0
    for number in set(SCENARIOS) - {2, 14}:  # one was edited when it was recorded, one has nothing to book
        grid = Scheduler(SCENARIOS[number])
        for step in SCENARIOS[number]["steps"]:
            if "submit" not in step or "error" in step:
                continue
            grid.submit(step["job"], step["submit"])
            job = next((job for job in grid.pending if job.name == step["job"]), None)
            if job is not None and not job.pe:
                lead = f"(-l {','.join(job.hard) or 'NONE'}) "
                told = {
                    line for line in step.get("reasons", ()) if line.startswith(lead) and "cluster queue" not in line
                }
                compared += len(told)

                assert told <= {lead + words for words in grid.why(job)}, number

    assert compared > 30


@pytest.mark.parametrize(
    ("left", "amount", "most"),
    [("40", "20", 2), ("0.3", "0.1", 2), ("59", "20", 2), ("0", "20", 0), ("5", "0", MANY), ("inf", "1", MANY)],
)
def test_the_most_slots_of_a_place_are_those_that_fit(left: str, amount: str, most: int) -> None:
    catalog = Catalog([attribute("cap cap DOUBLE <= YES YES 0 0")])
    ledger = Bookings(catalog, lambda spot, name: (left if spot.level == "queue" and name == "cap" else None, None))
    place = Place("q", "h")
    wanted = demands({"cap": amount}, catalog)

    assert ledger.most_slots(wanted, place) == most
    for slots, fits in ((most, True), (most + 1, most == MANY)):
        if slots:
            assert (ledger.obstacle(wanted, Placement({place: slots}, place)) is None) == fits
