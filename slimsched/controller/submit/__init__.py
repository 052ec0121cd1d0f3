"""Submission: the spelling out of a request, checks, feasibility, and the new job."""
