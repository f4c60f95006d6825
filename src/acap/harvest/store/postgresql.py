"""A store in a database of PostgreSQL, through psycopg.

Transactions come one after the other, as in SQLite: each begins with an advisory lock. The lock of the one writer is
another one, on the same connection: if the server ends that, the writer cannot go on without noticing. What is deleted
vanishes from the tables with `VACUUM FULL`; the log of the server and its archives are the operator's to keep.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import urlsplit

import psycopg

from acap.harvest.store import migrations, postgresql_schema
from acap.harvest.store.database import Row, StoreBusyError, StoreError, StoreFullError
from acap.harvest.store.terms import digest_of, indexed_terms, terms_of
from acap.harvest.store.transactions import Transactions
from acap.harvest.values import storable

T = TypeVar("T")

BUSY_SECONDS = 10.0
_CONNECT_SECONDS = 10
# Numbers of advisory locks, per database: "acas", and the one after.
_WRITER = 0x61636173
_TRANSACTION = _WRITER + 1
_WEIGHTS = "{0.25, 0.25, 0.25, 1.0}"  # of body and title
# A session that began to read before something was deleted keeps it alive.
_READERS = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_xmin IS NOT NULL
        AND (backend_type IN ('client backend', 'parallel worker') OR query LIKE 'autovacuum: %ANALYZE%')
"""
_READ_SECONDS = 1.0  # `scrub` waits so long for readers: a session that was closed ends a while later
_LOOKS_AGAIN = 0.02


