"""The crawlers that policies tell apart, by the names they give them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from acap import _native
from acap.crawler_list import with_fallback
from acap.robots import RobotsPolicy, parse_robots

_WHOLE = re.compile(r"[A-Za-z0-9._-]+(?:/\S*)?")

ANY = "*"
"""A crawler that no policy names."""


def everyone(*policies: RobotsPolicy) -> tuple[str, ...]:
    """Every crawler that the policies tell apart: those they name, and `*` for one that none names.

    Beside them, where a control token may refuse its operator's crawlers something, the first that no policy names.

    A line is found by its name, and by the product token that the name begins with (RFC 9309 2.2.1).
    """
    names = {ANY: ANY}
    for written in (name for policy in policies for document in documents(policy) for name in document.crawlers):
        for name in (name_of(written), _token(written)):
            if name.strip():
                names.setdefault(name.lower(), name)
    for _, _, controlled, _ in _native.control_tokens():
        name = next((name for name in controlled if name.lower() not in names), ANY)
        if any(_native.is_controlled(policy, name) for policy in policies):
            names[name.lower()] = name
    return tuple(names.values())


def asked_as(name: str, stranger: str) -> tuple[str, ...]:
    """The names by which a crawler asks: its own, and those whose group it obeys where it has none of its own."""
    return (stranger,) if name == ANY else with_fallback(name)


def treated_alike(names: Iterable[str], *policies: RobotsPolicy) -> Iterator[tuple[tuple[str, ...], str]]:
    """Groups of names that each policy answers alike, with a name to ask by; for `*` one that no policy names."""
    asking = stranger(*policies)
    classes: dict[tuple[int, ...], list[str]] = {}
    for name in once(names):
        asker = asking if name == ANY else name
        classes.setdefault(tuple(_native.audience_key(policy, asker) for policy in policies), []).append(name)
    for members in classes.values():
        yield tuple(members), asking if ANY in members else members[0]


def as_written(names: Iterable[str], *policies: RobotsPolicy) -> tuple[str, ...]:
    """Names without the product tokens that no policy writes, and with which another of the names begins.

    Of names that are told alike: `AI` beside `AI2Bot` is nobody that a reader knows.
    """
    listed, written = tuple(names), names_written(*policies)
    begun = {_token(name).lower() for name in listed if name.lower() in written}
    return tuple(name for name in listed if name.lower() in written or name.lower() not in begun)


def names_written(*policies: RobotsPolicy) -> frozenset[str]:
    """In lower case the names that policies write, with their versions and without."""
    names = (name_of(one).lower() for policy in policies for document in documents(policy) for one in document.crawlers)
    return frozenset(name for one in names for name in (one, one.partition("/")[0]))


def once(names: Iterable[str]) -> list[str]:
    """Names as first written, each once in whatever case."""
    first: dict[str, str] = {}
    for name in names:
        first.setdefault(name.lower(), name)
    return list(first.values())


def stranger(*policies: RobotsPolicy) -> str:
    """A name that no line of the policies addresses."""
    text = "\n".join(
        name.lower() for policy in policies for document in documents(policy) for name in document.crawlers
    )
    longest = max((len(found) for found in re.findall(r"stranger(q*)", text)), default=-1)
    return "stranger" + "q" * (longest + 1)


def documents(policy: RobotsPolicy) -> Iterator[RobotsPolicy]:
    """The policy, and the documents that it refers to."""
    yield policy
    for _, octets in policy.supplied:
        if octets:
            yield parse_robots(octets)


def name_of(written: str) -> str:
    """The name as a crawler may bear it: of `Example search tool` readers take no more than `Example`."""
    return written if _WHOLE.fullmatch(written) else _native.crawler_name(written) or ""


def askers(written: Iterable[str]) -> list[str]:
    """By the names that a policy writes, whom to ask for: `*`, and what a crawler may be called."""
    each = (one.strip() for one in written)
    return [name for one in each if (name := ANY if one == ANY else name_of(one))]


def _token(name: str) -> str:
    """The RFC 9309 product token that a name begins with; lines are found by it too."""
    return re.split("[^A-Za-z_-]", name, maxsplit=1)[0]
