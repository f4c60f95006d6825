"""Faults of disk, locks and servers: each is one line, nothing is half written, and afterwards everything goes on."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw
import psycopg
import pytest

from acap.archives import Capture
from acap.harvest.store import Act, Store, StoreBusyError, StoreError, StoreFullError, open_store, postgresql, sqlite
from tests.command_line import environment
from tests.postgres import PostgresServer
from tests.stores import SITE, START, add_version, kept_octets, new_store

URL = f"{SITE}/a"


def act() -> Act:
    return Act("presented", START, URL, "present-link")


@pytest.fixture(scope="module")
def own_server() -> Iterator[PostgresServer]:
    """A server that tests may stop."""
    with PostgresServer() as server:
        yield server


@contextmanager
def small_disk(store: Store, octets: int) -> Iterator[None]:
    """The database may grow by so many octets only, as on a disk that is nearly full."""
    connection = store.database._connection  # type: ignore[attr-defined]  # of the database behind it
    used = connection.execute("PRAGMA page_count").get
    connection.execute(f"PRAGMA max_page_count = {used + octets // 4096}").get  # noqa: B018
    try:
        yield
    finally:
        connection.execute("PRAGMA max_page_count = 1000000000").get  # noqa: B018


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path) -> None:
    """The transaction fails as a whole with one line; with room it succeeds, and its copy is there once."""
    place = tmp_path / "x"
    words = " ".join(f"word{number}" for number in range(100_000))
    with new_store(place, tmp_path) as store, store.writing():
        add_version(store, f"{SITE}/before", "before", b"before")
        with (
            small_disk(store, 40_960),
            pytest.raises(StoreFullError, match=r"no room to write .*; free some") as caught,
        ):
            add_version(store, URL, words, b"octets")
        assert "\n" not in str(caught.value)
        assert store.resources.find(URL) is None
        assert store.database.search(["word5"], 9, 0) == []
        assert store.resources.counts()["known"] == 1
        [(name, end)] = store.files.committed().items()
        assert store.copies.end(name) == end
        add_version(store, URL, words, b"octets")
        assert store.database.search(["word5"], 9, 0) != []
        assert kept_octets(tmp_path / "copies", place).count(b"octets\r\n") == 1


def test_a_full_disk_stops_no_later_removal(tmp_path: Path) -> None:
    """Clearing needs room; without it what is to be cleared stays noted."""
    place = tmp_path / "x"
    with new_store(place, tmp_path) as store, store.writing():
        number = add_version(store, URL, " ".join(f"secret{number}" for number in range(50_000)))
        with store.transaction():
            for more in range(20):
                store.database.put_terms(100 + more, "", " ".join(f"w{more}x{n}" for n in range(5_000)))
        with store.transaction():
            store.hide_terms(number)
        with small_disk(store, 0), suppress(StoreFullError):
            store.erase()
        assert store.erase()
        assert store.files.intents("scrub") == []
    assert b"ecret49" not in kept_octets(tmp_path, place)


FULL = """
import os, resource, signal, sys
from pathlib import Path
from acap.harvest.store import StoreError, open_store
from tests.stores import SITE, add_version
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with open_store(Path(sys.argv[1])) as store, store.writing():
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
    try:
        words = " ".join(f"word{n}" for n in range(200_000)) if sys.argv[2] == "words" else ""
        add_version(store, f"{SITE}/a", words, b"" if words else os.urandom(400_000))
    except StoreError as error:
        print(type(error).__name__, error, store.resources.find(f"{SITE}/a"))
"""


@pytest.mark.parametrize(("what", "error"), [("words", "StoreError"), ("copy", "StoreFullError")])
def test_a_file_that_may_not_grow_leaves_nothing_half_written(tmp_path: Path, what: str, error: str) -> None:
    """Neither the log of the database nor a file with copies."""
    place = tmp_path / "x"
    with new_store(place, tmp_path) as store, store.writing():
        add_version(store, f"{SITE}/before", "before", b"before")
    done = subprocess.run([sys.executable, "-c", FULL, place, what], capture_output=True, text=True, env=environment())
    assert done.stderr == ""
    assert done.stdout.startswith(f"{error} ")
    assert done.stdout.endswith("None\n")
    with open_store(place) as store, store.writing():
        assert store.resources.counts()["known"] == 1
        assert [store.copies.end(name) for name in store.copies.files()] == list(store.files.committed().values())
        add_version(store, URL, "words", b"octets")


def test_a_lock_that_is_held_too_long_is_told(
    store_place: Path | str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The transaction does not begin, nothing is lost, and it works once the lock is free; reading goes on."""
    for module in (sqlite, postgresql):
        monkeypatch.setattr(module, "BUSY_SECONDS", 0.05)
    with new_store(store_place, tmp_path) as store, open_store(store_place) as other:
        store.ledger.append([act()])
        with other.transaction():
            other.resources.touch(URL, SITE, START)
            with pytest.raises(StoreBusyError, match=r"is busy: .*; try again"):
                store.ledger.append([act()])
            assert store.ledger.head[0] == 1
        store.ledger.append([act()])
        assert store.ledger.verify().entries == 2
        assert store.resources.find(URL) is not None