class PostgresqlDatabase(Transactions):
    """A database of a server; see `Database`. The URL leads to the server itself, or to a pool by session."""

    kind = "postgresql"

    def __init__(self, url: str, *, create: bool, busy_seconds: float | None = None) -> None:
        """Connects and brings the tables to the newest form. Raises StoreError."""
        super().__init__()
        self._url = url
        self._busy = BUSY_SECONDS if busy_seconds is None else busy_seconds
        self._writes = False
        self._lost = False
        self.place = _without_password(url)
        self._connection = self._connect()
        try:
            self._prepare(create)
        except BaseException:
            self._connection.close()
            raise

    def _connect(self) -> psycopg.Connection[Row]:
        try:
            with _named(self.place):
                connection = psycopg.connect(
                    self._url, autocommit=True, application_name="acap", connect_timeout=_CONNECT_SECONDS
                )
        except StoreError as error:
            if isinstance(error.__cause__, psycopg.ProgrammingError):
                # What the library says of it may have the password.
                raise StoreError(
                    "the URL of the store cannot be read; has its password a character that must be %-encoded?"
                ) from None
            raise
        if connection.info.parameter_status("server_encoding") != "UTF8":
            connection.close()
            raise StoreError(f"`{self.place}` is not in UTF8; make the database with ENCODING 'UTF8'")
        with _named(self.place):
            connection.execute("SELECT set_config('lock_timeout', %s, false)", (f"{int(self._busy * 1000)}ms",))
        return connection

    def _prepare(self, create: bool) -> None:
        done = self._migrated(create)
        if done is not None:
            with self._statement(), _named(self.place):
                foreign = postgresql_schema.foreign(self._connection)
            if foreign:
                raise StoreError(
                    f"`{self.place}` has a {foreign}, which can change what is written; drop it, and verify the ledger"
                )
        if done == len(migrations.TABLES):
            return
        with self.transaction():
            # Once more: another process may have been quicker.
            done = self._migrated(create)
            if done is None:
                self.run(postgresql_schema.MIGRATIONS)
            for number in range(done or 0, len(migrations.TABLES)):
                for statement in migrations.statements(number, migrations.POSTGRESQL, **postgresql_schema.TYPES):
                    self.run(statement)
                self.run("INSERT INTO acap_migrations (number) VALUES (?)", (migrations.FORGOTTEN + number,))

    def _migrated(self, create: bool) -> int | None:
        """How many migrations the database has, None if it is not a store."""
        # A look into the catalogue itself: what `to_regclass` once found missing it may go on to miss.
        if not self.rows("SELECT 1 FROM pg_class WHERE relname = 'acap_migrations' AND pg_table_is_visible(oid)"):
            if not create:
                raise StoreError(
                    f"there is no store in `{self.place}`; `acap crawl` or `acap import --crawler` makes one"
                )
            return None
        done = [int(number) for (number,) in self.rows("SELECT number FROM acap_migrations")]
        if any(number >= migrations.newest() for number in done):
            raise StoreError(f"`{self.place}` was written by a newer acap; upgrade, or name another database")
        if any(number < migrations.FORGOTTEN for number in done):
            raise StoreError(
                f"`{self.place}` is of an older acap, whose ledger proves too little; name another database"
            )
        return len(done)

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """All rows."""
        if sql.lstrip().startswith("SELECT"):
            with self._statement(), _named(self.place):
                return self._again(lambda: self._connection.execute(_marks(sql), _clean(values)).fetchall())
        # Not repeated with a new connection: the server may have done it before the old one was lost.
        with self.transaction(), self._statement(), _named(self.place):
            return self._connection.execute(_marks(sql), _clean(values)).fetchall()

    def run(self, sql: str, values: Sequence[Any] = ()) -> None:
        """A statement that gives no rows."""
        with self.transaction(), self._statement(), _named(self.place):
            self._connection.execute(_marks(sql), _clean(values))

    def many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """A statement for each row of values."""
        with self.transaction(), self._statement(), _named(self.place), self._connection.cursor() as cursor:
            cursor.executemany(_marks(sql), [_clean(row) for row in rows])

    def _begin(self) -> None:
        with _named(self.place):
            self._check_turn()
            self._again(lambda: self._connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED"))
            self._connection.execute("SELECT pg_advisory_xact_lock(%s)", (_TRANSACTION,))

    def _commit(self) -> None:
        with _named(self.place):
            self._connection.execute("COMMIT")

    def _roll_back(self) -> None:
        with suppress(psycopg.Error):  # without a connection the server does it
            self._connection.execute("ROLLBACK")

    def _again(self, act: Callable[[], T]) -> T:
        """Acts; with a new connection if the server ended the old one in between, but never within a transaction."""
        if not self._depth and self._connection.closed:
            self._reconnect()
        try:
            return act()
        except psycopg.OperationalError:
            if self._depth or not self._connection.closed:
                raise
        self._reconnect()
        return act()

    def _reconnect(self) -> None:
        self._lost = self._writes
        self._connection = self._connect()
        self._check_turn()

    def _check_turn(self) -> None:
        if self._writes and self._connection.closed:
            self._lost = True
        if self._lost:
            raise StoreError(f"the connection to `{self.place}`, and with it the turn to write, was lost; start again")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Has the lock of the one writer, on the connection that writes."""
        with self._lock:
            if self._writes or not self.rows("SELECT pg_try_advisory_lock(?)", (_WRITER,))[0][0]:
                raise StoreBusyError(
                    f"`{self.place}` is being written by another crawl, sweep, import or removal; wait for its end"
                )
            self._writes = True
        try:
            yield
        finally:
            with self._lock:
                self._writes = self._lost = False
                with suppress(psycopg.Error):  # it went with its connection
                    self._connection.execute("SELECT pg_advisory_unlock(%s)", (_WRITER,))

    def check_turn(self) -> None:
        """Asks the server. Raises StoreError if the lock of the writer was lost."""
        with self._lock:
            if self._writes:
                with suppress(StoreError):
                    self.rows("SELECT 1")
            self._check_turn()

    def put_terms(self, number: int, title: str, body: str) -> str:
        """Puts a text into the index. All terms have the same position, so that it cannot be put together again."""
        in_title, in_body = indexed_terms(title, body)
        vector = [f"'{term}':1A" for term in in_title]
        vector += (f"'{term}':1" for term in dict.fromkeys(in_body).keys() - set(in_title))
        self.run("INSERT INTO terms (id, vector) VALUES (?, CAST(? AS tsvector))", (number, " ".join(vector)))
        return digest_of(in_title, in_body)

    def octets(self) -> int:
        """Of all tables, with their indexes."""
        sql = "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c WHERE c.relkind = 'r' "
        return int(self.rows(f"{sql}AND c.relnamespace = current_schema()::regnamespace")[0][0])

    def altered(self) -> list[str]:
        """By what the catalogue says of the schema."""
        with self.transaction(), self._statement(), _named(self.place):
            return list(postgresql_schema.altered(self._connection))

    def terms_digests(self) -> dict[int, str]:
        """Of each text; empty for one whose terms have more than one place, and that 1."""
        digests: dict[int, str] = {}
        for number in sorted(self.indexed()):
            sql = "SELECT lexeme, weights[1], positions = '{1}' FROM terms, LATERAL unnest(vector) WHERE id = ?"
            terms = self.rows(sql, (number,))
            titles = [term for term, weight, _ in terms if weight == "A"]
            digest = digest_of(titles, [term for term, weight, _ in terms if weight != "A"])
            digests[number] = digest if all(is_alone for *_, is_alone in terms) else ""
        return digests

    def drop_terms(self, numbers: Sequence[int]) -> None:
        """Takes texts out of the index."""
        self.run("DELETE FROM terms WHERE id = ANY(?)", (list(numbers),))

    def search(self, words: Sequence[str], limit: int, offset: int) -> list[tuple[int, float]]:
        """Numbers of the texts with all the words, the best first."""
        terms = [f"'{term}'" for term in terms_of(" ".join(words))]
        if not terms:
            return []
        # Ranked as if any term would do: terms at the same position are no neighbours to PostgreSQL.
        rows = self.rows(
            "SELECT id, -ts_rank(CAST(? AS real[]), vector, CAST(? AS tsquery), 1) AS rank FROM terms "
            "WHERE vector @@ CAST(? AS tsquery) ORDER BY rank, id LIMIT ? OFFSET ?",
            (_WEIGHTS, " | ".join(terms), " & ".join(terms), limit, offset),
        )
        return [(int(number), float(rank)) for number, rank in rows]

    def indexed(self) -> set[int]:
        """The numbers of all texts in the index."""
        return {int(number) for (number,) in self.rows("SELECT id FROM terms")}

    def scrub(self) -> None:
        """Writes the table of the index anew without what was deleted."""
        self._check_outside()
        until = time.monotonic() + _READ_SECONDS
        while (is_read := bool(self.rows(_READERS)[0][0])) and time.monotonic() < until:
            time.sleep(_LOOKS_AGAIN)
        if is_read:
            raise StoreBusyError(f"`{self.place}` is being read; what was deleted goes with the next sweep")
        with self._statement(), _named(self.place):
            self._check_turn()
            self._again(lambda: self._connection.execute("VACUUM FULL terms"))

    def close(self) -> None:
        """Ends the connection."""
        with self._lock:
            self._connection.close()


@lru_cache(256)
def _marks(sql: str) -> bytes:
    return sql.replace("%", "%%").replace("?", "%s").encode()


def _clean(values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(map(storable, values))


def _without_password(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return "postgresql:"
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


@contextmanager
def _named(place: str) -> Iterator[None]:
    """The errors of psycopg as those of stores."""
    try:
        yield
    except psycopg.errors.DiskFull as error:
        raise StoreFullError(f"no room to write `{place}`; free some, then run the same command again") from error
    except (
        psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure,
    ) as error:  # fmt: skip
        raise StoreBusyError(f"`{place}` is busy: {_line(error)}; try again") from error
    except psycopg.Error as error:
        raise StoreError(f"`{place}` cannot be used: {_line(error)}") from error


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
