"""Clients of httpx, requests and aiohttp that ask first, against real servers on the loopback interface."""

from __future__ import annotations

import asyncio
import gzip
import io
import shutil
import threading
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import partial
from typing import Any

import aiohttp
import pytest
import requests

from acap.clock import FixedClock
from acap.explain import failure_text
from acap.integrations import aiohttp as for_aiohttp
from acap.integrations import httpx as for_httpx
from acap.integrations import requests as for_requests
from acap.integrations.asking import AskingOptions, NotNowError, RefusedError, decision_of
from acap.retrieval.policies import BaseRetriever
from tests.browsers import AiohttpBrowser, AsyncHttpxBrowser, HttpxBrowser, RequestsBrowser
from tests.loopback import Loopback, redirect, reply

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
FILE = b"User-agent: *\nDisallow: /private\n"
OPEN = b"User-agent: *\nAllow: /\n"
PAGE = b'<meta name="robots" content="noarchive"><p>Everybody may read this.</p>'
HTML = ("Content-Type", "text/html")


def in_chunks(body: bytes, headers: Iterable[tuple[str, str]]) -> bytes:
    """A response of which nobody knows the length."""
    chunks = (body[at : at + 9] for at in range(0, len(body), 9))
    said = reply(200, headers=[("Transfer-Encoding", "chunked"), *headers]).replace(b"Content-Length: 0\r\n", b"")
    return said + b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"


@pytest.fixture(params=[HttpxBrowser, AsyncHttpxBrowser, RequestsBrowser, AiohttpBrowser])
def make(request: pytest.FixtureRequest) -> Any:
    """Makes a client; every case is put to each."""
    return request.param


def test_what_is_permitted_is_sent_and_carries_its_decision(make: Any) -> None:
    """The policy is retrieved once for all requests to a site, and under the User-Agent of the session."""
    with Loopback(says={"/robots.txt": reply(200, FILE), "/a": reply(200, b"page")}) as server:
        with make(contact="https://example.org/bot") as browser:
            response = [browser.get(server.url("/a")) for _ in range(3)][-1]
            assert browser.text(response) == "page"
            decision = decision_of(response)
            assert decision is not None
            assert (decision.permitted, decision.url, decision.usage) == (True, server.url("/a"), "crawl")
            assert decision.policy is not None
            assert decision.policy.octets == FILE
        assert server.targets == ["/robots.txt", "/a", "/a", "/a"]
        (agent,) = {one.headers["user-agent"] for one in server.asked}
        assert agent.startswith("examplebot (+https://example.org/bot) acap/")


def test_what_is_refused_is_not_sent_and_says_why(make: Any) -> None:
    """The error is one line, which names the line that decided, and an error of the library too."""
    with Loopback(says={"/robots.txt": reply(200, FILE)}) as server, make() as browser:
        with pytest.raises(RefusedError) as caught:
            browser.get(server.url("/private/x?y#z").replace("://", "://user:secret@"))
        assert server.targets == ["/robots.txt"]
        assert str(caught.value) == (
            f"prohibited: crawl of {server.url('/private/x?y')} by examplebot: {server.url()}:2:1 Disallow: /private"
        )
        assert caught.value.decision.reason.decided_by[0].line == 2
        assert f"{server.port}/private/x?y" in str(caught.value.request.url)
        assert isinstance(caught.value, browser.error)


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PROPFIND"])
def test_every_method_is_asked_about(make: Any, method: str) -> None:
    """A rule holds for every method."""
    with Loopback(says={"/robots.txt": reply(200, FILE), "/a": reply(200)}) as server, make() as browser:
        browser.request(method, server.url("/a"))
        with pytest.raises(RefusedError):
            browser.request(method, server.url("/private"))
        assert server.targets == ["/robots.txt", "/a"]


def test_the_target_of_a_redirect_is_asked_about(make: Any) -> None:
    """At another site it is that site's own policy that decides."""
    with Loopback() as there, Loopback(says={"/robots.txt": reply(200, FILE)}) as here, make() as browser:
        here.says |= {
            "/a": redirect("/private"),
            "/b": redirect(there.url("/private")),
            "/c": redirect(there.url("/d")),
        }
        there.says |= {"/robots.txt": reply(200, b"User-agent: *\nDisallow: /d"), "/private": reply(200, b"theirs")}
        with pytest.raises(RefusedError, match="/private"):
            browser.get(here.url("/a"))
        response = browser.get(here.url("/b"))
        assert (browser.text(response), len(response.history)) == ("theirs", 1)
        decision = decision_of(response)
        assert decision is not None
        assert decision.policy is not None
        assert decision.policy.url == there.url()
        with pytest.raises(RefusedError, match=f"{there.port}/d"):
            browser.get(here.url("/c"))
        assert here.targets == ["/robots.txt", "/a", "/b", "/c"]
        assert there.targets == ["/robots.txt", "/private"]


