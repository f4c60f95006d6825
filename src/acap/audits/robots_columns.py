"""The columns of a table of robots.txt files: whatever they are called and typed there becomes one form.

A table has the columns `site` (or `url`, `host`) and `robots`: octets or text, null where it could not be retrieved. It
may have `status` of the answer, `state` (present, absent, unreachable), or both; `headers`; `at`, when; `weight` or
`tokens`, for shares of tokens; `cut`, whether octets are missing. The core reads what a row says of its file, as for
audits and tables of policies: a value that cannot be read is a file of which nothing is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time
from typing import Any

import pyarrow as pa

from acap import _native
from acap.audits.columns import header_hint, repeated
from acap.column_names import NAMES, folded

SCHEMA = pa.schema(
    [
        ("site", pa.large_string()),
        ("robots", pa.large_binary()),
        ("status", pa.int64()),
        ("cut", pa.bool_()),
        ("at", pa.int64()),
        ("weight", pa.float64()),
    ]
)
"""What every batch has; `at` is in microseconds since 1970 UTC. The last four may be missing."""

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "site": tuple(dict.fromkeys(("site", *NAMES["url"], *NAMES["site"]))),
    "robots": NAMES["robots"],
    "status": NAMES["status"],
    "state": NAMES["state"],
    "cut": NAMES["cut"],
    "headers": NAMES["headers"],
    "at": tuple(dict.fromkeys(("at", "time", *NAMES["at"]))),
    "weight": ("weight", "tokens"),
}
"""Columns by the names that they may have: those of audits, and of a survey alone `time` and `weight`."""


OF_FILE = ("robots", "status", "state", "cut", "headers")
"""The columns of what a row says of its file."""


class SourceError(ValueError):
    """What cannot be read, in one line: which source, where in it, what to do."""


def columns_of(schema: pa.Schema, name: str) -> dict[str, str]:
    """The columns of a table by what they are. Raises SourceError."""
    if twice := repeated(schema.names, (column for names in COLUMNS.values() for column in names)):
        raise SourceError(f"{name} has several columns `{twice}`; leave the one that counts")
    known = {folded(field): field for field in reversed(schema.names)}
    for what in ("robots", "status", "headers"):
        if len(several := [known[column] for column in COLUMNS[what] if column in known]) > 1:
            raise SourceError(
                f"{name} has the columns `{several[0]}` and `{several[1]}` for {what}; leave the one that counts"
            )
    columns = {what: known[column] for what, names in COLUMNS.items() for column in reversed(names) if column in known}
    for what in ("site", "robots"):
        if what not in columns:
            names = " or ".join(f"`{column}`" for column in COLUMNS[what])
            has = ", ".join(f"`{column}`" for column in schema.names[:8]) or "none"
            raise SourceError(f"{name} has no column {names}; its columns are {has}{header_hint(schema.names)}")
    return columns


class CoreBatches:
    """A stream of Arrow from the core."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._capsule


def standard(
    batch: pa.RecordBatch, columns: Mapping[str, str], name: str, *, are_texts: bool = False
) -> pa.RecordBatch:
    """The columns that count, of the types that count. `are_texts`: columns of octets have those of texts.

    Raises SourceError.
    """
    out: dict[str, pa.Array] = {}
    for what, column in columns.items():
        if what not in _CASTS:
            continue
        try:
            values = batch.column(column)
            out[what] = _CASTS[what](values.dictionary_decode() if pa.types.is_dictionary(values.type) else values)
        except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
            why = " ".join(str(error).split())
            raise SourceError(f"the column `{column}` of {name} cannot be read: {why}") from error
    of_file = {what: batch.column(column) for what, column in columns.items() if what in OF_FILE}
    try:
        read = pa.table(CoreBatches(_native.robots_values(pa.table(of_file), are_texts)))
    except ValueError as error:
        raise SourceError(f"{name} cannot be read: {error}") from error
    out |= {what: read[what].combine_chunks() for what in ("robots", "status", "cut")}
    return pa.RecordBatch.from_pydict({field.name: out[field.name] for field in SCHEMA if field.name in out})


def _text(column: pa.Array) -> pa.Array:
    return column.cast(pa.large_string())


def _weight(column: pa.Array) -> pa.Array:
    return column.cast(pa.float64())


def _at(column: pa.Array) -> pa.Array:
    """Times as microseconds; a time without a zone is UTC."""
    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return column.cast(pa.timestamp("us", getattr(kind, "tz", None)), safe=False).cast(pa.int64())
    if pa.types.is_null(kind):
        return column.cast(pa.int64())
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise ValueError(f"a time is a timestamp, a date or a text such as 2024-04-01, not {kind}")
    return pa.array([None if one is None else micros_of(_instant(one)) for one in column.to_pylist()], pa.int64())


_CASTS: Mapping[str, Callable[[pa.Array], pa.Array]] = {
    "site": _text,
    "at": _at,
    "weight": _weight,
}


def _instant(text: str) -> datetime:
    """A time as ISO 8601 writes it, or by 14 digits as archives do. Raises ValueError."""
    try:
        if re.fullmatch(r"\d{14}", text):
            return datetime.strptime(text, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        read = datetime.fromisoformat(text) if len(text) > 10 else datetime.combine(date.fromisoformat(text), time())
    except ValueError as error:
        raise ValueError(f"`{text[:40]}` is not a time; write 2024-04-01 or 2024-04-01T12:00:00Z") from error
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def micros_of(at: datetime) -> int:
    since = at - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
