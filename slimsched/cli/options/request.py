"""From options to a request: reading, precedence (command line, environment, script), what excludes what."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from slimsched.cli.getopt import RECORDED, Option
from slimsched.cli.options.amounts import Later
from slimsched.cli.options.submission import SubmitOption
from slimsched.errors import UserError
from slimsched.model.request import JobRequest

MEMORY = ("mem", "mem-per-cpu", "mem-per-gpu")
GATHERED = frozenset({"hard_resources", "soft_resources", "requires"})
"""Fields to which every option adds one text, on the command line and before."""


class Reading(NamedTuple):
    """An option with its argument and the value that was read from it."""

    option: SubmitOption
    text: str | None
    value: Any


def read(pairs: Iterable[tuple[Option, str | None]]) -> list[Reading]:
    """Read the values of options in order; raise `UserError` for the first wrong one."""
    return [
        Reading(option, text, option.read(option.long, text))
        for option, text in pairs
        if isinstance(option, SubmitOption)
    ]


class Draft:
    """A request in the making: fields of the `JobRequest`, and the options that have none (``other``)."""

    def __init__(self, *levels: list[Reading]) -> None:
        """Merge ``levels``, the strongest last."""
        self.fields: dict[str, Any] = {}
        self.other: dict[str, Any] = {}
        self.recorded: dict[str, str] = {}
        self.readings = [reading for level in levels for reading in level]
        for level in levels:
            self._exclude(level)
            self._resources = "hard_resources"  # which list takes Grid Engine's requests
            for reading in level:
                self._take(reading)

    def _take(self, reading: Reading) -> None:
        option, _, value = reading
        if option.name in ("hard", "soft"):
            self._resources = f"{option.name}_resources"
        elif option.field in GATHERED:
            field = self._resources if option.field == "hard_resources" else option.field
            self.fields.setdefault(field, []).append(value)
        elif option.field:
            self.fields[option.field] = value
        elif isinstance(value, dict):
            self.fields.update(value)
        elif option.status == RECORDED:
            self.recorded[option.name] = value if isinstance(value, str) else ""
        else:
            self.other[option.name] = value

    def _exclude(self, level: list[Reading]) -> None:
        """Let a level's memory option replace those of weaker levels; two at one level contradict each other."""
        given = {reading.option.name for reading in level if reading.option.name in MEMORY}
        if len(given) > 1:
            raise UserError("--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.", level="fatal")
        if given:
            for field in ("mem_per_node", "mem_per_cpu", "mem_per_gpu"):
                self.fields.pop(field, None)

    def count(self, name: str) -> int:
        """Return how often an option was given."""
        return sum(reading.option.name == name for reading in self.readings)

    def described(self) -> list[tuple[str, str]]:
        """Return the options given, by name, as ``-v`` lists them."""
        found: dict[str, str] = {}
        for option, text, _ in self.readings:
            found[option.name] = "set" if text is None else text
        if "verbose" in found:
            found["verbose"] = str(self.count("verbose"))
        return sorted(found.items())

    def settle_size(self) -> list[str]:
        """Make node and task counts agree as the commands do; return the warnings."""
        fields = self.fields
        tasks, nodes = fields.get("num_tasks"), fields.get("min_nodes")
        if fields.get("nodelist") == "" and nodes is None:
            fields["min_nodes"] = fields["max_nodes"] = 0
        if tasks is None or nodes is None or tasks >= nodes:
            return []
        fields["min_nodes"] = tasks
        fields["max_nodes"] = min(fields["max_nodes"], tasks)
        return [f"can't run {tasks} processes on {nodes} nodes, setting nnodes to {tasks}"]

    def request(self, now: int, **fields: Any) -> JobRequest:
        """Return the request, instants taken from the cluster's clock ``now``."""
        merged = {**fields, **self.fields}
        for name, value in merged.items():
            if isinstance(value, Later):
                merged[name] = value.resolve(now)
            elif isinstance(value, str):
                merged[name] = readable(value)
            elif isinstance(value, list):
                merged[name] = [readable(item) for item in value]
        return JobRequest(recorded={name: readable(text) for name, text in self.recorded.items()}, **merged)


def readable(text: str) -> str:
    """Return a text that can be stored: bytes that are no UTF-8 (of arguments, directories, scripts) become U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
