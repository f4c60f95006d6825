"""What is removed is hidden at once and gone soon after, wherever the process breaks off in between."""

from __future__ import annotations

import errno
import random
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import apsw
import psycopg
import pytest

from acap.harvest.store import Act, Store, StoreError, open_store, sqlite
from acap.retrieval.private import open_regular
from tests.postgres import new_schema
from tests.stores import SITE, START, BrokenOffError, Steps, add_version, broken_off, kept_octets, new_store

KEPT, GONE = f"{SITE}/kept", f"{SITE}/gone"


def prepared(place: Path | str, directory: Path) -> tuple[int, int]:
    """A store with a version to keep and one to remove, in the same file; their numbers."""
    with new_store(place, directory) as store, store.writing():
        kept = add_version(store, KEPT, "lasting harmless", b"lasting body")
        gone = add_version(store, GONE, "vanishing secretword", b"vanishing secretbody")
        add_version(store, f"{SITE}/other", "lasting words", b"another lasting body")
    return kept, gone


def hide(store: Store, number: int) -> None:
    """Removes a version as a sweep does."""
    with store.transaction():
        version = store.resources.version(number)
        assert version is not None
        assert version.place is not None
        store.hide_terms(number)
        store.hide_copy(number, version.place)
        store.ledger.append([Act("removed", START, GONE, usage, number) for usage in ("index", "preserve")])


def assert_whole(store: Store, kept: int) -> None:
    """What was to be kept is all there, and nothing is left to do."""
    version = store.resources.version(kept)
    assert version is not None
    assert version.place is not None
    assert store.copies.read(version.place).body == b"lasting body"
    assert [number for number, _ in store.database.search(["harmless"], 9, 0)] == [kept]
    for what in ("rewrite", "unlink", "scrub"):
        assert store.files.intents(what) == []
    assert sorted(store.files.committed()) == store.copies.files()
    for name, end in store.files.committed().items():
        assert store.copies.end(name) == end
    assert store.ledger.verify().wrong == ()


def test_what_is_removed_leaves_no_octet(store_place: Path | str, tmp_path: Path) -> None:
    """Neither words nor copy are in any file afterwards; what is kept is."""
    kept, gone = prepared(store_place, tmp_path)
    before = kept_octets(tmp_path, store_place)
    assert all(word in before for word in (b"secretword", b"secretbody", b"harmless", b"lasting body"))
    with open_store(store_place) as store, store.writing():
        hide(store, gone)
        assert store.database.search(["secretword"], 9, 0) == []
        assert store.erase()
        assert_whole(store, kept)
        after = kept_octets(tmp_path, store_place)
        assert not any(word in after for word in (b"secretword", b"secretbody"))
        assert all(word in after for word in (b"harmless", b"lasting body"))


def test_the_last_copy_takes_its_file_along(store_place: Path | str, tmp_path: Path) -> None:
    """A file of which nothing is to be kept is not written anew."""
    with new_store(store_place, tmp_path) as store, store.writing():
        gone = add_version(store, GONE, "word", b"octets")
        hide(store, gone)
        assert store.erase()
        assert store.copies.files() == []
        assert store.files.committed() == {}


