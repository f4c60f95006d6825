"""ACAP in META tags and class attributes → statements (P2 2.2).

The native core reads the words; here they become statements: local usages get the meaning that the site's robots.txt
gives them, and a `location` is compared with where the page is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urljoin

from acap import _native

EVERY_USE = ("follow", "index", "preserve", "present", "other", "tdm")
"""Prohibited together, these leave nothing but the crawl that was; what only a file has a name for is `other`."""

MAX_SAID = 4_000
"""So many statements may META tags make, however many stand in one. With more of them everything is prohibited, and
they are read no further."""

Part = tuple[str, bool, list[tuple[str, str]]]
"""Usage, whether it is permitted, qualifiers."""

Locals = Mapping[tuple[str, bool], tuple[bool, list[Part]]]
"""What local usages stand for, by name and by whether they are permitted; and whether the name is defined so that its
permissions lift anything."""

_UNDEFINED: tuple[bool, list[Part]] = (False, [])


class Said(NamedTuple):
    """What one tag or token says of one usage; `place` is that of the tag in its list.

    A permission with a feature of a later version, or misspelt, lifts nothing; what it restricts holds (P2 2.2.7). A
    firm prohibition stands in the place of a permission that cannot be interpreted; of what is doubted nobody can tell
    for which purpose it is, and nothing lifts it.
    """

    place: int
    permits: bool
    usage: str
    local: bool
    purpose: str | None
    qualifiers: list[tuple[str, str]]
    lifts: bool
    firm: bool
    doubted: bool


class Tags(NamedTuple):
    """What the tags and tokens of a page say, and the codes of what is wrong with them, each with place and words."""

    version: str | None
    tags: tuple[Said, ...]
    tokens: tuple[Said, ...]
    problems: tuple[tuple[str, int, list[str]], ...]

    @property
    def local_names(self) -> list[tuple[str, bool]]:
        """Local usages that are named, with whether they are permitted."""
        return list(dict.fromkeys((said.usage, said.permits) for said in (*self.tags, *self.tokens) if said.local))


def read(contents: Sequence[str], tokens: Sequence[str]) -> Tags:
    """Reads contents of META tags and tokens of class attributes; places count through both lists."""
    few = not tokens and len(contents) <= _FEW and all(len(content) <= _SHORT for content in contents)
    return _common(tuple(contents)) if few else _read(contents, tokens)


_FEW, _SHORT = 8, 256
"""So many contents up to this length are remembered: most pages of most sites say one of a few things."""


@lru_cache(maxsize=1024)
def _common(contents: tuple[str, ...]) -> Tags:
    return _read(contents, ())


def _read(contents: Sequence[str], tokens: Sequence[str]) -> Tags:
    version, said, problems = _native.read_tags(list(contents), list(tokens), MAX_SAID)
    all_said = [Said(*one) for one in said]
    count = len(contents)
    return Tags(
        version,
        tuple(one for one in all_said if one.place < count),
        tuple(one for one in all_said if one.place >= count),
        tuple(problems),
    )


class Meant(NamedTuple):
    """A part of what something said comes to."""

    usage: str
    permits: bool
    restrictions: list[tuple[str, str]]
    lifts: bool = True


def parts(said: Said, local: Locals, undefined: Sequence[str]) -> Iterator[Meant]:
    """What something said comes to.

    A local usage comes to what it would in a field of robots.txt. Of one that is not defined, or not so that anybody
    can tell what was meant, what it may be is prohibited and restricted, and the usages `undefined` are prohibited too.
    """
    if not said.local:
        yield Meant(said.usage, said.permits, said.qualifiers)
        return
    told, found = local.get((said.usage, said.permits), _UNDEFINED)
    if not told:
        yield from (Meant(usage, False, []) for usage in undefined)
    for usage, permits, own in found:
        permits = permits and said.permits
        restrictions = [*own, *said.qualifiers] if permits else []
        if told or restrictions or not permits:
            yield Meant(usage, permits, restrictions, told or not permits)


def doubt(said: Said, local: Locals) -> str:
    """What is to be told beside something said: that nothing defines the usage it names."""
    is_undefined = said.local and not local.get((said.usage, said.permits), _UNDEFINED)[0]
    return f" [no robots.txt at hand defines `({said.usage})`]" if is_undefined else ""


class Placed(NamedTuple):
    """A statement of a META tag, its location settled."""

    place: int
    crawler: str | None
    purpose: str | None
    usage: str
    permits: bool
    restrictions: list[tuple[str, str]]
    lifts: bool = True
    firm: bool = False
    doubted: bool = False
    doubt: str = ""


def settle(statements: Iterable[Placed], url: str | None) -> list[Placed]:
    """Compares each `location` with the page's URL (P2 2.2.9.1).

    Of several permissions of one usage to one addressee and purpose, one must fit: those that do are permissions
    without that qualifier, the others are void. If none fits, the usage is prohibited (our choice). One that lifts
    nothing is no alternative to any.
    """
    statements = list(statements)
    if not any(name == "location" for statement in statements for name, _ in statement.restrictions):
        return statements
    out: list[Placed] = []
    groups: dict[tuple[str, str | None, str | None, int], list[Placed]] = {}
    for number, statement in enumerate(statements, 1):
        if statement.permits and any(name == "location" for name, _ in statement.restrictions):
            crawler = statement.crawler.lower() if statement.crawler else None
            own = 0 if statement.lifts else number
            groups.setdefault((statement.usage, crawler, statement.purpose, own), []).append(statement)
        else:
            out.append(statement)
    for group in groups.values():
        fitting = [statement for statement in group if _fits(statement, url)]
        for statement in fitting:
            rest = [one for one in statement.restrictions if one[0] != "location"]
            out.append(statement._replace(restrictions=rest))
        if not fitting:
            out.extend(statement._replace(permits=False, restrictions=[]) for statement in group)
    return sorted(out, key=lambda statement: statement.place)


def _fits(statement: Placed, url: str | None) -> bool:
    wanted = [_plain(value) for name, value in statement.restrictions if name == "location"]
    here = None if url is None else address(url)
    return here is not None and url is not None and all(_address_from(url, value) == here for value in wanted)


def _plain(value: str) -> str:
    from acap.restrictions import restriction

    return restriction("location", value).plain


def _address_from(base: str, value: str) -> tuple[str, bytes] | None:
    try:
        return address(urljoin(base, value))
    except ValueError:
        return None


def address(url: str) -> tuple[str, bytes] | None:
    """A URL in the form in which two are compared: origin, and path with query; None if it is not absolute."""
    origin = _native.origin(url)
    return None if origin is None else (origin, _native.canonical_path(url.encode("utf-8", "replace")))
