"""slimsched: Slurm's commands over a plain directory, with no daemon.

Packages, top to bottom; an import may only point downwards (``tests/test_layers.py``):
testing, cli, render, controller, executor, sched, select, priority, constraints, state, model, text.
"""

__version__ = "0.1.0"
SLURM_VERSION = "26.11.0-0rc1"  # the Slurm whose answers are reproduced
