"""Finding a plugin by its name: a static table for the built-in ones, entry points for all others.

Entry points are looked up only for a name that the table lacks, since reading them costs more than a command. A
plugin says by ``api_version`` which interface it was written for; one with another major number is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slimsched.errors import PluginError, SimError
from slimsched.model.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from importlib.metadata import EntryPoint

Version = tuple[int, int]


class Family(Record):
    """A kind of plugin: its name ("select"), the built-in ones by name less the kind, and its interface."""

    kind: str
    builtin: Mapping[str, str]  # name -> "module:attribute"
    base: type[Any]
    version: Version

    @property
    def group(self) -> str:
        """The entry point group by which packages offer plugins of this kind."""
        return f"slimsched.{self.kind}"


def find(family: Family, name: str) -> type[Any]:
    """Return the class of plugin ``name`` ("sched/backfill" or "backfill").

    Raises `PluginError` for a name that neither the table nor an installed package knows, for what cannot be
    imported or is no plugin of this kind, and for another major version of the interface.
    """
    short = name.removeprefix(f"{family.kind}/")
    target = family.builtin.get(short)
    if target is not None:
        return checked(family, short, attribute(target))
    entry = next((entry for entry in installed(family) if short_name(family, entry) == short), None)
    if entry is None:
        known = ", ".join(sorted(family.builtin))
        raise PluginError(
            f"Couldn't find the specified plugin name for {family.kind}/{short} (the built-in ones are {known})"
        )
    return checked(family, short, imported(family, entry))


def ours(plugin: type[Any]) -> bool:
    """Whether a plugin is one of the toolkit's own, which is called without a guard."""
    return plugin.__module__.startswith("slimsched.")


def load(group: str, name: str, builtin: Mapping[str, str]) -> Any:
    """Return the built-in class of a name, for a kind that other packages cannot add to."""
    target = builtin.get(name)
    if target is None:
        raise PluginError(f"there is no {group} {name!r}; choose from {', '.join(sorted(builtin))}")
    return attribute(target)


def installed(family: Family) -> list[EntryPoint]:
    """Return the plugins of a kind that installed packages offer, by name."""
    from importlib.metadata import entry_points

    return sorted(entry_points(group=family.group), key=lambda entry: entry.name)


def short_name(family: Family, entry: EntryPoint) -> str:
    """Return the name of an installed plugin, less its kind."""
    return entry.name.removeprefix(f"{family.kind}/")


def imported(family: Family, entry: EntryPoint) -> object:
    """Import what an entry point names. Raises `PluginError`, whatever goes wrong in the package."""
    from slimsched import outside

    return outside.run(f"{family.kind}/{short_name(family, entry)}", entry.load)


def checked(family: Family, short: str, plugin: object) -> type[Any]:
    """Return ``plugin`` if it is a class of the kind with the right major version. Raises `PluginError`."""
    name = f"{family.kind}/{short}"
    if not (isinstance(plugin, type) and issubclass(plugin, family.base)):
        raise PluginError(f"{name}: {plugin!r} is not a {family.base.__name__}")
    theirs = getattr(plugin, "api_version", None)
    if not (isinstance(theirs, tuple) and len(theirs) == 2 and all(isinstance(part, int) for part in theirs)):
        raise PluginError(f"{name}: its api_version is {theirs!r}, not a pair of numbers")
    if theirs[0] != family.version[0]:
        raise PluginError(f"{name}: made for {family.kind} API {spelled(theirs)}, this is {spelled(family.version)}")
    return plugin


def spelled(version: Version) -> str:
    """Return a version as text."""
    return ".".join(map(str, version))


def attribute(target: str) -> Any:
    """Import and return what "module:attribute" names."""
    module, _, name = target.partition(":")
    return getattr(__import__(module, fromlist=[name]), name)  # as in `cli.subcommands.load`


# contract suites


class Broken(PluginError):
    """A plugin breaks its contract."""


def expect(condition: object, what: str) -> None:
    """Raise `Broken` unless ``condition`` holds."""
    if not condition:
        raise Broken(what)


def run_checks(plugin: type[Any], checks: Sequence[Callable[[type[Any]], None]]) -> list[tuple[str, str]]:
    """Run every check; return name and fault, "" for none. An exception of the plugin is a fault too."""
    from slimsched import outside

    found = []
    for one in checks:
        fault = ""
        try:
            outside.run(one.__name__, one, plugin)
        except Broken as error:
            fault = str(error)
        except SimError as error:
            fault = outside.described(error.__cause__ or error)
        found.append((one.__name__, fault))
    return found
