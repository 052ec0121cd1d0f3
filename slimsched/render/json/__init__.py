"""JSON and YAML in the shape of Slurm's data parser."""
