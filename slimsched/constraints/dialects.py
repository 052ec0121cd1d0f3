"""The constraint languages by name, and translation between them through the one form.

Each language is a module with ``parse(text) -> Predicate`` and ``write(predicate) -> str``. It may have a
``parse_exact`` that refuses what a predicate alone does not carry, and in ``DIRECT`` its own way into another
language, where that keeps more than the one form does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from slimsched.constraints.predicate import Predicate, show
from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster

DIALECTS: dict[str, str] = {
    "slurm-extra": "slimsched.constraints.slurm_extra",
    "slurm-features": "slimsched.constraints.slurm_features",
    "flux-json": "slimsched.constraints.flux_json",
    "flux-query": "slimsched.constraints.flux_query",
    "sge": "slimsched.constraints.sge",
}
"""Name -> module."""


class NoEquivalent(UserError):
    """A part of a constraint that another language cannot express."""

    def __init__(self, part: Predicate | str, dialect: str) -> None:
        self.part = part if isinstance(part, str) else show(part)
        super().__init__(f'"{self.part}" has no equivalent in {dialect}')


def parse(text: str, dialect: str) -> Predicate:
    """Return the predicate of a text; a `SyntaxFault` says what is wrong and where."""
    predicate: Predicate = _module(dialect).parse(text)
    return predicate


def parse_for(cluster: Cluster, text: str, dialect: str) -> Predicate:
    """Return the predicate of a text whose words may be a cluster's own, such as its complex attributes."""
    module = _module(dialect)
    predicate: Predicate = module.parse_for(cluster, text) if hasattr(module, "parse_for") else module.parse(text)
    return predicate


def write(predicate: Predicate, dialect: str) -> str:
    """Return a predicate in a language; `NoEquivalent` names the part that it cannot say."""
    text: str = _module(dialect).write(predicate)
    return text


def convert(text: str, source: str, target: str) -> str:
    """Return a text of one language in another, if it has the same meaning there."""
    module = _module(source)
    direct: Mapping[str, Callable[[str], str]] = getattr(module, "DIRECT", {})
    if target in direct:
        return direct[target](text)
    exact = getattr(module, "parse_exact", module.parse)
    return write(exact(text), target)


def _module(dialect: str) -> Any:
    return import_module(DIALECTS[dialect])
