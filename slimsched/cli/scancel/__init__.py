"""``scancel``."""
