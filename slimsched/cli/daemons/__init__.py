"""The commands that talk to Slurm's daemons: ``sdiag``, ``slurmd``."""
