"""What a response says of itself, and what of it may be used.

`content = usable(response, "index")` gives a spider the text that may go into an index, and nothing else.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, TypeAlias
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from scrapy import Request
from scrapy.http import HtmlResponse, Response, XmlResponse

from acap.carriers import carriers, why_no_page
from acap.decision import Decision
from acap.dialects.response import parse_response
from acap.integrations.scrapy.bodies import cut_of, headers_of
from acap.pages.extraction import Content
from acap.pages.headers import named_part
from acap.pages.page import PagePolicy, parse_page, read_page
from acap.retrieval.answers import Headers
from acap.retrieval.locations import robots_url
from acap.robots import Asker, RobotsPolicy

DECISION = "acap_decision"
POLICY = "acap_policy"
PAGE = "acap_page"

_ROOT_OCTETS = 1024  # where the root element of an XML document is looked for

_State: TypeAlias = "tuple[str, int, str, tuple[str, ...], Headers, bytes]"
_read: WeakKeyDictionary[Response, tuple[_State, PagePolicy | None]] = WeakKeyDictionary()


def forget(request: Request) -> None:
    """Takes from a request what was decided of another: redirects and spiders hand `meta` on."""
    for name in (DECISION, POLICY, PAGE):
        request.meta.pop(name, None)


def page_of(response: Response) -> PagePolicy | None:
    """What the response says, as `acap.carriers` finds it, in one page; None if its URL has no host.

    What Scrapy takes for a page is read as one, but for an answer that says what fetching takes: a payment, a licence.
    A body that is not known to be whole is a doubt, and so is a URL of the web that cannot be read. Kept in
    `response.meta["acap_page"]`, and read again if the response was changed.
    """
    known, state = _read.get(response), _state(response)
    if known is None or known[0] != state:
        known = _read[response] = state, _page(response)
    response.meta.pop(PAGE, None)  # `meta` is handed on, with what another page says
    if known[1] is not None:
        response.meta[PAGE] = known[1]
    return known[1]


def resource_of(response: Response) -> PagePolicy | None:
    """What the response says of what it is a response for: as `page_of`, and an error page tells nothing of that."""
    if parse_response(response.status, headers=headers_of(response)).found:
        return page_of(response)
    if response.status < HTTPStatus.OK or response.status >= HTTPStatus.MULTIPLE_CHOICES:
        return _unread(response, f"the server answered with status {response.status}")
    return page_of(response)


def _state(response: Response) -> _State:
    """What a page is read from."""
    request = response.request
    method = "" if request is None else request.method
    return response.url, response.status, method, tuple(response.flags), headers_of(response), response.body


def _page(response: Response) -> PagePolicy | None:
    status, headers = response.status, headers_of(response)
    if parse_response(status, headers=headers).found:
        try:
            return carriers(response.body, url=response.url, headers=headers, status=status).policy
        except ValueError:
            return _unread(response, "its URL cannot be read")
    if why := _cut(response):
        return _unread(response, why)
    if part := named_part((name.lower(), value) for name, value in headers):
        return _unread(response, f"a part of it came (`{part}`)")
    # Scrapy has decoded the body, and left the lengths of what it was before.
    lengths = ("content-length", "content-range")
    headers = tuple((name, value) for name, value in headers if name.lower() not in lengths)
    try:
        found = carriers(response.body, url=response.url, headers=headers)
        page = found.policy
        if is_page(response) and found.form not in ("page", "unread"):
            own = parse_page(response.body, url=response.url, headers=headers)
            page = read_page(own.html, own.url, own.headers, own.complete, own.certain, page.beside)
    except ValueError:
        return _unread(response, "its URL cannot be read")
    return page


def _cut(response: Response) -> str:
    """Why it is not known that the whole page is there; empty if it is."""
    if response.request is not None and response.request.method == "HEAD":
        return "only its headers were asked for"
    if response.status in (HTTPStatus.ACCEPTED, HTTPStatus.PARTIAL_CONTENT):
        return why_no_page(response.status)
    return cut_of(response)


def _unread(response: Response, why: str) -> PagePolicy | None:
    """A page that prohibits every use; None where no policy speaks of the URL."""
    try:
        return carriers(response.body, url=response.url, headers=headers_of(response), unread=why).policy
    except ValueError:
        if urlsplit(response.url).scheme.lower() not in ("http", "https"):
            return None
        return carriers(response.body, headers=headers_of(response), unread=why).policy


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
    page = resource_of(response)
    if page is None:
        raise ValueError(f"`{response.url}` has no host, so that no policy speaks of it")
    return page.content_for(usage, crawler=crawler, robots=robots_of(response), **asked)
