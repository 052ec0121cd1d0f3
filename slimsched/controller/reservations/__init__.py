"""Advance reservations: records, nodes, times, access."""
