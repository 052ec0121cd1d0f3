"""The form of answers: text for a pipe, tables on a terminal, JSON and YAML. Nothing is changed here."""
