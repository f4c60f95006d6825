"""Text is counted and cut by user-perceived characters and by words, as UAX #29 segments it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import regex  # type: ignore[import-untyped]  # it has no types
from hypothesis import given
from hypothesis import strategies as st

from acap.pages.measure import UNICODE, count_chars, count_words, cut_chars, cut_words
from tests.portions import at_length
from tests.reference import measure as reference
from tools import characters

VECTORS = Path(__file__).parent / "vectors" / "text"


def breaks(name: str) -> Iterator[list[str]]:
    """The segments of each line of a break test of the Unicode Character Database."""
    for line in (VECTORS / name).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            segments = line.strip("÷ ").split("÷")
            yield ["".join(chr(int(code, 16)) for code in segment.split() if code != "×") for segment in segments]


CLUSTERS = list(breaks("grapheme-breaks.txt"))
SEGMENTS = list(breaks("word-breaks.txt"))
FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
SWEDEN = "\U0001f1f8\U0001f1ea"


def test_characters_are_the_grapheme_clusters_of_unicode() -> None:
    """Each line of the default grapheme break test, cut after each cluster; white space at the end apart."""
    assert len(CLUSTERS) > 400
    for clusters in CLUSTERS:
        text = "".join(clusters)
        assert count_chars(text) == len(clusters), ascii(clusters)
        for amount in range(len(clusters) + 2):
            assert cut_chars(text, amount) == "".join(clusters[:amount]).rstrip(), ascii(clusters)


def test_words_are_the_segments_of_unicode() -> None:
    """Each line of the default word break test has its boundaries; a word is a segment with a letter or a number."""
    assert len(SEGMENTS) > 1400
    for segments in SEGMENTS:
        text = "".join(segments)
        found = list(reference.segments(text))
        starts = [0, *(end for end, _ in found)]
        assert [text[start:end] for start, (end, _) in zip(starts, found, strict=False)] == segments, ascii(segments)
        words = [any(character.isalpha() or character.isnumeric() for character in one) for one in segments]
        assert [word for _, word in found] == words, ascii(segments)
        assert count_words(text) == sum(words)
        for amount in range(len(segments) + 1):
            assert cut_words(text, amount) == reference.cut_words(text, amount), ascii(segments)


@pytest.mark.parametrize(
    ("text", "chars", "words"),
    [
        ("", 0, 0),
        ("Hello, world.", 13, 2),
        ("  two\r\nlines ", 12, 2),
        ("cafe\u0301", 4, 1),
        ("can't o’clock 3.14 1,000 a_b e.g. x:y", 37, 7),
        ("rock-n-roll and/or", 18, 5),
        ("漢字かな", 4, 4),
        ("カタカナ", 4, 1),
        ("한국어 글", 5, 2),
        ("हिन्दी में", 4, 2),
        (f"{FAMILY}{SWEDEN}{SWEDEN}!", 4, 0),
        ("1\ufe0f\u20e3 ½ Ⅷ", 5, 3),
        ("צה\"ל ג'", 7, 2),
        ("— … !", 5, 0),
        ("\u0301", 1, 0),
    ],
)
def test_counts(text: str, chars: int, words: int) -> None:
    """UAX #29: clusters, and segments that hold a letter or a number."""
    assert (count_chars(text), count_words(text)) == (chars, words)


@pytest.mark.parametrize(
    ("text", "amount", "cut"),
    [
        ("abc", 0, ""),
        ("abc", 2, "ab"),
        ("abc", 3, "abc"),
        ("ab  cd", 3, "ab"),
        ("ab  cd \n", 99, "ab  cd"),
        ("e\u0301e\u0301", 1, "e\u0301"),
        ("a\r\nb", 2, "a"),
        (f"{SWEDEN}{SWEDEN}", 1, SWEDEN),
        (f"{FAMILY}a", 1, FAMILY),
        ("क्षि a", 1, "क्षि"),
    ],
)
def test_cutting_characters(text: str, amount: int, cut: str) -> None:
    """Whole clusters are kept, and no white space after them."""
    assert cut_chars(text, amount) == cut


