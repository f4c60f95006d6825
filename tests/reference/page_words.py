"""The conventional words of `robots` META tags and of `X-Robots-Tag`, and what they come to.

Tags and headers are a dialect each: negatives add up, and of several values in one the strictest counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from .crawler import agent_line_names
from .page_dates import Limit, read_limit
from .resolution import Ruling
from .restrictions import Restriction
from .text import ascii_lower
from .usages import and_above

BLANKS = " \t\n\f\r\v\xa0"
WIDE_BLANKS = "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
ENDS = re.compile(f"[{BLANKS},;]|$")
NAME = re.compile(f"[^{BLANKS}:,;]*")
# What nobody sees: control characters that are no blanks, U+FFFD for NUL, marks of no width; as UTF-8 in headers.
UNSEEN = re.compile(
    "[\0-\10\16-\37\177\xad\ufffd\u200b\u200c\u200d\u200e\u200f\u2060\ufeff]"
    "|" + "|".join(chr(number).encode().decode("latin-1") for number in (0xAD, *range(0x200B, 0x2010), 0xFEFF))
)
QUOTES = ['"', "'", "`", "\xab", "\xbb", *map(chr, range(0x2018, 0x2020))]
QUOTES += [mark.encode().decode("latin-1") for mark in QUOTES[3:]]
VALUED = {"max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"}
SILENT = {"all", "index", "follow", "archive", "noodp", "noydir", "nositelinkssearchbox", "indexifembedded"}
TEXTS = ("present-snippet", "present-extract", "present-oldsnippet", "present-oldextract")  # shown of a page in part
COPIES = ("present-currentcopy", "present-oldcopy")
THUMBNAILS = ("present-thumbnail", "present-oldthumbnail")
PROHIBITED = {
    "noindex": ("index", "present"),
    "nofollow": ("follow",),
    "none": ("index", "present", "follow"),
    "noarchive": COPIES,
    "nocache": COPIES,
    "nosnippet": TEXTS,
    "noai": ("ai-train",),
    "noml": ("ai-train",),
}
IMAGES = {"noimageindex": "index", "noimageai": "ai-train"}
KNOWN = {*VALUED, *SILENT, *PROHIBITED, *IMAGES, "notranslate"}
ANSWERS = {"google": ("ai-input",), "bing": ("ai-input",)}  # who counts answers among the uses of a snippet


@dataclass(frozen=True)
class Word:
    """A word, its value, whom it is addressed to (None: anybody) and whether it came in a header."""

    name: str
    value: str | None
    addressee: str | None
    is_header: bool
    is_odd: bool = False

    def addresses(self, names: Sequence[str]) -> bool:
        """Whether a crawler that has these names has to listen."""
        return self.addressee is None or any(agent_line_names(self.addressee, name) for name in names)


@dataclass(frozen=True)
class Effect:
    """What a word does to a usage: prohibits it, or limits it by a restriction. `over` is the end of a time limit."""

    word: Word
    usage: str
    restriction: Restriction | None = None
    over: datetime | None = None


def read_words(text: str, addressee: str | None, *, is_header: bool) -> Iterator[Word]:
    """The words of a META tag's content, or of one value of a header; there `token:` switches the addressee."""
    for one in [*WIDE_BLANKS, "\u2060", "\ufffd"] if is_header else []:
        text = text.replace(one.encode().decode("latin-1"), " " if one in WIDE_BLANKS else one)
    while text := text.lstrip(BLANKS + ",;"):
        found = NAME.match(text)
        assert found is not None
        written, text = ascii_lower(found[0]), text[found.end() :]
        name = bare(written)
        is_odd = name != written
        if name not in KNOWN:
            for part in UNSEEN.split(written)[: None if is_odd else 0]:
                yield Word(bare(part), None, addressee, is_header, is_odd=True)
        if not text.lstrip(BLANKS).startswith(":"):
            yield Word(name, None, addressee, is_header, is_odd)
            continue
        text = text.lstrip(BLANKS)[1:].lstrip(BLANKS)
        while name in VALUED and (unseen := UNSEEN.match(text)):
            text = text[unseen.end() :].lstrip(BLANKS)
        if name == "unavailable_after":
            readings = [split_date(text, hidden) for hidden in ("", " ")]
            found_dates = [(date, rest) for date, rest in readings if read_limit(date)]
            value, _ = min(found_dates, key=lambda each: over(each[0]), default=readings[0])
            text = min((rest for _, rest in found_dates or readings), key=len)
            yield Word(name, value, addressee, is_header)
        elif name in VALUED:
            end = min(found.start() for found in ENDS.finditer(text))
            value, text = text[:end], text[end:]
            yield Word(name, bare(value), addressee, is_header)
        elif is_header:
            addressee = None if name in {"*", "robots"} else name
        else:
            yield Word(name, None, addressee, is_header, is_odd)


def bare(written: str) -> str:
    """A word less what nobody sees and the quotation marks around it."""
    written = UNSEEN.sub("", written)
    while mark := next((mark for mark in QUOTES if written.startswith(mark)), ""):
        written = written.removeprefix(mark)
    while mark := next((mark for mark in QUOTES if written.endswith(mark)), ""):
        written = written.removesuffix(mark)
    return written