@pytest.mark.parametrize("said", [reply(503), reply(429), reply(200, FILE, length=999), b"not HTTP"])
def test_a_policy_that_cannot_be_retrieved_refuses(make: Any, said: bytes) -> None:
    """Doubt never permits."""
    with Loopback(says={"/robots.txt": said, "/a": reply(200)}) as server, make() as browser:
        with pytest.raises(RefusedError, match="could not be retrieved") as caught:
            browser.get(server.url("/a"))
        assert caught.value.decision.reason.kind == "unreachable"
        assert server.targets == ["/robots.txt"]


def test_another_host_than_that_of_the_url_is_not_asked(make: Any) -> None:
    """The `Host` header is the authority that is asked, and its policy is not known here."""
    with Loopback(says={"/robots.txt": reply(200, OPEN), "/a": reply(200)}) as server, make() as browser:
        with pytest.raises(browser.bad_url, match=r"other\.example"):
            browser.get(server.url("/a"), headers={"Host": "other.example"})
        assert server.targets == []


def test_the_pace_that_a_site_asks_for_is_kept(make: Any) -> None:
    """It waits between two requests, and outside of the times of visit it says when to come back."""
    clock, slept = FixedClock(NOON), list[float]()

    def sleep(seconds: float) -> None:
        slept.append(seconds)

    says: dict[str, Any] = {"/robots.txt": reply(200, OPEN + b"Crawl-delay: 2.5\n"), "/a": reply(200)}
    with Loopback(says=says) as server, make(polite=True, clock=clock, sleep=make.sleeper(sleep)) as browser:
        for _ in range(2):
            browser.get(server.url("/a"))
        assert slept == [2.5]
    says["/robots.txt"] = reply(200, OPEN + b"Visit-time: 1800-1900\n")
    with Loopback(says=says) as server, make(polite=True, clock=clock) as browser:
        with pytest.raises(NotNowError, match="before 2026-11-20 18:00:00 UTC") as caught:
            browser.get(server.url("/a"))
        assert caught.value.when == datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
        assert isinstance(caught.value, browser.error)
        assert server.targets == ["/robots.txt"]


def test_a_retriever_that_is_passed_in_is_used(make: Any) -> None:
    """It has its options already."""
    with Loopback(says={"/robots.txt": reply(200, FILE), "/a": reply(200)}) as server:
        retriever = make.retrieves(crawler="examplebot")
        for _ in range(2):
            with make(retriever=retriever) as browser:
                browser.get(server.url("/a"))
        assert server.targets == ["/robots.txt", "/a", "/a"]
        with pytest.raises(ValueError, match="options already"), make(retriever=retriever, forbidden="restricted"):
            pass


def test_a_page_has_its_own_word(make: Any) -> None:
    """Its META tags and each line of its headers, coded or not."""
    headers = [HTML, ("X-Robots-Tag", "noindex"), ("X-Robots-Tag", "examplebot: noai")]
    says: dict[str, Any] = {"/robots.txt": reply(200, OPEN), "/a": reply(200, PAGE, headers)}
    says["/b"] = reply(200, gzip.compress(PAGE), [*headers, ("Content-Encoding", "gzip")])
    says["/c"] = in_chunks(gzip.compress(PAGE), [*headers, ("Content-Encoding", "gzip")])
    with Loopback(says=says) as server, make() as browser:
        for path in ("/a", "/b", "/c"):
            response = browser.get(server.url(path))
            assert "Everybody" in browser.text(response)
            page, decision = browser.page(response), decision_of(response)
            assert decision is not None
            asked = {"crawler": "examplebot", "robots": decision.policy}
            usages = ("index", "present-currentcopy", "ai-train", "preserve")
            assert [page.decide(usage, **asked).permitted for usage in usages] == [False, False, False, True]


def test_a_page_that_breaks_off_within_its_coding_prohibits(make: Any) -> None:
    """What is missing might have prohibited; both libraries say nothing of that end by themselves."""
    whole = gzip.compress(PAGE * 50)
    said = reply(200, whole[: len(whole) - 10], [HTML, ("Content-Encoding", "gzip")])
    with Loopback(says={"/robots.txt": reply(200, OPEN), "/a": said}) as server, make() as browser:
        if make is AiohttpBrowser:
            with pytest.raises(aiohttp.ClientPayloadError, match="not complete"):
                browser.get(server.url("/a"))
            return
        response = browser.get(server.url("/a"))
        decision = decision_of(response)
        assert decision is not None
        assert not browser.page(response).decide("index", crawler="examplebot", robots=decision.policy).permitted


