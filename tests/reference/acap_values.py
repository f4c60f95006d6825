"""Values of permissions and prohibitions: resources first, then qualifiers.

resource-specification = resource-path-pattern / ("acap:resource-set:" resource-set-name)         P1 4.5.6
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from .canonical import ABSOLUTE, authority, canonical_path, canonical_pattern
from .restrictions import KNOWN_QUALIFIERS
from .slips import fold, slipped
from .text import BLANKS, CONTROLS, ascii_lower, before_control, hyphened, tokens, without_controls

MARK = re.compile("(?:the-)?acap:", re.IGNORECASE | re.ASCII)
PREFIXES = ("acap:resource-set:", "the-acap:resource-set:")
UNTOLD = "the-acap:"  # resources that nobody can tell
SET_REFERENCE = re.compile(r"(?:the-)?acap:resource-set:", re.IGNORECASE | re.ASCII)
RESOURCE = re.compile(r"[/*]|(?:the-)?acap:resource-set:|https?://", re.IGNORECASE | re.ASCII)
UNFINISHED = re.compile(r"(?:\$|%[0-9A-Fa-f]?)$")
QUALIFIER = re.compile("[A-Za-z0-9._-]+=")
BEGUN_URI = re.compile("https?://[^/?]*", re.IGNORECASE | re.ASCII)
HTTP = re.compile(r"https?:", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True)
class Value:
    """The resource tokens, the qualifiers as (name, value), and the tokens that are neither.

    It is ended if a control character ended one of the resources. The parts are what commas divide these into.
    """

    resources: tuple[str, ...] = ()
    qualifiers: tuple[tuple[str, str], ...] = ()
    strange: tuple[str, ...] = ()
    is_ended: bool = False
    parts: tuple[str, ...] = ()


def begins_resource(token: str) -> bool:
    """Whether a resource begins here."""
    return bool(RESOURCE.match(token)) or is_nearly_set(token)


def is_nearly_set(token: str) -> bool:
    """Whether a token refers to a resource set by a prefix that a slip, or a blank, has changed."""
    token = token.lstrip(BLANKS)
    if SET_REFERENCE.match(token):
        return False
    folded = fold(token)
    prefixes = ("acap:resourceset:", "theacap:resourceset:")
    return any(
        len(folded) >= length and slipped(folded[:length], prefix)
        for prefix in prefixes
        for length in (len(prefix) - 1, len(prefix), len(prefix) + 1)
    )


def is_marked(token: str) -> bool:
    """Whether a token is marked as one of ACAP."""
    return bool(MARK.match(token))


def is_untold(token: str) -> bool:
    """Whether nobody can tell which resources a token names: marked, if only nearly, and of no set's name."""
    return is_nearly_set(token) or (is_marked(token) and not set_name(token))


def read_value(text: str, *others: str, prohibits: bool) -> Value:
    """The value of a permission or prohibition, and resources in others. A known qualifier in front is no resource."""
    words = words_of(text)
    begins_so = not words or is_known_qualifier(cleaned(words[0]))
    found = read_qualifiers(words if begins_so else words[1:], prohibits=prohibits)
    if not begins_so:
        first = tuple(resource for resource in (resource_in(words[0]),) if resource)
        is_ended = found.is_ended or is_ended_by_control(words[0])
        parts = (*parted(words[0]), *found.parts)
        found = replace(found, resources=(*first, *found.resources), parts=parts, is_ended=is_ended)
    if prohibits:  # a comma ends a resource, or is a part of it
        found = replace(found, resources=(*found.resources, *found.parts))
    for other in others:
        named = [word for word in words_of(other) if not is_known_qualifier(cleaned(word))]
        is_ended = found.is_ended or any(map(is_ended_by_control, named))
        found = replace(
            found, resources=(*found.resources, *resources_in(other, prohibits=prohibits)), is_ended=is_ended
        )
    return found


def resources_in(text: str, *, prohibits: bool) -> list[str]:
    """The resources of what else a value may be: every word that is no qualifier is one."""
    whole = words_of(text)
    plain = 1 if whole and not is_known_qualifier(cleaned(whole[0])) else 0
    whole = [*whole[:plain], *continued(whole[plain:], prohibits=prohibits)]
    words = [(number, resource_in(word)) for number, word in enumerate(whole)]
    return [
        word
        for number, word in words
        if word and (number == 0 or begins_pattern(word) or is_marked(word) or "=" not in word)
    ]


def parted(word: str) -> list[str]:
    """The resources that commas and semicolons divide a resource into, before another or at its end.

    Before a star they are parts of it. Of a word that is cut the last may have gone on.
    """
    is_cut = is_ended_by_control(word)
    resource = as_far_as_read(before_control(word.strip(CONTROLS))) if is_cut else word.strip(CONTROLS)
    parts, begun = [], 0
    for mark in re.finditer("[,;]", resource):
        rest = resource[mark.end() :]
        if not rest or (begins_resource(rest) and not rest.startswith("*")) or (is_cut and may_be_any(rest)):
            parts.append(resource[begun : mark.start()])
            begun = mark.end()
    last = resource[begun:]
    if is_cut and begun and may_be_any(last):
        last = UNTOLD
    return [part for part in (*parts, last) if part and part != resource]


def may_be_any(begun: str) -> bool:
    """Whether a resource that is cut here may be any: in the name of a set, or before it; in a URI before its path."""
    letters = fold(begun).removesuffix("\ufffd")  # of a character that was cut
    begins_set = is_marked(begun) or is_nearly_set(begun) or any(fold(each).startswith(letters) for each in PREFIXES)
    begins_uri = any(scheme.startswith(ascii_lower(begun)) for scheme in ("http://", "https://"))
    return begins_set or begins_uri or BEGUN_URI.fullmatch(begun) is not None


