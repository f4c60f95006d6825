"""Small crawls for tests: responses as WARC files, and the same as tables."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from acap.decision import Decision, Outcome

BEGIN = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Came(NamedTuple):
    """A response that came so many hours after the beginning."""

    url: str
    body: bytes
    hours: float = 0.0
    media: str = "text/html; charset=utf-8"
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def at(self) -> datetime:
        """When it came."""
        return BEGIN + timedelta(hours=self.hours)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Its headers, as a client has them."""
        return (("Content-Type", self.media), *self.headers)


ROBOTS = (
    b"User-agent: *\nDisallow: /private\n",
    b"User-agent: examplebot\nDisallow: /\n\nUser-agent: *\nAllow: /\n",
    b"User-agent: *\nContent-Signal: ai-train=no, search=yes\nAllow: /\n",
    b"ACAP-crawler: *\nACAP-disallow-index: /private\nACAP-allow-present-snippet: / max-length=50\n",
    b"",
    b"<html><body>Please sign in</body></html>",
)
HEADS = (
    b"",
    b"<meta name=robots content=noindex>",
    b"<meta name=robots content='nosnippet, noai'>",
    b"<meta name=tdm-reservation content=1>",
)


def limits_told(decision: Decision) -> list[str]:
    """The restrictions of a decision as a row of an audit has them."""
    below = () if decision.outcome == Outcome.PROHIBITED else decision.reason.prohibited_below
    return [*(f"{one.name}={one.value}" for one in decision.restrictions), *(f"except={usage}" for usage in below)]


def site(number: int) -> str:
    """The origin of a site of a crawl."""
    return f"https://s{number}.example"


def crawl(sites: int, pages: int) -> list[Came]:
    """A crawl of some sites, each with one of `ROBOTS`; one site more has none."""
    found = [
        Came(f"{site(n)}/robots.txt", ROBOTS[n % len(ROBOTS)], n / 100, "text/plain", 503 if n % 7 == 6 else 200)
        for n in range(sites)
    ]
    for number in range(pages):
        head = HEADS[number % len(HEADS)]
        words = b"<p>Words number %d of it.</p><p class=robots-noindex>Not these.</p>" % number
        body = b"<!doctype html><html><head><title>A page</title>%b</head><body>%b</body></html>" % (head, words)
        path = ("private", "public")[number // 3 % 2]
        headers = (("X-Robots-Tag", "noarchive"),) if number % 5 == 0 else ()
        url = f"{site(number % (sites + 1))}/{path}/{number}"
        found.append(Came(url, body, 24 + number / 100, headers=headers, status=404 if number % 13 == 12 else 200))
    return found


def record(came: Came) -> bytes:
    """The WARC record of a response, without packing."""
    head = [f"HTTP/1.1 {came.status} Said", *(f"{name}: {value}" for name, value in came.pairs)]
    block = "\r\n".join([*head, f"Content-Length: {len(came.body)}", "", ""]).encode() + came.body
    fields = ["WARC/1.0", "WARC-Type: response", f"WARC-Target-URI: {came.url}", f"WARC-Date: {came.at.isoformat()}"]
    fields += ["Content-Type: application/http; msgtype=response", f"Content-Length: {len(block)}", "", ""]
    return "\r\n".join(fields).encode() + block + b"\r\n\r\n"


def write_warc(file: Path, responses: Iterable[Came]) -> Path:
    """Responses as a file, each a gzip member."""
    file.write_bytes(b"".join(gzip.compress(record(one), 1, mtime=0) for one in responses))
    return file


def table_of(responses: Sequence[Came]) -> pa.Table:
    """Responses as a table, with the columns that an audit reads."""
    return pa.table(
        {
            "url": [one.url for one in responses],
            "fetch_time": pa.array([one.at for one in responses], pa.timestamp("us", tz="UTC")),
            "status": [one.status for one in responses],
            "headers": [json.dumps(one.pairs) for one in responses],
            "content": [one.body for one in responses],
        }
    )


def robots_table(responses: Sequence[Came]) -> pa.Table:
    """The robots.txt files among responses, as a table."""
    found = [one for one in responses if one.url.endswith("/robots.txt")]
    table: Any = table_of(found)
    return table.rename_columns(["url", "fetch_time", "status", "headers", "robots"])


def pages_of(responses: Iterable[Came]) -> list[Came]:
    """The responses that are no robots.txt."""
    return [one for one in responses if not one.url.endswith("/robots.txt")]
