"""The columns of tables: which of them a table has, by the names of `acap.column_names`, and what a value of each is.

The laws of this module:

1. Tables come from anywhere, so every usual name and form counts.
2. A value that is there and cannot be read is no absent one: it may have prohibited. `UnreadableValueError` says so.

Columns and values are one module, because two values of one thing are compared as they are read.
"""

from __future__ import annotations

import ast
import json
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from types import MappingProxyType
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from acap import _native
from acap.column_names import NAMES, folded
from acap.json_members import Repeated, members
from acap.retrieval.answers import TRANSIENT, Headers
from acap.retrieval.locations import canonical

_TOLD = 20  # columns that are named
_BRIEF = 80  # characters of a value that is told

_LARGE = 2**20
"""Octets of a column of a group of rows, of which each batch may have 256 copies."""


class UnreadableValueError(ValueError):
    """A value is there, and cannot be read. One line: which, and why."""


def pick(schema: pa.Schema, *wanted: str, required: tuple[str, ...] = ("url",)) -> dict[str, list[str]]:
    """The names that a table has for each wanted column, in the order of `NAMES`.

    Raises:
        ValueError: a required one is not there, or one is there twice.
    """
    if twice := repeated(schema.names, (name for key in wanted for name in NAMES[key])):
        raise ValueError(f"the table has several columns `{twice}`; leave the one that counts")
    present = {folded(name): name for name in reversed(schema.names)}
    found = {}
    for key in wanted:
        names = [present[name] for name in NAMES[key] if name in present]
        if names:
            found[key] = names
        elif key in required:
            raise ValueError(f"the table has no column `{NAMES[key][0]}`; {columns_told(schema)}")
    return found


def repeated(names: Iterable[str], known: Iterable[str]) -> str | None:
    """A known name that several columns have, as `folded` has it: which of them counts nobody knows."""
    counts = Counter(map(folded, names))
    return next((name for name in known if counts[name] > 1), None)


def columns_told(schema: pa.Schema) -> str:
    """The columns that a table has, in words."""
    more = f" and {len(schema.names) - _TOLD} more" if len(schema.names) > _TOLD else ""
    names = [f"`{ascii(name)[1:-1][:_BRIEF]}`" for name in schema.names[:_TOLD]]
    return f"it has {', '.join(names) or 'none'}{more}"


def rows_of(table: pa.Table, names: Mapping[str, list[str]]) -> Iterator[dict[str, Any]]:
    """The rows of a table: for each wanted column its value, as `value_of` takes it."""
    for batch in table.to_batches():
        columns = {key: [_values(batch.column(name)) for name in given] for key, given in names.items()}
        for place in range(batch.num_rows):
            yield {key: value_of(key, [values[place] for values in each]) for key, each in columns.items()}


_HANDED_ON = frozenset({"surtkey", "crawl", "site"})
"""What decides nothing, or is told in several ways that are no contradiction, as a host and its domain are."""


def value_of(key: str, values: Iterable[Any]) -> Any:
    """The value of a row for which it has several columns: no value hides another one, for that may have prohibited.

    An empty value is none beside another, and values that differ cannot be read. Of what is handed on, and of sites, it
    is the first that is not null.
    """
    given = [value for value in values if value is not None]
    if key in _HANDED_ON or len(given) < 2:
        return given[0] if given else None
    said = [value for value in given if value not in _EMPTY and value == value] or given[:1]
    return said[0] if all(_is_same(key, value, said[0]) for value in said[1:]) else DIFFERING


def _is_same(key: str, one: Any, other: Any) -> bool:
    """Whether two values are the same, however they are written; of those that cannot be read it is not known."""
    if type(one) is type(other) and one == other:
        return True
    try:
        return key in _READERS and bool(_READERS[key](one) == _READERS[key](other))
    except ValueError:
        return False


