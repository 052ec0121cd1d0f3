"""The words of a shell script, as far as they can be read without running or expanding anything.

    script = { word | operator }
    operator = newline | ";" | ";;" | "&" | "&&" | "|" | "||" | "(" | ")"

Quotes, backslashes, comments, here-documents and ``$( )`` are understood; what a variable would hold is not.
"""

from __future__ import annotations

from collections.abc import Iterator

OPERATORS = (";;", "&&", "||", ";", "&", "|", "(", ")", "\n")
_SPECIAL = frozenset(";&|()\n \t\r'\"\\#<$`")
_CLOSING = {"(": ")", "{": "}"}


class _Reader:
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
    return _Reader(script).tokens()
