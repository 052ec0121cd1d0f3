"""What is interrupted: a cluster, a command that writes to it, and ways to damage it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple


class Scenario(NamedTuple):
    """``before`` makes the cluster; ``command`` is the one that is interrupted. ``damage`` is done ahead of it.

    ``checkpoint``: with jobs on their way to the archive, and a journal that the next commit makes too long.
    """

    command: str
    before: Sequence[str] = ()
    damage: Callable[[Path], None] | None = None
    checkpoint: bool = False


CLUSTER = [
    "init --set MinJobAge=60",
    "sbatch -J first --wrap 'sleep 30'",
    "sbatch -J wide -n 36 --wrap 'sleep 7200'",
    "scontrol update nodename=node02 extra='{\"load\": 0.3}'",
    "advance 40s",
]
LONG = [*CLUSTER, "sbatch -J next -n 36 --wrap 'sleep 60'", "advance 10s", "advance 200s"]
HISTORY = [*LONG, "sbatch -J late --wrap 'sleep 10'", "advance 4h", "advance 200s", "sbatch -J last --wrap 'sleep 99'"]
HISTORY += ["sbatch -J tail --wrap 'sleep 99'"]


def flip(name: str, part: bytes) -> Callable[[Path], None]:
    """Return a damage: one bit of the first place where ``part`` is, in the last of the files ``name``."""

    def damage(state: Path) -> None:
        path = max(path for path in state.glob(name) if part in path.read_bytes())
        path.write_bytes(path.read_bytes().replace(part, bytes([part[0] ^ 1]) + part[1:], 1))

    return damage


def lose(*names: str) -> Callable[[Path], None]:
    """Return a damage: files are lost."""
    return lambda state: [(state / name).unlink() for name in names] and None


def both(*damages: Callable[[Path], None]) -> Callable[[Path], None]:
    """Return several damages as one."""
    return lambda state: [damage(state) for damage in damages] and None


DAMAGES = {
    "snapshot": flip("snapshot.json", b"last_backfill"),
    "no snapshot": lose("snapshot.json"),
    "live segment": flip("data-1/journal/*", b"tail"),
    "old segment and snapshot": both(flip("data-1/journal/000002", b"slimsched"), lose("snapshot.json")),
    "archive": both(flip("data-1/archive/000000", b"first"), lose("data-1/archive/index.json")),
    "configuration": flip("cluster.toml", b"[clock]"),
}
SCENARIOS = {
    "init": Scenario("init --nodes 'a[1-4]' --cpus 2"),
    "first command": Scenario("squeue"),
    "init --force": Scenario("init --force --nodes 'other[1-2]' --cpus 4 --set FirstJobId=100", CLUSTER),
    "sbatch": Scenario("sbatch --wrap 'sleep 60'", CLUSTER),
    "sbatch, checkpoint": Scenario("sbatch --wrap 'sleep 60'", LONG, checkpoint=True),
    "array": Scenario("sbatch --array 0-9 --wrap 'sleep 60'", CLUSTER),
    "advance": Scenario("advance 3h", LONG, checkpoint=True),
    "scancel": Scenario("scancel -n wide", CLUSTER),
    "node": Scenario("scontrol update nodename=node01 state=drain reason=disk", CLUSTER),
    "reservation": Scenario(
        "scontrol create reservation starttime=now duration=60 users=root nodes=node03 flags=ignore_jobs", CLUSTER
    ),
    "account": Scenario("sacctmgr -i add account physics", CLUSTER),
    "qconf": Scenario("qconf -mattr exechost complex_values slots=4 node01", CLUSTER),
    "qsub": Scenario("qsub -b y sleep 60", CLUSTER),
    "wait": Scenario("wait 2", LONG, checkpoint=True),
    "merge": Scenario("init --merge --from slurm.conf", CLUSTER),
    **{f"rebuild: {name}": Scenario("doctor --rebuild", HISTORY, damage) for name, damage in DAMAGES.items()},
}
SLURM_CONF = "NodeName=node[01-04] CPUs=12 RealMemory=64000\nPartitionName=debug Nodes=ALL Default=YES\n"
