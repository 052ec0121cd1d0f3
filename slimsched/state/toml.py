"""TOML files that are no configuration of a cluster."""

from __future__ import annotations

import tomllib
from typing import Any

from slimsched.errors import UserError


def read(path: str) -> dict[str, Any]:
    """Return the tables of a file. Raises `UserError`, which names the file and the fault."""
    try:
        with open(path, "rb") as text:
            return tomllib.load(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise UserError(f"{path}: {fault}") from None
    except OSError as fault:
        raise UserError(f"{path}: {fault.strerror}") from None