def resource_in(word: str) -> str:
    """The resource in a word: up to its first control character, none of them before it.

    One that is cut there may be any, if so little of it is left.
    """
    whole = word.strip(CONTROLS)
    read = before_control(whole)
    if read != whole and read:
        return UNTOLD if may_be_any(as_far_as_read(read)) else as_far_as_read(read)
    return read


def is_ended_by_control(word: str) -> bool:
    """Whether a control character ends a word before its end."""
    return before_control(word.strip(CONTROLS)) != word.strip(CONTROLS)


def as_far_as_read(pattern: str) -> str:
    """A pattern of which the end is not known: no beginning of an escape, no `$` that could pass for an anchor."""
    while UNFINISHED.search(pattern):
        pattern = UNFINISHED.sub("", pattern)
    return pattern.strip(BLANKS) or "/"


def cleaned(word: str) -> str:
    """A word that is no resource, without control characters: none in the name of a qualifier, and none after one."""
    name, equals, value = word.strip(CONTROLS).partition("=")
    if equals and ascii_lower(without_controls(name)) in KNOWN_QUALIFIERS:
        return f"{without_controls(name)}={before_control(value.strip(CONTROLS))}"
    return before_control(word.strip(CONTROLS))


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


def read_qualifiers(words: list[str], *, prohibits: bool = False) -> Value:
    """The words after the resource, or after the usage of a definition.

    In a permission what looks like a pattern may be a qualifier with a slip in its name; in a prohibition what is
    marked names resources.
    """
    resources: list[str] = []
    parts: list[str] = []
    qualifiers: list[tuple[str, str]] = []
    strange: list[str] = []
    is_ended = False
    for word in continued(words, prohibits=prohibits):
        written, resource, word = word, resource_in(word), cleaned(word)
        name, equals, value = word.partition("=")
        is_pattern = begins_pattern(word) and (prohibits or not is_nearly_qualifier(word))
        if not resource and not word:
            continue
        is_other = "=" not in word or bool(HTTP.match(word)) or is_marked(resource)
        if is_pattern or (prohibits and is_other and not is_known_qualifier(word)):
            resources.append(resource)
            parts += parted(written)
            is_ended |= is_ended_by_control(written)
        elif equals and name and not is_ended_by_control(written.partition("=")[2]):
            qualifiers.append((name, value))
        else:
            strange.append(word)
    return Value(tuple(resources), tuple(qualifiers), tuple(strange), is_ended, tuple(parts))


def continued(words: list[str], *, prohibits: bool) -> list[str]:
    """The words, what follows the comma of a qualifier's value with it; in a prohibition not what begins a resource."""
    whole: list[str] = []
    for word in words:
        goes_on = bool(whole) and whole[-1].endswith(",") and not begins_resource(whole[-1])
        if goes_on and QUALIFIER.match(without_controls(whole[-1])) and not (prohibits and begins_pattern(word)):
            whole[-1] += " " + word
        else:
            whole.append(word)
    return whole


def begins_pattern(word: str) -> bool:
    """Whether a word after the first names further resources."""
    return bool(word.startswith(("/", "*")) or SET_REFERENCE.match(word) or is_nearly_set(word))


def is_nearly_qualifier(word: str) -> bool:
    """Whether the name before a `=` is at most a slip from that of a qualifier: `/time-limit=5-days`."""
    name, equals, _ = word.partition("=")
    return bool(equals) and any(slipped(fold(name), fold(known)) for known in KNOWN_QUALIFIERS)


def is_known_qualifier(word: str) -> bool:
    """Whether the word is `name=value` with a name we know."""
    name, equals, _ = word.partition("=")
    return bool(equals) and ascii_lower(name) in KNOWN_QUALIFIERS


def set_name(resource: str) -> str | None:
    """The name in a reference to a resource set, in normal form; None if the resource is no such reference."""
    reference = SET_REFERENCE.match(resource)
    return hyphened(resource[reference.end() :]) if reference else None


def pattern_of(resource: str, site: str | None, *, prohibits: bool) -> str | None:
    """The canonical pattern of a resource of the site; None if it is one of another site, or empty."""
    if HTTP.match(resource):
        within = path_within(resource, site, in_doubt=prohibits)
        return canonical_pattern(within) if within is not None else None
    if not resource:
        return None
    return canonical_pattern(resource if resource.startswith(("/", "*")) else "/" + resource)


def single_resource(resource: str, site: str | None, *, prohibits: bool) -> str | None:
    """The canonical path of the one resource that an action request names; `*` and `$` are literal in it."""
    if HTTP.match(resource):
        within = path_within(resource, site, in_doubt=prohibits)
        return canonical_path(within) if within is not None else None
    return canonical_path(resource if resource.startswith("/") else "/" + resource) if resource else None


def path_within(uri: str, site: str | None, *, in_doubt: bool) -> str | None:
    """Path and query of an absolute URI, `/` at least; None if it is of another host or port than the site.

    The scheme does not count, and any host will do if ours is unknown; one that cannot be read may be ours, in doubt.
    """
    theirs = authority(uri)
    absolute = ABSOLUTE.match(uri)
    if absolute is None:  # of a scheme without `//`: nobody can tell where its path begins
        return "/" if in_doubt else None
    if not in_doubt if theirs is None else site is not None and theirs != authority(site):
        return None
    rest = uri[absolute.end() :]
    return rest if rest.startswith("/") else "/" + rest
