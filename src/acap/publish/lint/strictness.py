"""Whether one robots.txt or page permits more than another: a net below the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from acap.decision import STRICTNESS
from acap.publish.compare import STEPS, compare
from acap.robots import RobotsPolicy
from acap.usages import USAGES

if TYPE_CHECKING:
    from acap.pages.page import PagePolicy  # `document` tells why it is not loaded

_CRAWLERS = 40  # crawlers asked for per page; of more, a sample of the whole list
_NOBODY = "a-crawler-that-no-file-names"
_ADDRESS = "https://example.com/"


class Looser(NamedTuple):
    """A question to which the second file gives a looser answer, or None where it is only read less well."""

    crawler: str
    usage: str
    path: str


def looser(
    before: RobotsPolicy,
    after: RobotsPolicy,
    at: datetime,
    *,
    crawlers: Sequence[str] | None = None,
    steps: int = STEPS,
) -> Looser | None:
    """A question to which `after` gives a looser answer than `before`; None is a proof that there is none.

    What cannot be worked out counts as looser. `crawlers` are those asked about: by default all that matter.
    """
    if after.truncated and not before.truncated:
        return Looser("*", "crawl", "/")
    comparison = compare(before, after, at=at, crawlers=crawlers, steps=steps)
    for change in comparison.changes:
        strict, loose = change.before, change.after
        freed = STRICTNESS[loose.outcome] < STRICTNESS[strict.outcome]
        kept = set(strict.restrictions) <= set(loose.restrictions)
        if freed or (loose.outcome == strict.outcome != "prohibited" and not kept):
            return Looser(change.crawlers[0], change.usages[0], change.witness)
    for question in comparison.undecided:
        return Looser(question.crawler, question.usage, "/")
    return None


def looser_page(before: PagePolicy, after: PagePolicy, at: datetime) -> Looser | None:
    """The first question about the page as a whole to which `after` gives a looser answer than `before`, or None."""
    names = [
        statement.crawler for page in (before, after) for statement in page.statements(_ADDRESS) if statement.crawler
    ]
    for crawler in _spread([_NOBODY, *names], _CRAWLERS):
        asking, other = (page.asking(url=page.url or _ADDRESS, crawler=crawler, at=at) for page in (before, after))
        for usage in USAGES:
            strict, loose = asking.decide(usage), other.decide(usage)
            if STRICTNESS[loose.outcome] < STRICTNESS[strict.outcome] or (
                loose.outcome == strict.outcome != "prohibited"
                and not set(strict.restrictions) <= set(loose.restrictions)
            ):
                return Looser(crawler, usage, "/")
    return None


def _spread(names: list[str], most: int) -> Iterator[str]:
    """Each name once, and if there are too many some from the whole list."""
    each = list(dict.fromkeys(names))
    step = -(-len(each) // most)
    yield from each if step <= 1 else each[::step]
