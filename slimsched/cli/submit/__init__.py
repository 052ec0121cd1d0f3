"""Submission: ``sbatch``, ``srun``, ``salloc`` and what they share."""
