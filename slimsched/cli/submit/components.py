"""The components of a heterogeneous job on a command line and in a batch script: which options each of them has.

Components are separated by ``:``, in a script by ``#SBATCH hetjob``; a component of the script and the one of the
command line at the same place are one. Source: the guide Heterogeneous Job Support, Submitting Jobs.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from slimsched.cli.program import STANDARD_H
from slimsched.cli.submit import drafts
from slimsched.cli.submit.options.request import read
from slimsched.slurm.getopt import Scanner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slimsched.cli.app import Application
    from slimsched.cli.submit.options.request import Draft, Reading
    from slimsched.slurm.options import SubmitOption

SEPARATOR = ":"
_PROPAGATED = (
    "account acctg-freq begin chdir cluster-constraint clusters comment deadline delay-boot dependency distribution"
    " epilog error exclude export export-file get-user-env gid hold ignore-pbs immediate input job-name"
    " kill-on-bad-exit kill-on-invalid-dep label mcs-label mem nice no-allocate no-kill no-requeue open-mode output"
    " parsable priority profile propagate prolog pty qos quiet quit-on-interrupt reboot requeue reservation signal"
    " slurmd-debug task-epilog task-prolog test-only time time-min uid unbuffered verbose wait wait-all-nodes wckey"
)
PROPAGATED = frozenset(_PROPAGATED.split())
"""Options that count for the components behind theirs, too, unless these give them anew."""


def of_line(
    command: str, options: Sequence[SubmitOption], words: list[str], exit_code: int
) -> tuple[list[list[Reading]], list[str]]:
    """Return the options of each component but the first, and what follows the last; ``words`` begin with a ``:``."""
    found: list[list[Reading]] = []
    while words[:1] == [SEPARATOR]:
        scanner = Scanner(command, (*options, *STANDARD_H), words[1:], posix=True, exit_code=exit_code)
        found.append(read(scanner))
        words = scanner.rest
    return found, words


def merged(
    app: Application,
    prefix: str,
    options: tuple[SubmitOption, ...],
    lines: list[list[Reading]],
    in_script: list[list[Reading]],
) -> list[Draft]:
    """Return the draft of each component."""
    carried: list[Reading] = []
    found: list[Draft] = []
    nothing: list[Reading] = []
    for own, line in zip_longest(in_script, lines, fillvalue=nothing):
        found.append(drafts.draft(app, prefix, options, line, [*carried, *own]))
        carried += [reading for reading in (*own, *line) if reading.option.name in PROPAGATED]
    if name := found[-1].fields.get("name"):  # recorded: the last name is that of all
        for made in found:
            made.fields["name"] = name
    return found
