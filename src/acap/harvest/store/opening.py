"""Opening a store by its place, and making one: an SQLite file or a database of PostgreSQL, for one operator."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

from acap.clock import Clock, SystemClock
from acap.harvest.copies import Copies
from acap.harvest.operator import Operator
from acap.harvest.store.database import Database, StoreError
from acap.harvest.store.ledger import OF_STORE, UNREADABLE, Ledger, start_of
from acap.harvest.store.store import Store
from acap.harvest.system import why_no_store

_POSTGRESQL = ("postgresql://", "postgres://")


def open_store(
    where: str | Path, *, operator: Operator | None = None, copies: Path | None = None, clock: Clock | None = None
) -> Store:
    """Opens a store: an SQLite file, or a database of PostgreSQL by its URL.

    `operator`: makes the store if there is none, and otherwise must be the one it was made for. `copies`: the directory
    of the files with copies; by default beside an SQLite file, and as it was given when the store was made.

    Raises:
        StoreError: there is no store, or it is another crawler's, or cannot be used; none can be kept on this system.
    """
    if (why := why_no_store()) is not None:
        raise StoreError(why)
    clock = clock or SystemClock()
    text = str(where)
    database: Database
    if text.startswith(_POSTGRESQL):
        try:
            from acap.harvest.store.postgresql import PostgresqlDatabase  # of the extra `postgres`
        except ImportError as error:
            raise StoreError("a store in PostgreSQL needs: pip install 'acap[postgres]'") from error
        database = PostgresqlDatabase(text, create=operator is not None)
        beside = None
    else:
        try:
            from acap.harvest.store.sqlite import SqliteDatabase  # of the extra `crawl`
        except ImportError as error:
            raise StoreError("a store in a file needs: pip install 'acap[crawl]'") from error
        path = Path(where)
        database = SqliteDatabase(path, create=operator is not None)
        file = path.resolve()  # a link has no copies of its own
        beside = file.with_name(f"{file.name}.copies")
    try:
        return _opened(database, operator, copies, beside, clock)
    except BaseException:
        database.close()
        raise


def _opened(
    database: Database, operator: Operator | None, copies: Path | None, beside: Path | None, clock: Clock
) -> Store:
    texts = _about(database) or _begun(database, operator, copies, beside)
    try:
        about = {name: json.loads(texts[name]) for name in OF_STORE}
        kept = Operator.from_json(about["operator"])
    except UNREADABLE as error:
        raise StoreError(
            f"`{database.place}` is damaged: whose it is cannot be read; restore it from a backup"
        ) from error
    if operator is not None and _asks(operator) != _asks(kept):
        whose = f"{', '.join(kept.names)}{' for ' + ', '.join(kept.purposes) if kept.purposes else ''}"
        used = f", kept for {', '.join(kept.usages)}" if kept.usages else ""
        mended = "".join(f" --for {usage}" for usage in kept.usages if usage not in operator.usages)
        is_forgotten = mended and set(operator.usages) < set(kept.usages) and _asks(operator)[:2] == _asks(kept)[:2]
        raise StoreError(
            f"`{database.place}` is the store of {whose}{used}; {f'add{mended}, or ' if is_forgotten else ''}"
            "name another file for another crawler, purpose or usage"
        )
    if operator is not None and operator.licensee not in (None, kept.licensee):
        raise StoreError(
            f"`{database.place}` was made for another licensee, by which it judges what it holds; name another file"
        )
    directory = copies or (Path(about["copies"]) if about["copies"] else beside)
    assert directory is not None
    ledger = Ledger(database, start_of(texts))
    return Store(database, Copies(directory, clock=clock), kept, clock, ledger, str(about["id"]), directory)


def _asks(operator: Operator) -> tuple[tuple[str, ...], ...]:
    """What another operator would be permitted otherwise."""
    return operator.names, operator.purposes, operator.usages


def _about(database: Database) -> dict[str, str]:
    return dict(database.rows("SELECT name, value FROM about"))


def _begun(database: Database, operator: Operator | None, copies: Path | None, beside: Path | None) -> dict[str, str]:
    """What the store is from now on, or what another process just made of it."""
    if operator is None:
        raise StoreError(f"`{database.place}` is not a store yet; `acap crawl` or `acap import --crawler` makes one")
    if copies is None and beside is None:
        raise StoreError("a store in PostgreSQL needs a directory for copies; name one with --copies")
    with database.transaction():
        about = _about(database)
        if about:
            return about
        settings: dict[str, Any] = {
            "id": uuid.uuid4().hex,
            "operator": operator.to_json(),
            "copies": None if copies is None else str(copies.resolve()),
        }
        about = {name: json.dumps(value) for name, value in settings.items()}
        database.many("INSERT INTO about (name, value) VALUES (?, ?)", about.items())
    return about
