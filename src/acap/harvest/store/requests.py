"""Requests: of publishers, to take down or to crawl again (P1 4.5.2.3), and the operator's own removals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acap.harvest.store.database import Database, microseconds

if TYPE_CHECKING:
    from datetime import datetime

RE_CRAWL, TAKE_DOWN, REMOVAL = "re-crawl", "take-down", "removal"


class Requests:
    """The requests of a store. A request of a publisher is one for as long as the same policy says it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def make(self, action: str, url: str, said_in: str, at: datetime) -> bool:
        """Notes a request; whether it is new."""
        rows = self._database.rows(
            "INSERT INTO requests (action, url, said_in, made_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING "
            "RETURNING id",
            (action, url, said_in, microseconds(at)),
        )
        return bool(rows)

    def open(self, action: str) -> list[str]:
        """The URLs of requests that are not carried out yet."""
        rows = self._database.rows(
            "SELECT DISTINCT url FROM requests WHERE action = ? AND done_at IS NULL ORDER BY url", (action,)
        )
        return [url for (url,) in rows]

    def done(self, action: str, url: str, at: datetime) -> None:
        """A request is carried out."""
        self._database.run(
            "UPDATE requests SET done_at = ? WHERE action = ? AND url = ? AND done_at IS NULL",
            (microseconds(at), action, url),
        )

    def is_removed(self, url: str) -> bool:
        """Whether the operator removed the URL, so that it is not crawled again."""
        return bool(self._database.rows("SELECT 1 FROM requests WHERE action = ? AND url = ?", (REMOVAL, url)))

    def readmit(self, url: str) -> None:
        """The URL may be crawled again."""
        self._database.run("DELETE FROM requests WHERE action = ? AND url = ?", (REMOVAL, url))
