"""The life of a job: starts, ends, arrays, dependencies, requeue, suspend, cancel, steps."""
