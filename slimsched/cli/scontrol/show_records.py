"""``scontrol show`` of jobs, steps, nodes, partitions, reservations and the configuration."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from slimsched.controller.requests import rights
from slimsched.controller.reservations import access
from slimsched.errors import SyntaxFault, UserError
from slimsched.slurm import job_ids
from slimsched.text.sizes import is_number

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.scontrol.settings import Settings
    from slimsched.model.cluster import Cluster
    from slimsched.render.jobs.job_view import View


def _print(app: Application, records: Iterable[str], nothing: str = "") -> int:
    """Print records, or say that there is none."""
    found = list(records)
    if found or nothing:
        app.out("\n".join(found) or nothing)
    return 0


def _document(app: Application, options: Settings, body: dict[str, Any], cluster: Cluster) -> int:
    """Print records as JSON or YAML."""
    from slimsched.cli.listing import document

    document(app, options.form, body, cluster)
    return 0


def _missing(app: Application, options: Settings, text: str) -> int:
    """Print on standard output that the record does not exist."""
    if not options.quiet:
        app.out(text)
    return 1


def _remark(app: Application, cluster: Cluster, kind: str, name: str) -> None:
    """Say that there is no such record, and what there is, behind the answer."""
    from slimsched.controller.requests import strangers

    app.remarks += strangers.notes(cluster, kind, [name])


def _refuse(text: str, *notes: str) -> UserError:
    """Return the error that says so on standard error."""
    return UserError(text, level="plain", notes=notes)


# jobs and their steps


def jobs(app: Application, name: str | None, options: Settings) -> int:
    """Print one job, an array with all its tasks, or every job."""
    with app.session(write=False) as ctl:
        found = _jobs(ctl.cluster, name, options)
        if options.form:
            from slimsched.render.json import jobs as json_jobs

            return _document(app, options, json_jobs.body(ctl.cluster, found, changed=0 if name else None), ctl.cluster)
        from slimsched.render.jobs import show

        flags = {"oneliner": options.oneliner, "details": options.details}
        return _print(app, (show.text(view, **flags) for view in found), "No jobs in the system")


def _jobs(cluster: Cluster, name: str | None, options: Settings) -> list[View]:
    """Return the views of the jobs that a name stands for."""
    from slimsched.render.jobs.job_list import views

    if not name:
        return _visible(cluster, views(cluster), options)
    try:
        named = job_ids.one(name, steps=False, offsets=True)
    except SyntaxFault:
        raise _refuse("scontrol_print_job error: Invalid job id specified") from None
    wanted = named.job_id
    family = [
        view
        for view in views(cluster, {wanted})
        if wanted in (view.job.job_id, view.job.array_job_id, view.job.het_job_id)
    ]
    if not family:
        from slimsched.controller.requests import strangers

        raise _refuse("slurm_load_jobs error: Invalid job id specified", *strangers.jobs(cluster, [wanted]))
    if any(view.job.array_job_id == wanted for view in family):  # the array's own record, then the latest task first
        family.sort(key=lambda view: (view.job.job_id != wanted, -view.job.job_id))
    if named.task is not None:
        family = _tasks(cluster, [view for view in family if view.array_id == wanted], named.task)
        if not family:
            raise _refuse(f"Job {name} not found")
    if named.offset is not None:
        family = [view for view in family if (view.job.het_job_id, view.job.het_job_offset) == (wanted, named.offset)]
        if not family:
            raise _refuse(f"Job {name} not found")
    return family


def _tasks(cluster: Cluster, family: list[View], task: int) -> list[View]:
    """Return the views of one task of an array."""
    from slimsched.render.jobs.job_view import View

    found = [view for view in family if view.task == task]
    return found or [View(view.job, cluster, task) for view in family if view.has_task(task)]


def _visible(cluster: Cluster, listed: list[View], options: Settings) -> list[View]:
    """Return the views without those in hidden partitions, which ``-a`` shows."""
    hidden = {name for name, part in cluster.partitions.items() if part.hidden}
    return listed if options.all else [view for view in listed if view.partition not in hidden]


def steps(app: Application, name: str | None, options: Settings) -> int:
    """Print the steps that run, or those of one job, or one step."""
    from slimsched.controller.requests import strangers
    from slimsched.render.jobs import show, step_list

    with app.session(write=False) as ctl:
        found = list(step_list.steps(ctl.cluster))
        waiting = list(step_list.waiting(ctl.cluster))
        if name:
            number, _, step = name.partition(".")
            if not is_number(number.partition("_")[0], 10):
                raise _refuse(f'Invalid step id: "{name}"')
            found = [item for item in found if number in (item.view.name, str(item.job.job_id))]
            found = [item for item in found if step in ("", item.step)]
            waiting = [each for each in waiting if number in (each[0].name, str(each[0].job.job_id))]
            waiting = waiting if step in ("", "TBD") else []
        if options.form:
            from slimsched.render.json import lists

            return _document(app, options, lists.steps(found, ctl.cluster.now), ctl.cluster)
        text = f"Job step {name} not found" if name else "No job steps in the system"
        if not (found or waiting):
            if name:
                app.remarks += strangers.steps(ctl.cluster, int(number.partition("_")[0]))
            return _missing(app, options, text) if name else _print(app, (), text)
        one = options.oneliner
        texts = [(item.job.job_id, show.step_text(item, oneliner=one)) for item in found]
        texts += [(view.job.job_id, show.waiting_text(view, item, oneliner=one)) for view, item in waiting]
        order = list(dict.fromkeys(number for number, _ in texts))
        return _print(app, (text for _, text in sorted(texts, key=lambda pair: order.index(pair[0]))))


# nodes, partitions, reservations


def nodes(app: Application, names: str | None, options: Settings) -> int:
    """Print the named nodes, or all of them, and an error for each unknown name."""
    from slimsched.errors import SyntaxFault
    from slimsched.render.nodes import node_view, show
    from slimsched.text import hostlist

    with app.session(write=False) as ctl:
        rights.require_sight(ctl.cluster, "nodes", "slurm_load_node error")
        found = {view.node.name: view for view in node_view.views(ctl.cluster)}
        if names:
            try:
                wanted = hostlist.expand(names)
            except SyntaxFault:
                raise _refuse(f"Invalid node name specified: {names}") from None
        else:
            future = options.future or options.all
            wanted = [name for name, view in found.items() if future or view.base != "FUTURE"]
        if options.form:
            from slimsched.render.json import nodes as json_nodes

            listed = (json_nodes.node(found[name]) for name in wanted if name in found)
            return _document(app, options, json_nodes.listed("nodes", listed, ctl.cluster), ctl.cluster)
        flags = {"oneliner": options.oneliner, "details": options.details}
        code = 0
        for name in wanted:
            if name in found:
                app.out(show.node_text(found[name], **flags))
            else:
                code = _missing(app, options, f"Node {name} not found")
                _remark(app, ctl.cluster, "node", name)
        return code


def partitions(app: Application, name: str | None, options: Settings) -> int:
    """Print one partition, or all that are not hidden."""
    with app.session(write=False) as ctl:
        cluster = ctl.cluster
        rights.require_sight(cluster, "partitions", "slurm_load_partitions error")
        chosen = [cluster.partitions[name]] if name and name in cluster.partitions else []
        if name and not chosen:
            _remark(app, cluster, "partition", name)
            return _missing(app, options, f"Partition {name} not found")
        if not name:
            chosen = [part for part in cluster.partitions.values() if options.all or not part.hidden]
        return _members(app, options, "partitions", chosen, cluster)


def reservations(app: Application, name: str | None, options: Settings) -> int:
    """Print one reservation, or all."""
    with app.session(write=False) as ctl:
        cluster = ctl.cluster
        chosen = [resv for resv in access.seen(cluster) if not name or resv.name == name]
        if name and not chosen:
            _remark(app, cluster, "reservation", name)
            return _missing(app, options, f"Reservation {name} not found")
        return _members(app, options, "reservations", chosen, cluster)


def _members(app: Application, options: Settings, kind: str, chosen: list[Any], cluster: Cluster) -> int:
    """Print partitions or reservations."""
    if options.form:
        from slimsched.render.json import nodes as json_nodes
        from slimsched.render.json import partitions as json_partitions

        record = json_partitions.partition if kind == "partitions" else json_partitions.reservation
        listed = (record(one, cluster) for one in chosen)
        return _document(app, options, json_nodes.listed(kind, listed, cluster), cluster)
    from slimsched.render.nodes import show

    text = show.partition_text if kind == "partitions" else show.reservation_text
    return _print(app, (text(one, cluster, oneliner=options.oneliner) for one in chosen), f"No {kind} in the system")


def configuration(app: Application, _name: str | None, options: Settings) -> int:
    """Print the configuration, key by key."""
    from slimsched.render.config import show

    with app.session(write=False) as ctl:
        if options.form:
            from slimsched.render.json import config

            return _document(app, options, config.body(ctl.cluster), ctl.cluster)
        return _print(app, show.lines(ctl.cluster))
