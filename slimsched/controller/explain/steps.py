"""Steps from all nodes to those that a job can have in one partition, each a set of nodes.

A step is a rule of the scheduling pass as it stands for one job, or what only an explanation looks at node by node:
their hardware, what is free of them, and for whom they are kept. For a node that fails it, it says what the node has
and what was wanted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from slimsched.controller.core import Controller
    from slimsched.controller.schedule.node_rules import Rule, Words
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job


class Step:
    """One step: the nodes that pass it by themselves, and in words why another (given by index) does not."""

    __slots__ = ("asked", "lasting", "name", "nodes", "words")

    def __init__(self, name: str, asked: str, nodes: int, words: Words, *, lasting: bool = False) -> None:
        self.name, self.asked, self.nodes, self.words, self.lasting = name, asked, nodes, words, lasting


def left_after(steps: list[Step]) -> int:
    """Return the nodes that pass all of some steps."""
    mask = -1
    for step in steps:
        mask &= step.nodes
    return max(mask, 0)


def explained(rules: Iterable[Rule], ctl: Controller, job: Job, part: PartitionConf) -> list[Step]:
    """Return the steps of the rules that concern a job: those it asks for, and those that rule out nodes."""
    found: list[Step] = []
    left = -1
    for rule in rules:
        text = rule.text(ctl, job, part)
        if text is None:
            continue
        nodes = rule.nodes(ctl, job, part)
        if text or left & ~nodes:
            found.append(Step(rule.name, text, nodes, rule.words(ctl, job, part), lasting=rule.lasting))
        left &= nodes
    return found
