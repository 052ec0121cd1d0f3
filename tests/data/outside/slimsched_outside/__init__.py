"""A package that is not ours: a select plugin that writes down its calls and fails where it is told to."""
