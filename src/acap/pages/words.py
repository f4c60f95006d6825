"""Conventional words of robots META tags and X-Robots-Tag: `noindex`, `max-snippet:20`, `unavailable_after: …`.

    rules  = rule *( ("," / blank) rule )
    rule   = word / name ":" value
    header = [agent ":"] rule *( "," [agent ":"] rule )      ; a later agent takes over

The words only restrict. A table has the effect of each; vendors who give a word a meaning of their own have rows of
their own. The table and what reads words by it are one module.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from acap import _native
from acap.pages import dates
from acap.remembered import remembered

VALUED = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")
"""Words that take a value; before a colon they name no crawler."""

TEXTS = ("present-snippet", "present-extract", "present-oldsnippet", "present-oldextract")
"""Every way to show a part of a page's text: `nosnippet` is meant for extracts too (semantics, section 7)."""

_COPIES = ("present-currentcopy", "present-oldcopy")
_THUMBNAILS = ("present-thumbnail", "present-oldthumbnail")
_AI = ("ai-input", "ai-train")
IMAGES = ("excluded-media", "image")
_LIMITED = ("content-limit", "url-title-snippet")
_ANY: tuple[str, ...] = ("generic", "google", "bing")
_SUMMARISERS = ("google", "bing")


class WordEffect(NamedTuple):
    """The effect of a word on usages: a prohibition, or a restriction of otherwise permitted ones."""

    usages: tuple[str, ...]
    restriction: tuple[str, str] | None = None
    profiles: tuple[str, ...] = _ANY


_IDLE = (
    "all",
    "index",
    "follow",
    "archive",
    "snippet",
    "noodp",
    "noydir",
    "nositelinkssearchbox",
    "indexifembedded",
)
_INDEX = WordEffect(("index", "present"))
_FOLLOW = WordEffect(("follow",))

TABLE: dict[str, tuple[WordEffect, ...]] = {
    "noindex": (_INDEX,),
    "nofollow": (_FOLLOW,),
    "none": (_INDEX, _FOLLOW),
    # It forbids showing a copy, not keeping one (guide, example 4.9).
    "noarchive": (WordEffect(_COPIES), WordEffect(_AI, profiles=("bing",))),
    "nocache": (WordEffect(_COPIES), WordEffect(_AI, _LIMITED, ("bing",))),
    "nosnippet": (WordEffect(TEXTS), WordEffect(("ai-input",), profiles=_SUMMARISERS)),
    "noimageindex": (WordEffect(("index",), IMAGES),),
    "noimageai": (WordEffect(("ai-train",), IMAGES),),
    "noai": (WordEffect(("ai-train",)),),
    "noml": (WordEffect(("ai-train",)),),
    "notranslate": (WordEffect(("present",), ("prohibited-modification", "translation")),),
    **dict.fromkeys(_IDLE, ()),
}
"""The effect of each word without value; words that are the default, obsolete or without effect here have none."""

WORDS = frozenset(TABLE) | frozenset(VALUED)


def _max_snippet(value: str) -> tuple[WordEffect, ...] | None:
    number = _number(value)
    if number is None:
        return None
    if number == 0:
        return TABLE["nosnippet"]
    if number < 0 or number > _MOST:
        return ()
    length = ("max-length", f"{number}-chars")
    return (WordEffect(TEXTS, length), WordEffect(("ai-input",), length, _SUMMARISERS))


def _max_image_preview(value: str) -> tuple[WordEffect, ...] | None:
    sizes: dict[str, tuple[WordEffect, ...]] = {
        "none": (WordEffect(_THUMBNAILS),),
        "standard": (WordEffect(_THUMBNAILS, ("max-image-preview", "standard")),),
        "large": (),
    }
    return sizes.get(value.lower())


def _max_video_preview(value: str) -> tuple[WordEffect, ...] | None:
    number = _number(value)
    if number is None:
        return None
    return () if number < 0 or number > _MOST else (WordEffect(("present",), ("max-video-preview", str(number))),)


_MOST = 999_999_999
"""The largest number that restricts; a greater one counts as none."""


def _number(value: str) -> int | None:
    """A number of digits, or -1; any other value cannot be read."""
    if value == "-1":
        return -1
    return int(value[: len(str(_MOST)) + 1]) if re.fullmatch("[0-9]+", value) else None


