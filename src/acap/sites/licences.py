"""Licence documents that could not be had: what they may have said of other uses than mining."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import urljoin

from acap._native import Statement
from acap.crawlers import Crawler, as_crawler
from acap.dialects.rsl.associations import RefersToLicences
from acap.pages.tags import EVERY_USE
from acap.problems import Problem
from acap.robots import RobotsPolicy

_USES = tuple(usage for usage in EVERY_USE if usage != "follow")  # of content, of which RSL speaks


@dataclass(frozen=True, slots=True)
class LostLicences:
    """Documents that robots.txt and a page refer to, and that could not be had or read: a `Source`.

    A licence may prohibit every use of content, so one that is referred to and unknown prohibits them all (our choice);
    `RslLicences` by itself prohibits mining then. `lost` are their URLs, as `joined` has them.
    """

    robots: RobotsPolicy
    lost: frozenset[str]
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
        return tuple(self._statements(crawler))

    def _statements(self, crawler: Crawler) -> Iterator[Statement]:
        for target, line in self.robots.licences(crawler):
            yield from self._of(target, self.robots.url, line)
        if self.page is not None:
            for reference in self.page.licence_references():
                if reference.text is None:
                    yield from self._of(reference.target, self.page.url, None, reference.header, reference.element)

    def _of(
        self, target: str, base: str | None, line: int | None, header: str | None = None, element: str | None = None
    ) -> Iterator[Statement]:
        if joined(base, target) not in self.lost:
            return
        for usage in _USES:
            yield Statement(
                dialect=self.dialect,
                usage=usage,
                outcome="prohibited",
                source=base,
                line=line,
                header=header,
                element=element,
                text=f"{target}: the licence document could not be had or read",
            )


def joined(base: str | None, target: str) -> str:
    """The URL of a document as `RslLicences` has it."""
    try:
        return urljoin(base or "", target)
    except ValueError:
        return target
