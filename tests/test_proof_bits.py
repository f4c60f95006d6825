"""The law of damage to a database: with one bit flipped, verification ends, and finds what SQLite reads otherwise."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
import pytest

from acap.harvest import proof
from acap.harvest.store import StoreError, open_store
from acap.harvest.store.sqlite import SqliteDatabase
from tests.harvest import SITE, Harvest
from tests.test_proof_tables import INDEX, bookkeeping, fill

FLIPS = int(os.environ.get("ACAP_FLIPS", "250"))
READ_AT_ONCE = ("versions", "resources", "ledger", "policies", "grounds")
"""Tables that are read by their number, some rows at a time."""


class EndlessError(BaseException):
    """Many times more rows were read than there are; no error that a verification answers for."""


@dataclass
class Kept:
    """A small store in a file, and how many rows its verification reads."""

    path: Path
    octets: bytes
    rows: int = 0

    def flip(self, at: int, bit: int) -> None:
        """One bit of the file is another one; all others are as they were."""
        changed = bytearray(self.octets)
        changed[at] ^= 1 << bit
        for beside in ("-wal", "-shm"):
            Path(f"{self.path}{beside}").unlink(missing_ok=True)
        self.path.write_bytes(changed)

    def is_found(self, monkeypatch: pytest.MonkeyPatch) -> bool:
        """Whether the store is not opened, or its verification finds anything; it has to end."""
        left = [20 * self.rows or 1_000_000]
        read = SqliteDatabase.rows

        def counted(database: SqliteDatabase, sql: str, values: Any = ()) -> list[Any]:
            found = read(database, sql, values)
            left[0] -= 1 + len(found)
            if left[0] < 0:
                raise EndlessError(sql)
            return found

        with monkeypatch.context() as patched:
            patched.setattr(SqliteDatabase, "rows", counted)
            patched.setattr(proof, "_PAUSE", 0.0)
            try:
                with open_store(self.path) as store:
                    wrong = proof.verify(store).wrong
            except StoreError as error:
                wrong = (str(error),)
            assert not any("\n" in one for one in wrong)
        self.rows = self.rows or 1_000_000 - left[0]
        return bool(wrong)

    def number_of_last(self, table: str) -> int:
        """Where the number of the last row of a table is in the file."""
        connection = apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READONLY)
        page: Any = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).get
        size: Any = connection.execute("PRAGMA page_size").get
        connection.close()
        start = (int(page) - 1) * int(size)
        while self.octets[start] == 5:  # an interior page, which names its last child
            start = (int.from_bytes(self.octets[start + 8 : start + 12]) - 1) * int(size)
        assert self.octets[start] == 13  # a leaf
        count = int.from_bytes(self.octets[start + 3 : start + 5])
        at = start + int.from_bytes(self.octets[start + 6 + 2 * count : start + 8 + 2 * count])
        while self.octets[at] & 0x80:  # how long the row is
            at += 1
        assert 1 < self.octets[at + 1] < 0x80
        return int(at) + 1


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """A store with a bit of everything, which nobody has open."""
    directory = tmp_path_factory.mktemp("bits")
    path = directory / "s.db"
    with Harvest(path, directory) as harvest:
        fill(harvest, "first")
        harvest.robots[SITE] = b"User-agent: *\nAllow: /\n"
        harvest.crawl("/later", "<p>more")
    made = Kept(path, path.read_bytes())
    with pytest.MonkeyPatch.context() as patched:
        assert not made.is_found(patched)
    return made


def questions(path: Path) -> list[str]:
    """What reads all that is proven in a whole file: by its tables, by each index, and the words of the index."""
    connection, unproven = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY), bookkeeping()
    found = ["SELECT type, name, tbl_name, sql FROM sqlite_master"]
    for table in [str(one) for (one,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]:
        if table in unproven or table.startswith((INDEX, "sqlite_")):
            continue
        names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        columns = ", ".join(name for name in names if f"{table}.{name}" not in unproven)
        found.append(f"SELECT {columns} FROM {table} NOT INDEXED")
        for _, index, *_ in connection.execute(f"PRAGMA index_list({table})").fetchall():
            made = str(connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (index,)).get or "")
            found.append(f"SELECT {columns} FROM {table} INDEXED BY {index} {''.join(made.partition('WHERE ')[1:])}")
    connection.close()
    words = "CREATE VIRTUAL TABLE temp.instances USING fts5vocab('main', 'terms', 'instance')"
    return [*found, "SELECT rowid FROM terms", words, "SELECT * FROM temp.instances"]


def read_by_sqlite(path: Path, asked: list[str]) -> list[Any]:
    """What SQLite answers, or what it says where it cannot."""
    found: list[Any] = []
    try:
        connection = apsw.Connection(f"file:{path}?immutable=1", flags=apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_READONLY)
        try:
            found += (connection.execute(sql).fetchall() for sql in asked)
        finally:
            connection.close(force=True)
    except (apsw.Error, UnicodeDecodeError) as error:
        found.append(type(error))
    return found


@pytest.mark.parametrize("table", READ_AT_ONCE)
def test_a_number_that_leads_back_ends_a_verification(kept: Kept, monkeypatch: pytest.MonkeyPatch, table: str) -> None:
    """The last row with a number before the one before it: what is read behind it would be the same for ever."""
    at = kept.number_of_last(table)
    kept.flip(at, kept.octets[at].bit_length() - 1)
    assert kept.is_found(monkeypatch)


def test_a_flipped_bit_that_sqlite_reads_is_found_in_time(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anywhere in the file, half of them where something is written; what is not proven may be anything."""
    chosen = random.Random(20_261_122)
    written = [at for at, octet in enumerate(kept.octets) if octet]
    kept.path.write_bytes(kept.octets)
    asked = questions(kept.path)
    whole, read_otherwise = read_by_sqlite(kept.path, asked), 0
    assert len(whole) == len(asked)
    for number in range(FLIPS):
        at = chosen.choice(written) if number % 2 else chosen.randrange(len(kept.octets))
        bit = chosen.randrange(8)
        kept.flip(at, bit)
        is_found = kept.is_found(monkeypatch)
        kept.flip(at, bit)
        if read_by_sqlite(kept.path, asked) != whole:
            read_otherwise += 1
            assert is_found, f"bit {bit} of octet {at}"
    assert read_otherwise > FLIPS // 5
