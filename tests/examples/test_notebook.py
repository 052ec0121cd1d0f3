"""The notebook in examples/: its cells run in order, in this process, without Jupyter."""

from __future__ import annotations

import json
from pathlib import Path

NOTEBOOK = Path(__file__).parents[2] / "examples" / "policies.ipynb"


def test_the_cells_run():
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names: dict[str, object] = {}
    for cell in cells:
        exec(compile(cell, str(NOTEBOOK), "exec"), names)

    assert len(names["fifo"]) == len(names["backfill"]) == 150
