"""The ledger says what was done, in order, and whoever changes it, or what it tells of, is found out."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from acap.harvest import proof
from acap.harvest.store import Act, Store, StoreError
from tests.stores import SITE, START, add_version, new_store

URL = f"{SITE}/a"


def act(number: int = 0, kind: str = "presented", usage: str = "present-link") -> Act:
    decision = {"outcome": "permitted", "statements": [{"text": "é \ud800 \0"}], "restrictions": []}
    at = START + timedelta(seconds=number, microseconds=number)
    return Act(kind, at, f"{URL}{number}", usage, number, 1, decision, {"number": number, "text": "\u2028"})


def filled(store: Store, entries: int = 5) -> None:
    for number in range(1, entries + 1):
        store.ledger.append([act(number)])


def test_entries_read_back_as_they_were_written(store_place: Path | str, tmp_path: Path) -> None:
    """Every act with everything in it, numbered from 1."""
    with new_store(store_place, tmp_path) as store:
        filled(store)
        entries = list(store.ledger.entries())
        assert [entry.act for entry in entries] == [act(number) for number in range(1, 6)]
        assert [entry.seq for entry in entries] == [1, 2, 3, 4, 5]
        assert store.ledger.head == (5, entries[-1].hash)
        assert [json.loads(entry.text)["seq"] for entry in entries] == [1, 2, 3, 4, 5]


def test_a_long_ledger_is_read_to_its_end(store_place: Path | str, tmp_path: Path) -> None:
    """Also where it does not fit into one batch."""
    with new_store(store_place, tmp_path) as store:
        store.ledger.append([act(number) for number in range(2_500)])
        assert len(list(store.ledger.entries())) == 2_500
        assert store.ledger.verify().entries == 2_500
        assert store.ledger.verify().wrong == ()
        assert [entry.seq for entry in store.ledger.entries(last=2)] == [2_499, 2_500]
        assert [entry.seq for entry in store.ledger.entries(after=2_498)] == [2_499, 2_500]


def test_entries_are_found_by_url_and_act(store_place: Path | str, tmp_path: Path) -> None:
    """And by both."""
    with new_store(store_place, tmp_path) as store:
        store.ledger.append([act(1), act(2), act(1, "removed", "index"), act(2, "refused", "crawl")])
        ledger = store.ledger
        assert [entry.seq for entry in ledger.entries(f"{URL}1")] == [1, 3]
        assert [entry.seq for entry in ledger.entries(acts=["removed", "refused"])] == [3, 4]
        assert [entry.seq for entry in ledger.entries(f"{URL}2", acts=["removed", "refused"], last=1)] == [4]
        assert list(ledger.entries("https://other.example/")) == []
        assert (ledger.count("presented"), ledger.count("removed"), ledger.count("indexed")) == (2, 1, 0)


def test_an_empty_ledger_is_whole(store_place: Path | str, tmp_path: Path) -> None:
    """Its head is the store's own."""
    with new_store(store_place, tmp_path) as store, new_store(tmp_path / "other", tmp_path) as other:
        assert store.ledger.verify().wrong == ()
        assert store.ledger.verify(store.ledger.head[1]).wrong == ()
        assert store.ledger.head[1] != other.ledger.head[1]
        store.ledger.append([])
        assert store.ledger.head[0] == 0


CHANGES = {
    "text": "UPDATE ledger SET entry = replace(entry, 'permitted', 'prohibited') WHERE seq = 3",
    "hash": "UPDATE ledger SET hash = 'x' || substr(hash, 2) WHERE seq = 3",
    "act": "UPDATE ledger SET act = 'removed' WHERE seq = 3",
    "url": "UPDATE ledger SET url = url || 'x' WHERE seq = 3",
    "time": "UPDATE ledger SET at = at + 1 WHERE seq = 3",
    "number": "UPDATE ledger SET seq = 9 WHERE seq = 5",
    "first cut": "DELETE FROM ledger WHERE seq = 1",
    "middle cut": "DELETE FROM ledger WHERE seq = 3",
    "put in": "INSERT INTO ledger SELECT 6, at, act, url, entry, hash FROM ledger WHERE seq = 5",
    "put before": "INSERT INTO ledger SELECT 0, at, act, url, entry, hash FROM ledger WHERE seq = 5",
    "no JSON": "UPDATE ledger SET entry = 'x' WHERE seq = 3",
    "another JSON": "UPDATE ledger SET entry = '[1]' WHERE seq = 3",
    "deep JSON": f"UPDATE ledger SET entry = '{'[' * 5000}' WHERE seq = 3",
}


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_is_found(store_place: Path | str, tmp_path: Path, change: str) -> None:
    """Whatever of an entry is changed, cut out or put in."""
    with new_store(store_place, tmp_path) as store:
        filled(store)
        assert store.ledger.verify().wrong == ()
        store.database.run(CHANGES[change])
        assert store.ledger.verify().wrong != ()


def test_entries_that_changed_places_are_found(store_place: Path | str, tmp_path: Path) -> None:
    """Their texts say where they belong, and their hashes what came before."""
    with new_store(store_place, tmp_path) as store:
        filled(store)
        for before, after in ((2, 90), (3, 2), (90, 3)):
            store.database.run("UPDATE ledger SET seq = ? WHERE seq = ?", (after, before))
        assert len(store.ledger.verify().wrong) >= 2


def test_a_noted_head_proves_what_came_before(store_place: Path | str, tmp_path: Path) -> None:
    """It is met for as long as nothing up to it was cut off or written anew."""
    with new_store(store_place, tmp_path) as store:
        filled(store, 3)
        noted = store.ledger.head[1]
        filled(store, 2)
        assert store.ledger.verify(noted).wrong == ()
        store.database.run("DELETE FROM ledger WHERE seq > 3")
        assert store.ledger.verify(noted).wrong == ()
        store.database.run("DELETE FROM ledger WHERE seq > 2")
        assert store.ledger.verify().wrong == ()
        [wrong] = store.ledger.verify(noted).wrong
        assert wrong.startswith(f"no entry has the hash {noted}")


