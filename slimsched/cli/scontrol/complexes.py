"""The entity "complex" of ``scontrol``: show, create, update and delete Grid Engine's attributes and offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.scontrol.settings import Settings

NAMELESS = "a complex attribute needs a name: name=..."


def show(app: Application, name: str | None, _options: Settings) -> int:
    """Print the definitions, or one of them, and what the cluster as a whole offers."""
    from slimsched.constraints.complexes import entries
    from slimsched.controller.gridengine import definitions
    from slimsched.render.gridengine.objects import complex_list

    with app.session(write=False) as ctl:
        known = definitions.attributes(ctl.cluster)
        offered = entries.write(ctl.cluster.complexes.values) or entries.NONE
        reported = entries.write(ctl.cluster.complexes.load)
    if name is not None and name not in known:
        raise UserError(f"Complex attribute {name} not found", level="plain")
    app.out(complex_list(known.values() if name is None else [known[name]]))
    if name is None:
        app.out(f"global complex_values={offered}" + (f" load_values={reported}" if reported else ""))
    return 0


def create(app: Application, words: list[str]) -> int:
    """Define an attribute by its columns: ``name=a type=INT relop=<= ...``."""
    from slimsched.controller.gridengine import definitions

    with app.session() as ctl:
        definitions.create(ctl, _columns(words))
    return 0


def update(app: Application, words: list[str]) -> int:
    """Change columns of the attribute that ``name=`` names."""
    from slimsched.controller.gridengine import definitions

    columns = _columns(words)
    with app.session() as ctl:
        definitions.update(ctl, columns["name"], columns)
    return 0


def delete(app: Application, name: str) -> int:
    """Remove an attribute."""
    from slimsched.controller.gridengine import definitions

    with app.session() as ctl:
        definitions.delete(ctl, name)
    return 0


def update_cluster(app: Application, words: list[str]) -> int:
    """Set what the cluster as a whole offers, ``complexes=a=5,b=x``, or what is reported of it, ``load=a=5``."""
    from slimsched.controller.gridengine import definitions

    tags = [word.partition("=")[0].lower() for word in words]
    if not tags or not set(tags) <= {"complexes", "load"}:
        raise UserError("a cluster's fields to update: complexes=attr=value,... load=attr=value,...", level="plain")
    with app.session() as ctl:
        for tag, text in zip(tags, (word.partition("=")[2] for word in words), strict=True):
            if tag == "load":
                definitions.report(ctl, definitions.read(ctl.cluster, text))
            else:
                definitions.offer(ctl, text)
    return 0


def _columns(words: list[str]) -> dict[str, str]:
    """Return the columns that ``column=value`` words give; the first word may be the name alone."""
    from slimsched.constraints.complexes.builtin import FIELDS

    found: dict[str, str] = {}
    for place, word in enumerate(words):
        left, equals, value = word.partition("=")
        if not equals and place == 0:
            found["name"] = word
        elif left.lower() in FIELDS and equals:
            found[left.lower()] = value
        else:
            raise UserError(f"Invalid input: {word}\nThe columns are {', '.join(FIELDS)}", level="plain")
    if not found.get("name"):
        raise UserError(NAMELESS, level="plain")
    return found
