"""What becomes of a started job: nothing but a planned end (`simulated`), or a process (``local``, to come)."""
