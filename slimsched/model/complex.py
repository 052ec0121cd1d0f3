"""The complex attribute: one kind of resource that a cluster, its nodes or its partitions may offer.

Source: Complex Attribute Specification, 16 September 2003, section 1; Grid Engine 8.1.9 adds the column urgency
and a third kind of consumable.
"""

from typing import Self

import msgspec


class ComplexAttribute(msgspec.Struct, frozen=True, kw_only=True):
    """One definition. Every field is the text that the user gave, upper case where it is a keyword."""

    name: str
    shortcut: str
    type: str  # INT, DOUBLE, MEMORY, TIME, BOOL, STRING, CSTRING, RESTRING, HOST
    relop: str  # ==, !=, <=, <, >=, >, EXCL; read "requested relop offered"
    requestable: str = "YES"  # YES, NO, FORCED
    consumable: str = "NO"  # NO, YES (per slot), JOB (once per job)
    default: str = "0"
    urgency: str = "0"


class ComplexState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The complex attributes that commands set, without those of nodes and partitions. Replaced as a whole."""

    attributes: dict[str, ComplexAttribute] = {}  # those that are not as built in
    values: dict[str, str] = {}  # what the cluster offers as a whole
    load: dict[str, str] = {}  # what is reported of it as a whole

    def having(self, attribute: ComplexAttribute) -> Self:
        """Return the state with a definition added or changed."""
        return msgspec.structs.replace(self, attributes={**self.attributes, attribute.name: attribute})

    def without(self, name: str) -> Self:
        """Return the state without a definition."""
        kept = {other: attribute for other, attribute in self.attributes.items() if other != name}
        return msgspec.structs.replace(self, attributes=kept)

    def offering(self, values: dict[str, str]) -> Self:
        """Return the state with other values for the cluster as a whole."""
        return msgspec.structs.replace(self, values=values)

    def reporting(self, load: dict[str, str]) -> Self:
        """Return the state with other load values for the cluster as a whole."""
        return msgspec.structs.replace(self, load=load)
