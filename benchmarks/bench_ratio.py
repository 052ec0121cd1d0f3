"""Compare a replay by the engine with a bare EASY loop over a pool of processors, process against process.

    python benchmarks/bench_ratio.py [TRACE [JOBS]]

TRACE is in the Standard Workload Format (default ../shared/traces/kth-norm-all.swf.gz), for 100 processors. Both
processes read the trace, decide all starts and write them down; their CPU times, start-up included, give the ratio,
which holds on a busy machine where times do not. The starts must be the same. So with `sim replay` under EASY, on a
pool and on nodes, which writes a row for each job besides.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from bisect import bisect_left, insort
from heapq import heappop, heappush
from pathlib import Path
from typing import NamedTuple

PROCESSORS = 100
REPEATS = 3


class Job(NamedTuple):
    """One line of the trace; times in its seconds."""

    number: int
    submitted: int
    run_time: int
    processors: int
    estimate: int


class Loop:
    """EASY backfilling and nothing else: the first job that waits has a promise, the others go around it."""

    def __init__(self, processors: int) -> None:
        self.free = processors
        self.queue: list[Job] = []
        self.agenda: list[tuple[int, int, Job, int]] = []  # actual ends: instant, number, job, end of its limit
        self.ends: list[tuple[int, int, int]] = []  # ends of limits, in order: instant, number, processors
        self.starts: dict[int, int] = {}

    def run(self, jobs: list[Job]) -> None:
        """Go through a trace."""
        agenda, place = self.agenda, 0
        while place < len(jobs) or agenda:
            coming = jobs[place].submitted if place < len(jobs) else None
            now = agenda[0][0] if agenda and (coming is None or agenda[0][0] <= coming) else coming
            assert now is not None
            while agenda and agenda[0][0] == now:
                _, number, job, limit = heappop(agenda)
                self.free += job.processors
                del self.ends[bisect_left(self.ends, (limit, number, 0))]
            while place < len(jobs) and jobs[place].submitted == now:
                self.queue.append(jobs[place])
                place += 1
            self.schedule(now)

    def schedule(self, now: int) -> None:
        """Start what can start at an instant."""
        queue = self.queue
        while queue and queue[0].processors <= self.free:
            self.start(queue.pop(0), now)
        if not queue or not self.free:
            return
        need, have, promised = queue[0].processors, self.free, now
        for end, _, processors in self.ends:
            if have >= need and end != promised:
                break
            have += processors
            promised = end
        extra, left = have - need, [queue[0]]
        for job in queue[1:]:
            if job.processors <= self.free and (now + job.estimate <= promised or job.processors <= extra):
                extra -= job.processors if now + job.estimate > promised else 0
                self.start(job, now)
            else:
                left.append(job)
        self.queue = left

    def start(self, job: Job, now: int) -> None:
        """Start a job."""
        self.free -= job.processors
        self.starts[job.number] = now
        insort(self.ends, (now + job.estimate, job.number, job.processors))
        heappush(self.agenda, (now + job.run_time, job.number, job, now + job.estimate))


def loop(trace: Path, count: int | None, out: Path, processors: int = PROCESSORS) -> None:
    """Replay by the loop."""
    import gzip

    with gzip.open(trace, "rt") as lines:
        rows = [line.split() for line in lines if line.strip() and not line.startswith(";")][:count]
    bare = Loop(processors)
    bare.run([Job(int(r[0]), int(r[1]), int(r[3]), int(r[4]), int(r[8])) for r in rows])
    write(out, bare.starts)


def engine(trace: Path, count: int | None, out: Path, policy: int) -> None:
    """Replay by controller, select and sched under a policy of `bench_engine`, in a process set up as `sim` is."""
    from slimsched.cli import start

    start.prepare()
    import bench_engine

    write(out, bench_engine.replay(bench_engine.read(trace, count), PROCESSORS, bench_engine.POLICIES[policy]))


def command(trace: Path, count: int | None, out: Path, machine: str) -> None:
    """Replay by `sim replay`; ``machine``: the option that describes it."""
    from slimsched.cli import start

    part = ["--jobs", str(count)] if count else []
    folder = out.with_suffix(".run")
    sys.argv[1:] = ["replay", str(trace), machine, str(PROCESSORS), *part, "--starts", str(out), "--out", str(folder)]
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    start.main()


def write(out: Path, starts: dict[int, int]) -> None:
    """Write job number and start, a line for each job."""
    out.write_text("".join(f"{number},{starts[number]}\n" for number in sorted(starts)), encoding="ascii")


def cpu(*words: str) -> float:
    """Return the CPU seconds of this program with other words, the least of some runs."""
    times = []
    for _ in range(REPEATS):
        process = subprocess.Popen([sys.executable, __file__, *words])
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"{' '.join(words)}: exit status {status}")
        times.append(usage.ru_utime + usage.ru_stime)
    return min(times)


def main() -> None:
    """Compare, or be one of the two processes."""
    if sys.argv[1:2] == ["loop"]:
        loop(Path(sys.argv[2]), int(sys.argv[3]) or None, Path(sys.argv[4]), *map(int, sys.argv[5:6]))
    elif sys.argv[1:2] == ["command"]:
        command(Path(sys.argv[2]), int(sys.argv[3]) or None, Path(sys.argv[4]), sys.argv[5])
    elif sys.argv[1:2] == ["engine"]:
        engine(Path(sys.argv[2]), int(sys.argv[3]) or None, Path(sys.argv[4]), int(sys.argv[5]))
    else:
        compare(*sys.argv[1:])


def compare(trace: str = "", jobs: str = "0") -> None:
    """Print the ratios."""
    import bench_engine

    trace = trace or str(Path(__file__).parents[2] / "shared" / "traces" / "kth-norm-all.swf.gz")
    with tempfile.TemporaryDirectory() as folder:
        bare, ours = Path(folder) / "loop", Path(folder) / "engine"
        floor = cpu("loop", trace, jobs, str(bare))
        print(f"bare EASY loop: {floor:.2f} CPU s")
        for place, policy in enumerate(bench_engine.POLICIES):
            seconds = cpu("engine", trace, jobs, str(ours), str(place))
            equal = ""
            if policy.compared == "easy_batch":
                equal = ", the same starts" if bare.read_text() == ours.read_text() else ", OTHER STARTS"
            print(f"{policy.name:36}{seconds:8.2f} CPU s, {seconds / floor:6.1f} times the loop{equal}")
        for option in ("--procs", "--nodes"):
            seconds = cpu("command", trace, jobs, str(ours), option)
            same = ours.read_text().split()[1:] == bare.read_text().split()
            equal = "the same starts" if same else "OTHER STARTS"
            name = f"sim replay {option} {PROCESSORS}"
            print(f"{name:36}{seconds:8.2f} CPU s, {seconds / floor:6.1f} times the loop, {equal}")


if __name__ == "__main__":
    main()
