"""sched/wiki: jobs wait with priority zero for an external scheduler, which speaks Slurm's old Wiki protocol."""

from slimsched.sched.wiki.plugin import Wiki, Wiki2

__all__ = ["Wiki", "Wiki2"]
