"""Complex attributes, hosts and queues as ``qconf -sc``, ``-se`` and ``-sq`` print them.

Settings that do not exist here show their default.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.constraints.complexes import builtin, entries, levels
from slimsched.constraints.complexes.builtin import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from slimsched.model.complex import ComplexAttribute
    from slimsched.model.config import PartitionConf
    from slimsched.model.node import Node

_QUEUE = """
qname                 {name}
hostlist              {hosts}
seq_no                0
load_thresholds       NONE
suspend_thresholds    NONE
nsuspend              1
suspend_interval      00:05:00
priority              0
min_cpu_interval      00:05:00
processors            UNDEFINED
qtype                 BATCH INTERACTIVE
ckpt_list             NONE
pe_list               NONE
rerun                 FALSE
slots                 {slots}
tmpdir                /tmp
shell                 /bin/sh
prolog                NONE
epilog                NONE
shell_start_mode      posix_compliant
starter_method        NONE
suspend_method        NONE
resume_method         NONE
terminate_method      NONE
notify                00:00:60
owner_list            NONE
user_lists            NONE
xuser_lists           NONE
subordinate_list      NONE
complex_values        {complexes}
projects              NONE
xprojects             NONE
calendar              NONE
initial_state         default
"""


def host(name: str, offered: Mapping[str, str], load: Mapping[str, str], processors: int) -> str:
    """Return a host; ``processors`` are its CPUs."""
    rows = {
        "hostname": name,
        "load_scaling": entries.NONE,
        "complex_values": entries.write(offered) or entries.NONE,
        "load_values": entries.write(load) or entries.NONE,
        "processors": str(processors),
    }
    rows |= dict.fromkeys(("user_lists", "xuser_lists", "projects", "xprojects"), entries.NONE)
    rows |= dict.fromkeys(("usage_scaling", "report_variables"), entries.NONE)
    return "\n".join(f"{field:<22}{value}" for field, value in rows.items())


def queue(part: PartitionConf, nodes: Sequence[Node]) -> str:
    """Return a partition; the slots of nodes that have others than the first stand behind it in brackets."""
    usual = nodes[0].cpus if nodes else 0
    own = [f"[{node.name}={node.cpus}]" for node in nodes if node.cpus != usual]
    text = _QUEUE.strip().format(
        name=part.partition_name,
        hosts=" ".join(node.name for node in nodes) or entries.NONE,
        slots=",".join([str(usual), *own]),
        complexes=part.complexes or entries.NONE,
    )
    given = {"h_rt": "INFINITY" if part.max_time is None else _clock(part.max_time * 60), **levels.limits(part)}
    return "\n".join([text, *(f"{name:<22}{given.get(name, 'INFINITY')}" for name in builtin.LIMITS)])


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


_COMPLEX_END = "# >#< starts a comment but comments are not saved across edits --------"
_COMPLEX_HEADS = ("#name", *FIELDS[1:])


def complex_list(attributes: Iterable[ComplexAttribute]) -> str:
    """Return the definitions in the order of their names."""
    rows = [tuple(str(getattr(one, field)) for field in FIELDS) for one in attributes]
    rows.sort(key=lambda row: (row[0].lower(), row[0]))
    columns = list(zip(_COMPLEX_HEADS, *rows, strict=True))
    widths = [max(len(head) + 1, *(len(cell) + 4 for cell in cells)) for head, *cells in columns]
    lines = [_cells(_COMPLEX_HEADS, widths), "#" + "-" * (sum(widths) - 1)]
    lines += [_cells(row, [*widths[:-1], 0]) for row in rows]
    return "\n".join([*lines, _COMPLEX_END])


def _cells(cells: tuple[str, ...], widths: list[int]) -> str:
    return "".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
