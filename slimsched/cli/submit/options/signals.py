"""Readers of signals. See `values` for readers. Source: sbatch(1) ``--signal``, salloc(1) ``--kill-command``."""

from __future__ import annotations

from slimsched.cli.submit.options.values import invalid
from slimsched.text.sizes import strtol


def batch_signal(name: str, value: str | None) -> str:
    """Read ``[[R][B]:]signal[@seconds]`` of a batch job; the text is kept."""
    return _signal(name, value or "", "RBR")


def signal(name: str, value: str | None) -> str:
    """Read ``[R:]signal[@seconds]`` of a job without a batch shell; the text is kept."""
    return _signal(name, value or "", "R")


def _signal(name: str, spec: str, letters: str) -> str:
    if not signal_text(spec, letters):
        raise invalid(name)
    return spec


WARNING = 60  # seconds ahead of the end that a signal comes if nothing is said


def signal_text(spec: str, letters: str = "RBR") -> str:
    """Return ``--signal`` as Slurm writes it, "" if it is wrong; ``letters`` may stand ahead of it, in this order."""
    from slimsched.text import signals

    flags = set()
    for letter in letters:
        if spec[:1].upper() == letter:
            flags.add(letter)
            spec = spec[1:]
    word, at, ahead = spec.removeprefix(":").partition("@")
    number = signals.number(word)
    seconds, rest = strtol(ahead) if at else (WARNING, "")
    if not 0 < number <= 0xFFFF or rest or not 0 <= seconds <= 0xFFFF:
        return ""
    lead = "".join(letter for letter in "RB" if letter in flags)
    return (f"{lead}:" if lead else "") + signals.name(number) + ("" if seconds == WARNING else f"@{seconds}")


def signal_list(name: str, value: str | None) -> str:
    """Read signals by name or number, with commas; return their numbers. Those that end or stop for sure are none."""
    from slimsched.text import signals

    numbers = [signals.number(word) for word in (value or "").split(",")]
    if any(not 0 < number < MOST or number in SURE for number in numbers):
        raise invalid(name)
    return ",".join(map(str, numbers))


MOST = 65
SURE = (9, 19)  # KILL and STOP, which nobody can ignore


def kill_command(name: str, value: str | None) -> str:
    """Read the signal that the command gets when its job ends; nothing means TERM."""
    from slimsched.text import signals

    number = signals.number("TERM" if value is None else value)
    if not number:
        raise invalid(name)
    return signals.name(number)
