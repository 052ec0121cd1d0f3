"""Parts of ``docs/fidelity.md`` beside Slurm's own options: accounting limits, and Grid Engine's commands."""

from __future__ import annotations

from inspect import getsource

from regions import table

from slimsched.cli import help_text
from slimsched.cli.program import HONOURED, OURS, RECORDED
from slimsched.cli.subcommands import COMMANDS, GRID_ENGINE, load
from slimsched.controller.accounts import accrual, assoc_limits, limit_levels, modify, usage_limits, usage_tally
from slimsched.controller.accounts import options as account_options
from slimsched.controller.requests import rights
from slimsched.controller.schedule import preemption
from slimsched.model import account
from slimsched.priority import fairshare, multifactor, usage

READERS = (
    *(
        account.Book,
        rights,
        account.has_flag,
        modify.modify,
        accrual,
        assoc_limits,
        limit_levels,
        usage_tally,
        usage_limits,
        preemption,
        fairshare,
        multifactor,
    ),
    usage,
)
"""What acts on what accounting records hold: an option that none of them names is only kept and shown."""


def accounts() -> str:
    """Return what becomes of the options of accounting records."""
    read = "".join(getsource(reader) for reader in READERS)
    rows = []
    kinds = {"associations": account_options.ASSOCIATION, "QOS": account_options.QOS}
    kinds |= {"accounts": account_options.ACCOUNT, "users": account_options.USER}
    for kind, options in kinds.items():
        names: dict[str, list[str]] = {}
        for field in options:
            if not field.resource:
                names.setdefault(field.key, []).append(field.name)
        for key, spelled in names.items():
            status = HONOURED if f'"{key}"' in read else RECORDED
            others = ", ".join(f"`{name}`" for name in spelled if name != key)
            rows.append((kind, f"`{key}`", status, others))
    return f"\n{table(('of', 'option', 'status', 'also'), rows)}\n"


def grid_engine() -> str:
    """Return the options of Grid Engine's commands."""
    rows = []
    for name in (name for name, entry in COMMANDS.items() if entry.kind == GRID_ENGINE):
        for option in help_text.primary(load(name).options):
            status = "not in Grid Engine" if option.status == OURS else option.status
            note = "; ".join(filter(None, (option.help, option.note)))
            rows.append((f"`{name}`", f"`{help_text.spelled(option)}`", status, note))
    return f"\n{table(('command', 'option', 'status', 'note'), rows)}\n"
