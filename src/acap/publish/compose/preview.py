"""Preview: the decisions of the engine on sample URLs, for the text composed so far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from acap.combine import decide
from acap.decision import Decision
from acap.explain import summary
from acap.pages.page import PagePolicy, parse_page
from acap.publish.compose.draft import ANY, Draft, DraftError
from acap.publish.compose.pages import header_values, matches, meta_tags
from acap.publish.compose.text import robots_octets
from acap.robots import parse_robots
from acap.usages import PARENTS

BASIC = ("crawl", "follow", "index", "preserve", "present", "other")
"""The usages of a preview that names none: ACAP's basic ones (G 2.4)."""

SOMEBODY = "any-other-crawler"
"""A name that no record has, to ask for any crawler."""


@dataclass(frozen=True, slots=True)
class Row:
    """What one crawler may do with one URL in one way; `why` is the statement that decides, or the kind of reason."""

    url: str
    crawler: str
    purpose: str | None
    usage: str
    outcome: str
    restrictions: tuple[str, ...]
    why: str


def preview(
    draft: Draft,
    urls: Iterable[str] = (),
    crawlers: Iterable[str] = (),
    usages: Iterable[str] = (),
    purposes: Iterable[str] = (),
) -> tuple[Row, ...]:
    """A row for each URL, crawler, purpose and usage.

    Without URLs the draft's samples, without those `/`; without crawlers all that the draft names, and one that it does
    not; without usages the basic ones and those that the draft names; without purposes none is asked for. Page rules
    count, as headers where there are words for them.

    Raises:
        DraftError: the draft cannot be written.
        ValueError: an unknown usage, or an empty crawler.
    """
    policy = parse_robots(robots_octets(draft))
    out: list[Row] = []
    for url in urls or draft.samples or ("/",):
        page = _page(draft, url)
        for crawler in crawlers or [*(name for name in draft.crawlers if name != ANY), ANY]:
            asked = SOMEBODY if crawler == ANY else crawler
            for purpose in purposes or (None,):
                for usage in usages or usages_of(draft):
                    decision = decide(url, crawler=asked, usage=usage, purpose=purpose, robots=policy, page=page)
                    out.append(_row(decision, url, crawler, purpose, usage))
    return tuple(out)


def usages_of(draft: Draft) -> tuple[str, ...]:
    """The basic usages, and every other that a rule of the draft names and that can be asked about."""
    named = (rule.usage for _, _, rule in draft.rules())
    return tuple(dict.fromkeys([*BASIC, *(usage for usage in named if usage in PARENTS)]))


def _row(decision: Decision, url: str, crawler: str, purpose: str | None, usage: str) -> Row:
    limits = tuple(str(restriction) for restriction in decision.restrictions)
    return Row(url, crawler, purpose, usage, str(decision.outcome), limits, summary(decision, short=True))


def _page(draft: Draft, url: str) -> PagePolicy | None:
    """The statements of the page rules on a URL, as its headers and META tags would have them."""
    rules = [page for page in draft.pages if matches(page.pattern, url)]
    if not rules:
        return None
    absolute = url if "://" in url else None
    try:
        return parse_page("".join(meta_tags(draft, url)), url=absolute)
    except (DraftError, ImportError):
        headers = [("X-Robots-Tag", value) for rule in rules for value in header_values(rule)]
        return parse_page(None, url=absolute, headers=headers)
