"""The answers of a page or of headers to crawlers; one question for all that get the same answers."""

from __future__ import annotations

from collections.abc import Mapping

from acap.combine import decide_each
from acap.decision import Decision
from acap.pages.page import PagePolicy, parse_page
from acap.publish.convert.conversion import Target
from acap.publish.convert.states import USAGES


def page_of(text: bytes, to: Target, url: str) -> PagePolicy:
    """A page or a response at a URL, or path, that has only the written statements."""
    full = url if "://" in url else f"https://site.invalid{url}"
    if to == "meta":
        return parse_page(text, url=full)
    pairs = (line.partition(": ") for line in text.decode().splitlines())
    return parse_page(None, url=full, headers=[(name, value) for name, _, value in pairs])


class Answers:
    """The answers of one page without elements of its own."""

    def __init__(self, page: PagePolicy) -> None:
        self._page = page
        self._own: dict[str, list[object]] = {}
        for statement in page.statements():
            if statement.crawler is not None:
                meaning = (
                    statement.dialect,
                    statement.usage,
                    statement.outcome,
                    statement.purpose,
                    statement.lifts,
                    tuple(statement.restrictions),
                )
                self._own.setdefault(statement.crawler.lower(), []).append(meaning)
        self._known: dict[object, Mapping[str, Decision]] = {}

    def of(self, crawler: str, purpose: str | None) -> Mapping[str, Decision]:
        """The decision on every usage but crawl."""
        key = (tuple(self._own.get(crawler.lower(), ())), purpose)
        if key not in self._known:
            url = self._page.url or ""
            self._known[key] = decide_each(url, crawler=crawler, purpose=purpose, usages=USAGES, page=self._page)
        return self._known[key]
