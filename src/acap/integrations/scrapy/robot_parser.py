"""`RobotParser`: for projects that keep Scrapy's own robots.txt middleware, and want the decisions of acap in it.

ROBOTSTXT_PARSER = "acap.integrations.scrapy.RobotParser"

Scrapy hands over a body and no status, so a site that answers 503 is still crawled as if it had no policy.
`PolicyDownloaderMiddleware` knows better.
"""

from __future__ import annotations

from typing import Self

from scrapy.crawler import Crawler as ScrapyCrawler
from scrapy.robotstxt import RobotParser as ScrapyRobotParser

from acap.clock import SystemClock
from acap.crawlers import Crawler
from acap.robots import RobotsPolicy, parse_robots


class RobotParser(ScrapyRobotParser):
    """Reads one robots.txt for Scrapy; settings ACAP_DIALECT and ACAP_PURPOSES apply."""

    def __init__(self, policy: RobotsPolicy, purposes: tuple[str, ...] = ()) -> None:
        self.policy = policy
        self._purposes = purposes

    @classmethod
    def from_crawler(cls, crawler: ScrapyCrawler | None, robotstxt_body: bytes) -> Self:
        """Reads the body. Raises ValueError for an unknown dialect."""
        if crawler is None:
            return cls(parse_robots(robotstxt_body))
        settings = crawler.settings
        policy = parse_robots(robotstxt_body, dialect=settings.get("ACAP_DIALECT", "auto"))
        return cls(policy, tuple(settings.getlist("ACAP_PURPOSES")))

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Whether the URL may be crawled; a URL or name that means nothing may not."""
        try:
            return self.policy.decide(_text(url), crawler=self._asker(user_agent)).permitted
        except ValueError:
            return False

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Seconds to leave between requests now (Crawl-delay, Request-rate), or None if nothing is asked."""
        now = SystemClock().now()
        try:
            return self.policy.politeness(self._asker(user_agent)).interval(now.hour * 60 + now.minute)
        except ValueError:
            return None

    def _asker(self, user_agent: str | bytes) -> Crawler:
        return Crawler(_text(user_agent), purposes=self._purposes)


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
