"""Jobs and steps: ``squeue``, ``sacct``, ``sprio``, ``scontrol show job``."""
