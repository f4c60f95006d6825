"""What a response says of itself, and what of it may be used.

`content = usable(response, "index")` gives a spider the text that may go into an index, and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.http import HtmlResponse, XmlResponse

from acap.carriers import carriers
from acap.pages.page import PagePolicy, parse_page
from acap.retrieval.locations import robots_url
from acap.robots import RobotsPolicy

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

    from acap.decision import Decision
    from acap.pages.extraction import Content
    from acap.robots import Asker

DECISION = "acap_decision"
POLICY = "acap_policy"
PAGE = "acap_page"

_ROOT_OCTETS = 1024  # where the root element of an XML document is looked for


def forget(request: Request) -> None:
    """Takes from a request what was decided of another: redirects and spiders hand `meta` on."""
    for name in (DECISION, POLICY, PAGE):
        request.meta.pop(name, None)


def page_of(response: Response) -> PagePolicy | None:
    """What the response says, as `acap.carriers` finds it, in one page; None if its URL has no host.

    What Scrapy takes for a page is read as one. Kept in `response.meta["acap_page"]`.
    """
    page = response.meta.get(PAGE)
    if isinstance(page, PagePolicy) and page.url == response.url:
        return page
    # Scrapy has decoded the body, and left the length of what it was before.
    headers = [
        (name, value)
        for name, values in response.headers.items()
        for value in values
        if name.lower() != b"content-length"
    ]
    cut = not {"dataloss", "partial"}.isdisjoint(response.flags)
    try:
        found = carriers(response.body, url=response.url, headers=headers, length=len(response.body) + cut)
        page = found.policy
        if is_page(response) and found.form not in ("page", "unread"):
            own = parse_page(response.body, url=response.url, headers=headers)
            page = PagePolicy(own.html, own.url, own.headers, own.complete, own.certain, page.beside)
    except ValueError:
        return None
    response.meta[PAGE] = page
    return page


def robots_of(response: Response) -> RobotsPolicy | None:
    """The policy by which the response was fetched, None where none was asked.

    A handler may have followed a redirect to another site by itself: of that nobody knows anything, which prohibits.
    """
    policy = response.meta.get(POLICY)
    if not isinstance(policy, RobotsPolicy):
        return None
    try:
        at = robots_url(response.url)
    except ValueError:
        return None
    speaks = policy.url is None or robots_url(policy.url) == at
    return policy if speaks else RobotsPolicy.unreachable(at)


def is_page(response: Response) -> bool:
    """Whether a browser would show it as a page: HTML, or XHTML in XML."""
    if isinstance(response, XmlResponse):
        return b"<html" in response.body[:_ROOT_OCTETS].lower()
    return isinstance(response, HtmlResponse)


def usable(response: Response, usage: str = "index", *, crawler: Asker | None = None, **asked: Any) -> Content:
    """The content of a response that may be used in a way, as `PagePolicy.content_for` gives it.

    Args:
        response: one that came through the middlewares.
        usage: one usage.
        crawler: who asks, if not who fetched it.
        **asked: `purpose`, `at`, `facts`, `others`, as `acap.decide` takes them.

    Raises:
        ValueError: nothing was decided of the response, and no crawler is given; an unknown usage.
    """
    decision: Decision | None = response.meta.get(DECISION)
    if crawler is None:
        if decision is None:
            raise ValueError(f"{response.url} came by no policy; give `crawler`")
        crawler = decision.crawler
    if decision is not None:
        asked.setdefault("at", decision.at)
    page = page_of(response)
    if page is None:
        raise ValueError(f"`{response.url}` has no host, so that no policy speaks of it")
    return page.content_for(usage, crawler=crawler, robots=robots_of(response), **asked)
