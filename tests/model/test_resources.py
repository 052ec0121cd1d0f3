from __future__ import annotations

from types import SimpleNamespace

from slimsched.model import resources


def test_capacity():
    nodes = [SimpleNamespace(cpus=4, real_memory=8000, gres=""), SimpleNamespace(cpus=16, real_memory=1, gres="gpu:2")]

    assert resources.capacity(nodes) == {"cpu": 20, "mem": 8001, "node": 2, "billing": 20, "gres/gpu": 2}
    assert resources.capacity([]) == {"cpu": 0, "mem": 0, "node": 0, "billing": 0}
