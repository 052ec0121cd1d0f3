"""Plugins: the guard around those of other packages, and the host of a scheduler."""
