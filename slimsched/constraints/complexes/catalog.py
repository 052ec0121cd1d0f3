"""The attributes of a cluster, and the reading of its values and requests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from typing import Literal

from slimsched.constraints.complexes import builtin
from slimsched.constraints.complexes.expression import Expression, compile_60, compile_81
from slimsched.model.complex import ComplexAttribute

Semantics = Literal["8.1", "6.0"]
"""The rules in force: Grid Engine 8.1.9, or the specification of 2003."""

_KEPT = 4096  # compiled string requests; jobs of one category share theirs


class Catalog:
    """Definitions by name and by shortcut.

    ``hosts`` gives the names that a HOST value can be resolved to, by what is written (lower case); None takes
    every name as it stands, for want of a resolver.
    """

    def __init__(
        self,
        own: Iterable[ComplexAttribute] = (),
        semantics: Semantics = "8.1",
        hosts: Mapping[str, str] | None = None,
    ) -> None:
        """Add the attributes of ``own`` to the built-in ones; one of the same name replaces a built-in one."""
        self.attributes = {**builtin.attributes(), **{attribute.name: attribute for attribute in own}}
        self.semantics = semantics
        self.hosts = hosts
        self._words = {attribute.shortcut: attribute for attribute in self.attributes.values()} | self.attributes

    @cached_property
    def consumables(self) -> list[ComplexAttribute]:
        """The attributes that are counted down, or that one job has exclusively."""
        return [attribute for attribute in self.attributes.values() if attribute.consumable != "NO"]

    def find(self, word: str) -> ComplexAttribute | None:
        """Return the attribute of a name or a shortcut, None if there is none."""
        return self._words.get(word)

    def unasked(self, names: Iterable[str]) -> list[ComplexAttribute]:
        """Return the attributes that concern a job which does not name them: forced ones, and consumables."""
        named = set(names)
        return [
            attribute
            for attribute in self.attributes.values()
            if attribute.name not in named and (attribute.requestable == "FORCED" or attribute.consumable != "NO")
        ]


@lru_cache(maxsize=_KEPT)
def compiled(kind: str, text: str, semantics: Semantics) -> Expression:
    """Return the compiled request for a string attribute of type ``kind``. Raises `SyntaxFault`."""
    caseless = kind in {"CSTRING", "HOST"}
    if semantics == "8.1":
        return compile_81(text, caseless=caseless)
    return compile_60(text, regular=kind == "RESTRING", caseless=caseless)
