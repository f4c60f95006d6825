"""Text counted and cut by user-perceived characters and by words, as Unicode segments text (UAX #29).

The laws of this module:

1. A character is an extended grapheme cluster. A word is a segment between word boundaries that holds a letter or a
   number (general category L or N; our choice): ideographs, Hiragana and the letters of Thai are a word each.
2. What is cut is a prefix of the text without the white space at its end. No cluster and no word is split: what does
   not fit whole is left out.
3. Linear time, and of a long text no more is read than the answer needs: its beginning, where that tells.

The native core finds the boundaries, by the rules and properties of `UNICODE`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from acap import _native

UNICODE = _native.unicode_version()
"""The version of Unicode whose rules and properties count."""

# Code points of the beginning of a text for each character or word that is wanted; few texts have longer ones.
_PER_UNIT = 16
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = "\x01"  # segmented as a surrogate is: by itself, and no word


def count_chars(text: str) -> int:
    """How many user-perceived characters the text has: extended grapheme clusters (UAX #29 3)."""
    return _native.count_chars(_scalars(text))


def count_words(text: str) -> int:
    """How many words the text has (UAX #29 4): segments that hold a letter or a number."""
    return _native.count_words(_scalars(text))


def cut_chars(text: str, amount: int) -> str:
    """The first `amount` user-perceived characters, without the white space at their end.

    A text that has no more is whole but for that white space.

    Raises:
        ValueError: the amount is negative.
    """
    for part, wanted in _parts(text, amount):
        end = _native.end_of_chars(part, wanted)
        if end is not None:
            return text[:end].rstrip()
    return text.rstrip()


def cut_words(text: str, amount: int) -> str:
    """The text up to its `amount`-th word and the punctuation that follows it without a space.

    A text that has no more words is whole but for the white space at its end. Where a word boundary lies inside a
    user-perceived character, as before the vowel of Thai `กำ`, the words around it stay or go together (our choice).

    Raises:
        ValueError: the amount is negative.
    """
    for part, wanted in _parts(text, amount):
        end = _native.end_of_words(part, wanted)
        if end is not None and (end[1] or len(part) == len(text)):
            return text[: end[0]].rstrip()
    return text.rstrip()


def _parts(text: str, amount: int) -> Iterator[tuple[str, int]]:
    """The beginning of a text, then all of it, each with how much of it is wanted."""
    if amount < 0:
        raise ValueError(f"an amount of text is 0 or more, not {amount}")
    wanted = min(amount, len(text))
    length = _PER_UNIT * (wanted + 4)
    if length < len(text):
        yield _scalars(text[:length]), wanted
    yield _scalars(text), wanted


def _scalars(text: str) -> str:
    """The text, as long as it is, without surrogates, which UTF-8 cannot have."""
    return text if text.isascii() or _SURROGATE.search(text) is None else _SURROGATE.sub(_CONTROL, text)
