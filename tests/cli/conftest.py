"""The command line's tests: records name their test by what was typed."""

from __future__ import annotations

import pytest


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Name a record by its command line."""
    if isinstance(val, dict) and "args" in val:
        return " ".join(val["args"])[:60] or "(none)"
    return None
