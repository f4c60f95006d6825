"""A store in one SQLite file, through apsw: the system's own library may be too old to delete from a text index.

Needs SQLite 3.43 (contentless deletion). The log is a WAL; with `synchronous=FULL` what a transaction wrote outlives a
loss of power, which the ledger promises. Freed octets are overwritten (`secure_delete`).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw

from acap.explain import visible
from acap.harvest.store import migrations, sqlite_schema
from acap.harvest.store.database import Row, StoreBusyError, StoreError, StoreFullError
from acap.harvest.store.terms import digest_of, indexed_terms, terms_of
from acap.harvest.store.transactions import Transactions
from acap.harvest.values import storable
from acap.retrieval.private import begin_private, open_regular

APPLICATION_ID = 0x61636173  # "acas"
BUSY_SECONDS = 10.0
_HEADER = """
    SELECT user_version, application_id, (SELECT count(*) FROM sqlite_master)
    FROM pragma_user_version, pragma_application_id
"""
_MAGIC = b"SQLite format 3\0"
_OLDEST = (3, 43, 0)
_TITLE_WEIGHT = 4.0
_COLUMNS = ("title", "body")
_MERGED_AT_ONCE = 100  # pages of the index, some 20 ms; presenting writes in between
_DIGESTED_AT_ONCE = 5_000  # texts
_GREATEST = 2**63 - 1  # number of a text
_PAUSE = 0.01  # seconds for others: SQLite has no queue of writers
_CACHE_KIB = 32_768


class SqliteDatabase(Transactions):
    """A file; see `Database`."""

    kind = "sqlite"

    def __init__(self, path: Path, *, create: bool, busy_seconds: float | None = None) -> None:
        """Opens the file and brings it to the newest form. Raises StoreError."""
        super().__init__()
        if tuple(map(int, apsw.sqlite_lib_version().split("."))) < _OLDEST:
            raise StoreError(f"no text of an index can go with SQLite {apsw.sqlite_lib_version()}; install apsw 3.50")
        self.place = str(path)
        self._path = path
        self._busy = BUSY_SECONDS if busy_seconds is None else busy_seconds
        _check(path, create)
        with _named(self.place):
            begin_private(path)
            self._connection = apsw.Connection(str(path))
            try:
                self._connection.set_busy_timeout(int(self._busy * 1000))
                self._prepare(create)
            except BaseException:
                self._connection.close(force=True)
                raise

    def _prepare(self, create: bool) -> None:
        run = self._connection.execute
        run("PRAGMA secure_delete = ON")
        run("PRAGMA synchronous = FULL")
        run(f"PRAGMA cache_size = -{_CACHE_KIB}")
        is_newest = self._check_header(create) == len(migrations.TABLES)
        if found := sqlite_schema.foreign(self._connection):
            raise StoreError(
                f"`{self.place}` has a {found}, which can change what is written; drop it, and verify the ledger"
            )
        self._write_ahead()
        if is_newest:
            return
        with self.transaction():
            # Once more: another process may have been quicker.
            for number in range(self._check_header(create), len(migrations.TABLES)):
                for statement in migrations.statements(number, migrations.SQLITE, **sqlite_schema.TYPES):
                    run(statement)
            run(f"PRAGMA application_id = {APPLICATION_ID}")
            run(f"PRAGMA user_version = {migrations.newest()}")

    def _check_header(self, create: bool) -> int:
        """How many migrations the file has; nothing of it is changed if it is not a store."""
        # In one statement, so that all three are of one moment: another thread may be making the store.
        version, application, tables = map(int, self._connection.execute(_HEADER).get)
        if application != APPLICATION_ID:
            if application or version or tables:
                raise StoreError(f"`{self.place}` is a database of another program; name another file")
            if not create:
                raise StoreError(f"there is no store `{self.place}`; `acap crawl` or `acap import --crawler` makes one")
        if version > migrations.newest():
            raise StoreError(f"`{self.place}` was written by a newer acap; upgrade, or name another file")
        if 0 < version <= migrations.FORGOTTEN:
            raise StoreError(f"`{self.place}` is of an older acap, whose ledger proves too little; name another file")
        return max(0, version - migrations.FORGOTTEN)

    def _write_ahead(self) -> None:
        """Sets the log. Another process that does so at the same time is waited for, which SQLite does not."""
        until = time.monotonic() + self._busy
        mode = ""
        while not mode:
            try:
                mode = str(self._connection.execute("PRAGMA journal_mode = WAL").get)
            except apsw.BusyError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.02)
        if mode != "wal":
            raise StoreError(f"`{self.place}` is where SQLite cannot keep a log; name a file on a local disk")

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """All rows."""
        with self._statement(), _named(self.place):
            return self._connection.execute(sql, tuple(map(storable, values))).fetchall()

    def run(self, sql: str, values: Sequence[Any] = ()) -> None:
        """A statement that gives no rows."""
        with self._statement(), _named(self.place):
            self._connection.execute(sql, tuple(map(storable, values)))

    def many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """A statement for each row of values."""
        with self.transaction(), self._statement(), _named(self.place):
            self._connection.executemany(sql, (tuple(map(storable, row)) for row in rows))

    def _begin(self) -> None:
        with _named(self.place):
            self._connection.execute("BEGIN IMMEDIATE")

    def _commit(self) -> None:
        with _named(self.place):
            self._connection.execute("COMMIT")

    def _roll_back(self) -> None:
        with suppress(apsw.Error):  # on some faults SQLite has done so itself
            self._connection.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Has the lock of the one writer: a lock of SQLite on a file beside, which ends with its process."""
        with _named(self.place):
            lock = Path(f"{self._path.resolve()}-writer")
            begin_private(lock)
            turn = apsw.Connection(str(lock))
        try:
            with _named(self.place):
                try:
                    turn.execute("BEGIN EXCLUSIVE")
                except apsw.BusyError as error:
                    raise StoreBusyError(
                        f"`{self.place}` is being written by another crawl, sweep, import or removal; wait for its end"
                    ) from error
            yield
        finally:
            turn.close(force=True)

    def check_turn(self) -> None:
        """Nothing takes a lock of a file from its process."""

    def put_terms(self, number: int, title: str, body: str) -> str:
        """Puts a text into the index. Terms are sorted, so that it cannot be put together again."""
        in_title, in_body = indexed_terms(title, body)
        self.run(
            "INSERT INTO terms (rowid, title, body) VALUES (?, ?, ?)",
            (number, " ".join(sorted(in_title)), " ".join(sorted(in_body))),
        )
        return digest_of(in_title, in_body)

    def octets(self) -> int:
        """By the number of its pages."""
        return int(self.rows("PRAGMA page_count")[0][0]) * int(self.rows("PRAGMA page_size")[0][0])

    def altered(self) -> list[str]:
        """By what SQLite says of its tables."""
        with self._statement(), _named(self.place):
            return list(sqlite_schema.altered(self._connection))

    def terms_digests(self) -> dict[int, str]:
        """Of each text, some texts at a time: the index is by terms, and each time is read from end to end.

        Empty for a text that is not as long as its words that stand where they were put, and for words of no text.
        """
        numbers = sorted(self.indexed())
        self.run("CREATE VIRTUAL TABLE IF NOT EXISTS temp.instances USING fts5vocab('main', 'terms', 'instance')")
        digests: dict[int, str] = {}
        start = -_GREATEST
        for at in range(0, len(numbers) or 1, _DIGESTED_AT_ONCE):
            some = numbers[at : at + _DIGESTED_AT_ONCE]
            end = some[-1] if at + _DIGESTED_AT_ONCE < len(numbers) else _GREATEST
            terms: dict[int, tuple[list[str], list[str]]] = {number: ([], []) for number in some}
            for term, number, column, place in self.rows(
                "SELECT term, doc, col, offset FROM temp.instances WHERE doc BETWEEN ? AND ?", (start, end)
            ):
                if number not in terms:
                    digests[number] = ""
                elif column in _COLUMNS and place == len(words := terms[number][_COLUMNS.index(column)]):
                    words.append(term)
            sizes: dict[int, bytes] = dict(
                self.rows("SELECT id, sz FROM terms_docsize WHERE id BETWEEN ? AND ?", (start, end))
            )
            for number, both in terms.items():
                is_whole = sizes.get(number) == b"".join(map(_size, map(len, both)))
                digests[number] = digest_of(*both) if is_whole else ""
            start = end + 1
        return digests

    def drop_terms(self, numbers: Sequence[int]) -> None:
        """Takes texts out of the index."""
        self.many("DELETE FROM terms WHERE rowid = ?", ((number,) for number in numbers))

    def search(self, words: Sequence[str], limit: int, offset: int) -> list[tuple[int, float]]:
        """Numbers of the texts with all the words, the best first."""
        terms = terms_of(" ".join(words))
        if not terms:
            return []
        rows = self.rows(
            "SELECT rowid, bm25(terms, ?, 1.0) AS rank FROM terms WHERE terms MATCH ? ORDER BY rank, rowid "
            "LIMIT ? OFFSET ?",
            (_TITLE_WEIGHT, " AND ".join(f'"{term}"' for term in terms), limit, offset),
        )
        return [(int(number), float(rank)) for number, rank in rows]

    def indexed(self) -> set[int]:
        """The numbers of all texts in the index."""
        return {int(number) for (number,) in self.rows("SELECT rowid FROM terms")}

    def scrub(self) -> None:
        """Merges the index, so that deleted terms go, and empties the log, which may still have them."""
        self._check_outside()
        # What `optimize` does, in steps that let others write; at the end there is nothing left for it to do.
        pages = -_MERGED_AT_ONCE
        while self._merged("INSERT INTO terms (terms, rank) VALUES ('merge', ?)", (pages,)) > 1 or pages < 0:
            pages = _MERGED_AT_ONCE
            time.sleep(_PAUSE)
        self.run("INSERT INTO terms (terms) VALUES ('optimize')")
        with self._statement(), _named(self.place):
            busy, *_ = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").get
        if busy:
            raise StoreBusyError(f"the log of `{self.place}` is being read; what was deleted goes with the next sweep")

    def _merged(self, sql: str, values: Sequence[Any]) -> int:
        """Runs a step of merging; how many rows it changed: one alone means nothing was left to merge."""
        with self.transaction():
            before = self._connection.total_changes()
            self.run(sql, values)
            return self._connection.total_changes() - before

    def close(self) -> None:
        """Ends the connection."""
        with self._lock:
            self._connection.close(force=True)


