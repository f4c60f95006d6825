"""The law of the proof: what is changed in any table, put in or taken out is found, if it is not called bookkeeping."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from acap.harvest import proof
from acap.harvest.copies import CopyMissingError
from acap.harvest.export import drop, export
from acap.harvest.presentation import Presentation, copy, link, snippet
from acap.harvest.removal import remove
from acap.harvest.store import StoreError, open_store
from tests.harvest import HTML, SITE, Harvest
from tests.portions import at_length, portion

ROBOTS = b"""ACAP-crawler: *
ACAP-allow-crawl: /
ACAP-allow-index: / time-limit=90-days
ACAP-allow-index: /teaser must-use-resource=https://news.example/b
ACAP-request-take-down: /gone
"""
KEYS = {
    "about": ("name",), "policies": ("id",), "documents": ("content",), "resources": ("id", "url"),
    "versions": ("id",), "requirements": ("url",), "files": ("name",), "requests": ("id", "said_in"),
    "proven": ("name",), "grounds": ("id", "digest"), "ledger": ("seq",),
}  # fmt: skip
"""Of each table what has to be new in a row that is put in."""

INDEX = "terms"
"""Of another kind in each database; `test_words_of_the_index_that_are_replaced_are_found` is about it."""


def bookkeeping() -> set[str]:
    """Tables and columns that the documentation says are not proven."""
    text = (Path(__file__).parents[1] / "docs" / "harvest.md").read_text(encoding="utf-8")
    _, _, rest = text.partition("| not proven |")
    rows = rest.split("\n\n")[0].splitlines()[2:]
    return {name for row in rows for name in re.findall("`([a-z_.]+)`", row.split("|")[1])}


EVERY_STATE = pytest.mark.parametrize(
    ("store_place", "kept"),
    [
        ("sqlite", "all there"),
        ("sqlite", "months left"),
        ("sqlite", "months at hand"),
        ("postgresql", "months at hand"),
    ],
    indirect=True,
)
"""PostgreSQL is asked where most is to be proven: both databases are asked the same questions."""


@dataclass
class Kept:
    """A harvest with a bit of everything; a head that was noted, and where months went that left."""

    harvest: Harvest
    noted: str
    exported: Path | None

    def wrong(self) -> tuple[str, ...]:
        return proof.verify(self.harvest.store, self.noted, exported=self.exported).wrong

    def bodies(self) -> dict[int, bytes]:
        """Of each version the body that may be read of it."""
        store, found = self.harvest.store, {}
        for version in store.resources.every_version():
            if version.place is not None:
                with suppress(CopyMissingError, StoreError):
                    found[version.id] = store.read(version).body
        return found


def fill(harvest: Harvest, name: str) -> None:
    """Pages that are kept, refused, succeeded, shown, removed, required; failures; requests that are settled."""
    harvest.robots[SITE] = ROBOTS + f"# {name}\n".encode()
    harvest.crawl(
        "/a", f"<title>Harbour</title><p>The quorvanel {name}", headers=(*HTML, ("X-Robots-Tag", "nosnippet"))
    )
    harvest.crawl("/b", f"<p>another zembrilop {name}")
    harvest.crawl("/b", status=503)
    harvest.pass_days(1)
    harvest.crawl("/b", status=304, headers=(("X-Robots-Tag", "noarchive"),))
    harvest.crawl("/b", f"<p>now {name} <b class='the-acap:disallow-index'>vexil</b>")
    harvest.crawl("/teaser", f"<p>in its place {name}")
    harvest.crawl(f"/lost{name}", status=404, headers=(("X-Robots-Tag", "noarchive"),))
    presentation = Presentation(harvest.store)
    for number in (1, 2):
        judged = presentation.judged(number)
        assert judged is not None
        presentation.note(*(make(presentation, judged) for make in (link, snippet)))
        presentation.note(copy(presentation, judged).representation)
    presentation.enter("results")
    remove(harvest.store, f"{SITE}/c{name}", why="a letter")
    remove(harvest.store, f"{SITE}/d{name}")
    harvest.store.requests.readmit(f"{SITE}/d{name}", harvest.clock.now())
    harvest.sweep()


@pytest.fixture
def kept(request: pytest.FixtureRequest, store_place: Path | str, tmp_path: Path) -> Iterator[Kept]:
    """Nothing is wrong with any of them, though a head was noted somewhere else."""
    with Harvest(store_place, tmp_path) as harvest:
        fill(harvest, "first")
        noted = harvest.store.ledger.head[1]
        exported = None
        if request.param != "all there":
            harvest.pass_days(31)
            directory = tmp_path / "months"
            assert drop(harvest.store, export(harvest.store, directory)) > 0
            fill(harvest, "then")
            if request.param == "months at hand":
                exported = directory
            else:
                noted = harvest.store.ledger.head[1]
        found = Kept(harvest, noted if exported is not None else harvest.store.ledger.head[1], exported)
        assert found.wrong() == ()
        assert found.bodies()
        yield found


@EVERY_STATE
def test_what_is_not_proven_is_named(kept: Kept) -> None:
    """Every table is either looked at by the law or named by the documentation, which names nothing else."""
    tables = columns_of(kept.harvest)
    named = bookkeeping()
    assert named
    assert {one for one in named if "." not in one} | KEYS.keys() | {INDEX} == tables.keys()
    assert {one for one in named if "." in one} <= {f"{table}.{name}" for table in tables for name in tables[table]}


@pytest.mark.portion
@EVERY_STATE
def test_whatever_is_changed_in_any_table_is_found(kept: Kept) -> None:
    """By each column, in the first and the last row: another value, none, or that of another row; no copy is forged.

    Of the changes of a column each third is tried, which one goes around; `make soak` tries all.
    """
    bodies, made = kept.bodies(), 0
    for number, (table, name, columns, rows) in enumerate(columns_to_look_at(kept.harvest)):
        at = columns.index(name)
        changes = [
            (row, new) for row in rows[:1] + rows[1:][-1:] for new in other_values(row[at], [one[at] for one in rows])
        ]
        for row, new in portion(changes, 3, first=number % min(3, max(1, len(changes)))):
            where, values = named(columns, row)
            found = looked_at(kept, bodies, f"UPDATE {table} SET {name} = ? WHERE {where}", [new, *values])
            assert found is not False, f"{table}.{name}: {row[at]!r} as {new!r}"
            made += found is not None
    assert made > (150 if at_length() else 50)


@EVERY_STATE
def test_whatever_is_put_into_any_table_or_taken_out_is_found(kept: Kept) -> None:
    """A row as another one with another key; each row; no copy is forged."""
    bodies = kept.bodies()
    for table, keys in KEYS.items():
        columns, rows = columns_of(kept.harvest)[table], rows_of(kept.harvest, table)
        for row in rows:
            where, values = named(columns, row)
            assert looked_at(kept, bodies, f"DELETE FROM {table} WHERE {where}", values), f"{table}: {row!r} taken out"
        marks = ", ".join("?" * len(columns))
        for row in rows[-1:]:
            new = [another(one, table) if name in keys else one for name, one in zip(columns, row, strict=True)]
            found = looked_at(kept, bodies, f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", new)
            assert found, f"{table}: {new!r} put in"


def columns_to_look_at(harvest: Harvest) -> Iterator[tuple[str, str, list[str], list[tuple[Any, ...]]]]:
    """Each table with each of its columns that is proven; all its columns, and its rows."""
    unproven = bookkeeping()
    for table in KEYS:
        columns, rows = columns_of(harvest)[table], rows_of(harvest, table)
        assert rows or table == "proven"
        yield from ((table, name, columns, rows) for name in columns if f"{table}.{name}" not in unproven)


def named(columns: list[str], row: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """A condition that is true of one row, and its values."""
    told = [(name, one) for name, one in zip(columns, row, strict=True) if one is not None]
    return " AND ".join(f"{name} = ?" for name, _ in told), [one for _, one in told]


def another(key: Any, table: str) -> Any:
    """A key that no row has; of an entry the next one."""
    return (key + (1 if table == "ledger" else 1_000)) if isinstance(key, int) else f"{key}x"


class UndoneError(Exception):
    """Whatever was changed is as it was."""


def looked_at(kept: Kept, bodies: dict[int, bytes], sql: str, values: list[Any]) -> bool | None:
    """Whether a change is found, which is then taken back; None where the database does not let it be made."""
    database = kept.harvest.store.database
    found: bool | None = None
    try:
        with database.transaction():
            try:
                database.run(sql, values)
            except StoreError:
                raise UndoneError from None
            found = kept.wrong() != ()
            with suppress(ValueError, TypeError, KeyError, AssertionError):  # a row that cannot be read shows nothing
                now = kept.bodies()
                assert all(bodies.get(number) == body for number, body in now.items()), "a copy is forged"
            raise UndoneError
    except UndoneError:
        return found


def other_values(old: Any, values: list[Any]) -> list[Any]:
    """Others of its kind, none, and those of other rows."""
    new: list[Any]
    if isinstance(old, int):
        new = [old + 1, 0, None]
    elif isinstance(old, str):
        new = [f"{old} ", "", None]
    elif old is None:
        new = [0, 1]
    else:
        new = [bytes(old) + b"x", b""]
    return [one for one in dict.fromkeys([*new, values[0], values[-1]]) if one != old]


def columns_of(harvest: Harvest) -> dict[str, list[str]]:
    """The columns of each table; of the index there is only the name."""
    database = harvest.store.database
    if database.kind == "sqlite":
        tables = [name for (name,) in database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
        names = {name for name in tables if not name.startswith((f"{INDEX}_", "sqlite_"))}
        return {name: [row[1] for row in database.rows(f"PRAGMA table_info({name})")] for name in names}
    found: dict[str, list[str]] = {}
    for table, column in database.rows(
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema() "
        "AND table_name <> 'acap_migrations' ORDER BY table_name, ordinal_position"
    ):
        found.setdefault(table, []).append(column)
    return found


def rows_of(harvest: Harvest, table: str) -> list[tuple[Any, ...]]:
    """All rows, in the order of their keys."""
    columns = columns_of(harvest)[table]
    sql = f"SELECT {', '.join(columns)} FROM {table} ORDER BY {', '.join(KEYS[table])}"
    return harvest.store.database.rows(sql)


OF_EITHER = {
    "a table": ("CREATE TABLE extra (x TEXT)", "extra"),
    "an index": ("CREATE INDEX extra ON versions (media)", "extra"),
    "an index less": ("DROP INDEX ledger_by_copy", "ledger_by_copy"),
    "another index": ("DROP INDEX ledger_by_copy;\nCREATE INDEX ledger_by_copy ON ledger (url)", "ledger_by_copy"),
    "a view": ("CREATE VIEW extra AS SELECT 'the text of a page' AS x", "extra"),
    "a column": ("ALTER TABLE ledger ADD COLUMN x TEXT", "ledger"),
    "a default": ("ALTER TABLE grounds ADD COLUMN x TEXT DEFAULT 'the text of a page'", "grounds"),
    "a table that is gone": ("DROP TABLE schedule", "schedule"),
}
OF_SQLITE = {
    "a trigger": ("CREATE TRIGGER extra AFTER INSERT ON requests BEGIN DELETE FROM requests; END", "extra"),
    "a number that comes again": ("UPDATE sqlite_sequence SET seq = 0 WHERE name = 'versions'", "versions"),
    "a number that is gone": ("DELETE FROM sqlite_sequence WHERE name = 'requests'", "requests"),
    "a number that is a text": ("UPDATE sqlite_sequence SET seq = 'a page' WHERE name = 'requests'", "requests"),
    "a name that gives no numbers": ("INSERT INTO sqlite_sequence VALUES ('the text of a page', 1)", "sqlite_sequence"),
    "how long a text is": ("UPDATE terms_docsize SET sz = x'0101'", "index"),
    "more than how long a text is": ("UPDATE terms_docsize SET sz = sz || x'2020'", "index"),
    "how the index is set up": ("INSERT OR REPLACE INTO terms_config VALUES ('rank', 'bm25(10.0, 0.0)')", "index"),
    "words of no version": ("INSERT INTO terms (rowid, title, body) VALUES (999, 'x', 'y')", "999"),
    "words that the index does not name": (
        "INSERT INTO terms (rowid, title, body) VALUES (-999, 'x', 'y');\nDELETE FROM terms_docsize WHERE id = -999",
        "-999",
    ),
}
FUNCTION = "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'"
OF_POSTGRESQL = {
    "a trigger": (
        f"{FUNCTION};\nCREATE TRIGGER extra BEFORE INSERT ON requests FOR EACH ROW EXECUTE FUNCTION f()",
        "extra",
    ),
    "a function": ("CREATE FUNCTION extra() RETURNS int LANGUAGE sql AS 'SELECT 1'", "extra"),
    "a rule": ("CREATE RULE extra AS ON INSERT TO requests DO INSTEAD NOTHING", "extra"),
    "rows that are hidden": ("ALTER TABLE ledger ENABLE ROW LEVEL SECURITY", "ledger"),
    "who may see rows": ("CREATE POLICY extra ON ledger USING (false)", "extra"),
    "a kind of value": ("CREATE TYPE extra AS ENUM ('the text of a page')", "extra"),
    "a kind of row": ("CREATE TYPE extra AS (x TEXT)", "extra"),
    "a sequence": ("CREATE SEQUENCE extra", "extra"),
    "rows of another table": ("CREATE SCHEMA other;\nCREATE TABLE other.x () INHERITS (ledger)", "ledger"),
    "a condition": ("ALTER TABLE requests ADD CONSTRAINT extra CHECK (action <> 'remove')", "extra"),
    "a table that a crash empties": ("ALTER TABLE files SET UNLOGGED", "files"),
    "a number that comes again": ("ALTER SEQUENCE versions_id_seq RESTART", "versions"),
    "a migration": ("INSERT INTO acap_migrations VALUES (-7)", "migrations"),
    "in which order words come": ("UPDATE terms SET vector = setweight(vector::text::tsvector, 'A')", "index"),
    "where words stand": ("UPDATE terms SET vector = (replace(vector::text, ':1', ':7'))::tsvector", "index"),
}


def test_whatever_is_beside_the_tables_or_not_as_it_was_made_is_found(store_place: Path | str, tmp_path: Path) -> None:
    """Tables, indexes, triggers, functions, the tables of the index, numbers that were given."""
    with Harvest(store_place, tmp_path) as harvest:
        fill(harvest, "first")
        database = harvest.store.database
        kinds = OF_EITHER | (OF_SQLITE if database.kind == "sqlite" else OF_POSTGRESQL)
        assert proof.verify(harvest.store).wrong == ()
        for what, (sql, named_so) in kinds.items():
            with suppress(UndoneError), database.transaction():
                for statement in sql.split(";\n"):
                    database.run(statement)
                wrong = proof.verify(harvest.store).wrong
                assert any(named_so in one for one in wrong), (what, wrong)
                assert not any("\n" in one for one in wrong)
                raise UndoneError
        assert proof.verify(harvest.store).wrong == ()


@pytest.mark.parametrize("what", ["a trigger", "a view", "a rule", "who may see rows"])
def test_a_store_with_what_can_change_what_is_written_is_not_opened(
    store_place: Path | str, tmp_path: Path, what: str
) -> None:
    """A trigger could take out each removal as it is entered; one line says so, and what to do."""
    with Harvest(store_place, tmp_path) as harvest:
        database = harvest.store.database
        kinds = OF_EITHER | (OF_SQLITE if database.kind == "sqlite" else OF_POSTGRESQL)
        if what in kinds:
            for statement in kinds[what][0].split(";\n"):
                database.run(statement)
            with pytest.raises(StoreError, match=r"has a (trigger|view|rule|policy) `extra`.*drop it") as error:
                open_store(store_place)
            assert "\n" not in str(error.value)


def test_every_table_of_the_index_is_proven_or_named(tmp_path: Path) -> None:
    """What SQLite keeps beside the tables of migrations is named by the documentation, too."""
    text = (Path(__file__).parents[1] / "docs" / "harvest.md").read_text(encoding="utf-8")
    with Harvest(tmp_path / "s.db", tmp_path) as harvest:
        tables = {
            name for (name,) in harvest.store.database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
        }
    beside = {name for name in tables if name.startswith((f"{INDEX}_", "sqlite_"))}
    assert beside == {"terms_data", "terms_idx", "terms_docsize", "terms_config", "sqlite_sequence"}
    assert all(f"`{name}`" in text or f"`{name}." in text for name in beside)
