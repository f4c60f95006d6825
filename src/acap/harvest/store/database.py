"""The database behind a store: what the rest of it needs of SQLite and PostgreSQL, and no more.

SQL is written once, in what both have, with `?` for values; instants are microseconds since 1970, UTC. What differs is
behind `Database`: types, how a transaction begins, the lock of the one writer, the text index, and how what was deleted
is made to vanish from the files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from acap.harvest.store.terms import words_in, words_of

__all__ = [
    "Database", "Row", "StoreBusyError", "StoreError", "StoreFullError", "rows_by_key", "words_in", "words_of",
]  # fmt: skip

Row = tuple[Any, ...]


class StoreError(Exception):
    """The store cannot be used; one line: what is wrong, where, what to do."""


class StoreBusyError(StoreError):
    """Somebody else is writing; the same call may work later."""


class StoreFullError(StoreError):
    """There is no room on the disk. Nothing half-written is left; what was stored before is all there."""


def rows_by_key(
    database: Database, some: Callable[[int], list[Row]], after: int, *, falling: bool = False
) -> Iterator[Row]:
    """Rows in the order of a number, their first column, some at a time: `some` gives those behind a number.

    `falling`: from the highest number down. In a damaged file numbers may come in another order, so that the same rows
    would be read for ever: the first number that leads back ends them. Raises StoreError.
    """
    last = after
    while rows := some(last):
        for row in rows:
            number = row[0]
            if not isinstance(number, int) or (number >= last if falling else number <= last):
                raise StoreError(f"`{database.place}` is damaged: rows are out of order; restore it from a backup")
            yield row
            last = number


class Database(Protocol):
    """A connection. Any thread may use it, one at a time."""

    kind: str
    place: str

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """All rows. Raises StoreError."""
        ...

    def run(self, sql: str, values: Sequence[Any] = ()) -> None:
        """A statement that gives no rows. Raises StoreError."""
        ...

    def many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """A statement for each row of values, all or nothing. Raises StoreError."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing; one within another is part of it, so what fails in that fails as a whole.

        Raises StoreBusyError if it cannot begin.
        """
        ...

    def writing(self) -> AbstractContextManager[None]:
        """Has the lock of the one writer, until the end or until this process dies.

        Raises StoreBusyError if another process has it. If it is lost on the way, writing raises StoreError.
        """
        ...

    def check_turn(self) -> None:
        """For what is written outside of the database. Raises StoreError if the lock of the writer was lost."""
        ...

    def put_terms(self, number: int, title: str, body: str) -> str:
        """Puts a text into the index, from which it cannot be read again; SHA-256 of its terms."""
        ...

    def altered(self) -> list[str]:
        """Tables, indexes and other objects that are not as the migrations make them, a line each.

        Raises StoreError.
        """
        ...

    def terms_digests(self) -> dict[int, str]:
        """SHA-256 of the terms of each text in the index, by their numbers; empty where it has what no text has."""
        ...

    def drop_terms(self, numbers: Sequence[int]) -> None:
        """Takes texts out of the index. Their terms vanish from the files with `scrub`."""
        ...

    def search(self, words: Sequence[str], limit: int, offset: int) -> list[tuple[int, float]]:
        """Numbers of the texts with all the words, the best first, each with its rank."""
        ...

    def indexed(self) -> set[int]:
        """The numbers of all texts in the index."""
        ...

    def scrub(self) -> None:
        """Makes what was deleted vanish from the files, as far as the database can; not within a transaction.

        Raises StoreBusyError while a reader has what was deleted.
        """
        ...

    def octets(self) -> int:
        """How much room all of it takes. Raises StoreError."""
        ...

    def close(self) -> None:
        """Ends the connection; once more does nothing."""
        ...
