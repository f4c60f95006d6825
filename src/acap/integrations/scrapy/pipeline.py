"""Gates for items: what was made of a page goes on only if the page may be used so.

ITEM_PIPELINES = {"acap.integrations.scrapy.IndexGate": 100, "project.pipelines.Index": 200}

A gate decides on the page as a whole. Of a page with excluded elements the spider must take what `usable` gives: which
part of a page went into an item nobody else can know.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from acap.combine import decide
from acap.decision import Decision
from acap.explain import summary
from acap.integrations.scrapy.counts import Counts
from acap.integrations.scrapy.options import PolicyOptions, SettingError
from acap.integrations.scrapy.origins import Origin
from acap.integrations.scrapy.spider import PolicySpiderMiddleware
from acap.usages import USAGES

FIELD = "acap_restrictions"
"""The field of an item, if it has it, that is given the restrictions: a list of texts for each usage."""


class NotUsable(DropItem):
    """The item may not be used so: `usage`, and the `decision`; none where it is not known what it was made of."""

    def __init__(self, message: str, usage: str, decision: Decision | None) -> None:
        super().__init__(message)
        self.usage = usage
        self.decision = decision


class Gate:
    """Lets items through that may be used in every way of ACAP_ITEM_USAGES."""

    usages: ClassVar[tuple[str, ...]] = ()

    def __init__(self, crawler: Crawler) -> None:
        """Raises SettingError if it is not said which usages are meant, or one is not known."""
        self.crawler = crawler
        self.options = PolicyOptions.of(crawler.settings)
        self.counts = Counts(crawler.stats)
        self._usages = self.usages or self.options.item_usages
        if not self._usages:
            raise SettingError("ACAP_ITEM_USAGES is empty; name the usages that items are for, as `index`")
        if unknown := sorted(set(self._usages) - set(USAGES)):
            raise SettingError(f"ACAP_ITEM_USAGES has the unknown usage `{unknown[0]}`")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Made by Scrapy."""
        return cls(crawler)

    def open_spider(self) -> None:
        """Raises SettingError where no middleware sees which response items are made of."""
        self._middleware()

    def process_item(self, item: Any) -> Any:
        """The item, with its restrictions. Raises NotUsable."""
        origin = self._middleware().origins.of(item)
        for usage in self._usages:
            if origin is None:
                self.counts.add(f"{usage}/unknown-origin")
                raise NotUsable(
                    "the item was made of no known response; gates come before pipelines that make new items",
                    usage,
                    None,
                )
            if origin.page is not None:
                self._pass(item, origin, usage)
        return item

    def _pass(self, item: Any, origin: Origin, usage: str) -> None:
        assert origin.url is not None
        options = self.options
        try:
            decision = decide(
                origin.url,
                crawler=options.crawler,
                usage=usage,
                at=options.clock.now(),
                robots=origin.robots,
                page=origin.page,
            )
        except ValueError as error:
            self.counts.add(f"{usage}/unknown-origin")
            raise NotUsable(f"{origin.url} cannot be judged: {error}", usage, None) from error
        self.counts.decided(usage, decision)
        if not decision.permitted:
            raise NotUsable(f"{origin.url} may not be used for {usage}: {summary(decision)}", usage, decision)
        adapter = ItemAdapter(item)
        if FIELD in adapter.field_names():
            known = adapter.get(FIELD) or {}
            adapter[FIELD] = {**known, usage: [str(restriction) for restriction in decision.restrictions]}

    def _middleware(self) -> PolicySpiderMiddleware:
        middleware = self.crawler.get_spider_middleware(PolicySpiderMiddleware)
        if middleware is None:
            raise SettingError("gates need `acap.integrations.scrapy.PolicySpiderMiddleware` in SPIDER_MIDDLEWARES")
        return middleware


class IndexGate(Gate):
    """Lets items through whose page may be indexed."""

    usages = ("index",)


class PreserveGate(Gate):
    """Lets items through whose page may be kept."""

    usages = ("preserve",)
