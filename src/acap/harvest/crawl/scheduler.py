"""The scheduler of Scrapy whose queue is the store's schedule."""

from __future__ import annotations

from scrapy import Request, Spider
from scrapy.core.scheduler import BaseScheduler

from acap.harvest.crawl.spider import HarvestSpider


class StoreScheduler(BaseScheduler):
    """Hands out the requests of the spider's session, which keeps its state in the store."""

    def open(self, spider: Spider) -> None:
        """The engine has a spider."""
        self._spider: HarvestSpider = spider  # type: ignore[assignment]  # it is our spider

    def close(self, reason: str) -> None:
        """The engine ends; what was not fetched waits in the store."""

    def has_pending_requests(self) -> bool:
        """Whether there is, or will be, something to fetch. Asked when nothing is under way."""
        session = self._spider.session
        try:
            return session.goes_on()
        except Exception as error:  # noqa: BLE001  the engine would only log it, and ask again
            session.fail(error)
            return False

    def enqueue_request(self, request: Request) -> bool:  # noqa: ARG002  as Scrapy calls it
        """Never called: callbacks put URLs on the schedule themselves."""
        return False

    def next_request(self) -> Request | None:
        """The next request to send now."""
        session = self._spider.session
        try:
            task = session.next_task()
            return None if task is None else self._spider.request(task)
        except Exception as error:  # noqa: BLE001  as above
            session.fail(error)
            return None
