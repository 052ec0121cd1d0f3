"""The signals that Slurm knows by name. Source: scancel(1) and sbatch(1), ``--signal``."""

from __future__ import annotations

from slimsched.text.sizes import strtol

NUMBERS = {
    "HUP": 1, "INT": 2, "QUIT": 3, "ABRT": 6, "KILL": 9, "ALRM": 14, "TERM": 15, "USR1": 10, "USR2": 12, "URG": 23,
    "CONT": 18, "STOP": 19, "TSTP": 20, "TTIN": 21, "TTOU": 22, "XCPU": 24,
}  # fmt: skip


def number(word: str) -> int:
    """Return the number of a signal by name (``USR1``, ``SIGUSR1``) or number, 0 if it is none."""
    found, rest = strtol(word)
    if rest != word:
        return 0 if rest.strip() else found
    return NUMBERS.get(word.strip().upper().removeprefix("SIG"), 0)


def name(signal: int) -> str:
    """Return the name of a signal, or its number if Slurm has no name for it."""
    return next((word for word, known in NUMBERS.items() if known == signal), str(signal))
