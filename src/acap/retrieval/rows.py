"""An answer as a row of the cache's one table, and back; the versions of that table."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

from acap.retrieval.answers import Answer, Failure, FailureKind, Hop

# Each script leads from the version that is its index to the next. Never change one that was published: add one.
MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE answers (
        url TEXT NOT NULL,          -- what was asked for
        agent TEXT NOT NULL,        -- the User-Agent that asked
        settled INTEGER NOT NULL,   -- 1 for a file or that there is none, 0 for a failure since
        checked_at TEXT NOT NULL,   -- when the site last said so: ISO 8601, UTC
        fetched_at TEXT NOT NULL,
        confirmed_at TEXT,          -- by a 304
        source TEXT NOT NULL,       -- the URL that spoke last
        address TEXT,               -- the IP address it was found at
        status INTEGER,             -- null without a response
        headers TEXT NOT NULL,      -- JSON: pairs of name and value, repeated ones repeated
        chain TEXT NOT NULL,        -- JSON: the redirects, each with url, status, headers and address
        octets BLOB NOT NULL,       -- the body, decoded
        cut_at INTEGER,             -- the limit in octets at which reading the body stopped
        failure_kind TEXT,
        failure_text TEXT,
        digest TEXT NOT NULL,       -- SHA-256 over everything above
        UNIQUE (url, agent, settled)
    );
    CREATE INDEX answers_by_age ON answers (checked_at)
    """,
)

COLUMNS = (
    "url", "agent", "settled", "checked_at", "fetched_at", "confirmed_at", "source", "address", "status", "headers",
    "chain", "octets", "cut_at", "failure_kind", "failure_text", "digest",
)  # fmt: skip


def to_row(answer: Answer) -> tuple[Any, ...]:
    """The values of `COLUMNS`."""
    failure = answer.failure
    row = (
        answer.url,
        answer.agent,
        int(answer.settled),
        _written(answer.checked_at),
        _written(answer.fetched_at),
        _written(answer.confirmed_at) if answer.confirmed_at else None,
        answer.source,
        answer.address,
        answer.status,
        json.dumps(answer.headers),
        json.dumps([(hop.url, hop.status, hop.headers, hop.address) for hop in answer.chain]),
        answer.octets,
        answer.cut_at,
        str(failure.kind) if failure else None,
        failure.text if failure else None,
    )
    return (*row, _digest(row))


def from_row(row: tuple[Any, ...]) -> Answer | None:
    """The answer, or None if the row is not what was once written."""
    columns = dict(zip(COLUMNS, row, strict=True))
    if columns["digest"] != _digest(row[:-1]):
        return None
    try:
        chain = json.loads(columns["chain"])
        return Answer(
            url=columns["url"],
            agent=columns["agent"],
            source=columns["source"],
            fetched_at=datetime.fromisoformat(columns["fetched_at"]),
            status=columns["status"],
            headers=_pairs(json.loads(columns["headers"])),
            octets=columns["octets"],
            chain=tuple(Hop(url, status, _pairs(fields), address) for url, status, fields, address in chain),
            address=columns["address"],
            failure=Failure(FailureKind(columns["failure_kind"]), columns["failure_text"])
            if columns["failure_kind"]
            else None,
            cut_at=columns["cut_at"],
            confirmed_at=datetime.fromisoformat(columns["confirmed_at"]) if columns["confirmed_at"] else None,
        )
    except (ValueError, TypeError):  # a kind of failure that a later version added, for one
        return None


def _pairs(headers: list[list[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in headers)


def _written(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _digest(row: tuple[Any, ...]) -> str:
    """SHA-256 over each value with its length, so that no two rows share the octets that are hashed."""
    digest = hashlib.sha256()
    for value in row:
        octets = value if isinstance(value, bytes) else json.dumps(value).encode()
        digest.update(b"%d:" % len(octets))
        digest.update(octets)
    return digest.hexdigest()
