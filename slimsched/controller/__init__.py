"""slurmctld as a library: a folder for each task, and the controller itself in `core`."""
