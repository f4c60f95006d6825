"""The statements of a page, or of the headers of its response, as ACAP fields of robots.txt about its URL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from acap import _native
from acap._native import Statement
from acap.carriers import NOT_READ, file_carriers
from acap.pages.headers import fields
from acap.pages.page import PagePolicy, parse_page
from acap.pages.saved import HEADERS, saved
from acap.publish.acap_version import ACAP_VERSION
from acap.publish.convert.conversion import Conversion, Note, Target
from acap.publish.convert.states import ANYBODY, PERMITTED, PROHIBITED, USAGES, State, has_acap_word, new, states
from acap.publish.convert.surroundings import joined
from acap.robots import RobotsPolicy, parse_robots, url_at

_Asked = tuple[str, str | None]
"""Crawler and purpose of a question."""

_ROUNDS = 4
"""Rounds of adding prohibitions where an answer is looser; the last takes every usage."""
_NAME = re.compile("[A-Za-z0-9._-]+")


def from_page(octets: bytes, to: Target, url: str, kind: Literal["page", "headers"]) -> Conversion:
    """The lines for the site's robots.txt.

    Every answer about the page is asked of both, for each name and purpose that the page has and for one that it has
    not: what the lines would permit beyond the page is prohibited, and noted.

    Raises:
        ValueError: the URL has no path; a name or a purpose that robots.txt cannot say; a page that cannot be said so
            without permitting more.
    """
    pattern = _pattern(url)
    page = _page(octets, url, kind)
    statements = page.statements()
    names = tuple({one.crawler.lower(): one.crawler for one in statements if one.crawler}.values())
    purposes = tuple(dict.fromkeys(one.purpose for one in statements if one.purpose not in (None, "", "*")))
    for name in names:
        if not _NAME.fullmatch(name):
            raise ValueError(f"robots.txt cannot name the crawler `{name}`; give it a name of `A-Z a-z 0-9 . _ -`")
    for purpose in purposes:
        if not purpose.isprintable() or "#" in purpose or purpose != purpose.strip():
            raise ValueError(f"robots.txt cannot name the purpose `{purpose}`; write it without punctuation and blanks")
    wanted = {
        (name, purpose): _states(page, name, purpose) for name in (*names, ANYBODY) for purpose in (None, *purposes)
    }
    taken: dict[_Asked, dict[str, State]] = {}
    looser: list[tuple[_Asked, str]] = []
    version = ACAP_VERSION if to == "acap" else to.removeprefix("acap-")
    for number in range(_ROUNDS):
        records = list(_records(pattern, wanted, taken))
        text = joined([[f"##ACAP version={version}"], *records]) if records else b""
        looser = list(_looser(parse_robots(text), pattern.removesuffix("$"), wanted))
        if not looser:
            notes = (*_losses(statements), *_stricter(taken))
            return Conversion(text, notes, to, octets, url=url)
        for question, usage in looser:
            more = USAGES if number == _ROUNDS - 2 else (usage,)
            taken.setdefault(question, {}).update(dict.fromkeys(more, PROHIBITED))
    (name, _), usage = looser[0]
    raise ValueError(f"cannot be expressed as `{to}` without permitting more: `{usage}` for {_called(name)}")


def _records(
    pattern: str, wanted: Mapping[_Asked, Mapping[str, State]], taken: Mapping[_Asked, Mapping[str, State]]
) -> Iterator[list[str]]:
    default = {**wanted[ANYBODY, None], **taken.get((ANYBODY, None), {})}
    for name in dict.fromkeys(name for name, _ in wanted):
        states_of = {**wanted[name, None], **taken.get((name, None), {})}
        known = default if name != ANYBODY else dict.fromkeys(states_of, PERMITTED)
        fields = _fields(pattern, new(states_of, known), taken.get((name, None), {}))
        for purpose in (purpose for one, purpose in wanted if one == name and purpose is not None):
            more = taken.get((name, purpose), {})
            if other := _fields(pattern, new({**wanted[name, purpose], **more}, states_of), more):
                fields += [f"ACAP-usage-purpose: {purpose}", *other]
        if fields:
            yield [f"ACAP-crawler: {'*' if name == ANYBODY else name}", *fields]


def _fields(pattern: str, states: Mapping[str, State], taken: Mapping[str, State]) -> list[str]:
    """The fields; prohibitions beyond those of the page are written even if a field above has them."""
    return [_field(pattern, *state) for state in {**states, **taken}.items()]


def _looser(
    policy: RobotsPolicy, path: str, wanted: Mapping[_Asked, Mapping[str, State]]
) -> Iterator[tuple[_Asked, str]]:
    """The usages that the policy permits beyond the page."""
    where = url_at(policy, path)
    for (name, purpose), wanted_states in wanted.items():
        for usage, (outcome, limits) in wanted_states.items():
            given = policy.decide(where, crawler=name, usage=usage, purpose=purpose)
            restrictions = {(restriction.name, restriction.value) for restriction in given.restrictions}
            if given.permitted and (outcome != "permitted" or not set(limits) <= restrictions):
                yield (name, purpose), usage


def _stricter(taken: Mapping[_Asked, Mapping[str, State]]) -> Iterator[Note]:
    for (name, purpose), usages in taken.items():
        what = ", ".join(f"`{usage}`" for usage in usages)
        whom = f"{_called(name)}, for {purpose}," if purpose else _called(name)
        yield Note(0, f"stricter than the page for {whom}: {what}", loss=True)


def _called(name: str) -> str:
    return "others" if name == ANYBODY else f"`{name}`"


def _field(pattern: str, usage: str, state: State) -> str:
    outcome, limits = state
    verb = "allow" if outcome == "permitted" else "disallow"
    return " ".join([f"ACAP-{verb}-{usage}: {pattern}", *(f"{name}={value}" for name, value in limits)])


def _states(page: PagePolicy, crawler: str, purpose: str | None) -> dict[str, State]:
    # A crawler that cannot work with parts of a page would be refused all of it; the parts are noted.
    return states(lambda usage: page.decide(usage, crawler=crawler, purpose=purpose), ("crawl", *USAGES))


def _losses(statements: Iterable[Statement]) -> Iterator[Note]:
    for statement in statements:
        if statement.part == "element":
            yield Note(
                statement.line or 0,
                f"`{statement.text}` is about a part of the page; robots.txt has no parts",
                loss=True,
            )
        elif statement.outcome == "conditional" or not all(has_acap_word(name) for name, _ in statement.restrictions):
            yield Note(statement.line or 0, f"`{statement.text}` has no word in ACAP", loss=True)


def _pattern(url: str) -> str:
    path = url
    if not url.startswith("/"):
        if _native.origin(url) is None:
            raise ValueError(f"`{url}` is neither an absolute URL nor a path; start it with a scheme or `/`")
        _, path = _native.absolute(url)
    return _native.canonical_path(path.encode()).decode("ascii") + "$"


def _page(octets: bytes, url: str, kind: Literal["page", "headers"]) -> PagePolicy:
    full = url if "://" in url else None
    carriers = file_carriers(octets, ".html" if kind == "page" else HEADERS, url=full)
    if carriers.form == "unread" and carriers.missing is None:
        # What nobody has read may prohibit what no line that is written would.
        raise ValueError(next(problem.message for problem in carriers.problems if problem.code in NOT_READ))
    found = saved(octets, HEADERS if kind == "headers" else "")
    if found is not None and found.body:
        # It may be a page that prohibits, and nothing would be written of that.
        raise ValueError("a body follows these headers; give only the headers, or only the page")
    if kind == "page":
        return parse_page(octets, url=full)
    return parse_page(None, url=full, headers=[(field.name, field.value) for field in fields(octets)])
