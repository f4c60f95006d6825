"""The ledger: every act, in order, each entry bound to the one before by its hash; nothing is changed or taken out.

`hash = SHA-256(hash of the entry before + entry)`, both in ASCII; the first is bound to the store's own number and to
its operator. A head that was noted elsewhere proves later that nothing before it was changed, and that nothing was
cut off.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from acap.harvest.act import Act
from acap.harvest.store.database import Database, StoreBusyError, StoreError, rows_by_key
from acap.harvest.values import microseconds

ACTS = (
    "crawled", "required", "refused", "indexed", "preserved", "presented", "removed", "requested", "settled", "heard",
    "closed",
)  # fmt: skip
_BATCH = 1_000
BEGINS = "ledger begins"
"""The name in the table `about` of the last entry that left the store."""
UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError)
"""Errors of reading a text that is not an entry."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry as it stands: its number from 1, the act, its text and its hash."""

    seq: int
    act: Act
    text: str
    hash: str


@dataclass(frozen=True, slots=True)
class Verified:
    """The result of a verification: the number of entries, the head, and the faults, a line each."""

    entries: int
    head: str
    wrong: tuple[str, ...]


class Ledger:
    """The ledger of a store; `start` is what its first entry is bound to (`start_of`)."""

    def __init__(self, database: Database, start: str) -> None:
        self._database = database
        self.start = start

    @property
    def begins(self) -> tuple[int, str]:
        """The number and hash of the entry after which the store has them: 0 and the start, unless months left it.

        Raises StoreError.
        """
        rows = self._database.rows("SELECT value FROM about WHERE name = ?", (BEGINS,))
        if not rows:
            return 0, self.start
        try:
            number, hash_ = json.loads(rows[0][0])
        except UNREADABLE:
            number, hash_ = 0, ""
        if not isinstance(number, int) or number <= 0 or not isinstance(hash_, str):
            raise StoreError(f"where the ledger of `{self._database.place}` begins is damaged")
        return number, hash_

    @property
    def head(self) -> tuple[int, str]:
        """The number and hash of the last entry; 0 and the start where there is none."""
        found = self._database.rows("SELECT seq, hash FROM ledger ORDER BY seq DESC LIMIT 1")
        return (int(found[0][0]), str(found[0][1])) if found else self.begins

    def at(self, number: int) -> Entry | None:
        """The entry of a number. Raises StoreError."""
        rows = self._database.rows("SELECT seq, entry, hash FROM ledger WHERE seq = ?", (number,))
        return self._entry(*rows[0]) if rows else None

    def last_before(self, after: int, instant: int) -> int:
        """The number of the last entry before the first one, after a number, that is not before an instant."""
        rows = self._database.rows("SELECT min(seq) FROM ledger WHERE seq > ? AND at >= ?", (after, instant))
        return self.head[0] if rows[0][0] is None else int(rows[0][0]) - 1

    def cut(self, last: int, head: str) -> None:
        """Takes the entries up to a number out, in a transaction of the caller's, who kept them elsewhere."""
        self._database.run("DELETE FROM ledger WHERE seq <= ?", (last,))
        self._database.run("DELETE FROM about WHERE name = ?", (BEGINS,))
        self._database.run("INSERT INTO about (name, value) VALUES (?, ?)", (BEGINS, json.dumps([last, head])))

    def append(self, acts: Sequence[Act]) -> None:
        """Enters acts, in a transaction of the caller's or one of its own."""
        if not acts:
            return
        with self._database.transaction():  # these come one after the other
            seq, head = self.head
            rows = []
            for act in acts:
                seq += 1
                text = _text(seq, act)
                head = bound(head, text)
                rows.append((seq, microseconds(act.at), act.act, act.url, text, head))
            self._database.many("INSERT INTO ledger (seq, at, act, url, entry, hash) VALUES (?, ?, ?, ?, ?, ?)", rows)

    def entries(
        self,
        url: str | None = None,
        *,
        versions: Sequence[int] = (),
        acts: Sequence[str] = (),
        last: int | None = None,
        after: int = 0,
        before: int | None = None,
    ) -> Iterator[Entry]:
        """Entries in order: of one URL, of some acts, those between two numbers, the `last` ones. Raises StoreError.

        `versions`: with a URL, those of its versions, by which pages are found that showed it with others.
        """
        where = ["seq > ?"]
        values: list[Any] = [after]
        if before is not None:
            where.append("seq < ?")
            values.append(before)
        if url is not None:
            # A page that shows several resources has no URL.
            among = " OR ".join(["entry LIKE ?"] * len(versions))
            where.append(f"(url = ? OR (url = '' AND ({among})))" if versions else "url = ?")
            values += [url, *(f"%[{number},%" for number in versions)]
        if acts:
            where.append(f"act IN ({', '.join('?' * len(acts))})")
            values.extend(acts)
        condition = " AND ".join(where)
        if last is not None:
            sql = f"SELECT seq, entry, hash FROM ledger WHERE {condition} ORDER BY seq DESC LIMIT ?"  # noqa: S608  the values are parameters; all else is our own text
            yield from reversed([self._entry(*row) for row in self._database.rows(sql, (*values, last))])
            return
        sql = f"SELECT seq, entry, hash FROM ledger WHERE {condition} ORDER BY seq LIMIT {_BATCH}"  # noqa: S608  the values are parameters; all else is our own text
        rest = values[1:]
        rows = rows_by_key(self._database, lambda last: self._database.rows(sql, (last, *rest)), after)
        yield from (self._entry(*row) for row in rows)

    def _entry(self, seq: int, text: str, hash_: str) -> Entry:
        try:
            return Entry(seq, act_of(text), text, hash_)
        except UNREADABLE as error:
            raise StoreError(
                f"entry {seq} of the ledger of `{self._database.place}` is damaged; see `acap ledger --verify`"
            ) from error

    def count(self, act: str) -> int:
        """How many entries there are of an act."""
        return int(self._database.rows("SELECT count(*) FROM ledger WHERE act = ?", (act,))[0][0])

    def closed(self) -> Act | None:
        """The last entry about entries that left the store; None without one in the chain."""
        rows = self._database.rows("SELECT seq, entry, hash FROM ledger WHERE act = 'closed' ORDER BY seq DESC LIMIT 1")
        act = self._standing(*rows[0]) if rows else None
        return act if act is not None and act.act == "closed" else None

    def copy_entry(self, url: str, version: int) -> dict[str, Any] | None:
        """Digest and parts of the copy of a version, by the last entry about it; None without such an entry.

        Nothing is told by one that tells that the copy went, nor by one that does not stand in the chain.
        """
        rows = self._database.rows(
            "SELECT seq, entry, hash FROM ledger WHERE url = ? AND act IN ('preserved', 'removed') AND entry LIKE ? "
            "ORDER BY seq DESC",
            (url, f'%"version":{version}}}'),
        )
        for row in rows:
            act = self._standing(*row)
            if act is None:
                return {}
            if act.usage == "preserve":
                return act.detail if (act.act, act.url, act.version) == ("preserved", url, version) else {}
        return None

    def _standing(self, seq: int, text: str, hash_: str) -> Act | None:
        """The act of an entry that is bound to the one before, and that the one after is bound to."""
        before = self._database.rows("SELECT hash FROM ledger WHERE seq = ?", (seq - 1,))
        begins, start = self.begins
        if not before and begins != seq - 1:
            return None
        after = self._database.rows("SELECT entry, hash FROM ledger WHERE seq = ?", (seq + 1,))
        links = [(str(before[0][0]) if before else start, text, hash_), *((hash_, *row) for row in after)]
        if any(bound(head, one) != hashed for head, one, hashed in links):
            return None
        return _readable_act(text, seq)

    def verify(self, expect_head: str | None = None, each: Callable[[Act], None] | None = None) -> Verified:
        """Computes every hash again, and looks for a head that was noted; `each` is called with every act.

        The head of what left the store is none of these: what is in the store was bound to it by who took them out.

        Raises StoreBusyError, and StoreError if the begin of the ledger is unreadable.
        """
        wrong: list[str] = []
        (seq, head), entries = self.begins, 0
        begun = seq
        met = expect_head is None or (not begun and expect_head == head)
        sql = f"SELECT seq, at, act, url, entry, hash FROM ledger WHERE seq > ? ORDER BY seq LIMIT {_BATCH}"  # noqa: S608  the values are parameters; all else is our own text
        try:
            rows = rows_by_key(self._database, lambda last: self._database.rows(sql, (last,)), begun)
            for number, at, act, url, text, hash_ in rows:
                entries += 1
                if number != seq + 1:
                    wrong.append(f"entry {seq + 1} is missing; the next one is {number}")
                seq = number
                head = bound(head, str(text))
                if head != hash_:
                    wrong.append(f"entry {number} does not continue the chain: it or one before it was changed")
                    head = str(hash_)
                entered = _readable_act(text, number)
                if entered is None or (entered.act, entered.url, microseconds(entered.at)) != (act, url, at):
                    wrong.append(f"entry {number} is filed under another act, URL or time than it tells of")
                elif each is not None:
                    each(entered)
                met = met or head == expect_head
            stray = int(self._database.rows("SELECT count(*) FROM ledger WHERE seq <= ?", (begun,))[0][0])
        except StoreBusyError:
            raise
        except StoreError as error:
            wrong.append(f"the entries after {seq} cannot be read: {error}")
            stray = 0
        if stray:
            wrong.append(f"{stray} entries are numbered below {begun + 1}: they were put in")
        if not met:
            wrong.append(f"no entry has the hash {expect_head}: entries were changed or cut off since it was noted")
        return Verified(entries, head, tuple(wrong))


