"""``scontrol write``: a job's script, or the configuration, into a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.requests import rights
from slimsched.errors import UserError
from slimsched.slurm.errno import Errno, ErrorCode
from slimsched.slurm.words import find
from slimsched.state import fields
from slimsched.text.sizes import is_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.cli.app import Application
    from slimsched.cli.scontrol.settings import Settings
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import NodeConf, NodeSetConf, PartitionConf


def write(app: Application, words: list[str], settings: Settings) -> None:
    """Write a job's script, or the configuration, to a file."""
    kind, rest = find(KINDS, words[0]), words[1:]
    if kind is None:
        raise UserError(f"invalid write argument:{words[0]}", level="plain")
    if len(rest) > kind.most:
        raise UserError("too many arguments for keyword:write", level="plain")
    kind.write(app, rest)


def _write_script(app: Application, words: list[str]) -> None:
    if not words:
        raise UserError("too few arguments for keyword:write batch_script", level="plain")
    job = words[0]
    with app.session(write=False) as ctl:
        script = app.store.script(int(job)) if is_number(job) else None
        known = ctl.cluster.jobs.get(int(job)) if script is not None else None
        if known is not None and not rights.owns(ctl.cluster, known) and not rights.level(ctl.cluster):
            raise _no_script(Errno.USER_ID_MISSING)
        if script is None:
            from slimsched.controller.requests import strangers

            raise _no_script(Errno.INVALID_JOB_ID, strangers.jobs(ctl.cluster, [int(job)] if is_number(job) else ()))
    if words[1:] == ["-"]:
        app.out(script, end="")
        return
    path = words[1] if len(words) > 1 else f"slurm-{job}.sh"
    _save(path, script)
    app.out(f"batch script for job {job} written to {path}")


def _no_script(errno: ErrorCode, notes: tuple[str, ...] = ()) -> UserError:
    said = f"job script retrieval failed: {errno.text}"
    return UserError(said, level="plain", exit_code=0, notes=notes)  # the real command forgets to fail


def _write_config(app: Application, words: list[str]) -> None:
    from slimsched.text import times

    with app.session(write=False) as ctl:
        text = _slurm_conf(ctl.cluster)
        path = words[0] if words else f"{app.store.folder}/slurm.conf.{times.instant(ctl.cluster.now)}"
    _save(path, text)
    app.out(f"Slurm config saved to {path}")


def _save(path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}") from None


class Writable(NamedTuple):
    """What can be written: the fewest letters that mean it, how many words may follow, and the function."""

    name: str
    letters: int
    most: int
    write: Callable[[Application, list[str]], None]


KINDS = (Writable("batch_script", 5, 2, _write_script), Writable("config", 6, 1, _write_config))


def _slurm_conf(cluster: Cluster) -> str:
    """Return the text of the file."""
    lines = [f"{key}={value}" for key, value in cluster.config.slurm.items()]
    lines += [_conf_line(conf) for conf in cluster.config.nodes]
    lines += [_conf_line(each) for each in cluster.config.node_sets]
    lines += [_conf_line(part) for part in cluster.partitions.values()]
    return "\n".join(lines) + "\n"


def _conf_line(conf: NodeConf | NodeSetConf | PartitionConf) -> str:
    """Return a NodeName, NodeSet or PartitionName line; values with blanks are quoted."""
    pairs = [(key, fields.as_text(value)) for key, value in fields.show(conf).items()]
    pairs += getattr(conf, "other", {}).items()
    return " ".join(f'{key}="{value}"' if " " in value else f"{key}={value}" for key, value in pairs)
