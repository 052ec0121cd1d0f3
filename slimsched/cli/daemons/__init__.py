"""What Slurm's daemons would answer: ``sdiag``, ``slurmd``."""
