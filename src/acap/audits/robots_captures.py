"""robots.txt files of many sites, out of whatever holds them, a batch at a time.

    folder        each file is a site's: `a.example.txt`, `a.example/robots.txt`; tables and archives in it are read too
    table         Parquet, CSV, JSON Lines or Arrow, or any stream of Arrow: a row for each capture
    archive       WARC or ARC: each capture of a robots.txt

`acap.audits.robots_columns` has the columns of a table.

Law: a batch has at most `ROWS` captures, and their octets are not kept. What is larger than a limit of reading is cut
behind it, where it is known to be too large.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from acap.archives import Capture, Damage, Revisit, read_warc
from acap.audits.robots_columns import COLUMNS, SCHEMA, SourceError, columns_of, micros_of, standard
from acap.retrieval.locations import ROBOTS_PATH
from acap.robots import Limits
from acap.table import ArrowStream

ROWS = 4096
"""Most captures of a batch."""
OCTETS = 64 * 2**20
"""Octets of a batch that is made here, but for those of its last capture."""
_LINE = 4 * Limits().file_octets
"""Most characters of a line of JSON: a file of the greatest size, with escapes."""
_BLOCK = 32 * 2**20  # octets of a CSV file that are read at once; a row must lie within two of them

Source: TypeAlias = Path | str | ArrowStream
"""A folder, a table, an archive; or a table in memory."""

NO_CAPTURES = pa.RecordBatch.from_pylist([], schema=SCHEMA)
"""A batch without captures."""


class Uncounted(NamedTuple):
    """What an archive has beside captures that count: redirects, revisits, damage; each with its number."""

    redirects: int = 0
    revisits: int = 0
    damaged: int = 0


class RobotsCaptures:
    """The captures of some sources; read once. `left` is what did not count, once all were read."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self._sources = list(sources)
        self.left = Uncounted()

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Raises SourceError."""
        for source in self._sources:
            if isinstance(source, Path | str):
                yield from self._of_path(Path(source))
            else:
                yield from _of_stream(pa.RecordBatchReader.from_stream(source), "the table")

    def _of_path(self, path: Path) -> Iterator[pa.RecordBatch]:
        try:
            if path.is_dir():
                yield from self._of_folder(path)
            elif not path.exists():
                raise SourceError(f"no file or folder `{path}`; check the path")
            else:
                yield from self._of_file(path, path.parent)
        except SourceError:
            raise
        except (OSError, pa.ArrowException, EOFError) as error:
            text = " ".join((getattr(error, "strerror", None) or str(error)).split())
            raise SourceError(f"`{path}` cannot be read: {text}") from error

    def _of_folder(self, folder: Path) -> Iterator[pa.RecordBatch]:
        """The files of a folder, in the order of their names; what has no suffix of a table is a robots.txt."""
        plain: list[tuple[str, Path]] = []
        found = False
        for path in _files(folder):
            found = True
            if _kind(path) is None:
                plain.append((_site(path, folder), path))
                if len(plain) >= ROWS:
                    yield from _of_files(plain)
                    plain = []
            else:
                yield from self._of_file(path, folder)
        yield from _of_files(plain)
        if not found:
            raise SourceError(f"the folder `{folder}` has no files; name one with robots.txt files or tables in it")

    def _of_file(self, path: Path, folder: Path) -> Iterator[pa.RecordBatch]:
        match _kind(path):
            case "parquet":
                yield from _of_parquet(path)
            case "csv":
                yield from _of_csv(path)
            case "json":
                yield from _of_json(path)
            case "arrow":
                yield from _of_arrow(path)
            case "archive":
                yield from self._of_archive(path)
            case _:
                yield from _of_files([(_site(path, folder), path)])

    def _of_archive(self, path: Path) -> Iterator[pa.RecordBatch]:
        redirects, revisits, damaged = self.left
        rows: list[dict[str, Any]] = []
        size = 0

        def revisited(one: Revisit) -> None:
            nonlocal revisits
            revisits += _is_robots(one.url)

        def broke(one: Damage) -> None:
            # A robots.txt that is damaged is a capture all the same, of which nothing is known.
            nonlocal damaged
            if one.url is None or not _is_robots(one.url):
                damaged += one.url is None and not one.is_other
                return
            rows.append({"site": one.url, "robots": b"", "cut": True, "at": micros_of(one.at) if one.at else None})

        try:
            for capture in read_warc(path, on_problem=broke, on_revisit=revisited):
                if not _is_robots(capture.url):
                    continue
                if 300 <= capture.status < 400:
                    redirects += 1
                    continue
                rows.append(_row(capture))
                size += len(capture.body)
                if len(rows) >= ROWS or size >= OCTETS:
                    yield _batch(rows)
                    rows.clear()
                    size = 0
        except ImportError as error:
            raise SourceError(f"`{path}` needs a package that is missing: {error}") from error
        finally:
            self.left = Uncounted(redirects, revisits, damaged)
        if rows:
            yield _batch(rows)


def _row(capture: Capture) -> dict[str, Any]:
    return {
        "site": capture.url,
        "robots": capture.body,
        "status": capture.status,
        "at": micros_of(capture.at),
    }


def _is_robots(url: str) -> bool:
    """Whether a URL is that of the robots.txt of its site."""
    _, _, rest = url.partition("://")
    _, slash, path = rest.partition("/")
    return f"{slash}{path}" == ROBOTS_PATH


# --- files ------------------------------------------------------------------------------------------------------------

_KINDS = {
    ".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".tsv": "csv", ".jsonl": "json", ".ndjson": "json",
    ".arrow": "arrow", ".arrows": "arrow", ".feather": "arrow", ".ipc": "arrow", ".warc": "archive", ".arc": "archive",
}  # fmt: skip


def _kind(path: Path) -> str | None:
    """What a file is by its name; None: a robots.txt."""
    name = path.name.lower().removesuffix(".gz")
    return next((kind for suffix, kind in _KINDS.items() if name.endswith(suffix)), None)


def _files(folder: Path) -> Iterator[Path]:
    """The regular files of a folder and those in it, by name, without hidden ones; no link is followed."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.is_symlink():
            continue
        if path.is_dir():
            yield from _files(path)
        elif path.is_file():
            yield path


