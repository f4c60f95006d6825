"""Licence documents that could not be retrieved: what they may have said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from acap._native import Statement
from acap.crawlers import Crawler, as_crawler
from acap.dialects.rsl.associations import NOT_READ, RefersToLicences, joined
from acap.pages.tags import EVERY_USE
from acap.problems import Problem
from acap.robots import RobotsPolicy, is_reference

_USES = tuple(usage for usage in EVERY_USE if usage != "follow")  # of content, of which RSL speaks


@dataclass(frozen=True, slots=True)
class LostLicences:
    """Documents that robots.txt and a page refer to, and that could not be retrieved or read: a `Source`.

    One that is unknown may prohibit every use of content (`RslLicences`), and here it does so whether or not it was
    asked for, and whatever another one permits. `known` are the URLs of all others, as `joined` has them.
    """

    robots: RobotsPolicy
    known: frozenset[str]
    page: RefersToLicences | None = None

    @property
    def dialect(self) -> str:
        """As of the documents."""
        return "rsl"

    @property
    def problems(self) -> tuple[Problem, ...]:
        """None beside those of the documents."""
        return ()

    def with_page(self, page: RefersToLicences) -> LostLicences:
        """The same with the references of a page."""
        return replace(self, page=page)

    def statements(self, url: str) -> tuple[Statement, ...]:
        """What they may have said to anybody."""
        return self.statements_for(url, as_crawler("*"))

    def statements_for(self, url: str, crawler: Crawler) -> tuple[Statement, ...]:  # noqa: ARG002  they may be of any
        """A prohibition of every use of content, for those that who asks is referred to."""
        controlled = self.robots.controlled_licences(crawler)
        for_tokens = (
            _prohibited(target, self.robots.url, uses=usages, line=line)
            for target, line, usages in controlled
            if self._is_lost(target)
        )
        return next(self._lost(crawler), tuple(statement for statements in for_tokens for statement in statements))

    def _is_lost(self, target: str) -> bool:
        return is_reference(target) and joined(self.robots.base_url, target) not in self.known

    def _lost(self, crawler: Crawler) -> Iterator[tuple[Statement, ...]]:
        """What each of them may have said; the first says as much as all."""
        for target, line in self.robots.licences(crawler):
            if self._is_lost(target):
                yield _prohibited(target, self.robots.url, line=line)
        for reference in () if self.page is None else self.page.licence_references():
            base = None if self.page is None else self.page.url
            if reference.text is None and joined(base, reference.target) not in self.known:
                yield _prohibited(reference.target, base, header=reference.header, element=reference.element)


def _prohibited(
    target: str,
    source: str | None,
    *,
    uses: Iterable[str] = _USES,
    line: int | None = None,
    header: str | None = None,
    element: str | None = None,
) -> tuple[Statement, ...]:
    text = f"{target}: {NOT_READ}"
    return tuple(
        Statement(
            dialect="rsl",
            usage=usage,
            outcome="prohibited",
            source=source,
            line=line,
            header=header,
            element=element,
            text=text,
        )
        for usage in uses
    )