def over(date: str) -> datetime:
    """From when on a date is over."""
    limit = read_limit(date)
    assert limit is not None
    return limit.over


def split_date(text: str, hidden: str) -> tuple[str, str]:
    """The longest date at the start, which may hold one comma, and what follows; without one, up to the next comma.

    What nobody sees may have come in, or stand in the place of a blank: `hidden` is what it is read as.
    """
    ends = {found.start() for found in ENDS.finditer(text)}
    ends |= {found.start() for found in UNSEEN.finditer(text)} if hidden else set()
    for end in sorted((end for end in ends if text[:end].count(",") <= 1), reverse=True):
        date = UNSEEN.sub(hidden, text[:end])
        if read_limit(date):
            return date, text[end:]
    end = min((text.index(mark) for mark in ",;" if mark in text), default=len(text))
    return text[:end], text[end:]


def names_among(words: Sequence[Word]) -> set[str]:
    """The names of words, as they should be written."""
    return {word.name for word in words if not word.is_odd}


def effects(words: Sequence[Word], names: set[str], profile: str, *, is_image: bool) -> Iterator[Effect]:
    """What the words that address a crawler do, in the reading of its vendor, beside words of these names."""
    for word in words:
        prohibited = list(PROHIBITED.get(word.name, ()))
        if word.name == "nosnippet":
            prohibited += ANSWERS.get(profile, ())
        if word.name == "noarchive" and profile == "bing" and "nocache" not in names:
            prohibited += ["ai-input", "ai-train"]
        if word.name in IMAGES and is_image:
            prohibited.append(IMAGES[word.name])
        yield from (Effect(word, usage) for usage in prohibited)
        if word.name in IMAGES and not is_image:
            yield limited(word, IMAGES[word.name], "excluded-media", "image")
        if word.name == "nocache" and profile == "bing":
            for usage in ("ai-input", "ai-train"):
                yield limited(word, usage, "content-limit", "url-title-snippet")
        if word.name == "notranslate":
            yield limited(word, "present", "prohibited-modification", "translation")
        if word.value is not None:
            yield from valued(word, word.value, profile)


def valued(word: Word, value: str, profile: str) -> Iterator[Effect]:
    """What a word with a value does; one that cannot be read does nothing."""
    number = int(value) if re.fullmatch(r"[0-9]{1,9}", value, re.ASCII) else None
    limit = read_limit(value) if word.name == "unavailable_after" else None
    if word.name == "max-snippet" and number is not None:
        for usage in (*TEXTS, *ANSWERS.get(profile, ())):
            yield limited(word, usage, "max-length", f"{number}-chars") if number else Effect(word, usage)
    if word.name == "max-image-preview" and ascii_lower(value) in {"none", "standard"}:
        for usage in THUMBNAILS:
            standard = ascii_lower(value) == "standard"
            yield limited(word, usage, "max-image-preview", "standard") if standard else Effect(word, usage)
    if word.name == "max-video-preview" and number is not None:
        yield limited(word, "present", "max-video-preview", str(number))
    if limit:
        for usage in ("index", "present"):
            yield limited(word, usage, "time-limit", limit.value, limit)


def limited(word: Word, usage: str, name: str, value: str, limit: Limit | None = None) -> Effect:
    """A permission under a restriction."""
    return Effect(word, usage, Restriction(name, value, 0), limit.over if limit else None)


def is_conventional(name: str, words: Sequence[Word]) -> bool:
    """Whether a META tag is one for crawlers: `robots`, or one with a directive that is known."""
    return bare(name) == "robots" or any(word.name in KNOWN for word in words)


def verdicts(heard: Sequence[Effect], usage: str, at: datetime) -> Iterator[Ruling | None]:
    """What the words of tags and headers come to for a usage: one vocabulary, wherever it stands."""
    yield verdict(heard, usage, at)


def verdict(heard: Sequence[Effect], usage: str, at: datetime) -> Ruling | None:
    """What the words of one dialect come to for a usage; None if none of them speaks of it."""
    speaking = [effect for effect in heard if effect.usage in and_above(usage)]
    if not speaking:
        return None
    if any(effect.restriction is None for effect in speaking):
        return Ruling(False, "statement", True)
    if any(effect.over is not None and at >= effect.over for effect in speaking):
        return Ruling(False, "expired", True)
    return Ruling(True, "statement", True, tuple(strictest(speaking)))


def strictest(limiting: Sequence[Effect]) -> Iterator[Restriction]:
    """Of each restriction the strictest value: the smallest number, the earliest time."""
    for name in dict.fromkeys(effect.restriction.name for effect in limiting if effect.restriction):
        found = [effect for effect in limiting if effect.restriction and effect.restriction.name == name]
        winner = min(found, key=severity).restriction
        assert winner is not None
        yield winner


def severity(effect: Effect) -> tuple[float, str]:
    """What the strictest value has least of."""
    assert effect.restriction is not None
    if effect.over is not None:
        return effect.over.timestamp(), effect.restriction.value
    number = re.match(r"\d+", effect.restriction.value, re.ASCII)
    return float(number[0]) if number else 0.0, effect.restriction.value