_READERS: dict[str, Callable[[str], tuple[WordEffect, ...] | None]] = {
    "max-snippet": _max_snippet,
    "max-image-preview": _max_image_preview,
    "max-video-preview": _max_video_preview,
}


# Control characters except blanks, and invisible characters; in headers also as octets of UTF-8. U+FFFD stands for NUL
# in HTML.
_UNSEEN = re.compile(
    "[\\x00-\\x08\\x0e-\\x1f\\x7f\\xad\\u200b-\\u200f\\u2060\\ufeff\\ufffd]|\xc2\xad|\xe2\x80[\x8b-\x8f]|\xef\xbb\xbf"
)
_HIDDEN = re.compile(f"(?:{_UNSEEN.pattern})+")
# Octets of UTF-8 in a header, of which one is a blank by itself: of blanks, and of the word joiner; those of U+FFFD.
_SPLIT = re.compile(
    "\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2(?:\x80[\x80-\x8a\xa8\xa9\xaf]|\x81[\x9f\xa0])|\xe3\x80\x80|\xef\xbf\xbd"
)
_QUOTES = "\"'`\xab\xbb\u2018-\u201f"
_QUOTE = f"(?:[{_QUOTES}]|\xe2\x80[\x98-\x9f]|\xc2[\xab\xbb])"
_BEGINNING = re.compile(f"(?:[\\s\u00a0]|{_UNSEEN.pattern})*")
_QUOTED = re.compile(f"^{_QUOTE}+|{_QUOTE}+$")
# `\\s` takes these four for blanks.
_NO_BLANKS = dict.fromkeys(range(0x1C, 0x20), "\x01")


def plain(text: str) -> str:
    """A word without invisible characters, and without quotation marks around it (our choice).

    The author meant the word. A word that is only recognised so prohibits or restricts, but lifts nothing.
    """
    return _QUOTED.sub("", _UNSEEN.sub("", text))


_MENTION = re.compile(
    rf"(?<![^\s,;:\u00a0])(?:{'|'.join(sorted(WORDS, key=len, reverse=True))})(?![^\s,;:\u00a0])", re.IGNORECASE
)


def mentions(text: str) -> bool:
    """Whether a text has a known word; most contents of most pages have none."""
    if _MENTION.search(text) is not None:
        return True
    if _QUOTED_OR_UNSEEN.search(text) is None:
        return False
    bare = re.sub(_QUOTE, " ", _UNSEEN.sub("", text))
    return _MENTION.search(bare) is not None or _MENTION.search(_QUOTED_OR_UNSEEN.sub(" ", text)) is not None


_QUOTED_OR_UNSEEN = re.compile(f"{_QUOTE}|{_UNSEEN.pattern}")


class PageWord(NamedTuple):
    """A word as written, its addressee (none: any), its effect, and its problem.

    `problem` is a code of the catalogue with its words.
    """

    name: str
    text: str
    agent: str | None
    rules: tuple[WordEffect, ...]
    problem: tuple[str, tuple[str, ...]] | None = None

    def rules_for(self, profile: str) -> Iterator[WordEffect]:
        """The rules that count for a consumer."""
        return (rule for rule in self.rules if profile in rule.profiles)


_SEPARATOR = re.compile(r"[\s,;\u00a0]*")
_NAME = re.compile(r"([^\s,;:\u00a0]+)([\s\u00a0]*:)?")
_VALUE = re.compile(rf"{_BEGINNING.pattern}([^\s,;\u00a0]*)")
_LETTER = re.compile(r"[a-z*]")
_NEXT = re.compile(r"[\s\u00a0]*([^\s,;:\u00a0]*)")


def read(text: str, *, agents: bool) -> Iterable[PageWord]:
    """The words of a META tag's content or, with `agents`, of a header's value, in time linear in the text.

    An unknown word has no rules; nothing raises.
    """
    return _read(text, agents=agents)


_MARK = r"(?P<mark>(?<![0-9A-Za-z])(?<!the-)ACAP(?![0-9A-Za-z]))"
_ACAP = re.compile(rf"(?:(?:\A|(?<=[\s,;\u00a0]))([^\s,;:\u00a0]+)[\s\u00a0]*:[\s\u00a0]*)?{_MARK}", re.IGNORECASE)
_ACAP_ALONE = re.compile(_MARK, re.IGNORECASE)


HeaderWords: TypeAlias = tuple[Sequence[PageWord], Sequence[tuple[str | None, str]]]
"""The words of a header's value, and its parts marked as ACAP, each with its addressee."""


