"""The index finds texts by their words, whatever their script, and the same in either database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from acap.harvest.store import Store
from acap.harvest.store.terms import MOST_WORDS, TEXT_OCTETS, terms_of, words_of
from tests.stores import new_store

TEXTS = {
    1: "Café naïve Straße ÅNGSTRÖM İstanbul coöperation ﬁnal Ⅷ ① ²",
    2: "cafe\u0301 nai\u0308ve STRASSE angstrom\u030a istanbul cooperation",
    3: "今日の新聞社は、カタカナも読む。ﾊﾝｶｸ",
    4: "हिन्दी में समाचार पत्र",
    5: "הָאָרֶץ القُرْآن",
    6: "한국어 신문",
    7: "O'Reilly's C++ foo_bar e-mail x@y.example 3.14 50% ' \" \\ : & | ! ( ) * ^ AND OR NOT NEAR",
    8: "a\0b \ud800surrogate\udfff \u200bzero\u200bwidth",
    9: "ไทย ข่าว",
}
FOUND = {
    "cafe": {1, 2},
    "CAFÉ": {1, 2},
    "strasse": {1, 2},
    "angstrom": {1, 2},
    "istanbul": {1, 2},
    "naive cafe": {1, 2},
    "final": {1},
    "viii 1 2": {1},
    "新聞": {3},
    "聞新": {3},
    "かたかな": set(),
    "カタカナ": {3},
    "ハンカク": {3},
    "雑誌": set(),
    "हिन्दी": {4},
    "समाचार": {4},
    "समाचर": set(),
    "הארץ": {5},
    "القرآن": {5},
    "한국어": {6},
    "신문": {6},
    "국": set(),
    "reilly": {7},
    "c++": {7},
    "foo": {7},
    "foo_bar": {7},
    "e mail": {7},
    "14 3": {7},
    "and or not near": {7},
    '"and" OR (x)': {7},
    "surrogate": {8},
    "b a": {8},
    "zero": {8},
    "ข่าว": {9},
    "": set(),
    "' \" * & | !": set(),
    "caf*": set(),
    "nothing": set(),
}


def found(store: Store, query: str) -> set[int]:
    return {number for number, _ in store.database.search(words_of(query), 100, 0)}


@pytest.fixture
def store(store_place: Path | str, tmp_path: Path) -> Iterator[Store]:
    with new_store(store_place, tmp_path) as store:
        for number, text in TEXTS.items():
            store.database.put_terms(number, "", text)
        yield store


def test_words_are_found_without_case_and_marks(store: Store) -> None:
    """In texts of any script, with a query in any form; signs of a query language are no more than signs."""
    assert {query: found(store, query) for query in FOUND} == FOUND
    assert store.database.indexed() == set(TEXTS)


def test_a_text_is_found_by_its_own_words(store: Store) -> None:
    """Whatever it is, as long as a query may have so many."""
    for number, text in TEXTS.items():
        assert number in found(store, text)


def test_titles_come_first(store_place: Path | str, tmp_path: Path) -> None:
    """And of texts alike the shorter one, then the one that came first; in pieces as long as are asked for."""
    with new_store(store_place, tmp_path) as store:
        put, search = store.database.put_terms, store.database.search
        put(1, "something", "zeppelin " + " ".join(f"w{n}" for n in range(400)))
        put(2, "something", "zeppelin flies")
        put(3, "Zeppelin", "it flies")
        put(4, "something", "zeppelin flies")
        for number in range(5, 15):
            put(number, "another", "thing")
        order = [number for number, _ in search(["zeppelin"], 10, 0)]
        assert order == [3, 2, 4, 1]
        ranks = [rank for _, rank in search(["zeppelin"], 10, 0)]
        assert ranks == sorted(ranks)
        assert [number for number, _ in search(["zeppelin"], 2, 0)] == [3, 2]
        assert [number for number, _ in search(["zeppelin"], 2, 2)] == [4, 1]
        assert [number for number, _ in search(["flies", "zeppelin"], 9, 0)] == [3, 2, 4]


def test_a_text_with_very_many_words_is_indexed_as_far_as_there_is_room(
    store_place: Path | str, tmp_path: Path
) -> None:
    """Both databases leave out the same: words too long, and those at the end."""
    with new_store(store_place, tmp_path) as store:
        store.database.put_terms(1, "title", " ".join(f"word{number}" for number in range(100_000)))
        assert found(store, "word0") == found(store, "word40000") == found(store, "title word5") == {1}
        assert found(store, "word99999") == set()
        store.database.put_terms(2, "x" * 60_000, "y" * 3_000 + " short " + "z" * 2_046)
        assert found(store, "short") == found(store, "z" * 2_046) == {2}
        assert found(store, "y" * 3_000) == set()
        ideographs = "".join(chr(0x4E00 + number) for number in range(20_000))
        store.database.put_terms(3, ideographs, ideographs * 50)
        assert found(store, chr(0x4E00 + 19_999)) == {3}


def test_an_index_cannot_be_read_back(store_place: Path | str, tmp_path: Path) -> None:
    """It has no order of words: it is the same for a text and for the same words in another order."""
    one = ["the", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog", "again"]
    with new_store(store_place, tmp_path) as store:
        store.database.put_terms(1, "", " ".join(one))
        store.database.put_terms(2, "", " ".join(sorted(set(one))))
        if store.database.kind == "postgresql":
            [(first,), (second,)] = store.database.rows("SELECT CAST(vector AS text) FROM terms ORDER BY id")
            assert first == second
        else:
            assert store.database.rows("SELECT title, body FROM terms") == [(None, None)] * 2
            store.database.run("CREATE VIRTUAL TABLE temp.places USING fts5vocab(main, terms, instance)")
            places = "SELECT term, col, offset FROM places WHERE doc = ? ORDER BY offset"
            assert store.database.rows(places, (1,)) == store.database.rows(places, (2,))


def test_texts_leave_the_index(store: Store) -> None:
    """Those that are named, and no others; a number may come again."""
    store.database.drop_terms([1, 3, 99])
    assert found(store, "cafe") == {2}
    assert store.database.indexed() == set(TEXTS) - {1, 3}
    store.database.put_terms(1, "", "another cafe")
    assert found(store, "cafe") == {1, 2}


def test_a_query_has_a_bound() -> None:
    """Words beyond it are left out; folding twice is folding once."""
    assert words_of(" ".join(f"w{number}" for number in range(99))) == [f"w{number}" for number in range(MOST_WORDS)]
    for text in TEXTS.values():
        assert terms_of(" ".join(terms_of(text))) == terms_of(text)
    assert sum(len(term) + 8 for term in terms_of(" ".join(map(str, range(300_000))))) <= TEXT_OCTETS
