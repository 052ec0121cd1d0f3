"""Complex attributes in scheduling: matched, booked with the job's CPUs as slots, and given back."""

from __future__ import annotations

import pytest
from world import START, controller, job, later, states

from slimsched.controller.core import Controller
from slimsched.controller.explain import explanation
from slimsched.controller.gridengine import complexes, consumables, definitions, queue_instances
from slimsched.controller.requests.users import User
from slimsched.controller.update import node, partition, registration
from slimsched.errors import UserError
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config, NodeConf, PartitionConf

ROOT = User(0, "root", 0, "root")


def with_attributes(**columns: str) -> Controller:
    """Return a controller with attributes ``name="TYPE RELOP REQUESTABLE CONSUMABLE DEFAULT"``."""
    ctl = controller()
    define(ctl, columns)
    return ctl


def define(ctl: Controller, columns: dict[str, str]) -> None:
    for name, text in columns.items():
        words = dict(zip(("type", "relop", "requestable", "consumable", "default"), text.split(), strict=False))
        definitions.create(ctl, {"name": name, **words})
    ctl.settle()


def node_offers(ctl: Controller, names: str, text: str) -> None:
    node.update(ctl, node.parse([f"nodename={names}", f"complexes={text}"]), ROOT)
    ctl.settle()


def partition_offers(ctl: Controller, name: str, text: str) -> None:
    partition.update(ctl, partition.parse([f"partitionname={name}", f"complexes={text}"]))
    ctl.settle()


def nodes_of(ctl: Controller) -> list[str]:
    return [one.nodes for one in ctl.cluster.jobs.values()]


LICENCE = "INT <= YES YES"
FIRST = "h1"


@pytest.fixture
def ctl() -> Controller:
    return with_attributes(lic=LICENCE, big="MEMORY <=", kind="STRING ==", alone="BOOL EXCL YES YES")


def names(ctl: Controller) -> list[str]:
    return [node.name for node in ctl.cluster.nodes]


def test_a_global_consumable_is_booked_and_given_back(ctl: Controller) -> None:
    definitions.offer(ctl, "lic=3")
    first = job(ctl, hard_resources=["lic=2"], runtime=60)
    second = job(ctl, hard_resources=["lic=2"], runtime=60)
    third = job(ctl, hard_resources=["lic=1"], runtime=600)
    other = job(ctl, runtime=600)

    assert [one.state for one in (first, second, third, other)] == ["RUNNING", "PENDING", "RUNNING", "RUNNING"]
    assert second.reason == "Licenses"
    later(ctl, 61)

    assert second.state == "RUNNING"


def test_slots_are_cpus(ctl: Controller) -> None:
    definitions.offer(ctl, "lic=4")
    first = job(ctl, hard_resources=["lic=1"], num_tasks=3)
    second = job(ctl, hard_resources=["lic=1"], num_tasks=2)

    assert (first.state, second.state) == ("RUNNING", "PENDING")


def test_a_node_consumable_moves_jobs_to_other_nodes(ctl: Controller) -> None:
    one, two, *_ = names(ctl)
    node_offers(ctl, f"{one},{two}", "lic=1")
    for _ in range(3):
        job(ctl, hard_resources=["lic=1"])

    assert nodes_of(ctl) == [one, two, ""]
    assert job(ctl).nodes == one


def test_a_partition_offers_on_each_of_its_nodes(ctl: Controller) -> None:
    one, two, *_ = names(ctl)
    name = ctl.cluster.default_partition
    partition_offers(ctl, name, "lic=1")
    first, second = job(ctl, hard_resources=["lic=1"]), job(ctl, hard_resources=["lic=1"])

    assert (first.nodes, second.nodes) == (one, two)
    assert ctl.cluster.partitions[name].complexes == "lic=1"


