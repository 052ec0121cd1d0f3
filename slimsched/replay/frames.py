"""Tables of a run as Parquet files (the extra ``frames``), column by column the same as the CSV."""

from __future__ import annotations

import os
from typing import get_type_hints

from slimsched.errors import UserError
from slimsched.replay.rows import NodeRow, Row


def check() -> None:
    """Raise `UserError` where pyarrow is not installed."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise UserError(
            "--parquet needs pyarrow: pip install 'slimsched[frames]'; --out DIR alone writes CSV"
        ) from None


def write(path: str, kind: type[Row] | type[NodeRow]) -> None:
    """Write ``jobs.parquet`` beside ``jobs.csv``, block by block."""
    import pyarrow
    from pyarrow import csv, parquet

    types = {name: pyarrow.int64() if hint is int else pyarrow.string() for name, hint in get_type_hints(kind).items()}
    convert = csv.ConvertOptions(column_types=types, strings_can_be_null=False)
    made = f"{os.path.splitext(path)[0]}.parquet"
    draft = f"{made}.new"
    options = csv.ParseOptions(newlines_in_values=True)
    with (
        csv.open_csv(path, convert_options=convert, parse_options=options) as blocks,
        parquet.ParquetWriter(draft, blocks.schema) as out,
    ):
        for block in blocks:
            out.write_batch(block)
    os.replace(draft, made)
