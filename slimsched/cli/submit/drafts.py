"""The common parts of ``sbatch``, ``srun`` and ``salloc``: options to draft, draft to request, request to job."""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any

from slimsched.cli.submit import environment
from slimsched.cli.submit.options import request as requests
from slimsched.cli.submit.options.verify import verify
from slimsched.errors import UserError
from slimsched.text.sizes import strtol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from slimsched.cli.app import Application
    from slimsched.cli.program import Given
    from slimsched.cli.submit.options.request import Draft, Reading
    from slimsched.controller.core import Controller
    from slimsched.controller.requests.users import User
    from slimsched.model.cluster import Cluster
    from slimsched.model.request import JobRequest
    from slimsched.slurm.options import SubmitOption

    Run = Callable[[Application, Given, list[str]], int]

NO_SPEC_CORES = "Ignoring {} since it's not allowed by configuration (AllowSpecResourcesUsage = No)"
NO_GRES = "Invalid generic resource (gres) specification"
RULE = f"{'-' * 20} {'-' * 20}"


def with_exit_codes(run: Run) -> Run:
    """Let SLURM_EXIT_ERROR replace the exit code 1 of a refusal, as the real commands do."""

    @wraps(run)
    def told(app: Application, given: Given, args: list[str]) -> int:
        try:
            return run(app, given, args)
        except UserError as error:
            if error.exit_code == 1:
                error.exit_code = exit_code(app, "SLURM_EXIT_ERROR")
            raise

    return told


def exit_code(app: Application, variable: str) -> int:
    """Return the exit code that a variable asks for, 1 without one."""
    text = os.environ.get(variable)
    if text is None:
        return 1
    code = strtol(text)[0]
    if not code:
        app.err(f"{app.command}: error: {variable} has zero value")
    return code & 0xFF or 1


def draft(
    app: Application,
    prefix: str,
    options: tuple[SubmitOption, ...],
    command_line: list[Reading],
    script: list[Reading] | None = None,
    group: int | None = None,
) -> Draft:
    """Merge script, environment and command line; print the warnings and, with ``-v``, the options.

    ``group``: as of `environment.read`.
    """
    made = requests.Draft(script or [], environment.read(prefix, options, group), command_line)
    app.quiet = made.count("quiet")
    for warning in verify(made):
        if "quiet" not in made.other:
            app.err(f"{app.command}: warning: {warning}")
    text = str(made.fields.get("export") or "")
    if "'" in text or '"' in text:
        from slimsched.executor.batch_environment import Export

        if broken := Export(text).broken:
            app.err(f"{app.command}: error: Improperly formed environment variable ({broken})")
    if made.count("verbose"):
        _list_options(app, made)
    return made


def here() -> str:
    """Return the working directory. Raises `UserError` if it has been removed."""
    try:
        return os.getcwd()
    except OSError as fault:
        raise UserError(f"getcwd failed: {fault.strerror}") from None


def _list_options(app: Application, made: Draft) -> None:
    """Print the options that are set, times as they are by the cluster's clock."""
    from slimsched.cli.submit.options.shown import described
    from slimsched.cli.submit.options.values import Later

    now = 0
    if any(isinstance(reading.value, Later) for reading in made.last.values()):
        with app.session(write=False) as ctl:
            now = ctl.cluster.now
    rows = [f"{name:<20}: {text}" for name, text in described(made, now)]
    if app.command == "srun" and (nodes := os.environ.get("SLURM_JOB_NODELIST")):
        rows.insert(0, f"{'(null)':<20}: {nodes}")  # an option without a name, which Slurm lists all the same
    for line in ("defined options", RULE, *rows, RULE, "end of defined options"):
        app.err(f"{app.command}: {line}")


def check_clusters(cluster: Cluster, names: str) -> str:
    """Return the one cluster's name if ``--clusters`` names it; raise `UserError` for any other."""
    from slimsched.cli.listing import UNKNOWN_CLUSTER
    from slimsched.cli.sacct.accounting import disabled

    own, accounting = cluster.config.get("ClusterName"), not disabled(cluster)
    for name in names.split(","):
        if not accounting or name not in (own, "all"):
            lead = "" if accounting else "Problem talking to database\n"
            raise UserError(lead + UNKNOWN_CLUSTER.format(name))
    return own


def make_request(app: Application, ctl: Controller, made: Draft, given: Given, **fields: Any) -> JobRequest:
    """Return the request of a draft, checked against the configuration as far as the command itself does it."""
    cluster = ctl.cluster
    if "clusters" in made.other:
        check_clusters(cluster, made.other["clusters"])
    if "uid" in made.other:
        _remark_user(app, cluster, made.other["uid"])
    app.remarks += [f"--{name} {text} counts as 0: it is not a number" for name, text in _wordy(given)]
    if not cluster.config.flag("AllowSpecResourcesUsage"):
        for field, spelling in (("core_spec", "-S"), ("thread_spec", "--thread-spec")):
            if made.fields.pop(field, None) is not None:
                app.err(f"{app.command}: error: {NO_SPEC_CORES.format(spelling)}")
    if str(made.fields.get("gres", "")).lower() in ("help", "list"):
        options = "".join(f"\n{name}[[:type]:count]" for name in sorted(_known_gres(cluster) - {""}))
        raise UserError(f"Valid gres options are:{options}", level="plain", stdout=True, exit_code=0)
    request = made.request(cluster.now, work_dir=here(), submit_line=given.line, **fields)
    if request.gres and not _known_gres(cluster).issuperset(_gres_names(request.gres)):
        with reasoned(ctl, [request], user_of(ctl, made)):
            raise UserError(NO_GRES)
    return request


def _wordy(given: Given) -> Iterator[tuple[str, str]]:
    """Yield the options that take a number, and read any word as 0, which have a word."""
    for name in ("nice", "priority"):
        text = given.last(name) or ""
        if text.upper() != "TOP" and text.lstrip(" +-")[:1].isalpha():
            yield name, text


def _remark_user(app: Application, cluster: Cluster, name: str) -> None:
    """Say whose name a new user's is like."""
    from slimsched.controller.requests import strangers, users

    if users.known(cluster, name) is None:
        app.remarks += strangers.slips(cluster, "user", [name])


def _known_gres(cluster: Cluster) -> set[str]:
    names = set(cluster.config.get("GresTypes").split(","))
    return names.union(*(_gres_names(conf.gres) for conf in cluster.config.nodes))


def _gres_names(text: str) -> set[str]:
    bare = (item.removeprefix("gres/").removeprefix("gres:") for item in text.split(","))
    return {name for name in (item.partition(":")[0].partition("=")[0] for item in bare) if name and name != "none"}


@contextmanager
def reasoned(ctl: Controller, requests: Sequence[JobRequest], user: User) -> Iterator[None]:
    """Add our own notes to a refusal: what was wrong in the requests, and what there is instead."""
    try:
        yield
    except UserError as error:
        from slimsched.controller.explain import refusal

        error.notes = error.notes or refusal.notes(ctl, requests, user, error)
        raise


def user_of(ctl: Controller, made: Draft) -> User:
    """Return whose job it is: of ``--uid`` and ``--gid``, which only root may name, else the user who asks.

    Raises `UserError`.
    """
    from slimsched.controller.requests import users

    asker = users.invoking(ctl.cluster)
    for name in ("uid", "gid"):
        if name in made.other and users.speaks_for_another() and asker.uid:
            raise UserError(f"--{name} only permitted by root user", exit_code=255)
    user = users.resolve(ctl.cluster, made.other["uid"]) if "uid" in made.other else asker
    return users.in_group(user, made.other["gid"]) if "gid" in made.other else user
