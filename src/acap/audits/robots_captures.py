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
import io
import json
import os
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from acap.audits.batches import Room, divided, parquet_batches
from acap.audits.robots_archives import OCTETS, ROWS, ArchiveError, Uncounted, archive_pieces
from acap.audits.robots_columns import COLUMNS, OF_FILE, SCHEMA, SourceError, columns_of, standard
from acap.column_names import folded
from acap.json_members import Repeated, members, repeated_name
from acap.robots import Limits
from acap.table import ArrowStream

_LINE = 4 * Limits().file_octets
"""Most characters of a line of JSON: a file of the greatest size, with escapes."""
_ROOM = Room(ROWS, OCTETS)
_BLOCK = 32 * 2**20  # octets of a CSV file that are read at once; a row must lie within two of them

_KNOWN = frozenset(name for names in COLUMNS.values() for name in names)

Source: TypeAlias = Path | str | ArrowStream
"""A folder, a table, an archive; or a table in memory."""

NO_CAPTURES = pa.RecordBatch.from_pylist([], schema=SCHEMA)
"""A batch without captures."""


class _Reading:
    """How far the inputs were read, in octets of their files."""

    def __init__(self) -> None:
        self.done = 0
        self.here = 0

    def reached(self, octets: int) -> None:
        """So many octets of the file at hand are read."""
        self.here = octets

    def ended(self, octets: int) -> None:
        """A file of so many octets is read."""
        self.done, self.here = self.done + octets, 0


class RobotsCaptures:
    """The captures of some sources; read once. `left` is what did not count, once all were read."""

    def __init__(self, sources: Iterable[Source], processes: int = 1) -> None:
        """Large archives are read by so many processes; 0: one for each processor."""
        self._sources = list(sources)
        self._processes = processes
        self._read = _Reading()
        self.left = Uncounted()

    @property
    def octets(self) -> int:
        """How many octets of the files are read."""
        return self._read.done + self._read.here

    @cached_property
    def of_octets(self) -> int:
        """How many octets the files have; tables in memory have none."""
        paths = [Path(source) for source in self._sources if isinstance(source, Path | str)]
        files = (file for path in paths for file in (_files(path) if path.is_dir() else [path]))
        return sum(file.stat().st_size for file in files if file.is_file())

    def __iter__(self) -> Generator[pa.RecordBatch, None, None]:
        """Raises SourceError. What is closed early ends what reads for it."""
        for is_archive, sources in groupby(self._sources, _is_archive):
            if is_archive:
                yield from self._of_archives([Path(str(source)) for source in sources])
                continue
            for source in sources:
                if isinstance(source, Path | str):
                    yield from self._of_path(Path(source))
                else:
                    yield from _of_stream(pa.RecordBatchReader.from_stream(source), "the table")

    def _of_path(self, path: Path) -> Iterator[pa.RecordBatch]:
        with _source_errors(path):
            if path.is_dir():
                yield from self._of_folder(path)
            elif not path.exists():
                raise SourceError(f"no file or folder `{path}`; check the path")
            else:
                yield from self._of_file(path, path.parent)

    def _of_folder(self, folder: Path) -> Iterator[pa.RecordBatch]:
        """The files of a folder, in the order of their names; what has no suffix of a table is a robots.txt. Archives
        come last, together."""
        plain: list[tuple[str, Path]] = []
        archives: list[Path] = []
        has_files = False
        for path in _files(folder):
            has_files = True
            kind = _kind(path)
            if kind is None:
                plain.append((_site(path, folder), path))
                if len(plain) >= ROWS:
                    yield from self._of_files(plain)
                    plain = []
            elif kind == "archive":
                archives.append(path)
            else:
                yield from self._of_file(path, folder)
        yield from self._of_files(plain)
        yield from self._of_archives(archives)
        if not has_files:
            raise SourceError(f"the folder `{folder}` has no files; name one with robots.txt files or tables in it")

    def _of_file(self, path: Path, folder: Path) -> Iterator[pa.RecordBatch]:
        kind = _kind(path)
        if kind is None:
            yield from self._of_files([(_site(path, folder), path)])
            return
        with _source_errors(path):
            yield from _READERS[kind](path, self._read.reached)
            self._read.ended(path.stat().st_size)

    def _of_files(self, files: list[tuple[str, Path]]) -> Iterator[pa.RecordBatch]:
        rows: list[dict[str, Any]] = []
        size = 0
        most = Limits().file_octets + 1
        for site, path in files:
            with path.open("rb") as file:
                octets = file.read(most)
                self._read.ended(os.fstat(file.fileno()).st_size)
            rows.append({"site": site, "robots": octets})
            size += len(octets)
            if size >= OCTETS:
                yield _batch(rows)
                rows, size = [], 0
        if rows:
            yield _batch(rows)

    def _of_archives(self, paths: list[Path]) -> Iterator[pa.RecordBatch]:
        for path in paths:
            if not path.exists():
                raise SourceError(f"no file or folder `{path}`; check the path")
        if not paths:
            return
        with _source_errors(paths[0]):
            try:
                for piece in archive_pieces(paths, self._processes):
                    self.left = self.left.plus(piece.left)
                    if piece.batch is not None:
                        yield piece.batch
                    self._read.ended(piece.octets)
            except ArchiveError as error:
                raise SourceError(str(error)) from error


