"""``sim constraint``: match and check node constraints in any of their languages."""

from slimsched.cli.constraint.commands import command

__all__ = ["command"]
