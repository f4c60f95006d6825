"""Whether the tables of an SQLite file are those that the migrations make, with nothing beside them.

What is compared is what SQLite itself says of tables, indexes, triggers and views, with what it says of an empty file
that was just migrated. The index of words keeps tables of its own: their form is compared like others, and so is how it
is set up; how long each text is, is compared with its words (`SqliteDatabase.terms_digests`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import apsw

from acap.explain import visible
from acap.harvest.store import migrations

TYPES = {
    "serial": "INTEGER PRIMARY KEY AUTOINCREMENT",  # numbers are never given again
    "key": "INTEGER PRIMARY KEY",
    "blob": "BLOB",
}
_MASTER = "SELECT type, name, tbl_name, sql FROM sqlite_master"
_CONFIG = "SELECT k, v FROM terms_config"
_FOREIGN = "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view') ORDER BY name LIMIT 1"
_FAULTS = 10  # of the file itself that are reported


class _Made(NamedTuple):
    """What the migrations make: objects by kind and name, how the index is set up, tables that give numbers."""

    objects: dict[tuple[str, str], tuple[str, str | None]]
    config: dict[str, object]
    serial: frozenset[str]


def foreign(connection: apsw.Connection) -> str | None:
    """A trigger or view, which a store does not have: either can change what is written or read."""
    for kind, name in connection.execute(_FOREIGN):
        return f"{kind} `{visible(str(name))}`"
    return None


def altered(connection: apsw.Connection) -> Iterator[str]:
    """What is not as the migrations make it, a line each."""
    made = _made()
    yield from migrations.differences(made.objects, _objects(connection))
    if dict(connection.execute(_CONFIG)) != made.config:
        yield "the index is not set up as it was made"
    yield from _numbers(connection, made.serial)
    faults = [str(one) for (one,) in connection.execute(f"PRAGMA integrity_check({_FAULTS})")]
    yield from (f"the file is damaged: {' '.join(one.split())}" for one in faults if one != "ok")


def _numbers(connection: apsw.Connection, serial: frozenset[str]) -> Iterator[str]:
    """Whether no number can be given again."""
    given = dict.fromkeys(serial, 0)
    for name, last in connection.execute("SELECT name, seq FROM sqlite_sequence"):
        if name in serial and isinstance(last, int):
            given[name] = last
        else:
            yield f"`{name}` in sqlite_sequence is not a table that gives numbers"
    for name, last in given.items():
        highest: Any = connection.execute(f"SELECT coalesce(max(id), 0) FROM {name}").get  # noqa: S608  the values are parameters; all else is our own text
        if last < highest:
            yield f"numbers of {name} that were given can be given again"


def _objects(connection: apsw.Connection) -> dict[tuple[str, str], tuple[str, str | None]]:
    return {
        (str(kind), str(name)): (str(table), None if sql is None else " ".join(str(sql).split()))
        for kind, name, table, sql in connection.execute(_MASTER)
    }


@cache
def _made() -> _Made:
    connection = apsw.Connection(":memory:")
    try:
        for number in range(len(migrations.TABLES)):
            for statement in migrations.statements(number, migrations.SQLITE, **TYPES):
                connection.execute(statement)
        objects = _objects(connection)
        serial = (name for (kind, name), (_, sql) in objects.items() if kind == "table" and "AUTOINCREMENT" in str(sql))
        return _Made(objects, dict(connection.execute(_CONFIG)), frozenset(serial))
    finally:
        connection.close()
