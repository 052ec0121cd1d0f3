"""Where the state directory is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from slimsched.errors import StateError
from slimsched.state import layout


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLIMSCHED_STATE", raising=False)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)


def test_the_option_comes_before_the_variable_and_that_before_the_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    if sys.platform == "linux":
        assert layout.locate(None) == "/home/me/.local/state/slimsched"
        monkeypatch.setenv("XDG_STATE_HOME", "/xdg")
        assert layout.locate(None) == "/xdg/slimsched"
    monkeypatch.setenv("SLIMSCHED_STATE", "/variable")
    assert layout.locate(None) == "/variable"
    assert layout.locate("/option") == "/option"


def test_an_empty_variable_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = layout.locate(None)
    monkeypatch.setenv("SLIMSCHED_STATE", "")

    assert layout.locate(None) == expected


def test_relative_paths_start_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)

    assert layout.locate("my state\n") == str(tmp_path / "my state\n")


def test_platformdirs_decides_where_nothing_else_does(monkeypatch: pytest.MonkeyPatch) -> None:
    import platformdirs

    asked: list[tuple[object, ...]] = []

    def user_state_dir(*words: object, **options: object) -> str:
        asked.append((*words, options))
        return "/their/place"

    monkeypatch.setattr(platformdirs, "user_state_dir", user_state_dir)
    assert layout.locate("/option") == "/option"
    monkeypatch.setenv("SLIMSCHED_STATE", "/variable")
    assert layout.locate(None) == "/variable"
    assert asked == []
    monkeypatch.delenv("SLIMSCHED_STATE")
    assert layout.locate(None) == "/their/place"
    assert asked == [("slimsched", {"appauthor": False})]


@pytest.mark.parametrize(
    ("place", "repair"), [("", "give one: --state DIR"), (None, "set SLIMSCHED_STATE or use --state")]
)
def test_no_place_is_an_error(monkeypatch: pytest.MonkeyPatch, place: str | None, repair: str) -> None:
    monkeypatch.setattr("platformdirs.user_state_dir", lambda *words, **options: "nowhere")
    with pytest.raises(StateError) as caught:
        layout.locate(place)

    assert caught.value.repair == repair
