"""Writes the lists of fields in ``docs/plugins.md`` from the classes, and the arguments of the select functions.

python docs/generate_plugins.py [--check]      --check: write nothing, exit 1 if the page is out of date
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from regions import replaced, settle, table

from slimsched.model.job import Job, Step
from slimsched.model.node import Node
from slimsched.model.request import JobRequest
from slimsched.model.reservation import Reservation
from slimsched.select.api import JobTest, SelectPlugin

PAGE = Path(__file__).with_name("plugins.md")
MARKS = ("<!-- {}: made by generate_plugins.py -->", "<!-- end of {} -->")
FIELD = re.compile(r"^    (\w+): ([^=#]+?)(?: = [^#]+?)?(?:  # (.*))?$")


def main(argv: Sequence[str]) -> int:
    """Bring the page up to date."""
    text = PAGE.read_text(encoding="utf-8")
    text = replaced(text, "fields", fields(), *MARKS)
    text = re.sub(r"^(\| `(\w+)` \| )`\([^`]*`: ", _with_arguments, text, flags=re.MULTILINE)
    check = "--check" in argv
    return 0 if settle(PAGE, text, check) or not check else 1


def _with_arguments(row: re.Match[str]) -> str:
    return f"{row[1]}`{arguments(row[2])}`: "


def arguments(name: str) -> str:
    """Return the arguments and the answer of a select function, without ``self``."""
    text = str(inspect.signature(getattr(SelectPlugin, name))).replace("'", "").replace(" | ", " or ")
    return re.sub(r"^\(self(, )?", "(", text).removesuffix(" -> None")


def fields() -> str:
    """Return what a plugin reads of a job, its request, its steps, a node, a reservation and a question."""
    parts = [_records("`Job` (`slimsched.model.job`)", Job), _records("`JobRequest`: `job.request`", JobRequest)]
    parts += [_records("`Step`: `job.steps`", Step), _records("`Reservation`", Reservation)]
    names = ", ".join(f"`{name}`" for name in Node.__slots__)
    asked = ", ".join(f"`{name}`" for name in JobTest.__slots__)
    parts.append(f"`Node` (`slimsched.model.node`; memory and disk in MB): {names}.\n")
    parts.append(f"`JobTest`: {asked}.\n")
    return "\n" + "\n".join(parts) + "\n"


def _records(title: str, record: type) -> str:
    """Return a table of a record's fields, from its source."""
    found = [match for line in inspect.getsource(record).splitlines() if (match := FIELD.match(line))]
    rows = [(f"`{match[1]}`", match[2].replace(" | ", " or "), match[3] or "") for match in found]
    return f"{title}:\n\n{table(('field', 'type', ''), rows)}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
