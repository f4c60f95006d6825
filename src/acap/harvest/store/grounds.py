"""Grounds: why things of a version were shown, kept once, and cited by number in entries about whole pages.

What is shown of a version on one page (its link, a snippet) rests on the same decisions each time, so an entry for a
page of results has three numbers a result: version, policy, ground. Facts are left out: they follow from the ledger.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from acap.harvest.store.database import Database, rows_by_key

Use = tuple[str, str | None, dict[str, Any]]
"""A usage, for the sake of which other URL, and the decision in the form of the ledger."""

_REMEMBERED = 10_000
_READ_AT_ONCE = 500


class Grounds:
    """The grounds of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[str, int] = {}

    def number(self, uses: list[Use]) -> tuple[int, str | None]:
        """The number of a ground, and SHA-256 of it if it is new; in a transaction of the caller's."""
        grounds = [
            [usage, of, {name: one for name, one in decision.items() if name != "facts"}]
            for usage, of, decision in uses
        ]
        text = json.dumps(grounds, sort_keys=True, separators=(",", ":"))
        digest = _digest(text)
        if digest in self._known:
            return self._known[digest], None
        rows = self._database.rows("SELECT id FROM grounds WHERE digest = ?", (digest,))
        is_new = not rows
        if is_new:
            rows = self._database.rows("INSERT INTO grounds (digest, told) VALUES (?, ?) RETURNING id", (digest, text))
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[digest] = int(rows[0][0])
        return int(rows[0][0]), digest if is_new else None

    def forget(self) -> None:
        """After a transaction that was undone: numbers may be given again."""
        self._known.clear()

    def uses(self, number: int) -> list[Use]:
        """The uses of a ground; empty for an unknown number."""
        rows = self._database.rows("SELECT told FROM grounds WHERE id = ?", (number,))
        return [(usage, of, decision) for usage, of, decision in json.loads(rows[0][0])] if rows else []

    def digests(self) -> Iterator[tuple[int, str]]:
        """SHA-256 of each ground as it is, by its number."""
        sql = f"SELECT id, told, digest FROM grounds WHERE id > ? ORDER BY id LIMIT {_READ_AT_ONCE}"  # noqa: S608  the values are parameters; all else is our own text
        rows = rows_by_key(self._database, lambda last: self._database.rows(sql, (last,)), 0)
        # By its digest a ground is found again: a row with another digest is not one.
        return ((number, digest if _digest(text) == digest else "") for number, text, digest in rows)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
