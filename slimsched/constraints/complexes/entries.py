"""Lists of configured values: ``complex_values``, as ``a=5,b=x``, or ``NONE``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from slimsched.constraints.complexes import request, values
from slimsched.constraints.complexes.catalog import Catalog

NONE = "NONE"


def read(text: str, catalog: Catalog) -> dict[str, str]:
    """Return the values by attribute, as they are stored. Raises `SyntaxFault` in Grid Engine's words."""
    found: dict[str, str] = {}
    for item in _items(text):
        word, equals, value = item.partition("=")
        if not equals or not value:
            said = f'error parsing value "{word}"\nError during parsing of attribute value "{word}"'
            raise values.ValueFault(said, item)
        attribute = catalog.find(word)
        if attribute is None:
            raise values.ValueFault(f'denied: attribute "{word}" is not a complex attribute', item)
        stored = values.offer(attribute, value)
        found[attribute.name] = request.resolved(stored, catalog) if attribute.type == "HOST" else stored
    return found


@lru_cache(maxsize=1024)
def stored(text: str) -> Mapping[str, str]:
    """Return the values of a stored list, which was checked when it was made."""
    pairs = (item.partition("=") for item in _items(text))
    return MappingProxyType({name: value for name, _, value in pairs})


def write(found: Mapping[str, str]) -> str:
    """Return the list of some values."""
    return ",".join(f"{name}={value}" for name, value in found.items())


def _items(text: str) -> list[str]:
    return [] if text.strip().upper() == NONE else [item for item in text.replace(",", " ").split() if item]
