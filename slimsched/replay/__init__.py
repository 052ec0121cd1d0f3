"""Replays of recorded workloads: traces in, schedules and metrics out, through the controller and its plugins."""
