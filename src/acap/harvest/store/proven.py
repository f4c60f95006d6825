"""The state that entries add up to which left the store: kept in pieces, each with a digest, in the table `proven`.

The entry `closed`, which was made when they left, has the digest of all digests. So whoever changes anything of it is
found out, and one thing is proven by its piece alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from acap.harvest.account import Account
from acap.harvest.store.database import Database, Row, StoreError
from acap.harvest.store.ledger import Ledger
from acap.harvest.values import storable

PIECES = 1_024
"""Of a million things each has a thousand, which take some milliseconds to prove."""

KEPT_AS = "ledger pieces"
"""The name in the table `about` of the digests of all pieces."""


class Proven:
    """What the entries come to that left the store of a ledger."""

    def __init__(self, database: Database, ledger: Ledger) -> None:
        self._database = database
        self._ledger = ledger

    def keep(self, account: Account) -> str:
        """Keeps what entries come to that are about to leave, in a transaction of the caller's; its digest."""
        rows = _rows(account)
        digests = _digests(rows)
        self._database.run("DELETE FROM proven")
        self._database.many("INSERT INTO proven (name, piece, told) VALUES (?, ?, ?)", rows)
        self._database.run("DELETE FROM about WHERE name = ?", (KEPT_AS,))
        self._database.run("INSERT INTO about (name, value) VALUES (?, ?)", (KEPT_AS, json.dumps(digests)))
        return _state(digests)

    def account(self) -> Account:
        """What the entries come to, as far as it stands here: `wrong` tells whether that is so. Raises StoreError."""

        if not self._ledger.begins[0]:
            return Account()
        try:
            return Account({name: json.loads(told) for name, _, told in self._all()})
        except (ValueError, TypeError, RecursionError) as error:
            raise StoreError(f"what is kept of entries that left `{self._database.place}` is damaged") from error

    def wrong(self, account: Account | None = None) -> list[str]:
        """What is wrong with all that is kept, a line each; `account`: what the entries themselves come to, if known.

        Raises StoreError.
        """
        number, _ = self._ledger.begins
        rows = self._all()
        if not number:
            return ["entries are said to come to something that never left the store"] if rows or self._kept() else []
        told = self._told()
        if told is None:
            return [f"{number} entries are not there, and no entry tells that they left"]
        digests = _digests(rows)
        wrong = []
        if _state(digests) != told["state"] or digests != self._kept():
            wrong.append("what the entries come to that left the store is not what was entered when they left")
        if account is not None and _state(_digests(_rows(account))) != told["state"]:
            wrong.append("what was entered when entries left the store is not what they come to")
        return wrong

    def of(self, name: str) -> dict[str, Any]:
        """What the entries come to about one thing, as of `Account.told`; empty if nothing is proven of it."""
        told = self._told() if self._ledger.begins[0] else None
        if told is None:
            return {}
        digests, piece = self._kept(), _piece(name)
        if len(digests) != PIECES or _state(digests) != told["state"]:
            return {}
        rows = self._database.rows("SELECT name, piece, told FROM proven WHERE piece = ?", (piece,))
        if _digests(rows)[piece] != digests[piece]:
            return {}
        found = next((text for one, _, text in rows if one == name), "{}")
        return dict(json.loads(found))

    def _told(self) -> dict[str, Any] | None:
        """What the entry tells that was made when entries left; None if none tells of just those."""
        closed = self._ledger.closed()
        number, head = self._ledger.begins
        told = {} if closed is None else closed.detail
        is_so = (told.get("start"), told.get("last"), told.get("head")) == (self._ledger.start, number, head)
        return told if is_so and "state" in told else None

    def _all(self) -> list[tuple[str, int, str]]:
        return [
            (name, piece, told) for name, piece, told in self._database.rows("SELECT name, piece, told FROM proven")
        ]

    def _kept(self) -> list[str]:
        rows = self._database.rows("SELECT value FROM about WHERE name = ?", (KEPT_AS,))
        try:
            return [str(one) for one in json.loads(rows[0][0])] if rows else []
        except (ValueError, TypeError, RecursionError):
            return [""]


def _rows(account: Account) -> list[tuple[str, int, str]]:
    named = [(str(storable(name)), json.dumps(told, sort_keys=True)) for name, told in account.told.items()]
    return [(name, _piece(name), told) for name, told in named]


def _piece(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode("utf-8", "replace")).digest()[:2]) % PIECES


def _digests(rows: Iterable[Row]) -> list[str]:
    """SHA-256 of what each piece has; of nothing it is empty."""
    pieces: list[list[str]] = [[] for _ in range(PIECES)]
    for name, piece, told in rows:
        pieces[int(piece) % PIECES].append(json.dumps([name, piece, told]))
    return [hashlib.sha256("\n".join(sorted(one)).encode()).hexdigest() if one else "" for one in pieces]


def _state(digests: list[str]) -> str:
    return hashlib.sha256(json.dumps(digests).encode()).hexdigest()
