"""What an audit reads: archives and tables of any usual form, cut into parts that can be read by themselves.

The laws of this module:

1. Every record of a response, and every row of a table, is a resource. One that cannot be read is a resource as well
   where its URL is known, so that it is answered; whatever cannot be read is a problem.
2. Nothing in a file raises. Only a file that cannot be opened does.
3. One record is in memory at a time, or one batch of rows.

All forms are one module, as each is a few lines over the same parts, rows and problems.
"""

from __future__ import annotations

import csv
import gzip
import json
import sys
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, TypeAlias, cast, get_args

import pyarrow as pa
import pyarrow.parquet as pq

from acap.archives.archive import Damage, Revisit, read_warc
from acap.archives.capture import Capture
from acap.archives.splits import ANY, FIRST, likely_splits, opened_part
from acap.audits.batches import Room, parquet_batches
from acap.audits.columns import Differing, pick, repeated, values_of
from acap.audits.quoted_fields import empty_texts
from acap.audits.rows import WANTED, AuditedResource, plain, resource_of, resources_of
from acap.audits.wat import read_wat
from acap.column_names import NAMES, folded
from acap.json_members import Repeated, members
from acap.retrieval.locations import is_robots_url

Form: TypeAlias = Literal["archive", "wat", "parquet", "arrow", "csv", "jsonl", "cdx"]

_SUFFIXES: tuple[tuple[str, Form], ...] = (
    (".wat", "wat"),
    (".warc", "archive"),
    (".arc", "archive"),
    (".parquet", "parquet"),
    (".arrow", "arrow"),
    (".feather", "arrow"),
    (".csv", "csv"),
    (".tsv", "csv"),
    (".jsonl", "jsonl"),
    (".ndjson", "jsonl"),
    (".cdxj", "cdx"),
    (".cdx", "cdx"),
)
POLICY_FORMS: tuple[Form, ...] = ("archive", "parquet", "arrow", "csv", "jsonl")
"""The forms that have policies."""

_PACKED = (".gz", ".zst")
_ROWS = 50_000
"""A part of a Parquet file has about as many rows, or one group of them."""

PART = 64 * 2**20
"""Octets of a part of an archive or of a table of lines: some thousand pages, or some hundred thousand URLs."""

_ROOM = Room(256, 128 * 2**20)  # rows of a table with content in memory
_PIECE = 1 << 20  # octets that are read at once
_LONGEST = 64 * 2**20  # octets of a line
_DOUBT = "\0doubt"
"""The name of what a row has whose values nobody can be sure of: why, in words."""

_OF_ANY = "it may have been any site's robots.txt, so each is out of reach from there to its next capture"

_KNOWN = tuple(dict.fromkeys(name for names in NAMES.values() for name in names))

Report: TypeAlias = Callable[[str], None]
"""Hears of what could not be read: one line."""


class InputPart(NamedTuple):
    """A part of the input: a file, some groups of rows of one, or a span of its octets.

    `octets` are about how many it has. `span` is an offset and a length; `lines` are before it.
    """

    path: Path
    form: Form
    groups: tuple[int, ...] = ()
    octets: int = 0
    span: tuple[int, int] | None = None
    lines: int = 0

    @property
    def with_rest(self) -> InputPart:
        """The same with everything behind it in its file."""
        offset = 0 if self.span is None else self.span[0]
        length = self.path.stat().st_size - offset
        return self._replace(octets=length, span=(offset, length) if offset else None)


PARTS = ".parts"
"""What the name of a directory with the parts of an audit ends with."""


FETCHED = ".policies.warc.gz"
"""What the name of the archive ends with that has what sites said when they were asked, behind that of the output."""


class InputError(ValueError):
    """An input cannot be used. One line: which, and why."""


def form_of(path: Path) -> Form | None:
    """The form of a file by its name; None if it has none that is known."""
    name = path.name.lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    return next((form for suffix, form in _SUFFIXES if name.endswith(suffix)), None)