def _is_archive(source: Source) -> bool:
    return isinstance(source, Path | str) and not Path(source).is_dir() and _kind(Path(source)) == "archive"


@contextmanager
def _source_errors(path: Path) -> Iterator[None]:
    """An error of reading, told as one of a source. Raises SourceError."""
    try:
        yield
    except SourceError:
        raise
    except (OSError, pa.ArrowException, EOFError) as error:
        text = " ".join((getattr(error, "strerror", None) or str(error)).split())
        raise SourceError(f"`{getattr(error, 'filename', None) or path}` cannot be read: {text}") from error


# --- files ------------------------------------------------------------------------------------------------------------

_KINDS = {
    ".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".tsv": "csv", ".jsonl": "json", ".ndjson": "json",
    ".arrow": "arrow", ".arrows": "arrow", ".feather": "arrow", ".ipc": "arrow", ".warc": "archive", ".arc": "archive",
}  # fmt: skip


def _kind(path: Path) -> str | None:
    """What a file is by its name; None: a robots.txt."""
    name = path.name.lower()
    if name.endswith((".warc.zst", ".warc.zstd")):
        return "archive"
    return next((kind for suffix, kind in _KINDS.items() if name.removesuffix(".gz").endswith(suffix)), None)


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


def _batch(rows: list[dict[str, Any]]) -> pa.RecordBatch:
    names = {name for row in rows for name in row}
    return pa.RecordBatch.from_pylist(rows, schema=pa.schema([field for field in SCHEMA if field.name in names]))


# --- tables -----------------------------------------------------------------------------------------------------------


def _of_parquet(path: Path, reached: Callable[[int], None]) -> Iterator[pa.RecordBatch]:
    whole, done = path.stat().st_size, 0
    with pq.ParquetFile(path) as file:
        columns, metadata = columns_of(file.schema_arrow, f"`{path}`"), file.metadata
    for batch in parquet_batches(path, metadata, _ROOM, sorted(set(columns.values()))):
        yield from _divided(batch, columns, f"`{path}`")
        done += batch.num_rows
        reached(whole * done // max(1, metadata.num_rows))


def _of_csv(path: Path, reached: Callable[[int], None]) -> Iterator[pa.RecordBatch]:
    delimiter = "\t" if ".tsv" in path.name.lower() else ","
    texts = {name: pa.large_string() for name in COLUMNS["site"] + COLUMNS["at"]}
    # Their values are read later: a text of another encoding ends nothing, nor does a number that is none.
    texts |= {name: pa.large_binary() for what in OF_FILE for name in COLUMNS[what]}
    with pa.OSFile(str(path)) as file, _unpacked(file, path) as stream:
        reader = pa_csv.open_csv(
            stream,
            read_options=pa_csv.ReadOptions(block_size=_BLOCK, use_threads=False),
            parse_options=pa_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            # A text that is quoted was there, be it empty; one that is not there is null.
            convert_options=pa_csv.ConvertOptions(
                column_types=texts, strings_can_be_null=True, quoted_strings_can_be_null=False, null_values=[""]
            ),
        )
        for batch in _of_stream(reader, f"`{path}`", are_texts=True):
            yield batch
            reached(file.tell())


def _unpacked(file: pa.NativeFile, path: Path) -> pa.NativeFile:
    """What is in a file that its name says to be packed."""
    packing = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}.get(path.suffix.lower())
    return file if packing is None else pa.CompressedInputStream(file, packing)


