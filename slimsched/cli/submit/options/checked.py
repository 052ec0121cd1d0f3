"""Readers of options that are checked and recorded: bindings, frequencies, profiles, layouts. See `values`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from slimsched.cli.submit.options.numbers import span
from slimsched.cli.submit.options.values import BAD_OPTION, invalid
from slimsched.errors import UserError
from slimsched.slurm import kinds, numbers


def boot_delay(name: str, value: str | None) -> str:
    """Read one of Slurm's times; the text is kept."""
    span(name, value)
    return value or ""


SAMPLED = {"energy", "task", "filesystem", "network"}


def sampling(name: str, value: str | None) -> str:
    """Read ``30``, ``task=30`` or a list of such intervals."""
    for item in filter(None, (value or "").split(",")):
        kind, equals, seconds = item.rpartition("=")
        if not seconds.isdecimal() or (equals and kind.lower() not in SAMPLED):
            raise UserError(f"Invalid --{name} specification: {item}", exit_code=BAD_OPTION)
    return value or ""


PROFILED = {"energy": "Energy", "task": "Task", "lustre": "Lustre", "network": "Network"}


def profile(name: str, value: str | None) -> str:
    """Read what is profiled: the words that occur in the text count, ``none`` and ``all`` before the others."""
    word = profile_text(value or "")
    if not word:
        raise UserError(f"invalid --{name}={value} option", exit_code=BAD_OPTION)
    return word


def profile_text(text: str) -> str:
    """Return a profile as Slurm writes it, "" if the text names nothing."""
    known = text.lower()
    for word, shown in (("none", "None"), ("all", "All")):
        if word in known:
            return shown
    return ",".join(shown for word, shown in PROFILED.items() if word in known)


GRES_FLAGS = ("disable-binding", "enforce-binding", "multiple-tasks-per-sharing", "one-task-per-sharing")
EXCLUDING = ((GRES_FLAGS[0], GRES_FLAGS[1]), (GRES_FLAGS[3], GRES_FLAGS[2]))


def gres_flags(name: str, value: str | None) -> str:
    """Read how generic resources are placed, for a job."""
    words = (value or "").lower().split(",")
    if "allow-task-sharing" in words:
        raise UserError("--gres-flags=allow-task-sharing is only used with srun.", exit_code=BAD_OPTION)
    return _gres_flags(name, words, GRES_FLAGS)


def step_gres_flags(name: str, value: str | None) -> str:
    """Read how generic resources are placed, for a step."""
    return _gres_flags(name, (value or "").lower().split(","), (*GRES_FLAGS, "allow-task-sharing"))


def _gres_flags(name: str, words: list[str], known: tuple[str, ...]) -> str:
    for word in filter(None, words):
        if word not in known:
            raise UserError(f"Invalid --{name} specification: {word}", exit_code=BAD_OPTION)
    for pair in EXCLUDING:
        if set(pair) <= set(words):
            text = f"Invalid --{name} combo: {pair[0]} and {pair[1]} are mutually exclusive."
            raise UserError(text, exit_code=BAD_OPTION)
    return ",".join(word for word in sorted(known) if word in words)


GOVERNORS = {"conservative", "ondemand", "performance", "powersave", "userspace", "schedutil"}
SPEEDS = {"low", "medium", "high", "highm1"}


def cpu_frequency(name: str, value: str | None) -> str:
    """Read ``min[-max[:governor]]`` or a governor."""
    head, colon, governor = (value or "").lower().partition(":")
    low, dash, high = head.partition("-")
    alone = low in GOVERNORS and not dash and not colon
    known = _is_speed(low, SPEEDS) and (not dash or _is_speed(high, SPEEDS)) and (not colon or governor in GOVERNORS)
    if not (alone or known):
        raise UserError(f"Invalid --{name} argument", exit_code=BAD_OPTION)
    return value or ""


def gpu_frequency(name: str, value: str | None) -> dict[str, object]:
    """Read ``[[type=]speed[,type=speed]][,verbose]``; it takes the place of ``--tres-freq``."""
    for item in (value or "").lower().split(","):
        kind, equals, speed = item.rpartition("=")
        if item != "verbose" and not (_is_speed(speed, SPEEDS) and (not equals or kind in ("memory", "graphics"))):
            raise UserError(f"Invalid --{name} argument: gpu:{value}", exit_code=BAD_OPTION)
    return {"tres_freq": f"gpu:{value}"}


def _is_speed(text: str, words: Iterable[str]) -> bool:
    return text.isdecimal() or text in words


_GPU_BIND = re.compile(r"(verbose,)?(none|closest|single:\d+|per_task:\d+|(map|mask)(_gpu)?:\S+)", re.IGNORECASE)


