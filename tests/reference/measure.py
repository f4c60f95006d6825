"""Text counted and cut by user-perceived characters and by words, with the patterns of `regex` (UAX #29).

Written before the core had it, and its oracle now. The laws are those of `acap.pages.measure`:

1. A character is an extended grapheme cluster. A word is a segment between word boundaries that holds a letter or a
   number (general category L or N; our choice): ideographs, Hiragana and the letters of Thai are a word each.
2. What is cut is a prefix of the text without the white space at its end. No cluster and no word is split: what does
   not fit whole is left out.
3. Linear time, memory for the answer alone, and no more of the text is read than the answer needs.

Boundaries are those of the Unicode version whose properties `regex` knows. Its `\\X` finds clusters, but at each flag
looks back over the whole run of flags; its `\\b` is not the default word boundary. So flags and words are read here.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex  # type: ignore[import-untyped]  # it has no types

# Characters between any two of which there is a cluster boundary, whatever stands around them: the ones of most texts.
PLAIN = (
    r"[\x00-\x0C\x0E-\u02FF\u0370-\u0482\u048A-\u0590\u0621-\u064A"
    r"\u2010-\u2027\u3000-\u3029\u3041-\u3096\u30A0-\u30FF\u4E00-\u9FFF\uAC00-\uD7A3]"
)
_CLUSTER = regex.compile(
    # A plain character before another one needs no further look. The bound keeps cutting from reading ahead.
    rf"(?P<plain>{PLAIN}{{1,1024}}(?={PLAIN}|\Z))"
    r"|\p{RI}\p{RI}(?=\p{RI})"  # GB12, GB13: a flag inside a run of flags
    r"|\X"
)

# WB4: what extends a character goes with it.
_WITH = r"[\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}]*+"
_LETTER = r"[\p{WB=ALetter}\p{WB=Hebrew_Letter}]"
# A name tells what may join the token to the one before it. Only single sets repeat: a repeated group takes memory.
_TOKEN = regex.compile(
    rf"(?P<letter>\p{{WB=ALetter}}++){_WITH}"
    rf"|(?P<space>\p{{WB=WSegSpace}}++){_WITH}"  # WB3d
    rf"|(?P<number>\p{{WB=Numeric}}++){_WITH}"
    rf"|(?P<katakana>\p{{WB=Katakana}}++){_WITH}"
    rf"|(?P<connector>\p{{WB=ExtendNumLet}}++){_WITH}"
    rf"|(?P<hebrew>\p{{WB=Hebrew_Letter}}++){_WITH}"
    rf"|(?P<apostrophe_letter>\p{{WB=Single_Quote}}){_WITH}(?={_LETTER})"
    rf"|(?P<apostrophe_number>\p{{WB=Single_Quote}}){_WITH}(?=\p{{WB=Numeric}})"
    rf"|(?P<apostrophe>\p{{WB=Single_Quote}}){_WITH}"
    rf"|(?P<quote_hebrew>\p{{WB=Double_Quote}}){_WITH}(?=\p{{WB=Hebrew_Letter}})"
    rf"|(?P<middle_letter>[\p{{WB=MidLetter}}\p{{WB=MidNumLet}}]){_WITH}(?={_LETTER})"
    rf"|(?P<middle_number>[\p{{WB=MidNum}}\p{{WB=MidNumLet}}]){_WITH}(?=\p{{WB=Numeric}})"
    r"|(?P<line>\r\n|[\r\n\p{WB=Newline}])"  # WB3, WB3a, WB3b
    rf"|(?P<other>\p{{RI}}{_WITH}(?:\p{{RI}}{_WITH})?+|.{_WITH})",  # WB15, WB16
    regex.DOTALL,
)
_AFTER_LETTER = {
    "letter": "letter",  # WB5
    "hebrew": "hebrew",
    "number": "number",  # WB9
    "connector": "connector",  # WB13a
    "middle_letter": "inside letters",  # WB6
    "apostrophe_letter": "inside letters",
}
# What was read, what comes, and what has then been read; where there is no entry a segment ends.
_JOINED = {
    "letter": _AFTER_LETTER,
    "hebrew": _AFTER_LETTER
    | {"apostrophe": "other", "apostrophe_number": "other", "quote_hebrew": "inside letters"},  # WB7a, WB7b
    "inside letters": {"letter": "letter", "hebrew": "hebrew"},  # WB7, WB7c
    "number": {
        "number": "number",  # WB8
        "letter": "letter",  # WB10
        "hebrew": "hebrew",
        "connector": "connector",
        "middle_number": "inside numbers",  # WB12
        "apostrophe_number": "inside numbers",
    },
    "inside numbers": {"number": "number"},  # WB11
    "katakana": {"katakana": "katakana", "connector": "connector"},  # WB13, WB13a
    "connector": {kind: kind for kind in ("connector", "letter", "hebrew", "number", "katakana")},  # WB13a, WB13b
}
_NOTHING: dict[str, str] = {}
_LETTER_OR_NUMBER = regex.compile(r"[\p{L}\p{N}]")
_PICTOGRAPH = regex.compile(r"\p{Extended_Pictographic}")
_JOINER = "\u200d"


def count_chars(text: str) -> int:
    """How many user-perceived characters the text has: extended grapheme clusters (UAX #29 3)."""
    return sum(end - start if plain else 1 for start, end, plain in _clusters(text))


def count_words(text: str) -> int:
    """How many words the text has (UAX #29 4): segments that hold a letter or a number."""
    return sum(word for _, word in segments(text))


def cut_chars(text: str, amount: int) -> str:
    """The first `amount` user-perceived characters, without the white space at their end.

    A text that has no more is whole but for that white space.

    Raises:
        ValueError: the amount is negative.
    """
    left = _counted(amount)
    for start, end, plain in _clusters(text):
        size = end - start if plain else 1
        if size > left:
            return text[: start + left].rstrip()
        left -= size
    return text.rstrip()


def cut_words(text: str, amount: int) -> str:
    """The text up to its `amount`-th word and the punctuation that follows it without a space.

    A text that has no more words is whole but for the white space at its end. Where a word boundary lies inside a
    user-perceived character, as before the vowel of Thai `กำ`, the words around it stay or go together (our choice).

    Raises:
        ValueError: the amount is negative.
    """
    left = _counted(amount)
    start = cut = 0
    open_ = False  # whether what comes still hangs on the last word
    for end, words in _whole_segments(text):
        if words > left:
            return text[:cut].rstrip()
        left -= words
        open_ = words > 0 or (open_ and not text[start].isspace())
        if open_:
            cut = end
        start = end
    return text.rstrip()


def _counted(amount: int) -> int:
    if amount < 0:
        raise ValueError(f"an amount of text is 0 or more, not {amount}")
    return amount


def _clusters(text: str) -> Iterator[tuple[int, int, bool]]:
    """Start and end of each cluster, or of a run of plain characters each of which is one."""
    for match in _CLUSTER.finditer(text):
        yield match.start(), match.end(), match.lastgroup is not None


def segments(text: str) -> Iterator[tuple[int, bool]]:
    """The end of each segment between word boundaries, and whether it is a word (UAX #29 4.1.1)."""
    read = ""
    word = False
    end = 0
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        start = end
        joined = _JOINED.get(read, _NOTHING).get(kind)
        # WB3c: nothing else joins a pictograph to what stands before it.
        if joined is None and not (start and text[start - 1] == _JOINER and _PICTOGRAPH.match(text, start)):
            if start:
                yield start, word
            word = False
        read = joined or kind
        end = match.end()
        # Python's own answer is quicker, but of an older Unicode version: only its "yes" counts.
        word = (
            word
            or text[start].isalnum()
            or (not text[start:end].isascii() and _LETTER_OR_NUMBER.search(text, start, end) is not None)
        )
    if end:
        yield end, word


def _whole_segments(text: str) -> Iterator[tuple[int, int]]:
    """Segments, joined where a cluster goes on: the end of each, and the number of words that it holds."""
    clusters = _clusters(text)
    reached, plain = 0, False
    words = 0
    for end, word in segments(text):
        words += word
        while reached < end:
            _, reached, plain = next(clusters)
        if plain or reached == end:
            yield end, words
            words = 0
