"""Grid Engine: complex attributes in scheduling, and queue instances."""
