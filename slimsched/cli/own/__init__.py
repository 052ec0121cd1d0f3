"""The toolkit's own commands."""
