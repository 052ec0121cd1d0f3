"""The settings of ``scontrol``'s output: command-line options that keywords of the same names also switch."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from slimsched.slurm.getopt import Option


@dataclass(slots=True)
class Settings:
    """The settings in force; ``json`` and ``yaml`` are None unless that form was asked for."""

    all: bool = False
    details: bool = False
    future: bool = False
    oneliner: bool = False
    quiet: bool = False
    verbose: int = 0
    json: str | None = None
    yaml: str | None = None
    uid: str | None = None

    @classmethod
    def from_environment(cls) -> Settings:
        """Return the settings that the environment asks for."""
        return cls(all="SCONTROL_ALL" in os.environ, future="SCONTROL_FUTURE" in os.environ)

    @property
    def form(self) -> dict[str, str | None]:
        """The form other than text that is asked for, with its parser; empty for text."""
        forms = {"json": self.json, "yaml": self.yaml}
        return forms if any(value is not None for value in forms.values()) else {}

    def take(self, pairs: Iterable[tuple[Option, str | None]]) -> Settings:
        """Apply options in their order and return the settings."""
        for option, value in pairs:
            name = option.name
            if name in {"all", "details", "future", "oneliner", "quiet"}:
                setattr(self, name, True)
            elif name == "hide":
                self.all = self.details = False
            elif name == "verbose":
                self.verbose += 1
                self.quiet = False
            elif name in {"json", "yaml"}:
                setattr(self, name, value or "")
            elif name == "uid":
                self.uid = value
        return self
