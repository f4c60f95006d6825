"""Whole crawls with Scrapy, in a process of their own: a reactor runs once.

Called with cases as JSON on standard input, it runs them all in one reactor and says what came of each on standard
output. What a case may hold is in `tests.scrapy_site.Case`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from scrapy import Field, Item, Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.http import Response, TextResponse
from scrapy.resolver import dnscache
from scrapy.settings import Settings
from twisted.python.failure import Failure

from acap.clock import FixedClock
from acap.integrations.scrapy import NotNow, Refused, usable
from acap.integrations.scrapy.pages import DECISION, PAGE, POLICY

NOON = FixedClock(datetime(2026, 3, 2, 12, 0, tzinfo=UTC))
NEARLY_NOON = FixedClock(NOON.now() - timedelta(milliseconds=100))
NEXT_NOON = FixedClock(NOON.now() + timedelta(days=1, minutes=1))


class Soon:
    """A clock that goes, and showed a little before noon when it was made."""

    def __init__(self) -> None:
        self._made = time.monotonic()

    def now(self) -> datetime:
        """The instant."""
        return datetime(2026, 3, 2, 11, 59, 59, 700_000, tzinfo=UTC) + timedelta(seconds=self.monotonic())

    def monotonic(self) -> float:
        """Seconds since it was made."""
        return time.monotonic() - self._made


SLOT = "download_slot"


class Page(Item):
    """What the spider makes of a page."""

    url = Field()
    text = Field()
    acap_restrictions = Field()


class Renew:
    """A pipeline that makes new items."""

    def process_item(self, item: Page) -> Page:
        """Another item that says the same."""
        return item.copy()


class Proxy:
    """A downloader middleware that sends everything by one proxy."""

    def __init__(self, proxy: str) -> None:
        self.proxy = proxy

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Proxy:
        """Made by Scrapy."""
        return cls(crawler.settings["CASE_PROXY"])

    def process_request(self, request: Request) -> None:
        """Names the proxy."""
        request.meta["proxy"] = self.proxy


class CaseSpider(Spider):
    """Asks for the start URLs of a case, and for what its pages lead to."""

    name = "case"

    def __init__(self, case: dict[str, Any], report: dict[str, Any]) -> None:
        super().__init__()
        self.case = case
        self.report = report

    async def start(self) -> AsyncIterator[Any]:
        """The start requests."""
        for url in self.case["starts"]:
            yield self.request(url)

    def request(self, url: str, **options: Any) -> Request:
        """A request that is reported."""
        meta = {**self.case["meta"], **options.pop("meta", {})}
        headers = self.case["headers"]
        return Request(url, callback=self.parse, errback=self.failed, meta=meta, headers=headers, **options)

    def parse(self, response: Response) -> Iterator[Any]:
        """Reports what came; goes on to links, to URLs that are made up, to items."""
        slot = self.crawler.engine.downloader.slots.get(str(response.meta.get(SLOT)))
        decision, policy = response.meta.get(DECISION), response.meta.get(POLICY)
        self.report["responses"].append(
            {
                "url": response.url,
                "status": response.status,
                "kind": None if decision is None else decision.kind,
                "policy": None if policy is None else policy.url,
                "page": response.meta[PAGE].url if PAGE in response.meta else None,
                "slot": response.meta.get(SLOT),
                "delay": slot and slot.delay,
                "jitter": slot and slot.jitter,
                "concurrency": slot and slot.concurrency,
            }
        )
        if self.case["again"]:
            self.case["again"] -= 1
            yield self.request(response.url, dont_filter=True)
        if self.case["items"]:
            yield Page(url=response.url, text=usable(response, self.case["items"]).text, acap_restrictions=None)
        if self.case["follow"] and isinstance(response, TextResponse):
            for target in response.css("a::attr(href)").getall():
                yield self.request(response.urljoin(target), meta=dict(response.meta))
        for target in self.case["made"].get(response.url, ()):
            yield self.request(target)

    def failed(self, failure: Failure) -> None:
        """Reports why nothing came."""
        error = failure.value
        request = getattr(failure, "request")  # noqa: B009
        found = {"url": request.url, "error": type(error).__name__, "text": str(error)}
        if isinstance(error, (Refused, NotNow)):
            found |= {"kind": error.decision.kind, "policy": error.policy.url}
            found |= {"lines": [cited.line for cited in error.decision.reason.decided_by]}
        if isinstance(error, NotNow):
            found |= {"cause": error.cause, "until": error.until and error.until.isoformat()}
        self.report["refused"].append(found)


def main() -> None:
    """Runs the cases."""
    given = json.load(sys.stdin)
    for host, address in given["hosts"].items():
        dnscache[host] = address
    process = AsyncCrawlerProcess(Settings({"LOG_ENABLED": False, **given["process"]}))
    reports: dict[str, Any] = {}
    for name, case in given["cases"].items():
        report = reports[name] = {
            "responses": [],
            "refused": [],
            "items": [],
            "dropped": [],
            "stats": {},
            "failed": None,
        }
        add(process, case, report)
    process.start()
    json.dump(reports, sys.stdout, default=str)


def add(process: AsyncCrawlerProcess, case: dict[str, Any], report: dict[str, Any]) -> None:
    """Starts a crawl as soon as the reactor runs."""
    settings = {"ADDONS": {"acap.integrations.scrapy.Addon": 100}, "TELNETCONSOLE_ENABLED": False, **case["settings"]}
    spider = type("OfCase", (CaseSpider,), {"custom_settings": settings})
    crawler = process.create_crawler(spider)

    def scraped(item: Any) -> None:
        report["items"].append(dict(item))

    def dropped(item: Any, exception: Exception) -> None:
        report["dropped"].append(
            {"url": item["url"], "text": str(exception), "usage": getattr(exception, "usage", None)}
        )

    def closed(reason: str) -> None:
        report["stats"].update({**crawler.stats.get_stats(), "closed": reason})

    crawler.signals.connect(scraped, signals.item_scraped, weak=False)
    crawler.signals.connect(dropped, signals.item_dropped, weak=False)
    crawler.signals.connect(closed, signals.spider_closed, weak=False)

    def done(task: Any) -> None:
        report["failed"] = task.exception() and f"{type(task.exception()).__name__}: {task.exception()}"

    process.crawl(crawler, case, report).add_done_callback(done)


if __name__ == "__main__":
    main()