OF_STORE = ("id", "operator", "copies")
"""The names in the table `about` of what a store is from its beginning: its number, whose it is, where copies are."""


def start_of(about: Mapping[str, str]) -> str:
    """What the first entry of a ledger is bound to: all that the store is, as `about` has it."""
    return hashlib.sha256(f"acap ledger {json.dumps([about.get(name) for name in OF_STORE])}".encode()).hexdigest()


def bound(head: str, text: str) -> str:
    """The hash of an entry that follows one with the hash `head`."""
    return hashlib.sha256((head + text).encode()).hexdigest()


def _text(seq: int, act: Act) -> str:
    members = {
        name: value for name, value in act.to_json().items() if value is not None and (name != "detail" or value)
    }
    return json.dumps({"seq": seq, **members}, sort_keys=True, separators=(",", ":"))


def act_of(text: str) -> Act:
    """The act of an entry. Raises ValueError, TypeError or KeyError for a text that is not an entry."""
    members = json.loads(text)
    del members["seq"]
    return Act(**members | {"at": datetime.fromisoformat(members["at"])})


def _readable_act(text: str, seq: int) -> Act | None:
    """The act of an entry; None if it is unreadable, or of another number."""
    try:
        act = act_of(text)
        return act if json.loads(text)["seq"] == seq else None
    except UNREADABLE:
        return None
