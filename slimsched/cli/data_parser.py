"""The options ``--json`` and ``--yaml``: the choice of data parser and flags, and the printing of the document.

Source: the manual pages of the commands, ``--json[=list|<data_parser>]``, and Slurm's messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.model.cluster import Cluster

FAMILY = "data_parser/"
COMPLEX = "complex"
FLAGS = ("none", "fast", COMPLEX, "prefer_refs", "minimize_refs", "spec_only")
MIME = {"json": "application/json", "yaml": "application/x-yaml"}
EARLY = ("sacct", "sinfo", "squeue")
"""The commands that answered in JSON before there were data parsers."""
INVALID = "Plugin has invalid format or unable to be loaded"


class Wanted(NamedTuple):
    """The requested parser: its version, its flags, and its warnings."""

    version: str
    flags: frozenset[str]
    warnings: list[dict[str, str]]


def wanted(parser: str, kind: str, app: Application, versions: tuple[str, ...]) -> Wanted:
    """Return what ``--json=PARSER`` asks for; raises `UserError` for a parser that is not among ``versions``."""
    name, own = app.command, versions[-1]
    chosen, *words = parser.split("+")
    version = chosen.lower().removeprefix(FAMILY) or own
    if version not in versions:
        app.err(f"{name}: error: load_plugins: unable to find plugin: {FAMILY}{version}")
        app.err(f"{name}: error: data_parser_g_new: failure loading plugins: {INVALID}")
        raise UserError(f"{MIME[kind]} output not supported by {FAMILY}{own}", level="error")
    flags = frozenset(word.lower() for word in words if word)
    said = [f'Ignoring unknown parameter "{word}"' for word in words if word and word.lower() not in FLAGS]
    if version != own:
        said.append(f"{version} is answered with the keys of {own}")
    return Wanted(version, flags, [{"description": text, "source": ""} for text in said])


def document(
    app: Application, kinds: Mapping[str, str | None], body: dict[str, Any], cluster: Cluster, storage: str = ""
) -> None:
    """Print an answer as JSON or YAML; ``kinds`` has the one asked for, with the parser's name if one was given.

    ``storage``: the accounting storage that was asked, "" for the controller.
    """
    from slimsched.controller.requests.users import invoking
    from slimsched.render.json import text as json_text

    kind, parser = next((kind, given) for kind, given in kinds.items() if given is not None)
    if cluster.config.version.openapi and app.command not in EARLY:
        hint = f'Try "{app.command} --help" for more information'
        raise UserError(f"{app.command}: unrecognized option '--{kind}'\n{hint}", level="plain")
    versions = cluster.config.version.parsers or ("",)  # an OpenAPI plugin is no data parser
    if (parser or "").lower() == "list":
        app.err("Possible data_parser plugins:")
        app.out("\n".join(FAMILY + version for version in versions))
        return
    parsed = wanted(parser or "", kind, app, versions)
    user = invoking(cluster)
    answer = json_text.Answer(cluster, [app.command, *app.argv], user.name, user.group, storage)
    answer.warnings = parsed.warnings
    answer.complex = COMPLEX in parsed.flags
    app.out(json_text.document(body, answer, kind))