@remembered
def read_header(value: str) -> HeaderWords:
    """Reads a header's value.

    Words are read everywhere; unknown words in the parts marked as ACAP are left to ACAP.
    """
    # Lone surrogates have no octets.
    value = value.encode("utf-8", "replace").decode("utf-8").translate(_NO_BLANKS)
    found = list(_ACAP.finditer(value))
    if not found:
        return list(read(value, agents=True)), list(_nearly_marked(value))
    before = value[: found[0].start()]
    words: list[PageWord] = list(read(before, agents=True))
    marked: list[tuple[str | None, str]] = list(_nearly_marked(before))
    for start, end in zip(found, [*(one.start() for one in found[1:]), len(value)], strict=True):
        agent = words[-1].agent if words else None
        if start[1] is not None:
            agent = None if start[1].lower() in ("*", "robots") else start[1]
        content = value[start.start("mark") : end]
        marked.append((agent, content.rstrip(" \t,;")))
        known = (word for word in read(content, agents=True) if word.rules)
        words += [word if word.agent else word._replace(agent=agent) for word in known]
    return words, marked


def marked_within(content: str) -> list[str]:
    """The parts marked as ACAP in the content of a META tag that does not begin like an ACAP tag.

    They prohibit and restrict as in a header, but never permit; the words of the tag count as they are.
    """
    is_near = _native.is_tag(content) is False
    starts = [found.start() for found in _ACAP_ALONE.finditer(content)]
    # A mark within quotation marks counts as misspelt, but is in its place.
    starts = [start for start in starts if not is_near or any(map(str.isalnum, content[:start]))]
    parts = [content[start:end] for start, end in zip(starts, [*starts[1:], len(content)][: len(starts)], strict=True)]
    return [*([content] if is_near else []), *(part.rstrip(" \t,;") for part in parts)]


_PIECE = re.compile(r"[^,;]+")
_AGENT = re.compile(r"\s*([^\s:]+)\s*:\s*")


def _nearly_marked(value: str) -> Iterator[tuple[str | None, str]]:
    """The parts with a misspelt mark of ACAP: they prohibit, and the words of the header count as they are.

    A mark may stand after each comma, and covers the text up to the next mark; a text without a mark may still have one
    that a comma divides.
    """
    found: list[tuple[str | None, int, int]] = []
    for piece in _PIECE.finditer(value):
        agent = _AGENT.match(piece[0])
        if _native.is_tag(piece[0]) is False:
            found.append((None, piece.start(), piece.start()))
        elif agent and _native.is_tag(piece[0][agent.end() :]) is False:
            name = None if agent[1].lower() in ("*", "robots") else agent[1]
            found.append((name, piece.start(), piece.start() + agent.end()))
    ends = [*(start for _, start, _ in found[1:]), len(value)]
    for (name, _, begin), end in zip(found, ends, strict=False):
        yield name, value[begin:end].rstrip(" \t,;")
    if not found and _native.is_tag(value) is False:
        yield None, value


@remembered
def _read(text: str, *, agents: bool) -> tuple[PageWord, ...]:
    return tuple(_words(text, agents))


def _words(text: str, agents: bool) -> Iterator[PageWord]:
    agent: str | None = None
    text = text.translate(_NO_BLANKS)
    if agents:
        text = _SPLIT.sub(lambda octets: octets[0].encode("latin-1").decode(), text)
    at = _SEPARATOR.match(text).end()  # type: ignore[union-attr]  # it matches anywhere
    semicolon = False
    while at < len(text):
        if piece := _NAME.match(text, at):
            start, at = at, piece.end()
            name = plain(piece[1]).lower()
            if name not in WORDS:
                yield from _divided(piece[1], agent)
            if piece[2] and name == "unavailable_after":
                words, at = _dated(text, start, _BEGINNING.match(text, at).end(), agent)  # type: ignore[union-attr]  # it matches anywhere
                yield from words
            elif piece[2] and name in _READERS:
                value = _VALUE.match(text, at)
                at = value.end() if value else at
                yield _valued(name, text[piece.start() : at].rstrip(), value[1] if value else "", agent)
            elif piece[2] and agents and _names_crawler(name, text, at):
                agent = None if name in ("*", "robots") else plain(piece[1])
            else:
                # The text after the colon of a word without value is a word of its own, as it may restrict.
                yield _word(name or piece[1], piece, agent)
        else:
            # A colon without a name.
            at += 1
        skipped = _SEPARATOR.match(text, at)
        if skipped is not None:
            if not semicolon and ";" in skipped[0]:
                semicolon = True
                yield PageWord("", ";", agent, (), ("page-semicolon", ()))
            at = skipped.end()


