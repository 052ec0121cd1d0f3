"""``squeue``."""
