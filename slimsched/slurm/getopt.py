"""The GNU ``getopt_long`` as Slurm's commands use it, over one table of options.

Reproduced: unambiguous abbreviations of long names, ``--name=value`` and ``--name value``, optional arguments
(only ``--name=value`` or ``-nvalue``), bundled short options, ``--``, and the texts of the C library. A command
either takes options anywhere on its line or, in POSIX order, only ahead of its first plain argument.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slimsched.errors import UserError

HONOURED = "honoured"  # does what Slurm does
LIVE = "live"  # does what Slurm does where jobs really run, and is shown elsewhere
RECORDED = "recorded"  # accepted, and shown where Slurm shows it
REFUSED = "refused"  # known, but refused with a reason
OURS = "ours"  # not an option of the real command

NONE, REQUIRED, OPTIONAL = range(3)


class Option:
    """One line of a command's option table.

    ``arg`` is the argument's name in the help text: "" for none, "[name]" for an optional one. ``name`` is how the
    command asks for it: the long name without dashes. Aliases share a name (``alias_of``). ``note`` says why an
    option is only recorded or is refused. An option of ours is never found by an abbreviation, so that it cannot
    make one of Slurm's abbreviations ambiguous.
    """

    __slots__ = ("arg", "help", "kind", "long", "name", "note", "short", "status")

    def __init__(
        self,
        long: str,
        short: str = "",
        arg: str = "",
        help: str = "",
        status: str = HONOURED,
        note: str = "",
        alias_of: str = "",
    ) -> None:
        self.long, self.short, self.arg, self.help, self.status, self.note = long, short, arg, help, status, note
        self.kind = NONE if not arg else OPTIONAL if arg[0] == "[" else REQUIRED
        self.name = alias_of or long or short

    def __repr__(self) -> str:
        return f"Option({self.long or self.short!r})"


class UsageFault(UserError):
    """A command line that ``getopt_long`` rejects."""

    def __init__(
        self, program: str, problem: str, exit_code: int, hint: bool = True, notes: tuple[str, ...] = ()
    ) -> None:
        said = f'\nTry "{program} --help" for more information' if hint else ""
        super().__init__(f"{program}: {problem}{said}", level="plain", exit_code=exit_code, notes=notes)


class Scanner:
    """One command line on its way through an option table.

    Iterating yields ``(option, value)`` in the order given, ``value`` None without an argument; afterwards
    ``rest`` holds the plain arguments. ``hint``: a refusal also says how to get help.
    """

    hint = True

    def __init__(
        self, program: str, options: Sequence[Option], argv: Sequence[str], *, posix: bool = False, exit_code: int = 1
    ) -> None:
        self.program, self.options, self.posix, self.exit_code = program, options, posix, exit_code
        self.pending = list(argv)
        self.pending.reverse()
        self.rest: list[str] = []
        self.exact = {option.long: option for option in options if option.long}
        self.short = {option.short: option for option in options if option.short}

    def __iter__(self) -> Iterator[tuple[Option, str | None]]:
        """Yield the options; raise `UsageFault` at the first wrong one."""
        pending = self.pending
        while pending:
            word = pending.pop()
            if word == "--":
                break
            if word.startswith("--"):
                yield self._long(word[2:])
            elif word.startswith("-") and word != "-":
                yield from self._bundle(word[1:])
            else:
                self.rest.append(word)
                if self.posix:
                    break
        self.rest.extend(reversed(pending))
        pending.clear()

    def _long(self, word: str) -> tuple[Option, str | None]:
        """Read ``--name`` or ``--name=value``."""
        name, equals, value = word.partition("=")
        option = self.exact.get(name) or self._abbreviated(name, word)
        if equals:
            if option.kind == NONE:
                raise self._fault(f"option '--{option.long}' doesn't allow an argument")
            return option, value
        if option.kind != REQUIRED:
            return option, None
        if not self.pending:
            raise self._fault(f"option '--{option.long}' requires an argument")
        return option, self.pending.pop()

    def _abbreviated(self, name: str, word: str) -> Option:
        """Return the one option whose name begins with ``name``."""
        found = sorted((o for o in self.options if o.status != OURS and o.long.startswith(name)), key=_long_name)
        if not found:
            raise self._fault(f"unrecognized option '--{word}'", self._alike(name))
        if len({option.name for option in found}) > 1:
            listed = " ".join(f"'--{option.long}'" for option in found)
            raise self._fault(f"option '--{word}' is ambiguous; possibilities: {listed}")
        return found[0]

    def _bundle(self, letters: str) -> Iterator[tuple[Option, str | None]]:
        """Read ``-abc``: flags, the last of which may take the rest or the next word as its argument."""
        for place, letter in enumerate(letters):
            option = self.short.get(letter)
            if option is None:
                raise self._fault(f"invalid option -- '{letter}'")
            tail = letters[place + 1 :]
            if option.kind == NONE:
                yield option, None
                continue
            if not tail and option.kind == REQUIRED:
                if not self.pending:
                    raise self._fault(f"option requires an argument -- '{letter}'")
                tail = self.pending.pop()
                yield option, tail
            else:
                yield option, tail or None
            return

    def _fault(self, problem: str, notes: tuple[str, ...] = ()) -> UsageFault:
        return UsageFault(self.program, problem, self.exit_code, self.hint, notes)

    def _alike(self, name: str) -> tuple[str, ...]:
        """Return a note with the options that are spelled like an unknown one."""
        from slimsched.text import alike

        meant = alike.meant(name, self.exact, "--")
        return (f"no option --{name}{meant}",) if meant else ()


def _long_name(option: Option) -> str:
    return option.long