def files_of(paths: Iterable[Path], out: Path | None = None, forms: Sequence[Form] = get_args(Form)) -> list[Path]:
    """The files, and those with one of the forms in directories, each once and in order.

    In a directory, the output `out`, what was fetched for it, and the parts of any audit are left out.

    Raises:
        InputError: there is nothing, or the name of a file tells no form.
    """
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(
                entry
                for entry in path.rglob("*")
                if entry.is_file() and form_of(entry) in forms and not _is_output(entry.relative_to(path), entry, out)
            )
            if not inside:
                raise InputError(f"{path}: no file in it is an archive or a table; known are {_known()}")
            files += inside
        elif not path.exists():
            raise InputError(f"{path}: no such file")
        elif form_of(path) is None:
            raise InputError(f"{path}: its name tells no form that is known; known are {_known()}")
        else:
            files.append(path)
    return list(dict.fromkeys(files))


def _is_output(inside: Path, file: Path, out: Path | None) -> bool:
    is_part = any(name.endswith(PARTS) for name in inside.parts[:-1])
    if out is None:
        return is_part
    own = (out, out.with_name(out.name + FETCHED))
    return is_part or any(path.exists() and file.samefile(path) for path in own)


def parts_of(files: Iterable[Path]) -> list[InputPart]:
    """The parts of files, in their order. Those of archives count as `likely_splits` has it.

    Raises:
        InputError: Parquet or Arrow that cannot be read, a table without a column of URLs, or with one column twice.
        OSError: a file cannot be opened.
    """
    parts: list[InputPart] = []
    for path in files:
        form = form_of(path)
        assert form is not None
        if form == "csv":
            _check_header(path)
        if form == "arrow":
            _check_arrow(path)
        if form == "parquet":
            parts += _parquet_parts(path)
        else:
            spans = list(_spans(path, form)) or [(0, path.stat().st_size, 0)]
            for offset, length, lines in spans:
                span = None if len(spans) == 1 else (offset, length)
                parts.append(InputPart(path, form, (), length, span, lines))
    return parts


def _check_header(path: Path) -> None:
    """Raises InputError if a table of CSV has no column of URLs, or one column twice. An empty file has no rows."""
    names = _csv_header(path)
    if twice := repeated(names, (name for one in NAMES.values() for name in one)):
        raise InputError(f"{path}: the table has several columns `{twice}`; leave the one that counts")
    try:
        if names:
            pick(pa.schema([(plain(name) or "", pa.string()) for name in names]), *WANTED)
    except ValueError as error:
        raise InputError(f"{path}: {_line(error)}") from error


def _check_arrow(path: Path) -> None:
    """Raises InputError if a table of Arrow cannot be read, or has no column of URLs, or one column twice."""
    try:
        pick(_arrow_schema(path), *WANTED)
    except (pa.ArrowException, ValueError) as error:
        raise InputError(f"{path}: {_line(error)}") from error


def _spans(path: Path, form: Form) -> Iterator[tuple[int, int, int]]:
    """The parts of a file: offset, length, and lines before it; none if it is read in one.

    Tables that are packed and Arrow are, and archives that are not of gzip members.
    """
    if path.stat().st_size <= PART:
        return
    if form in ("archive", "wat"):
        for split in likely_splits(path, PART, FIRST if form == "archive" else ANY):
            yield split.offset, split.length or 0, 0
    elif form != "arrow" and not path.name.lower().endswith(_PACKED):
        begin = before = 0
        for end, lines in _csv_ends(path) if form == "csv" else _line_ends(path):
            if end - begin >= PART:
                yield begin, end - begin, before
                begin, before = end, lines
        if begin < (size := path.stat().st_size):
            yield begin, size - begin, before


def _line_ends(path: Path) -> Iterator[tuple[int, int]]:
    """Places in a file where a line ends, one in `_PIECE` octets or more, with how many lines there are before them."""
    lines = place = 0
    with path.open("rb") as stream:
        while piece := stream.read(_PIECE):
            lines += piece.count(b"\n")
            place += len(piece)
            while piece and not piece.endswith(b"\n"):
                piece = stream.readline(_PIECE)
                lines, place = lines + piece.endswith(b"\n"), place + len(piece)
            yield place, lines


def _csv_ends(path: Path) -> Iterator[tuple[int, int]]:
    """Places in a file where a row ends: a field may have line ends in it. The first is behind the header."""
    lines = _CsvLines(InputPart(path, "csv"), lambda _: None)
    reader = _CsvReader(path, lines)
    is_header = True
    while True:
        try:
            row = next(reader, None)
        except csv.Error:
            continue
        if row is None:
            return
        is_header = is_header and not row
        if not is_header:
            yield lines.place, lines.number


