"""The rules for definitions of attributes (``qconf -Mc``), and the messages for invalid ones.

A definition is given as texts by column (`builtin.FIELDS`); a missing column is None or left out.
Source: Complex Attribute Specification, section 2; oracle/sge SURPRISES A.
"""

from __future__ import annotations

from collections.abc import Mapping

from slimsched.constraints.complexes import builtin, values
from slimsched.errors import UserError
from slimsched.model.complex import ComplexAttribute

COMPARISONS = ("==", ">=", "<=", "<", ">", "!=", "EXCL")
RELOPS = {
    **dict.fromkeys(("INT", "DOUBLE", "MEMORY", "TIME"), frozenset(("==", "!=", "<=", "<", ">=", ">"))),
    **dict.fromkeys(values.STRINGS, frozenset(("==", "!="))),
    "BOOL": frozenset(("==", "EXCL")),
}
"""Type -> the operators that it can have."""

_REQUESTABLE = {"Y": "YES", "YES": "YES", "N": "NO", "NO": "NO", "F": "FORCED", "FORCED": "FORCED"}
_CONSUMABLE = {"Y": "YES", "YES": "YES", "N": "NO", "NO": "NO", "J": "JOB", "JOB": "JOB"}
_WHAT = {kind: f"{word} value" for kind, word in values.KIND.items()}


class DefinitionFault(UserError):
    """A definition that is refused; the message has a line for each reason."""

    def __init__(self, *reasons: str) -> None:
        super().__init__("\n".join(reasons), level="plain")


def read(given: Mapping[str, str | None]) -> ComplexAttribute:
    """Return the definition with its keywords spelled out. Raises `DefinitionFault`."""
    if any(not given.get(field) for field in builtin.FIELDS):
        raise DefinitionFault("Complex urgency definition is missing")
    row = {field: str(given[field]) for field in builtin.FIELDS}
    if row["name"].startswith("#"):  # a comment line
        raise DefinitionFault("Complex attribute configuration has not been changed")
    row["relop"] = row["relop"].upper()
    kind = row["type"].upper()
    if kind not in RELOPS:
        raise DefinitionFault(f'error: unknown complex attribute type "{row["type"]}"')
    requestable = _REQUESTABLE.get(row["requestable"].upper())
    consumable = _CONSUMABLE.get(row["consumable"].upper())
    broken = any(text.startswith("#") or " " in text for text in row.values())
    if row["relop"] not in COMPARISONS or requestable is None or consumable is None or broken:
        raise DefinitionFault('error: each value in the attribute value list should end with "<NEWLINE>"')
    if values.number(row["urgency"], "DOUBLE") is None:
        raise DefinitionFault(
            f'The following error occurred for complex "{row["name"]}", while parsing the urgency value: "double value"'
        )
    return ComplexAttribute(**{**row, "type": kind, "requestable": requestable, "consumable": consumable})


def check(attribute: ComplexAttribute) -> None:
    """Refuse a definition that makes no sense. Raises `DefinitionFault` with every reason."""
    reasons = [*_operator_reasons(attribute), *_consumable_reasons(attribute), *_default_reasons(attribute)]
    if reasons:
        raise DefinitionFault(*reasons)


def _operator_reasons(attribute: ComplexAttribute) -> list[str]:
    name, reasons = attribute.name, []
    if attribute.relop == "EXCL" and attribute.type not in (*values.STRINGS, "BOOL"):
        return [f'Complex "{name}" must be BOOL to use EXCL as relational operator']
    if attribute.relop not in RELOPS[attribute.type]:
        reasons.append(f'Complex "{name}" has an invalid relational operator')
    if attribute.type == "BOOL" and attribute.relop == "EXCL" and attribute.consumable == "NO":
        reasons.append(f'Exclusive complex "{name}" must be a consumable')
    if attribute.type == "BOOL" and attribute.relop != "EXCL" and attribute.consumable != "NO":
        reasons.append(f'Exclusive complex "{name}" must have EXCL as relational operator')
    return reasons


