"""Snippets that may be shown: within the publisher's length, or the publisher's own (G 5.8, 5.9, 5.10).

A snippet is always taken from the usable content, whatever a caller passes: a text that is not in it counts as a query.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from acap._native import Decision
from acap.pages import measure
from acap.pages.asking import Asking
from acap.pages.extraction import content_for
from acap.restrictions import MaxLength

WANTED = 200
"""Characters of a snippet by default: about three lines of a results page."""

_SEARCHED = 1_000_000
"""Most characters searched for a passage."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A snippet, or why there is none.

    `text` is None if none may be shown, or none is at hand. `origin` is `publisher` where the publisher says what is to
    be shown, else `page`. `uri` is another resource that has to be shown instead; getting it is left to the caller.
    `complete` says that nothing was cut off its end.
    """

    text: str | None
    decision: Decision
    origin: str
    uri: str | None = None
    complete: bool = True


def snippet(asking: Asking, wanted: str, usage: str, length: int | None) -> Snippet:
    """A passage of the usable content, or what the publisher wants shown.

    Raises:
        ValueError: the length is negative.
    """
    if length is not None and length < 0:
        raise ValueError(f"a snippet cannot have {length} characters")
    content = content_for(asking, usage)
    decision = content.decision
    origin = "page" if content.resource is None else "publisher"
    text = content.text if decision.permitted else ""
    if not text.strip():
        return Snippet(None, decision, origin, content.uri if decision.permitted else None)
    limits = _limits(decision)
    # A limit of an element, beyond that of the page, cuts the text of the element.
    own = (
        _within(piece.text, [limit for limit in _limits(piece.decision) if limit not in limits], None)
        for piece in content.pieces
    )
    flat = " ".join(" ".join(own).split())
    if origin == "page":
        flat = _passage(flat, " ".join(wanted.split()))
    shown = _within(flat, limits, WANTED if length is None and origin == "page" else length)
    return Snippet(shown or None, decision, origin, None, shown == flat)


def _limits(decision: Decision) -> list[MaxLength]:
    return [restriction for restriction in decision.restrictions if isinstance(restriction, MaxLength)]


def _passage(text: str, wanted: str) -> str:
    """The text from where a passage, or the most different words of a query, begin."""
    if not wanted:
        return text
    if wanted in text and (len(wanted) >= _LONG or len(wanted.split()) >= _WORDS):
        return wanted
    if (at := text.find(wanted)) >= 0:
        return text[_sentence(text, at) :]
    words = {word.lower() for word in re.findall(r"\w+", wanted[:_QUERY])}
    hits = [
        (match.start(), word) for match in re.finditer(r"\w+", text[:_SEARCHED]) if (word := match[0].lower()) in words
    ]
    return text[_sentence(text, _densest(hits)) :] if hits else text


_LONG, _WORDS = 60, 4
"""A text of this many characters or words that occurs in the page is a passage of it, not a query."""

_QUERY = 1_000
"""Most characters of a query that are used."""


def _densest(hits: list[tuple[int, str]]) -> int:
    """Where the window with the most different words begins, the first of the best."""
    best, start, first = 0, 0, 0
    counts: dict[str, int] = {}
    for at, word in hits:
        counts[word] = counts.get(word, 0) + 1
        while hits[first][0] < at - WANTED:
            out = hits[first][1]
            counts[out] -= 1
            if not counts[out]:
                del counts[out]
            first += 1
        if len(counts) > best:
            best, start = len(counts), hits[first][0]
    return start


def _sentence(text: str, at: int) -> int:
    """The beginning of the sentence around a place, if it is near; else the place."""
    near = max(0, at - WANTED // 2)
    ends = [match.end() for match in re.finditer(r"[.!?…]\s+", text[near:at])]
    if ends:
        return near + ends[-1]
    return 0 if near == 0 else at


def _within(text: str, limits: Iterable[MaxLength], length: int | None) -> str:
    """The text cut to what is permitted and wanted."""
    cut = text if length is None else _cut_at_word(text, length)
    for limit in limits:
        cut = measure.cut_words(cut, limit.amount) if limit.unit == "words" else measure.cut_chars(cut, limit.amount)
    return cut


def _cut_at_word(text: str, length: int) -> str:
    cut = measure.cut_chars(text, length)
    if len(cut) == len(text) or not text[len(cut) : len(cut) + 1].strip():
        return cut
    shorter = cut.rsplit(" ", 1)[0].rstrip()
    return shorter or cut
