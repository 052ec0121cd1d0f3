"""slimsched: Slurm's commands over a plain directory, with no daemon.

Packages, top to bottom; an import may only point downwards (``tests/test_layers.py``):
testing, cli, render, replay, library, controller, executor, sched, select, priority, constraints, state, model, text.

``from slimsched import Cluster`` is the way in for Python programs (docs/api.md).
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from slimsched.library.cluster import Cluster as Cluster

__version__ = "0.1.0"
SLURM_VERSION = "26.11.0-0rc1"  # the Slurm whose answers are reproduced

ASKER = "SLIMSCHED_USER"
"""The environment variable with the name or number of the user who asks, where it is not the one of the process."""


def __getattr__(name: str) -> object:
    """Import `Cluster` when it is asked for, since commands import this package, too."""
    if name == "Cluster":
        return getattr(__import__("slimsched.library.cluster", fromlist=[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
