"""The candidates for the end of a ``scontrol`` line: keywords, entities, their names and their fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem as Candidate

from slimsched.cli.completion import values
from slimsched.cli.completion.values import Values, of_state
from slimsched.cli.scontrol.keyword_help import HELP

SHOWN: dict[str, Values] = {
    "jobs": values.all_jobs,
    "jobid": values.all_jobs,
    "nodes": values.nodes,
    "partitions": values.partitions,
    "partitionname": values.partitions,
    "reservations": values.reservations,
    "reservationname": values.reservations,
}
"""Entity of ``show`` -> its names."""

KEYS: dict[str, Values] = {
    "jobid": values.all_jobs,
    "nodename": values.nodes,
    "partitionname": values.partitions,
    "reservationname": values.reservations,
}
"""Key that names a record -> the names."""

NAMING = {"update": KEYS, "create": ("partitionname", "reservationname"), "delete": KEYS.keys() - {"jobid", "nodename"}}


def words(plain: list[str], current: str, ctx: click.Context) -> list[Candidate]:
    """Return the candidates for a word behind the plain ones."""
    if not plain:
        return _beginning(((name, text) for name, (_, text) in HELP.items()), current)
    from slimsched.cli.scontrol.dispatch import find

    keyword = find(plain[0])
    name = keyword.name if keyword else ""
    if name == "show":
        return _show(plain[1:], current, ctx)
    if name in NAMING:
        return _assignment(NAMING[name], plain[1:], current, ctx)
    if HELP.get(name, ("",))[0].startswith("JOB"):
        return of_state(values.jobs, current, ctx)
    if name in ("power", "cancel_reboot", "getaddrs"):
        return of_state(values.nodes, current, ctx)
    return []


def _show(plain: list[str], current: str, ctx: click.Context) -> list[Candidate]:
    from slimsched.cli.scontrol.show import ENTITIES
    from slimsched.slurm.words import find

    if not plain:
        return _beginning(((each.name, "") for each in ENTITIES), current)
    entity = find(ENTITIES, plain[0])
    return of_state(SHOWN.get(entity.name), current, ctx) if entity and len(plain) == 1 else []


def _assignment(keys: Iterable[str], plain: list[str], current: str, ctx: click.Context) -> list[Candidate]:
    """Complete ``KEY=VALUE``: the key that names a record first, then its fields."""
    key, equals, value = current.partition("=")
    if equals:
        if key.lower() == "state" and any(word.lower().startswith("nodename=") for word in plain):
            from slimsched.controller.update.node_states import STATES

            return _beginning(((f"{key}={word.name}", "") for word in STATES), current, str.lower)
        found = of_state(KEYS.get(key.lower()), value, ctx)
        return [Candidate(f"{key}={each.value}", help=each.help) for each in found]
    named = next((word.partition("=")[0].lower() for word in plain if word.partition("=")[0].lower() in KEYS), "")
    if not named:
        return _beginning(((f"{name}=", "") for name in sorted(keys)), current)
    from slimsched.controller.update import fields, job, node, partition, reservation

    rows = {"jobid": job, "nodename": node, "partitionname": partition, "reservationname": reservation}[named].FIELDS
    return _beginning(((f"{name}=", "") for name in fields.names(rows)), current, str.lower)


def _beginning(found: Iterable[tuple[str, str]], current: str, fold: Callable[[str], str] = str) -> list[Candidate]:
    """Return what begins with ``current``, its letters as they were typed: a shell drops what differs in case."""
    size, tail = len(current), str.lower if current.islower() else str
    return [
        Candidate(current + tail(text[size:]), help=said) for text, said in found if fold(text[:size]) == fold(current)
    ]