def test_a_lock_that_is_held_for_a_while_is_waited_for(store_place: Path | str, tmp_path: Path) -> None:
    """Nobody is told of it."""
    with new_store(store_place, tmp_path) as store, open_store(store_place) as other:
        is_held, done = threading.Event(), threading.Event()

        def hold() -> None:
            with other.transaction():
                is_held.set()
                done.wait(0.2)

        thread = threading.Thread(target=hold)
        thread.start()
        is_held.wait()
        store.ledger.append([act()])
        thread.join()
        assert store.ledger.head[0] == 1


def test_a_damaged_database_is_told_of_in_one_line(tmp_path: Path) -> None:
    """Pages of zeros are noticed when they are read, not taken for a store without content."""
    place = tmp_path / "x"
    with new_store(place, tmp_path) as store, store.writing():
        for number in range(300):
            add_version(store, f"{SITE}/{number}", "words")
        store.database.scrub()
    octets = bytearray(place.read_bytes())
    octets[4096 * 4 :] = bytes(len(octets) - 4096 * 4)
    place.write_bytes(octets)
    with pytest.raises(StoreError, match=r"is damaged: .*; restore it from a backup") as caught:
        count(place)
    assert "\n" not in str(caught.value)


def count(place: Path) -> None:
    with open_store(place) as store:
        store.resources.counts()
        store.resources.of_site(SITE)


def test_text_that_is_not_utf8_is_told_of_in_one_line(tmp_path: Path) -> None:
    """SQLite does not look at what it keeps."""
    place = tmp_path / "x"
    with new_store(place, tmp_path) as store:
        store.resources.touch(URL, SITE, START)
        connection = apsw.Connection(str(place))
        connection.execute("UPDATE resources SET url = CAST(x'ff' AS TEXT)")
        connection.close()
        with pytest.raises(StoreError, match="is damaged"):
            store.resources.get(1)


# A server that goes


def test_a_restart_between_transactions_is_not_noticed(own_server: PostgresServer, tmp_path: Path) -> None:
    """Reading and writing go on with a new connection."""
    with new_store(own_server.create_database(), tmp_path) as store:
        store.ledger.append([act()])
        own_server.stop("fast")
        own_server.start()
        store.ledger.append([act()])
        own_server.stop("immediate")
        own_server.start()
        assert store.ledger.verify().wrong == ()
        assert store.ledger.head[0] == 2


def test_a_restart_within_a_transaction_undoes_it(own_server: PostgresServer, tmp_path: Path) -> None:
    """The error is one line, nothing of the transaction is left, and the next one works."""
    with new_store(own_server.create_database(), tmp_path) as store:
        with pytest.raises(StoreError, match="cannot be used") as caught, store.transaction():
            write_around_a_restart(store, own_server)
        assert "\n" not in str(caught.value)
        assert store.resources.find(URL) is None
        store.ledger.append([act()])
        assert store.ledger.head[0] == 1


def write_around_a_restart(store: Store, server: PostgresServer) -> None:
    store.resources.touch(URL, SITE, START)
    server.stop("immediate")
    server.start()
    store.ledger.append([act()])


def test_a_server_that_is_away_is_told_until_it_is_back(own_server: PostgresServer, tmp_path: Path) -> None:
    """Every call is refused in one line meanwhile."""
    with new_store(own_server.create_database(), tmp_path) as store:
        own_server.stop("immediate")
        try:
            for _ in range(2):
                with pytest.raises(StoreError, match="cannot be used"):
                    store.ledger.append([act()])
                with pytest.raises(StoreError, match="cannot be used"):
                    store.resources.find(URL)
        finally:
            own_server.start()
        store.ledger.append([act()])
        assert store.ledger.head[0] == 1


def test_a_writer_whose_connection_was_lost_writes_no_more(own_server: PostgresServer, tmp_path: Path) -> None:
    """With it went the turn to write, which another one may have now."""
    place = own_server.create_database()
    with new_store(place, tmp_path) as store, open_store(place) as other:
        with store.writing():
            add_version(store, URL, body=b"octets")
            end_connections(place)
            with other.writing():
                for attempt in (
                    lambda: store.ledger.append([act()]),
                    lambda: store.files.intend("scrub"),
                    lambda: store.resources.reviewed(1, START, (), None),
                    store.erase,
                    store.discard_uncommitted,
                    lambda: store.append([Capture(URL, START, 200, (), b"octets")]),
                    lambda: add_version(store, f"{SITE}/b", body=b"octets"),
                ):
                    with pytest.raises(StoreError, match="the turn to write, was lost; start again"):
                        attempt()
                add_version(other, f"{SITE}/c", body=b"octets")
        with store.writing():
            store.ledger.append([act()])
        assert store.ledger.head[0] == 1
        assert store.resources.counts()["preserved"] == 2


def end_connections(place: str) -> None:
    """The server ends all connections to the database, as an administrator may make it."""
    with psycopg.connect(place, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
