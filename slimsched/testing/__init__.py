"""A Slurm cluster for tests of programs that call Slurm: the pytest plugin, and the cluster that it hands out.

It lies above all other packages: it runs commands as a user would, and looks into the records for their outcome.
"""
