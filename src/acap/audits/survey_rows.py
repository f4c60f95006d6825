"""The rows of a survey as a file: Parquet, CSV or JSON Lines, a batch at a time.

The file is there when it is whole: until then it has another name beside it, and a survey that breaks off removes it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol, Self

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from acap.audits.robots_columns import CoreBatches


class _Writer(Protocol):
    def write_table(self, table: pa.Table) -> None: ...
    def close(self) -> None: ...


class _CsvWriter:
    """Lines with a head; a column of few words is written as its words."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._plain = _plain(schema)
        self._writer = pa_csv.CSVWriter(path, self._plain)

    def write_table(self, table: pa.Table) -> None:
        self._writer.write_table(table.cast(self._plain))

    def close(self) -> None:
        self._writer.close()


class _JsonWriter:
    """An object a line."""

    def __init__(self, path: Path, _schema: pa.Schema) -> None:
        self._file = path.open("w", encoding="utf-8")

    def write_table(self, table: pa.Table) -> None:
        for batch in table.to_batches(max_chunksize=_LINES):
            for row in batch.to_pylist():
                at = row["at"]
                self._file.write(json.dumps({**row, "at": at and at.isoformat()}) + "\n")

    def close(self) -> None:
        self._file.close()


def _parquet(path: Path, schema: pa.Schema) -> _Writer:
    # Statistics of every column take longer than all else; those by which rows are found are kept.
    words = [field.name for field in schema if pa.types.is_dictionary(field.type)]
    writer: _Writer = pq.ParquetWriter(
        path, schema, compression="zstd", use_dictionary=words, write_statistics=["site", "at"]
    )
    return writer


def _plain(schema: pa.Schema) -> pa.Schema:
    def plain(field: pa.Field) -> pa.Field:
        return field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field

    return pa.schema([plain(field) for field in schema])


_LINES = 10_000  # lines of JSON that are made at once
_WRITERS: Mapping[str, Callable[[Path, pa.Schema], _Writer]] = {
    ".parquet": _parquet,
    ".csv": _CsvWriter,
    ".jsonl": _JsonWriter,
}
SUFFIXES = tuple(_WRITERS)


class RowWriter:
    """Writes rows to a file, of the kind that its suffix names. Raises ValueError for another suffix, and OSError."""

    def __init__(self, path: Path) -> None:
        kind = next((suffix for suffix in SUFFIXES if path.name.lower().endswith(suffix)), None)
        if kind is None:
            raise ValueError(f"`{path}` is not a file for rows; end its name in {', '.join(SUFFIXES)}")
        if path.exists() and not path.is_file():
            raise ValueError(f"`{path}` is not a regular file; name one for the rows")
        self._path = path
        self._opens = _WRITERS[kind]
        self._part = path.with_name(f".{path.name}.{os.getpid()}.part")
        self._writer: _Writer | None = None
        self._thread = ThreadPoolExecutor(1)
        self._begun: Future[None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._thread.shutdown(cancel_futures=True)
            if self._writer is not None:
                self._writer.close()
        finally:
            self._part.unlink(missing_ok=True)

    def write(self, rows: Callable[[], Any]) -> None:
        """Writes the rows of a stream beside what the caller does next, once those before it are written."""
        if self._begun is not None:
            self._begun.result()
        self._begun = self._thread.submit(self._write, rows)

    def _write(self, rows: Callable[[], Any]) -> None:
        table = pa.table(CoreBatches(rows()))
        if self._writer is None:
            self._writer = self._opens(self._part, table.schema)
        self._writer.write_table(table)

    def finish(self, none: Callable[[], Any]) -> None:
        """The file gets its name; `none` makes a stream of no rows, for a file without any."""
        self.write(none)
        if self._begun is not None:
            self._begun.result()
        if self._writer is not None:
            self._writer.close()
        self._writer = None
        self._part.replace(self._path)
