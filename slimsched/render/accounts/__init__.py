"""Accounting commands: ``sacctmgr``, ``sreport``, ``sshare``."""
