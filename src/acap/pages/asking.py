"""A question about a page: everything but the usage, asked of the page as a whole and of its elements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Required, Self, TypedDict

from acap import _native
from acap._native import Decision, Question, Statement, Statements
from acap.crawlers import Crawler, as_crawler
from acap.pages.elements import Region
from acap.pages.statements import PageCarriers
from acap.restrictions import Facts
from acap.robots import NO_ROBOTS, Asker, RobotsPolicy
from acap.statement import ReadsTerms, Source, are_licensed, reads_terms, settled, unsettled_statements
from acap.usages import COMPOSITES, PARENTS


class PageQuestion(TypedDict, total=False):
    """Everything of a question but the usage, as `acap.decide` takes it; `crawler` must be there.

    `url` is the page's, if it was not known when it was read.
    """

    crawler: Required[Asker]
    purpose: str | Iterable[str] | None
    at: datetime | None
    facts: Facts | None
    robots: RobotsPolicy | None
    others: Iterable[Source]
    url: str | None


class Asking:
    """The asker of a question: crawler, purpose, instant, and what is known beside the page.

    `regions` are the elements with statements for this asker, none if there are none; `elements` is whether it can work
    on elements.
    """

    __slots__ = (
        "_applicable", "_cached", "_changed", "_licensed", "_policy", "_prepared", "_question", "at", "carried",
        "crawler", "elements", "facts", "purpose", "regions", "robots", "url",
    )  # fmt: skip

    def __init__(
        self,
        carried: PageCarriers,
        url: str,
        crawler: Asker,
        purpose: str | tuple[str, ...] | None,
        at: datetime | None,
        facts: Facts | None,
        robots: RobotsPolicy | None,
        others: list[Statement],
        readers: Sequence[ReadsTerms] = (),
        *,
        licensed: bool = False,
    ) -> None:
        profile: str = "generic"
        names: tuple[str, ...] = ()
        self.elements = True
        if isinstance(crawler, Crawler):
            profile, names, self.elements = crawler.profile, crawler.product_tokens, crawler.elements
        self.carried = carried
        self._applicable = applicable = carried.applicable(profile, names, robots)
        on_page: list[Statement] | None = None
        self.regions = regions = applicable.regions
        if others or readers or (isinstance(crawler, Crawler) and crawler.licensee is not None):
            on_page = settled([*applicable.statements, *others], crawler, readers)
        self._licensed = licensed
        if not self.elements and regions is not None:
            # One element statement of each kind prohibits for the whole page (P2 2.2.6).
            first = {one.kind: (region, one) for region in reversed(regions.list) for one in region.own}
            on_elements = (region.statement(one) for region, one in first.values())
            on_page = [*(applicable.statements if on_page is None else on_page), *on_elements]
        self._changed = on_page
        as_carried = on_page is None and not licensed
        self._prepared = applicable.prepared if as_carried else self._prepare(self._on_page)
        self.url, self.crawler, self.purpose = url, crawler, purpose
        self.at, self.facts, self.robots = at, facts, robots
        self._policy, self._question = robots or NO_ROBOTS, Question(crawler, purpose, at, facts)
        self._cached: dict[object, Decision] = {}

    @classmethod
    def beside(
        cls,
        carried: PageCarriers,
        sources: Sequence[Source],
        url: str,
        crawler: Asker,
        purpose: str | Iterable[str] | None,
        at: datetime | None,
        facts: Facts | None,
        robots: RobotsPolicy | None,
    ) -> Self:
        """A question about what a page carries beside what sources say of its URL."""
        purposes = purpose if purpose is None or isinstance(purpose, str) else tuple(purpose)
        asker = crawler if isinstance(crawler, (str, Crawler)) else tuple(crawler)
        statements = unsettled_statements(sources, url, as_crawler(asker)) if sources else []
        others = [each for one in statements for each in carried.named_alone(one)]
        readers = [one for one in sources if reads_terms(one)]
        licensed = are_licensed(sources, robots)
        return cls(carried, url, asker, purposes, at, facts, robots, others, readers, licensed=licensed)

    @property
    def _on_page(self) -> list[Statement]:
        """The statements on the page as a whole."""
        return self._applicable.statements if self._changed is None else self._changed

    def decide(self, usage: str | Iterable[str]) -> Decision:
        """The decision on the page as a whole.

        If it permits, each element that may not be used is a restriction `excluded-element`. To an asker that cannot
        work on elements every statement on one prohibits (P2 2.2.6).

        Raises:
            ValueError: as `acap.decide`.
        """
        if self.regions is None or not self.elements:
            return self._ask(usage)
        if not isinstance(usage, str):
            usage = tuple(usage)
        self._cached.clear()
        decision = self._ask(usage)
        if decision.outcome == "prohibited":
            return decision
        parts = (usage,) if isinstance(usage, str) else usage
        names = dict.fromkeys(name for part in parts for name in self._parts_of(part))
        excluded = [(name, region.number) for name in names for region in self.excluded(name)]
        return self._ask(usage, None, excluded) if excluded else decision

    def decide_each(self, usages: Sequence[str]) -> dict[str, Decision]:
        """The decision on the page for each of several usages, in one go where no element says anything that matters.

        Raises:
            ValueError: as `acap.decide`.
        """
        regions = self.regions
        whole = regions is None or not self.elements
        plain = [
            usage for usage in usages if whole or not (regions and any(map(regions.matter_to, self._parts_of(usage))))
        ]
        decisions = dict(
            zip(plain, _native.decide_each(self._policy, self.url, plain, self._question, self._prepared), strict=True)
        )
        return {usage: decisions[usage] if usage in decisions else self.decide(usage) for usage in usages}

    def _parts_of(self, usage: str) -> Sequence[str]:
        """The usages of a name: itself, or the parts of a composite one, which the site's robots.txt may define."""
        name = usage.strip().lower()
        if name in PARENTS:
            return (name,)
        if name in COMPOSITES:
            return COMPOSITES[name]
        found = None if self.robots is None else self.robots.parts_of(name.removeprefix("(").removesuffix(")"))
        return (name,) if found is None else (name, *found)

    def decide_on(self, region: Region | None, usage: str, more: Sequence[Statement] = ()) -> Decision:
        """The decision on an element, or on content in no element with statements; `more` are further statements."""
        own = [] if region is None or not self.elements else region.statements(usage)
        if not own and not more:
            return self._ask(usage)
        return self._ask(usage, [*self._on_page, *own, *more])

    def excluded(self, usage: str) -> Iterable[Region]:
        """Elements that may not be used although the content around them may."""
        regions = self.regions
        if regions is None or not regions.matter_to(usage):
            return
        refused: dict[int, bool] = {}
        for region in regions.list:
            refused[id(region)] = self.refuses(region, usage)
            around = region.parent is not None and refused[id(region.parent)]
            if refused[id(region)] and not around:
                yield region

    def refuses(self, region: Region, usage: str) -> bool:
        """Whether an element may not be used; one question for all elements with the same statements."""
        key = (usage, region.signature(usage))
        decision = self._cached.get(key)
        if decision is None:
            decision = self._cached[key] = self.decide_on(region, usage)
        return decision.outcome == "prohibited"

    def _ask(
        self,
        usage: str | Iterable[str],
        statements: list[Statement] | None = None,
        excluded: list[tuple[str, int]] | None = None,
    ) -> Decision:
        prepared = self._prepared if statements is None else self._prepare(statements)
        return _native.decide_with(self._policy, self.url, usage, self._question, prepared, excluded or ())

    def _prepare(self, statements: list[Statement]) -> Statements:
        return self.carried.prepared(statements, self.regions, licensed=self._licensed)