def _size(number: int) -> bytes:
    """A number as the index keeps it: seven bits an octet, the highest first."""
    octets = [number & 0x7F]
    while number := number >> 7:
        octets.append(number & 0x7F | 0x80)
    return bytes(reversed(octets))


def _check(path: Path, create: bool) -> None:
    try:
        with open_regular(path, links=True) as file:
            if file.read(len(_MAGIC)) not in (b"", _MAGIC):
                raise StoreError(f"`{path}` is not an SQLite database; name another file for the store")
    except FileNotFoundError as error:
        if not create:
            raise StoreError(
                f"there is no store `{path}`; `acap crawl` or `acap import --crawler` makes one"
            ) from error
        if not path.parent.is_dir():
            raise StoreError(f"there is no directory `{path.parent}`; make it first") from error
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise StoreError(f"`{path}` cannot be read: {why}") from error


@contextmanager
def _named(place: str) -> Iterator[None]:
    """The errors of apsw as those of stores."""
    try:
        yield
    except apsw.BusyError as error:
        raise StoreBusyError(f"`{place}` is busy: {_line(error)}; try again") from error
    except apsw.FullError as error:
        raise _full(place) from error
    except apsw.IOError as error:
        if getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE:
            raise _full(place) from error
        raise StoreError(f"`{place}` cannot be used: {_line(error)}") from error
    except (apsw.CorruptError, apsw.NotADBError, UnicodeDecodeError) as error:
        raise StoreError(f"`{place}` is damaged: {_line(error)}; restore it from a backup") from error
    except apsw.Error as error:
        raise StoreError(f"`{place}` cannot be used: {_line(error)}") from error


def _full(place: str) -> StoreFullError:
    return StoreFullError(f"no room to write `{place}`; free some, then run the same command again")


def _line(error: Exception) -> str:
    """What is wrong in one line: SQLite cites a damaged table as it stands in the file."""
    return visible(" ".join(str(error).split()))
