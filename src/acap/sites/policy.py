"""`acap.SitePolicy`: everything a site says, as it was gathered at one time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Self

from acap import combine
from acap._native import url_text
from acap.carriers import Carriers, Unread
from acap.decision import Decision
from acap.dialects.ai_txt import AiTxt
from acap.dialects.rsl.associations import RslLicences
from acap.dialects.tdmrep import TdmrepFile
from acap.pages.page import PagePolicy, parse_page
from acap.pages.tags import EVERY_USE
from acap.problems import Problem
from acap.restrictions import Facts
from acap.robots import Asker, RobotsPolicy
from acap.sites.documents import SiteDocument
from acap.sites.licences import LostLicences
from acap.statement import Source


@dataclass(frozen=True, slots=True)
class SitePolicy:
    """What the documents of one site say: frozen, asked without a network, safe to share between threads.

    `url` is its scheme, host and port. `robots`, `tdmrep`, `ai_txt` and `licences` are what was read, `lost_licences`
    what may have stood in licence documents that could not be retrieved. `page` are the carriers of the page that was
    gathered with them, None if none was; `page_asked` is the URL by which it was asked for. `documents` are all that
    were asked for, with evidence; `left_out` are the URLs of those beyond the limits, which count as documents that
    could not be retrieved.
    """

    url: str
    robots: RobotsPolicy
    tdmrep: TdmrepFile
    ai_txt: AiTxt
    licences: RslLicences
    lost_licences: LostLicences
    page: Carriers | None
    page_asked: str | None
    documents: tuple[SiteDocument, ...]
    left_out: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[Source, ...]:
        """What decides beside robots.txt and the page, as `others` of `acap.decide`."""
        return (self.tdmrep, self.ai_txt, self.licences, self.lost_licences)

    @property
    def checked_at(self) -> datetime:
        """When the last of the documents was asked for, or confirmed."""
        return max(one.retrieved.answer.checked_at for one in self.documents if one.retrieved is not None)

    @property
    def expires_at(self) -> datetime:
        """When the first of the documents has to be asked for again."""
        return min(one.expires_at for one in self.documents if one.expires_at is not None)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong in the documents."""
        of_page = () if self.page is None else self.page.problems
        return (*self.robots.problems, *(found for one in self.sources for found in one.problems), *of_page)

    def with_robots(self, robots: RobotsPolicy) -> Self:
        """The same with its robots.txt read in another way; the licences that it names stay those that were read."""
        licences = self.licences
        if licences.reads_licence_lines:
            licences = RslLicences(robots=robots, documents=licences.documents)
        return replace(self, robots=robots, licences=licences, lost_licences=replace(self.lost_licences, robots=robots))

    def decide(
        self,
        url: str | bytes,
        *,
        crawler: Asker,
        usage: str | Iterable[str] = "crawl",
        purpose: str | Iterable[str] | None = None,
        at: datetime | None = None,
        facts: Facts | None = None,
        page: Source | None = None,
        others: Iterable[Source] = (),
    ) -> Decision:
        """The decision on one of its resources, as `acap.decide` makes it from all that the site says.

        Args:
            url: absolute, or a path.
            crawler: who asks.
            usage: one usage, or several.
            purpose: one purpose, or several.
            at: the instant asked about.
            facts: what the operator knows of the resource.
            page: what its own response says, in place of the page that was gathered.
            others: further sources, such as the others of `acap.carriers.carriers`.

        Raises:
            ValueError, TypeError: as `acap.decide`.
        """
        url = url_text(url)
        asked = self._sources_for(url, page, others)
        return combine.decide(
            url, crawler=crawler, usage=usage, purpose=purpose, at=at, facts=facts, robots=self.robots, **asked
        )

    def decide_each(
        self,
        url: str | bytes,
        *,
        crawler: Asker,
        usage: str | Iterable[str] | None = None,
        purpose: str | Iterable[str] | None = None,
        at: datetime | None = None,
        facts: Facts | None = None,
        page: Source | None = None,
        others: Iterable[Source] = (),
        usages: str | Iterable[str] | None = None,
    ) -> dict[str, Decision]:
        """The decisions on several usages, as `acap.decide_each` makes them; arguments and errors as of `decide`."""
        url = url_text(url)
        asked = self._sources_for(url, page, others)
        return combine.decide_each(
            url,
            crawler=crawler,
            usage=usage,
            purpose=purpose,
            at=at,
            facts=facts,
            robots=self.robots,
            usages=usages,
            **asked,
        )

    @property
    def resource(self) -> str:
        """The page that was gathered, where it is; without one the root of the site."""
        if self.page is None or self.page.page.url is None:
            return f"{self.url}/"
        return self.page.page.url

    def said_at(self, url: str) -> tuple[PagePolicy | None, tuple[Source, ...]]:
        """What the response of a resource says, if it was gathered: as `page` and `others` of `acap.decide`."""
        at = self.page_asked
        if self.page is None or at is None:
            return None, ()
        there = self.page.page.url or at
        if _is_at(url, there):
            return self.page.page, self.page.others
        return None, (Unread("page-not-read", (f"it leads to {there}",), at, EVERY_USE),) if _is_at(url, at) else ()

    def _sources_for(self, url: str, page: Source | None, others: Iterable[Source]) -> dict[str, Any]:
        own, gathered = self.said_at(url) if page is None else (None, ())
        return {"page": page or own, "others": (*self.sources, *gathered, *others)}


def _is_at(url: str, page: str) -> bool:
    """Whether a URL, or a path, is that of a page."""
    try:
        parse_page(None, url=page).statements(url)
    except ValueError:
        return False
    return True
