"""Arithmetic of the shell, ``$((SLURM_ARRAY_TASK_ID - 1))``, where all it needs is the task's number."""

from __future__ import annotations

import operator
from collections.abc import Callable

TASK_ID = "SLURM_ARRAY_TASK_ID"
LONGEST = 64
"""Letters of an expression that is read."""
MOST = 1 << 63


def rule(word: str) -> str:
    """Return the expression of a word ``$((...))``, or of the variable alone, if it asks for the task; else ""."""
    inner = word[3:-2] if word.startswith("$((") and word.endswith("))") else word if word.startswith("$") else ""
    text = inner.replace("${" + TASK_ID + "}", TASK_ID).replace("$" + TASK_ID, TASK_ID).strip()
    return text if TASK_ID in text and value(text, 0) is not None else ""


def value(text: str, task: int) -> int | None:
    """Return what an expression of whole numbers gives for a task, None if it cannot be told."""
    import ast

    try:
        tree = ast.parse(text, mode="eval") if len(text) <= LONGEST else None
        return None if tree is None else _value(tree.body, task)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError):
        return None


def _value(node: object, task: int) -> int:
    """Return what a part of an expression gives; raises `ValueError` for what is no arithmetic of whole numbers."""
    import ast

    match node:
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            return number
        case ast.Name(id=name) if name == TASK_ID:
            return task
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, task)
        case ast.BinOp(left=left, op=op, right=right) if how := OPERATORS.get(type(op).__name__):
            found = how(_value(left, task), _value(right, task))
            if abs(found) < MOST:
                return found
    raise ValueError(type(node).__name__)


def _divided(a: int, b: int) -> int:
    """Return a quotient cut towards zero, as the shell cuts it."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


OPERATORS: dict[str, Callable[[int, int], int]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": _divided,
    "Mod": lambda a, b: a - _divided(a, b) * b,
}
