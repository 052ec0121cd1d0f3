"""Scheduler plugins: which pending job starts next, and what is planned for those that cannot start."""
