"""A store is made once, keeps all or nothing, and has one writer at a time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

import apsw
import psycopg
import pytest

from acap.harvest.operator import Operator
from acap.harvest.store import Act, Store, StoreBusyError, StoreError, migrations, open_store
from tests.command_line import environment
from tests.stores import OPERATOR, SITE, START, add_version, new_store

URL = f"{SITE}/a"


def act(number: int = 0) -> Act:
    return Act("presented", START, f"{URL}{number}", "present-link")


def urls(store: Store) -> list[str]:
    return [url for (url,) in store.database.rows("SELECT url FROM resources ORDER BY id")]


@contextmanager
def undone(store: Store) -> Iterator[None]:
    """A transaction that fails."""
    with suppress(KeyError), store.transaction():
        yield
        raise KeyError


# Opening


def test_a_store_is_opened_again_as_it_was_made(store_place: Path | str, tmp_path: Path) -> None:
    """Operator, number and content stay; who opens it need not name the operator or the directory of copies."""
    with new_store(store_place, tmp_path) as store:
        identity = store.identity
        add_version(store, URL, "zeppelin", b"octets")
    with open_store(store_place) as store:
        assert store.identity == identity
        assert store.operator == OPERATOR
        assert urls(store) == [URL]
        [version] = store.resources.versions(1)
        assert version.place is not None
        assert store.copies.read(version.place).body == b"octets"
    assert (tmp_path / "copies").is_dir()


def test_there_is_no_store_where_none_was_made(store_place: Path | str, tmp_path: Path) -> None:
    """Who only reads makes nothing, not even a file."""
    with pytest.raises(StoreError, match=r"there is no store .*; `acap crawl` or `acap import --crawler` makes one"):
        open_store(store_place)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_is_no_store(tmp_path: Path) -> None:
    """A file that has nothing in it stays empty unless a store is to be made."""
    (tmp_path / "x").touch()
    with pytest.raises(StoreError, match="there is no store"):
        open_store(tmp_path / "x")
    assert (tmp_path / "x").stat().st_size == 0


def test_a_store_is_of_one_crawler(store_place: Path | str, tmp_path: Path) -> None:
    """Another crawler, or the same for another purpose, is refused in one line."""
    new_store(store_place, tmp_path, Operator(("examplebot",), ("research",))).close()
    for other in (Operator(("otherbot",), ("research",)), Operator(("examplebot",))):
        with pytest.raises(StoreError, match=r"is the store of examplebot for research; name another") as caught:
            new_store(store_place, tmp_path, other)
        assert "\n" not in str(caught.value)


def test_migrations_do_nothing_twice(store_place: Path | str, tmp_path: Path) -> None:
    """A store that is opened again has the same tables."""

    def tables(store: Store) -> list[tuple[object, ...]]:
        if store.database.kind == "sqlite":
            return store.database.rows("SELECT name, sql FROM sqlite_master ORDER BY name")
        return store.database.rows(
            "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public' "
            "ORDER BY 1, 2"
        )

    with new_store(store_place, tmp_path) as store:
        before = tables(store)
    with new_store(store_place, tmp_path) as store:
        assert tables(store) == before


def test_a_migration_is_all_or_nothing(
    store_place: Path | str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If one fails nothing of it is left, and the next one finds the store as it was."""
    new_store(store_place, tmp_path).close()
    for name in ("TABLES", "SQLITE", "POSTGRESQL"):
        monkeypatch.setattr(migrations, name, getattr(migrations, name) * 1 + ("CREATE TABLE more (a INT); bad sql",))
    with pytest.raises(StoreError):
        open_store(store_place)
    monkeypatch.undo()
    with open_store(store_place) as store, pytest.raises(StoreError, match="more"):
        store.database.rows("SELECT * FROM more")


