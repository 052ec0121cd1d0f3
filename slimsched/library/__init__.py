"""slimsched as a Python library: `Cluster`, its five calls, in memory or over a state directory."""
