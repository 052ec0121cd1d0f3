"""Small notations: hostlists, idsets, times, sizes, and the scanner for the constraint languages.

The lowest room: imports nothing of the project but its errors.
"""