def _divided(text: str, agent: str | None) -> Iterator[PageWord]:
    """Words divided by invisible characters, which may stand for blanks (RFC 9110 5.5)."""
    parts = _UNSEEN.split(text)
    for part in parts if len(parts) > 1 else ():
        rules = TABLE.get(plain(part).lower())
        if rules:
            yield PageWord(text, text, agent, rules, ("page-unknown-word", (text,)))


_PAST = re.compile("[^,;]*")


def _date(text: str, begin: int) -> dates.End | None:
    """The date at a place of a text. An invisible character is dropped or read as a blank: the earlier date counts."""
    plain_text = text[begin : begin + dates.MAX_LENGTH]
    if _UNSEEN.search(plain_text) is None:
        return dates.read(plain_text, WORDS)
    # The visible text, and the length read of the original after each of its characters.
    seen, ends = "", [0]
    at = begin
    while at < len(text) and len(seen) < dates.MAX_LENGTH:
        hidden = _HIDDEN.match(text, at)
        at = hidden.end() if hidden else at
        seen, at = seen + text[at : at + 1], at + 1
        ends.append(at - begin)
    read = [
        end._replace(length=ends[end.length]) if is_dropped else end
        for reading, is_dropped in ((seen, True), (_UNSEEN.sub(_as_blanks, plain_text), False))
        if (end := dates.read(reading, WORDS)) is not None
    ]
    length = max((end.length for end in read), default=0)
    return min(read, key=lambda end: end.over)._replace(length=length) if read else None


def _as_blanks(hidden: re.Match[str]) -> str:
    return " " * len(hidden[0])


def _dated(text: str, start: int, begin: int, agent: str | None) -> tuple[list[PageWord], int]:
    end = _date(text, begin)
    if end is None:
        # A text that is not a date is skipped up to the next comma; the words in it that restrict count.
        past = _PAST.match(text, begin)
        stop = past.end() if past else len(text)
        written = text[start:stop].strip()
        bad = PageWord("unavailable_after", written, agent, (), ("page-bad-value", ("unavailable_after", written)))
        names = (name.lower() for name in text[begin:stop].split())
        return [bad, *(PageWord(name, name, agent, TABLE[name]) for name in names if name in TABLE)], stop
    stop = begin + end.length
    rules = (WordEffect(("index", "present"), ("time-limit", end.limit)),)
    problem = ("page-unknown-zone", (end.unknown_zone,)) if end.unknown_zone else None
    return [PageWord("unavailable_after", text[start:stop].strip(), agent, rules, problem)], stop


def _names_crawler(name: str, text: str, at: int) -> bool:
    """Whether the text before a colon is the name of a crawler.

    It is not if it may be an unknown word with a number as its value: then the words after it are for all (our choice).
    """
    following = _NEXT.match(text, at)
    number = following is not None and following[1].lstrip("-").isdigit()
    return name not in WORDS and not number and not name.startswith("max-") and _LETTER.search(name) is not None


def _valued(name: str, text: str, value: str, agent: str | None) -> PageWord:
    rules = _READERS[name](plain(value))
    if rules is None:
        return PageWord(name, text, agent, (), ("page-bad-value", (name, text)))
    is_odd = _QUOTED_OR_UNSEEN.search(text) is not None
    return PageWord(name, text, agent, rules, ("page-unknown-word", (text,)) if is_odd else None)


def _word(name: str, piece: re.Match[str], agent: str | None) -> PageWord:
    text = piece[1]
    found = TABLE.get(name)
    if name in VALUED:
        return PageWord(name, text, agent, (), ("page-bad-value", (name, text)))
    if found is None:
        return PageWord(name, text, agent, (), ("page-unknown-word", (text,)))
    if name != text.lower():
        # Under its own name, so that it weakens no other word.
        return PageWord(text, text, agent, found, ("page-unknown-word", (text,)))
    if piece[2]:
        return PageWord(name, text, agent, found, ("page-value-unasked", (name,)))
    return PageWord(name, text, agent, found, ("page-undocumented-word", (name,)) if name == "noml" else None)
