"""Answers kept in a file: an SQLite database that several processes and threads may share.

The laws of this module:

1. An answer is stored in one transaction: it is there whole, or it is not there. Each row carries a digest of all it
   says; a row that does not match its digest is dropped.
2. A database that is damaged is set aside under another name and begun anew. What was lost has to be asked for again,
   which permits nothing. A file that is not a cache of acap is left alone: that is the caller's mistake.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import platformdirs

from acap.retrieval.answers import Answer
from acap.retrieval.cache import CacheEntry, CacheError
from acap.retrieval.private import DIRECTORY_MODE, begin_private, open_regular
from acap.retrieval.rows import COLUMNS, MIGRATIONS, from_row, to_row

T = TypeVar("T")

APPLICATION_ID = 0x41434150  # "ACAP", in the file's header: tells our file from another program's
BUSY_SECONDS = 5.0  # how long to wait for another process's write; each takes milliseconds
_MAGIC = b"SQLite format 3\x00"
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_ATTEMPTS = 3  # one for our own repair, one for another process's in the same moment
_BESIDE = ("-wal", "-shm")  # the files that SQLite keeps beside a database

_LOAD = f"SELECT {', '.join(COLUMNS)} FROM answers WHERE url = ? AND agent = ?"  # noqa: S608  our own column names
_STORE = f"INSERT OR REPLACE INTO answers ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"  # noqa: S608  the values are parameters; all else is our own text
_DROP = "DELETE FROM answers WHERE url = ? AND agent = ? AND settled = ?"


def default_path() -> Path:
    """Where the cache is if the caller names no file: the user's own cache directory."""
    return Path(platformdirs.user_cache_dir("acap")) / "answers.sqlite3"


