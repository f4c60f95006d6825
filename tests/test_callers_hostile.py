"""A client of the caller's among hostile sites: whom its secrets reach, how long it takes, and what it may permit."""

from __future__ import annotations

import asyncio
import gzip
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from contextvars import Context, copy_context
from datetime import UTC, datetime
from functools import partial
from typing import Any

import aiohttp
import httpx2
import pytest
import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from acap import AsyncRetriever, Retriever
from acap.integrations.aiohttp import AskingMiddleware
from acap.integrations.asking import RefusedError
from acap.integrations.httpx import AskingTransport, AsyncAskingTransport
from acap.integrations.requests import AskingAdapter, asking_session
from acap.retrieval import Exchange, Reply, Timeouts
from acap.retrieval.errand import is_errand
from tests.loopback import Asked, Loopback, Script, redirect, reply

FILE = b"User-agent: *\nDisallow: /private\n"
OURS = {"host", "user-agent", "accept", "accept-encoding", "connection"}


# What a client knows of its caller: headers, cookies of every site, credentials, and a signature of each request.
HEADERS = {"X-Key": "secret", "Host": "elsewhere.example"}
COOKIES = {"sid": "secret"}
SECRETS = {"x-key", "cookie", "authorization", "x-signed"}


def again() -> HTTPAdapter:
    """An adapter of requests that begins anew where the server has closed a connection that was kept."""
    return HTTPAdapter(max_retries=Retry(2, allowed_methods=None))


def of_httpx(library: Any, **options: Any) -> Any:
    """A client of httpx2."""

    def sign(request: Any) -> None:
        request.headers["X-Signed"] = "secret"

    async def sign_later(request: Any) -> None:
        sign(request)

    hooks = {"request": [sign_later if library is httpx2.AsyncClient else sign], **options.pop("response", {})}
    given: dict[str, Any] = {"headers": HEADERS, "cookies": COOKIES, "auth": ("user", "secret"), "trust_env": False}
    given["limits"] = httpx2.Limits(max_keepalive_connections=0)
    return library(event_hooks=hooks, **{**given, **options})


def of_requests(**options: Any) -> requests.Session:
    """A session of requests."""

    class Signs(requests.auth.HTTPBasicAuth):
        def __call__(self, sent: Any) -> Any:
            sent.headers["X-Signed"] = "secret"
            return super().__call__(sent)

    session = requests.Session()
    session.trust_env = False
    session.headers.update(HEADERS)
    session.cookies.update(COOKIES)
    session.auth = Signs("user", "secret")
    session.mount("http://", again())
    for name, value in options.items():
        setattr(session, name, value)
    return session


def of_aiohttp(**options: Any) -> aiohttp.ClientSession:
    """A session of aiohttp."""

    async def sign(request: Any, handler: Any) -> Any:
        request.headers["X-Signed"] = "secret"
        return await handler(request)

    jar = aiohttp.CookieJar(unsafe=True)
    jar.update_cookies(COOKIES)
    headers = {**HEADERS, "Authorization": "Basic secret"}
    given: dict[str, Any] = {"headers": headers, "cookie_jar": jar, "middlewares": (sign,), "auto_decompress": False}
    given["connector"] = aiohttp.TCPConnector(force_close=True)
    return aiohttp.ClientSession(**{**given, **options})


def waits(make: Callable[..., Any]) -> Callable[..., Any]:
    """Asks by a client that waits."""

    def ask(url: str, *, client: dict[str, Any] | None = None, found: bool = False, **options: Any) -> Any:
        with make(**(client or {})) as one:
            policy = Retriever(client=one, crawler="examplebot", allow_private=True, **options).robots(url, found=found)
            return policy, one.cookies.get("theirs")

    return ask


def tasks(make: Callable[..., Any]) -> Callable[..., Any]:
    """Asks by a client that is awaited."""

    def ask(url: str, *, client: dict[str, Any] | None = None, found: bool = False, **options: Any) -> Any:
        async def run() -> Any:
            async with make(**(client or {})) as one:
                retriever = AsyncRetriever(client=one, crawler="examplebot", allow_private=True, **options)
                policy = await retriever.robots(url, found=found)
                if isinstance(one, aiohttp.ClientSession):
                    return policy, {cookie.key: cookie.value for cookie in one.cookie_jar}.get("theirs")
                return policy, one.cookies.get("theirs")

        return asyncio.run(run())

    return ask


