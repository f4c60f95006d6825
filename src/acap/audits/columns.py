"""The columns of tables: which of them a table has, by the names of `acap.column_names`, and what a value of each is.

The laws of this module:

1. Tables come from anywhere, so every usual name and form counts.
2. A value that is there and cannot be read is no absent one: it may have prohibited. `UnreadableValueError` says so.

Columns and values are one module, because two values of one thing are compared as they are read.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from acap import _native
from acap.audits.batches import is_view
from acap.audits.header_values import HeaderBlock, header_block, headers_of
from acap.audits.written import BRIEF, UnreadableValueError, brief, from_repr, octets_of, status_of
from acap.column_names import HEADER_COLUMNS, NAMES, folded
from acap.pages.headers import media_type, pairs
from acap.pages.media_types import reading
from acap.retrieval.answers import Headers
from acap.retrieval.locations import canonical

_NAMED = 20  # columns that are named
_SEVERAL = 3  # columns for one thing that are named
_NAME = 20  # characters of the name of such a one

_TOGETHER = 16 * 2**20
"""Octets of values of a column that are made at once."""


PAGE_TABLE = "a batch of pages is a table of Arrow, or a frame of pandas or Polars, with a column `url`"
POLICY_TABLE = (
    "policies must be a table of Arrow, or a frame of pandas or Polars, with the columns `url` or `site`, and "
    "`robots`, or a `TablePolicies` of acap.audits.policies or a `KeptPolicies` of acap.audits.kept_policies"
)
"""What is said of anything else."""

_OF_DECISIONS = "; that is for `decide_table` alone: give the table that it was read from"


def table_of(given: Any, what: str) -> pa.Table:
    """A table of Arrow of whatever speaks its protocol, as frames of pandas and Polars do.

    Raises:
        TypeError: it is no table; `what` tells what is wanted.
    """
    if isinstance(given, pa.RecordBatch):
        return pa.Table.from_batches([given])
    try:
        return pa.table(given)
    except (TypeError, ValueError) as error:
        more = _OF_DECISIONS if isinstance(given, _native.PolicyTable) else ""
        raise TypeError(f"{what}; this is {type(given).__name__}{more}") from error


def pick(schema: pa.Schema, *wanted: str, required: tuple[str, ...] = ("url",)) -> dict[str, list[str]]:
    """The names that a table has for each wanted column, in the order of `NAMES`.

    Raises:
        ValueError: a required one is not there, or one is there twice.
    """
    if twice := repeated(schema.names, (name for key in wanted for name in NAMES[key])):
        raise ValueError(f"the table has several columns `{twice}`; leave the one that counts")
    present = {folded(name): name for name in reversed(schema.names)}
    picked = {}
    for key in wanted:
        names = [present[name] for name in NAMES[key] if name in present]
        if names:
            picked[key] = names
        elif key in required:
            wanting = " or ".join(f"`{name}`" for name in NAMES[key])
            raise ValueError(f"the table has no column {wanting}; {columns_in_words(schema)}")
    return picked


def repeated(names: Iterable[str], known: Iterable[str]) -> str | None:
    """A known name that several columns have, as `folded` has it: which of them counts nobody knows."""
    counts = Counter(map(folded, names))
    return next((name for name in known if counts[name] > 1), None)


def columns_in_words(schema: pa.Schema) -> str:
    """The columns that a table has, in words."""
    more = f" and {len(schema.names) - _NAMED} more" if len(schema.names) > _NAMED else ""
    names = [f"`{ascii(name)[1:-1][:BRIEF]}`" for name in schema.names[:_NAMED]]
    return f"it has {', '.join(names) or 'none'}{more}{header_hint(schema.names)}"


def header_hint(names: Iterable[str]) -> str:
    """What the names of columns tell of a mistake in the first line of a table: other separators, or no header."""
    for name in names:
        if "://" in name:
            return "; the first line has to name the columns"
        if any(mark in name for mark in ";\t|"):
            return "; the fields of CSV are separated by commas, those of a file named .tsv by tabs"
    return ""


def rows_of(table: pa.Table, names: Mapping[str, list[str]]) -> Iterator[dict[str, Any]]:
    """The rows of a table: for each wanted column its value, as `value_of` takes it.

    Of large values those of one row are in memory, for what rows share is a copy each.
    """
    for batch in table.to_batches():
        columns = {key: [_values(batch.column(name)) for name in given] for key, given in names.items()}
        for _ in range(batch.num_rows):
            yield {key: value_of(key, [next(values) for values in each], names[key]) for key, each in columns.items()}


_HANDED_ON = frozenset({"surtkey", "crawl", "site"})
"""What decides nothing, or is told in several ways that are no contradiction, as a host and its domain are."""


def value_of(key: str, values: Sequence[Any], columns: Sequence[str]) -> Any:
    """The value of a row for which it has several columns: no value hides another one, for that may have prohibited.

    An empty value is none beside another, and values that differ cannot be read: `Differing` of their columns. Of what
    is handed on, and of sites, it is the first that is not null.
    """
    given = [value for value in values if value is not None]
    if key in _HANDED_ON or len(given) < 2:
        return given[0] if given else None
    stated = [value for value in given if value not in _EMPTY and value == value] or given[:1]
    if all(_is_same(key, value, stated[0]) for value in stated[1:]):
        return stated[0]
    return Differing([name for name, value in zip(columns, values, strict=True) if value is not None])


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
    known: dict[str, list[str]] = {}
    for name in row:
        known.setdefault(folded(name), []).append(name)
    named = {key: [name for one in NAMES[key] for name in known.get(one, ())] for key in keys}
    return {key: value_of(key, [row[name] for name in names], names) for key, names in named.items()}


_EMPTY: tuple[Any, ...] = ("", b"", "-", [], {}, ())


def headers_beside(row: Mapping[str, Any]) -> Headers:
    """The headers that a row has columns of their own for; an empty value is none.

    Raises:
        UnreadableValueError: one of them cannot be read.
    """
    values = {name: row.get(name) for name in HEADER_COLUMNS}
    return headers_of([
        (name, int(value) if isinstance(value, float) and value.is_integer() else value)
        for name, value in values.items()
        if value is not None and value not in _EMPTY and value == value
    ])  # fmt: skip


def _values(column: pa.Array) -> Iterator[Any]:
    """The values of a column, large ones when they are asked for; those of a dictionary are made once."""
    if pa.types.is_dictionary(column.type):
        places = column.indices.to_pylist()
        used = sorted({place for place in places if place is not None})
        known = dict(zip(used, _values(column.dictionary.take(pa.array(used, pa.int64()))), strict=True))
        return (None if place is None else known[place] for place in places)
    if pa.types.is_timestamp(column.type):
        # A part of a microsecond decides nothing, and Python has none.
        column = column.cast(pa.timestamp("us", column.type.tz), safe=False)
    may_share = pa.types.is_nested(column.type) or is_view(column.type)
    if column.nbytes * (len(column) if may_share else 1) > _TOGETHER:
        return map(_value, column)
    try:
        return iter(column.to_pylist())  # in much less time
    except (ValueError, OverflowError, pa.ArrowException):
        # A time before the year 1, say: one value that Python has not, of one row.
        return map(_value, column)


class _Unreadable:
    """A value that Python has not, or one of several; whatever it stands for cannot be read. It is told as why."""

    def __init__(self, why: str) -> None:
        self._why = why

    def __repr__(self) -> str:
        return self._why


class Differing(_Unreadable):
    """The value of a row whose columns contradict each other."""

    def __init__(self, columns: Sequence[str]) -> None:
        names = " and ".join(f"`{ascii(name)[1:-1][:_NAME]}`" for name in columns[:_SEVERAL])
        super().__init__(f"{names} differ; leave one of them out")


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
        raise UnreadableValueError(f"{_NO_TIME}: {brief(value)}") from error
    raise UnreadableValueError(f"{_NO_TIME}: {brief(value)}")


_NO_TIME = "a time cannot be read; write it as 2026-02-01T12:00:00Z or 20260201120000"


def _instant_of_digits(value: int) -> datetime:
    digits = len(str(value))
    if digits == _STAMP:
        return datetime.strptime(str(value), "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    if digits not in _SINCE_1970:
        raise ValueError(value)
    instant = datetime.fromtimestamp(value / _SINCE_1970[digits], UTC)
    if instant < _GUESSED_FROM:
        raise ValueError(value)
    return instant


_STAMP = 14
_SINCE_1970 = {9: 1, 10: 1, 13: 1000}
"""Numbers of digits, and how many units a second has. Twelve may as well be a date with hours and minutes."""
_GUESSED_FROM = datetime(1990, 1, 1, tzinfo=UTC)
"""No crawl was before; a number that tells an earlier instant has another unit."""


def row_status(status: Any, led: int | None) -> int | None:
    """The status of a row: that of its column, or that of a line that leads its headers where it has none.

    Raises:
        UnreadableValueError: it cannot be read, or the two differ.
    """
    own = status_of(status)
    if own is not None and led is not None and own != led:
        raise UnreadableValueError(f"the status is {own}, and that of its headers {led}")
    return led if own is None else own


def content_of(value: Any, headers: Headers = ()) -> bytes | None:
    """The octets of a page. A text is decoded already: its mark says so, whatever encoding the headers name.

    JSON with a page within it is one that a writer of tables made, unless the headers say that it is no page.

    Raises:
        UnreadableValueError: it is neither octets nor a text, or a page in a coding.
    """
    is_text, value = isinstance(value, str), from_repr(value)
    if value is None:
        return None
    if not isinstance(value, (str, bytes)):
        raise UnreadableValueError(f"a text cannot be read: {brief(value)}")
    octets = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    if _native.is_coded_page(octets) or (_native.has_page_within(octets) and _may_be_page(octets, headers)):
        raise UnreadableValueError(
            f"a page cannot be read, as its {'text is' if is_text else 'octets are'} coded: {brief(value)}"
        )
    return octets if isinstance(value, bytes) or not octets or octets.startswith(BOM_UTF8) else BOM_UTF8 + octets


def _may_be_page(octets: bytes, headers: Headers) -> bool:
    given = pairs(headers)
    return not media_type(given) or reading(octets, given) != "none"


def _comparable(block: HeaderBlock) -> object:
    return block.status, sorted((name.lower(), value) for name, value in block.headers)


_READERS: Mapping[str, Callable[[Any], Any]] = MappingProxyType({
    "url": lambda value: canonical(url_of(value) or ""),
    "at": instant_of,
    "status": status_of,
    "headers": lambda value: _comparable(header_block(value)),
    "robots": octets_of,
})  # fmt: skip
"""As what values are compared. The text of a page is not the octets of it, for these have an encoding."""
