"""Synthetic workloads by the model of Lublin and Feitelson, as traces in the Standard Workload Format.

Sizes: one processor, else two to the power of a number that is uniform in two stages, mostly rounded. Run times: e to
the power of a hyper-gamma distribution that depends on the size. Arrivals: gamma distributed times between them, paid
for by the half hours that pass, each at the rate of its time of the day. The parameters are those for all jobs.

Estimates are no part of it: the run time times a factor of 1 to 10, rounded up to what users write. Users have shares
that fall off as 1/n.

Source: Lublin and Feitelson, "The workload on parallel supercomputers", JPDC 63(11), 2003.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate, pairwise
from random import Random
from typing import NamedTuple

from slimsched.errors import UserError

SERIAL, POWER_OF_TWO = 0.244, 0.576  # shares of jobs
LOW, MIDDLE_BELOW_TOP, FIRST_STAGE = 0.8, 2.5, 0.86  # of the exponent: its least, and how often it is in the lower part
SHORT, LONG = (4.2, 0.94), (312.0, 0.03)  # shape and scale of the two gammas of run times
SLOPE, OFFSET = -0.0054, 0.78  # of the share of short jobs, by size
BETWEEN = (10.2303 * 1.0225, 0.4871)  # the gamma of times between arrivals
DAY = (8.1737, 3.9631)  # the gamma of arrivals over a day of half hours, which goes from eleven to eleven
LONGEST_RUN, LONGEST_GAP = 12.0, 13.0  # exponents

BUCKET, BUCKETS, DAY_BEGINS = 1800, 48, 22
LIMITS = (60, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800, 43_200, 86_400, 172_800)
"""Seconds that users write as estimates; longer ones are rounded up to whole days."""


class Workload(NamedTuple):
    """What to make. ``load``: of the machine, None: as the model has it; ``users``: how many there are."""

    processors: int
    jobs: int
    seed: int
    load: float | None = None
    users: int = 20


class Made(NamedTuple):
    """A job: when it comes, how long it runs, its processors, its estimate, its user from 1."""

    submit: int
    run: int
    processors: int
    estimate: int
    user: int


def generate(wanted: Workload) -> list[Made]:
    """Return the jobs by submission; the same workload always has the same ones. Raises `UserError`."""
    if wanted.processors < 2:
        raise UserError("the model needs 2 processors at least")
    random = Random(f"lublin-feitelson {wanted.seed}")
    arrivals, shares = _arrivals(random), list(accumulate(1 / n for n in range(1, wanted.users + 1)))
    jobs = []
    for _ in range(wanted.jobs):
        size = _size(random, wanted.processors)
        run = _run(random, size)
        user = bisect_left(shares, random.random() * shares[-1]) + 1
        jobs.append(Made(int(next(arrivals)), run, size, _estimate(random, run), user))
    return jobs if wanted.load is None else _scaled(jobs, wanted)


def _scaled(jobs: list[Made], wanted: Workload) -> list[Made]:
    """Return the jobs with arrivals so dense that they ask for a share of the machine until the last one comes."""
    work = sum(job.run * job.processors for job in jobs)
    span = jobs[-1].submit - jobs[0].submit
    if not span or wanted.load is None:
        return jobs
    factor = work / (wanted.load * wanted.processors) / span
    return [job._replace(submit=int(job.submit * factor)) for job in jobs]


def _size(random: Random, most: int) -> int:
    kind = random.random()
    if kind <= SERIAL:
        return 1
    top = math.log2(most)
    middle = max(LOW, top - MIDDLE_BELOW_TOP)
    low, high = (LOW, middle) if random.random() <= FIRST_STAGE else (middle, top)
    exponent = random.uniform(low, high)
    if kind <= SERIAL + POWER_OF_TWO:
        exponent = math.floor(exponent + 0.5)
    return min(most, int(2**exponent + 0.5))


def _run(random: Random, size: int) -> int:
    share = min(1.0, max(0.0, SLOPE * size + OFFSET))
    while True:
        exponent = random.gammavariate(*(SHORT if random.random() <= share else LONG))
        if exponent <= LONGEST_RUN:
            return max(1, int(math.exp(exponent)))


def _estimate(random: Random, run: int) -> int:
    asked = run * random.uniform(1, 10)
    place = bisect_left(LIMITS, asked)
    return LIMITS[place] if place < len(LIMITS) else -(-int(asked) // 86_400) * 86_400


def _arrivals(random: Random) -> Iterator[float]:
    """Yield instants: each gap is a number of points, and passing a half hour costs as many as come in it."""
    price = _prices()
    now = 0.0
    while True:
        points = LONGEST_GAP + 1
        while points > LONGEST_GAP:
            points = random.gammavariate(*BETWEEN)
        left = math.exp(points)
        while True:
            bucket = int(now // BUCKET) % BUCKETS
            cost = price[bucket] * (BUCKET - now % BUCKET)
            if left < cost:
                now += left / price[bucket]
                break
            left -= cost
            now = (now // BUCKET + 1) * BUCKET
        yield now


def _prices() -> list[float]:
    """Return how many points a second of each half hour costs, from midnight on; 1 on average."""
    edges = [_below(float(DAY_BEGINS + bucket)) for bucket in range(BUCKETS + 1)]
    points = [after - before for before, after in pairwise(edges)]
    mean = sum(points) / BUCKETS
    found = [0.0] * BUCKETS
    for place, value in enumerate(points):
        found[(place + DAY_BEGINS) % BUCKETS] = max(value / mean, 1e-3)
    return found


def _below(x: float) -> float:
    """Return the share of the day's gamma below ``x``, by its series."""
    shape, scale = DAY
    z = x / scale
    if z <= 0:
        return 0.0
    term = total = 1 / shape
    n = shape
    while term > total * 1e-12:
        n += 1
        term *= z / n
        total += term
    return total * math.exp(shape * math.log(z) - z - math.lgamma(shape))


def lines(wanted: Workload) -> Iterator[str]:
    """Yield the trace."""
    jobs = generate(wanted)
    yield "; Version: 2.2"
    yield "; Computer: synthetic, model of Lublin and Feitelson"
    yield f"; MaxJobs: {len(jobs)}"
    yield f"; MaxProcs: {wanted.processors}"
    yield f"; Note: seed {wanted.seed}, load {'of the model' if wanted.load is None else wanted.load}"
    for n, job in enumerate(jobs, 1):
        yield (
            f"{n} {job.submit} -1 {job.run} {job.processors} -1 -1 {job.processors} {job.estimate}"
            f" -1 1 {job.user} 1 -1 1 1 -1 -1"
        )
