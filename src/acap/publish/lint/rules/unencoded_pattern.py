"""Octets of a pattern that are written otherwise than in URLs, which not all crawlers take for the same."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acap.outline import Field
from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule

_LOWER = re.compile("%(?:[0-9A-Fa-f][a-f]|[a-f][0-9A-Fa-f])")
_OTHER = re.compile("[^\x00-\x7f]")
_UNSEEN = re.compile("[\u00a0\u00ad\u2000-\u200b\u200e\u200f\u202a-\u202f\u2060\u3000\ufeff]")
"""What comes along when a path is copied from a page or a letter; joiners are letters of some scripts."""

_LIKE = dict(zip("\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u03bf", "aeopcyxijso", strict=True))
"""Letters of the Cyrillic and the Greek script that look like Latin ones."""
_ENTITIES = {"¤": "curren", "§": "sect", "¶": "para", "®": "reg", "¬": "not", "×": "times", "©": "copy"}
_ENTITY = re.compile("[¤§¶®¬×©](?=[A-Za-z_]*=)")
"""Where a query had a parameter, `&section=`."""
_WORD = re.compile(r"[^\W\d_]+")
_MIXED = re.compile(f"(?=.*[A-Za-z])[A-Za-z{''.join(_LIKE)}]+")


def check(document: Document) -> Iterator[Finding]:
    """A finding for each Allow and Disallow line with letters beyond ASCII, or with escapes in lower case."""
    for group in document.groups:
        if odd := [rule for rule in group.rules if _is_odd(rule.value)]:
            rules = {(rule.kind, rule.value) for rule in group.rules}
            for rule in odd:
                yield from _findings(document, rule, rules)


def _is_odd(pattern: str) -> bool:
    """Whether it is a path with letters beyond ASCII, or with escapes in lower case."""
    odd = not pattern.isascii() or ("%" in pattern and _LOWER.search(pattern) is not None)
    return odd and pattern.startswith(("/", "*"))


def _findings(document: Document, rule: Field, rules: set[tuple[str, str]]) -> Iterator[Finding]:
    """A finding, unless the group says the same as URLs have it too."""
    pattern = rule.value
    if "\ufffd" in pattern:
        return  # not UTF-8, which the reader reports
    if " " in pattern and "<" in pattern:
        return  # HTML, which has more wrong with it
    if unseen := _UNSEEN.search(pattern):
        plain = _as_urls(_UNSEEN.sub("", pattern).strip())
        blanks = pattern.strip("".join(_UNSEEN.findall(pattern)) + " ")
        inside = any(letter.isspace() for letter in _UNSEEN.findall(blanks))
        otherwise = f", or `{_as_urls(pattern.strip())}` if URLs contain it" if inside else ""
        sign = f"the invisible character U+{ord(unseen[0]):04X}"
        message = f"the pattern contains {sign} and matches only URLs that contain it too"
        yield RULE.corrected(document, rule, plain, message, help=f"write `{plain}`{otherwise}", safe=False)
        return
    if (decoded := _once(pattern)) is not None:
        written = _as_urls(decoded)
        message = f"`{pattern}` is encoded twice: in URLs, `{decoded}` is `{written}`"
        yield RULE.corrected(document, rule, written, message, safe=False)
        return
    if entity := _ENTITY.search(pattern):
        plain = _ENTITY.sub(lambda found: f"&{_ENTITIES[found[0]]}", pattern)
        letter = f"&{_ENTITIES[entity[0]]}"
        message = f"some program took `{letter}` for HTML and made `{entity[0]}` of it in `{pattern}`"
        yield RULE.corrected(document, rule, plain, message, edits=None if plain.isascii() else (), safe=False)
        return
    if (like := _like_latin(pattern)) is not None:
        letter, plain = like
        message = f"the pattern contains U+{ord(letter):04X}, which looks like `{_LIKE[letter]}` but is another letter"
        yield RULE.corrected(document, rule, plain, message, safe=False)
        return
    if " " in pattern:
        return  # which is reported with what URLs have
    written = _as_urls(pattern)
    if (rule.kind, written) not in rules:
        what = "letters beyond ASCII" if not pattern.isascii() else "escapes in lower case"
        message = f"`{pattern}` has {what}; URLs have `{written}`, and not every crawler sees the two as equal"
        yield RULE.corrected(document, rule, written, message)


def _like_latin(pattern: str) -> tuple[str, str] | None:
    """A letter of another script that only looks Latin, and the pattern in Latin; None if a word is of that script."""
    odd = [word for word in _WORD.findall(pattern) if not word.isascii()]
    if not odd or not all(_MIXED.fullmatch(word) for word in odd):
        return None
    letter = next(letter for letter in odd[0] if letter in _LIKE)
    plain = "".join(_LIKE.get(letter, letter) for letter in pattern)
    return (letter, plain) if plain.isascii() else None


def _as_urls(pattern: str) -> str:
    written = _LOWER.sub(lambda found: found[0].upper(), pattern)
    return _OTHER.sub(lambda found: "".join(f"%{octet:02X}" for octet in found[0].encode()), written)


def _once(pattern: str) -> str | None:
    """What was taken for Windows-1252, and was UTF-8 already; None if that is not how the pattern came about."""
    try:
        decoded = pattern.encode("cp1252").decode()
    except UnicodeError:
        return None
    return None if decoded == pattern else decoded


RULE = Rule(
    code="unencoded-pattern",
    summary="a pattern is not encoded as URLs are",
    severity="info",
    why=(
        "In requests, URLs have letters beyond ASCII as escapes: `%C3%A4` for `ä`. By RFC 9309 crawlers encode both "
        "sides before they compare, but not all do. A pattern written as URLs are sent matches for every crawler."
    ),
    clause="RFC 9309 2.2.2",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /straße/\n",
            good="User-agent: *\nDisallow: /stra%C3%9Fe/\n",
            fixed="User-agent: *\nDisallow: /stra%C3%9Fe/\n",
        ),
        Example(
            bad="User-agent: *\nDisallow: /stra%c3%9fe/\n",
            good="User-agent: *\nDisallow: /stra%C3%9Fe/\n",
            fixed="User-agent: *\nDisallow: /stra%C3%9Fe/\n",
        ),
        Example(
            bad="User-agent: *\nDisallow: /c\u043enf/\n",
            good="User-agent: *\nDisallow: /conf/\n",
            fixed="User-agent: *\nDisallow: /conf/\n",
        ),
    ),
    check=check,
    fix="safe",
)
