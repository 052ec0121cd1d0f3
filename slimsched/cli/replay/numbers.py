"""Numbers on the command lines of replays: those that are numbers only in name are refused."""

from __future__ import annotations

import math
from typing import Any

import click


class Finite(click.FloatRange):
    """A range of numbers without ``nan`` and ``inf``, which a comparison with the ends of the range lets through."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number. Raises `click.BadParameter`."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a number to reckon with.", param, ctx)
        return number


FACTOR = Finite(0, min_open=True)
SHARE = Finite(0, 1)
