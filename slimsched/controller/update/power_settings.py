"""What power saving leaves alone: ``scontrol update SuspendExcNodes=``, ``SuspendExcParts=``, ``SuspendExcStates=``.

``+=`` and ``-=`` add to the present list and take from it. The configuration that is read again takes their place.
Source: scontrol(1), ``update <SuspendExc*>``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.life import power
from slimsched.errors import SlurmError
from slimsched.slurm.errno import Errno
from slimsched.text import hostlist

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.controller.update.fields import KeyValue

COUNTED = "a list with counts (NODES:COUNT) can only be replaced: SuspendExcNodes=LIST"


def update(ctl: Controller, key: str, word: KeyValue) -> None:
    """Set a list, add to it or take from it. Raises `SlurmError` for nodes that do not exist, or counts with ``+=``."""
    text, present = word.text or "", ctl.cluster.config.get(key)
    if key == "SuspendExcNodes":
        if word.sign and ":" in text + present:
            raise SlurmError(Errno.INVALID_NODE_NAME, notes=(COUNTED,))
        _check_nodes(ctl, text)
    if word.sign:
        nodes = key == "SuspendExcNodes"
        old, new = (hostlist.expand(t) if nodes else [w for w in t.split(",") if w] for t in (present, text))
        kept = [name for name in old if name not in new]
        found = [*kept, *new] if word.sign == "+" else kept
        text = hostlist.fold(found) if nodes else ",".join(found)
    cluster = ctl.cluster
    cluster.settings[key] = text
    cluster.config.slurm = {**cluster.config.slurm, key: text}
    cluster.record("setting", key=key, value=text)
    ctl.power.rest()


def _check_nodes(ctl: Controller, text: str) -> None:
    names = ",".join(names for names, _ in power.counted(text))
    try:
        ctl.cluster.bitmap_of(names)
    except (KeyError, ValueError):
        from slimsched.controller.requests import strangers

        raise SlurmError(Errno.INVALID_NODE_NAME, notes=strangers.nodes(ctl.cluster, names)) from None