def _of_arrow(path: Path, reached: Callable[[int], None]) -> Iterator[pa.RecordBatch]:
    with pa.OSFile(str(path)) as file:
        try:
            opened = pa.ipc.open_file(file)
        except pa.ArrowInvalid:
            file.seek(0)
            for batch in _of_stream(pa.ipc.open_stream(file), f"`{path}`"):
                yield batch
                reached(file.tell())
            return
        columns = columns_of(opened.schema, f"`{path}`")
        for place in range(opened.num_record_batches):
            yield from _divided(opened.get_batch(place), columns, f"`{path}`")
            reached(file.size() * (place + 1) // opened.num_record_batches)


def _of_stream(reader: Any, name: str, *, are_texts: bool = False) -> Iterator[pa.RecordBatch]:
    columns = columns_of(reader.schema, name)
    for batch in reader:
        yield from _divided(batch, columns, name, are_texts=are_texts)


def _divided(
    batch: pa.RecordBatch, columns: Mapping[str, str], name: str, *, are_texts: bool = False
) -> Iterator[pa.RecordBatch]:
    for piece in divided(batch, _ROOM, set(columns.values())):
        yield standard(piece, columns, name, are_texts=are_texts)


# --- JSON Lines -------------------------------------------------------------------------------------------------------


def _of_json(path: Path, reached: Callable[[int], None]) -> Iterator[pa.RecordBatch]:
    rows: list[dict[str, Any]] = []
    size = 0
    names: dict[str, None] = {}  # of the rows so far
    with path.open("rb") as packed, _opened(packed, path) as file:
        number = 0
        while line := file.readline(_LINE + 1):
            number += 1
            if len(line) > _LINE:
                raise SourceError(f"line {number} of `{path}` is longer than {_LINE >> 20} MiB; no robots.txt is")
            if line.isspace():
                continue
            row = _json_row(line, number, path)
            if not names.keys() >= row.keys():
                names |= dict.fromkeys(row)
                _json_columns(names, path)
            rows.append({name: value for name, value in row.items() if folded(name) in _KNOWN})
            size += len(line)
            if len(rows) >= ROWS or size >= OCTETS:
                yield _of_json_rows(rows, _json_columns(names, path), path)
                rows, size = [], 0
                reached(packed.tell())
    if rows:
        yield _of_json_rows(rows, _json_columns(names, path), path)


def _json_columns(names: Iterable[str], path: Path) -> dict[str, str]:
    """The columns of rows with such members. One that comes late is as good as one of the first row."""
    return columns_of(pa.schema([(name, pa.null()) for name in names]), f"`{path}`")


def _opened(packed: IO[bytes], path: Path) -> IO[str]:
    octets = gzip.GzipFile(fileobj=packed) if path.name.lower().endswith(".gz") else packed
    return io.TextIOWrapper(cast("IO[bytes]", octets), encoding="utf-8", errors="replace", newline="\n")


def _json_row(line: str, number: int, path: Path) -> dict[str, Any]:
    try:
        row = json.loads(line, object_pairs_hook=members)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"line {number} of `{path}` is not JSON: {error}") from error
    if isinstance(row, Repeated):
        raise SourceError(f"line {number} of `{path}` has the member {repeated_name(row)[:80]!a} twice; write it once")
    if not isinstance(row, dict):
        raise SourceError(f'line {number} of `{path}` is not an object; a row is {{"site": …, "robots": …}}')
    return row


def _of_json_rows(rows: list[dict[str, Any]], columns: Mapping[str, str], path: Path) -> pa.RecordBatch:
    def octets(value: Any, what: str) -> Any:
        if what != "robots" and value is not None and not isinstance(value, str):
            value = json.dumps(value)
        # A lone surrogate has no octets.
        return value.encode("utf-8", "replace") if isinstance(value, str) else value

    def column(what: str) -> pa.Array:
        values = [row.get(columns[what]) for row in rows]
        return pa.array([octets(value, what) for value in values], pa.binary()) if what in OF_FILE else pa.array(values)

    try:
        batch = pa.RecordBatch.from_pydict({columns[what]: column(what) for what in columns})
    except (pa.ArrowException, TypeError, UnicodeEncodeError, OverflowError) as error:
        raise SourceError(f"`{path}` has rows of different types: {' '.join(str(error).split())}") from error
    return standard(batch, columns, f"`{path}`", are_texts=True)


_READERS: Mapping[str, Callable[[Path, Callable[[int], None]], Iterator[pa.RecordBatch]]] = {
    "parquet": _of_parquet,
    "csv": _of_csv,
    "json": _of_json,
    "arrow": _of_arrow,
}
