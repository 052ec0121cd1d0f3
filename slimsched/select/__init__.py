"""Node selection: the select plugin interface, the plugins that come with the toolkit, and what they share."""
