"""The request made of options: reading, precedence (command line, environment, script) and exclusions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from slimsched.cli.submit.options import readers
from slimsched.cli.submit.options.values import Later
from slimsched.errors import UserError
from slimsched.model.record import Record
from slimsched.model.request import JobRequest
from slimsched.slurm.getopt import LIVE, OPTIONAL, RECORDED, Option
from slimsched.slurm.options import SubmitOption
from slimsched.text.utf8 import readable

GATHERED = frozenset({"hard_resources", "soft_resources", "requires"})
"""Fields to which every option adds one text, on the command line and before."""


NAMED = ("account", "qos")
"""Fields in which an empty text is the name of something that does not exist."""


class Reading(Record):
    """An option with its argument and the value that was read from it; ``off``: a variable that switches it off."""

    option: SubmitOption
    text: str | None
    value: Any
    environment: bool = False
    off: bool = False


def read(pairs: Iterable[tuple[Option, str | None]]) -> list[Reading]:
    """Read the values of options in order; raise `UserError` for the first wrong one."""
    return [
        Reading(option, text or None if option.kind == OPTIONAL else text, _value(option, text))
        for option, text in pairs
        if isinstance(option, SubmitOption)
    ]


def _value(option: SubmitOption, text: str | None) -> Any:
    """Return the value of an option; nothing behind ``--option=`` is no argument where one may be left out."""
    with _hinted(option.reader, text):
        return readers.find(option.reader)(option.long, text or None if option.kind == OPTIONAL else text)


@contextmanager
def _hinted(reader: str, text: str | None) -> Iterator[None]:
    """Add to the refusal of a value what would be right."""
    try:
        yield
    except UserError as refusal:
        from slimsched.cli.submit.options import hints

        refusal.notes = refusal.notes or hints.of(reader, text or "")
        raise


class Draft:
    """A request in the making: fields of the `JobRequest`, and the options that have none (``other``).

    ``last`` holds the last reading of each option: it counts whether a value comes from the environment or from
    the user, who speaks in the script and on the command line alike.
    """

    def __init__(self, *levels: list[Reading]) -> None:
        """Merge ``levels``, the strongest last."""
        self.fields: dict[str, Any] = {}
        self.other: dict[str, Any] = {}
        self.recorded: dict[str, str] = {}
        self.last: dict[str, Reading] = {}
        self.readings = [reading for level in levels for reading in level]
        for level in levels:
            self._resources = "hard_resources"  # which list takes Grid Engine's requests
            for reading in level:
                self._take(reading)

    def _take(self, reading: Reading) -> None:
        option, value = reading.option, reading.value
        if reading.off:
            self.drop(option.name, option.field)
            return
        self.last[option.name] = reading
        if option.name in ("hard", "soft"):
            self._resources = f"{option.name}_resources"
        elif option.name == "mail-type":
            self._mail(value)
        elif option.field in GATHERED:
            field = self._resources if option.field == "hard_resources" else option.field
            self.fields.setdefault(field, []).append(value)
        elif option.field:
            self.fields[option.field] = value
        elif isinstance(value, dict):
            self.fields.update(value)
        elif option.status in (RECORDED, LIVE):
            self.recorded[option.name] = "" if isinstance(value, bool) else str(value)
        else:
            self.other[option.name] = value

    def _mail(self, events: str) -> None:
        """Add mail events to those of the options before."""
        from slimsched.slurm.kinds import mail_events

        both = (self.fields.get("mail_type", ""), events)
        self.fields["mail_type"] = mail_events(",".join(text for text in both if text != "NONE")) or ""

    def drop(self, name: str, *fields: str) -> None:
        """Forget an option and the fields that it set."""
        self.last.pop(name, None)
        self.other.pop(name, None)
        self.recorded.pop(name, None)
        for field in fields:
            self.fields.pop(field, None)

    def given(self, name: str) -> bool:
        """Whether the user gave an option, in the script or on the command line."""
        return name in self.last and not self.last[name].environment

    def inherited(self, name: str) -> bool:
        """Whether an option is set by the environment alone."""
        return name in self.last and self.last[name].environment

    def count(self, name: str) -> int:
        """Return how often an option was given; a variable says so by a number."""
        if self.inherited(name):
            from slimsched.cli.submit.options.numbers import leading

            return leading(self.last[name].text or "1")
        return sum(reading.option.name == name and not reading.environment for reading in self.readings)

    def request(self, now: int, **fields: Any) -> JobRequest:
        """Return the request, instants taken from the cluster's clock ``now``."""
        merged = {**fields, **self.fields}
        for name, value in merged.items():
            if isinstance(value, Later):
                with _hinted("later", value.value):
                    merged[name] = value.resolve(now)
            elif isinstance(value, str):
                merged[name] = readable(value)
            elif isinstance(value, list):
                merged[name] = [readable(item) for item in value]
        if 0 < merged.get("deadline", 0) < merged.get("begin_time", 0):
            raise UserError("Incompatible begin and deadline time specification")
        merged["given"] = [name for name in NAMED if merged.get(name) == ""]
        return JobRequest(recorded={name: readable(text) for name, text in self.recorded.items()}, **merged)