def test_a_fixed_value_is_no_consumable(ctl: Controller) -> None:
    second = names(ctl)[1]
    node_offers(ctl, second, "big=2G,kind=fast")
    for _ in range(2):
        job(ctl, hard_resources=["big=2G", "kind=f*"])
    never = job(ctl, hard_resources=["big=3G"])

    assert nodes_of(ctl) == [second, second, ""]
    assert (never.state, never.reason) == ("PENDING", "Constraints")
    node_offers(ctl, second, "big=3G")

    assert never.state == "RUNNING"


def test_load_values_match_as_they_are_reported(ctl: Controller) -> None:
    waiting = job(ctl, hard_resources=["mem_free=1G"])
    registration.register(ctl, ctl.cluster.nodes[2], registration.Registration(load={"mem_free": "2G"}))
    ctl.settle()

    assert waiting.nodes == names(ctl)[2]


def test_soft_requests_choose_among_what_fits(ctl: Controller) -> None:
    third = names(ctl)[2]
    node_offers(ctl, third, "kind=fast")

    assert job(ctl, soft_resources=["kind=fast"]).nodes == third
    assert job(ctl, soft_resources=["kind=fast"], num_tasks=4).nodes == names(ctl)[0]


def test_an_exclusive_job_has_its_node_alone(ctl: Controller) -> None:
    one, two, *_ = names(ctl)
    node_offers(ctl, f"{one},{two}", "alone=true")
    job(ctl, hard_resources=["alone=true"])
    job(ctl, nodelist=two)
    blocked = job(ctl, hard_resources=["alone=true"])
    other = job(ctl, nodelist=one)

    assert nodes_of(ctl)[:2] == [one, two]
    assert (blocked.state, other.state) == ("PENDING", "PENDING")


def test_bookings_outlive_the_command(ctl: Controller) -> None:
    definitions.offer(ctl, "lic=1")
    job(ctl, hard_resources=["lic=1"])
    again = Controller(ctl.cluster)

    assert job(again, hard_resources=["lic=1"]).state == "PENDING"


def test_a_capacity_below_what_is_booked_is_negative(ctl: Controller) -> None:
    definitions.offer(ctl, "lic=6")
    job(ctl, hard_resources=["lic=6"])
    definitions.offer(ctl, "lic=2")

    assert job(ctl, hard_resources=["lic=0"]).state == "PENDING"
    assert job(ctl).state == "RUNNING"


def test_a_forced_attribute_closes_a_node() -> None:
    ctl = with_attributes(forced="INT <= FORCED NO")
    node_offers(ctl, names(ctl)[0], "forced=5")

    assert job(ctl).nodes == names(ctl)[1]
    assert job(ctl, hard_resources=["forced=1"]).nodes == names(ctl)[0]


def test_a_default_is_taken_of_every_job() -> None:
    ctl = with_attributes(token="INT <= YES JOB 2")
    definitions.offer(ctl, "token=3")
    job(ctl)
    job(ctl)
    job(ctl, hard_resources=["token=1"])

    assert [state for state, _ in states(ctl).values()] == ["RUNNING", "PENDING", "RUNNING"]


def test_a_job_over_several_nodes_takes_per_slot_on_each(ctl: Controller) -> None:
    one, two, three, *_ = names(ctl)
    node_offers(ctl, f"{one},{two},{three}", "lic=4")
    node_offers(ctl, two, "lic=3")
    wide = job(ctl, hard_resources=["lic=1"], num_tasks=8, min_nodes=2, max_nodes=2)

    assert ctl.cluster.bitmap_of(wide.nodes) == 0b101


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"hard_resources": ["zz=1"]}, 'unknown resource "zz"'),
        ({"soft_resources": ["lic=1"]}, 'denied: soft requests on consumables like "lic" are not supported'),
    ],
)
def test_wrong_requests_are_refused(ctl: Controller, fields: dict[str, list[str]], message: str) -> None:
    with pytest.raises(UserError) as caught:
        job(ctl, **fields)

    assert caught.value.message == message
    assert not ctl.cluster.jobs


def test_a_job_whose_attribute_is_gone_waits(ctl: Controller) -> None:
    waiting = job(ctl, hard_resources=["big=1G"])
    definitions.delete(ctl, "big")
    ctl.settle()

    assert (waiting.state, waiting.reason) == ("PENDING", "Constraints")


