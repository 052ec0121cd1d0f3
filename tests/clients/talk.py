"""What a program asks of Slurm, and how it reads the answers."""

from __future__ import annotations

import json
import os
import pwd
import re
import shlex
from typing import Any

CHECKS = {"stdout", "find", "finds", "rows", "json", "lacks"}


class Talk:
    """One program's commands; ``known`` are the texts that stand for ``{name}``."""

    def __init__(self, sim: Any, *, chatty: bool = False) -> None:
        self.sim = sim
        self.chatty = chatty  # what it writes on standard error is its own affair
        self.known = {"user": pwd.getpwuid(os.getuid()).pw_name, "uid": str(os.getuid()), "cwd": str(sim.cwd)}

    def fill(self, value: Any) -> Any:
        """Return a value with the known texts in it."""
        if isinstance(value, list):
            return [self.fill(item) for item in value]
        if not isinstance(value, str):
            return value
        for name, text in self.known.items():
            value = value.replace(f"{{{name}}}", text)
        return value

    def ask(self, line: dict[str, Any]) -> None:
        """Run one command, and read its answer as the program does."""
        wanted = {key: self.fill(value) for key, value in line.items() if key != "env"}
        if "after" in wanted:
            self.sim("advance", wanted["after"])
        answer = self.sim.run(*shlex.split(wanted["run"]), stdin=wanted.get("stdin", ""), env=line.get("env"))
        seen = answer.out
        expected = wanted.get("stderr", answer.err if self.chatty else "")
        assert (answer.code, answer.err) == (wanted.get("code", 0), expected), (wanted["run"], seen, answer.err)
        assert wanted.get("stdout", seen) == seen, (wanted["run"], seen, answer.err)
        for pattern in (*wanted.get("finds", ()), *([wanted["find"]] if "find" in wanted else [])):
            found = re.search(pattern, seen, re.MULTILINE)
            assert found, (wanted["run"], pattern, seen)
            self.known.update({key: text for key, text in found.groupdict().items() if text is not None})
        assert not [text for text in wanted.get("lacks", ()) if text in seen], (wanted["run"], seen)
        if "rows" in wanted:
            lines = seen.splitlines()[wanted.get("skip", 0) :]
            assert [re.split(wanted["split"], row) if "split" in wanted else row.split() for row in lines] == wanted[
                "rows"
            ], (wanted["run"], seen)
        for path, value in wanted.get("json", ()):
            assert _at(json.loads(seen), path) == value, (wanted["run"], path, seen)


def _at(value: Any, path: str) -> Any:
    for key in path.split("."):
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value
