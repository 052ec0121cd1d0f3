"""``sim sacctmgr``: accounts, users, associations and QOS."""

from slimsched.cli.sacctmgr.dispatch import command as command
