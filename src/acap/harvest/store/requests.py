"""Requests: of publishers, to take down or to crawl again (P1 4.5.2.3), and the operator's own removals."""

from __future__ import annotations

from datetime import datetime

from acap.harvest.act import REMOVAL, Act
from acap.harvest.store.database import Database
from acap.harvest.store.ledger import Ledger
from acap.harvest.values import microseconds


class Requests:
    """The requests of a store. A request of a publisher counts once for as long as its robots.txt has it."""

    def __init__(self, database: Database, ledger: Ledger) -> None:
        self._database = database
        self._ledger = ledger

    def make(self, action: str, url: str, stated_in: str, at: datetime, *, again: bool = False) -> bool:
        """Notes a request, and enters it in the ledger; whether it is new, or made `again` after it was carried out."""
        then = "UPDATE SET made_at = excluded.made_at, done_at = NULL WHERE requests.done_at IS NOT NULL"
        with self._database.transaction():
            rows = self._database.rows(
                "INSERT INTO requests (action, url, said_in, made_at) VALUES (?, ?, ?, ?) "  # noqa: S608  the values are parameters; all else is our own text
                f"ON CONFLICT (action, url, said_in) DO {then if again else 'NOTHING'} RETURNING id",
                (action, url, stated_in, microseconds(at)),
            )
            if rows:
                self._ledger.append([Act("requested", at, url, action, detail={"said_in": stated_in})])
        return bool(rows)

    def open(self, action: str) -> list[str]:
        """The URLs of requests that are not carried out yet."""
        rows = self._database.rows(
            "SELECT DISTINCT url FROM requests WHERE action = ? AND done_at IS NULL ORDER BY url", (action,)
        )
        return [url for (url,) in rows]

    def settle(self, action: str, at: datetime, limit: int) -> int:
        """Marks requests as carried out, those of at most `limit` URLs; gives the number of URLs."""
        with self._database.transaction():
            rows = self._database.rows(
                "UPDATE requests SET done_at = ? WHERE action = ? AND done_at IS NULL AND url IN (SELECT DISTINCT url "
                "FROM requests WHERE action = ? AND done_at IS NULL ORDER BY url LIMIT ?) RETURNING url",
                (microseconds(at), action, action, limit),
            )
            urls = sorted({url for (url,) in rows})
            self._ledger.append([Act("settled", at, url, action) for url in urls])
        return len(urls)

    def done(self, action: str, url: str, at: datetime) -> None:
        """A request is carried out."""
        with self._database.transaction():
            rows = self._database.rows(
                "UPDATE requests SET done_at = ? WHERE action = ? AND url = ? AND done_at IS NULL RETURNING id",
                (microseconds(at), action, url),
            )
            if rows:
                self._ledger.append([Act("settled", at, url, action)])

    def is_removed(self, url: str) -> bool:
        """Whether the operator removed the URL, so that it is not crawled again."""
        return bool(self._database.rows("SELECT 1 FROM requests WHERE action = ? AND url = ?", (REMOVAL, url)))

    def readmit(self, url: str, at: datetime) -> None:
        """The URL may be crawled again."""
        with self._database.transaction():
            if self._database.rows("DELETE FROM requests WHERE action = ? AND url = ? RETURNING id", (REMOVAL, url)):
                self._ledger.append([Act("settled", at, url, REMOVAL, detail={"withdrawn": True})])

    def every(self) -> list[tuple[str, str, str, int, int | None]]:
        """All requests: action, URL, its document or reason, when it was made and carried out, in microseconds."""
        rows = self._database.rows("SELECT action, url, said_in, made_at, done_at FROM requests ORDER BY id")
        return [(action, url, stated_in, made, done) for action, url, stated_in, made, done in rows]