CLIENTS = {
    "httpx2": waits(lambda **options: of_httpx(httpx2.Client, **options)),
    "requests": waits(of_requests),
    "httpx2 async": tasks(lambda **options: of_httpx(httpx2.AsyncClient, **options)),
    "aiohttp": tasks(of_aiohttp),
}


@pytest.fixture(params=list(CLIENTS))
def ask(request: pytest.FixtureRequest) -> Any:
    """Asks by a client with secrets; every case is put to each."""
    return CLIENTS[request.param]


@pytest.fixture
def here() -> Iterator[Loopback]:
    """The site that the caller names."""
    with Loopback() as server:
        yield server


@pytest.fixture
def there() -> Iterator[Loopback]:
    """Another one."""
    with Loopback() as server:
        yield server


def secrets_of(asked: Asked) -> set[str]:
    """What a request said of the caller."""
    return set(asked.headers) - OURS


def test_the_secrets_of_a_client_stay_with_the_site_that_the_caller_named(
    ask: Any, here: Loopback, there: Loopback
) -> None:
    """Other sites hear our own headers only, and so does the first one where another leads back to it."""
    here.says |= {"/robots.txt": redirect("/own"), "/own": redirect(there.url("/a")), "/back": reply(200, FILE)}
    cookie = ("Set-Cookie", "theirs=1; Path=/")
    there.says |= {"/a": reply(302, headers=[("Location", "/b"), cookie]), "/b": redirect(here.url("/back"))}
    policy, kept = ask(here.url("/x"))
    assert (policy.state, policy.octets, kept) == ("present", FILE, None)
    assert [secrets_of(one) for one in here.asked] == [SECRETS, SECRETS, set()]
    assert [secrets_of(one) for one in there.asked] == [set(), set()]
    for server in (here, there):
        assert {one.headers["host"] for one in server.asked} == {f"127.0.0.1:{server.port}"}
        assert {one.headers["user-agent"].partition(" ")[0] for one in server.asked} == {"examplebot"}


def test_a_site_that_was_found_hears_nothing_of_the_caller(ask: Any, here: Loopback) -> None:
    """Whoever wrote the URL into a page is not the caller."""
    here.says |= {"/robots.txt": reply(200, FILE)}
    policy, _ = ask(here.url("/x"), found=True)
    assert (policy.octets, [secrets_of(one) for one in here.asked]) == (FILE, [set()])


def test_a_document_that_a_policy_refers_to_elsewhere_hears_nothing_of_the_caller(
    ask: Any, here: Loopback, there: Loopback
) -> None:
    """One of the same site does."""
    lines = ["##ACAP version=1.0", "ACAP-crawler: examplebot"]
    lines += [f"ACAP-permissions-reference: {uri}" for uri in ("/more.txt", there.url("/more.txt"))]
    here.says |= {"/robots.txt": reply(200, "\n".join(lines).encode()), "/more.txt": reply(200, b"##ACAP version=1.0")}
    ask(here.url("/x"))
    assert [(one.target, secrets_of(one)) for one in here.asked] == [
        ("/robots.txt", SECRETS),
        ("/more.txt", SECRETS),
    ]
    assert [(one.target, secrets_of(one)) for one in there.asked] == [("/more.txt", set())]


@pytest.mark.parametrize("name", CLIENTS)
def test_a_proxy_of_a_client_is_used_for_every_site(name: str, here: Loopback) -> None:
    """It hears its own credentials, and through it each site what that may hear."""
    own, other = "http://a.example/robots.txt", "http://b.example/a"
    here.says |= {own: redirect(other), other: reply(200, FILE)}
    proxy = f"http://user:secret@127.0.0.1:{here.port}"
    policy, _ = CLIENTS[name](own, client={"proxies": {"http": proxy}} if name == "requests" else {"proxy": proxy})
    through = "proxy-authorization"
    assert (policy.octets, [one.target for one in here.asked]) == (FILE, [own, other])
    assert [secrets_of(one) for one in here.asked] == [SECRETS | {through}, {through}]