def test_a_coded_page_of_another_session_of_aiohttp_is_a_doubt() -> None:
    """Where aiohttp decodes it, nobody has seen its end."""
    coded = reply(200, gzip.compress(b"<p>Hello"), [HTML, ("Content-Encoding", "gzip")])

    async def ask(server: Loopback, path: str) -> bool:
        asking = for_aiohttp.AskingMiddleware("examplebot")
        async with (
            aiohttp.ClientSession(middlewares=(asking,)) as session,
            session.get(server.url(path)) as response,
        ):
            page, decision = await for_aiohttp.page_policy(response), decision_of(response)
            assert decision is not None
            asked: dict[str, Any] = {"crawler": "examplebot", "robots": decision.policy}
            return page.decide("index", **asked).permitted

    says: dict[str, Any] = {"/robots.txt": reply(200, OPEN), "/a": coded, "/b": reply(200, b"<p>Hello", [HTML])}
    with Loopback(says=says) as server:
        assert [asyncio.run(ask(server, path)) for path in ("/a", "/b")] == [False, True]


def filled(raw: Any) -> tuple[int | None, bytes]:
    """What is read into memory of the caller's."""
    room = bytearray(12)
    return raw.readinto(room), bytes(room)


def copied(raw: Any, **options: Any) -> bytes:
    """What a program writes to a file."""
    raw.read, file = partial(raw.read, **options), io.BytesIO()
    shutil.copyfileobj(raw, file)
    return file.getvalue()


READS: dict[str, Callable[[Any], Any]] = {
    "read": lambda raw: (raw.read(7), raw.tell(), raw.read(), raw.closed),
    "read decoded": lambda raw: (raw.read(7, decode_content=True), raw.read(decode_content=True)),
    "read1": lambda raw: b"".join(iter(lambda: raw.read1(7), b"")),
    "read1 decoded": lambda raw: b"".join(iter(lambda: raw.read1(7, decode_content=True), b"")),
    "readinto": filled,
    "readline": lambda raw: (raw.readline(), raw.readline(3), raw.readlines()),
    "lines": lambda raw: list(iter(raw.readline, b"")),
    "each": list,
    "stream": lambda raw: list(raw.stream(5)),
    "stream decoded": lambda raw: list(raw.stream(5, decode_content=True)),
    "chunks": lambda raw: list(raw.read_chunked(5)),
    "data": lambda raw: (raw.data, raw.data),
    "file": copied,
    "file decoded": lambda raw: copied(raw, decode_content=True),
    "given back": lambda raw: (raw.drain_conn(), raw.release_conn(), raw.connection, raw.isclosed(), raw.read()),
}
LINES = b"line 1\nline 2\nline 3\n" * 3
BODIES = {
    f"{name} {coding}": (octets, coding)
    for coding, octets in (("gzip", gzip.compress(LINES)), ("identity", LINES))
    for name in ("whole", "chunked")
}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("name", READS)
def test_a_raw_response_of_requests_is_read_as_ever(name: str, body: str) -> None:
    """By whatever its users take octets, in their coding or without it: as without an adapter that asks."""
    octets, coding = BODIES[body]
    say = in_chunks if body.startswith("chunked") else partial(reply, 200)
    said = say(octets, [("Content-Encoding", coding)])

    def read(session: Any, url: str) -> Any:
        session.trust_env = False
        session.headers["Connection"] = "close"  # as the server does without saying so
        with session, session.get(url, stream=True, timeout=10) as response:
            try:
                return READS[name](response.raw)
            except Exception as error:  # noqa: BLE001  it is compared
                return type(error)  # older versions know no `read1`

    with Loopback(says={"/robots.txt": reply(200, OPEN), "/a": said}) as server:
        asked = read(for_requests.asking_session("examplebot"), server.url("/a"))
        assert asked == read(requests.Session(), server.url("/a"))


def test_pieces_of_a_raw_response_of_requests_come_when_they_are_sent() -> None:
    """Whoever reads a stream of events does not wait for the next ones."""
    go_on = threading.Event()

    def say(connection: Any, _: Any) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n")
        go_on.wait(10)
        connection.sendall(b"4\r\nlast\r\n0\r\n\r\n")

    with Loopback(says={"/robots.txt": reply(200, OPEN), "/a": say}) as server, RequestsBrowser() as browser:
        pieces = browser.get(server.url("/a"), stream=True).iter_content(512)
        assert next(pieces) == b"first"
        go_on.set()
        assert list(pieces) == [b"last"]


