"""The words behind ``sacctmgr COMMAND ENTITY``.

words  = { "where" | "set" | word }
word   = name                          a name of the entity, or a flag such as "withassoc"
       | name ( "=" | "+=" | "-=" ) value
"""

from __future__ import annotations

from slimsched.controller import account_options as options
from slimsched.controller.accounts import Request
from slimsched.errors import UserError

ENTITIES = {
    "account": "account",
    "association": "assoc",
    "cluster": "cluster",
    "configuration": "configuration",
    "coordinator": "coordinator",
    "events": "event",
    "problem": "problem",
    "qos": "qos",
    "runawayjobs": "runawayjobs",
    "stats": "stats",
    "tres": "tres",
    "user": "user",
}
"""Words of which a beginning names an entity, and a plural too."""

FLAGS = frozenset(
    {"tree", "withassoc", "withcoordinators", "withdeleted", "ordered", "onlydefaults", "wopinfo", "wopinheritance",
     "woplimits", "rawqos", "withrawqoslevel", "withsubaccounts", "withclusters"}
)  # fmt: skip


def entity(word: str) -> str:
    """Return the entity that a word names; raises `UserError`."""
    lowered = word.lower()
    for name, kind in ENTITIES.items():
        if lowered and (name.startswith(lowered) or lowered in (f"{name}s", f"{name}es")):
            return kind
    raise UserError(f"No valid entity in command\nInput line must include, {'; '.join(ENTITIES)}", level="plain")


class Words:
    """The words of one command, read for an entity. ``flags`` and ``format`` are those of ``show``."""

    def __init__(self, kind: str, words: list[str], *, setting: bool) -> None:
        self.request = Request(kind)
        self.kind, self.flags, self.format = kind, set[str](), ""
        self.table = options.TABLES.get(kind, ())
        part = ""
        for word in words:
            if word.lower() in {"where", "set"}:
                part = word.lower()
            else:
                self._take(word, part or ("set" if setting else "where"), setting=setting)

    def _take(self, word: str, part: str, *, setting: bool) -> None:
        name, equals, value = word.partition("=")
        if not equals:
            self._bare(word)
            return
        operator = "="
        if name[-1:] in "+-" and name:
            name, operator = name[:-1], name[-1] + "="
        if name.lower() == "format":
            self.format = ",".join(filter(None, (self.format, value)))
            return
        place = options.find(options.NAMES, name)
        option = options.find(self.table, name)
        if part == "set" and option is not None and not (place is not None and setting and option.name == place.name):
            self.request.settings.append((option, operator, value))
        elif place is not None:
            self.request.where.setdefault(place.name, []).extend(filter(None, value.strip("\"'").split(",")))
        elif option is not None:
            raise UserError(f" Can't choose by {option.name}", level="plain")
        else:
            raise UserError(f" Unknown option: {word}\n Use keyword 'where' to modify condition", level="plain")

    def _bare(self, word: str) -> None:
        lowered = word.lower()
        flag = next((flag for flag in sorted(FLAGS) if len(lowered) > 3 and flag.startswith(lowered)), None)
        if flag is not None:
            self.flags.add(flag)
        else:
            self.request.where.setdefault("names", []).extend(filter(None, word.split(",")))
