"""The description of each keyword of ``scontrol``, for the help text, the manual page and the fidelity page."""

from __future__ import annotations

from slimsched.slurm.getopt import HONOURED, RECORDED, REFUSED

NO_DAEMON = "accepted; there is no daemon"

HELP: dict[str, tuple[str, str]] = {
    "abort": ("", NO_DAEMON),
    "all": ("", "from now on, show hidden partitions (interactive)"),
    "callerid": ("PID", "accepted; no processes are tracked"),
    "cancel_reboot": ("NODES", "refused: no reboot is ever pending"),
    "cluster": ("NAME", "accepted; there is one cluster only"),
    "completing": ("", "list completing jobs"),
    "create": ("ENTITY KEY=VALUE...", "make nodes, a reservation, a partition or a complex attribute"),
    "delete": ("ENTITY=NAME", "remove a reservation, a partition or a complex attribute"),
    "details": ("", "from now on, show more of each record (interactive)"),
    "errnumstr": ("NUMBER", "print the text of an error number"),
    "exit": ("", "leave the interactive mode"),
    "fairsharedampeningfactor": ("VALUE", "the same as fsdampeningfactor"),
    "fsdampeningfactor": ("VALUE", "accepted; FairShareDampeningFactor in cluster.toml counts"),
    "getent": ("NODE", "accepted; no users are cached"),
    "getaddrs": ("NODES", "print the addresses of nodes"),
    "help": ("", "list options and commands"),
    "hide": ("", "from now on, leave out hidden partitions (interactive)"),
    "hold": ("JOBS", "hold pending jobs, as an operator"),
    "holdu": ("JOBS", "the same as uhold"),
    "listjobs": ("[NODE]", "accepted; no processes are tracked"),
    "listpids": ("[JOB[.STEP]] [NODE]", "list the processes of steps that run here"),
    "liststeps": ("[NODE]", "accepted; no processes are tracked"),
    "notify": ("JOB MESSAGE", "put a message into its output; a simulated job does not read it"),
    "oneliner": ("", "from now on, print each record on one line (interactive)"),
    "pidinfo": ("PID", "accepted; no processes are tracked"),
    "ping": ("", "say that the controller is up"),
    "power": ("up|down NODES", "power nodes up or down"),
    "quiet": ("", "from now on, print no errors (interactive)"),
    "quit": ("", "leave the interactive mode"),
    "reboot": ("[ASAP] [nextstate=STATE] [reason=TEXT] NODES", "refused: no RebootProgram"),
    "reboot_nodes": ("NODES", "refused: the same as reboot"),
    "reconfigure": ("", "read the configuration again and discard changes of partitions and features"),
    "release": ("JOBS", "release held jobs"),
    "requeue": ("[Incomplete] [State=SpecialExit] JOBS", "put jobs back into the queue"),
    "requeuehold": ("[Incomplete] [State=SpecialExit] JOBS", "put jobs back into the queue and hold them"),
    "resume": ("JOBS", "resume suspended jobs"),
    "schedloglevel": ("VALUE", "accepted; there is no daemon that logs"),
    "setdebug": ("LEVEL", "accepted; there is no daemon that logs"),
    "setdebugflags": ("FLAGS", "accepted; there is no daemon that logs"),
    "show": ("ENTITY [NAME]", "print records: see the manual page for the entities"),
    "shutdown": ("[slurmctld|controller]", NO_DAEMON),
    "suspend": ("JOBS", "suspend running jobs"),
    "takeover": ("", NO_DAEMON),
    "token": ("[username=USER] [lifespan=SECONDS]", "refused: there is no daemon to use a token"),
    "top": ("JOBS", "move jobs ahead of their user's other jobs"),
    "uhold": ("JOBS", "hold pending jobs so that their user may release them"),
    "update": ("KEY=VALUE...", "change a job, node, partition, reservation or complex"),
    "verbose": ("", "accepted; there are no further messages"),
    "version": ("", "print the version of Slurm that is reproduced"),
    "wait_job": ("JOB", "advance the clock until a job has started"),
    "write": ("batch_script JOB [FILE] | config [FILE]", "write a script or the configuration to a file"),
}
"""Keyword -> the words after it, and its effect."""


def listed() -> list[tuple[str, str]]:
    """Return keywords with their arguments, and what they do."""
    return [(f"{name} {words}".rstrip(), text) for name, (words, text) in HELP.items()]


def status(name: str) -> str:
    """Return the status of a keyword."""
    text = HELP[name][1]
    return RECORDED if text.startswith("accepted") else REFUSED if text.startswith("refused") else HONOURED
