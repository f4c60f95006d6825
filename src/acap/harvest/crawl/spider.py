"""What Scrapy runs: tasks become requests, and responses and failures go to the session's outcomes.

Law: after every request its task is decided, or continues to wait in the store; no task is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    ResponseDataLossError,
    StopDownload,
)
from scrapy.http import Headers, Response
from scrapy.logformatter import LogFormatter
from twisted.python.failure import Failure

from acap.archives.page_licences import licences_in
from acap.decision import Decision
from acap.harvest.copies import CopiesDamagedError
from acap.harvest.crawl.answers import Outcomes, TaskAnswer
from acap.harvest.crawl.scope import site_of_canonical
from acap.harvest.crawl.session import Session
from acap.harvest.crawl.site_policies import CrawlPolicies, asked_at
from acap.harvest.store import StoreBusyError, StoreError, Task
from acap.harvest.uses import Exemption
from acap.integrations.scrapy import AddressRefused, NoPolicy, NotNow, PolicyDownloaderMiddleware, Refused
from acap.integrations.scrapy.pages import DECISION, POLICY
from acap.retrieval.body import offered
from acap.retrieval.client import AsyncRetriever
from acap.robots import RobotsPolicy

_TASK, _HEADERS, _CAME = "acap_task", "acap_headers", "acap_octets"
_LONGEST_HOLD = 2.0  # seconds; what has to wait for longer waits in the schedule
ACCEPT = "text/html, application/xhtml+xml, */*;q=0.5"
_FAILURES: tuple[tuple[type[Exception], str], ...] = (
    (DownloadTimeoutError, "timeout"),
    (CannotResolveHostError, "the host is not known"),
    (DownloadConnectionRefusedError, "the connection is refused"),
    (ResponseDataLossError, "the body ended before its end"),
)
_CUT = _FAILURES[-1][1]


class HarvestSpider(Spider):
    """Fetches what its session hands out."""

    name = "acap"

    def __init__(self, session: Session, agent: str) -> None:
        super().__init__()
        self.session = session
        self.outcomes = Outcomes(session)
        self._headers = {"User-Agent": agent, "Accept": ACCEPT, "Accept-Encoding": offered()}
        self.exemptions: dict[str, Exemption] = {}
        """Exemptions of requests under way, by their URLs."""
        self.policies: CrawlPolicies | None = None
        self._is_first = session.store.resources.counts()["known"] == 0

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Made by Scrapy, with the session."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.session.pause = spider._pause
        crawler.signals.connect(spider._begun, signals.headers_received)
        crawler.signals.connect(spider._came, signals.bytes_received)
        return spider

    async def start(self) -> Any:
        """Nothing starts here: the schedule has it all."""
        none: tuple[Any, ...] = ()
        for request in none:
            yield request

    def request(self, task: Task) -> Request:
        """The request for a task."""
        return Request(
            task.url,
            callback=self.answered,
            errback=self.failed,
            headers=self._headers | self._conditions(task),
            meta={_TASK: task, "download_timeout": self.session.options.timeout},
            dont_filter=True,
        )

    async def answered(self, response: Response) -> None:
        """Takes a response of any status, once the licences that it names were asked for."""
        assert response.request is not None
        meta = response.request.meta
        task: Task = meta[_TASK]
        answer = self._answer(task, response, meta)
        body = self.outcomes.read(answer)
        try:
            if self.policies is not None and (named := licences_in(task.url, answer.headers, body[0])):
                answer = replace(answer, policy=await self.policies.with_licences(task.url, answer.policy, named))
        except Exception as error:  # noqa: BLE001  they stay unknown then, which permits nothing
            self.session.faults.append(f"{task.url}: {type(error).__name__}: {error}")
        self._do(task, lambda: self.outcomes.answered(answer, body))

    def failed(self, failure: Failure) -> None:
        """Takes a failure without a response."""
        meta: dict[str, Any] = failure.request.meta  # type: ignore[attr-defined]  # Scrapy adds it
        task: Task = meta[_TASK]
        exemption = self._exemption(failure.request)  # type: ignore[attr-defined]  # Scrapy adds it
        self._do(task, lambda: self._decide(task, failure.value, meta, exemption))

    def _begun(self, headers: Headers, body_length: Any, request: Request, **_: Any) -> None:
        """Takes headers; a body that will be too large is not waited for, and the headers count."""
        if _TASK in request.meta:
            request.meta[_HEADERS], request.meta[_CAME] = _pairs(headers), 0
            if isinstance(body_length, int) and body_length > self.session.options.page_octets:
                raise StopDownload(fail=False)

    def _came(self, data: bytes, request: Request, **_: Any) -> None:
        """Takes octets of a body."""
        if _TASK in request.meta:
            request.meta[_CAME] += len(data)
            if request.meta[_CAME] > self.session.options.page_octets:
                raise StopDownload(fail=False)

    def _decide(
        self, task: Task, error: BaseException | None, meta: dict[str, Any], exemption: Exemption | None
    ) -> None:
        outcomes = self.outcomes
        match error:
            case Refused():
                outcomes.refused(task, error.decision, error.policy, self.session.clock.now())
            case NotNow():
                outcomes.not_now(task, error.until, error.cause)
            case AddressRefused():
                self.session.dropped(task, "its address is of a private network")
            case NoPolicy():
                self.session.dropped(task, "the URL has no host")
            case DownloadCancelledError():
                outcomes.failed(task, f"larger than {self.session.options.page_octets} octets", for_good=True)
            case _:
                known = next((why for kind, why in _FAILURES if isinstance(error, kind)), None)
                why = known or f"the network failed: {type(error).__name__}"
                if (headers := meta.get(_HEADERS)) is None:
                    outcomes.failed(task, why)
                    return
                now = self.session.clock.now()
                outcomes.answered(
                    TaskAnswer(task, now, 0, headers, b"", meta[POLICY], meta[DECISION], None, exemption, why)
                )

    def _do(self, task: Task, act: Callable[[], None]) -> None:
        session = self.session
        if session.error is not None:
            session.lost(task)
            return
        try:
            act()
        except StoreBusyError:
            session.lost(task)
        except (StoreError, CopiesDamagedError, OSError) as error:
            session.fail(error)
            session.lost(task)
        except Exception as error:  # noqa: BLE001  a page that fails by a bug must not end a crawl, nor be lost
            session.faults.append(f"{task.url}: {type(error).__name__}: {error}")
            session.dropped(task, "internal error", "failed")

    def _answer(self, task: Task, response: Response, meta: dict[str, Any]) -> TaskAnswer:
        flags = response.flags
        unread = self.outcomes.too_large if "download_stopped" in flags else _CUT if "dataloss" in flags else ""
        address = None if response.ip_address is None else str(response.ip_address)
        return TaskAnswer(
            task, self.session.clock.now(), response.status, _pairs(response.headers), b"" if unread else response.body,
            meta[POLICY], meta[DECISION], address, self._exemption(response.request), unread,
        )  # fmt: skip

    def _exemption(self, request: Request | None) -> Exemption | None:
        return None if request is None else self.exemptions.pop(request.url, None)

    def _conditions(self, task: Task) -> dict[str, str]:
        """Fields by which a server can confirm a copy that is kept (RFC 9110 13.1)."""
        if self._is_first or task.kind == "sitemap":
            return {}
        resources = self.session.store.resources
        resource = resources.find(task.url)
        version = resources.current_of(resource)
        if resource is None or version is None or version.place is None or version.parts or resource.later_headers:
            # No copy is kept, or a part: links may be missing. Or a later response had other statements.
            return {}
        headers = {name.lower(): value for name, value in version.headers}
        conditions = {"If-None-Match": headers.get("etag"), "If-Modified-Since": headers.get("last-modified")}
        return {name: value for name, value in conditions.items() if value is not None}

    def _pause(self, site: str) -> float:
        """Seconds until the downloader would send something to the site."""
        import time

        slot = self.crawler.engine.downloader.slots.get(site)
        return 0.0 if slot is None or not slot.delay else slot.lastseen + slot.delay - time.monotonic()


def _pairs(headers: Headers) -> tuple[tuple[str, str], ...]:
    """Headers as they were received."""
    return tuple(
        (name.decode("latin-1"), value.decode("latin-1")) for name, values in headers.items() for value in values
    )


class SessionPolicies(PolicyDownloaderMiddleware):
    """The policies of a session, with all that its sites say beside robots.txt.

    A robots.txt that could not be retrieved is retrieved again when its turn comes.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.pace.longest_hold = _LONGEST_HOLD
        self.pace.asked_at = asked_at
        self._of_pages = AsyncRetriever(**{**self.retriever_options(), "may": self._may_ask})

    def judge(self, url: str, policy: RobotsPolicy) -> Decision:
        """The decision on fetching the URL now: what is closed may be fetched for a use that its own site names."""
        decision = super().judge(url, policy)
        spider = self.crawler.spider
        assert isinstance(spider, HarvestSpider)
        spider.exemptions.pop(url, None)
        if decision.permitted or (exemption := spider.session.exemption(url, policy)) is None:
            return decision
        spider.exemptions[url] = exemption
        return exemption.decision()

    async def policy_of(self, url: str) -> RobotsPolicy:
        """The policy of the URL's site."""
        spider = self.crawler.spider
        assert isinstance(spider, HarvestSpider)
        if spider.policies is None:
            store = spider.session.store
            spider.policies = CrawlPolicies(
                self.retriever, store.operator, store.policies, self._of_pages, store.resources
            )
        return await spider.policies.policy(url, await self._robots_of(url, spider))

    async def _may_ask(self, url: str) -> bool:
        """Whether the robots.txt of its host permits to fetch what a page names."""
        policy = await self.retriever.robots(url, found=True)
        return policy.decide(url, crawler=self.options.crawler, at=self.options.clock.now()).permitted

    async def _robots_of(self, url: str, spider: HarvestSpider) -> RobotsPolicy:
        again = spider.outcomes.ask_again
        if again:
            site = site_of_canonical(url)
            if site in again:
                again.discard(site)
                policy = await self.retriever.robots(url, refresh=True)
                self.counts.retrieved(policy)
                return policy
        return await super().policy_of(url)


class QuietFormatter(LogFormatter):
    """Keeps Scrapy from logging each page: the store has them."""

    def crawled(self, *_: Any, **__: Any) -> Any:
        """Nothing."""
        return None
