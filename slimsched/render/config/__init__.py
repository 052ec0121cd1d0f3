"""The configuration as ``scontrol show config`` prints it."""