def test_definitions_that_are_referred_to_stay(ctl: Controller) -> None:
    definitions.offer(ctl, "lic=3")
    with pytest.raises(UserError, match="still referenced"):
        definitions.delete(ctl, "lic")
    with pytest.raises(UserError, match="does not exist"):
        definitions.update(ctl, "zz", {"relop": "<="})
    definitions.update(ctl, "lic", {"shortcut": "l"})

    assert definitions.attributes(ctl.cluster)["lic"].shortcut == "l"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("zz=1", 'denied: attribute "zz" is not a complex attribute'),
        ("lic", 'error parsing value "lic"\nError during parsing of attribute value "lic"'),
        ("lic=", 'error parsing value "lic"\nError during parsing of attribute value "lic"'),
        ("lic=-1", 'attribute "lic" is consumable but has a negative value'),
    ],
)
def test_values_that_are_refused(ctl: Controller, text: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        definitions.offer(ctl, text)

    assert caught.value.message == message


def test_jobs_of_a_category_are_matched_once(ctl: Controller) -> None:
    node_offers(ctl, names(ctl)[0], "big=2G")
    job(ctl, hard_resources=["big=1G"])
    counted = ctl.cluster.statistics["constraint_evaluations"]
    for _ in range(5):
        job(ctl, hard_resources=["big=1G"])

    assert ctl.cluster.statistics["constraint_evaluations"] == counted


def test_a_cluster_without_attributes_does_nothing() -> None:
    ctl = controller()
    job(ctl)

    assert not complexes.concern(ctl.cluster, job(ctl).request)
    assert consumables.ledger(ctl) is None


@pytest.mark.parametrize(
    ("mode", "wanted", "expected"),
    [
        ("REQUEUE", "lic=2", ("PENDING", "RUNNING")),  # the licences of the job that goes are free again
        ("REQUEUE", "lic=3", ("PENDING", "RUNNING")),
        ("SUSPEND,GANG", "lic=2", ("RUNNING", "PENDING")),  # a suspended job keeps its own
        ("SUSPEND,GANG", "lic=1", ("SUSPENDED", "RUNNING")),
    ],
)
def test_preemption_does_not_overbook(mode: str, wanted: str, expected: tuple[str, str]) -> None:
    from test_preempt import controller as two_partitions

    ctl = two_partitions(mode)
    definitions.create(ctl, {"name": "lic", "type": "INT", "relop": "<=", "consumable": "JOB"})
    definitions.offer(ctl, "lic=3")
    low = job(ctl, partition="low", num_tasks=8, hard_resources=["lic=2"], batch=True, requeue=True)
    high = job(ctl, partition="high", num_tasks=4, hard_resources=[wanted])

    assert (low.state, high.state) == expected


SIZES = (5, 1, 3)


def three_hosts(**columns: str) -> Controller:
    """Return a controller of hosts with 5, 1 and 3 CPUs, as in example E2 of the document."""
    nodes = [NodeConf(node_name=f"h{i + 1}", cpus=cpus, real_memory=1000) for i, cpus in enumerate(SIZES)]
    queue = PartitionConf(partition_name="q", nodes="ALL", default=True)
    config = Config(slurm={"DefMemPerCPU": "100"}, nodes=nodes, partitions=[queue])
    ctl = Controller(Cluster(config, START))
    define(ctl, columns)
    return ctl


def test_slots_are_spread_as_far_as_consumables_allow() -> None:
    ctl = three_hosts(t02="INT <= YES YES")
    partition_offers(ctl, ctl.cluster.default_partition, "t02=40")
    spread = job(ctl, hard_resources=["t02=20"], num_tasks=4)

    assert (spread.nodes, spread.cpus) == ("h[1-3]", [2, 1, 1])
    grid = queue_instances.Grid(ctl)
    rests = [
        next(shown.value for shown in queue_instances.left_at(grid, instance) if shown.attribute.name == "t02")
        for instance in queue_instances.instances(ctl.cluster)[:3]
    ]
    assert rests == [0, 20, 20]


@pytest.mark.parametrize(
    ("offer", "fields", "cpus"),
    [
        ("t02=40", {"num_tasks": 2, "cpus_per_task": 2}, [2, 2]),  # h2 has but one CPU
        ("t02=60", {"num_tasks": 2, "cpus_per_task": 2}, [2, 2]),  # a third slot is no whole task
        ("t02=100", {"num_tasks": 4}, [4]),
        ("slots=2", {"num_tasks": 4, "hard_resources": []}, [2, 1, 1]),
        ("t02=20", {"num_tasks": 3}, [1, 1, 1]),
        ("t02=20", {"num_tasks": 4}, []),
        ("t02=40", {"num_tasks": 4, "min_nodes": 1, "max_nodes": 1}, []),
    ],
)
def test_consumables_bound_the_cpus_of_a_node(offer: str, fields: dict[str, object], cpus: list[int]) -> None:
    ctl = three_hosts(t02="INT <= YES YES")
    node_offers(ctl, "h[1-3]", offer)
    made = job(ctl, **{"hard_resources": ["t02=20"], **fields})

    assert made.cpus == cpus
    assert made.reason == ("None" if cpus else "Licenses")


def test_the_master_of_a_job_is_where_its_consumable_is() -> None:
    ctl = three_hosts(tok="INT <= YES JOB")
    node_offers(ctl, "h2", "tok=1")
    parallel = job(ctl, hard_resources=["tok=1"], num_tasks=4)

    assert parallel.cpus == [1, 3]


def test_a_job_that_lacks_a_consumable_is_not_planned(ctl: Controller) -> None:
    definitions.offer(ctl, "lic=8")
    first = job(ctl, hard_resources=["lic=1"], num_tasks=8, min_nodes=8, exclusive="NODE", time_limit=10)
    short = job(ctl, hard_resources=["lic=3"], num_tasks=3, time_limit=10)
    never = job(ctl, hard_resources=["lic=3"], num_tasks=4, time_limit=10)
    free = job(ctl, num_tasks=3, time_limit=10)

    assert first.state == "PENDING"  # whole nodes are 32 slots
    assert [(each.reason, each.sched_nodes) for each in (short, never)] == [("Licenses", ""), ("Licenses", "")]
    assert free.state == "RUNNING"


def test_explain_promises_no_start_without_the_consumables() -> None:
    ctl = three_hosts(t02="INT <= YES YES")
    partition_offers(ctl, ctl.cluster.default_partition, "t02=40")
    first = job(ctl, hard_resources=["t02=20"], num_tasks=4, time_limit=10, runtime=600)
    later_on = job(ctl, hard_resources=["t02=20"], num_tasks=4, time_limit=10, runtime=600)
    never = job(ctl, hard_resources=["t02=20"], num_tasks=6, time_limit=10)
    found, none = (explanation.explain(ctl, each, [each]) for each in (later_on, never))

    assert found.start is not None
    assert found.start.time == first.end_time
    assert [item.what for item in found.hurdles + found.partitions[0].hurdles] == ["consumables"]
    assert (none.verdict, none.start) == ("never", None)
    later(ctl, 600)
    assert (later_on.state, later_on.start_time, later_on.cpus) == ("RUNNING", found.start.time, [2, 1, 1])


def test_backfill_plans_what_can_be_had() -> None:
    ctl = three_hosts(t02="INT <= YES YES", kind="STRING ==")
    node_offers(ctl, "h1,h3", "t02=40")
    blocker = job(ctl, nodelist="h3", num_tasks=3, time_limit=10, runtime=600)
    planned = job(ctl, hard_resources=["t02=20"], num_tasks=4, time_limit=10, runtime=600)

    later(ctl, 60)
    assert (planned.reason, planned.start_time) == ("Resources", blocker.end_time)
    later(ctl, 540)
    assert (planned.state, planned.cpus) == ("RUNNING", [2, 2])
