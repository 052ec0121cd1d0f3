"""The simple commands of a shell script that run if every command but ``false`` succeeds.

What ``if`` and ``case`` decide cannot be told: neither way counts. Nor can a test (``[``), unless it asks only how
often the job was requeued (`conditions`). The body of a loop counts once, that of a function does not count. The words
are read without running or expanding anything:

    script = { word | operator }
    operator = newline | ";" | ";;" | "&" | "&&" | "|" | "||" | "(" | ")"

Quotes, backslashes, comments, here-documents and ``$( )`` are understood; what a variable would hold is not.
"""

from __future__ import annotations

from collections.abc import Iterator

from slimsched.model.record import Record, Value

OPERATORS = (";;", "&&", "||", ";", "&", "|", "(", ")", "\n")
_SPECIAL = frozenset(";&|()\n \t\r'\"\\#<$`")
_CLOSING = {"(": ")", "{": "}"}


class _Words:
    """Reads one script; ``at`` is the next character, ``ends`` the delimiters of here-documents to come."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.ends: list[str] = []

    def tokens(self) -> Iterator[tuple[bool, str]]:
        """Yield words (true) and operators (false)."""
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in " \t\r":
                self.at += 1
            elif char == "#":
                self._skip_to("\n")
            elif self.text.startswith("\\\n", self.at):
                self.at += 2
            elif (found := self._operator()) is not None:
                yield False, found
            elif word := self._word():
                yield True, word

    def _operator(self) -> str | None:
        found = next((each for each in OPERATORS if self.text.startswith(each, self.at)), None)
        if found is None or (found == "&" and self.text.startswith("&>", self.at)):
            return None
        self.at += len(found)
        if found == "\n":
            self._here_documents()
        return found

    def _word(self) -> str:
        """Read a word; a redirection and its target are skipped and are not a word."""
        parts: list[str] = []
        begin = self.at
        while self.at < len(self.text):
            char = self.text[self.at]
            if char not in _SPECIAL or char == "#":
                self.at += 1
                parts.append(char)
            elif char == "<" and self.text.startswith("<<", self.at) and not self.text.startswith("<<<", self.at):
                self._here()
                break
            elif char in "&<" and (char == "<" or self.at == begin or self.text[self.at - 1] in "<>"):
                self.at += 1  # of a redirection: &>, >&, <&, <
                parts.append(char)
            elif char in " \t\r\n;&|()":
                break
            else:
                parts.append(self._quoted(char))
        return "".join(parts)

    def _quoted(self, char: str) -> str:
        """Read what follows a quote, a backslash or a dollar."""
        begin = self.at
        self.at += 1
        if char == "\\":
            self.at += 1
            taken = self.text[begin + 1 : self.at]
            return "" if taken == "\n" else taken
        if char == "$":
            opening = self.text[self.at : self.at + 1]
            if opening in _CLOSING:
                self._skip_nested(opening)
            return self.text[begin : self.at]
        self._skip_to(char, escapes=char != "'")
        self.at += 1
        return self.text[begin + 1 : self.at - 1]

    def _skip_to(self, char: str, *, escapes: bool = False) -> None:
        while self.at < len(self.text) and self.text[self.at] != char:
            self.at += 2 if escapes and self.text[self.at] == "\\" else 1

    def _skip_nested(self, opening: str) -> None:
        closing, depth = _CLOSING[opening], 0
        while self.at < len(self.text):
            char = self.text[self.at]
            depth += {opening: 1, closing: -1}.get(char, 0)
            self.at += 1
            if not depth:
                return
            if char in "'\"":
                self._skip_to(char, escapes=char == '"')
                self.at += 1

    def _here(self) -> None:
        """Note the delimiter of a here-document."""
        self.at += 3 if self.text.startswith("<<-", self.at) else 2
        while self.text[self.at : self.at + 1] in {" ", "\t"}:
            self.at += 1
        begin = self.at
        while self.at < len(self.text) and self.text[self.at] not in " \t\r\n;&|()<>":
            self.at += 1
        self.ends.append(self.text[begin : self.at].strip("'\"\\"))

    def _here_documents(self) -> None:
        """Skip the bodies of the here-documents that the last line began."""
        for end in self.ends:
            while self.at < len(self.text):
                begin = self.at
                self._skip_to("\n")
                self.at += 1
                if self.text[begin : self.at].strip() == end:
                    break
        self.ends.clear()


def tokens(script: str) -> Iterator[tuple[bool, str]]:
    """Yield the words (true) and operators (false) of a script."""
    return _Words(script).tokens()


ENDS = {"if": "fi", "case": "esac", "for": "done", "while": "done", "until": "done", "select": "done"}
ENDS |= {"(": ")", "{": "}"}
LISTS = ("&&", "||", "|")
UNKNOWN = ("if", "case")
TESTS = {"[": "]", "[[": "]]", "test": ""}
"""Command that tests -> the word that ends it."""
LOOPS = frozenset({"for", "while", "until", "select"})
WITHIN = frozenset({"then", "else", "elif", "do", "time"})
PREFIXES = frozenset({"exec", "nohup", "command", "builtin", "env"})


class Command(Value, frozen=True):
    """A simple command; ``inner``: in a subshell or loop, which an ``exit`` may or may not leave."""

    words: list[str]
    background: bool
    inner: bool


class _Frame(Record):
    """A compound command that is open: what ends it, whether it is skipped, and whether it is a subshell or loop."""

    end: str
    skipped: bool
    inner: bool


class _Walk:
    """Goes through a script.

    ``before`` is the operator ahead of the present command, ``ok`` how the last one ended (``None``: unknown), ``ran``
    whether it ran; ``naming``: the parentheses of a function's name are open, ``body``: its body follows;
    ``negated``: a ``!`` turns how the present command ends.
    """

    def __init__(self, restarts: int) -> None:
        self.restarts = restarts
        self.found: list[Command] = []
        self.frames = [_Frame("", skipped=False, inner=False)]
        self.words: list[str] = []
        self.before = ";"
        self.ok: bool | None = True
        self.ran = True
        self.naming = self.body = self.negated = False

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
        elif word == "!":
            self.negated = not self.negated
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
            ok = self._tested(words) if words[0] in TESTS else words[0] != "false"
            self.ok = None if ok is None else ok is not self.negated
        self.negated = False
        self.before = ";"

    def _tested(self, words: list[str]) -> bool | None:
        """Return how a test ends, None if that cannot be told."""
        from slimsched.executor import conditions  # few scripts ask how often they were requeued

        return conditions.outcome(words[1:], TESTS[words[0]], self.restarts)


def _plain(words: list[str]) -> list[str]:
    """Return words up to the first redirection."""
    first = next((i for i, word in enumerate(words) if word.lstrip("0123456789&")[:1] in {">", "<"}), None)
    return words[:first]


def _assigns(word: str) -> bool:
    return word.partition("=")[0].isidentifier() and "=" in word


def commands(script: str, restarts: int = 0) -> list[Command]:
    """Return the commands that run, in their order, in a job that was requeued so often."""
    walk = _Walk(restarts)
    for is_word, text in tokens(script):
        if is_word:
            walk.word(text)
        else:
            walk.operator(text)
    walk.operator("\n")
    return walk.found
