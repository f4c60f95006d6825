"""The account of entries that left the store: kept in pieces, each with a digest, in the table `proven`.

The entry `closed`, which was made when they left, has the digest of all digests. So any change is found, and one thing
is proven by its piece alone.
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
    """The account of the entries that left the store of a ledger."""

    def __init__(self, database: Database, ledger: Ledger) -> None:
        self._database = database
        self._ledger = ledger

    def keep(self, account: Account) -> str:
        """Keeps the account of entries that are about to leave, in a transaction of the caller's; its digest."""
        rows = _rows(account)
        digests = _digests(rows)
        self._database.run("DELETE FROM proven")
        self._database.many("INSERT INTO proven (name, piece, told) VALUES (?, ?, ?)", rows)
        self._database.run("DELETE FROM about WHERE name = ?", (KEPT_AS,))
        self._database.run("INSERT INTO about (name, value) VALUES (?, ?)", (KEPT_AS, json.dumps(digests)))
        return _state(digests)

    def account(self) -> Account:
        """The account as it is kept, whether or not it is `wrong`. Raises StoreError."""
        if not self._ledger.begins[0]:
            return Account()
        try:
            return Account({name: json.loads(state) for name, _, state in self._all()})
        except (ValueError, TypeError, RecursionError) as error:
            raise StoreError(f"what is kept of entries that left `{self._database.place}` is damaged") from error

    def wrong(self, account: Account | None = None) -> list[str]:
        """Faults of the account that is kept, a line each; `account` is that of the entries themselves, if known.

        Raises StoreError.
        """
        number, _ = self._ledger.begins
        rows = self._all()
        if not number:
            return ["the store has an account of entries that never left it"] if rows or self._kept() else []
        closed = self._closed()
        if closed is None:
            return [f"{number} entries are missing, and no entry records that they left"]
        digests = _digests(rows)
        wrong = []
        if _state(digests) != closed["state"] or digests != self._kept():
            wrong.append("the account of entries that left the store is not the one that was entered then")
        if account is not None and _state(_digests(_rows(account))) != closed["state"]:
            wrong.append("the account that was entered when entries left the store differs from the entries")
        return wrong

    def of(self, name: str) -> dict[str, Any]:
        """The state of one thing, as of `Account.states`; empty if nothing is proven of it."""
        closed = self._closed() if self._ledger.begins[0] else None
        if closed is None:
            return {}
        digests, piece = self._kept(), _piece(name)
        if len(digests) != PIECES or _state(digests) != closed["state"]:
            return {}
        rows = self._database.rows("SELECT name, piece, told FROM proven WHERE piece = ?", (piece,))
        if _digests(rows)[piece] != digests[piece]:
            return {}
        state = next((text for other, _, text in rows if other == name), "{}")
        return dict(json.loads(state))

    def _closed(self) -> dict[str, Any] | None:
        """The values of the entry that was made when these entries left; None without one."""
        closed = self._ledger.closed()
        number, head = self._ledger.begins
        detail = {} if closed is None else closed.detail
        is_so = (detail.get("start"), detail.get("last"), detail.get("head")) == (self._ledger.start, number, head)
        return detail if is_so and "state" in detail else None

    def _all(self) -> list[tuple[str, int, str]]:
        return [
            (name, piece, state) for name, piece, state in self._database.rows("SELECT name, piece, told FROM proven")
        ]

    def _kept(self) -> list[str]:
        rows = self._database.rows("SELECT value FROM about WHERE name = ?", (KEPT_AS,))
        try:
            return [str(one) for one in json.loads(rows[0][0])] if rows else []
        except (ValueError, TypeError, RecursionError):
            return [""]


def _rows(account: Account) -> list[tuple[str, int, str]]:
    named = [(str(storable(name)), json.dumps(state, sort_keys=True)) for name, state in account.states.items()]
    return [(name, _piece(name), state) for name, state in named]


def _piece(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode("utf-8", "replace")).digest()[:2]) % PIECES


def _digests(rows: Iterable[Row]) -> list[str]:
    """SHA-256 of each piece; empty for an empty piece."""
    pieces: list[list[str]] = [[] for _ in range(PIECES)]
    for name, piece, state in rows:
        pieces[int(piece) % PIECES].append(json.dumps([name, piece, state]))
    return [hashlib.sha256("\n".join(sorted(one)).encode()).hexdigest() if one else "" for one in pieces]


def _state(digests: list[str]) -> str:
    return hashlib.sha256(json.dumps(digests).encode()).hexdigest()
