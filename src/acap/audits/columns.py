"""The columns of tables: by which names they go, and what a value of each is.

Tables come from anywhere, so every name that is usual counts, and a value that cannot be read is none.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Mapping
from datetime import UTC, date, datetime
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from acap.retrieval.answers import Headers

NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "url": ("url", "target_uri", "warc_target_uri", "uri"),
        "at": ("fetch_time", "warc_date", "crawl_time", "timestamp", "at", "date"),
        "status": ("status", "fetch_status", "http_status", "status_code"),
        "headers": ("headers", "http_headers", "response_headers"),
        "content": ("content", "html", "body", "octets"),
        "robots": ("robots", "robots_txt", "robots.txt", "content", "body", "octets"),
        "surtkey": ("url_surtkey", "surtkey", "urlkey"),
        "crawl": ("crawl",),
    }
)
"""The names of each column, the first that a table has counts; Common Crawl's are among them."""


def pick(schema: pa.Schema, *wanted: str, required: tuple[str, ...] = ("url",)) -> dict[str, str]:
    """The name that a table has for each wanted column, without those that it does not have.

    Raises:
        ValueError: a required one is not there.
    """
    present = {name.lower(): name for name in reversed(schema.names)}
    found = {}
    for key in wanted:
        name = next((present[name] for name in NAMES[key] if name in present), None)
        if name is not None:
            found[key] = name
        elif key in required:
            raise ValueError(
                f"the table has no column `{NAMES[key][0]}`; it has {', '.join(schema.names[:20]) or 'none'}"
            )
    return found


def instant_of(value: Any) -> datetime | None:
    """An aware instant: of a timestamp, an ISO 8601 text, or 14 digits as CDX has them; UTC where no zone is given."""
    if isinstance(value, str):
        text = value.strip()
        try:
            if text.isdigit() and len(text) == 14:
                value = datetime.strptime(text, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
            else:
                value = datetime.fromisoformat(text)
        except ValueError:
            return None
    if isinstance(value, datetime):
        try:
            return value.replace(tzinfo=UTC) if value.utcoffset() is None else value.astimezone(UTC)
        except OverflowError:
            return None
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    return None


def status_of(value: Any) -> int | None:
    """A status of HTTP; None without one that could be."""
    try:
        status = int(value)
    except (TypeError, ValueError):
        return None
    return status if 100 <= status <= 999 else None


def headers_of(value: Any) -> Headers:
    """Headers: of pairs, of a mapping, of JSON of either, or as lines `Name: value`."""
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    if isinstance(value, str):
        text = value.lstrip()
        if text.startswith(("{", "[")):
            try:
                value = json.loads(text)
            except (ValueError, RecursionError):
                return ()
        else:
            lines = (line.partition(":") for line in value.splitlines())
            return tuple((name.strip(), said.strip()) for name, colon, said in lines if colon)
    if isinstance(value, Mapping):
        value = list(value.items())
    if not isinstance(value, (list, tuple)):
        return ()
    pairs: list[tuple[str, str]] = []
    for one in value:
        name, said = _pair(one)
        texts = said if isinstance(said, (list, tuple)) else (said,)
        pairs += [(name, text) for text in texts if isinstance(name, str) and isinstance(text, str)]
    return tuple(pairs)


def _pair(one: Any) -> tuple[Any, Any]:
    """Name and value of one header: a pair, or a struct of two members whatever they are called."""
    values = tuple(one.values()) if isinstance(one, Mapping) else one
    return (values[0], values[1]) if isinstance(values, (list, tuple)) and len(values) == 2 else (None, None)


def content_of(value: Any) -> bytes | None:
    """The octets of a page. A text is decoded already: its mark says so, whatever encoding the headers name."""
    octets = octets_of(value)
    is_marked = octets is None or not octets or octets.startswith(BOM_UTF8)
    return octets if is_marked or not isinstance(value, str) else BOM_UTF8 + (octets or b"")


def octets_of(value: Any) -> bytes | None:
    """Octets, or the UTF-8 of a text; None of anything else."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    return value if isinstance(value, bytes) else None
