"""Passages: checksums of the text of elements with statements, which find that text in other versions.

If an element of the latest response prohibits its text, that text is prohibited in earlier versions too. The text
itself may not be kept, so its passages are: the length and a checksum of each stretch of its letters, from which it
cannot be restored. A checksum that matches by chance prohibits more, never less.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any
from zlib import crc32

from acap.pages.asking import Asking
from acap.pages.walk import UNSEEN, Walk

Passages = tuple[Sequence[Sequence[int]], Sequence[int]]

STRETCH = 12
"""Letters and digits per stretch; a shorter text is one stretch of its own length."""

MOST = 4_096
"""At most this many stretches are kept for all elements together; text beyond them cannot be located."""

UNKNOWN = "untold"
"""Stands for prohibitions whose text is not kept: whether they concern an earlier version is unknown."""

_SEARCHED = 500_000  # letters
_LONG = 8  # letters from which a text between two tags counts by itself, whatever surrounds it
_SPOKEN = ("alt", "title", "value", "placeholder", "aria-label", "content", "label", "summary")
_SOURCES = ("src", "srcset", "poster", "data", "href", "xlink:href")
_DRAWN = frozenset({"svg", "canvas", "iframe", "math", "object", "embed", "applet"})
_MEDIA = frozenset({"img", "input", "source", "video", "audio", "track", "image", "picture"})
_NO_LETTER = re.compile(r"[\W_]+")


class Letters:
    """The letters of a version's usable content, to be searched; `sources` are those of its pictures and sounds."""

    def __init__(self, pieces: Iterable[str], sources: Iterable[str] = ()) -> None:
        self._text = _letters("".join(pieces))
        self._sources = {_sum(one) for one in sources}

    def first(self, elements: Sequence[Passages]) -> int | None:
        """The place of the first element whose passages are here, or may be; None if there is none."""
        text = self._text
        if len(text) > _SEARCHED:
            return 0 if elements else None
        wanted: dict[int, dict[int, int]] = {}
        for place, (stretches, sources) in enumerate(elements):
            if not self._sources.isdisjoint(sources):
                return place
            for length, sum_ in stretches:
                wanted.setdefault(length, {})[sum_] = place
        for length, sums in wanted.items():
            for at in range(len(text) - length + 1):
                if (found := sums.get(_sum(text[at : at + length]))) is not None:
                    return found
        return None


def letters_of(asking: Asking, usage: str) -> Letters:
    """The letters of a page's usable content."""
    pieces: list[str] = []
    sources: list[str] = []
    for node, begins, _, usable in Walk(asking, usage):
        if usable and begins:
            texts, origins = _of_node(node)
            pieces += texts
            sources += origins
    return Letters(pieces, sources)


def passages_of(asking: Asking) -> str:
    """The passages of each element with statements, in their order, as a text; empty without any."""
    regions = asking.regions
    if regions is None or not regions.list:
        return ""
    numbers = {id(region): number for number, region in enumerate(regions.list)}
    runs: list[list[list[str]]] = [[] for _ in regions.list]
    sources: list[list[str]] = [[] for _ in regions.list]
    unknown: set[int] = set()
    current: int | None = None
    for node, begins, region, _ in Walk(asking, "preserve"):
        number = None if region is None else numbers[id(region)]
        if number is None or not begins:
            current = number
            continue
        if number != current:
            runs[number].append([])
        current = number
        texts, origins = _of_node(node)
        runs[number][-1] += texts
        sources[number] += origins
        if node.is_element_node and node.tag in _DRAWN:
            unknown.add(number)
    left = MOST
    elements: list[Passages | None] = []
    for number, of in enumerate(runs):
        texts = [letters for run in of for one in run if len(letters := _letters(one)) >= _LONG]
        texts += [_letters("".join(run)) for run in of]
        stretches = sorted({one for text in texts for one in _stretches(text)})
        sums = sorted({_sum(one) for one in sources[number]})
        left -= len(stretches) + len(sums)
        known = number not in unknown and left >= 0 and (stretches or sums)
        elements.append((stretches, sums) if known else None)
    return json.dumps(elements)


def _of_node(node: Any) -> tuple[list[str], list[str]]:
    """The texts of a node, and the sources of the media it shows."""
    if node.is_text_node:
        return [node.text_content or ""], []
    if not node.is_element_node:
        return [node.html or ""], []  # a comment
    attributes = node.attributes
    texts = [value for name in _SPOKEN if (value := attributes.get(name))]
    sources = [value for name in _SOURCES if (value := attributes.get(name))] if node.tag in _MEDIA else []
    if node.tag in UNSEEN:
        texts.append(node.html or "")
    return texts, sources


def _stretches(letters: str) -> list[tuple[int, int]]:
    if len(letters) <= STRETCH:
        return [(len(letters), _sum(letters))] if letters else []
    return [(STRETCH, _sum(letters[at : at + STRETCH])) for at in range(0, len(letters) - STRETCH + 1, STRETCH)]


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", unicodedata.normalize("NFKC", text).casefold())


def _sum(text: str) -> int:
    return crc32(text.encode("utf-8", "replace"))
