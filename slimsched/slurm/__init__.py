"""Slurm's vocabulary as data: words and how far they may be cut short, kinds of values. It imports no other package."""
