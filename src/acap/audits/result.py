"""The file that an audit writes: the rows of its parts as one, in their order.

The laws of this module:

1. What stands where the result is to be is replaced by a finished result alone, in one step. A part of one takes the
   place of nothing, or of an earlier part of the same audit; otherwise it lies among the parts.
2. Of an audit that has judged nothing there is no part.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from acap.audits.part import put, sync

PARTIAL: Final = "partial"
"""The name of what a result says in its metadata: whether it is a part of one."""

PARTIAL_FILES: Final = "partial.*"
"""What is kept of a part in the directory of the parts."""


_TIMES: Final = ("fetch_time", "policy_time")


def write_result(out: Path, schema: pa.Schema, about: Mapping[str, Any], rows: Iterable[Path], directory: Path) -> None:
    """Writes files of rows as one, whole or not at all; until it is whole it lies in the directory. Raises OSError."""
    making = directory / f"result.making{os.getpid()}"
    metadata = {"acap": json.dumps(about, sort_keys=True)}
    try:
        with pq.ParquetWriter(making, schema.with_metadata(metadata), compression="zstd") as writer:
            for file in rows:
                with pq.ParquetFile(file) as part:
                    for group in range(part.num_row_groups):
                        # A group is so small that several threads take longer, and each keeps memory of its own.
                        writer.write_table(part.read_row_group(group, use_threads=False))
        sync(making)
        making.replace(out)
    finally:
        making.unlink(missing_ok=True)


def times_of(out: Path) -> dict[str, tuple[str, str]]:
    """The first and the last instant of each column of times of a result that has any, as they are written."""
    bounds: dict[str, list[Any]] = {}
    with pq.ParquetFile(out) as file:
        for group in map(file.metadata.row_group, range(file.metadata.num_row_groups)):
            for column in map(group.column, range(group.num_columns)):
                statistics = column.statistics
                if column.path_in_schema in _TIMES and statistics is not None and statistics.has_min_max:
                    bounds.setdefault(column.path_in_schema, []).extend((statistics.min, statistics.max))
    return {name: (_written(min(seen)), _written(max(seen))) for name, seen in bounds.items()}


def _written(instant: datetime) -> str:
    return instant.isoformat(timespec="seconds")


def place_of_part(out: Path, directory: Path) -> Path:
    """Where a part of a result goes, by the first law."""
    note = directory / "partial.json"
    is_own = note.exists() and out.exists() and json.loads(note.read_text(encoding="utf-8")) == print_of(out)
    return out if is_own or not out.exists() else directory / "partial.parquet"


def note_part(written: Path, directory: Path) -> None:
    """Notes which file a part was written to, so that the next one may replace it."""
    put(directory / "partial.json", json.dumps(print_of(written)).encode())


def print_of(path: Path) -> list[Any]:
    """What tells a file from another of its name."""
    stat = path.stat()
    return [str(path), stat.st_size, stat.st_mtime_ns]