@pytest.mark.parametrize(
    ("text", "amount", "cut"),
    [
        ("one two three", 0, ""),
        ("one two three", 2, "one two"),
        ("one two three ", 3, "one two three"),
        ("one, (two) three", 1, "one,"),
        ("one, (two) three", 2, "one, (two)"),
        ("“one” two", 1, "“one”"),
        ("one — two", 1, "one"),
        ("one — two —", 2, "one — two —"),
        ("and/or", 1, "and/"),
        ("can't stop", 1, "can't"),
        ("漢字かな", 3, "漢字か"),
        ("!? ", 0, "!?"),
        ("!? a", 0, ""),
        ("กำกำ", 1, ""),
        ("กำกำ", 2, "กำ"),
        ("กำกำ", 3, "กำ"),
        ("\u0d4e漢", 1, ""),
        (f"a{FAMILY} b", 1, f"a{FAMILY}"),
    ],
)
def test_cutting_words(text: str, amount: int, cut: str) -> None:
    """Whole words are kept with the punctuation that hangs on the last; a cluster of two words stays or goes whole."""
    assert cut_words(text, amount) == cut


@pytest.mark.parametrize("cut", [cut_chars, cut_words])
def test_an_amount_is_not_negative(cut: Callable[[str, int], str]) -> None:
    """A caller's mistake is an error, not an empty text."""
    with pytest.raises(ValueError, match="not -1"):
        cut("a", -1)


ALPHABET = sorted(
    {character for segments in (*CLUSTERS, *SEGMENTS) for character in "".join(segments)} | set("กำ漢\u0d4e-('")
)
TEXTS = st.text(max_size=30) | st.text(alphabet=st.sampled_from(ALPHABET), max_size=30)
MEASURES = pytest.mark.parametrize(("count", "cut"), [(count_chars, cut_chars), (count_words, cut_words)])
Count = Callable[[str], int]
Cut = Callable[[str, int], str]


@MEASURES
@given(text=TEXTS, amount=st.integers(min_value=0, max_value=35))
def test_what_is_cut_is_a_prefix_that_fits(count: Count, cut: Cut, text: str, amount: int) -> None:
    """It has no more than the amount, no white space at its end, and is the whole text where that fits."""
    result = cut(text, amount)
    assert count(result) <= amount
    assert text.startswith(result)
    assert result == result.rstrip()
    if amount >= count(text):
        assert result == text.rstrip()


@MEASURES
@given(text=TEXTS, amount=st.integers(min_value=0, max_value=35))
def test_a_greater_amount_never_shortens(count: Count, cut: Cut, text: str, amount: int) -> None:
    """Cutting again to the same amount changes nothing, and one more keeps what there was."""
    result = cut(text, amount)
    assert cut(result, amount) == result
    assert cut(text, amount + 1).startswith(result)
    assert count(text) <= len(text)


@given(text=TEXTS, amount=st.integers(min_value=0, max_value=35))
def test_no_cluster_and_no_word_is_split(text: str, amount: int) -> None:
    """Words are cut where characters could be, and what is cut and what is left have all words of the text."""
    result = cut_words(text, amount)
    assert result in {cut_chars(text, chars) for chars in range(count_chars(text) + 1)}
    assert count_words(result) + count_words(text[len(result) :]) == count_words(text)


@given(text=TEXTS, amount=st.integers(min_value=0, max_value=35))
def test_the_core_segments_as_the_reference(text: str, amount: int) -> None:
    """The patterns of `regex`, of the same version of Unicode, count and cut alike."""
    assert count_chars(text) == reference.count_chars(text) == len(regex.findall(r"\X", text))
    assert count_words(text) == reference.count_words(text)
    assert cut_chars(text, amount) == reference.cut_chars(text, amount)
    assert cut_words(text, amount) == reference.cut_words(text, amount)


CONJUNCTS = "\u0915\u094d\u1cf5\u200c\u200d\u0300\u0903a\u1b05\u1b44\u1b33\U00011f42\U00011f02"


@given(text=st.text(alphabet=st.sampled_from(CONJUNCTS), max_size=12))
def test_conjuncts_are_one_character(text: str) -> None:
    """UAX #29 GB9c, which is another since Unicode 18: a linker joins a consonant whatever stands before it."""
    assert count_chars(text) == len(regex.findall(r"\X", text))


