"""The options of ``sbatch``, ``srun`` and ``salloc``: one table, the readers of their values, and the request."""
