"""The base of the rows of tables: immutable, with fields by name.

Every command builds the tables when it starts. A class derived from `Row` is made in a twentieth of the time of a
``NamedTuple``, which compiles each annotation and a ``__new__``; ``mypy`` reads both alike.
"""

from __future__ import annotations

from typing import Any, NoReturn, Self, dataclass_transform


@dataclass_transform(frozen_default=True)
class Row:
    """Base class; fields are the annotated names of the subclass, a value beside one is its default."""

    def __init__(self, *values: Any, **named: Any) -> None:
        self.__dict__.update(zip(self.__annotations__, values), **named)  # noqa: B905 - the rest are defaults

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: commands share the rows."""
        raise AttributeError(f"{self!r}: a row does not change")

    def replaced(self, **changes: Any) -> Self:
        """Return a row with other values in some fields."""
        return type(self)(**{**vars(self), **changes})

    def __repr__(self) -> str:
        """Return the class and the values that are given."""
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"
