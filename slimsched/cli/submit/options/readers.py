"""The readers of option values by the names that the table of options (`slurm.options`) has for them.

A reader's module is imported when an option asks for it: most command lines need one or two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Reader = Callable[[str, str | None], Any]

NAMES = {
    "checked": "boot_delay cpu_binding cpu_frequency distribution gpu_binding gpu_frequency gres_flags hint libraries"
    " memory_binding profile propagated sampling step_gres_flags",
    "numbers": "count exit_code fan_out geometry immediate later limit memory nice nodes positive priority"
    " reserved_ports run_time short_count switched switches zero_or_one",
    "signals": "batch_signal kill_command signal signal_list",
    "values": "end_state exclusive filename flag from_file hosts mail_type no no_kill nodefile open_mode oversubscribe"
    " path recorded requeue text user_env yes_no",
}
"""Module of this package -> its readers."""
MODULES = {name: module for module, names in NAMES.items() for name in names.split()}


def find(name: str) -> Reader:
    """Return a reader: from an option's long name and its text (None without one) to the value.

    It raises `UserError`.
    """
    module = f"slimsched.cli.submit.options.{MODULES[name]}"
    reader: Reader = getattr(__import__(module, fromlist=[name]), name)  # as in `cli.subcommands.load`
    return reader
