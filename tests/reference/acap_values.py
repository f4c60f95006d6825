"""Values of permissions and prohibitions: resources first, then qualifiers.

resource-specification = resource-path-pattern / ("acap:resource-set:" resource-set-name)         P1 4.5.6
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .canonical import ABSOLUTE, authority, canonical_path, canonical_pattern
from .restrictions import KNOWN_QUALIFIERS
from .slips import fold, slipped
from .text import BLANKS, ascii_lower, hyphened, tokens

SET_REFERENCE = re.compile(r"(?:the-)?acap:resource-set:", re.IGNORECASE | re.ASCII)
RESOURCE = re.compile(r"[/*]|(?:the-)?acap:resource-set:|https?://", re.IGNORECASE | re.ASCII)
HTTP = re.compile(r"https?://", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True)
class Value:
    """The resource tokens, the qualifiers as (name, value), and the tokens that are neither."""

    resources: tuple[str, ...] = ()
    qualifiers: tuple[tuple[str, str], ...] = ()
    strange: tuple[str, ...] = ()


def begins_resource(token: str) -> bool:
    """Whether a resource begins here."""
    return bool(RESOURCE.match(token)) or is_nearly_set(token)


def is_nearly_set(token: str) -> bool:
    """Whether a token refers to a resource set by a prefix that a slip, or a blank, has changed."""
    token = token.lstrip(BLANKS)
    if token.startswith(("/", "*")) or SET_REFERENCE.match(token):
        return False
    folded = fold(token)
    prefixes = ("acap:resourceset:", "theacap:resourceset:")
    return any(
        len(folded) >= length and slipped(folded[:length], prefix)
        for prefix in prefixes
        for length in (len(prefix) - 1, len(prefix), len(prefix) + 1)
    )


def read_value(text: str) -> Value:
    """The value of a permission or prohibition. Without a resource in front it has none at all."""
    words = words_of(text)
    if not words or is_known_qualifier(words[0]):
        return Value()
    rest = read_qualifiers(words[1:])
    return Value((words[0], *rest.resources), rest.qualifiers, rest.strange)


def words_of(text: str) -> list[str]:
    """The words of a value. Blanks around the `=` of a qualifier are none; after a resource, blanks are blanks."""
    words: list[str] = []
    for token in whole_prefixes(tokens(text)):
        if words and not begins_resource(words[-1]) and (token.startswith("=") or words[-1].endswith("=")):
            words[-1] += token
        else:
            words.append(token)
    return words


def whole_prefixes(words: list[str]) -> list[str]:
    """The words, the last two made one that a blank in the prefix of a resource set has divided."""
    for at in range(len(words) - 1, 0, -1):
        if any(divides(prefix, *words[at - 1 : at + 1]) for prefix in ("acap:resource-set:", "the-acap:resource-set:")):
            return [*words[: at - 1], words[at - 1] + words[at], *words[at + 1 :]]
    return words


def divides(whole: str, word: str, next_: str) -> bool:
    """Whether a word and the next begin and end a text, with a blank between or for a letter."""
    word, next_ = ascii_lower(word), ascii_lower(next_)
    tails = (whole[len(word) :], whole[len(word) + 1 :])
    return bool(word) and whole.startswith(word) and any(tail and next_.startswith(tail) for tail in tails)


def read_qualifiers(words: list[str]) -> Value:
    """The words after the resource, or after the usage of a definition."""
    resources: list[str] = []
    qualifiers: list[tuple[str, str]] = []
    strange: list[str] = []
    words = list(words)
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if word.startswith(("/", "*")) or SET_REFERENCE.match(word) or is_nearly_set(word):
            resources.append(word)
        elif equals and name:
            while value.endswith(",") and words:
                value += " " + words.pop(0)
            qualifiers.append((name, value))
        else:
            strange.append(word)
    return Value(tuple(resources), tuple(qualifiers), tuple(strange))


def is_known_qualifier(word: str) -> bool:
    """Whether the word is `name=value` with a name we know."""
    name, equals, _ = word.partition("=")
    return bool(equals) and ascii_lower(name) in KNOWN_QUALIFIERS


def set_name(resource: str) -> str | None:
    """The name in a reference to a resource set, in normal form; None if the resource is no such reference."""
    reference = SET_REFERENCE.match(resource)
    return hyphened(resource[reference.end() :]) if reference else None


def pattern_of(resource: str, site: str | None) -> str | None:
    """The canonical pattern of a resource of the site; None if it is one of another site, or empty."""
    if HTTP.match(resource):
        within = path_within(resource, site)
        return canonical_pattern(within) if within is not None else None
    if not resource:
        return None
    return canonical_pattern(resource if resource.startswith(("/", "*")) else "/" + resource)


def single_resource(resource: str, site: str | None) -> str | None:
    """The canonical path of the one resource that an action request names; `*` and `$` are literal in it."""
    if HTTP.match(resource):
        within = path_within(resource, site)
        return canonical_path(within) if within is not None else None
    return canonical_path(resource if resource.startswith("/") else "/" + resource) if resource else None


def path_within(uri: str, site: str | None) -> str | None:
    """Path and query of an absolute URI, `/` at least; None if it is of another host or port than the site.

    The scheme does not count, and any host will do if ours is unknown.
    """
    if authority(uri) is None or (site is not None and authority(uri) != authority(site)):
        return None
    absolute = ABSOLUTE.match(uri)
    assert absolute is not None
    rest = uri[absolute.end() :]
    return rest if rest.startswith("/") else "/" + rest
