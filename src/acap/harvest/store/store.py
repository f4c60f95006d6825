"""A store as a whole: the database, the files with copies beside it, and what keeps both in step.

The laws of this module:

1. A copy is written and synced before the transaction that makes it count; beyond what counts files are cut off.
2. What is removed is hidden by a transaction, which leaves an intent; `erase` carries intents out, and may be broken off
   and repeated at any instant.
3. One process writes at a time. Presenting writes too, but only to the ledger and first times, in short transactions.
"""

from __future__ import annotations

import json
import uuid
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

from acap.clock import Clock, SystemClock
from acap.harvest.copies import Copies
from acap.harvest.operator import Operator
from acap.harvest.store.database import StoreBusyError, StoreError
from acap.harvest.store.files import REWRITE, SCRUB, UNLINK, Files
from acap.harvest.store.ledger import Ledger
from acap.harvest.store.policies import PolicyShelf
from acap.harvest.store.requests import Requests
from acap.harvest.store.resources import Resources
from acap.harvest.store.schedule import Schedule

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from acap.harvest.copies import Capture, Place
    from acap.harvest.store.database import Database

_POSTGRESQL = ("postgresql://", "postgres://")


def open_store(
    where: str | Path, *, operator: Operator | None = None, copies: Path | None = None, clock: Clock | None = None
) -> Store:
    """Opens a store: an SQLite file, or a database of PostgreSQL by its URL.

    `operator`: makes the store if there is none, and otherwise must be the one it was made for. `copies`: the directory
    of the files with copies; by default beside an SQLite file, and as it was given when the store was made.

    Raises:
        StoreError: there is no store, or it is another crawler's, or cannot be used.
    """
    clock = clock or SystemClock()
    text = str(where)
    database: Database
    if text.startswith(_POSTGRESQL):
        try:
            from acap.harvest.store.postgresql import PostgresqlDatabase
        except ImportError as error:
            raise StoreError("a store in PostgreSQL needs: pip install 'acap[postgres]'") from error
        database = PostgresqlDatabase(text, create=operator is not None)
        beside = None
    else:
        from acap.harvest.store.sqlite import SqliteDatabase

        path = Path(where)
        database = SqliteDatabase(path, create=operator is not None)
        beside = path.with_name(f"{path.name}.copies")
    try:
        return _opened(database, operator, copies, beside, clock)
    except BaseException:
        database.close()
        raise


def _opened(
    database: Database, operator: Operator | None, copies: Path | None, beside: Path | None, clock: Clock
) -> Store:
    about = {name: json.loads(value) for name, value in database.rows("SELECT name, value FROM about")}
    if not about:
        if operator is None:
            raise StoreError(f"`{database.place}` is no store yet; `acap crawl` makes one")
        if copies is None and beside is None:
            raise StoreError("a store in PostgreSQL needs a directory for copies; name one with --copies")
        about = {
            "id": uuid.uuid4().hex,
            "operator": operator.to_json(),
            "copies": None if copies is None else str(copies.resolve()),
        }
        with database.transaction():
            database.many(
                "INSERT INTO about (name, value) VALUES (?, ?)",
                ((name, json.dumps(value)) for name, value in about.items()),
            )
    kept = Operator.from_json(about["operator"])
    if operator is not None and (operator.names, operator.purposes) != (kept.names, kept.purposes):
        whose = f"{', '.join(kept.names)}{' for ' + ', '.join(kept.purposes) if kept.purposes else ''}"
        raise StoreError(f"`{database.place}` is the store of {whose}; name another file for another crawler or purpose")
    directory = copies or (Path(about["copies"]) if about["copies"] else beside)
    assert directory is not None
    return Store(database, Copies(directory, clock=clock), kept, clock, about["id"])


class Store:
    """A store that is open. It may be used from any thread; use it as a context manager."""

    def __init__(self, database: Database, copies: Copies, operator: Operator, clock: Clock, identity: str) -> None:
        self.database = database
        self.copies = copies
        self.operator = operator
        self.clock = clock
        self.identity = identity
        self.policies = PolicyShelf(database)
        self.resources = Resources(database)
        self.schedule = Schedule(database)
        self.ledger = Ledger(database, identity)
        self.files = Files(database)
        self.requests = Requests(database)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection."""
        self.database.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, in the database."""
        try:
            with self.database.transaction():
                yield
        except BaseException:
            self.policies.forget_noted()
            raise

    @contextmanager
    def writing(self) -> Iterator[None]:
        """The turn of the one writer; what a crash left is completed first. Raises StoreBusyError."""
        with self.database.writing():
            self.copies.recover(self.files.committed())
            self.erase()
            yield

    def append(self, captures: list[Capture]) -> list[Place]:
        """Writes copies and syncs them; they count once `commit_copies` is part of a transaction that succeeds."""
        return self.copies.append(captures) if captures else []

    def commit_copies(self, places: list[Place]) -> None:
        """Makes appended copies count, in a transaction of the caller's."""
        ends: dict[str, int] = {}
        for place in places:
            ends[place.file] = max(ends.get(place.file, 0), place.offset + place.length)
        for name, end in ends.items():
            self.files.commit(name, end)

    def discard_uncommitted(self) -> None:
        """After a transaction that failed: cuts off what was appended for it."""
        self.copies.recover(self.files.committed())

    def hide_copy(self, version: int, place: Place) -> None:
        """Takes a copy out, in a transaction of the caller's; its octets go with `erase`."""
        self.resources.set_place(version, None)
        self.files.intend(REWRITE, place.file)
        self.files.intend(SCRUB)

    def hide_terms(self, version: int) -> None:
        """Takes a version out of the index, in a transaction of the caller's; its terms go with `erase`."""
        self.resources.set_indexed(version, None)
        self.database.drop_terms([version])
        self.files.intend(SCRUB)

    def erase(self) -> bool:
        """Makes the octets go of all that is hidden: files are written anew without it, the index and log cleared.

        False if a reader keeps the log open: then the rest goes with the next call.
        """
        for name in self.files.intents(REWRITE):
            self._rewrite(name)
        for name in self.files.intents(UNLINK):
            self.copies.remove(name)
            with self.transaction():
                self.files.forget(name)
                self.files.done(UNLINK, name)
        if self.files.intents(SCRUB):
            try:
                # Before and after: the intent itself is no secret, and must outlive a crash within.
                self.database.scrub()
            except StoreBusyError:
                return False
            with self.transaction():
                self.files.done(SCRUB)
        return True

    def _rewrite(self, name: str) -> None:
        """Writes a file with copies anew; the old one stands until the new one counts."""
        if name not in self.files.committed():
            with self.transaction():
                self.files.done(REWRITE, name)
            return
        new, moves = self.copies.rewrite(name, self.resources.places(name))
        with self.transaction():
            self.resources.move(moves.items())
            if new is not None:
                self.files.commit(new, self.copies.end(new))
            self.files.done(REWRITE, name)
            self.files.intend(UNLINK, name)
