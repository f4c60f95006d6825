"""Statements, and what makes them: the one form in which every reader says what it found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

from acap._native import Statement, satisfied
from acap.crawlers import Crawler, as_crawler
from acap.problems import Problem


@runtime_checkable
class Source(Protocol):
    """Something that makes statements about resources: a page, a header, a licence, a file of another dialect."""

    @property
    def dialect(self) -> str:
        """The name of its dialect."""

    @property
    def problems(self) -> Sequence[Problem]:
        """What its reader found wrong."""

    def statements(self, url: str) -> Iterable[Statement]:
        """The statements that apply to a resource."""


@runtime_checkable
class SourceForAsker(Source, Protocol):
    """A source whose statements depend on who asks: its groups are for crawlers, its terms for licensees."""

    def statements_for(self, url: str, crawler: Crawler) -> Iterable[Statement]:
        """The statements that apply to a resource for who asks; `statements` has those for anybody."""


def statements_of(sources: Iterable[Source], url: str, asker: str | Iterable[str] | Crawler) -> list[Statement]:
    """What sources say of a resource to who asks. What a licence that the asker holds made conditional is permitted.

    Raises:
        ValueError, TypeError: as `Crawler`.
    """
    sources = tuple(sources)
    if not sources:
        return []
    crawler = as_crawler(asker)
    found: list[Statement] = []
    for source in sources:
        if isinstance(source, SourceForAsker):
            found += source.statements_for(url, crawler)
        else:
            found += source.statements(url)
    held = frozenset() if crawler.licensee is None else crawler.licensee.licences
    return [satisfied(one) if held and _is_held(one, held) else one for one in found]


def _is_held(statement: Statement, held: frozenset[str]) -> bool:
    condition = statement.condition if statement.outcome == "conditional" else None
    return condition is not None and not held.isdisjoint(condition.documents)


def are_licensed(sources: Iterable[Source]) -> bool:
    """Whether a source has read the documents that License lines of robots.txt name, and speaks in their place."""
    return any(getattr(source, "reads_licence_lines", False) for source in sources)


__all__ = ["Source", "SourceForAsker", "Statement", "are_licensed", "statements_of"]
