"""Random workloads: nodes are never overbooked, nobody is lost, and backfill delays no job that is ahead."""

from __future__ import annotations

import world
from hypothesis import given, settings
from hypothesis import strategies as st

from slimsched.controller.schedule import event_loop
from slimsched.sched.timeline import Slot, Timeline

NODES = 4
jobs = st.lists(
    st.tuples(
        st.integers(0, 900),  # submitted so long after the one before
        st.integers(1, NODES),
        st.integers(1, 40),  # limit in minutes
        st.integers(1, 100),  # share of the limit that it runs
        st.booleans(),  # whole nodes
    ),
    min_size=1,
    max_size=12,
)
settings.register_profile("engine", deadline=None, max_examples=60)


def play(workload, params, **slurm):
    """Run a workload to its end; returns the jobs, checked on the way."""
    ctl = world.uniform(nodes=NODES, params=params, MinJobAge="0", **slurm)
    for gap, nodes, limit, share, alone in workload:
        event_loop.advance(ctl, ctl.cluster.now + gap, watch=lambda now: check(ctl))
        world.submit(
            ctl,
            min_nodes=nodes,
            time_limit=limit,
            sim_runtime=max(1, limit * 60 * share // 100),
            exclusive="NODE" if alone else "",
        )
    event_loop.advance_until_idle(ctl, watch=lambda now: check(ctl))
    return list(ctl.cluster.jobs.values())


def check(ctl):
    used = [0] * NODES
    for job in ctl.cluster.jobs.values():
        if job.active:
            places = [ctl.cluster.node_index[f"n{i}"] for i in range(1, NODES + 1) if on(job, i, ctl)]
            for place, cpus in zip(places, job.cpus, strict=True):
                used[place] += cpus
    assert all(cpus <= 4 for cpus in used)
    return True


def on(job, number, ctl):
    return ctl.cluster.bitmap_of(job.nodes) >> ctl.cluster.node_index[f"n{number}"] & 1


@settings(settings.get_profile("engine"))
@given(
    jobs, st.sampled_from(["select/cons_tres", "select/linear"]), st.sampled_from(["", "bf_exact", "bf_interval=300"])
)
def test_every_job_runs_to_its_end(workload, select, params):
    ended = play(workload, params, SelectType=select)

    assert [job.state for job in ended] == ["COMPLETED"] * len(workload)
    assert all(job.start_time >= job.submit_time for job in ended)


@settings(settings.get_profile("engine"))
@given(jobs)
def test_backfill_delays_nobody(workload):
    """With limits that are kept to the second and no promise broken, no job starts later than in strict order."""
    honest = [(gap, nodes, limit, 100, True) for gap, nodes, limit, _, _ in workload]
    strict = play(honest, "bf_exact", SchedulerType="sched/builtin")
    backfilled = play(honest, "bf_exact")

    assert all(a.start_time <= b.start_time for a, b in zip(backfilled, strict, strict=True))


@settings(settings.get_profile("engine"))
@given(jobs)
def test_the_same_workload_gives_the_same_schedule(workload):
    first, second = ([(j.start_time, j.nodes) for j in play(workload, "bf_interval=60")] for _ in range(2))

    assert first == second


@settings(settings.get_profile("engine"))
@given(jobs)
def test_a_replay_without_forecasts_starts_jobs_at_the_same_instants(workload):
    starts = []
    for forecasting in (True, False):
        ctl = world.uniform(nodes=NODES, MinJobAge="0")
        ctl.forecasting = forecasting
        now = ctl.cluster.now
        for gap, nodes, limit, share, _ in workload:
            now += gap
            event_loop.advance(ctl, now, settle=False)
            ctl.cluster.pass_due = True
            world.submit(ctl, min_nodes=nodes, time_limit=limit, sim_runtime=max(1, limit * 60 * share // 100))
        event_loop.advance_until_idle(ctl)
        starts.append([job.start_time for job in ctl.cluster.jobs.values()])

    assert starts[0] == starts[1]


ranges = st.lists(
    st.tuples(
        st.tuples(st.integers(1, NODES), st.integers(1, NODES)).map(sorted),
        st.integers(1, 40),  # limit in minutes, kept to the second
        st.booleans(),  # --use-min-nodes
    ),
    min_size=2,
    max_size=8,
)


def plans(workload):
    """Return (planned, actual) start of each job that waits once all are submitted."""
    ctl = world.uniform(nodes=NODES, params="bf_exact,bf_interval=1", MinJobAge="0")
    for (low, high), limit, fewest in workload:
        world.whole(ctl, low, limit, max_nodes=high, use_min_nodes=fewest)
    event_loop.advance(ctl, ctl.cluster.now + 1)
    planned = {job.job_id: job.start_time for job in ctl.cluster.jobs.values() if job.pending}
    event_loop.advance_until_idle(ctl)
    return [(start, ctl.cluster.jobs[job_id].start_time) for job_id, start in planned.items()]


@settings(settings.get_profile("engine"))
@given(ranges, st.integers(1, 40))
def test_the_plan_is_what_happens(workload, limit):
    """With limits of one length no job finds an earlier gap; in any case nobody starts later than planned."""
    alike = plans([(sizes, limit, fewest) for sizes, _, fewest in workload])

    assert [planned for planned, _ in alike] == [actual for _, actual in alike]
    assert all(actual <= planned for planned, actual in plans(workload))


promises = st.lists(st.tuples(st.integers(0, 50), st.integers(1, 30), st.integers(1, 15)), max_size=12)


@given(promises, st.integers(0, 60), st.integers(1, 40), st.integers(1, 15), st.integers(1, 4))
def test_the_earliest_slot_is_what_a_search_second_by_second_finds(made, start, seconds, usable, count):
    line = Timeline(0, 0b1111)
    free = [0b1111] * 200
    for begin, length, nodes in made:
        line.promise(begin, begin + length, nodes)
        for t in range(begin, begin + length):
            free[t] &= ~nodes

    def left(t):
        mask = usable
        for u in range(t, t + seconds):
            mask &= free[u]
        return mask

    expected = next((t for t in range(start, 150) if left(t).bit_count() >= count), None)
    slot = line.earliest(start, seconds, usable, count)

    assert slot == (None if expected is None else Slot(expected, left(expected)))
