"""Plain data: configuration, nodes, partitions, jobs, reservations, and the cluster that holds them.

Stored records are msgspec structs; times are seconds since 1970 (0: not set), memory is in MB,
time limits are in minutes, as in Slurm. Nothing here does I/O or reads a clock.

A module with a record that is decoded has no ``from __future__ import annotations``: msgspec would compile the text
of each field's type whenever a command reads its first record.
"""

from slimsched.text import quick_import

if quick_import.wanted:
    quick_import.msgspec()  # ahead of every module that imports it
