"""Accounts: the records of ``sacctmgr``, and the limits that they put on jobs."""