def _site(path: Path, folder: Path) -> str:
    """The site that a robots.txt is of, by its name, or by that of its folder."""
    if path.name.lower() == "robots.txt":
        return path.parent.name or path.name
    return re.sub(r"(?i)[._-]?(robots)?\.txt$", "", path.name) or path.relative_to(folder).as_posix()


def _of_files(files: list[tuple[str, Path]]) -> Iterator[pa.RecordBatch]:
    rows: list[dict[str, Any]] = []
    size = 0
    most = Limits().file_octets + 1
    for site, path in files:
        with path.open("rb") as file:
            octets = file.read(most)
        rows.append({"site": site, "robots": octets})
        size += len(octets)
        if size >= OCTETS:
            yield _batch(rows)
            rows, size = [], 0
    if rows:
        yield _batch(rows)


def _batch(rows: list[dict[str, Any]]) -> pa.RecordBatch:
    names = {name for row in rows for name in row}
    return pa.RecordBatch.from_pylist(rows, schema=pa.schema([field for field in SCHEMA if field.name in names]))


# --- tables -----------------------------------------------------------------------------------------------------------


def _of_parquet(path: Path) -> Iterator[pa.RecordBatch]:
    with pq.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False) as file:
        about = file.metadata
        octets = sum(about.row_group(place).total_byte_size for place in range(about.num_row_groups))
        mean = max(1, octets // max(1, about.num_rows))
        rows = max(1, min(ROWS, OCTETS // mean))
        columns = columns_of(file.schema_arrow, f"`{path}`")
        for batch in file.iter_batches(batch_size=rows, columns=sorted(set(columns.values()))):
            yield standard(batch, columns, f"`{path}`")


def _of_csv(path: Path) -> Iterator[pa.RecordBatch]:
    delimiter = "\t" if ".tsv" in path.name.lower() else ","
    texts = {name: pa.large_string() for name in COLUMNS["site"] + COLUMNS["at"]}
    texts |= {name: pa.large_binary() for name in COLUMNS["robots"]}
    with pa.input_stream(path) as stream:
        reader = pa_csv.open_csv(
            stream,
            read_options=pa_csv.ReadOptions(block_size=_BLOCK, use_threads=False),
            parse_options=pa_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            # A text that is quoted was there, be it empty; one that is not there is null.
            convert_options=pa_csv.ConvertOptions(
                column_types=texts, strings_can_be_null=True, quoted_strings_can_be_null=False, null_values=[""]
            ),
        )
        yield from _of_stream(reader, f"`{path}`")


def _of_arrow(path: Path) -> Iterator[pa.RecordBatch]:
    with pa.OSFile(str(path)) as file:
        try:
            opened = pa.ipc.open_file(file)
        except pa.ArrowInvalid:
            file.seek(0)
            yield from _of_stream(pa.ipc.open_stream(file), f"`{path}`")
            return
        columns = columns_of(opened.schema, f"`{path}`")
        for place in range(opened.num_record_batches):
            yield from _divided(opened.get_batch(place), columns, f"`{path}`")


def _of_stream(reader: Any, name: str) -> Iterator[pa.RecordBatch]:
    columns = columns_of(reader.schema, name)
    for batch in reader:
        yield from _divided(batch, columns, name)


def _divided(batch: pa.RecordBatch, columns: Mapping[str, str], name: str) -> Iterator[pa.RecordBatch]:
    for start in range(0, batch.num_rows, ROWS):
        yield standard(batch.slice(start, ROWS), columns, name)


# --- JSON Lines -------------------------------------------------------------------------------------------------------


def _of_json(path: Path) -> Iterator[pa.RecordBatch]:
    rows: list[dict[str, Any]] = []
    size = 0
    columns: dict[str, str] | None = None
    with _opened(path) as file:
        number = 0
        while line := file.readline(_LINE + 1):
            number += 1
            if len(line) > _LINE:
                raise SourceError(f"line {number} of `{path}` is longer than {_LINE >> 20} MiB; no robots.txt is")
            if line.isspace():
                continue
            row = _json_row(line, number, path)
            if columns is None:
                columns = columns_of(pa.schema([(name, pa.null()) for name in row]), f"`{path}`")
            rows.append({what: row.get(name) for what, name in columns.items()})
            size += len(line)
            if len(rows) >= ROWS or size >= OCTETS:
                yield _of_json_rows(rows, columns, path)
                rows, size = [], 0
    if rows and columns is not None:
        yield _of_json_rows(rows, columns, path)


def _opened(path: Path) -> IO[str]:
    opens = gzip.open if path.name.lower().endswith(".gz") else open
    return opens(path, "rt", encoding="utf-8", errors="replace", newline="\n")


def _json_row(line: str, number: int, path: Path) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"line {number} of `{path}` is not JSON: {error}") from error
    if not isinstance(row, dict):
        raise SourceError(f'line {number} of `{path}` is not an object; a row is {{"site": …, "robots": …}}')
    return row


def _of_json_rows(rows: list[dict[str, Any]], columns: Mapping[str, str], path: Path) -> pa.RecordBatch:
    def octets(value: Any) -> Any:
        # A lone surrogate has no octets.
        return value.encode("utf-8", "replace") if isinstance(value, str) else value

    def column(what: str) -> pa.Array:
        values = [row[what] for row in rows]
        return pa.array([octets(value) for value in values], pa.binary()) if what == "robots" else pa.array(values)

    try:
        batch = pa.RecordBatch.from_pydict({columns[what]: column(what) for what in columns})
    except (pa.ArrowException, TypeError, UnicodeEncodeError, OverflowError) as error:
        raise SourceError(f"`{path}` has rows of different types: {' '.join(str(error).split())}") from error
    return standard(batch, columns, f"`{path}`")
