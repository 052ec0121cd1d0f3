"""Commands that read accounting: ``sacct``, ``sstat``, ``sreport``, ``sshare``, ``sprio``."""