class SqliteCache:
    """A `ResponseCache` in a file."""

    def __init__(self, path: str | os.PathLike[str] | None = None, *, busy_seconds: float = BUSY_SECONDS) -> None:
        """Opens the file, or makes it and its directory; None is `default_path()`.

        Raises CacheError if it cannot, if the file is not a cache of ours, or if a newer version of acap wrote it.
        """
        self.path = Path(path) if path is not None else default_path()
        self._busy_seconds = busy_seconds
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._strays: list[sqlite3.Connection] = []
        self._connection: sqlite3.Connection | None = None
        self._closed = False
        with self._lock, self._speaking():
            self._do(lambda _: None)

    def load(self, url: str, agent: str) -> CacheEntry:
        """What is known of the URL to that User-Agent. Raises CacheError if the file cannot be read."""

        def work(connection: sqlite3.Connection) -> CacheEntry:
            answers: dict[int, Answer] = {}
            for row in connection.execute(_LOAD, (url, agent)).fetchall():
                answer, settled = from_row(row), row[COLUMNS.index("settled")]
                if answer is not None:
                    answers[settled] = answer
                    continue
                with suppress(sqlite3.OperationalError):  # read-only or busy: it is left out all the same
                    connection.execute(_DROP, (url, agent, settled))
            return CacheEntry(answers.get(1), answers.get(0))

        with self._lock, self._speaking():
            return self._do(work)

    def store(self, answer: Answer) -> None:
        """Keeps the answer; what it settles, it settles in the same transaction. Raises CacheError if it cannot."""

        def work(connection: sqlite3.Connection) -> None:
            with _transaction(connection):
                if answer.settled:
                    connection.execute(_DROP, (answer.url, answer.agent, 0))
                connection.execute(_STORE, to_row(answer))

        with self._lock, self._speaking():
            self._do(work)

    def prune(self, before: datetime) -> int:
        """Forgets what was last confirmed before the aware instant; how many answers that were."""

        def work(connection: sqlite3.Connection) -> int:
            at = before.astimezone(UTC).isoformat(timespec="microseconds")
            return connection.execute("DELETE FROM answers WHERE checked_at < ?", (at,)).rowcount

        with self._lock, self._speaking():
            return self._do(work)

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._closed = True
            self._let_go()

    @contextmanager
    def _speaking(self) -> Iterator[None]:
        """SQLite's and the system's errors as ours."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise CacheError(f"the cache `{self.path}` cannot be used: {error}") from error

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """The work, done again on a new file if this one proves to be damaged, or was taken away under us."""
        for _ in range(_ATTEMPTS - 1):
            try:
                return work(self._opened())
            except sqlite3.Error as error:
                self._let_go()
                if _damaged(error):
                    self._set_aside()
                elif not _taken_away(error):
                    raise
        return work(self._opened())

    def _opened(self) -> sqlite3.Connection:
        if self._closed:
            raise CacheError(f"the cache `{self.path}` is closed")
        if self._pid != os.getpid():
            # SQLite forbids to use or even close a connection in a child process; it is only kept from being collected.
            self._strays += [self._connection] if self._connection else []
            self._connection, self._pid = None, os.getpid()
        if self._connection is None:
            self._connection = self._open()
        return self._connection

    def _let_go(self) -> None:
        if self._connection is not None and self._pid == os.getpid():
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)
        if not _may_be_database(self.path):
            raise CacheError(
                f"`{self.path}` is not an SQLite database; move it away, or name another file for the cache"
            )
        begin_private(self.path)
        connection = sqlite3.connect(
            self.path, timeout=self._busy_seconds, isolation_level=None, check_same_thread=False
        )
        # Text that is damaged must come to the digest, which refuses it, and not raise before.
        connection.text_factory = lambda octets: octets.decode(errors="surrogateescape")
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Brings the file to the newest version. Raises CacheError for one that is not ours, or from the future."""
        version, application = _header(connection)
        if (version, application) != (len(MIGRATIONS), APPLICATION_ID):
            with _transaction(connection):
                version, application = _header(connection)  # once more: another process may have been quicker
                tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
                if application != APPLICATION_ID and (application or version or tables):
                    raise CacheError(f"`{self.path}` is a database of another program; name another file for the cache")
                if version > len(MIGRATIONS):
                    raise CacheError(f"`{self.path}` was written by a newer acap; name another file, or upgrade")
                for script in MIGRATIONS[version:]:
                    for statement in script.split(";"):
                        connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        # Readers go on while one writes. A crash of the process loses nothing, one of the machine the last writes.
        with suppress(sqlite3.OperationalError):  # another process is at it: then it will be so for us too
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")

    def _set_aside(self) -> None:
        """Renames the damaged file, unless another process has done so by now."""
        # An SQLite lock of its own, for it is one that every system has and that ends with its process.
        with closing(sqlite3.connect(f"{self.path}-repair", timeout=self._busy_seconds, isolation_level=None)) as turn:
            turn.execute("BEGIN EXCLUSIVE")
            if not self._is_damaged():
                return
            kept = self.path.with_name(f"{self.path.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S%f}")
            # What lies beside goes first: whoever opens the file in between must not join it to a new database.
            for suffix in (*_BESIDE, ""):
                with suppress(FileNotFoundError):
                    Path(f"{self.path}{suffix}").rename(f"{kept}{suffix}")

    def _is_damaged(self) -> bool:
        try:
            with closing(sqlite3.connect(self.path, timeout=self._busy_seconds, isolation_level=None)) as connection:
                return bool(connection.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok")
        except sqlite3.DatabaseError as error:
            return _damaged(error)


def _damaged(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE


def _taken_away(error: sqlite3.Error) -> bool:
    """Whether another process may have set the file aside, or emptied it, while we had it open."""
    code = getattr(error, "sqlite_errorcode", 0)
    moved = code == sqlite3.SQLITE_READONLY_DBMOVED or code & 0xFF in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PROTOCOL)
    return moved or "no such table" in str(error)


def _header(connection: sqlite3.Connection) -> tuple[int, int]:
    """The version of the schema and the mark of the program."""
    return (
        connection.execute("PRAGMA user_version").fetchone()[0],
        connection.execute("PRAGMA application_id").fetchone()[0],
    )


def _may_be_database(path: Path) -> bool:
    """Whether the file is new, empty or begins as a database does."""
    try:
        with open_regular(path, links=True) as file:
            return file.read(len(_MAGIC)) in (b"", _MAGIC)
    except FileNotFoundError:
        return True


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
