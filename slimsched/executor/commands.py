"""The simple commands of a shell script that run if every command but ``false`` succeeds.

What a test (``if``, ``case``, ``[``) decides cannot be told: neither way counts. The body of a loop counts once, that
of a function does not count.
"""

from __future__ import annotations

from typing import NamedTuple

from slimsched.executor.shell import tokens

ENDS = {"if": "fi", "case": "esac", "for": "done", "while": "done", "until": "done", "select": "done"}
ENDS |= {"(": ")", "{": "}"}
LISTS = ("&&", "||", "|")
UNKNOWN = ("if", "case")
TESTS = ("[", "[[", "test")
LOOPS = frozenset({"for", "while", "until", "select"})
WITHIN = frozenset({"then", "else", "elif", "do", "!", "time"})
PREFIXES = frozenset({"exec", "nohup", "command", "builtin", "env"})


class Command(NamedTuple):
    """A simple command; ``inner``: in a subshell or loop, which an ``exit`` may or may not leave."""

    words: list[str]
    background: bool
    inner: bool


class _Frame(NamedTuple):
    """A compound command that is open: what ends it, whether it is skipped, and whether it is a subshell or loop."""

    end: str
    skipped: bool
    inner: bool


class _Walk:
    """Goes through a script.

    ``before`` is the operator ahead of the present command, ``ok`` how the last one ended (``None``: unknown), ``ran``
    whether it ran; ``naming``: the parentheses of a function's name are open, ``body``: its body follows.
    """

    def __init__(self) -> None:
        self.found: list[Command] = []
        self.frames = [_Frame("", skipped=False, inner=False)]
        self.words: list[str] = []
        self.before = ";"
        self.ok: bool | None = True
        self.ran = True
        self.naming = self.body = False

    def runs(self) -> bool:
        """Whether a command at this place runs."""
        if self.frames[-1].skipped or self.body:
            return False
        return {"&&": self.ok is True, "||": self.ok is False, "|": self.ran}.get(self.before, True)

    def word(self, word: str) -> None:
        """Take a word: of a command, or one that begins or ends a compound one."""
        if self.words:
            self.words.append(word)
        elif word == self.frames[-1].end:
            self._close()
        elif word in ENDS:
            self._open(word)
        elif word == "function":
            self.body = True
        elif word not in WITHIN and not self.body:
            self.words.append(word)

    def operator(self, token: str) -> None:
        """Take an operator."""
        if token == "(":
            self._parenthesis()
        elif token == ")" and self.naming:
            self.naming = False
        else:
            self._end(background=token == "&")
            if token == ")" and self.frames[-1].end == ")":
                self._close()
            elif token != "\n" or self.before not in LISTS:
                self.before = token

    def _parenthesis(self) -> None:
        """Open a subshell, an array (``a=(``), or the parentheses of a function's name."""
        if self.body or (len(self.words) == 1 and not self.words[0].endswith("=")):
            self.naming = self.body = True
            self.words = []
        else:
            self._open("(", skipped=bool(self.words))

    def _open(self, word: str, *, skipped: bool = False) -> None:
        top = self.frames[-1]
        skipped = skipped or word in UNKNOWN or not self.runs()
        self.frames.append(_Frame(ENDS[word], skipped, top.inner or word == "(" or word in LOOPS))
        self.body, self.before = False, ";"

    def _close(self) -> None:
        self.frames.pop()
        self.before = ";"

    def _end(self, *, background: bool) -> None:
        """End the command whose words were read, if there is one."""
        words, self.words = self.words, []
        while words and (words[0] in PREFIXES or _assigns(words[0])):
            del words[0]
        words = _plain(words)
        if not words:
            return
        self.ran = self.runs()
        if self.ran:
            self.found.append(Command(words, background, self.frames[-1].inner))
            self.ok = None if words[0] in TESTS else words[0] != "false"
        self.before = ";"


def _plain(words: list[str]) -> list[str]:
    """Return words up to the first redirection."""
    first = next((i for i, word in enumerate(words) if word.lstrip("0123456789&")[:1] in {">", "<"}), None)
    return words[:first]


def _assigns(word: str) -> bool:
    return word.partition("=")[0].isidentifier() and "=" in word


def commands(script: str) -> list[Command]:
    """Return the commands that run, in their order."""
    walk = _Walk()
    for is_word, text in tokens(script):
        if is_word:
            walk.word(text)
        else:
            walk.operator(text)
    walk.operator("\n")
    return walk.found
