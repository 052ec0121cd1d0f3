"""``sim strigger``: programs that run once something has happened."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from slimsched.cli.program import RECORDED, STANDARD, Given, Option, Program
from slimsched.errors import SlurmError, UserError
from slimsched.text.sizes import strtol

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.model.cluster import Cluster
    from slimsched.model.trigger import Trigger

NO_DAEMONS = "there are no daemons that could fail: it is kept, and never fires"
NEVER = "there are none: it is kept, and never fires"

JOB, NODE = "job", "node"
DAEMONS = {
    "primary_slurmctld_failure": ("a", "slurmctld"),
    "primary_slurmctld_resumed_operation": ("A", "slurmctld"),
    "primary_slurmctld_resumed_control": ("b", "slurmctld"),
    "backup_slurmctld_failure": ("B", "slurmctld"),
    "backup_slurmctld_resumed_operation": ("c", "slurmctld"),
    "backup_slurmctld_assumed_control": ("C", "slurmctld"),
    "primary_slurmctld_acct_buffer_full": ("e", "slurmctld"),
    "primary_slurmdbd_failure": ("g", "slurmdbd"),
    "primary_slurmdbd_resumed_operation": ("G", "slurmdbd"),
    "primary_database_failure": ("h", "database"),
    "primary_database_resumed_operation": ("H", "database"),
}
"""Kinds of triggers of daemons -> their letter, and what they are about."""

RENAMED = {
    "backup_slurmctld_failure": "backup_ctld_failure",
    "backup_slurmctld_resumed_operation": "backup_ctld_resumed_operation",
    "backup_slurmctld_assumed_control": "backup_ctld_assumed_control",
    "primary_slurmdbd_failure": "primary_dbd_failure",
    "primary_slurmdbd_resumed_operation": "primary_dbd_resumed_operation",
}
"""Option -> the kind as it is listed, where that differs."""

KINDS = {
    **dict.fromkeys(("fini", "time"), JOB),
    **dict.fromkeys(("down", "drained", "draining", "fail", "idle", "up", "resume", "reconfig"), NODE),
    "burst_buffer": "other",
    **{name: about for name, (_, about) in DAEMONS.items()},
}
"""The options that name an event -> what it is about."""

MODES = ("set", "get", "clear")
HEADER = "TRIG_ID RES_TYPE   RES_ID TYPE                                OFFSET USER     FLAGS PROGRAM"
FURTHEST = 32000
PERMANENT = "perm"

OPTIONS = (
    Option("set", help="make a trigger"),
    Option("get", help="list triggers"),
    Option("clear", help="remove triggers"),
    Option("down", "d", help="a node goes down"),
    Option("drained", "D", help="a node is drained"),
    Option("draining", "", help="a node is to be drained, and jobs run on it"),
    Option("fail", "F", help="a node is expected to fail"),
    Option("fini", "f", help="a job ends"),
    Option("idle", "I", help="a node has no jobs"),
    Option("reconfig", "r", help="the configuration is read again"),
    Option("resume", "R", help="a node is no longer drained"),
    Option("time", "t", help="a job reaches its time limit"),
    Option("up", "u", help="a node is no longer down"),
    *(
        Option(name, short, "", f"{name.replace('_', ' ')}", RECORDED, NO_DAEMONS)
        for name, (short, _) in DAEMONS.items()
    ),
    Option("burst_buffer", "", "", "an error of a burst buffer", RECORDED, NEVER),
    Option("front_end", "", "", "a front-end node", RECORDED, NEVER),
    Option("flags", "", "perm", "perm: the trigger stays once its program has run"),
    Option("id", "i", "id", "this trigger"),
    Option("jobid", "j", "job", "triggers of this job"),
    Option("cluster", "M", "name", "the cluster", RECORDED, "there is one cluster only"),
    Option("clusters", "", "name", alias_of="cluster"),
    Option("node", "n", "[nodes]", "make a trigger of these nodes, or of all; list triggers of nodes"),
    Option("noheader", "N", help="no header"),
    Option("offset", "o", "seconds", "so long after the event; negative: ahead of it"),
    Option("program", "p", "path", "the program, with its arguments"),
    Option("quiet", "Q", help="no errors while clearing"),
    Option("user", "", "user", "triggers of this user"),
    Option("verbose", "v", "", "say what was done"),
    *STANDARD,
)


def run(app: Application, given: Given, args: list[str]) -> int | None:
    """Make, list or remove triggers."""
    job_id, flags = strtol(given.last("jobid") or "")[0], given.last("flags")
    if given.has("jobid") and job_id <= 0:
        raise UserError(f"Invalid jobid {given.last('jobid')}")
    if flags is not None and not flags.lower().startswith(PERMANENT):
        raise UserError(f"Invalid flags {flags}")
    mode = _mode(given)
    _check(given, job_id)
    return {"set": _set, "get": _get, "clear": _clear}[mode](app, given, job_id)


def _mode(given: Given) -> str:
    modes = [mode for mode in MODES if given.has(mode)]
    if len(modes) != 1:
        raise UserError("You must use exactly one of the following options: --set, --get or --clear")
    if modes == ["clear"] and not any(given.has(name) for name in ("id", "jobid", "user")):
        raise UserError("You must specify a --id, --jobid, or --user to clear")
    return modes[0]


def _check(given: Given, job_id: int) -> None:
    program = given.last("program")
    if given.has("set") and not _kinds(given):
        raise UserError("You must specify a trigger")
    if given.has("set") and program is None:
        raise UserError("You must specify a --program value")
    if not job_id and any(KINDS[kind] == JOB for kind in _kinds(given)):
        raise UserError("You must specify a --jobid value")
    if program is not None:
        _check_program(program)
    if abs(strtol(given.last("offset") or "")[0]) > FURTHEST:
        raise UserError("The --offset parameter must be between +/-32000")


def _check_program(program: str) -> None:
    if not program.startswith("/"):
        import shutil

        found = shutil.which(program.partition(" ")[0])
        notes = (f"did you mean --program={found}?",) if found else ()
        raise UserError('The --program value must start with "/"', notes=notes)
    try:
        mode = os.stat(program.split()[0]).st_mode
    except (OSError, ValueError):
        raise UserError("Invalid --program value, file not found") from None
    if not stat.S_ISREG(mode):
        raise UserError("Invalid --program value, not regular file")


def _kinds(given: Given) -> list[str]:
    """Return the events that the options name, each by its option."""
    return [kind for kind in KINDS if given.has(kind)]


def _set(app: Application, given: Given, job_id: int) -> int:
    from slimsched.controller.life import triggers
    from slimsched.controller.requests.users import invoking
    from slimsched.model.trigger import Trigger

    about = JOB if job_id else next((KINDS[k] for k in _kinds(given) if KINDS[k] != NODE), NODE)
    target = str(job_id) if job_id else given.last("node") or triggers.ALL
    with app.session() as ctl:
        for kind in _kinds(given):
            made = Trigger(
                resource=about,
                target=target,
                kind=RENAMED.get(kind, kind),
                program=given.last("program") or "",
                offset=strtol(given.last("offset") or "")[0],
                permanent=given.has("flags"),
            )
            try:
                triggers.add(ctl, made, invoking(ctl.cluster))
            except SlurmError as fault:
                text = f"slurm_set_trigger: {fault.message}"
                raise UserError(text, level="plain", notes=fault.notes) from None
    _say(app, given, "trigger set")
    return 0


def _get(app: Application, given: Given, job_id: int) -> int:
    from slimsched.model import trigger

    with app.session(write=False) as ctl:
        every = trigger.read(ctl.cluster)
        _say(app, given, f"Read {len(every)} trigger records")
        found = [one for one in every if _listed(ctl.cluster, given, job_id, one)]
        if not found:
            app.remarks += _strange(ctl.cluster, given, job_id)
        if found and not given.has("noheader"):
            app.out(HEADER)
        for one in found:
            app.out(_line(one))
    return 0


def _line(one: Trigger) -> str:
    flags = PERMANENT.upper() if one.permanent else ""
    return (
        f"{one.trigger_id:7} {one.resource:<9} {one.target:>7} {one.kind:<35} {one.offset:6} {one.user_name:<8} "
        f"{flags:<5} {one.program}"
    )


def _listed(cluster: Cluster, given: Given, job_id: int, one: Trigger) -> bool:
    """Whether a trigger is asked for: each option given narrows the list."""
    kinds = _kinds(given)
    if kinds and one.kind not in [RENAMED.get(kind, kind) for kind in kinds]:
        return False
    if given.has("node") and one.resource != NODE:
        return False
    return _meant(cluster, given, job_id, one)


def _meant(cluster: Cluster, given: Given, job_id: int, one: Trigger) -> bool:
    """Whether a trigger is the one of an id, of a job, or of a user, where these are given."""
    from slimsched.controller.requests import users

    if given.has("id") and one.trigger_id != strtol(given.last("id") or "")[0]:
        return False
    if job_id and (one.resource, one.target) != (JOB, str(job_id)):
        return False
    user = given.last("user")
    return user is None or one.user_id == users.uid_of(cluster, user)


def _clear(app: Application, given: Given, job_id: int) -> int:
    from slimsched.controller.life import triggers
    from slimsched.controller.requests.users import invoking

    with app.session() as ctl:
        found = triggers.clear(ctl, lambda one: _meant(ctl.cluster, given, job_id, one), invoking(ctl.cluster))
        notes = () if found else _strange(ctl.cluster, given, job_id)
    if not found and not given.has("quiet"):
        raise UserError("slurm_clear_trigger: No such process", level="plain", notes=notes)
    if found:
        user = given.last("user")
        what = f"triggers for job {job_id}" if job_id else f"triggers for user {user}" if user else None
        _say(app, given, f"{what or 'trigger ' + (given.last('id') or '')} cleared")
    return 0


def _strange(cluster: Cluster, given: Given, job_id: int) -> tuple[str, ...]:
    """Return the notes on the trigger, the job or the user that nobody knows."""
    from slimsched.controller.requests import strangers
    from slimsched.model import trigger

    ids = [one.trigger_id for one in trigger.read(cluster)]
    user, wanted = given.last("user"), given.last("id")
    notes = strangers.jobs(cluster, [job_id] if job_id else ())
    notes += strangers.notes(cluster, "user", [user] if user else ())
    if wanted is not None and strtol(wanted)[0] not in ids:
        there = f"there are: {', '.join(map(str, ids[-MANY:]))}" if ids else "there are none"
        notes += (f"no trigger {wanted}; {there}",)
    return notes


MANY = 5  # triggers that are named


def _say(app: Application, given: Given, text: str) -> None:
    """Say what was done, to those who asked for more words."""
    if given.has("verbose"):
        app.err(f"strigger: {text}")


command = Program("strigger", OPTIONS, run, summary="Run programs once something has happened")
