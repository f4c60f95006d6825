"""What META elements and headers declare: conventional words, ACAP, signals and reservations, before anybody asks.

Pages of a site mostly declare the same. What decides which statements come of it is a key, by which those are
remembered.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from acap import _native
from acap.dialects.tdmrep import RESERVATION, Reservation, is_nearly_reservation
from acap.pages import signals, words
from acap.pages.addressees import addressee_of_words, crawler_named, is_for_all, is_prose, speaks
from acap.pages.html import MAX_TAGS, Meta, PageTree
from acap.remembered import remembered

MAX_WORDS = 256 * 1024
"""Most characters of META tags with conventional words per page, and of headers to crawlers per response; servers send
a hundredth of it. Beyond that everything is prohibited."""

_ROBOTS = "x-robots-tag"
_SPEAKING = frozenset({_ROBOTS, RESERVATION, signals.POLICY, "link", *signals.FIELDS})

_LONGEST = 1_024
"""Most characters of a key; what is longer is not remembered."""

Doubt = tuple[str, tuple[str, ...]]
"""A code of the catalogue and its words: why something could not be read, so that everything is prohibited."""


@remembered
def speaks_in_header(name: str) -> bool:
    """Whether headers of a name, in lower case, have statements to crawlers."""
    return name in _SPEAKING or is_nearly_reservation(name)


class Addressed(NamedTuple):
    """A conventional word, its addressee, and its META element; none in a header."""

    word: words.PageWord
    crawler: str | None
    meta: Meta | None


class Declarations(NamedTuple):
    """What META elements and headers declare.

    `acap_headers` are the parts of headers that are ACAP's, each with its addressee; `misaddressed` the META elements
    whose names are no crawlers'; `mining` what is reserved of it.
    """

    words: list[Addressed]
    acap_headers: list[tuple[str | None, str]]
    acap: list[Meta]
    misaddressed: list[Meta]
    signals: list[signals.PageSignal]
    signal_problems: list[signals.Doubt]
    mining: Reservation


def read(
    document: PageTree | None,
    headers: Sequence[tuple[str, str]],
    url: str | None,
    doubts: list[Doubt],
    *,
    by_letter: bool,
) -> Declarations:
    """Reads headers, names in lower case, and the META elements of a page; what is not read is added to `doubts`."""
    declared = Declarations([], [], [], [], [], [], reserved := Reservation())
    speaking = [pair for pair in headers if speaks_in_header(pair[0])]
    if sum(len(value) for _, value in speaking) > MAX_WORDS:
        doubts.append(("page-too-much", (str(MAX_WORDS), "characters of headers to crawlers")))
        speaking = []
    for value in (value for name, value in speaking if name == _ROBOTS):
        header_words, marked = words.read_header(value)
        declared.words.extend(Addressed(word, word.agent, None) for word in dict.fromkeys(header_words))
        declared.acap_headers.extend(marked)
    if beside := [pair for pair in speaking if pair[0] != _ROBOTS]:
        reserved = signals.reserved_in_headers(beside, url)
        in_headers = signals.in_headers(beside, declared.signal_problems, reserved, url, by_letter=by_letter)
        declared.signals.extend(in_headers)
    if document is None:
        return declared._replace(mining=reserved)
    _read_metas(document, declared, doubts)
    in_page = signals.reserved_in_page(document, url)
    declared.signals.extend(signals.in_page(document, declared.signal_problems, in_page, reserved, url))
    if len(document.licence_references()) > MAX_TAGS:
        doubts.append(("page-too-much", (str(MAX_TAGS), "references to licences")))
    return declared._replace(mining=in_page[0].over(reserved))


def _read_metas(document: PageTree, declared: Declarations, doubts: list[Doubt]) -> None:
    seen: set[tuple[str, str]] = set()
    left = MAX_WORDS
    for meta in document.metas:
        is_tag, has_words, marked = _kind(meta.name, meta.content)
        if not (has_words or marked):
            continue
        left -= len(meta.content) if has_words else 0
        if left < 0:
            doubts.append(("page-too-much", (str(MAX_WORDS), "characters of META tags to crawlers")))
            return
        own = [Addressed(*one, meta) for one in _conventional(meta.name, meta.content)] if has_words else []
        # Of a tag of ACAP those words count that take away: ACAP itself knows the others.
        own = [addressed for addressed in own if addressed.word.rules] if is_tag else own
        if not (marked or own) or (meta.name, meta.content) in seen:
            continue
        seen.add((meta.name, meta.content))
        if len(seen) > MAX_TAGS:
            doubts.append(("page-too-much", (str(MAX_TAGS), "META statements")))
            return
        declared.words.extend(own)
        if not is_for_all(meta.name) and None in (
            crawler_named(meta.name) if marked else "",
            addressee_of_words(meta.name) if own else "",
        ):
            declared.misaddressed.append(meta)
        declared.acap.extend(meta if is_tag else meta._replace(content=part, lifts=False) for part in marked)


@remembered
def _kind(name: str, content: str) -> tuple[bool, bool, Sequence[str]]:
    """Whether a META element is a tag of ACAP; whether it has conventional words; its parts marked as ACAP."""
    is_tag = bool(_native.is_tag(content))
    marked = [content] if is_tag else [] if is_prose(name) else words.marked_within(content)
    # Most tags of ACAP have no other words, and then are as long as they like.
    return is_tag, speaks(name, content) and not (is_tag and not words.mentions(content)), marked


@remembered
def _conventional(name: str, content: str) -> Sequence[tuple[words.PageWord, str | None]]:
    """The words of a META element for any crawler, or for one that its name may be, each with its addressee."""
    distinct = dict.fromkeys(words.read(content, agents=False))
    if not is_for_all(name) and not any(word.rules or word.name in words.WORDS for word in distinct):
        return []
    return [(word, addressee_of_words(name)) for word in distinct]


@remembered
def _counts(name: str) -> bool | None:
    """Whether META elements of a name count whatever they say; None where it matters too where they stand."""
    return None if is_nearly_reservation(name) or name.lower() == signals.POLICY else not is_prose(name)


def key(
    document: PageTree | None, headers: Sequence[tuple[str, str]], url: str | None, *, is_page: bool, by_letter: bool
) -> Hashable | None:
    """What decides, beside who asks, which statements come of the declarations; None if more does than this tells.

    Pages of one key have the same statements, each in the same place, if none of them is for a `location` or on a local
    usage, and nothing is in doubt.
    """
    metas: list[tuple[str, str, int]] = []
    if document is not None:
        if not document.has_metas_alone:
            return None
        for name, content, place, _, _ in document.metas:
            # Where the META element stands matters too.
            if (counts := _counts(name)) is None:
                return None
            if counts or _native.is_tag(content) is not None:
                metas.append((name, content, place))
    speaking = [pair for pair in headers if pair[0] == "content-type" or speaks_in_header(pair[0])]
    # The terms of a reservation may be relative to the page.
    base = url if any(name == signals.POLICY for name, _ in speaking) else None
    length = sum(len(name) + len(content) for name, content, _ in metas)
    if length + sum(len(name) + len(value) for name, value in speaking) > _LONGEST:
        return None
    return tuple(metas), tuple(speaking), base, document is None, is_page, by_letter
