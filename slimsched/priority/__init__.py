"""priority."""
