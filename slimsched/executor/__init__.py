"""Executors: what happens to a job that starts. One exists: `simulated`, which only plans the job's end."""
