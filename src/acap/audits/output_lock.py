"""One process at a time works on an output: who has locked the file `lock` among its parts.

The lock is one of the system, which ends with the process that has it, however that ends; the file alone says nothing.
SQLite takes it, as that knows how on every platform.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from acap.audits.inputs import InputError

LOCK: Final = "lock"
"""The name of the file."""

_ATTEMPTS = 5  # a process that ends may take the file or the directory away meanwhile
_SECONDS = 0.2  # two that begin at once see each other for a moment, though neither has it


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Has the lock of the directory of the parts, which is made if there is none, and goes at the end if it is empty.

    Raises:
        InputError: another process has it.
        OSError, sqlite3.Error: it cannot be made, or locked.
    """
    file = directory / LOCK
    try:
        with closing(_taken(directory, file)):
            try:
                yield
            finally:
                with suppress(OSError):  # Windows removes no open file
                    file.unlink()
        if os.name == "nt":  # elsewhere it may be another's by now
            with suppress(OSError):
                file.unlink()
    finally:
        with suppress(OSError):  # there are parts in it
            directory.rmdir()


def _taken(directory: Path, file: Path) -> sqlite3.Connection:
    for left in reversed(range(_ATTEMPTS)):
        base = None
        try:
            directory.mkdir(parents=True, exist_ok=True)
            known = _made(file)
            base = _open(file)
            _lock(base)
            if known is not None and known == _identity(file):
                return base
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                raise InputError(
                    f"{directory}: another process works on this output; wait for it, or name another one"
                ) from error
            if not left:
                raise
        if base is not None:
            base.close()
    raise InputError(f"{file}: other processes remove it again and again; name another output")


def _made(file: Path) -> tuple[int, ...] | None:
    """Makes the file if there is none. Which one has its name: that is the one that is opened, if it has it later, too.

    Only SQLite opens it, for a process that closes a file loses every lock that it has on it.
    """
    if not file.exists():
        _open(file).close()
    return _identity(file)


def _identity(file: Path) -> tuple[int, ...] | None:
    """Which file has this name, and since when: who is done removes it, and the next one makes another."""
    try:
        stat = file.stat()
    except FileNotFoundError:
        return None
    return stat.st_dev, stat.st_ino, stat.st_ctime_ns


def _open(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(file, timeout=_SECONDS, isolation_level=None)


def _lock(base: sqlite3.Connection) -> None:
    base.execute("PRAGMA journal_mode = MEMORY")  # no second file beside it
    base.execute("BEGIN EXCLUSIVE")