def test_a_store_of_a_newer_acap_is_refused(
    store_place: Path | str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What this version does not know it does not touch."""
    for name in ("TABLES", "SQLITE", "POSTGRESQL"):
        monkeypatch.setattr(
            migrations, name, (*getattr(migrations, name), f"CREATE TABLE newer_{name.lower()} (a INT)")
        )
    new_store(store_place, tmp_path).close()
    monkeypatch.undo()
    with pytest.raises(StoreError, match="was written by a newer acap; upgrade, or name another"):
        new_store(store_place, tmp_path)


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    """Not an octet of it changes."""
    file = tmp_path / "other.db"
    with apsw.Connection(str(file)) as connection:
        connection.execute("CREATE TABLE resources (a)")
    connection.close()
    before = file.read_bytes()
    with pytest.raises(StoreError, match="is a database of another program; name another file"):
        new_store(file, tmp_path)
    assert file.read_bytes() == before


@pytest.mark.parametrize("octets", [b"not a database at all, but long enough to be one", b"SQLite format 3\0garbage"])
def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path, octets: bytes) -> None:
    """Garbage is refused in one line."""
    file = tmp_path / "garbage"
    file.write_bytes(octets * 100)
    with pytest.raises(StoreError) as caught:
        new_store(file, tmp_path)
    assert "\n" not in str(caught.value)
    assert str(file) in str(caught.value)
    assert file.read_bytes() == octets * 100


def test_places_that_cannot_be_files_are_named(tmp_path: Path) -> None:
    """A directory, or one that is not there, is refused in one line."""
    with pytest.raises(StoreError, match="cannot be read: Is a directory"):
        new_store(tmp_path, tmp_path)
    with pytest.raises(StoreError, match="there is no directory"):
        new_store(tmp_path / "missing" / "x", tmp_path)
    with pytest.raises(StoreError, match="cannot be read"):
        new_store(tmp_path / "a\0b", tmp_path)


def test_a_fifo_is_no_store(tmp_path: Path) -> None:
    """Nor is a device: nobody waits for what they may bring."""
    file = tmp_path / "fifo"
    os.mkfifo(file)
    for place in (file, Path("/dev/zero")):
        with pytest.raises(StoreError, match="cannot be read: it is not a regular file"):
            new_store(place, tmp_path)


def test_a_fifo_in_place_of_the_mark_of_a_store_keeps_nobody_waiting(tmp_path: Path) -> None:
    """Whoever would write is told of it in one line."""
    with new_store(tmp_path / "store", tmp_path) as store, store.writing():
        pass
    mark = tmp_path / "copies" / "acap-store"
    mark.unlink()
    os.mkfifo(mark)
    opened = new_store(tmp_path / "store", tmp_path)
    with opened as store, pytest.raises(StoreError, match="not a regular file"), store.writing():
        pass


def test_a_server_that_is_not_there_is_named_without_its_password() -> None:
    """The URL of a database may have a password, which no message shows."""
    for url in ("postgresql://me:hidden@127.0.0.1:1/x", "postgresql://me:hi%zzdden@h/x", "postgresql://[me:hidden@h/x"):
        with pytest.raises(StoreError) as caught:
            open_store(url)
        assert "\n" not in str(caught.value)
        assert "dden" not in str(caught.value)


def test_a_store_in_postgresql_needs_a_directory_for_copies(postgres_server: object) -> None:
    """Beside a database there is no place for files."""
    from tests.postgres import PostgresServer

    assert isinstance(postgres_server, PostgresServer)
    with pytest.raises(StoreError, match="needs a directory for copies; name one with --copies"):
        open_store(postgres_server.create_database(), operator=OPERATOR)


def test_a_database_that_is_not_in_utf8_is_refused(postgres_server: object, tmp_path: Path) -> None:
    """There every text must fit."""
    from tests.postgres import PostgresServer

    assert isinstance(postgres_server, PostgresServer)
    with psycopg.connect(postgres_server.url(), autocommit=True) as connection:
        connection.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    with pytest.raises(StoreError, match="is not in UTF8"):
        new_store(postgres_server.url("latin"), tmp_path)


OPEN = """
import sys
from pathlib import Path
from acap.harvest.operator import Operator
from acap.harvest.store import open_store
place = sys.argv[1] if "://" in sys.argv[1] else Path(sys.argv[1])
sys.stdin.readline()
with open_store(place, operator=Operator(("examplebot",)), copies=Path(sys.argv[2])) as store:
    print(store.identity)
"""


def test_processes_that_make_the_same_store_at_once_get_the_same(store_place: Path | str, tmp_path: Path) -> None:
    """One of them makes it, the others find it."""
    command = [sys.executable, "-c", OPEN, str(store_place), str(tmp_path / "copies")]
    processes = [
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
        )
        for _ in range(4)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"go\n")
        process.stdin.flush()
    told = [process.communicate() for process in processes]
    assert [error for _, error in told] == [b""] * 4
    assert len({out for out, _ in told}) == 1


def test_threads_that_make_the_same_store_at_once_get_the_same(store_place: Path | str, tmp_path: Path) -> None:
    """One connection makes it, whichever comes first."""
    start = threading.Barrier(4)

    def make(_: int) -> str:
        start.wait()
        with new_store(store_place, tmp_path) as store:
            return store.identity

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(make, range(4)))) == 1


# Transactions


def test_a_transaction_is_all_or_nothing(store_place: Path | str, tmp_path: Path) -> None:
    """What raises within leaves nothing of what was written before."""
    with new_store(store_place, tmp_path) as store:
        with undone(store):
            store.resources.touch(URL, SITE, START)
            store.ledger.append([act()])
        assert urls(store) == []
        assert store.ledger.head[0] == 0


def test_a_transaction_within_another_is_part_of_it(store_place: Path | str, tmp_path: Path) -> None:
    """What an inner one wrote goes if the outer one fails."""
    with new_store(store_place, tmp_path) as store:
        with undone(store), store.transaction():
            store.resources.touch(URL, SITE, START)
        assert urls(store) == []
        with store.transaction(), store.transaction():
            store.resources.touch(URL, SITE, START)
        assert urls(store) == [URL]


def test_half_of_a_transaction_cannot_be_kept(store_place: Path | str, tmp_path: Path) -> None:
    """An error within that somebody caught fails the whole."""
    with new_store(store_place, tmp_path) as store:

        def inner_fails() -> None:
            with store.transaction():
                store.resources.touch(URL, SITE, START)
                with undone(store):
                    pass

        def statement_fails() -> None:
            with store.transaction():
                store.resources.touch(URL, SITE, START)
                with suppress(StoreError):
                    store.database.run("no sql")

        def goes_on() -> None:
            with store.transaction():
                with suppress(StoreError):
                    store.database.run("no sql")
                store.resources.touch(URL, SITE, START)

        for attempt in (inner_fails, statement_fails, goes_on):
            with pytest.raises(StoreError, match="a part of the transaction had failed"):
                attempt()
        assert urls(store) == []
        with store.transaction():
            store.resources.touch(URL, SITE, START)
        assert urls(store) == [URL]


def test_many_rows_are_all_or_nothing(store_place: Path | str, tmp_path: Path) -> None:
    """Also outside of a transaction."""
    with new_store(store_place, tmp_path) as store:
        with pytest.raises(StoreError):
            store.database.many("INSERT INTO files (name, ending) VALUES (?, ?)", [("a", 1), ("b", 2), ("a", 3)])
        assert store.files.committed() == {}


def test_a_transaction_that_fails_takes_its_copies_along(store_place: Path | str, tmp_path: Path) -> None:
    """What was appended for it is cut off, so that the next copy is not appended behind it."""
    with new_store(store_place, tmp_path) as store, store.writing():
        add_version(store, f"{SITE}/kept", body=b"kept")
        with undone(store):
            add_version(store, URL, body=b"undone")
        [(name, end)] = store.files.committed().items()
        assert store.copies.end(name) == end
        add_version(store, URL, body=b"second")
        bodies = [store.copies.read(place).body for place in store.resources.places(name)]
        assert bodies == [b"kept", b"second"]


def test_threads_share_a_store(store_place: Path | str, tmp_path: Path) -> None:
    """Transactions of threads come one after the other, and none is lost."""
    with new_store(store_place, tmp_path) as store:

        def work(number: int) -> None:
            with store.transaction():
                store.resources.touch(f"{SITE}/{number}", SITE, START)
                store.ledger.append([act(number), act(number)])
            store.resources.find(f"{SITE}/{number}")

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(60)))
        assert len(urls(store)) == 60
        assert store.ledger.verify().entries == 120
        assert store.ledger.verify().wrong == ()


def test_connections_share_a_store(store_place: Path | str, tmp_path: Path) -> None:
    """Transactions of several connections neither lose entries nor stop each other for good."""
    new_store(store_place, tmp_path).close()

    def work(number: int) -> None:
        with open_store(store_place) as store:
            for turn in range(10):
                with store.transaction():
                    # In another order each time, which stops locks of rows.
                    for one in sorted(range(4), key=lambda n: (n * 7 + turn + number) % 5):
                        store.resources.touch(f"{SITE}/{one}", SITE, START)
                    store.ledger.append([act(number)])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    with open_store(store_place) as store:
        assert store.ledger.verify().entries == 40
        assert store.ledger.verify().wrong == ()


# The one writer


def test_a_second_writer_is_refused(store_place: Path | str, tmp_path: Path) -> None:
    """In the same store, in another one of the process; and it may write when the first one is done."""
    with new_store(store_place, tmp_path) as store, open_store(store_place) as other:
        with store.writing():
            for one in (store, other):
                with pytest.raises(StoreBusyError, match="is being written by another crawl"), one.writing():
                    pass
        with other.writing():
            pass


def test_a_link_to_a_file_is_the_same_store(tmp_path: Path) -> None:
    """Its writer is the same one, and its copies are beside the file."""
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "x")
    with open_store(tmp_path / "there" / "x", operator=OPERATOR) as store, open_store(tmp_path / "link") as other:
        with store.writing():
            add_version(store, URL, body=b"octets")
            with pytest.raises(StoreBusyError), other.writing():
                pass
        [version] = other.resources.versions(1)
        assert version.place is not None
        assert other.copies.read(version.place).body == b"octets"


WRITE = """
import sys, time
from pathlib import Path
from acap.harvest.store import open_store
place = sys.argv[1] if "://" in sys.argv[1] else Path(sys.argv[1])
with open_store(place) as store, store.writing():
    print("writing", flush=True)
    sys.stdin.readline()
"""


def test_the_turn_to_write_ends_with_its_process(store_place: Path | str, tmp_path: Path) -> None:
    """Another process is refused while the first one lives, and not after it was killed; reading goes on."""
    with new_store(store_place, tmp_path) as store:
        command = [sys.executable, "-c", WRITE, str(store_place)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"writing\n"
            with pytest.raises(StoreBusyError), store.writing():
                pass
            store.ledger.append([act()])
            store.resources.find(URL)
            process.send_signal(signal.SIGKILL)
            process.wait()
        wait_for_writing(store)
        assert store.ledger.verify().entries == 1


def wait_for_writing(store: Store) -> None:
    """A server notices the end of its client a little later."""
    for _ in range(200):
        try:
            with store.writing():
                return
        except StoreBusyError:
            threading.Event().wait(0.02)
    raise AssertionError("the turn to write did not end")


def test_presenting_goes_on_while_somebody_writes(store_place: Path | str, tmp_path: Path) -> None:
    """Acts are entered, and first times noted, beside a writer between its transactions."""
    with new_store(store_place, tmp_path) as writer, open_store(store_place) as presenter, writer.writing():
        number = writer.resources.touch(URL, SITE, START).id
        with presenter.transaction():
            presenter.ledger.append([act()])
            presenter.resources.first(number, "first_presented", START)
        writer.ledger.append([act()])
        presenter.ledger.append([act()])
        assert writer.ledger.verify().entries == 3
        assert writer.ledger.verify().wrong == ()
        found = writer.resources.find(URL)
        assert found is not None
        assert found.first_presented == START


def test_a_directory_of_copies_is_of_one_store(store_place: Path | str, tmp_path: Path) -> None:
    """Another store that is given it refuses to write, so that nothing in it is taken for what does not count."""
    with new_store(store_place, tmp_path) as store, store.writing():
        add_version(store, URL, body=b"octets")
    with new_store(tmp_path / "other.store", tmp_path) as other:
        with pytest.raises(StoreError, match="holds copies of another store"), other.writing():
            pass
        (tmp_path / "copies" / "acap-store").unlink()
        with pytest.raises(StoreError, match="holds copies of another store"), other.writing():
            pass
    with open_store(store_place) as store, store.writing():
        [version] = store.resources.versions(1)
        assert version.place is not None
        assert store.copies.read(version.place).body == b"octets"


# What it keeps


def test_text_that_no_database_takes_is_kept_with_a_mark(store_place: Path | str, tmp_path: Path) -> None:
    """NUL and half a surrogate pair become U+FFFD; all else stays as it is."""
    text = "\x01a%?\\'\"\x7f\u00e9\u2028\U0001f600"
    with new_store(store_place, tmp_path) as store:
        run = store.schedule.begin({"x": "\0\ud800"}, START)
        assert run.options == {"x": "\0\ud800"}
        resource = store.resources.touch(URL, SITE, START)
        number = store.resources.add(
            resource, START, is_current=True, status=200, headers=(("X", f"\0{text}"),), media=f"a\0b\udfff{text}",
            length=0, sha256="", policy=1, skeleton=text, decisions={"why": f"\0{text}"},
        ).id  # fmt: skip
        version = store.resources.version(number)
        assert version is not None
        assert version.media == f"a\ufffdb\ufffd{text}"
        assert version.headers == (("X", f"\0{text}"),)
        assert (version.skeleton, version.decisions) == (text, {"why": f"\0{text}"})


def test_first_times_stay(store_place: Path | str, tmp_path: Path) -> None:
    """A later time changes nothing, whether it comes in order or from an archive; the last crawl is the latest."""
    later = START + timedelta(days=3)
    with new_store(store_place, tmp_path) as store:
        number = store.resources.touch(URL, SITE, START).id
        for fact in ("first_indexed", "first_preserved", "first_presented"):
            store.resources.first(number, fact, START)
            store.resources.first(number, fact, later)
        for at in (later, START, START + timedelta(days=1)):
            store.resources.touch(URL, SITE, at)
        found = store.resources.get(number)
        assert (found.first_crawled, found.first_indexed, found.first_preserved, found.first_presented) == (START,) * 4
        assert found.last_crawled == later


def test_a_version_is_succeeded_by_the_next(store_place: Path | str, tmp_path: Path) -> None:
    """From then on a permission until the next crawl is over."""
    later = START + timedelta(days=3)
    with new_store(store_place, tmp_path) as store:
        first = add_version(store, URL)
        second = add_version(store, URL, at=later)
        resource = store.resources.get(1)
        assert resource.current == second
        versions = {version.id: version for version in store.resources.versions(1)}
        assert versions[first].succeeded_at == later
        assert versions[second].succeeded_at is None
        assert resource.facts(versions[first]).last_crawled == later
        assert resource.facts(versions[second]).last_crawled is None


def test_what_is_due_comes_in_order_of_its_time(store_place: Path | str, tmp_path: Path) -> None:
    """A review of a site is never put off by one that was set later."""
    day = timedelta(days=1)
    with new_store(store_place, tmp_path) as store:
        numbers = [store.resources.touch(f"{SITE}/{n}", SITE, START).id for n in range(4)]
        for number, at in zip(numbers, (START + 2 * day, START + day, None, START - day), strict=True):
            store.resources.reviewed(number, START, (), at)
        assert [one.id for one in store.resources.due(START + day)] == [numbers[3], numbers[1]]
        store.resources.review_site(SITE, START)
        assert [one.id for one in store.resources.due(START)] == [numbers[3], numbers[0], numbers[1], numbers[2]]
        assert [one.review_at for one in store.resources.upcoming()] == [START - day, START, START, START]


def test_what_is_held_is_counted(store_place: Path | str, tmp_path: Path) -> None:
    """By what is in the index and what has a copy; versions of which nothing is held do not count."""
    with new_store(store_place, tmp_path) as store, store.writing():
        add_version(store, f"{SITE}/a", "words", b"octets")
        add_version(store, f"{SITE}/b", "words")
        add_version(store, f"{SITE}/c", body=b"more octets")
        add_version(store, f"{SITE}/d")
        assert store.resources.counts() == {"known": 4, "held": 3, "indexed": 2, "preserved": 2, "octets": 17}
        assert store.resources.by_site() == {SITE: (3, 2, 2)}
        assert [one.url for one in store.resources.of_site(SITE)] == [f"{SITE}/{name}" for name in "abc"]
        assert store.database.indexed() == {1, 2}
        assert set(store.resources.by_versions([1, 3, 99])) == {1, 3}


def test_what_is_held_and_may_name_a_licence_is_found(store_place: Path | str, tmp_path: Path) -> None:
    """By its headers or elements, however they are written; more of them than are read at once."""
    link = (("link", '</l.xml>; rel="License"'),)
    with new_store(store_place, tmp_path) as store, store.writing():
        named = [add_version(store, f"{SITE}/{number}", "words", headers=link) for number in range(120)]
        named.append(add_version(store, f"{SITE}/link", "words", skeleton='<LINK REL="LICENSE" href=/l.xml>'))
        named.append(
            add_version(store, f"{SITE}/script", "words", skeleton='<script type="application/RSL+xml" src=/l>')
        )
        pairs = (("link", r'</l.xml>; rel="lic\ense"; type="application/r\sl+xml"'),)
        named.append(add_version(store, f"{SITE}/pairs", "words", headers=pairs))
        add_version(
            store, f"{SITE}/other", "words", headers=(("link", '</a>; rel="next"'),), skeleton="<meta name=robots>"
        )
        add_version(store, f"{SITE}/gone", headers=link)
        assert [one.id for one in store.resources.may_name_licences(SITE)] == named
        assert list(store.resources.may_name_licences("http://b.example")) == []


def test_requirements_are_found_by_what_is_required(store_place: Path | str, tmp_path: Path) -> None:
    """Only current versions require anything."""
    one = ("index", "must-use-resource", f"{SITE}/short")
    with new_store(store_place, tmp_path) as store:
        first, second = add_version(store, URL), add_version(store, f"{SITE}/b")
        for number in (first, second):
            store.resources.require(number, [one, one])
        found = store.resources.requiring(f"{SITE}/short", "index", "must-use-resource")
        assert [version.id for version in found] == [first, second]
        third = add_version(store, URL)
        store.resources.require(third, [])
        found = store.resources.requiring(f"{SITE}/short", "index", "must-use-resource")
        assert [version.id for version in found] == [second]
        assert store.resources.requiring(f"{SITE}/short", "follow", "must-use-resource") == []


def test_a_request_is_one_for_as_long_as_the_same_policy_says_it(store_place: Path | str, tmp_path: Path) -> None:
    """Said again it is not new, carried out it stays so; the operator's removals are undone by readmission."""
    with new_store(store_place, tmp_path) as store:
        requests = store.requests
        assert requests.make("take-down", URL, "policy 1", START)
        assert not requests.make("take-down", URL, "policy 1", START)
        assert requests.open("take-down") == [URL]
        requests.done("take-down", URL, START)
        assert not requests.make("take-down", URL, "policy 1", START)
        assert requests.open("take-down") == []
        assert requests.make("take-down", URL, "policy 2", START)
        assert requests.open("take-down") == [URL]
        assert not requests.is_removed(URL)
        requests.make("removal", URL, "", START)
        assert requests.is_removed(URL)
        requests.readmit(URL, START)
        assert not requests.is_removed(URL)
        assert requests.open("take-down") == [URL]


def test_options_of_an_operator_stay(store_place: Path | str, tmp_path: Path) -> None:
    """All of them are kept as JSON that reads back the same."""
    operator = Operator(
        ("a", "b"), ("p",), "https://example.com/bot", "google", "restricted", (("index", "permitted"),)
    )
    new_store(store_place, tmp_path, operator).close()
    with open_store(store_place) as store:
        assert store.operator == operator
        assert json.loads(json.dumps(operator.to_json()))["names"] == ["a", "b"]