@pytest.mark.parametrize(
    ("named", "chain", "own"),
    [
        ("http://a.example", ["https://a.example/robots.txt"], True),
        ("http://a.example", ["https://a.example/robots.txt", "http://a.example/r"], True),
        ("https://a.example", ["http://a.example/robots.txt"], False),
        ("https://a.example", ["http://a.example/robots.txt", "https://a.example/r"], False),
        ("https://a.example", ["https://user:password@b.example/"], False),
        ("https://a.example", ["https://a.example@b.example/"], False),
        ("https://a.example", ["https://a.example:8443/robots.txt"], False),
        ("http://a.example:8080", ["https://a.example:8080/robots.txt"], False),
        ("http://a.example", ["https://sub.a.example/robots.txt"], False),
        ("http://[2606:4700::1]", ["https://[2606:4700::1]/robots.txt"], True),
    ],
)
def test_a_site_is_its_scheme_host_and_port_and_may_move_to_https(named: str, chain: list[str], own: bool) -> None:
    """To https alone: what was sent in the clear may be sent so, and nothing else becomes clear."""
    first = f"{named}/robots.txt"
    exchange = Exchange(first, at=datetime(2026, 1, 1, tzinfo=UTC), typed=True, own=named)
    assert exchange.request is not None
    assert exchange.request.own
    for url in chain:
        exchange.receive(Reply(302, (("Location", url),)))
    assert exchange.request is not None
    assert (exchange.request.own, "password" in exchange.request.url) == (own, False)


def drip(octets: bytes) -> Script:
    """Says the octets one at a time, for ever if nobody ends it."""

    def say(connection: socket.socket, _: Asked) -> None:
        with suppress(OSError):
            for octet in octets:
                connection.sendall(bytes([octet]))
                time.sleep(0.05)

    return say


