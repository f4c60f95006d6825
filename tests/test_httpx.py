"""Transports that ask first: what a policy does not permit is never requested, and whoever asked hears why."""

from __future__ import annotations

import gzip
import importlib.util
import pickle
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx2
import pytest

from acap import decide
from acap.carriers import carriers
from acap.clock import FixedClock
from acap.integrations.httpx import (
    DECISION,
    NotNowError,
    RefusedError,
    page_policy,
)
from acap.integrations.pace import _SITES, Later, Pace
from acap.robots import Politeness, parse_robots
from tests.browsers import AsyncHttpxBrowser, HttpxBrowser
from tests.codings import CODINGS
from tests.loopback import Loopback, redirect, reply
from tests.test_carriers import RESPONSES

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
FILE = b"User-agent: *\nDisallow: /private\n"
OPEN = b"User-agent: *\nAllow: /\n"

Browser = HttpxBrowser | AsyncHttpxBrowser


@pytest.fixture(params=[HttpxBrowser, AsyncHttpxBrowser], ids=["sync", "async"])
def make(request: pytest.FixtureRequest) -> Any:
    """Makes a client of either kind; every case is put to both."""
    return request.param


class Site(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """The octets of a response that was not read yet."""

    def __init__(self, octets: bytes) -> None:
        self.octets = octets

    def __iter__(self) -> Iterator[bytes]:
        yield self.octets

    async def __aiter__(self) -> Any:
        yield self.octets


def sent_to(said: dict[str, bytes], seen: list[str], status: int = 200) -> httpx2.MockTransport:
    """A transport that answers paths without a network, and remembers the URLs."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(str(request.url))
        octets = said.get(request.url.path)
        return httpx2.Response(404 if octets is None else status, stream=Site(octets or b""))

    return httpx2.MockTransport(answer)


def test_resources_that_carry_policy_may_always_be_fetched(make: Any) -> None:
    """Nobody could learn of a prohibition otherwise."""
    says: dict[str, Any] = {"/robots.txt": reply(200, b"User-agent: *\nDisallow: /"), "/ai.txt": reply(200, b"none")}
    says["/.well-known/tdmrep.json"] = reply(200, b"[]")
    with Loopback(says=says) as server, make() as browser:
        for path in ("/robots.txt", "/ai.txt", "/.well-known/tdmrep.json"):
            response = browser.get(server.url(path))
            assert response.status_code == 200
            assert response.extensions[DECISION].reason.kind == "policy-resource"
        with pytest.raises(RefusedError):
            browser.get(server.url("/.well-known/other"))


def test_options_reach_the_retriever(make: Any) -> None:
    """What 403 means, for one, is the operator's choice."""
    with Loopback(says={"/robots.txt": reply(403), "/a": reply(200, b"page")}) as server:
        with make() as browser:
            assert browser.get(server.url("/a")).text == "page"
        with make(forbidden="restricted", contact="https://example.org/bot") as browser:
            with pytest.raises(RefusedError):
                browser.get(server.url("/a"))
            assert browser.transport.user_agent.startswith("examplebot (+https://example.org/bot) acap/")
            assert server.asked[-1].headers["user-agent"] == browser.transport.user_agent


def test_name_and_purpose_are_asked_for(make: Any) -> None:
    """An iterator of either serves for every request."""
    policy = (
        b"ACAP-crawler: *\nACAP-disallow-crawl: /\n\nACAP-crawler: examplebot\nACAP-allow-crawl: /\n"
        b"ACAP-usage-purpose: games\nACAP-disallow-crawl: /news\n"
    )
    with Loopback(says={"/robots.txt": reply(200, policy), "/news": reply(200), "/a": reply(200)}) as server:
        with make(iter(["examplebot-news", "examplebot"])) as browser:
            assert [browser.get(server.url(path)).status_code for path in ("/news", "/a")] == [200, 200]
        with make(purpose=iter(["games"])) as browser:
            for _ in range(2):
                with pytest.raises(RefusedError, match="for games"):
                    browser.get(server.url("/news"))
            assert browser.get(server.url("/a")).status_code == 200
        with make("otherbot") as browser, pytest.raises(RefusedError):
            browser.get(server.url("/a"))


def test_a_retriever_that_is_made_here_is_closed_with_the_transport(make: Any) -> None:
    """One that is passed in stays open."""
    with Loopback(says={"/robots.txt": reply(200, FILE), "/a": reply(200)}) as server, make() as browser:
        browser.close()
        with pytest.raises(RuntimeError, match="closed"):
            browser.send(httpx2.Request("GET", server.url("/a")))
        assert server.targets == []


def test_the_inner_transport_sends_and_is_closed_with_this_one(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is closed once, and not before."""
    seen: list[str] = []
    closed: list[Any] = []
    inner = sent_to({"/a": b"inner"}, seen)

    async def aclose() -> None:
        closed.append("later")

    monkeypatch.setattr(inner, "close", lambda: closed.append("now"))
    monkeypatch.setattr(inner, "aclose", aclose)
    with Loopback(says={"/robots.txt": reply(200, OPEN)}) as server:
        with make(inner=inner) as browser:
            assert browser.get(server.url("/a")).text == "inner"
            assert closed == []
        assert (server.targets, seen, len(closed)) == (["/robots.txt"], [server.url("/a")], 1)


def test_policies_may_come_by_the_inner_transport(make: Any) -> None:
    """Without being asked about themselves, and with no connection of our own."""
    seen: list[str] = []
    inner = sent_to({"/robots.txt": FILE, "/a": b"page"}, seen)
    with make(inner=inner, policies_by_inner=True) as browser:
        assert browser.get("https://www.example.com/a").text == "page"
        with pytest.raises(RefusedError):
            browser.get("https://www.example.com/private")
        assert seen == ["https://www.example.com/robots.txt", "https://www.example.com/a"]
    with pytest.raises(ValueError, match="httpx2 alone"):
        make(inner=object(), policies_by_inner=True)
    with pytest.raises(ValueError, match="options already"):
        make(retriever=object(), policies_by_inner=True)


def test_policies_of_found_urls_do_not_come_from_private_hosts(make: Any) -> None:
    """What such a policy would have permitted is not requested either."""
    with Loopback(says={"/robots.txt": reply(200, OPEN), "/a": reply(200)}) as server, make(found=True) as browser:
        with pytest.raises(RefusedError) as caught:
            browser.get(server.url("/a"))
        policy: Any = caught.value.decision.policy
        assert policy.evidence["failure"]["kind"] == "address-refused"
        assert server.targets == []


def test_another_scheme_is_the_inner_transports_affair(make: Any) -> None:
    """No robots.txt speaks of it."""
    with make() as browser, pytest.raises(httpx2.UnsupportedProtocol):
        browser.get("ftp://www.example.com/a")
    seen: list[str] = []
    with make(inner=sent_to({"/a": b"data"}, seen)) as browser:
        response = browser.send(httpx2.Request("GET", "gopher://www.example.com/a"))
        assert response.extensions[DECISION] is None
        assert seen == ["gopher://www.example.com/a"]


def test_a_websocket_is_asked_about_as_the_request_that_opens_it(make: Any) -> None:
    """It is one, to the same host and port."""
    seen: list[str] = []
    with make(inner=sent_to({"/robots.txt": FILE, "/a": b""}, seen), policies_by_inner=True) as browser:
        browser.send(httpx2.Request("GET", "wss://www.example.com/a"))
        with pytest.raises(RefusedError, match=r"https://www\.example\.com/private"):
            browser.send(httpx2.Request("GET", "wss://www.example.com/private"))
        assert seen == ["https://www.example.com/robots.txt", "wss://www.example.com/a"]


def test_a_url_that_nobody_can_ask_about_is_not_sent(make: Any) -> None:
    """The client takes some hosts that cannot be."""
    seen: list[str] = []
    with make(inner=sent_to({}, seen)) as browser, pytest.raises(httpx2.UnsupportedProtocol, match="no possible host"):
        browser.get("http://a..b/c")
    assert seen == []


def test_what_is_asked_about_is_what_is_sent(make: Any) -> None:
    """httpx lets a request have another target than its URL."""
    with Loopback(says={"/robots.txt": reply(200, FILE), "/b#c": reply(200, b"b")}) as server, make() as browser:
        response = browser.request("GET", server.url("/a"), extensions={"target": b"/b#c"})
        assert (response.text, response.extensions[DECISION].url) == ("b", server.url("/b%23c"))
        with pytest.raises(RefusedError):
            browser.request("GET", server.url("/a"), extensions={"target": b"/private"})
        with pytest.raises(httpx2.UnsupportedProtocol, match="no path"):
            browser.request("OPTIONS", server.url("/a"), extensions={"target": b"*"})
        assert server.targets == ["/robots.txt", "/b#c"]


HOSTS = {
    "another": "closed.example", "a port": "open.example:8080", "its user": "closed.example@open.example",
    "a path": "open.example/x", "a query": "open.example?", "none": "", "blanks": "open.example closed.example",
    "octets": b"open.example\xff", "several": None,
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTS)
def test_a_request_that_names_another_host_than_its_url_is_not_sent(make: Any, name: str) -> None:
    """The `Host` is the authority that is asked (RFC 9110 7.2), and it is the URL that the policy was asked about."""
    seen: list[str] = []
    host = HOSTS[name]
    hosts = ["open.example", "closed.example"] if host is None else [host]
    headers = [(b"Host", one if isinstance(one, bytes) else one.encode()) for one in hosts]
    request = httpx2.Request("GET", "http://open.example/a", headers=headers)
    opened = make(inner=sent_to({"/robots.txt": OPEN, "/a": b""}, seen), policies_by_inner=True)
    with opened as browser, pytest.raises(httpx2.UnsupportedProtocol, match="names the host"):
        browser.send(request)
    assert seen == []


@pytest.mark.parametrize("host", ["open.example", "OPEN.example", "open.example:80"])
def test_a_request_may_name_its_host_itself(make: Any, host: str) -> None:
    """In whatever spelling."""
    seen: list[str] = []
    with make(inner=sent_to({"/robots.txt": OPEN, "/a": b""}, seen), policies_by_inner=True) as browser:
        for url in ("http://open.example/a", "ws://open.example/a"):
            browser.send(httpx2.Request("GET", url, headers={"Host": host}))
    assert len(seen) == 3


@pytest.mark.parametrize(
    "url",
    ["http://m\u00fcnchen.example/a", "http://xn--mnchen-3ya.example/a", "http://[::1]:8/a", "https://EXAMPLE.com:443/a",
     "http://user:word@example.com/a", "http://example.com./a", "http://a_b.example/a", "http://127.1/a"],
)  # fmt: skip
def test_the_host_that_a_client_names_is_that_of_its_url(make: Any, url: str) -> None:
    """What httpx writes into the header by itself is never refused."""
    seen: list[str] = []
    request = httpx2.Request("GET", url)
    assert request.headers["Host"]
    with make(inner=sent_to({"/robots.txt": OPEN, "/a": b""}, seen), policies_by_inner=True) as browser:
        browser.send(request)
    assert len(seen) == 2


def polite(make: Any, text: bytes, clock: FixedClock, slept: list[float], seen: list[str], **options: Any) -> Any:
    def sleep(seconds: float) -> None:
        slept.append(seconds)
        clock.advance(timedelta(seconds=seconds))

    inner = sent_to({"/robots.txt": text, "/a": b"", "/b": b""}, seen)
    return make(
        inner=inner, policies_by_inner=True, polite=True, clock=clock, sleep=make.sleeper(sleep), **options
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "waits"),
    [
        (b"User-agent: *\nAllow: /\nCrawl-delay: 2.5\n", [2.5, 2.5]),
        (b"User-agent: *\nAllow: /\nRequest-rate: 1/20 0800-1800\nCrawl-delay: 5\n", [20.0, 20.0]),
        (b"User-agent: *\nAllow: /\nRequest-rate: 1/20 1300-1800\nCrawl-delay: 5\n", [5.0, 5.0]),
        (b"User-agent: *\nAllow: /\n", []),
    ],
)
def test_the_pace_that_a_site_asks_for_is_kept(make: Any, text: bytes, waits: list[float]) -> None:
    """Only between requests to one site."""
    clock, slept, seen = FixedClock(NOON), list[float](), list[str]()
    with polite(make, text, clock, slept, seen) as browser:
        for url in ("https://a.example/a", "https://b.example/a", "https://a.example/b", "https://a.example/a"):
            browser.get(url)
    assert slept == waits
    assert [url for url in seen if "robots" not in url][0::2] == ["https://a.example/a", "https://a.example/b"]


def test_time_that_passed_by_itself_is_not_waited_for_again(make: Any) -> None:
    """Nor is a request that was refused counted."""
    clock, slept, seen = FixedClock(NOON), list[float](), list[str]()
    text = b"User-agent: *\nDisallow: /private\nCrawl-delay: 10\n"
    with polite(make, text, clock, slept, seen) as browser:
        browser.get("https://a.example/a")
        clock.advance(timedelta(seconds=7))
        with pytest.raises(RefusedError):
            browser.get("https://a.example/private")
        browser.get("https://a.example/b")
        clock.advance(timedelta(seconds=11))
        browser.get("https://a.example/b")
    assert slept == [3.0]


def test_outside_of_visit_time_nothing_is_sent(make: Any) -> None:
    """The error says from when on; what carries policy is welcome at any time."""
    clock, slept, seen = FixedClock(NOON), list[float](), list[str]()
    text = b"User-agent: *\nAllow: /\nVisit-time: 2200-0600\nVisit-time: 1800-1900\n"
    with polite(make, text, clock, slept, seen) as browser:
        with pytest.raises(NotNowError) as caught:
            browser.get("https://a.example/a")
        assert caught.value.when == datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
        assert str(caught.value) == (
            "https://a.example/robots.txt asks not to be visited before 2026-11-20 18:00:00 UTC; "
            "https://a.example/a was not requested"
        )
        assert caught.value.decision.permitted
        assert caught.value.request.url == "https://a.example/a"
        assert isinstance(caught.value, httpx2.RequestError)
        assert browser.get("https://a.example/robots.txt").status_code == 200
        clock.set(datetime(2026, 11, 20, 23, 59, tzinfo=UTC))
        assert browser.get("https://a.example/a").status_code == 200
        clock.set(datetime(2026, 11, 21, 6, 0, 30, tzinfo=UTC))
        with pytest.raises(NotNowError) as caught:
            browser.get("https://a.example/a")
        assert caught.value.when == datetime(2026, 11, 21, 18, 0, tzinfo=UTC)
    assert (slept, seen.count("https://a.example/a")) == ([], 1)


def test_a_visit_that_would_have_to_wait_until_the_site_is_closed_is_not_made(make: Any) -> None:
    """What counts is when the request would be sent."""
    clock, slept, seen = FixedClock(datetime(2026, 11, 20, 17, 59, tzinfo=UTC)), list[float](), list[str]()
    text = b"User-agent: *\nAllow: /\nVisit-time: 0600-1800\nCrawl-delay: 90\n"
    with polite(make, text, clock, slept, seen) as browser:
        browser.get("https://a.example/a")
        with pytest.raises(NotNowError) as caught:
            browser.get("https://a.example/b")
        assert caught.value.when == datetime(2026, 11, 21, 6, 0, tzinfo=UTC)
    assert slept == []


def test_a_site_that_never_opens_says_so(make: Any) -> None:
    """There is no instant to come back at."""
    clock, slept, seen = FixedClock(NOON), list[float](), list[str]()
    text = b"User-agent: *\nAllow: /\nVisit-time: 0300-0300\n"
    with polite(make, text, clock, slept, seen) as browser, pytest.raises(NotNowError, match="at any time") as caught:
        browser.get("https://a.example/a")
    assert caught.value.when is None


@pytest.mark.parametrize("delay", [b"301", b"99999999999999999999999999999999999999"])
def test_nobody_waits_for_longer_than_the_patience_lasts(make: Any, delay: bytes) -> None:
    """A file cannot stop a crawl; the request is still not sent."""
    clock, slept, seen = FixedClock(NOON), list[float](), list[str]()
    text = b"User-agent: *\nAllow: /\nCrawl-delay: " + delay + b"\n"
    with polite(make, text, clock, slept, seen) as browser:
        browser.get("https://a.example/a")
        with pytest.raises(NotNowError) as caught:
            browser.get("https://a.example/a")
        assert caught.value.when is not None
        assert caught.value.when > NOON + timedelta(seconds=300)
        assert slept == []
    if delay == b"301":
        with polite(make, text, clock, slept, seen, patience=301) as browser:
            browser.get("https://a.example/a")
            browser.get("https://a.example/a")
        assert slept == [301.0]


def test_without_politeness_nothing_waits(make: Any) -> None:
    """It is asked for, and not assumed."""
    text = b"User-agent: *\nAllow: /\nCrawl-delay: 100000\nVisit-time: 0300-0300\n"
    seen: list[str] = []
    with make(inner=sent_to({"/robots.txt": text, "/a": b""}, seen), policies_by_inner=True) as browser:
        for _ in range(2):
            assert browser.get("https://a.example/a").status_code == 200


def test_each_visit_takes_its_own_place() -> None:
    """Whoever comes while another one waits is told to wait longer; many sites do not fill the memory."""
    clock = FixedClock(NOON)
    pace, asked = Pace(clock, patience=25), Politeness(delays=(10.0,))
    assert [pace.take("a", asked) for _ in range(3)] == [0.0, 10.0, 20.0]
    assert pace.take("a", asked) == Later(NOON + timedelta(seconds=30))
    assert pace.take("b", asked) == 0.0
    for number in range(_SITES + 10):
        pace.take(str(number), asked)
        clock.advance(timedelta(seconds=1))
    assert len(pace._free) <= _SITES


def loaded_again(name: str) -> ModuleType:
    """The sources of httpx2 as a library of another name: same form, but no class in common."""
    spec = importlib.util.find_spec("httpx2")
    assert spec is not None
    assert spec.origin is not None
    again = importlib.util.spec_from_file_location(
        name, spec.origin, submodule_search_locations=[str(Path(spec.origin).parent)]
    )
    assert again is not None
    assert again.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(again)
    again.loader.exec_module(module)
    for public in module.__all__:
        if isinstance(getattr(module, public), type):
            getattr(module, public).__module__ = name  # as the library does it, with its own name
    return module


@pytest.fixture
def other() -> Iterator[ModuleType]:
    """Another library."""
    name = "httpx_of_another_name"
    yield loaded_again(name)
    for loaded in [loaded for loaded in sys.modules if loaded.partition(".")[0] == name]:
        del sys.modules[loaded]


def test_a_client_of_another_library_of_the_same_form_works(make: Any, other: ModuleType) -> None:
    """With an inner transport of its own; and it is that library's error that it catches."""
    assert not issubclass(other.RequestError, httpx2.RequestError)
    inner = getattr(other, make.sends.__name__)(trust_env=False)
    with (
        Loopback(says={"/robots.txt": reply(200, FILE), "/a": redirect("/b"), "/b": reply(200, b"b")}) as server,
        make(library=other, inner=inner) as browser,
    ):
        response = browser.get(server.url("/a"))
        assert isinstance(response, other.Response)
        assert (response.text, response.extensions[DECISION].permitted) == ("b", True)
        with pytest.raises(other.RequestError) as caught:
            browser.get(server.url("/private"))
        assert isinstance(caught.value, RefusedError)
        assert (type(caught.value).__name__, caught.value.decision.permitted) == ("RefusedError", False)
        assert isinstance(caught.value.request, other.Request)
        with pytest.raises(other.RequestError) as strange:
            browser.get("http://a..b/c")
        assert isinstance(strange.value, httpx2.UnsupportedProtocol)
        assert server.targets == ["/robots.txt", "/a", "/b"]
        assert page_policy(response).url == server.url("/b")


PAGE = b'<meta name="robots" content="ACAP disallow-preserve"><p>Text'


def answered(body: bytes, *headers: tuple[str, str], status: int = 200, method: str = "GET") -> httpx2.Response:
    request = httpx2.Request(method, "https://user:secret@www.example.com/a.html#part")
    return httpx2.Response(status, headers=list(headers), content=body, request=request)


def permitted(page: Any, usage: str, crawler: str = "examplebot") -> bool:
    robots = parse_robots(b"", url=page.url)
    return decide(page.url, crawler=crawler, usage=usage, robots=robots, page=page).permitted


def test_a_page_speaks_with_its_markup_and_every_header() -> None:
    """B9: the second X-Robots-Tag counts as the first."""
    tags = (("X-Robots-Tag", "examplebot: noindex"), ("x-robots-tag", "noai"))
    page = page_policy(answered(PAGE, ("Content-Type", "text/html; charset=utf-8"), *tags))
    assert [value for name, value in page.headers if name == "x-robots-tag"] == ["examplebot: noindex", "noai"]
    assert not permitted(page, "preserve")
    assert not permitted(page, "index")
    assert permitted(page, "index", "otherbot")
    assert not permitted(page, "ai-train")
    assert page.url == "https://www.example.com/a.html"
    assert permitted(page_policy(answered(b"<p>Text")), "preserve")


@pytest.mark.parametrize("declared", ["text/html", "application/xhtml+xml;x", "", "application/pdf", "image/png"])
def test_a_page_is_heard_beside_its_headers_whatever_it_is_declared_to_be(declared: str) -> None:
    """Octets that are a page and no picture or document prohibit what they prohibit."""
    page = page_policy(answered(PAGE, ("Content-Type", declared), ("X-Robots-Tag", "noindex")))
    assert not permitted(page, "preserve")
    assert not permitted(page, "index")


@pytest.mark.parametrize("declared", ["text/plain", "application/json"])
def test_text_speaks_with_its_headers_alone(declared: str) -> None:
    """Octets that look like a tag are none there."""
    page = page_policy(answered(PAGE, ("Content-Type", declared), ("X-Robots-Tag", "noindex")))
    assert permitted(page, "preserve")
    assert not permitted(page, "index")


@pytest.mark.parametrize(
    ("status", "method"),
    [(404, "GET"), (202, "GET"), (304, "GET"), (206, "GET"), (503, "GET"), (302, "GET"), (200, "HEAD")],
)
def test_what_has_no_whole_page_is_not_read_as_one(status: int, method: str) -> None:
    """Silence of a part is not silence of the page."""
    with pytest.raises(ValueError, match=f"answered {method} with {status}"):
        page_policy(answered(PAGE, status=status, method=method))


@pytest.mark.parametrize(("status", "method"), [(402, "GET"), (402, "HEAD")])
def test_a_payment_wall_says_what_a_page_costs(status: int, method: str) -> None:
    """It is no page, and its words are nobody's."""
    page = page_policy(answered(PAGE, ("crawler-price", "USD 0.01"), status=status, method=method))
    decision = page.decide("index", crawler="a")
    assert (decision.outcome, decision.conditions[0].amount) == ("conditional", "0.01")
    assert page.content_for("index", crawler="a").text == ""


LONG = b"<p>Words " + "".join(map(chr, range(33, 5000))).encode() + b"<p>End<meta name=robots content=noindex>"


@pytest.mark.parametrize("name", CODINGS)
def test_a_coded_page_that_breaks_off_is_a_doubt(make: Any, other: ModuleType, name: str) -> None:
    """The client gives what it can decode of it; what is missing may have prohibited anything."""
    coded = CODINGS[name](LONG)
    more = ("Content-Encoding", name)
    with Loopback(says={"/whole": reply(body=coded, headers=[more])}) as server:
        for at in (len(coded) // 3, len(coded) // 2, len(coded) - 1):
            server.says[f"/{at}"] = reply(body=coded[:at], headers=[more])
        for library, inner in ((httpx2, None), (other, getattr(other, make.sends.__name__)(trust_env=False))):
            with make(library=library, inner=inner) as browser:
                whole = page_policy(browser.get(server.url("/whole")))
                assert (permitted(whole, "ai-train"), permitted(whole, "index")) == (True, False)
                for target in [target for target in server.says if target != "/whole"]:
                    try:
                        response = browser.get(server.url(target))
                    except library.DecodingError:
                        continue
                    assert response.content
                    assert not permitted(page_policy(response), "ai-train")


def test_a_body_of_which_a_client_leaves_out_a_part_is_a_doubt(make: Any) -> None:
    """httpx decodes the first member of a gzip body, and browsers all of them."""
    two = gzip.compress(b"<p>Words.") + gzip.compress(b"<meta name=robots content=noindex>")
    with Loopback(says={"/a": reply(body=two, headers=[("Content-Encoding", "gzip")])}) as server, make() as browser:
        response = browser.get(server.url("/a"))
        assert response.content == b"<p>Words."
        assert not permitted(page_policy(response), "index")


@pytest.mark.parametrize(("name", "whole"), [("gzip", True), ("gzip", False), ("identity", True), ("compress", False)])
def test_a_body_that_was_read_before_it_came_is_seen_once_more(make: Any, name: str, whole: bool) -> None:
    """As those of transports that need no network."""
    coded = {"identity": LONG}.get(name, gzip.compress(LONG))

    def answer(request: httpx2.Request) -> httpx2.Response:
        if request.url.path == "/robots.txt":
            return httpx2.Response(404)
        return httpx2.Response(200, headers={"Content-Encoding": name}, content=coded if whole else coded[:5000])

    with make(inner=httpx2.MockTransport(answer), policies_by_inner=True) as browser:
        page = page_policy(browser.get("https://www.example.com/a.html"))
    assert permitted(page, "ai-train") is whole


def test_a_coded_body_that_nobody_saw_is_a_doubt() -> None:
    """A response of another transport has no octets any more that could be looked at."""
    response = answered(gzip.compress(PAGE), ("Content-Encoding", "gzip"))
    assert response.content == PAGE
    assert not permitted(page_policy(response), "index")
    assert permitted(page_policy(answered(PAGE, ("Content-Encoding", "identity"))), "index")


def test_the_decision_of_a_response_can_be_kept() -> None:
    """It pickles, with its reason."""
    seen: list[str] = []
    inner = sent_to({"/robots.txt": FILE, "/a": b""}, seen)
    with HttpxBrowser(inner=inner, policies_by_inner=True) as browser:
        decision = browser.get("https://www.example.com/a").extensions[DECISION]
    assert pickle.loads(pickle.dumps(decision)).reason == decision.reason


@pytest.mark.parametrize("name", RESPONSES)
def test_a_response_says_what_its_carriers_say(name: str) -> None:
    """Packed octets, metadata of pictures and cut pages prohibit here as they do wherever octets are read."""
    octets, headers = RESPONSES[name]
    response = httpx2.Response(200, headers=[], content=octets, request=httpx2.Request("GET", "https://a.example/z"))
    response.headers = httpx2.Headers(headers)
    found = carriers(octets, url="https://a.example/z", headers=headers)
    for usage in ("index", "tdm", "preserve"):
        wanted = decide("https://a.example/z", crawler="bot", usage=usage, page=found.page, others=found.others)
        said = page_policy(response)
        assert decide("https://a.example/z", crawler="bot", usage=usage, page=said).outcome == wanted.outcome
