"""One decision from several sources (semantics, sections 7 and 8).

ACAP and the Robots Exclusion Protocol give one verdict; every other dialect is resolved by its own rule. Of all
verdicts prohibited counts before conditional, that before permitted, and that before silence. No dialect loosens
another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Protocol

from acap import _native
from acap._native import Question, Statements, url_text
from acap.decision import Decision
from acap.restrictions import Facts
from acap.robots import NO_ROBOTS, Asker, RobotsPolicy
from acap.statement import Source, Statement, are_licensed, statements_of
from acap.usages import PARENTS, asked_usages


class _PageQuestion(Protocol):
    """A question about a page, but for the usage."""

    def decide(self, usage: str | Iterable[str]) -> Decision: ...

    def decide_each(self, usages: Sequence[str]) -> dict[str, Decision]: ...


def decide(
    url: str | bytes,
    *,
    crawler: Asker,
    usage: str | Iterable[str] = "crawl",
    purpose: str | Iterable[str] | None = None,
    at: datetime | None = None,
    facts: Facts | None = None,
    robots: RobotsPolicy | None = None,
    page: Source | None = None,
    others: Iterable[Source] = (),
) -> Decision:
    """Decides a question from every source at hand.

    Of a page that `parse_page` read, the decision is on the page as a whole: the elements that may not be used are
    restrictions `excluded-element`, and `page.content_for` gives what may.

    Args:
        url: absolute, or a path of the policy's site.
        crawler: a name, a User-Agent string, an ordered sequence of names, or a `Crawler`.
        usage: one usage, or several: then the strictest outcome counts. A name that robots.txt defines stands for its
            parts.
        purpose: one purpose, or several, all of which must permit; none asks without purpose.
        at: the instant asked about, with a time zone; none is now.
        facts: what the operator knows of the resource, for time limits.
        robots: the site's robots.txt.
        page: what the page itself says.
        others: further sources.

    Raises:
        ValueError: no source at all; an unknown usage; a URL of another site, or of another page than the one given;
            an empty crawler; a time without zone.
        TypeError: robots or page is not read yet.
    """
    url = url_text(url)
    others = _checked(robots, page, others)
    asking = _asking(page, crawler=crawler, purpose=purpose, at=at, facts=facts, robots=robots, others=others, url=url)
    if asking is not None:
        return asking.decide(usage)
    statements = _statements(url, crawler, robots, page, others)
    question = Question(crawler, purpose, at, facts)
    return _native.decide_with(robots or NO_ROBOTS, url, usage, question, statements)


def decide_each(
    url: str | bytes,
    *,
    crawler: Asker,
    usage: str | Iterable[str] | None = None,
    purpose: str | Iterable[str] | None = None,
    at: datetime | None = None,
    facts: Facts | None = None,
    robots: RobotsPolicy | None = None,
    page: Source | None = None,
    others: Iterable[Source] = (),
    usages: str | Iterable[str] | None = None,
) -> dict[str, Decision]:
    """Decides several usages of one resource, each by itself; what they have in common is worked out once.

    Args:
        url: as of `decide`, like everything but `usage`.
        crawler: who asks.
        usage: one usage, or several; by default every known one.
        purpose: one purpose, or several.
        at: the instant asked about.
        facts: what the operator knows of the resource.
        robots: the site's robots.txt.
        page: what the page itself says.
        others: further sources.
        usages: the same as `usage`, by its earlier name.

    Raises:
        ValueError: as `decide`.
        TypeError: as `decide`; `usage` and `usages` are both given.
    """
    usages = asked_usages(usage, usages, tuple(PARENTS))
    url = url_text(url)
    others = _checked(robots, page, others)
    asking = _asking(page, crawler=crawler, purpose=purpose, at=at, facts=facts, robots=robots, others=others, url=url)
    if asking is not None:
        return asking.decide_each(usages)
    statements = _statements(url, crawler, robots, page, others)
    question = Question(crawler, purpose, at, facts)
    decisions = _native.decide_each(robots or NO_ROBOTS, url, usages, question, statements)
    return dict(zip(usages, decisions, strict=True))


def _checked(robots: object, page: object, others: Iterable[Source]) -> tuple[Source, ...]:
    """The further sources. Raises TypeError where octets or a text stand for what is read of them."""
    if robots is not None and not isinstance(robots, RobotsPolicy):
        raise TypeError("robots must be a policy; read it with acap.parse_robots(octets, url=url)")
    if page is not None and not hasattr(page, "statements"):
        raise TypeError("page must be what a page says; read it with acap.parse_page(octets, url=url, headers=headers)")
    if hasattr(others, "statements") or not isinstance(others, Iterable):
        raise TypeError("others must be several sources; write others=[source]")
    sources = tuple(others)
    if not all(hasattr(source, "statements") for source in sources):
        raise TypeError("others must be sources that were read; acap.parse_tdmrep(octets, url=url) makes one")
    return sources


def _asking(page: Source | None, **asked: Any) -> _PageQuestion | None:
    """The question to a page whose elements speak for themselves, as one that `parse_page` read; otherwise none.

    Whoever has no such page needs nothing of what reads pages.
    """
    asking = getattr(page, "asking", None)
    return None if asking is None else asking(**asked)


def _statements(
    url: str, crawler: Asker, robots: RobotsPolicy | None, page: Source | None, others: Iterable[Source]
) -> Statements:
    sources = [*([] if page is None else [page]), *others]
    if robots is None and not sources:
        raise ValueError("no source was given; without any, nothing can be decided")
    return Statements(statements_of(sources, url, crawler), licensed=are_licensed(sources, robots))


__all__ = ["Source", "Statement", "decide", "decide_each"]
