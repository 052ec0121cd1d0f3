"""``sacctmgr archive dump`` and ``load``: nothing is moved, since ended jobs are in the state's own archive."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from slimsched.cli.sacctmgr.agreement import agreed
from slimsched.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.cli.app import Application
    from slimsched.cli.program import Given

CONDITIONS = (
    *(("clusters", 1), ("accounts", 2), ("associations", 2), ("directory", 2), ("end", 1), ("gid", 2), ("jobs", 1)),
    *(("partitions", 2), ("purgeeventafter", 10), ("purgejobafter", 10), ("purgeresvafter", 10)),
    *(("purgestepafter", 10), ("purgesuspendafter", 10), ("purgeeventmonths", 6), ("purgejobmonths", 6)),
    *(("purgeresvmonths", 6), ("purgestepmonths", 7), ("purgesuspendmonths", 7)),
    *(("start", 2), ("script", 2), ("users", 1)),
)
"""Conditions of ``dump`` and the fewest letters that mean them. Without a sign: a kind of record, or a cluster."""
OF_FILES = (("file", 1), ("insert", 2))
"""Options of ``load``; a word without a sign is the file."""


def dump(app: Application, given: Given, words: list[str]) -> int:
    """Check the conditions as the real command does, and say that all is archived. Raises UserError."""
    from slimsched.render.accounts import sacctmgr_texts as texts

    read = _read(words, CONDITIONS, "", " Unknown condition: ")
    if folder := read.get("directory"):
        _check(folder, "archive dir", "directory", os.path.isdir, "a directory", os.W_OK, "writable")
    if script := read.get("script"):
        _check(script, "archive script", "script", os.path.isfile, "a regular file", os.X_OK, "executable")
    app.err("sacctmgr: accounting_storage/slurmdbd: jobacct_storage_p_archive: SUCCESS")
    if not agreed(app, given, texts.COMMIT):
        app.out(texts.DISCARDED)
    return 0


def load(_app: Application, _given: Given, words: list[str]) -> int:
    """Refuse a file that is not there, and any other: there is no database to put its rows into. Raises UserError."""
    path = _read(words, OF_FILES, "file", " Unknown option: ").get("file")
    if path and not os.path.exists(path):
        raise _missing("load", path, "file")
    note = "ended jobs never leave the archive of the state directory, so none can be loaded back"
    raise UserError(" Problem loading archive file: Unspecified error", level="plain", notes=(note,))


COMMANDS = {"dump": dump, "load": load}


def _read(words: list[str], table: tuple[tuple[str, int], ...], bare: str, unknown: str) -> dict[str, str]:
    """Return the values by the full names of their options. Raises UserError for those that are unknown."""
    found: dict[str, str] = {}
    bad = []
    for word in words:
        short, sign, value = word.partition("=")
        short = short.rstrip("+-").lower()
        name = next((each for each, least in table if each.startswith(short) and len(short) >= least), "")
        if not sign:
            found[bare] = word
        elif name:
            found[name] = value
        else:
            bad.append(f"{unknown}{word}")
    if bad:
        raise UserError("\n".join(bad), level="plain")
    return found


def _check(path: str, noun: str, place: str, is_kind: Callable[[str], bool], kind: str, mode: int, able: str) -> None:
    """Refuse what is missing, of another kind, or not open to us. Raises UserError."""
    if not os.path.exists(path):
        raise _missing("dump", path, place)
    wrong = f"isn't {kind}" if not is_kind(path) else "" if os.access(path, mode) else f"is not {able}"
    if wrong:
        raise UserError(f" dump: {noun} {path} {wrong}", level="plain")


def _missing(verb: str, path: str, place: str) -> UserError:
    note = f" Note: For archive {verb}, the {place} must be on the calling host."
    return UserError(f" {verb}: Failed to stat {path}: No such file or directory\n{note}", level="plain")
