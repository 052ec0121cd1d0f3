"""The readers of option values by the names that the table of options (`slurm.options`) has for them.

A reader's module is imported when an option asks for it: most command lines need one or two.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Reader = Callable[[str, str | None], Any]

NAMES = {
    "amounts": "later limit memory run_time switches",
    "checked": "boot_delay cpu_binding cpu_frequency gpu_binding gpu_frequency gres_flags hint libraries memory_binding"
    " profile propagated sampling step_gres_flags",
    "counts": "count exit_code fan_out geometry immediate nice nodes positive priority reserved_ports short_count"
    " switched zero_or_one",
    "layouts": "distribution",
    "signals": "batch_signal kill_command signal",
    "values": "flag no no_kill recorded requeue text yes_no",
    "words": "exclusive filename from_file hosts mail_type nodefile open_mode oversubscribe path user_env",
}
"""Module of this package -> its readers."""
MODULES = {name: module for module, names in NAMES.items() for name in names.split()}


def find(name: str) -> Reader:
    """Return a reader: from an option's long name and its text (None without one) to the value.

    It raises `UserError`.
    """
    reader: Reader = getattr(import_module(f"slimsched.cli.submit.options.{MODULES[name]}"), name)
    return reader
