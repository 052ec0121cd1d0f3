"""The words of ``sacctmgr COMMAND ENTITY``: each may be abbreviated to as few letters as Slurm takes.

words  = { "where" | "set" | word }
word   = name                          a name of the entity, or a flag such as "withassoc"
       | name ( "=" | "+=" | "-=" ) value
"""

from __future__ import annotations

from typing import NamedTuple

from slimsched.controller.accounts import options, values
from slimsched.controller.accounts.where import Request
from slimsched.errors import UserError
from slimsched.slurm.words import QUOTES, find

COMMANDS = (
    *("associations:3", "dump:3", "help:2", "load:2", "oneliner:1", "quiet:4", "exit:4", "\\q:2", "quit:4", "add:3"),
    *("create:3", "archive:3", "clear:3", "show:3", "list:3", "modify:1", "update:1", "delete:3", "remove:3"),
    *("verbose:4", "ping:4", "readonly:4", "reconfigure:4", "rollup:2", "shutdown:4", "version:4"),
)
"""Commands with their fewest letters, in the order in which an abbreviation is looked up."""
SYNONYMS = {"create": "add", "list": "show", "update": "modify", "remove": "delete", "\\q": "exit", "quit": "exit"}

ENTITIES = {
    "show": (
        "Accounts:2:account Acct:4:account Associations:2:assoc Clusters:2:cluster Configuration:2:configuration "
        "Events:1:event Federation:1:federation Instances:1:instance Problems:1:problem "
        "RunawayJobs:2:runaway OrphanJobs:1:runaway LostJobs:1:runaway QOS:1:qos Resource:4:resource "
        "Reservations:4:reservation Resv:4:reservation Stats:1:stats Transactions:1:txn Txn:1:txn Users:1:user "
        "WCKeys:1:wckey TRES:2:tres"
    ),
    "add": (
        "Account:1:account Acct:4:account Cluster:2:cluster Coordinator:2:coordinator Federation:1:federation "
        "QOS:1:qos Resource:1:resource User:1:user"
    ),
    "modify": (
        "Accounts:1:account Acct:4:account Clusters:5:cluster Federation:1:federation Job:1:job QOSs:1:qos "
        "Resource:1:resource Users:1:user"
    ),
    "delete": (
        "Accounts:1:account Acct:4:account Clusters:2:cluster Coordinators:2:coordinator Federations:1:federation "
        "QOS:2:qos Resource:1:resource Users:1:user"
    ),
    "archive": "dump:1:dump load:1:load",
    "clear": "Stats:1:stats",
}
"""Command -> its entities: the spelling, the fewest letters, and the kind of record."""
VALID = {
    "show": (
        'Input line must include "Account", "Association", "Cluster", "Configuration",\n'
        '"Event", "Federation", "Problem", "QOS", "Resource", "Reservation",\n'
        '"RunAwayJobs", "Stats", "Transaction", "TRES", "User", or "WCKey"'
    ),
    "add": 'Input line must include "Account", "Cluster", "Coordinator", "Federation", "QOS", "Resource", or "User"',
    "modify": 'Input line must include "Account", "Cluster", "Federation", "Job", "QOS", "Resource" or "User"',
    "delete": 'Input line must include "Account", "Cluster", "Coordinator", "Federation", "QOS", "Resource", or "User"',
    "archive": 'Input line must include, "Dump", or "load"',
    "clear": 'Input line must include "Stats"',
}
FLAGS = (
    *("WithAssoc:5", "WithCoordinators:5", "WithDeleted:5", "WithRawQOSLevel:5", "WithSubAccounts:5", "WithClusters:5"),
    *("WOPInfo:4", "WOPLimits:4", "WOLimits:3", "OnlyDefaults:2", "Tree:4", "All_Clusters:5", "All_Time:5"),
    *("Ordered:4",),
)
"""Words that stand alone and say what to show."""
WHERE, SET = "\n Use keyword 'where' to modify condition", "\n Use keyword 'set' to modify {}"
UNADVISED = ("assoc", "event", "problem", "runaway", "txn")
CONDITIONS = {"qos": SET.format("SLURM_PRINT_VALUE"), **dict.fromkeys(UNADVISED, "")}
"""Kind of record -> what follows the message about an unknown condition, if it is not the usual text."""
ON_STDOUT = frozenset({"qos", "resource"})
"""Kinds of records whose unknown options are told on standard output."""
QOS_NAMES = (options.Option("Names", 1), options.Option("QOSLevel", 1))
LOWERED = frozenset({"names", "users", "accounts", "parents", "qos"})
"""Conditions whose names are made lower case."""


class Named(NamedTuple):
    """A word, the fewest letters that are enough, and what it means."""

    name: str
    letters: int
    means: str

    @classmethod
    def of(cls, line: str) -> Named:
        """Return the word of a line ``NAME:LETTERS:MEANS``; without the last its name is what it means."""
        name, letters, *rest = line.split(":")
        return cls(name, int(letters), rest[0] if rest else name.lower())


def _match(table: tuple[str, ...], word: str) -> str | None:
    """Return the meaning of the first line that a word begins with enough letters, None for no line."""
    found = find([Named.of(line) for line in table], word)
    return found.means if found else None


def command(word: str) -> str | None:
    """Return the command that a word names, ``None`` if it is none."""
    found = _match(COMMANDS, word)
    return SYNONYMS.get(found, found) if found else None


