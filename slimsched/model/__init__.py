"""Plain data: configuration, nodes, partitions, jobs, reservations, and the cluster that holds them.

Stored records are msgspec structs; times are seconds since 1970 (0: not set), memory is in MB,
time limits are in minutes, as in Slurm. Nothing here does I/O or reads a clock.
"""
