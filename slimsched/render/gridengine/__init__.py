"""Grid Engine's lists."""
