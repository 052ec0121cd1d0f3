"""Saved clusters: copies of a cluster under a name, each a state directory of its own in ``saved/NAME``.

A copy is made beside its place and gets its name by one rename. It is put back as a new generation: the replacement of
the snapshot is the instant at which all of it holds, so that a process killed on the way leaves the cluster as it was.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from slimsched.errors import StateError, UserError
from slimsched.model.config import Config
from slimsched.state import config, files, layout, lock, setup, snapshot

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
UNFINISHED = ".new"


def names(folder: str) -> list[str]:
    """Return the names of the saved clusters."""
    place = layout.saved(folder)
    files.refuse_links(place)
    return [name for name in files.names(place) if NAME.fullmatch(name) and not name.endswith(UNFINISHED)]


def save(folder: str, name: str) -> None:
    """Save the cluster under a free name. Raises `UserError` if the name is taken."""
    path = _path(folder, name)
    setup.ensure(folder)
    with lock.held(folder, exclusive=True):
        if files.kind(path):
            raise UserError(f"a cluster is already saved as {name}", notes=(f"sim snapshot delete {name} removes it",))
        image, data, text = _parts(folder)
        _simulated(config.compile_text(layout.config(folder), text))
        new = path + UNFINISHED
        if files.kind(new):
            files.remove_tree(new)
        with _cleared(lambda: files.remove_tree(new)):
            _copy(data, layout.data(new, image.generation))
            config.settle(new, layout.data(new, image.generation))
            files.create(layout.config(new), text)
            files.create(layout.snapshot(new), snapshot.pack(image))
            files.move(new, path)


def load(folder: str, name: str) -> list[StateError]:
    """Replace the present cluster by a saved one; faults and the list of calls stay as they are.

    Returns what failed after it was there. Raises `UserError` if nothing is saved under the name.
    """
    path = _known(folder, name)
    setup.ensure(folder)
    with lock.held(folder, exclusive=True), lock.held(path, exclusive=False):
        _simulated(config.load(folder)[0])
        old = setup.generations(folder)
        image, data, text = _parts(path)
        conf = config.compile_text(layout.config(path), text)
        image.generation = setup.following(folder)
        new = layout.data(folder, image.generation)
        with _cleared(lambda: files.remove_tree(new)):
            _copy(data, new)
            files.create(layout.new_config(new), text)
        try:
            files.replace(layout.snapshot(folder), snapshot.pack(image))
        except files.Unsynced as fault:
            return [fault]
        return setup.tidy(folder, new, conf, text, [layout.data(folder, number) for number in old])


def delete(folder: str, name: str) -> None:
    """Remove a saved cluster. Raises `UserError` if nothing is saved under the name."""
    path = _known(folder, name)
    with lock.held(folder, exclusive=True):
        files.move(path, path + UNFINISHED)
        files.remove_tree(path + UNFINISHED)


def _path(folder: str, name: str) -> str:
    if not NAME.fullmatch(name) or name.endswith(UNFINISHED):
        raise UserError(f"{name!r} is not a valid name: use letters, digits, '_', '-' and '.'")
    path = os.path.join(layout.saved(folder), name)
    files.refuse_links(layout.saved(folder), path)
    return path


def _known(folder: str, name: str) -> str:
    path = _path(folder, name)
    if not files.kind(layout.snapshot(path)):
        raise UserError(f"no cluster is saved as {name}")
    return path


def _simulated(conf: Config) -> None:
    if conf.executor != "simulated":
        raise UserError("the jobs of this cluster are processes, which cannot be saved or restored")


def _parts(folder: str) -> tuple[snapshot.Image, str, bytes]:
    """Return a cluster's snapshot without its journal, the folder of its generation, and its configuration."""
    path = layout.snapshot(folder)
    image = snapshot.unpack(path, files.read(path) or b"")
    data = layout.data(folder, image.generation)
    files.refuse_links(data)
    config.settle(folder, data)
    return image, data, files.read(layout.config(folder)) or b""


def _copy(source: str, target: str) -> None:
    """Copy a folder with all that is in it, durably; there is nothing but files and folders in a generation."""
    files.make_folder(target)
    for name in files.names(source):
        below, there = os.path.join(source, name), os.path.join(target, name)
        if files.kind(below) == "folder":
            _copy(below, there)
        else:
            files.create(there, files.read(below) or b"")


@contextmanager
def _cleared(clear: Callable[[], None]) -> Iterator[None]:
    """Remove an unfinished copy if the copying fails."""
    try:
        yield
    except StateError:
        with suppress(StateError):
            clear()
        raise