def test_options_of_clients_are_those_of_a_retriever_and_of_asking() -> None:
    """They stand once for all clients, with the same types."""
    types = {name: hint.__forward_arg__ for name, hint in AskingOptions.__annotations__.items()}
    asking = {"purpose", "found", "polite", "patience"}
    of_retriever = {**BaseRetriever.__init__.__annotations__, "transport": types["transport"]}
    assert {name: hint for name, hint in types.items() if name not in asking} == {
        name: hint for name, hint in of_retriever.items() if name not in ("crawler", "return")
    }
    assert asking < set(types)


def test_cookies_of_a_site_stay_with_a_session_of_requests() -> None:
    """A body that is watched takes nothing away from what requests makes of a response."""
    says: dict[str, Any] = {
        "/robots.txt": reply(200, OPEN),
        "/a": reply(200, b"page", [("Set-Cookie", "seen=1")]),
        "/b": reply(200, b"line 1\nline 2\n"),
    }
    with Loopback(says=says) as server, RequestsBrowser() as browser:
        browser.get(server.url("/a"))
        with browser.get(server.url("/b"), stream=True) as response:
            assert list(response.iter_lines()) == [b"line 1", b"line 2"]
        assert server.asked[-1].headers["cookie"] == "seen=1"


@pytest.mark.parametrize(
    ("said", "kind", "text"),
    [
        (reply(503), "status", "the answer was 503"),
        (reply(200, FILE, length=999), "cut-body", ""),
        (b"not HTTP", "protocol", ""),
        (redirect("/robots.txt"), "redirect", ""),
    ],
)
def test_a_refusal_says_why_a_site_is_out_of_reach(make: Any, said: bytes, kind: str, text: str) -> None:
    """In its one line, and as `failure` for a program."""
    with Loopback(says={"/robots.txt": said}) as server, make() as browser:
        with pytest.raises(RefusedError) as caught:
            browser.get(server.url("/a"))
        error = caught.value
        assert error.failure is not None
        assert (error.failure["url"], error.failure["kind"]) == (server.url("/robots.txt"), kind)
        assert text in error.failure["text"]
        assert str(error).endswith(f"({server.url('/robots.txt')}: {failure_text(error.failure['text'])})")
        assert len(str(error).splitlines()) == 1


@pytest.mark.parametrize(
    ("url", "options", "kind"),
    [
        ("http://no.such.host.invalid/a", {}, "connect"),
        ("http://127.0.0.1:1/a", {}, "connect"),
        ("https://127.0.0.1:1/a", {}, "connect"),
        ("http://10.255.255.1/a", {"found": True}, "address-refused"),
    ],
)
def test_a_site_that_nobody_finds_is_told_by_its_kind(make: Any, url: str, options: dict[str, Any], kind: str) -> None:
    """Names that are not known, and connections that are refused."""
    with make(**options) as browser, pytest.raises(RefusedError) as caught:
        browser.get(url)
    assert caught.value.failure is not None
    assert caught.value.failure["kind"] == kind
    assert failure_text(caught.value.failure["text"]) in str(caught.value)


def test_a_refusal_by_a_statement_has_no_failure(make: Any) -> None:
    """The site was heard."""
    with Loopback(says={"/robots.txt": reply(200, FILE)}) as server, make() as browser:
        with pytest.raises(RefusedError) as caught:
            browser.get(server.url("/private"))
        assert caught.value.failure is None


@pytest.mark.parametrize(
    ("call", "called"),
    [
        (for_requests.asking_session, "asking_session"),
        (for_requests.AskingAdapter, "AskingAdapter"),
        (lambda name, **options: for_aiohttp.asking_session(name, **options).__aenter__().send(None), "asking_session"),
        (for_aiohttp.AskingMiddleware, "AskingMiddleware"),
        (for_httpx.AskingTransport, "AskingTransport"),
        (for_httpx.AsyncAskingTransport, "AsyncAskingTransport"),
    ],
)
def test_an_option_that_is_misspelt_names_the_one_that_is_meant(call: Callable[..., Any], called: str) -> None:
    """By the function that was called, not by what it is made of."""
    for option, meant in (("pollite", "polite"), ("allow_privat", "allow_private")):
        with pytest.raises(TypeError, match=f"^{called} has no option `{option}`; did you mean `{meant}`\\?$"):
            call("examplebot", **{option: True})
    with pytest.raises(TypeError, match=f"^{called} has no option `qqq`; known are accept, allow_private"):
        call("examplebot", qqq=1)
