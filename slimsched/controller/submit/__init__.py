"""Submission: defaults, checks, feasibility, and the new job."""