def resources(part: InputPart, report: Report) -> Iterator[AuditedResource]:
    """The resources of a part, in order.

    Raises:
        OSError: the file cannot be opened.
    """
    if part.form == "archive":
        yield from of_archive(part.path, report, part.span)
    elif part.form == "wat":
        yield from read_wat(part.path, report, part.span)
    elif part.form in ("parquet", "arrow"):
        yield from _of_batches(part, report)
    else:
        rows = {"csv": _csv_rows, "jsonl": _json_rows, "cdx": _cdx_rows}[part.form](part, report)
        for number, row in rows:
            if (resource := _resource_of(row, report, f"{part.path}: line {number}")) is not None:
                yield resource


def of_archive(path: Path, report: Report, span: tuple[int, int] | None = None) -> Iterator[AuditedResource]:
    """The responses of an archive but for robots.txt files; of those that cannot be read what is known of them.

    `span` is as `part` of `read_warc`.
    """
    responses = ArchiveResponses(report)
    for capture in read_warc(path, on_problem=responses.damaged, on_revisit=responses.revisited, part=span):
        yield from responses.taken(capture)
    yield from responses.taken(None)


class ArchiveResponses:
    """What the reader of an archive tells becomes resources."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._waiting: list[AuditedResource] = []  # until the reader gives the capture behind them

    def damaged(self, damage: Damage) -> None:
        """Hears of damage."""
        self._report(f"{damage}; {_OF_ANY}" if damage.is_of_any else str(damage))
        if damage.url is not None and not damage.is_other:
            status = damage.status or None
            resource = AuditedResource(damage.url, damage.at, status, damage.headers, b"", unread=damage.message)
            self._waiting.append(resource)

    def revisited(self, revisit: Revisit) -> None:
        """Hears of a response whose octets are elsewhere."""
        why = "its octets are in another record"
        self._waiting.append(
            AuditedResource(revisit.url, revisit.at, revisit.status or None, revisit.headers, b"", unread=why)
        )

    def taken(self, capture: Capture | None) -> list[AuditedResource]:
        """The resources up to a capture, which is the last of them; None at the end."""
        ready, self._waiting = self._waiting, []
        if capture is not None:
            ready.append(AuditedResource(capture.url, capture.at, capture.status, capture.headers, capture.body))
        return [resource for resource in ready if not _is_policy(resource.url)]


def _is_policy(url: str) -> bool:
    return ("robots" in url or "%" in url) and is_robots_url(url)


def _resource_of(row: Mapping[str, Any], report: Report, where: str) -> AuditedResource | None:
    """The resource of a row by its names of columns; None if it has no URL, which is reported."""
    values = values_of(row, WANTED)
    if not isinstance(values["url"], str) or not values["url"]:
        report(f"{where}: it has " + ("URLs that differ" if isinstance(values["url"], Differing) else "no URL"))
        return None
    if _DOUBT in row:
        return AuditedResource(values["url"], None, unreadable=row[_DOUBT])
    return resource_of(values)


def tables(path: Path) -> Iterator[pa.Table]:
    """The rows of a file of policies as tables of Arrow, the first without one, if the file tells its columns.

    It has to be whole: what is lost may have prohibited.

    Raises:
        InputError: the file cannot be read as what its name says, or not to its end.
        OSError: it cannot be opened.
    """
    form = form_of(path)
    if form not in POLICY_FORMS or form == "archive":
        raise InputError(f"{path}: policies come from an archive, or a table of Parquet, Arrow, CSV or JSONL")

    def refuse(problem: str) -> None:
        raise InputError(f"{problem}; a file of policies has to be whole")

    try:
        batches: Iterable[pa.RecordBatch]
        if form == "parquet":
            batches = _parquet_batches(path)
            yield pq.read_schema(path).empty_table()
        elif form == "arrow":
            batches = _arrow_batches(path)
            yield _arrow_schema(path).empty_table()
        else:
            if form == "csv":
                yield pa.schema([(plain(name) or "", pa.string()) for name in _csv_header(path)]).empty_table()
            part = InputPart(path, form)
            rows = _csv_rows(part, refuse, of_policies=True) if form == "csv" else _json_rows(part, refuse)
            names: dict[str, None] = {}
            batches = (_batch_of(path, some, names) for some in _some((row for _, row in rows), 4096))
        for batch in batches:
            yield pa.Table.from_batches([batch])
    except pa.ArrowException as error:
        raise InputError(f"{path}: {_line(error)}") from error


def _some(rows: Iterable[Mapping[str, Any]], count: int) -> Iterator[list[Mapping[str, Any]]]:
    iterator = iter(rows)
    while some := list(islice(iterator, count)):
        yield some


def _batch_of(path: Path, rows: list[Mapping[str, Any]], names: dict[str, None]) -> pa.RecordBatch:
    """Rows whose members may differ: texts, and other values as JSON. `names` are those of the rows before, too.

    Raises:
        InputError: a row is cut, or has a robots.txt that is no text.
    """
    names |= dict.fromkeys(name for row in rows for name in row)
    for row in rows:
        texts = [value for name, value in row.items() if folded(name) in NAMES["robots"]]
        if _DOUBT in row or not all(value is None or isinstance(value, str) for value in texts):
            why = f": {row[_DOUBT]}" if _DOUBT in row else ""
            raise InputError(f"{path}: the row {ascii(dict(row))[:80]} has no robots.txt that can be read{why}")

    def text(value: Any) -> Any:
        return value if value is None or isinstance(value, str) else json.dumps(value)

    columns = {name: pa.array([plain(text(row.get(name))) for row in rows], pa.string()) for name in names}
    return pa.RecordBatch.from_pydict(columns)


def _parquet_parts(path: Path) -> Iterator[InputPart]:
    try:
        file = pq.ParquetFile(path)
        pick(file.schema_arrow, *WANTED)
    except (pa.ArrowException, ValueError) as error:
        raise InputError(f"{path}: {_line(error)}") from error
    with file:
        metadata = file.metadata
        groups: list[int] = []
        rows = octets = 0
        for number in range(metadata.num_row_groups):
            group = metadata.row_group(number)
            groups.append(number)
            rows, octets = rows + group.num_rows, octets + group.total_byte_size
            if rows >= _ROWS or number == metadata.num_row_groups - 1:
                yield InputPart(path, "parquet", tuple(groups), octets)
                groups, rows, octets = [], 0, 0


def _of_batches(part: InputPart, report: Report) -> Iterator[AuditedResource]:
    try:
        if part.form == "arrow":
            batches = _arrow_batches(part.path)
        else:
            batches = _parquet_batches(part.path, WANTED, list(part.groups))
        for batch in batches:
            yield from resources_of(pa.Table.from_batches([batch]))
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a library says of hostile octets, they were not read
        report(f"{part.path}: nothing behind this could be read: {_line(error)}")


def _parquet_batches(
    path: Path, wanted: Sequence[str] = (), groups: list[int] | None = None
) -> Iterator[pa.RecordBatch]:
    """Rows of a file: the wanted columns and groups, all if none is named."""
    with pq.ParquetFile(path) as file:
        metadata, names = file.metadata, pick(file.schema_arrow, *wanted) if wanted else None
    columns = None if names is None else [name for each in names.values() for name in each]
    yield from parquet_batches(path, metadata, _ROOM, columns, groups)


def _arrow_batches(path: Path) -> Iterator[pa.RecordBatch]:
    with pa.memory_map(str(path)) as source:
        try:
            with pa.ipc.open_file(source) as reader:
                for number in range(reader.num_record_batches):
                    yield from _slices(reader.get_batch(number))
            return
        except pa.ArrowInvalid:
            source.seek(0)
        with pa.ipc.open_stream(source) as stream:
            for batch in stream:
                yield from _slices(batch)


_FIRST = 1000
"""Rows of JSONL whose members are looked at for the columns."""


def robots_column(path: Path) -> str | None:
    """The name of the column of robots.txt files that a table has; None of what has none or cannot be read."""
    robots = ("robots", "robots_txt", "robots.txt")
    return next((name for name in _columns_of(path) if folded(name) in robots), None)


def has_content(path: Path) -> bool:
    """Whether a file may have the content of pages: an archive has, and a table with a column of it."""
    return form_of(path) == "archive" or any(folded(name) in NAMES["content"] for name in _columns_of(path))


def _columns_of(path: Path) -> Iterable[str]:
    """The names of the columns that a table has, of JSONL those of the first rows; none if it cannot be read."""
    names: Iterable[str] = ()
    with suppress(OSError, pa.ArrowException, InputError, csv.Error):
        match form_of(path):
            case "parquet":
                names = pq.read_schema(path).names
            case "arrow":
                names = _arrow_schema(path).names
            case "csv":
                names = _csv_header(path)
            case "jsonl":
                rows = islice(_json_rows(InputPart(path, "jsonl"), lambda _: None), _FIRST)
                names = dict.fromkeys(name for _, row in rows for name in row)
    return names


def _arrow_schema(path: Path) -> pa.Schema:
    with pa.memory_map(str(path)) as source:
        try:
            return pa.ipc.open_file(source).schema
        except pa.ArrowInvalid:
            source.seek(0)
        return pa.ipc.open_stream(source).schema


def _slices(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    for start in range(0, batch.num_rows, _ROOM.rows):
        yield batch.slice(start, _ROOM.rows)


def opened(path: Path) -> IO[bytes]:
    """A file as a stream of octets, unpacked. Raises OSError."""
    if path.name.lower().endswith(".gz"):
        return cast(IO[bytes], gzip.open(path, "rb"))
    if path.name.lower().endswith(".zst"):
        stream: IO[bytes] = pa.input_stream(str(path), compression="zstd")
        return stream
    return path.open("rb")


def _lines(part: InputPart, report: Report) -> Iterator[tuple[int, str]]:
    """The lines of a file, or of a part of it, with their numbers; but for those that are too long."""
    for number, (_, line) in enumerate(_placed_lines(part, report), part.lines + 1):
        if line is not None:
            yield number, line


def _placed_lines(part: InputPart, report: Report) -> Iterator[tuple[int, str | None]]:
    """The lines of a file without its mark of UTF-8, each with where it ends; an octet that is no UTF-8 is itself.

    None stands for what is longer than any line should be, which is reported.
    """
    path, number, place = part.path, part.lines + 1, 0
    with opened(path) if part.span is None else opened_part(path, part.span) as stream:
        held, octets = bytearray(), 0  # of the line that is not at its end; those of a long one are not held

        def ended(rest: bytes) -> str | None:
            if octets <= _LONGEST:
                return _line_text(bytes(held) + rest if held else rest, number)
            report(f"{path}: line {number}: it is longer than {_LONGEST} octets, and was left out")
            return None

        try:
            for piece in _pieces(stream):
                *whole, rest = piece.split(b"\n")
                for text in whole:
                    octets, place = octets + len(text), place + len(text) + 1
                    yield place, ended(text)
                    held, octets, number = bytearray(), 0, number + 1
                octets, place = octets + len(rest), place + len(rest)
                if octets <= _LONGEST:
                    held += rest
                else:
                    held = bytearray()
            if octets:
                yield place, ended(b"")
        except (OSError, EOFError, zlib.error, pa.ArrowException) as error:
            report(f"{path}: line {number}: nothing from here on could be read: {_line(error)}")


def _pieces(stream: IO[bytes]) -> Iterator[bytes]:
    """What can be read of a stream; of one that is damaged, what is before the damage."""
    # `read` of gzip fails as a whole where its last octets do.
    given: Any = stream
    read: Callable[[int], bytes] = given.read1 if isinstance(given, gzip.GzipFile) else given.read
    return iter(lambda: read(_PIECE), b"")


def _line_text(line: bytes, number: int) -> str:
    return (line.removeprefix(BOM_UTF8) if number == 1 else line).decode("utf-8", "surrogateescape")


_Rows: TypeAlias = Iterator[tuple[int, Mapping[str, Any]]]
"""Rows with the numbers of their lines."""


class _LongLineError(csv.Error):
    """A row has a line that is too long, which was reported: the row is lost, and what is left of it is none."""


class _CsvLines:
    """The lines of a file for a reader of CSV, with where and which the last one was.

    `row` are the lines since it was emptied, if they are kept.
    """

    def __init__(self, part: InputPart, report: Report, *, keeps_row: bool = False) -> None:
        self.place, self.number = 0, part.lines
        self.row: list[str] = []
        self._keeps_row = keeps_row
        self._lines = _placed_lines(part, report)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        self.place, line = next(self._lines)
        self.number += 1
        if line is None:
            raise _LongLineError
        if self._keeps_row:
            self.row.append(line)
        return line + "\n"


class _CsvReader:
    """The rows of CSV, in which a field is as long as a line may be.

    The module `csv` has one limit for the whole process: it is set for each row, and is as it was behind it.
    """

    def __init__(self, path: Path, lines: Iterator[str]) -> None:
        self.delimiter = "\t" if ".tsv" in path.name.lower() else ","
        self._rows = csv.reader(lines, delimiter=self.delimiter, strict=True)
        # A quotation mark that nothing closes would hold the rest of the file.
        self._longest = min(_LONGEST, sys.maxsize)

    def __iter__(self) -> Iterator[list[str]]:
        return self

    def __next__(self) -> list[str]:
        before = csv.field_size_limit(self._longest)
        try:
            return next(self._rows)
        finally:
            csv.field_size_limit(before)


def _csv_header(path: Path) -> list[str]:
    """The names of the columns: the first row that can be read and has something."""
    reader = _CsvReader(path, _CsvLines(InputPart(path, "csv"), lambda _: None))
    while True:
        with suppress(csv.Error):
            if (row := next(reader, None)) is None or row:
                return row or []


def _csv_rows(part: InputPart, report: Report, *, of_policies: bool = False) -> _Rows:
    """The rows of CSV. An empty field is a null; of policies a robots.txt in quotation marks is an empty file."""
    path = part.path
    names = _csv_header(path)
    lines = _CsvLines(part, report, keeps_row=of_policies)
    reader = _CsvReader(path, lines)
    is_header = part.lines == 0
    while True:
        lines.row.clear()
        try:
            row = next(reader, None)
        except _LongLineError:
            continue
        except csv.Error as error:
            report(f"{path}: line {lines.number}: {_line(error)}")
            continue
        if row is None:
            return
        if not row:
            continue
        if is_header:
            is_header = False
            continue
        values = {name: value or None for name, value in zip(names, row, strict=False)}
        if of_policies and not all(row):
            values |= dict.fromkeys(empty_texts("\n".join(lines.row), row, names, reader.delimiter), "")
        # A comma that nobody quoted ends a field before its end, and what is behind it may have prohibited.
        uneven = "fewer" if len(row) < len(names) else "more" if any(row[len(names) :]) else ""
        yield lines.number, {**values, _DOUBT: f"its row has {uneven} fields than the header"} if uneven else values


def _json_rows(part: InputPart, report: Report) -> _Rows:
    for number, line in _lines(part, report):
        if not line.strip():
            continue
        try:
            row = _row_of(json.loads(line, object_pairs_hook=members))
        except (ValueError, RecursionError) as error:
            report(f"{part.path}: line {number}: {_line(error)}")
            continue
        yield number, row


def _row_of(value: Any) -> dict[str, Any]:
    """The row that an object is; with its doubt where it has two values of one column, in whatever case.

    Raises ValueError for what is none, or tells of two resources.
    """
    if not isinstance(value, (dict, Repeated)):
        raise ValueError("it is not an object")
    row = dict(value)
    if isinstance(value, Repeated) or len(set(map(folded, row))) < len(row):
        twice = repeated([name for name, _ in value] if isinstance(value, Repeated) else row, _KNOWN)
        if twice in NAMES["url"]:
            raise ValueError(f"it has the member `{twice}` twice")
        if twice is not None:
            row[_DOUBT] = f"its row has the member `{twice}` twice"
    return row


def _cdx_rows(part: InputPart, report: Report) -> _Rows:
    """Rows of CDXJ, `SURT TIMESTAMP {…}`, and of CDX with 11 fields."""
    for number, line in _lines(part, report):
        key, _, rest = line.strip().partition(" ")
        if key == "CDX":  # the header, which names the fields
            continue
        stamp, _, described = rest.partition(" ")
        row: dict[str, Any] = {"url_surtkey": key, "timestamp": stamp}
        if described.startswith("{"):
            with suppress(ValueError, RecursionError):
                row |= _row_of(json.loads(described, object_pairs_hook=members))
        elif len(fields := described.split(" ")) > 2:
            row |= {"url": fields[0], "status": fields[2]}
        if not isinstance(row.get("url"), str):
            if line.strip() and not key.startswith("!"):
                report(f"{part.path}: line {number}: it names no URL")
            continue
        yield number, row


def _known() -> str:
    return ", ".join(dict.fromkeys(suffix for suffix, _ in _SUFFIXES))


def _line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