def values_of(row: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    """Of a row by names, in whatever case, the value of each wanted column, as `value_of` takes it."""
    known: dict[str, list[Any]] = {}
    for name, value in row.items():
        known.setdefault(folded(name), []).append(value)
    return {key: value_of(key, (value for name in NAMES[key] for value in known.get(name, ()))) for key in keys}


_EMPTY: tuple[Any, ...] = ("", b"", "-", [], {}, ())


def shared_columns(file: pq.ParquetFile) -> list[str]:
    """The columns of a Parquet file in which rows may share a large value, which is to be in memory once."""
    told, texts = file.metadata, set()
    for field in file.schema_arrow:
        kind = field.type
        if pa.types.is_string(kind) or pa.types.is_binary(kind):
            texts.add(field.name)
    found: dict[str, None] = {}
    for group in map(told.row_group, range(told.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            name = column.path_in_schema
            if name in texts and column.has_dictionary_page and column.total_uncompressed_size > _LARGE:
                found[name] = None
    return list(found)


def _values(column: pa.Array) -> list[Any]:
    if pa.types.is_dictionary(column.type):
        places = column.indices.to_pylist()
        used = sorted({place for place in places if place is not None})
        known = dict(zip(used, _values(column.dictionary.take(pa.array(used, pa.int64()))), strict=True))
        return [None if place is None else known[place] for place in places]
    if pa.types.is_timestamp(column.type):
        # A part of a microsecond decides nothing, and Python has none.
        column = column.cast(pa.timestamp("us", column.type.tz), safe=False)
    try:
        values: list[Any] = column.to_pylist()
    except (ValueError, OverflowError, pa.ArrowException):
        # A time before the year 1, say: one value that Python has not, of one row.
        return [_value(one) for one in column]
    return values


class _Unreadable:
    """A value that Python has not, or one of several; whatever it stands for cannot be read. It is told as why."""

    def __init__(self, why: str) -> None:
        self._why = why

    def __repr__(self) -> str:
        return self._why


DIFFERING: Final = _Unreadable("several columns have it, and they differ")
"""The value of a row whose columns contradict each other."""


def _value(scalar: pa.Scalar) -> Any:
    try:
        return scalar.as_py()
    except (ValueError, OverflowError, pa.ArrowException):
        return _Unreadable("it is out of the range of its type")


def url_of(value: Any) -> str | None:
    """A URL; None of what is no text."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    return value if isinstance(value, str) else None


def instant_of(value: Any) -> datetime | None:
    """An aware instant, in UTC where no zone is given; None of null and of an empty text.

    It is a timestamp, a date, an ISO 8601 text, 14 digits as CDX has them, or the seconds or milliseconds since 1970.

    Raises:
        UnreadableValueError: it is none of these.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    try:
        if isinstance(value, str):
            text = value.strip()
            value = int(text) if text.isdigit() else datetime.fromisoformat(text)
        if isinstance(value, int) and not isinstance(value, bool):
            return _instant_of_digits(value)
        if isinstance(value, datetime):
            return value.replace(tzinfo=UTC) if value.utcoffset() is None else value.astimezone(UTC)
        if isinstance(value, date):
            return datetime(value.year, value.month, value.day, tzinfo=UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise UnreadableValueError(f"a time cannot be read: {_brief(value)}") from error
    raise UnreadableValueError(f"a time cannot be read: {_brief(value)}")


def _instant_of_digits(value: int) -> datetime:
    digits = len(str(value))
    if digits == _STAMP:
        return datetime.strptime(str(value), "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    if digits not in _SINCE_1970:
        raise ValueError(value)
    return datetime.fromtimestamp(value / _SINCE_1970[digits], UTC)


_STAMP = 14
_SINCE_1970 = {9: 1, 10: 1, 12: 1000, 13: 1000}
"""Numbers of digits, and how many units a second has."""


def status_of(value: Any) -> int | None:
    """A status of HTTP: a whole number from 100 to 999, or the text of one; None of null, and of `-`, as CDX has it.

    Raises:
        UnreadableValueError: it is none.
    """
    if value is None or value in ("", "-") or value != value:
        return None
    try:
        number = float(value) if not isinstance(value, bool) else 0.0
    except (TypeError, ValueError, OverflowError) as error:
        raise UnreadableValueError(f"a status cannot be read: {_brief(value)}") from error
    if not number.is_integer() or not 100 <= number <= 999:
        raise UnreadableValueError(f"a status cannot be read: {_brief(value)}")
    return int(number)


STATES: Mapping[str, int] = MappingProxyType({"present": 200, "absent": 404, "unreachable": 503})
"""What may be said of a file in the place of a status, and the status that stands for it."""


def state_of(value: Any) -> int | None:
    """The status that stands for what is said of a file: present, absent, unreachable; None of null.

    Raises:
        UnreadableValueError: it is none of these.
    """
    if value is None or value == "":
        return None
    if not isinstance(value, str) or value.strip().lower() not in STATES:
        raise UnreadableValueError(f"a state cannot be read: {_brief(value)}")
    return STATES[value.strip().lower()]


CONTRADICTED = 503
"""The status that stands for an answer that contradicts itself."""


def status_beside(status: int, octets: bytes | None) -> int:
    """The status that counts beside a text: a robots.txt is heard where it is said that there is none.

    Our choice: it is no looser than none. Beside 401 and 403, which may restrict everything, nothing is known.
    """
    is_none = 400 <= status < 500 and status not in TRANSIENT
    if not is_none or not (octets or b"").strip() or not _native.is_robots(octets or b""):
        return status
    return CONTRADICTED if status in (401, 403) else 200


def truth_of(value: Any) -> bool:
    """Whether something is so: a truth value, 0 or 1, or a text of one; not so if it is null.

    Raises:
        UnreadableValueError: it is none of these.
    """
    word = str(value).strip().lower()
    if value is None or word in ("", "false", "0"):
        return False
    if word in ("true", "1"):
        return True
    raise UnreadableValueError(f"a truth value cannot be read: {_brief(value)}")


_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110 5.6.2
_FOLDED_STATUS = re.compile(r"[\r\n]*HTTP/[^\r\n]*\r?\n[ \t]+[^ \t\r\n]")
_NAMES_OF_PAIRS = (("name", "value"), ("key", "value"), ("k", "v"))


def headers_of(value: Any) -> Headers:
    """Headers: of pairs, structs, a mapping, JSON of these, or lines `Name: value`; none of null and an empty text.

    Raises:
        UnreadableValueError: it is none of these, or a part of it is not.
    """
    if value is None:
        return ()
    try:
        found = tuple(_headers(value))
    except (TypeError, ValueError, RecursionError) as error:
        raise UnreadableValueError(f"headers cannot be read: {_brief(value)}") from error
    if any(_TOKEN.fullmatch(name) is None for name, _ in found):
        raise UnreadableValueError(f"headers cannot be read: {_brief(value)}")
    return found


def _headers(value: Any) -> Iterator[tuple[str, str]]:
    value = from_repr(value)
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    if isinstance(value, str):
        if value.lstrip().startswith(("{", "[")):
            value = json.loads(value, object_pairs_hook=members)
        else:
            yield from _header_lines(value)
            return
    if isinstance(value, Mapping):
        value = list(value.items())
    if not isinstance(value, (list, tuple)):
        raise ValueError("it is not a list")
    for one in value:
        name, said = _pair(one)
        for text in said if isinstance(said, (list, tuple)) else (said,):
            yield _text(name), _text(text)


def _pair(one: Any) -> tuple[Any, Any]:
    """Name and value of one header."""
    if isinstance(one, (str, bytes)):
        (found,) = _header_lines(_text(one))
        return found
    if isinstance(one, (Mapping, Repeated)):
        pairs = list(one.items() if isinstance(one, Mapping) else one)
        known = {str(name).lower(): said for name, said in pairs}
        if len(known) < len(pairs):
            raise ValueError("a member is there twice")
        for name, said in _NAMES_OF_PAIRS:
            if known.keys() == {name, said}:
                return known[name], known[said]
        (found,) = pairs
        return found
    name, said = one
    return name, said


def _header_lines(text: str) -> Iterator[tuple[str, str]]:
    """Lines of headers, with those that are folded as one (RFC 9112 5.2); a status line may lead them.

    Raises ValueError for a line without a name, and for one that would be a part of the status line (RFC 9112 2.2).
    """
    if _FOLDED_STATUS.match(text):
        raise ValueError("a blank leads the first header")
    unfolded = re.sub(r"\r?\n[ \t]+", " ", text.strip("\r\n"))
    for number, line in enumerate(unfolded.splitlines()):
        if not line.strip():
            continue
        if number == 0 and line.startswith("HTTP/"):
            if "\\n" in line:
                raise ValueError("line ends are written as two characters")
            continue
        name, colon, said = line.partition(":")
        if not colon:
            raise ValueError("a line has no name")
        yield name.strip(), said.strip()


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise ValueError("it is not a text")
    return str(value)


def content_of(value: Any) -> bytes | None:
    """The octets of a page. A text is decoded already: its mark says so, whatever encoding the headers name.

    Raises:
        UnreadableValueError: it is neither octets nor a text.
    """
    value = from_repr(value)
    octets = octets_of(value)
    is_marked = octets is None or not octets or octets.startswith(BOM_UTF8)
    return octets if is_marked or not isinstance(value, str) else BOM_UTF8 + (octets or b"")


_REPR = re.compile(r"""\s*b(?P<mark>['"])[^\r\n]*(?P=mark)\s*""")


def from_repr(value: Any) -> Any:
    """Octets that somebody's writer of CSV turned into Python's text of them: `b'…'`; anything else as it is."""
    if not isinstance(value, str) or _REPR.fullmatch(value) is None:
        return value
    try:
        return ast.literal_eval(value.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise UnreadableValueError(f"octets cannot be read: {_brief(value)}") from error


def octets_of(value: Any) -> bytes | None:
    """Octets, or the UTF-8 of a text; None of null.

    Raises:
        UnreadableValueError: it is neither.
    """
    value = from_repr(value)
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    raise UnreadableValueError(f"a text cannot be read: {_brief(value)}")


_READERS: Mapping[str, Callable[[Any], Any]] = MappingProxyType({
    "url": lambda value: canonical(url_of(value) or ""),
    "at": instant_of,
    "status": status_of,
    "headers": lambda value: sorted((name.lower(), said) for name, said in headers_of(value)),
    "robots": octets_of,
})  # fmt: skip
"""As what values are compared. The text of a page is not the octets of it, for these have an encoding."""


def _brief(value: Any) -> str:
    return ascii(value)[:_BRIEF]
