"""Values as every database can store them: instants as numbers, texts without unstorable characters."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(at: datetime) -> int:
    """The instant as a store keeps it."""
    return (at - _EPOCH) // _MICROSECOND


def instant(at: int | None) -> datetime | None:
    """The instant that a store keeps, aware and in UTC."""
    return None if at is None else _EPOCH + at * _MICROSECOND


_UNSTORABLE = re.compile("[\\0\ud800-\udfff]")


def storable(value: Any) -> Any:
    """A value as every database can store it: NUL and single surrogates become U+FFFD."""
    if isinstance(value, str) and not (value.isascii() and "\0" not in value):
        return _UNSTORABLE.sub("\ufffd", value)
    return value
