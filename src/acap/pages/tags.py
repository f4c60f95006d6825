"""ACAP in META tags and class attributes → statements (P2 2.2).

The native core reads the words; here they become statements: local usages get their meaning from the site's robots.txt,
and a `location` is compared with the page's URL.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urljoin

from acap import _native
from acap.remembered import remembered
from acap.restrictions import restriction

EVERY_USE = ("follow", "index", "preserve", "present", "other", "tdm")
"""Prohibited together, these leave nothing but the crawl itself; usages that a file defines are part of `other`."""

MAX_STATEMENTS = 4_000
"""Most statements in META tags per page, however many stand in one. Beyond that everything is prohibited, and no more
are read."""

Part = tuple[str, bool, list[tuple[str, str]]]
"""Usage, whether it is permitted, qualifiers."""

Locals = Mapping[tuple[str, bool], tuple[bool, list[Part]]]
"""The meaning of local usages, by name and by whether they are permitted: whether the definition lets permissions lift
anything, and its parts."""

_UNDEFINED: tuple[bool, list[Part]] = (False, [])


class TagStatement(NamedTuple):
    """A statement of one tag or token on one usage; `place` is that of the tag in its list.

    A permission with a feature of a later version, or with a typo, lifts nothing; its restrictions hold (P2 2.2.7). A
    firm prohibition replaces a permission that cannot be interpreted. The purpose of a doubted statement cannot be
    told, and nothing lifts it.
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
    """The statements of the tags and tokens of a page, and the codes of their problems, each with place and words."""

    version: str | None
    tags: tuple[TagStatement, ...]
    tokens: tuple[TagStatement, ...]
    problems: tuple[tuple[str, int, list[str]], ...]

    @property
    def local_names(self) -> list[tuple[str, bool]]:
        """Local usages that are named, with whether they are permitted."""
        return list(dict.fromkeys((tag.usage, tag.permits) for tag in (*self.tags, *self.tokens) if tag.local))


def read(contents: Sequence[str], tokens: Sequence[str]) -> Tags:
    """Reads contents of META tags and tokens of class attributes; places count through both lists."""
    return _read(contents, tokens) if tokens else _common(*contents)


@remembered
def _common(*contents: str) -> Tags:
    return _read(contents, ())


def _read(contents: Sequence[str], tokens: Sequence[str]) -> Tags:
    version, fields, problems = _native.read_tags(list(contents), list(tokens), MAX_STATEMENTS)
    statements = [TagStatement(*one) for one in fields]
    count = len(contents)
    return Tags(
        version,
        tuple(tag for tag in statements if tag.place < count),
        tuple(tag for tag in statements if tag.place >= count),
        tuple(problems),
    )


class ResolvedUsage(NamedTuple):
    """One usage of a statement, with local usages resolved."""

    usage: str
    permits: bool
    restrictions: list[tuple[str, str]]
    lifts: bool = True


def parts(tag: TagStatement, local: Locals, undefined: Sequence[str]) -> Iterator[ResolvedUsage]:
    """The usages of a statement, with local usages resolved.

    A local usage means what it does in a field of robots.txt. If it is not defined, or its meaning cannot be told, the
    usages it may mean are prohibited and restricted, and the usages `undefined` are prohibited too.
    """
    if not tag.local:
        yield ResolvedUsage(tag.usage, tag.permits, tag.qualifiers)
        return
    is_defined, usages = local.get((tag.usage, tag.permits), _UNDEFINED)
    if not is_defined:
        yield from (ResolvedUsage(usage, False, []) for usage in undefined)
    for usage, permits, own in usages:
        permits = permits and tag.permits
        restrictions = [*own, *tag.qualifiers] if permits else []
        if is_defined or restrictions or not permits:
            yield ResolvedUsage(usage, permits, restrictions, is_defined or not permits)


def doubt(tag: TagStatement, local: Locals) -> str:
    """A remark beside a statement: that nothing defines the usage it names."""
    is_undefined = tag.local and not local.get((tag.usage, tag.permits), _UNDEFINED)[0]
    return f" [no robots.txt at hand defines `({tag.usage})`]" if is_undefined else ""


class Placed(NamedTuple):
    """A statement of a META tag, with local usages resolved."""

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

    Of several permissions of one usage for one addressee and purpose, one must fit: those that do become permissions
    without that qualifier, the others have no effect. If none fits, the usage is prohibited (our choice). A permission
    that lifts nothing is no alternative to another.
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
            rest = [restriction for restriction in statement.restrictions if restriction[0] != "location"]
            out.append(statement._replace(restrictions=rest))
        if not fitting:
            out.extend(statement._replace(permits=False, restrictions=[]) for statement in group)
    return sorted(out, key=lambda statement: statement.place)


def _fits(statement: Placed, url: str | None) -> bool:
    wanted = [_plain(value) for name, value in statement.restrictions if name == "location"]
    here = None if url is None else address(url)
    return here is not None and url is not None and all(_address_from(url, value) == here for value in wanted)


def _plain(value: str) -> str:
    return restriction("location", value).plain


def _address_from(base: str, value: str) -> tuple[str, bytes] | None:
    try:
        return address(urljoin(base, value))
    except ValueError:
        return None


def address(url: str) -> tuple[str, bytes] | None:
    """A URL in the form for comparison: origin, and path with query; None if it is not absolute."""
    origin = _native.origin(url)
    return None if origin is None else (origin, _native.canonical_path(url.encode("utf-8", "replace")))