def _consumable_reasons(attribute: ComplexAttribute) -> list[str]:
    name = attribute.name
    if attribute.consumable == "NO":
        return []
    reasons = []
    if attribute.type in values.STRINGS:
        reasons.append(f'Complex "{name}" of type "{attribute.type}" cannot be a consumable')
    if attribute.relop not in ("<=", "EXCL"):
        reasons.append(f'Consumable "{name}" can have only <= as an relational operator')
    return reasons


def _default_reasons(attribute: ComplexAttribute) -> list[str]:
    """Return the faults of the default; that of a requestable consumable is not checked (SURPRISES A5)."""
    name, consumable = attribute.name, attribute.consumable != "NO"
    if consumable and attribute.requestable == "YES":
        return []
    value, reasons = _default(attribute), []
    if value is None:
        reasons.append(f'Complex "{name}"\'s default value should be of type "{_WHAT.get(attribute.type, "")}"')
    read_in_part = value is None and attribute.type == "TIME" and ":" in attribute.default
    if not consumable and (value or read_in_part):
        reasons.append(f'Complex "{name}" cannot have a (non-zero) default value')
    if consumable and attribute.requestable == "NO" and not value:
        reasons.append(f'Consumable "{name}" needs a default value because it is not requestable.')
    if consumable and attribute.requestable == "FORCED" and value:
        reasons.append(f'Consumable "{name}" cannot have a (non-zero) default value because it is forced.')
    return reasons


def _default(attribute: ComplexAttribute) -> float | str | None:
    """Return the default's value: zero or "" for none, None if it is of another type."""
    if attribute.type in values.STRINGS:
        if attribute.consumable != "NO":
            return None  # there is nothing to count down
        return "" if attribute.default.upper() == "NONE" else attribute.default
    return values.number(attribute.default, attribute.type)


def add(attribute: ComplexAttribute, known: Mapping[str, ComplexAttribute]) -> None:
    """Check a new definition against those known by name. Raises `DefinitionFault`."""
    _check_unique(attribute, known)
    check(attribute)


def _check_unique(attribute: ComplexAttribute, others: Mapping[str, ComplexAttribute]) -> None:
    taken = {word for other in others.values() for word in (other.name, other.shortcut)}
    if attribute.name in taken or attribute.shortcut in taken:
        raise DefinitionFault(f"complex with name {attribute.name} or shortcut {attribute.shortcut} already exists")


def change(attribute: ComplexAttribute, known: Mapping[str, ComplexAttribute]) -> ComplexAttribute:
    """Return what is stored when a known attribute is given anew. Raises `DefinitionFault`."""
    old = known.get(attribute.name)
    if old is None:
        raise DefinitionFault(f'Complex attribute "{attribute.name}" does not exist')
    _check_unique(attribute, {name: other for name, other in known.items() if name != attribute.name})
    if attribute.name in builtin.attributes() and not _type_may_change(old, attribute):
        raise DefinitionFault(
            f'The type of the complex "{attribute.name}" cannot be changed due to its built in status'
        )
    if attribute.name == "tmpdir" and attribute.requestable != old.requestable:
        raise DefinitionFault('Complex attribute "tmpdir" is not requestable')
    check(attribute)
    if attribute.name == "slots":  # accepted, but these three stay as they are (SURPRISES A7)
        return ComplexAttribute(
            **{field: getattr(attribute, field) for field in builtin.FIELDS}
            | {field: getattr(old, field) for field in ("requestable", "consumable", "default")}
        )
    return attribute


def _type_may_change(old: ComplexAttribute, new: ComplexAttribute) -> bool:
    return old.type == new.type or (old.name in builtin.RESTRINGABLE and new.type in {"STRING", "CSTRING", "RESTRING"})


def delete(name: str, known: Mapping[str, ComplexAttribute]) -> None:
    """Check that an attribute may go. Raises `DefinitionFault`."""
    if name not in known:
        raise DefinitionFault(f'Complex attribute "{name}" does not exist')
    if name in builtin.attributes():
        raise DefinitionFault(f'The built-in complex "{name}" cannot be deleted')
