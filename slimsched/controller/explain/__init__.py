"""Explain: why a job waits, where it would run, and what would have to change."""
