"""The form of what replays answer: tables of metrics."""
