"""The spider middleware: links are followed as pages permit, and items remember the page they were made of.

It reads what each page says once (`response.meta["acap_page"]`): META tags, response headers, `rel`, statements on
elements, and with them what robots.txt says of following. A request that may not be followed is dropped.
"""

from __future__ import annotations

import logging
import weakref
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from acap.decision import Decision
from acap.explain import summary
from acap.integrations.scrapy.bodies import is_watched
from acap.integrations.scrapy.counts import Counts
from acap.integrations.scrapy.links import Following
from acap.integrations.scrapy.options import PolicyOptions, SettingError
from acap.integrations.scrapy.origins import Origins
from acap.integrations.scrapy.pages import page_of

logger = logging.getLogger(__name__)


class PolicySpiderMiddleware(BaseSpiderMiddleware):
    """A subclass may override `dropped`, which is told of each request that is not followed."""

    def __init__(self, crawler: Crawler) -> None:
        """Raises SettingError for a setting that is missing or cannot be."""
        super().__init__(crawler)
        self.options = PolicyOptions.of(crawler.settings)
        if not is_watched(crawler.settings):
            raise SettingError(
                "pages cannot be judged that come coded and may be cut; install "
                "`acap.integrations.scrapy.BodyMiddleware` in DOWNLOADER_MIDDLEWARES at 1000"
            )
        self.counts = Counts(crawler.stats)
        self.origins = Origins()
        self._following: weakref.WeakKeyDictionary[Response, Following] = weakref.WeakKeyDictionary()
        for signal in (signals.item_scraped, signals.item_dropped, signals.item_error):
            crawler.signals.connect(self._done, signal=signal)

    def process_spider_input(self, response: Response) -> None:
        """Reads what the page says."""
        page_of(response)

    def following(self, response: Response) -> Following:
        """The decisions on what the response leads to; they are made once."""
        known = self._following.get(response)
        if known is None:
            known = Following(response, self.options.crawler, self.options.clock.now())
            self._following[response] = known
        return known

    def get_processed_request(self, request: Request, response: Response | None) -> Request | None:
        """The request if it may be followed; start requests may."""
        if response is None:
            return request
        decision = self.following(response).decide(request)
        if decision is None:
            return request
        self.counts.decided("follow", decision)
        if decision.permitted:
            return request
        self.dropped(request, response, decision)
        return None

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """The item itself, once its origin is known."""
        self.origins.note(item, response)
        return item

    def dropped(self, request: Request, response: Response, decision: Decision) -> None:
        """A request is not followed."""
        logger.info("%s is not followed from %s: %s", request.url, response.url, summary(decision))

    def _done(self, item: Any) -> None:
        self.origins.forget(item)
