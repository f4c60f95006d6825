"""Laws of the ledger: no change of it goes unnoticed, whatever was entered."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from acap.harvest.store import Act, Store, open_store
from acap.harvest.store.ledger import ACTS
from tests.stores import OPERATOR

TEXTS = st.text(max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(TEXTS, JSON, max_size=3)
TIMES = st.datetimes(
    datetime(1990, 1, 1),  # noqa: DTZ001  timezones= gives the zone
    datetime(2100, 1, 1),  # noqa: DTZ001
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30))]),
)
RECORDS = st.builds(
    Act,
    act=st.sampled_from(ACTS),
    at=TIMES,
    url=st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30),
    usage=TEXTS,
    version=st.none() | st.integers(1, 9),
    policy=st.none() | st.integers(1, 9),
    decision=st.none() | OBJECTS,
    detail=OBJECTS,
)
COLUMNS = ("seq", "at", "act", "url", "entry", "hash")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_store(tmp_path_factory.mktemp("ledger") / "x", operator=OPERATOR) as store:
        store.database.run("PRAGMA synchronous = OFF")
        yield store


@given(records=st.lists(RECORDS, min_size=1, max_size=5), data=st.data())
def test_a_flipped_octet_is_found(store: Store, records: list[Act], data: st.DataObject) -> None:
    """Of any column of any entry."""
    enter(store, records)
    row = data.draw(st.integers(1, len(records)))
    column = data.draw(st.sampled_from(COLUMNS))
    [(value,)] = store.database.rows(f"SELECT {column} FROM ledger WHERE seq = ?", (row,))
    changed = flipped(value, data)
    assume(column != "seq" or changed not in range(1, len(records) + 1))
    store.database.run(f"UPDATE ledger SET {column} = ? WHERE seq = ?", (changed, row))
    assert store.ledger.verify().wrong != ()


def flipped(value: object, data: st.DataObject) -> object:
    """The value with one bit of it the other way round, as far as it is still text."""
    if isinstance(value, int):
        return value ^ (1 << data.draw(st.integers(0, 40)))
    octets = bytearray(str(value).encode())
    assume(octets)
    octets[data.draw(st.integers(0, len(octets) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    try:
        text = octets.decode()
    except UnicodeDecodeError:
        text = octets.decode("latin-1")
    return text.replace("\0", "\x01")


@given(records=st.lists(RECORDS, min_size=1, max_size=6), data=st.data())
def test_what_is_cut_out_is_found_unless_it_is_the_end(store: Store, records: list[Act], data: st.DataObject) -> None:
    """And the end by a head that was noted at any later entry."""
    enter(store, records)
    entries = list(store.ledger.entries())
    cut = data.draw(st.sets(st.integers(1, len(records)), min_size=1))
    noted = data.draw(st.integers(min(cut), len(records)))
    for number in cut:
        store.database.run("DELETE FROM ledger WHERE seq = ?", (number,))
    is_end = cut == set(range(min(cut), len(records) + 1))
    assert (store.ledger.verify().wrong == ()) == is_end
    assert store.ledger.verify(entries[noted - 1].hash).wrong != ()
    if min(cut) > 1 and is_end:
        assert store.ledger.verify(entries[min(cut) - 2].hash).wrong == ()


@given(records=st.lists(RECORDS, min_size=1, max_size=5))
def test_what_is_entered_is_read_and_verified(store: Store, records: list[Act]) -> None:
    """Every act as it was given, and every head as it was then."""
    heads = enter(store, records)
    assert [entry.act for entry in store.ledger.entries()] == records
    for head in heads:
        assert store.ledger.verify(head).wrong == ()


def enter(store: Store, records: list[Act]) -> list[str]:
    """Puts the acts into the ledger, emptied before, one by one; the heads."""
    store.database.run("DELETE FROM ledger")
    heads = []
    for record in records:
        store.ledger.append([record])
        heads.append(store.ledger.head[1])
    return heads