def test_a_ledger_that_was_written_anew_is_found_by_a_noted_head(store_place: Path | str, tmp_path: Path) -> None:
    """Who changes an entry and computes all hashes again is found out only so."""
    with new_store(store_place, tmp_path) as store:
        filled(store)
        noted = store.ledger.head[1]
        acts = [entry.act for entry in store.ledger.entries()]
        store.database.run("DELETE FROM ledger")
        store.ledger.append([acts[0], *acts[2:], act(9)])
        assert store.ledger.verify().wrong == ()
        assert store.ledger.verify(noted).wrong != ()


def test_a_damaged_entry_is_told_of_in_one_line(store_place: Path | str, tmp_path: Path) -> None:
    """Who reads entries is sent to the verification."""
    with new_store(store_place, tmp_path) as store:
        filled(store)
        store.database.run("UPDATE ledger SET entry = '{}' WHERE seq = 3")
        with pytest.raises(StoreError, match=r"entry 3 of the ledger of .* is damaged; see `acap ledger --verify`"):
            list(store.ledger.entries())


def test_text_that_cannot_be_read_is_found(tmp_path: Path) -> None:
    """A verification says so, and does not fail itself."""
    with new_store(tmp_path / "x", tmp_path) as store:
        filled(store)
        store.database.run("UPDATE ledger SET url = CAST(x'ff' AS TEXT) WHERE seq = 3")
        [wrong] = store.ledger.verify().wrong
        assert wrong.startswith("the entries after 0 cannot be read")


# What it tells of


def held(store: Store) -> None:
    """Two versions in index and copies, with the entries that say so; a third one came and went."""
    for number in (1, 2, 3):
        add_version(store, f"{URL}{number}", "words", b"octets")
        store.ledger.append([act(number, "indexed", "index"), act(number, "preserved", "preserve")])
    with store.transaction():
        [version] = store.resources.versions(3)
        assert version.place is not None
        store.hide_terms(3)
        store.hide_copy(3, version.place)
        store.ledger.append([act(3, "removed", "index"), act(3, "removed", "preserve")])
    store.erase()


def test_what_is_held_is_what_the_ledger_says(store_place: Path | str, tmp_path: Path) -> None:
    """Then there is nothing to find."""
    with new_store(store_place, tmp_path) as store, store.writing():
        held(store)
        assert proof.differences(store) == []
        assert proof.verify(store, quick=True).entries == 8
        assert proof.verify(store, quick=True).wrong == ()


HIDDEN = {
    "UPDATE versions SET is_indexed = 1 WHERE id = 3": "version 3 of https://news.example/a3 is indexed, and no entry",
    "UPDATE versions SET is_indexed = 0 WHERE id = 1": "version 1 of https://news.example/a1 is not indexed, and no",
    "UPDATE versions SET file = 'x' WHERE id = 3": "version 3 of https://news.example/a3 is preserved, and no entry",
    "UPDATE versions SET file = NULL WHERE id = 2": "version 2 of https://news.example/a2 is not preserved, and no",
    "UPDATE resources SET url = 'https://x.example/' WHERE id = 2": "version 2 of https://news.example/a2 is filed",
    "DELETE FROM versions WHERE id = 1": "version 1 of https://news.example/a1 is not preserved, and no entry says",
    "DELETE FROM ledger WHERE seq = 7": "version 3 of https://news.example/a3 is not indexed, and no entry says it was",
    "DELETE FROM ledger WHERE seq = 1": "version 1 of https://news.example/a1 is indexed, and no entry says so",
}


@pytest.mark.parametrize("change", HIDDEN)
def test_what_is_held_beside_the_ledger_is_found(store_place: Path | str, tmp_path: Path, change: str) -> None:
    """Whatever is put in or taken out with no entry of it, or the entry without it."""
    with new_store(store_place, tmp_path) as store, store.writing():
        held(store)
        store.database.run(change)
        assert any(one.startswith(HIDDEN[change]) for one in proof.verify(store).wrong)


def test_words_beside_the_versions_are_found(store_place: Path | str, tmp_path: Path) -> None:
    """What the index has and what the versions say it has are the same numbers."""
    with new_store(store_place, tmp_path) as store, store.writing():
        held(store)
        store.database.put_terms(77, "", "words")
        store.database.drop_terms([1])
        assert proof.differences(store) == [
            "version 1 is indexed, and the index has no words of it",
            "the index has words of version 77, which is not indexed",
        ]


def test_copies_that_were_lost_are_found(store_place: Path | str, tmp_path: Path) -> None:
    """Files that are shorter than they were, or not there at all."""
    with new_store(store_place, tmp_path) as store, store.writing():
        held(store)
        [name] = store.copies.files()
        path = tmp_path / "copies" / name
        octets = path.read_bytes()
        path.write_bytes(octets[:-5])
        assert proof.differences(store) == [f"`{name}` has {len(octets) - 5} octets of {len(octets)}: copies are lost"]
        path.unlink()
        assert len(proof.differences(store)) == 1


def test_a_damaged_ledger_can_still_be_compared(store_place: Path | str, tmp_path: Path) -> None:
    """As far as it goes, which is said."""
    with new_store(store_place, tmp_path) as store, store.writing():
        held(store)
        store.database.run("UPDATE ledger SET entry = 'x' WHERE seq = 3")
        [*_, last] = proof.verify(store).wrong
        assert last.startswith("the store cannot be compared: entry 3 of the ledger")
