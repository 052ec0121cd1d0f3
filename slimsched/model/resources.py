"""The trackable resources (TRES) that accounting counts."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from slimsched.errors import SlurmError
from slimsched.slurm.errno import Errno
from slimsched.text.sizes import is_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from slimsched.model.config import Config, PartitionConf
    from slimsched.model.node import Node
    from slimsched.model.request import JobRequest

BUILTIN = ("cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages")
"""The resources that every cluster counts, in the order of their numbers (1, 2, ...)."""
FIRST_OWN = 1001
"""The number of the first that ``AccountingStorageTRES`` adds."""
CPUS, MEMORY = "DefCpuPerGPU", "DefMemPerGPU"
"""The defaults of a job for each of its GPUs."""
UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


WITH_GPUS = ("gres/gpumem", "gres/gpuutil")
"""Resources that are counted wherever GPUs are."""


def counted(config: Config) -> dict[str, int]:
    """Return the resources that a cluster counts, with their numbers."""
    return _numbers(config.get("AccountingStorageTRES"))


@lru_cache(maxsize=16)
def _numbers(names: str) -> dict[str, int]:
    given = (name.strip().lower() for name in names.split(","))
    also = ((name, *(WITH_GPUS if name == "gres/gpu" else ())) for name in given)
    more = dict.fromkeys(name for names in also for name in names if name and name not in BUILTIN)
    return dict(zip(BUILTIN, range(1, FIRST_OWN), strict=False)) | dict(zip(more, range(FIRST_OWN, 9999), strict=False))


def gpu_defaults(config: Config, part: PartitionConf | None = None) -> dict[str, int]:
    """Return what a cluster, or a partition, gives a job for each GPU: the two names, with CPUs and memory in MB."""
    if part is None:
        text = config.get("JobDefaults")
        lines = (config.number("DefCPUPerGPU") or None, config.number("DefMemPerGPU") or None)
    else:
        text, lines = part.job_defaults, (part.def_cpu_per_gpu, part.def_mem_per_gpu)
    if not text and lines == (None, None):
        return {}
    pairs = (item.strip().partition("=") for item in text.split(","))
    said = {name.lower(): int(value) for name, _, value in pairs if value.isascii() and value.isdigit()}
    found = {name: said.get(name.lower(), line) for name, line in zip((CPUS, MEMORY), lines, strict=True)}
    return {name: value for name, value in found.items() if value is not None}


def capacity(nodes: Sequence[Node]) -> dict[str, int]:
    """Return what nodes have together: CPUs, memory in MB, themselves, what is billed for them, generic resources."""
    cpus = sum(node.cpus for node in nodes)
    memory = sum(node.real_memory for node in nodes)
    return {"cpu": cpus, "mem": memory, "node": len(nodes), "billing": cpus, **gres(_joined(nodes))}


def _joined(nodes: Sequence[Node]) -> str:
    return ",".join(node.gres for node in nodes if node.gres)


def shown(config: Config, amounts: Mapping[str, int]) -> dict[str, int]:
    """Return the amounts that a cluster counts and that are not zero, in the order of their numbers."""
    return {name: amounts[name] for name in counted(config) if amounts.get(name)}


def gres(text: str) -> dict[str, int]:
    """Return the counts of generic resources by ``gres/name``, those of a type by ``gres/name:type`` as well."""
    found: dict[str, int] = {}
    for item in _items(text):
        words = item.partition("(")[0].strip().removeprefix("gres/").replace("=", ":").split(":")
        count = _count(words.pop()) if len(words) > 1 and words[-1][:1].isdigit() else 1
        name = f"gres/{words[0].lower()}"
        names = [name, f"{name}:{words[1].lower()}"] if len(words) > 1 and words[1] != "no_consume" else [name]
        for each in names:
            found[each] = found.get(each, 0) + count
    return found


def licenses(text: str) -> list[tuple[str, int]]:
    """Return the names and counts of ``--licenses`` (``a:2,b`` or alternatives ``a|b``) or of ``Licenses=``.

    Raises `SlurmError` (INVALID_LICENSES).
    """
    found = []
    for item in text.replace("|", ",").split(","):
        name, sign, count = item.replace("=", ":").replace("*", ":").partition(":")
        if not name or (sign and not is_number(count)):
            raise SlurmError(Errno.INVALID_LICENSES)
        found.append((name, int(count) if sign else 1))
    return found


LICENSE = "license/"


def asked_licenses(request: JobRequest) -> str:
    """Return the licenses that a job asks for, those for each of its tasks (``--tres-per-task``) among them.

    Raises `SlurmError` (INVALID_LICENSES).
    """
    each = [item[len(LICENSE) :] for item in request.tres_per_task.split(",") if item.startswith(LICENSE)]
    if not each:
        return request.licenses
    tasks = request.num_tasks or request.min_nodes or 1
    of_tasks = [(name, count * tasks) for name, count in licenses(",".join(each))]
    return "|".join(_added(licenses(some) if some else (), of_tasks) for some in request.licenses.split("|"))


def _added(*lists: Iterable[tuple[str, int]]) -> str:
    """Return licenses of all lists, each name once."""
    total: dict[str, int] = {}
    for name, count in (pair for pairs in lists for pair in pairs):
        total[name] = total.get(name, 0) + count
    return ",".join(f"{name}:{count}" for name, count in total.items())


def of_licenses(held: str | JobRequest) -> dict[str, int]:
    """Return the counts of licenses, held or asked for, by ``license/name``; a text that cannot be read counts none."""
    try:
        text = held if isinstance(held, str) else asked_licenses(held)
        return {f"{LICENSE}{name.lower()}": count for name, count in licenses(text)} if text else {}
    except SlurmError:
        return {}


def _items(text: str) -> list[str]:
    """Return the items of a list, without those that a comma in ``(IDX:0,2)`` would make."""
    return [item for item in text.split(",") if item and not item[0].isdigit() and item not in {"(null)", "none"}]


def _count(text: str) -> int:
    """Return a count with its unit, 1 if it cannot be read."""
    digits, unit = text.rstrip("KMGTkmgt"), text[-1:].lower()
    return int(digits) * UNITS.get(unit, 1) if digits.isdigit() and len(digits) < 9 else 1
