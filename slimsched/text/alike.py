"""Words that were mistyped: what is spelled like them, and what there is if nothing is.

`difflib` is imported where a word is looked up, because of what it costs.
"""

from __future__ import annotations

from collections.abc import Iterable

_LEAST = 0.7  # of 1: two letters exchanged in a word of four are 0.75
_SHOWN = 8  # names in a list of what there is


def near(word: str, known: Iterable[str]) -> list[str]:
    """Return the words that are most like a mistyped one, capitals and dashes apart, the best first."""
    plain: dict[str, str] = {}
    for name in known:
        plain.setdefault(_plain(name), name)
    if (exact := plain.get(_plain(word))) is not None:
        return [exact]
    if swapped := [name for letters, name in plain.items() if sorted(letters) == sorted(_plain(word))]:
        return swapped[:2]
    from difflib import get_close_matches

    return [plain[name] for name in get_close_matches(_plain(word), plain, n=2, cutoff=_LEAST)]


def unknown(what: str, word: str, known: Iterable[str]) -> str:
    """Return the note on a name that does not exist, with what was meant or what there is."""
    names = sorted(known)
    return f"no {what} {word!r}{meant(word, names) or listed(names)}"


def meant(word: str, known: Iterable[str], lead: str = "") -> str:
    """Return ``; did you mean debug?``, "" if nothing is spelled alike; ``lead`` stands ahead of each word."""
    found = near(word, known)
    return f"; did you mean {' or '.join(lead + name for name in found)}?" if found else ""


def hint(what: str, word: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return the note on a word that nobody knows, if one is spelled like it, else nothing."""
    found = meant(word, known) if word else ""
    return (f"no {what} {word!r}{found}",) if found else ()


def listed(names: list[str]) -> str:
    """Return ``; there are: a, b``."""
    if not names:
        return "; there is none"
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"; there {'is' if len(names) == 1 else 'are'}: {', '.join(names[:_SHOWN])}{more}"


def _plain(word: str) -> str:
    return word.lower().replace("_", "").replace("-", "")
