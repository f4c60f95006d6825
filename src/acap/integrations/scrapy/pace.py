"""The pace that sites ask for: Crawl-delay and Request-rate by Scrapy's slots, Visit-time by the clock.

Each scheme, host and port has a slot of its own. Laws: requests to a site are never closer than it asks, whatever
DOWNLOAD_DELAY, its jitter or AutoThrottle say; and a request whose turn would come too late is told so at once, as
`NotNow`, instead of being held.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.utils.httpobj import urlparse_cached

from acap.decision import Decision
from acap.integrations.pace import LONGEST
from acap.integrations.scrapy.options import PolicyOptions
from acap.integrations.scrapy.refusals import NotNow
from acap.politeness import Politeness
from acap.retrieval.locations import site_of
from acap.retrieval.retrieved import stated_at
from acap.robots import RobotsPolicy

SLOT = "download_slot"
PACED = "_acap_paced"
"""The key in `meta` that says that AutoThrottle was asked to leave the slot alone."""

_THROTTLE = "autothrottle_dont_adjust_delay"
_REMEMBERED = 1024  # policies
_SLOWEST_OF = 10.0  # seconds; "the slower of 10 s and twice the time the last fetch took" (K2 3.2, 2.0.0)


def minute_of(at: datetime) -> int:
    """The minute of the day of an instant in UTC."""
    return at.hour * 60 + at.minute


def _asked_at(policy: RobotsPolicy) -> datetime | None:
    return stated_at(policy.evidence)


class CrawlPace:
    """Keeps the pace of one crawl. `longest_hold`: seconds for which a site's first request is held, at most.

    `asked_at` tells when a site was last asked for what its policy is made of; None of one that was not asked for.
    """

    longest_hold = math.inf
    asked_at: Callable[[RobotsPolicy], datetime | None] = staticmethod(_asked_at)

    def __init__(self, crawler: Crawler, options: PolicyOptions) -> None:
        self._crawler = crawler
        self._options = options
        self._turns: dict[str, float] = {}  # of each site with an interval: when the last request was let go
        self._policies: dict[str, tuple[RobotsPolicy, float]] = {}  # of each site: its policy, and when that came
        self._took: dict[str, float] = {}  # of each site: the last fetch, in seconds
        self._slowed: set[str] = set()
        self._asked: dict[int, tuple[RobotsPolicy, Politeness]] = {}
        crawler.signals.connect(self._reached, signal=signals.request_reached_downloader)
        if options.rule_of_thumb:
            crawler.signals.connect(self._downloaded, signal=signals.response_downloaded)

    def interval(self, url: str, politeness: Politeness, at: datetime) -> float | None:
        """Seconds that the site asks to leave between requests at an instant, 30 days at most; None for nothing."""
        asked = politeness.interval(minute_of(at))
        if asked is None and politeness.rule_of_thumb and self._options.rule_of_thumb:
            return max(_SLOWEST_OF, 2 * self._took.get(site_of(url), 0.0))
        return None if asked is None else min(asked, LONGEST)

    def admit(self, request: Request, policy: RobotsPolicy, decision: Decision) -> float | None:
        """Gives the request its slot, and the slot its delay; None: it may go.

        A number: the seconds after which it may go, when a visiting time begins, if it is asked for again then. Raises
        NotNow for a request whose time is too far off.
        """
        options = self._options
        politeness = self._politeness(policy)
        now = options.clock.now()
        site = site_of(request.url)
        interval = self.interval(request.url, politeness, now)
        delay = self._slot(request, site, interval)
        since = self._note_policy(site, policy, now)
        if (first := since + delay - time.monotonic()) > self.longest_hold:
            raise NotNow("delay", now + timedelta(seconds=math.ceil(first)), decision, policy)
        wait = self._wait(site, delay) if interval is not None else 0.0
        if interval is not None and wait > 0 and interval > options.max_delay:
            raise NotNow("delay", now + timedelta(seconds=math.ceil(wait)), decision, policy)
        # The slot may hold the request beyond the end of a visiting time.
        turn = now + timedelta(seconds=wait)
        visit = politeness.next_visit(turn)
        if visit != turn:
            seconds = None if visit is None else (visit - now).total_seconds()
            if not options.waits or seconds is None or seconds > options.max_wait:
                raise NotNow("visit-time", visit, decision, policy)
            return seconds
        if interval is not None:
            self._turns[site] = time.monotonic() + wait
        return None

    def _note_policy(self, site: str, policy: RobotsPolicy, now: datetime) -> float:
        """When a policy came, by the monotonic clock: asking for it was a request too, after which a delay begins.

        One that tells of no retrieval was not asked for.
        """
        known = self._policies.get(site)
        if known is not None and known[0] is policy:
            return known[1]
        asked = self.asked_at(policy)
        age = math.inf if asked is None else max(0.0, (now - asked).total_seconds())
        came_at = time.monotonic() - age
        self._policies[site] = policy, came_at
        slot = self._crawler.engine.downloader.slots.get(site)
        if slot is not None and slot.lastseen:
            slot.lastseen = max(slot.lastseen, came_at)
        return came_at

    def _politeness(self, policy: RobotsPolicy) -> Politeness:
        """What a policy asks for; it is the same for all of its URLs."""
        known = self._asked.get(id(policy))
        if known is None or known[0] is not policy:
            if len(self._asked) >= _REMEMBERED:
                self._asked.clear()
            known = self._asked[id(policy)] = policy, policy.politeness(self._options.crawler)
        return known[1]

    def _slot(self, request: Request, site: str, interval: float | None) -> float:
        """Sets the slot up for the interval; returns its delay in seconds."""
        downloader = self._crawler.engine.downloader
        request.meta[SLOT] = site
        host = urlparse_cached(request).hostname or ""
        usual: dict[str, Any] = downloader.per_slot_settings.get(host, {})
        own = float(usual.get("delay", self._crawler.settings.getfloat("DOWNLOAD_DELAY")))
        if interval is None:
            if request.meta.pop(PACED, False):
                request.meta.pop(_THROTTLE, None)
            if site in self._slowed:
                self._release(site, own, usual)
            elif usual:
                downloader.per_slot_settings.setdefault(site, usual)
            return own
        request.meta[PACED] = request.meta[_THROTTLE] = True
        delay = max(own, interval)
        self._slowed.add(site)
        downloader.per_slot_settings[site] = {"concurrency": 1, "delay": delay, "jitter": 0.0}
        if (slot := downloader.slots.get(site)) is not None:
            slot.concurrency, slot.delay, slot.jitter = 1, delay, 0.0
        return delay

    def _release(self, site: str, delay: float, usual: dict[str, Any]) -> None:
        """Makes the slot what it would be for a site that asks for nothing."""
        downloader = self._crawler.engine.downloader
        self._slowed.discard(site)
        self._turns.pop(site, None)
        downloader.per_slot_settings.pop(site, None)
        if usual:
            downloader.per_slot_settings[site] = usual
        if (slot := downloader.slots.get(site)) is not None:
            slot.delay = delay
            slot.jitter = float(usual.get("jitter", downloader._jitter))
            slot.concurrency = usual.get("concurrency", downloader.ip_concurrency or downloader.domain_concurrency)

    def _wait(self, site: str, delay: float) -> float:
        """Seconds until the next turn at the site."""
        now = time.monotonic()
        turn = now
        if (last := self._turns.get(site)) is not None:
            turn = max(turn, last + delay)
        if (known := self._policies.get(site)) is not None:
            turn = max(turn, known[1] + delay)
        if (slot := self._crawler.engine.downloader.slots.get(site)) is not None and slot.lastseen:
            turn = max(turn, slot.lastseen + delay * (len(slot.queue) + 1))
        return turn - now

    def _reached(self, request: Request) -> None:
        # A new slot was last seen when the machine started, which may be less than its delay ago.
        site = request.meta[SLOT]
        slot = self._crawler.engine.downloader.slots.get(site)
        if slot is not None and not slot.lastseen:
            known = self._policies.get(site)
            slot.lastseen = max(time.monotonic() - slot.delay, -math.inf if known is None else known[1])

    def _downloaded(self, request: Request) -> None:
        latency = request.meta.get("download_latency")
        site = request.meta.get(SLOT)
        if isinstance(latency, float) and isinstance(site, str):
            self._took[site] = latency
