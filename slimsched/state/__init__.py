"""The state directory: configuration, snapshot, journal, archive, scripts and lock (docs/adr/0003-state-directory.md).

The one room that touches files. Nothing here decides anything about jobs: it loads a `Cluster` and writes back
what a command changed, so that a process killed at any instant leaves either all of a command or none of it.
"""
