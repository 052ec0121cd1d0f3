"""Jobs that really run: a folder and a supervisor for each run of a job, and one process that sleeps (the waker)."""