def test_an_erasure_with_little_time_does_a_file_and_goes_on_later(
    store_place: Path | str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However much has to go, no call has the turn for longer than one file takes; in the end nothing is left."""
    with new_store(store_place, tmp_path) as store, store.writing():
        monkeypatch.setattr(store.copies, "_rotate", 1)
        gone = [add_version(store, f"{GONE}/{number}", "secretword", b"secretbody") for number in range(6)]
        assert len(store.copies.files()) == 6
        for number in gone:
            hide(store, number)
        left = []
        while not store.erase(0.0):
            assert store.database.search(["secretword"], 9, 0) == []
            left.append((len(store.files.intents("rewrite")), len(store.files.intents("unlink"))))
        assert left == [(number, 6 - number) for number in range(5, -1, -1)] + [
            (0, number) for number in range(5, 0, -1)
        ]
        assert store.copies.files() == []
        assert b"secret" not in kept_octets(tmp_path, store_place)


def test_who_has_little_time_clears_the_index_a_twentieth_of_it_at_most(
    store_place: Path | str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clearing takes as long as the index is large; who has time does it at once."""
    now, scrubbed = [100.0], []
    monkeypatch.setattr("acap.harvest.store.store.time.monotonic", lambda: now[0])
    with new_store(store_place, tmp_path) as store, store.writing():
        scrub = store.database.scrub

        def slowly() -> None:
            scrubbed.append(now[0])
            now[0] += 10.0
            scrub()

        monkeypatch.setattr(store.database, "scrub", slowly)
        for waits in (0.0, 100.0, 100.0):
            hide(store, add_version(store, GONE, "word", b"octets"))
            now[0] += waits
            while store.erase(0.5) is False and store.has_files_to_erase:
                pass
        assert scrubbed == [100.0, 310.0]
        hide(store, add_version(store, GONE, "word", b"octets"))
        assert not store.erase(0.5)
        assert store.erase()
        assert store.files.intents("scrub") == []


def test_an_erasure_may_break_off_at_any_step(store_place: Path | str, tmp_path: Path) -> None:
    """The next writer completes it: nothing of what was removed is left, and nothing else is lost."""
    step = 0
    while True:
        directory = tmp_path / str(step)
        directory.mkdir()
        place = directory / "x" if isinstance(store_place, Path) else new_schema(store_place.partition("?")[0])
        kept, gone = prepared(place, directory)
        steps = Steps(step)
        store = open_store(place)
        with suppress(BrokenOffError), store.writing():
            hide(store, gone)
            with broken_off(store, steps):
                store.erase()
        store.close()
        with open_store(place) as store:
            assert store.database.search(["secretword"], 9, 0) == []
            with store.writing():
                assert_whole(store, kept)
        octets = kept_octets(directory, place)
        assert not any(word in octets for word in (b"secretword", b"secretbody"))
        if step >= steps.taken:
            break
        step += 1
    assert step > 15
    assert {"rewrite", "remove", "scrub", "_begin", "_commit"} <= set(steps.names)


def test_a_new_copy_counts_with_its_version_or_not_at_all(store_place: Path | str, tmp_path: Path) -> None:
    """Wherever keeping breaks off, the next writer finds version and copy, or neither."""
    step, found = 0, set()
    while True:
        directory = tmp_path / str(step)
        directory.mkdir()
        place = directory / "x" if isinstance(store_place, Path) else new_schema(store_place.partition("?")[0])
        kept, _ = prepared(place, directory)
        steps = Steps(step)
        store = open_store(place)
        with suppress(BrokenOffError), store.writing():
            add_version(store, f"{SITE}/first", "first", b"first body")  # begins the file of this process
            with broken_off(store, steps):
                add_version(store, f"{SITE}/new", "newword", b"new body")
        store.close()
        with open_store(place) as store, store.writing():
            assert_whole(store, kept)
            resource = store.resources.find(f"{SITE}/new")
            versions = store.resources.versions(resource.id) if resource is not None else []
            places = [version.place for version in versions]
            assert [store.copies.read(one).body for one in places if one is not None] == [b"new body"] * len(versions)
            assert len(store.database.search(["newword"], 9, 0)) == len(versions)
            assert (b"new body" in kept_octets(directory / "copies", directory)) == bool(versions)
            found.add(len(versions))
        if step >= steps.taken:
            break
        step += 1
    assert found == {0, 1}
    assert {"append", "_begin", "_commit"} <= set(steps.names)


def test_a_reader_puts_off_the_end_of_deleted_words(
    store_place: Path | str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While somebody reads from before the removal it cannot be completed; the next erasure does."""
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    kept, gone = prepared(store_place, tmp_path)
    with open_store(store_place) as store, store.writing():
        if isinstance(store_place, str):
            reader = psycopg.connect(store_place)
            reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            reader.execute("SELECT count(*) FROM terms")
            end = reader.close
        else:
            connection = apsw.Connection(str(store_place))
            connection.execute("BEGIN")
            connection.execute("SELECT count(*) FROM terms").fetchall()
            end = connection.close
        hide(store, gone)
        assert not store.erase()
        assert not store.erase()
        assert store.files.intents("scrub") == [""]
        assert store.database.search(["secretword"], 9, 0) == []
        end()
        assert store.erase()
        assert_whole(store, kept)
    octets = kept_octets(tmp_path, store_place)
    assert not any(word in octets for word in (b"secretword", b"secretbody"))


@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.EACCES])
def test_what_the_disk_does_not_give_now_is_not_lost(
    store_place: Path | str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """An error of reading destroys no copy: what has to go is hidden and waits, and other files are erased."""
    with new_store(store_place, tmp_path) as store, store.writing():
        kept = add_version(store, KEPT, "lasting harmless", b"lasting body")
        gone = add_version(store, GONE, "vanishing secretword", b"vanishing secretbody")
        (name,) = store.copies.files()
        monkeypatch.setattr(store.copies, "_rotate", 1)
        elsewhere = add_version(store, f"{GONE}/b", "vanishing", b"other secretbody")
        monkeypatch.undo()
        for one in (gone, elsewhere):
            hide(store, one)

        def fails(path: Path) -> BinaryIO:
            if path.name == name:
                raise OSError(number, "the disk does not say")
            return open_regular(path)

        monkeypatch.setattr("acap.harvest.copies.files.open_regular", fails)
        with pytest.raises(StoreError, match="goes with a later call"):
            store.erase()
        monkeypatch.undo()
        assert store.copies.files() == [name]
        assert store.files.intents("rewrite") == [name]
        assert b"other secretbody" not in kept_octets(tmp_path, store_place)
        assert store.erase()
        assert_whole(store, kept)
        assert b"secretbody" not in kept_octets(tmp_path, store_place)
        assert store.ledger.count("removed") == 4


def test_octets_that_are_not_those_that_were_kept_are_lost(store_place: Path | str, tmp_path: Path) -> None:
    """Where a file is damaged, what can be read of it and is another's is not taken for the copy."""
    with new_store(store_place, tmp_path) as store, store.writing():
        kept = add_version(store, KEPT, "lasting harmless", b"lasting body")
        other = add_version(store, f"{SITE}/other", "lasting words", b"another lasting body")
        gone = add_version(store, GONE, "vanishing secretword", b"vanishing secretbody")
        cut = add_version(store, f"{SITE}/cut", "cut", b"cut body")
        places = {one: version.place for one in (other, cut) if (version := store.resources.version(one))}
        hide(store, gone)
        (name,) = store.copies.files()
        path = tmp_path / next(file.relative_to(tmp_path) for file in tmp_path.rglob(name))
        octets = bytearray(path.read_bytes())
        swapped, shortened = places[other], places[cut]
        assert swapped is not None
        assert shortened is not None
        told = {"copy": store.copies.digest(swapped)}
        with store.transaction():
            store.ledger.append([Act("preserved", START, f"{SITE}/other", "preserve", other, detail=told)])
        octets[swapped.offset + 9] ^= 1  # the system of a gzip member, which no reader looks at
        path.write_bytes(octets[: shortened.offset + 5])
        assert store.erase()
        assert_whole(store, kept)
        for one in (other, cut):
            version = store.resources.version(one)
            assert version is not None
            assert version.place is None


def test_a_damaged_file_keeps_nothing_that_must_go(store_place: Path | str, tmp_path: Path) -> None:
    """Copies that were lost are let go of, with an entry that says so, and those that can be read stay."""
    kept, gone = prepared(store_place, tmp_path)
    with open_store(store_place) as store:
        [name] = store.copies.files()
        end = store.copies.end(name)
        path = tmp_path / "copies" / name
        path.write_bytes(path.read_bytes()[: end - 20])
        with store.writing():
            hide(store, gone)
            assert store.erase()
            assert_whole(store, kept)
            [lost] = store.resources.versions(3)
            assert lost.place is None
            [*_, last] = store.ledger.entries(f"{SITE}/other")
            assert (last.act.act, last.act.usage) == ("removed", "preserve")
            assert last.act.detail == {"reason": "the copy is damaged or missing"}


def test_files_that_are_lost_do_not_stop_a_removal(store_place: Path | str, tmp_path: Path) -> None:
    """Not even if none of them is there."""
    _, gone = prepared(store_place, tmp_path)
    with open_store(store_place) as store:
        for name in store.copies.files():
            (tmp_path / "copies" / name).unlink()
        with store.writing():
            hide(store, gone)
            assert store.erase()
            assert store.files.committed() == {}
            assert store.resources.counts()["preserved"] == 0
    assert b"secretword" not in kept_octets(tmp_path, store_place)


def test_a_removal_within_a_transaction_is_not_erased_yet(store_place: Path | str, tmp_path: Path) -> None:
    """Octets go after what made them go is certain."""
    _, gone = prepared(store_place, tmp_path)
    with open_store(store_place) as store, store.writing():
        with suppress(KeyError), store.transaction():
            hide(store, gone)
            with pytest.raises(StoreError, match="cannot be cleared within a transaction"):
                store.erase()
            raise KeyError
        assert [number for number, _ in store.database.search(["secretword"], 9, 0)] == [gone]
        version = store.resources.version(gone)
        assert version is not None
        assert version.place is not None
        assert store.copies.read(version.place).body == b"vanishing secretbody"


def test_words_go_from_an_index_of_many_texts(tmp_path: Path) -> None:
    """However often the index was written and merged before, of deleted texts no term is left in a file."""
    chosen = random.Random(20)

    def word(letters: int) -> str:
        return "".join(chosen.choices("abcdefghijklmnopqrstuvwxyz", k=letters))

    known = [word(7) for _ in range(800)]
    place = tmp_path / "x"
    with new_store(place, tmp_path) as store, store.writing():
        database = store.database
        number, gone = 0, {}
        for _ in range(4):
            for _ in range(40):
                with store.transaction():
                    for _ in range(chosen.choice((1, 6))):
                        number += 1
                        words = chosen.choices(known, k=chosen.choice((1, 8, 90, 700)))
                        if chosen.random() < 0.2:
                            gone[number] = [word(20) for _ in range(3)]
                        database.put_terms(number, word(5), " ".join(words + gone.get(number, [])))
            some = [one for one in gone if chosen.random() < 0.6]
            with store.transaction():
                database.drop_terms(some)
                store.files.intend("scrub")
            assert store.erase()
            octets = kept_octets(tmp_path, place)
            for one in some:
                # Terms are kept without what they share with the one before.
                assert not [term for term in gone.pop(one) if term[6:].encode() in octets]
            assert all(term[6:].encode() in octets for terms in gone.values() for term in terms)
            assert not database.indexed() & set(some)


def test_a_place_that_a_store_did_not_make_is_not_rewritten(store_place: Path | str, tmp_path: Path) -> None:
    """An intent for a file that does not count any more is done."""
    with new_store(store_place, tmp_path) as store, store.writing():
        with store.transaction():
            store.files.intend("rewrite", "acap-20260101T000000-00001.warc.gz")
        assert store.erase()
        assert store.files.intents("rewrite") == []


def test_a_copy_may_be_appended_while_another_goes(store_place: Path | str, tmp_path: Path) -> None:
    """What comes after an erasure goes into a file that counts."""
    kept, gone = prepared(store_place, tmp_path)
    with open_store(store_place) as store, store.writing():
        hide(store, gone)
        assert store.erase()
        number = add_version(store, f"{SITE}/new", body=b"new body")
    with open_store(store_place) as store, store.writing():
        assert_whole(store, kept)
        version = store.resources.version(number)
        assert version is not None
        assert version.place is not None
        assert store.copies.read(version.place).body == b"new body"
