"""ACAP statements in META tags and class attributes, read.

    ACAP-meta-tag-content = "ACAP" 1*WSP (version / permission / prohibition)                              P2 3
    class-attribute-permission = "the-acap:allow-" (ACAP-usage-name / local-usage-name)                    P2 3

Names stay as written: what a local usage stands for only the site's robots.txt can tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from .acap_values import Value
from .page_html import Element
from .text import ascii_lower, hyphened, leading_name

WHITE_SPACE = re.compile("[ \t\n\f\r\xa0]+")
MARK = re.compile(r"[ \t\n\f\r\xa0]*ACAP(?:[ \t\n\f\r\xa0:]|-(?=(?:dis)?allow)|$)", re.IGNORECASE)
CLASS_TOKEN = re.compile(r"(?:the-)?acap:((?:dis)?allow)-(.+)", re.IGNORECASE | re.DOTALL)
EFFECT = re.compile(r"((?:dis)?allow)-(.+)", re.DOTALL)
VERSION = re.compile(r"[0-9]+(?:\.[0-9]+)+", re.ASCII)


@dataclass(frozen=True)
class Said:
    """A permission or prohibition as written. No purposes: for every purpose; no addressee: for any crawler."""

    effect: str
    usage_name: str
    value: Value = field(default_factory=Value)
    purposes: tuple[str, ...] = ()
    addressee: str | None = None
    element: Element | None = None


@dataclass(frozen=True)
class Tag:
    """What a META tag says and to whom: permissions and prohibitions, and a version if it states one."""

    addressee: str | None = None
    said: tuple[Said, ...] = ()
    version: str | None = None


def read_tag(name: str, content: str) -> Tag | None:
    """The ACAP statements of a META tag; None if it has none of ACAP."""
    mark = MARK.match(content)
    if mark is None:
        return None
    words = words_of(content[mark.end() :])
    version = None
    if len(words) > 1 and ascii_lower(words[0]) == "version" and VERSION.fullmatch(words[1]):
        version, words = words[1], words[2:]
    addressee = addressee_of(name)
    return Tag(addressee, tuple(replace(said, addressee=addressee) for said in read_statements(words)), version)


def addressee_of(name: str) -> str | None:
    """The crawler a META tag names, in lower case; None for any."""
    name = name.strip(" \t\n\f\r\xa0")
    return None if ascii_lower(name) == "robots" else leading_name(name)


def words_of(text: str) -> list[str]:
    """The words of a content: `allow index` is one, `name = value` too, and commas after a statement are none."""
    words: list[str] = []
    for token in (token for token in WHITE_SPACE.split(text) if token):
        if words and hyphened(words[-1]).rstrip("-") in {"allow", "disallow"}:
            words[-1] += "-" + token
        elif words and belong_together(words[-1], token):
            words[-1] += token
        else:
            words.append(token)
    return [part for word in words for part in parted(word)]


def belong_together(word: str, next_: str) -> bool:
    """Whether a blank between two words is one beside the `=` of a qualifier; a statement is no part of any."""
    return (next_.startswith("=") and not starts_statement(word)) or (
        word.endswith("=") and not starts_statement(next_)
    )


def starts_statement(word: str) -> bool:
    """Whether a word is the effect and usage with which a statement begins."""
    return EFFECT.fullmatch(hyphened(word)) is not None


def parted(word: str) -> list[str]:
    """A word without the commas and semicolons after a statement in it."""
    if starts_statement(word):
        return [part for part in re.split("[,;]", word) if part]
    return [word]


def read_statements(words: Sequence[str]) -> Iterator[Said]:
    """The statements among the words. What stands before the first is its purposes."""
    starts = [at for at, word in enumerate(words) if starts_statement(word)]
    before = list(words[: (*starts, 0)[0]])
    for start, end in zip(starts, [*starts, len(words)][1:], strict=True):
        found = EFFECT.fullmatch(hyphened(words[start]))
        assert found is not None
        value = read_value(words[start + 1 : end])
        permits = found[1] == "allow"
        # A stray word between statements is a purpose of the next only if that permits (our choice).
        written = before if permits or start == starts[0] else []
        purposes = tuple(word.rstrip(",;") for word in written if word.strip(",;"))
        yield Said(found[1], found[2], value, () if "*" in purposes else purposes)
        before = list(value.strange)


def read_value(words: Sequence[str]) -> Value:
    """The qualifiers after a statement, and the words that are none. After a comma a value goes on."""
    qualifiers: list[tuple[str, str]] = []
    strange: list[str] = []
    left = list(words)
    while left:
        name, equals, value = left.pop(0).partition("=")
        if not equals or not name:
            strange += [word for word in [name + equals + value] if word.strip(",;")]
            continue
        while value.endswith(",") and left:
            value += " " + left.pop(0)
        qualifiers.append((name, value.rstrip(",;")))
    return Value((), tuple(qualifiers), tuple(strange))


def read_classes(element: Element) -> Iterator[Said]:
    """The statements in an element's class attribute: basic ones, for any crawler and every purpose (P2 2.2.5)."""
    for token in re.split("[ \t\n\f\r]+", element.attributes.get("class", "")):
        found = CLASS_TOKEN.fullmatch(token)
        if found:
            yield Said(ascii_lower(found[1]), hyphened(found[2]), element=element)