SLOW: dict[str, dict[str, Script]] = {
    "head": {"/robots.txt": drip(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 400)},
    "body": {"/robots.txt": drip(b"HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n" + b"#" * 400)},
    "chunks": {"/robots.txt": drip(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\n#\r\n" * 80)},
    "late": {"/robots.txt": drip(reply(200, b""))},
    "body of a redirect": {
        "/robots.txt": drip(b"HTTP/1.1 302 F\r\nLocation: /a\r\nContent-Length: 400\r\n\r\n" + b"#" * 400),
        "/a": reply(404),
    },
    "redirects": {
        f"/{name}": drip(redirect(f"/{after}"))
        for name, after in zip(("robots.txt", "1", "2", "3"), ("1", "2", "3", "4"), strict=True)
    },
}


@pytest.mark.parametrize("name", SLOW)
def test_the_time_for_the_whole_is_kept_whatever_drips(ask: Any, here: Loopback, name: str) -> None:
    """No step of it takes long; an answer that comes too late is none."""
    here.says |= SLOW[name]
    started = time.monotonic()
    policy, _ = ask(here.url("/x"), timeout=Timeouts(connect=0.5, read=0.5, total=0.6))
    assert time.monotonic() - started < 2.5
    assert (policy.state, policy.evidence["failure"]["kind"]) == ("unreachable", "timeout")


def test_no_thread_waits_longer_than_its_peer() -> None:
    """One that was left behind ends once the answer comes that nobody waits for."""
    with Loopback(says=SLOW["late"]) as server:
        CLIENTS["requests"](server.url("/x"), timeout=Timeouts(read=0.5, total=0.5))
        until = time.monotonic() + 8
        while any(thread.name == "acap-client" for thread in threading.enumerate()):
            assert time.monotonic() < until
            time.sleep(0.02)


def test_the_body_of_a_redirect_is_not_decoded(ask: Any, here: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be a bomb, and nobody wants it."""
    bomb = gzip.compress(b"0" * 20_000_000)
    said = reply(302, bomb, [("Location", "/a"), ("Content-Encoding", "gzip")])
    here.says |= {"/robots.txt": said, "/a": reply(200, FILE)}
    monkeypatch.setattr(requests.Response, "content", property(lambda _: pytest.fail("it was read")))
    assert ask(here.url("/x"))[0].octets == FILE


async def raise_later(response: Any) -> None:
    """A hook of clients that are awaited."""
    response.raise_for_status()


def raise_now(response: Any, *_: Any, **__: Any) -> None:
    """A hook of clients that wait."""
    response.raise_for_status()


RAISES: dict[str, dict[str, Any]] = {
    "httpx2": {"response": {"response": [raise_now]}},
    "requests": {"hooks": {"response": [raise_now]}},
    "httpx2 async": {"response": {"response": [raise_later]}},
    "aiohttp": {"raise_for_status": True},
}


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize(
    ("status", "state"), [(404, "absent"), (403, "absent"), (503, "unreachable"), (429, "unreachable")]
)
def test_a_client_that_raises_for_a_status_says_the_same_of_a_site(
    name: str, status: int, state: str, here: Loopback
) -> None:
    """RFC 9309 2.3.1.3: where there is no file everything is permitted, whoever takes that for an error."""
    here.says |= {"/robots.txt": redirect("/a"), "/a": reply(status)}
    policy, _ = CLIENTS[name](here.url("/x"), client=RAISES[name])
    assert (policy.state, policy.evidence["status"], here.targets) == (state, status, ["/robots.txt", "/a"])


@pytest.mark.parametrize("name", ["httpx2", "requests"])
def test_what_a_hook_raises_of_another_request_is_no_answer(name: str, here: Loopback, there: Loopback) -> None:
    """A token that is not found, say, is no site without a policy."""

    def raise_for_another(*_: Any, **__: Any) -> None:
        (requests if name == "requests" else httpx2).get(there.url("/token")).raise_for_status()

    given = (
        {"hooks": {"response": [raise_for_another]}}
        if name == "requests"
        else {"response": {"response": [raise_for_another]}}
    )
    here.says |= {"/robots.txt": reply(200, FILE)}
    policy, _ = CLIENTS[name](here.url("/x"), client=given)
    assert (policy.state, there.targets) == ("unreachable", ["/token"])


@pytest.mark.parametrize("name", ["httpx2", "requests"])
def test_a_body_that_a_hook_has_read_is_not_taken_for_an_empty_one(name: str, here: Loopback) -> None:
    """Without Content-Length nothing else tells of it."""

    def read(response: Any, *_: Any, **__: Any) -> None:
        assert (response.content if name == "requests" else response.read()) == FILE

    given = {"hooks": {"response": [read]}} if name == "requests" else {"response": {"response": [read]}}
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(FILE), FILE)
    here.says |= {"/robots.txt": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked}
    assert CLIENTS[name](here.url("/x"), client=given)[0].state == "unreachable"


def test_a_body_that_a_middleware_has_read_is_not_taken_for_an_empty_one(here: Loopback) -> None:
    """aiohttp says of it that it is at its end."""

    async def read(request: Any, handler: Any) -> Any:
        response = await handler(request)
        assert await response.read() == FILE
        return response

    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(FILE), FILE)
    here.says |= {"/robots.txt": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked}
    assert CLIENTS["aiohttp"](here.url("/x"), client={"middlewares": (read,)})[0].state == "unreachable"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # aiohttp's, of attributes that are set
def test_a_session_whose_middlewares_are_unknown_asks_no_site_that_was_found(here: Loopback) -> None:
    """Another version of aiohttp may keep them elsewhere, and one of them may forbid the request."""

    async def ask() -> Any:
        async with of_aiohttp() as session:
            del session._middlewares
            async with AsyncRetriever(crawler="examplebot", client=session, allow_private=True) as retriever:
                return await retriever.robots(here.url("/x"), found=True)

    here.says |= {"/robots.txt": reply(body=FILE)}
    policy = asyncio.run(ask())
    assert (policy.state, here.targets) == ("unreachable", [])
    assert "adds nothing" in policy.evidence["failure"]["text"]


def test_a_proxy_that_wants_credentials_is_no_site_without_a_policy(ask: Any, here: Loopback) -> None:
    """407 is its word and not that of the site."""
    here.says |= {"/robots.txt": reply(407)}
    policy, _ = ask(here.url("/x"))
    assert (policy.state, "407" in policy.evidence["failure"]["text"]) == ("unreachable", True)


def asking_requests(**options: Any) -> Any:
    """Gets a page by a session that asks by itself."""

    def get(url: str) -> int:
        with requests.Session() as session:
            session.trust_env = False
            retriever = Retriever(client=session, **options)
            for scheme in ("http://", "https://"):
                session.mount(scheme, AskingAdapter("examplebot", inner=again(), retriever=retriever))
            if url.endswith("robots.txt"):
                retriever.fetch(url)
            return session.get(url).status_code

    return get


settings: dict[str, Any] = {
    "trust_env": False,
    "follow_redirects": True,
    "limits": httpx2.Limits(max_keepalive_connections=0),
}


def asking_httpx(**options: Any) -> Any:
    """The same by a client of httpx2, whose transport needs a retriever that needs the client."""

    def get(url: str) -> int:
        with httpx2.Client(**settings) as client:
            retriever = Retriever(client=client, **options)
            client._transport = AskingTransport("examplebot", retriever=retriever)
            if url.endswith("robots.txt"):
                retriever.fetch(url)
            return client.get(url).status_code

    return get


def asking_async_httpx(**options: Any) -> Any:
    """The same with tasks."""

    def get(url: str) -> int:
        async def run() -> int:
            async with httpx2.AsyncClient(**settings) as client:
                retriever = AsyncRetriever(client=client, **options)
                client._transport = AsyncAskingTransport("examplebot", retriever=retriever)
                if url.endswith("robots.txt"):
                    await retriever.fetch(url)
                return (await client.get(url)).status_code

        return asyncio.run(run())

    return get


def asking_aiohttp(**options: Any) -> Any:
    """The same by a session of aiohttp."""

    def get(url: str) -> int:
        async def run() -> int:
            asking: list[AskingMiddleware] = []

            async def ask(request: Any, handler: Any) -> Any:
                return await asking[0](request, handler)

            connector = aiohttp.TCPConnector(force_close=True)
            async with aiohttp.ClientSession(middlewares=(ask,), auto_decompress=False, connector=connector) as session:
                retriever = AsyncRetriever(client=session, **options)
                asking.append(AskingMiddleware("examplebot", retriever=retriever))
                if url.endswith("robots.txt"):
                    await retriever.fetch(url)
                async with session.get(url) as response:
                    return response.status

        return asyncio.run(run())

    return get


ASKING = {
    "requests": asking_requests,
    "httpx2": asking_httpx,
    "httpx2 async": asking_async_httpx,
    "aiohttp": asking_aiohttp,
}


@pytest.fixture(params=list(ASKING))
def asking(request: pytest.FixtureRequest) -> Any:
    """Gets pages by a client that is also the one by which policies are retrieved."""
    return ASKING[request.param]


def in_time(act: Callable[[], Any]) -> Any:
    """What comes of an act, which may not hang."""
    came: list[Any] = []

    def run() -> None:
        try:
            came.append(act())
        except Exception as error:  # noqa: BLE001  it is judged
            came.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(10)
    assert came, "it hangs"
    return came[0]


def test_a_client_that_asks_may_retrieve_the_policies_that_it_asks(
    asking: Any, here: Loopback, there: Loopback
) -> None:
    """What it sends for a policy is not asked about, wherever that leads; every page is."""
    here.says |= {"/robots.txt": redirect(there.url("/private/policy")), "/a": reply(200), "/b": redirect("/private")}
    there.says |= {"/private/policy": reply(200, FILE), "/robots.txt": reply(200, b"User-agent: *\nDisallow: /")}
    get = asking(allow_private=True)
    assert in_time(lambda: get(here.url("/a"))) == 200
    for path in ("/private", "/b"):
        assert isinstance(in_time(partial(get, here.url(path))), RefusedError)
    assert "/private" not in here.targets
    assert set(there.targets) == {"/private/policy"}


def test_a_policy_may_be_fetched_by_the_client_that_asks_it(asking: Any, here: Loopback) -> None:
    """As a document, too."""
    here.says |= {"/robots.txt": reply(200, FILE)}
    assert in_time(lambda: asking()(here.url("/robots.txt"))) == 200


def test_a_policy_that_refers_to_itself_through_a_client_that_asks_ends(asking: Any, here: Loopback) -> None:
    """The reference is not asked about either."""
    lines = [b"##ACAP version=1.0", b"ACAP-crawler: examplebot", b"ACAP-permissions-reference: /more.txt"]
    more = b"##ACAP version=1.0\nACAP-crawler: *\nACAP-allow-crawl: /\n"
    here.says |= {"/robots.txt": reply(200, b"\n".join(lines)), "/more.txt": reply(200, more), "/a": reply(200)}
    get = asking(crawler="examplebot")
    assert in_time(lambda: get(here.url("/a"))) == 200
    assert here.targets.count("/more.txt") == 1


def test_a_retrieval_that_comes_to_want_itself_is_told_so(here: Loopback) -> None:
    """By whatever way that is: it does not wait for itself, and permits nothing."""
    here.says |= {"/a": reply(200)}

    class Again(HTTPAdapter):
        def send(self, *given: Any, **options: Any) -> Any:
            retriever.fetch(here.url("/a"))
            return super().send(*given, **options)

    with requests.Session() as session:
        session.mount("http://", Again())
        retriever = Retriever(client=session)
        found = in_time(lambda: retriever.fetch(here.url("/a")))
    assert found.answer.failure is not None
    assert "give the retriever another" in found.answer.failure.text
    assert here.targets == []


def test_what_a_client_sends_beside_a_policy_is_asked_about(here: Loopback) -> None:
    """An errand is one URL, and ends with its answer."""
    here.says |= {"/robots.txt": reply(200, FILE), "/private": reply(200)}
    at, contexts = here.url("/robots.txt"), list[Context]()

    class Beside(AskingAdapter):
        def send(self, request: Any, *given: Any, **options: Any) -> Any:
            if request.url == at:
                contexts.append(copy_context())
                assert is_errand(at)
                with pytest.raises(RefusedError):
                    other.get(here.url("/private"))
            return super().send(request, *given, **options)

    with requests.Session() as session, asking_session("examplebot", inner=again()) as other:
        retriever = Retriever(client=session)
        session.mount("http://", Beside("examplebot", inner=again(), retriever=retriever))
        with pytest.raises(RefusedError):
            session.get(here.url("/private"))
    assert [context.run(is_errand, at) for context in contexts] == [False]
    assert "/private" not in here.targets


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_that_is_closed_says_so_and_permits_nothing(name: str, here: Loopback, there: Loopback) -> None:
    """In the middle of the redirects as well, when another site has been reached."""
    here.says |= {"/robots.txt": redirect(there.url("/a"))}
    there.says |= {"/a": reply(200, b"")}
    closing: list[Any] = []

    def may(url: str) -> bool:
        if url == there.url("/a"):
            client = closing[0]
            client.close() if name in ("httpx2", "requests") else None
        return True

    if name in ("httpx2", "requests"):
        client = of_httpx(httpx2.Client) if name == "httpx2" else of_requests()
        closing.append(client)
        retriever = Retriever(client=client, allow_private=True, may=may)
        if name == "requests":  # which may be used on
            assert retriever.robots(here.url("/x")).state == "present"
        else:
            with pytest.raises(RuntimeError, match="closed"):
                retriever.robots(here.url("/x"))
        return

    async def run() -> None:
        client: Any = of_httpx(httpx2.AsyncClient) if name == "httpx2 async" else of_aiohttp()

        async def may(url: str) -> bool:
            if url == there.url("/a"):
                await (client.close() if name == "aiohttp" else client.aclose())
            return True

        with pytest.raises(RuntimeError, match="closed"):
            await AsyncRetriever(client=client, allow_private=True, may=may).robots(here.url("/x"))

    asyncio.run(run())