def gpu_binding(name: str, value: str | None) -> dict[str, object]:
    """Read how tasks are bound to GPUs; it takes the place of ``--tres-bind``."""
    if not _GPU_BIND.fullmatch(value or ""):
        raise UserError(f"Invalid --{name} argument: {value}", exit_code=BAD_OPTION)
    return {"tres_bind": f"gres/gpu:{value}"}


_BOTH = "verbose v quiet q none no rank help"
MEMORY_WORDS = set(f"{_BOTH} sort nosort prefer p local".split())
CPU_WORDS = set(f"{_BOTH} rank_ldom sockets cores threads ldoms boards socket core thread ldom".split())


def memory_binding(name: str, value: str | None) -> str:
    """Read how tasks are bound to memory."""
    _binding(name, value or "", MEMORY_WORDS, ("map_mem", "mask_mem"), BAD_OPTION)
    return value or ""


def cpu_binding(name: str, value: str | None) -> str:
    """Read how tasks are bound to CPUs."""
    _binding(name, value or "", CPU_WORDS, ("map_cpu", "mask_cpu", "map_ldom", "mask_ldom"), 1)
    return value or ""


def _binding(name: str, text: str, words: set[str], lists: tuple[str, ...], code: int) -> None:
    """Refuse an unknown word; a comma before a digit belongs to a list of numbers."""
    for item in re.split(r",(?!\d)", text.lower()):
        if item not in words and item.partition(":")[0].partition("=")[0] not in lists:
            raise UserError(f'unrecognized --{name} argument "{item}"', exit_code=code)


HINTS = ("compute_bound", "memory_bound", "multithread", "nomultithread")


HINT_HELP = """\
Application hint options:
    --hint=             Bind tasks according to application hints
        compute_bound   use all cores in each socket
        memory_bound    use only one core in each socket
        [no]multithread [don't] use extra threads with in-core multi-threading
        help            show this help message"""


def hint(name: str, value: str | None) -> str:
    """Read what kind of application it is."""
    for word in re.split(r",(?!\d)", value or ""):
        if word.lower() == "help":
            raise UserError(HINT_HELP, level="plain", stdout=True)
        if word.lower() not in HINTS:
            raise UserError(f'unrecognized --{name} argument "{word}", see --{name}=help')
    return value or ""


LIMITS = ("ALL", "NONE", "AS", "CORE", "CPU", "DATA", "FSIZE", "MEMLOCK", "NOFILE", "NPROC", "RSS", "STACK")


def propagated(name: str, value: str | None) -> str:
    """Read the names of resource limits; nothing means all."""
    for word in filter(None, (value or "").split(",")):
        if word.upper().removeprefix("RLIMIT_") not in LIMITS:
            raise UserError(f"Bad rlimit name: {word}\n--{name}={value} is not valid.")
    return value or ""


def libraries(name: str, value: str | None) -> str:
    """Read whether libraries are sent, too."""
    if value and kinds.yes_no(value) is None and kinds.boolean(value) is None:
        raise invalid(name)
    return value or ""


NODE_DISTRIBUTIONS = {"block": "block", "cyclic": "cyclic", "*": "block"}
INNER_DISTRIBUTIONS = {"block", "cyclic", "fcyclic"}
PACKING = ("pack", "nopack")


def distribution(name: str, value: str | None) -> str:
    """Read how tasks are laid out over nodes, sockets and cores: ``block:cyclic,pack``, ``plane=4``, ``arbitrary``."""
    spec = (value or "").lower()
    found = _plane(spec) if spec.startswith("plane") else _layout(spec)
    if not found:
        raise invalid(name)
    return found


def _plane(spec: str) -> str:
    """Return ``plane=SIZE``, the size from the environment if need be, "" if it is none."""
    _, equals, size = spec.partition("=")
    size = size if equals else os.environ.get("SLURM_DIST_PLANESIZE", "")
    number = numbers.whole(size, numbers.MAX_COUNT + 1)
    return f"plane={number}" if number else ""


def _layout(spec: str) -> str:
    """Return a distribution written out, "" if it is none: what is ``*`` follows from the level above."""
    head, comma, packing = spec.partition(",")
    if head in PACKING and not comma:
        return head
    levels = [level for level in head.split(":") if level]
    if levels in (["arbitrary"], ["hostfile"]):
        levels = ["arbitrary"]
    elif not 1 <= len(levels) <= 3 or levels[0] not in NODE_DISTRIBUTIONS:
        return ""
    else:
        levels[0] = NODE_DISTRIBUTIONS[levels[0]]
        for place, default in enumerate(("cyclic", levels[1] if len(levels) > 1 else ""), 1):
            if levels[place : place + 1] == ["*"]:
                levels[place] = default if default != "*" else "cyclic"
        if not INNER_DISTRIBUTIONS.issuperset(levels[1:]):
            return ""
    if packing and packing not in PACKING:
        return ""
    return ":".join(levels) + (f",{packing}" if packing else "")
