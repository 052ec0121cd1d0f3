"""Commands of live clusters."""