def entity(verb: str, word: str) -> str:
    """Return the kind of record that a word behind a command names; raises `UserError`."""
    kind = _match(tuple(ENTITIES[verb].split(" ")), word) if word else None
    if kind is None:
        name = {"show": "list", "clear": "list"}.get(verb, verb)
        from slimsched.text import alike

        known = [Named.of(line).name for line in ENTITIES[verb].split(" ")]
        raise UserError(
            f"No valid entity in {name} command\n{VALID[verb]}", level="plain", notes=alike.hint("entity", word, known)
        )
    return kind


def following(words: list[str]) -> list[str]:
    """Return what may follow some words of a command line: a command, or an entity."""
    if not words:
        return [line.partition(":")[0] for line in COMMANDS]
    found = ENTITIES.get(command(words[0]) or "", "") if len(words) == 1 else ""
    return [line.partition(":")[0].lower() for line in found.split(" ") if line]


class Words:
    """The words of one command, read for a kind of record. ``flags`` and ``format`` are those of ``show``.

    ``faults``: what is wrong with them, in their order. Those with an exit code refuse the command; the others only
    leave out an option. ``format`` is None if none was given.
    """

    def __init__(self, verb: str, kind: str, words: list[str]) -> None:
        self.request = Request(kind)
        self.verb, self.kind, self.flags = verb, kind, set[str]()
        self.format: str | None = None
        self.faults: list[UserError] = []
        self.places = options.ADDED.get(kind, ()) if verb == "add" else options.PLACES.get(kind, ())
        setting = verb == "add"
        for word in words:
            if word.lower() == "where" or (word.lower() == "set" and verb in {"modify", "add"}):
                setting = setting if verb == "add" else word.lower() == "set"
            elif setting:
                self._set(word)
            else:
                self._choose(word)
        if verb == "modify" and not self.request.settings and not self.refused:
            self._refuse(" You didn't give me anything to set")

    @property
    def refused(self) -> bool:
        """Whether something is so wrong that nothing must be done."""
        return any(fault.exit_code for fault in self.faults)

    def _refuse(self, text: str, *, stdout: bool = False, notes: tuple[str, ...] = ()) -> None:
        self.faults.append(UserError(text, level="plain", stdout=stdout, notes=notes))

    def _unknown(self, word: str) -> None:
        follows = "" if self.verb == "add" and self.kind == "user" else WHERE
        from slimsched.text import alike

        known = [option.name for option in options.TABLES.get(self.kind, ())]
        notes = alike.hint("option", _split(word)[0], known)
        self._refuse(f" Unknown option: {word}{follows}", stdout=self.kind in ON_STDOUT, notes=notes)

    def _choose(self, word: str) -> None:
        """Read a word of the ``where`` part."""
        name, equals, value = _split(word)
        flag = None if equals else _match(FLAGS, word)
        if flag is not None:
            self.flags.add(flag)
        elif not equals:
            self._name(self.places[0].key if self.places else "names", word)
        elif self.verb == "show" and "format".startswith(name.lower()) and name:
            self.format = ",".join(each for each in (self.format, value.strip(QUOTES)) if each is not None)
        elif (place := find(self.places, name)) is not None:
            self._name(place.key, value)
        else:
            from slimsched.text import alike

            notes = alike.hint("condition", name, [each.name for each in self.places])
            self._refuse(f" Unknown condition: {word}{CONDITIONS.get(self.kind, SET.format('value'))}", notes=notes)

    def _set(self, word: str) -> None:
        """Read a word of the ``set`` part, or of ``add``."""
        name, operator, value = _split(word)
        place = find(self.places, name) if self.verb == "add" and operator else None
        option = find(options.TABLES.get(self.kind, ()), name) if operator else None
        if self.verb == "add" and not operator:
            self._name("names", word)
        elif place is not None:
            self._name(place.key, value)
        elif self.kind == "qos" and operator and find(QOS_NAMES, name):
            pass  # the name of a QOS is not changed, and nobody says so
        elif option is not None:
            self._assign(option, operator, value, word)
        elif self.kind == "account" and (not operator or find(options.ADDED["account"], name)):
            what = "cluster" if "clusters".startswith(name.lower()) else "name"
            self._refuse(f" Can't modify the {what} of an account")
        elif not operator and self.kind != "qos":
            self._refuse(f" Bad format on {word}: End your option with an '=' sign")
        elif operator:
            self._unknown(word)

    def _assign(self, option: options.Option, operator: str, value: str, word: str) -> None:
        """Note a setting, or what is wrong with it; of resources Slurm says so, and then sets nothing."""
        try:
            values.assign({}, option, operator, value, word)
        except UserError as fault:
            self.faults.append(fault)
            if option.kind is values.TRES:
                self.request.settings.append((option, "+=", ""))
            elif self.kind != "qos" and option in options.ASSOCIATION:
                self._unknown(word)
        else:
            self.request.settings.append((option, operator, value))

    def _name(self, place: str, text: str) -> None:
        lowered = place in LOWERED and self.kind in options.LOWERED
        names = filter(None, (text.lower() if lowered else text).strip(QUOTES).split(","))
        self.request.where.setdefault(place, []).extend(names)


def _split(word: str) -> tuple[str, str, str]:
    """Return name, operator and value of a word; one that stands alone has neither of the last two."""
    name, equals, value = word.partition("=")
    if not equals:
        return word, "", ""
    if name[-1:] in {"+", "-"}:
        return name[:-1], name[-1] + "=", value
    return name, "=", value