def test_each_character_is_segmented_by_its_properties() -> None:
    """The table of the core is what its tool writes: the properties of the version of Unicode that the core states."""
    assert characters.TABLE.read_text(encoding="utf-8") == characters.table()
    assert characters.VERSION == UNICODE
    for name in ("grapheme-breaks.txt", "word-breaks.txt"):
        assert f"Test-{UNICODE}.0.txt" in (VECTORS / name).read_text(encoding="utf-8").splitlines()[0]


@pytest.mark.portion
def test_each_character_counts_as_in_the_reference() -> None:
    """Between letters, marks and digits: some blocks of code points, in `make soak` all.

    `regex` joins marks to surrogates, which Unicode does not.
    """
    for start in range(0, 0x110000, 0x800) if at_length() else (0, 0x800, 0x2000, 0xF800, 0x11800):
        if start == 0xD800:
            continue
        text = "".join(f"{one}a{one}{one}\u0301.1{one}\n" for one in map(chr, range(start, start + 0x800)))
        assert count_chars(text) == reference.count_chars(text), hex(start)
        assert count_words(text) == reference.count_words(text), hex(start)


def test_a_surrogate_is_a_character_and_no_word() -> None:
    """A text of Python may hold one; nothing is joined to it."""
    text = "a\ud800\u0301 b\udfff c"
    assert (count_chars(text), count_words(text)) == (8, 3)
    assert (cut_chars(text, 2), cut_words(text, 2)) == ("a\ud800", "a\ud800\u0301 b\udfff")


@pytest.mark.parametrize("mark", ["'", "\u0301", "'\u0301", "_", "\u00ad", "\U0001f1e6", "\u094d\u0915", "\u0e33"])
def test_the_beginning_of_a_text_tells_what_all_of_it_does(mark: str) -> None:
    """Wherever the part that is read first ends, the answer is that of the whole text."""
    for length in range(40, 150):
        text = "a" * (length % 7) + " b" * (length // 9) + mark * length + "a" + mark * 3 + " c" * 99
        for amount in range(8):
            assert cut_words(text, amount) == reference.cut_words(text, amount)
            assert cut_chars(text, amount) == reference.cut_chars(text, amount)


HOSTILE = [
    *("a", " ", "\u0301", "\U0001f1e6", "\U0001f469\u200d", "\u200d", "a'", "_", "a_", "漢", "カ", '\u05d0"', "\u0600"),
    *("क्", "\u1cf5", "\u1100", "\r\n", "a\u00ad", "1,", "'", "\u0600\U0001f1e6", "\u0e01\u0e33", "\u05d0\u0301'"),
]


@pytest.mark.parametrize("unit", HOSTILE, ids=ascii)
def test_hostile_texts_take_linear_time(unit: str) -> None:
    """A long run of anything that looks around itself costs what its length costs."""

    def seconds(length: int) -> float:
        text = unit * (length // len(unit))
        start = time.process_time()
        count_chars(text), count_words(text), cut_chars(text, length), cut_words(text, length)
        return time.process_time() - start

    assert seconds(60_000) < 0.2 + 40 * seconds(6_000)


@pytest.mark.parametrize("mark", ["\u0301", "\u200d"])
def test_a_million_combining_marks_are_one_character(mark: str) -> None:
    """A cluster has no greatest length, and is left out whole where it does not fit."""
    text = "a" + mark * 1_000_000
    assert (count_chars(text), count_words(text)) == (1, 1)
    assert cut_chars(f"b{text}", 1) == cut_words(f"b {text}", 1) == "b"


def test_a_word_of_a_million_parts_is_one_word() -> None:
    """A segment has no greatest length either, and takes no memory but the text's."""
    text = "a'" * 500_000 + "a"
    assert count_words(text) == 1
    assert cut_words(f"b {text}", 1) == "b"


@pytest.mark.parametrize("text", ["lorem ipsum " * 900_000, "漢字" * 3_000_000, "e\u0301 " * 3_000_000])
def test_a_short_cut_of_a_long_text_reads_little(text: str) -> None:
    """Twenty words of ten megabytes cost no more than twenty words; reading all takes seconds."""
    start = time.process_time()
    for _ in range(20):
        assert count_words(cut_words(text, 20)) == 20
        assert count_chars(cut_chars(text, 21)) <= 21
    assert time.process_time() - start < 0.5
