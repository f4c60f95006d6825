"""What a page, or the headers of its response, say: as ACAP fields of robots.txt about its URL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from acap import _native
from acap.publish.convert.conversion import Conversion, Note
from acap.publish.convert.states import ANYBODY, PERMITTED, new, said_by_acap, states
from acap.publish.convert.surroundings import joined
from acap.publish.convert.to_acap import LATEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from acap._native import Statement
    from acap.pages.page import PagePolicy
    from acap.publish.convert.conversion import Target
    from acap.publish.convert.states import State


def from_page(octets: bytes, to: Target, url: str, kind: Literal["page", "headers"]) -> Conversion:
    """The lines for the site's robots.txt.

    Raises:
        ValueError: the URL has no path.
    """
    pattern = _pattern(url)
    page = _page(octets, url, kind)
    said = page.statements()
    notes = list(_unsaid(said))
    names = {one.crawler.lower(): one.crawler for one in said if one.crawler}
    default = _states(page, ANYBODY, None)
    records: list[list[str]] = []
    for name in (*names.values(), ANYBODY):
        found = _states(page, name, None)
        known = default if name != ANYBODY else dict.fromkeys(found, PERMITTED)
        fields = [_field(pattern, *state) for state in new(found, known).items()]
        for purpose in dict.fromkeys(one.purpose for one in said if one.purpose not in (None, "", "*")):
            if other := new(_states(page, name, purpose), found):
                fields += [f"ACAP-usage-purpose: {purpose}", *(_field(pattern, *state) for state in other.items())]
        if fields:
            records.append([f"ACAP-crawler: {'*' if name == ANYBODY else name}", *fields])
    version = LATEST if to == "acap" else to.removeprefix("acap-")
    text = joined([[f"##ACAP version={version}"], *records]) if records else b""
    return Conversion(text, tuple(notes), to, octets, url=url)


def _field(pattern: str, usage: str, state: State) -> str:
    outcome, limits = state
    verb = "allow" if outcome == "permitted" else "disallow"
    return " ".join([f"ACAP-{verb}-{usage}: {pattern}", *(f"{name}={value}" for name, value in limits)])


def _states(page: PagePolicy, crawler: str, purpose: str | None) -> dict[str, State]:
    # A crawler that cannot work with parts of a page would be refused the whole of it; the parts are noted.
    return states(lambda usage: page.decide(usage, crawler=crawler, purpose=purpose))


def _unsaid(said: Iterable[Statement]) -> Iterator[Note]:
    for one in said:
        if one.part == "element":
            yield Note(one.line or 0, f"`{one.text}` is about a part of the page; robots.txt has none", loss=True)
        elif one.outcome == "conditional" or not all(said_by_acap(name) for name, _ in one.restrictions):
            yield Note(one.line or 0, f"`{one.text}` has no word in ACAP", loss=True)


def _pattern(url: str) -> str:
    path = url
    if not url.startswith("/"):
        if _native.origin(url) is None:
            raise ValueError(f"`{url}` is neither an absolute URL nor a path; start it with a scheme or `/`")
        _, path = _native.absolute(url)
    return _native.canonical_path(path.encode()).decode("ascii") + "$"


def _page(octets: bytes, url: str, kind: Literal["page", "headers"]) -> PagePolicy:
    from acap.pages.page import parse_page

    full = url if "://" in url else None
    if kind == "page":
        return parse_page(octets, url=full)
    pairs = (line.partition(":") for line in octets.decode("latin-1").splitlines())
    return parse_page(None, url=full, headers=[(name.strip(), value.strip()) for name, colon, value in pairs if colon])
