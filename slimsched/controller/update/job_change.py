"""One job's update in the making, and the readers of values that several fields share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from slimsched.controller.submit import text_checks
from slimsched.controller.submit.check import resolve_partitions
from slimsched.errors import SyntaxFault, UserError
from slimsched.text import moments, sizes

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.controller.core import Controller
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job
    from slimsched.model.request import JobRequest

    Reader = Callable[["Change", str], None]


@dataclass(slots=True)
class Change:
    """The job, a trial copy of its request, and what is put off until every field has been found right.

    ``name`` and ``sign`` are of the field that is being read: "+" for ``field+=value``, "-" for ``field-=value``.
    """

    ctl: Controller
    job: Job
    request: JobRequest
    name: str = ""
    sign: str = ""
    later: list[Callable[[], None]] = field(default_factory=list)

    @property
    def partition(self) -> PartitionConf:
        """The first partition that the job asks for."""
        return resolve_partitions(self.ctl.cluster, self.request)[0]

    def invalid(self, text: str) -> UserError:
        """Return the error for a value that cannot be read."""
        return UserError(f"Invalid {self.name} value: {text}")

    def moment(self, text: str) -> int:
        """Return an instant; a bad one leaves the command without any change, as scontrol words it."""
        try:
            return moments.moment(text, self.ctl.cluster.now)
        except SyntaxFault as fault:
            raise UserError(f"{fault.message}\nNo changes specified", level="plain") from None

    def count(self, text: str) -> int:
        """Return a number, with a suffix if need be (``1k``)."""
        try:
            return sizes.count(text)
        except SyntaxFault:
            raise self.invalid(text) from None


def text(attribute: str, most: int = 1024) -> Reader:
    """Return the reader of a text of at most ``most`` bytes."""

    def read(change: Change, value: str) -> None:
        text_checks.length(value, most)
        setattr(change.request, attribute, value)

    return read


def switch(attribute: str) -> Reader:
    """Return the reader of a switch: any number but 0 is a yes."""

    def read(change: Change, value: str) -> None:
        setattr(change.request, attribute, change.count(value) != 0)

    return read


def number(attribute: str) -> Reader:
    """Return the reader of a count."""

    def read(change: Change, value: str) -> None:
        setattr(change.request, attribute, change.count(value))

    return read


def memory(attribute: str, other: str) -> Reader:
    """Return the reader of an amount of memory, which takes the place of the ``other`` way to ask for it."""

    def read(change: Change, value: str) -> None:
        try:
            amount = sizes.memory(value)
        except SyntaxFault:
            raise change.invalid(value) from None
        setattr(change.request, attribute, amount)
        setattr(change.request, other, None)

    return read


def checked(attribute: str, check: Callable[[Change, str], object]) -> Reader:
    """Return the reader of a text that must pass a check; an empty one takes the request back."""

    def read(change: Change, value: str) -> None:
        if value:
            check(change, value)
        setattr(change.request, attribute, value)

    return read
