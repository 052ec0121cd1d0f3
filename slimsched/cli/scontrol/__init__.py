"""``scontrol``: its keywords, one file for each kind."""

from __future__ import annotations

from slimsched.cli.scontrol.dispatch import command

__all__ = ["command"]
