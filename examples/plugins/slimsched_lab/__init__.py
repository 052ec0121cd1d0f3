"""Plugins for slimsched, one of each kind."""
