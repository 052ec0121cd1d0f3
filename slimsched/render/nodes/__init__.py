"""Nodes, partitions and reservations: ``sinfo``, ``scontrol show``."""
