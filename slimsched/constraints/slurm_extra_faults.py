"""The diagnosis of a wrong ``--extra`` text and its correction; imported only when there is a fault."""

from __future__ import annotations

from typing import NamedTuple

from slimsched.constraints.slurm_values import JOINTS, OPERATORS, Token
from slimsched.errors import SyntaxFault

_MEANT = {  # what people write -> the operator of the language
    "==": "=",
    "===": "=",
    "=>": ">=",
    "=<": "<=",
    "<>": "!=",
    "!": "!=",
    "!==": "!=",
    "=!": "!=",
    ">>": ">",
    "<<": "<",
}
KNOWN_OPERATORS = "the operators are = != > >= < <="
_JOIN_WORDS = {"and": "&", "or": "|", "AND": "&", "OR": "|"}
_EXAMPLE = "write key, operator and value, for example: load<0.5"


class Place(NamedTuple):
    """The place where the parser stopped."""

    text: str
    tokens: list[Token]
    at: int  # of the token that it could not use, or of the first of a request
    level_start: int
    level_joint: str

    def token(self, ahead: int = 0) -> Token:
        """Return a token ahead (or behind, negative) of the place; ("", end) beyond either end."""
        at = self.at + ahead
        return self.tokens[at] if 0 <= at < len(self.tokens) else ("", len(self.text))

    def fault(self, message: str, token: Token, hint: str = "") -> SyntaxFault:
        """Return the error with its span on ``token``."""
        text, start = token
        return SyntaxFault(message, self.text, (start, start + max(1, len(text))), hint)


def request(place: Place) -> SyntaxFault:
    """Diagnose what should have been ``key operator value``."""
    key, op, value = place.token(0), place.token(1), place.token(2)
    if not key[0] or key[0][0] in ",&|<>=!)":
        return _no_key(place, key)
    if op[0] not in OPERATORS:
        return _no_operator(place, key, op)
    if value[0] == "(":
        return place.fault(
            'a value cannot contain "("', value, f"write the value without parentheses: {key[0]}{op[0]}..."
        )
    return place.fault(f'there is no value after "{op[0]}"', value, "a value is one or more characters")


def _no_key(place: Place, found: Token) -> SyntaxFault:
    before = place.token(-1)[0] if place.at else ""
    if not place.text:
        return place.fault("the expression is empty", found, _EXAMPLE)
    if found[0].startswith("!"):
        return place.fault("there is no negation", found, 'use "!=" inside a request, for example: a!=1')
    if found[0] == ")" and before == "(":
        return place.fault("there is nothing between the parentheses", found, "put a request there, or remove them")
    if found[0] and found[0] not in JOINTS and found[0][0] in "<>=":
        return place.fault(f'there is no key before "{found[0]}"', found, _EXAMPLE)
    where = f'after "{before}"' if before else "at the start"
    shown = f'"{found[0]}"' if found[0] else "the end"
    return place.fault(f"a request is missing {where}, before {shown}", found, _EXAMPLE)


def _no_operator(place: Place, key: Token, found: Token) -> SyntaxFault:
    shown, after = key[0], place.token(-1)[0] if place.at else ""
    if found[0] == "(":
        if shown.isspace():
            hint = 'begin with "(": inside parentheses, white space is part of the key, as in "( a=b)"'
            return place.fault('white space before "(" is read as a key', key, hint)
        if shown.strip() in _JOIN_WORDS:
            return _word_joint(place, key)
        return place.fault('"(" is not allowed in a key', found, 'put "&" or "|" before a group')
    if found[0] and found[0][0] in "<>=!":
        meant = _MEANT.get(found[0])
        hint = f'write "{meant}": {_cut(shown)}{meant}{_cut(place.token(2)[0])}' if meant else KNOWN_OPERATORS
        return place.fault(f'"{found[0]}" is not an operator', found, hint)
    if after == ")":
        return _no_joint_before(place, key)
    return place.fault(f'"{_cut(shown)}" has no operator and no value', key, f"{_EXAMPLE}")


def joint(place: Place) -> SyntaxFault:
    """Diagnose what should have been a joint, a closing parenthesis or the end."""
    found = place.token()
    kind = found[0][:1]
    if not kind:
        opening = place.level_start - 1
        return place.fault('"(" is not closed', ("(", opening), 'add ")" at the end of the group')
    if kind == ")":
        return place.fault('")" has no "(" before it', found, 'remove it, or add "(" at the start of the group')
    if found[0] in JOINTS:
        return _mixed(place, found)
    if kind in ",&|":
        hint = f'write a single "{"|" if "|" in found[0] else kind}" between two requests'
        return place.fault(f'"{found[0]}" does not join requests', found, hint)
    if kind in "<>=!":
        return _second_operator(place, found)
    return _no_joint_before(place, found)


def _mixed(place: Place, found: Token) -> SyntaxFault:
    group = place.text[place.level_start : found[1]]
    message = f'"{found[0]}" after "{place.level_joint}" at the same level of parentheses'
    return place.fault(message, found, f"put one of them in parentheses: ({_cut(group)}){found[0]}...")


def _second_operator(place: Place, found: Token) -> SyntaxFault:
    value = place.token(-1)
    for word, sign in _JOIN_WORDS.items():
        if f" {word} " in value[0]:
            return place.fault(f'"{word}" is part of the value', value, f'join two requests with "{sign}"')
    message = f'a second operator "{found[0]}" in one request'
    if any(c.isspace() or c == ";" for c in value[0].strip()):
        return place.fault(message, found, 'join two requests with "&" or "|"; blanks do not separate them')
    return place.fault(message, found, "a request has one operator; values cannot hold < > = !")


def _word_joint(place: Place, word: Token) -> SyntaxFault:
    sign = _JOIN_WORDS[word[0].strip()]
    return place.fault(f'"{word[0].strip()}" does not join requests', word, f'write "{sign}"')


def _no_joint_before(place: Place, found: Token) -> SyntaxFault:
    if found[0].strip() in _JOIN_WORDS:
        return _word_joint(place, found)
    if found[0].isspace():
        return place.fault('white space after ")" is read as a request', found, "remove it")
    return place.fault(f'no "&" or "|" before "{_cut(found[0])}"', found, 'join requests and groups with "&" or "|"')


def _cut(text: str, length: int = 30) -> str:
    return text if len(text) <= length else text[: length - 3] + "..."
