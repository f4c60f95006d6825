"""A retriever that sends by the caller's own client: the same answers, and the guards that are left."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Callable
from typing import Any

import aiohttp
import httpx2
import pytest
import requests

from acap import AsyncRetriever, Retriever
from acap.retrieval import Retrieved, Timeouts
from acap.robots import RobotsPolicy
from tests.loopback import Loopback, redirect, reply

FILE = b"User-agent: *\nDisallow: /private\n"
Use = Callable[..., Any]


def by_httpx(method: str, url: str, **options: Any) -> Any:
    """Retrieves by a client of httpx2."""
    with httpx2.Client(trust_env=False) as client, Retriever(client=client, crawler="examplebot", **options) as one:
        return getattr(one, method)(url)


def by_requests(method: str, url: str, **options: Any) -> Any:
    """Retrieves by a session of requests."""
    with requests.Session() as client, Retriever(client=client, crawler="examplebot", **options) as one:
        client.trust_env = False
        return getattr(one, method)(url)


def by_async_httpx(method: str, url: str, **options: Any) -> Any:
    """Retrieves by a client of httpx2 with tasks."""

    async def ask() -> Any:
        async with httpx2.AsyncClient(trust_env=False) as client:
            one = AsyncRetriever(client=client, crawler="examplebot", **options)
            return await getattr(one, method)(url)

    return asyncio.run(ask())


def by_aiohttp(method: str, url: str, *, decodes: bool = False, **options: Any) -> Any:
    """Retrieves by a session of aiohttp."""

    async def ask() -> Any:
        async with aiohttp.ClientSession(auto_decompress=decodes) as client:
            one = AsyncRetriever(client=client, crawler="examplebot", **options)
            return await getattr(one, method)(url)

    return asyncio.run(ask())


CLIENTS: dict[str, Use] = {
    "httpx2": by_httpx,
    "requests": by_requests,
    "httpx2 async": by_async_httpx,
    "aiohttp": by_aiohttp,
}


@pytest.fixture(params=list(CLIENTS))
def use(request: pytest.FixtureRequest) -> Use:
    """Retrieves by a client; every case is put to each."""
    return CLIENTS[request.param]


def test_the_client_of_the_caller_sends(use: Use) -> None:
    """Under our User-Agent, and each redirect as a request of its own."""
    with Loopback(says={"/robots.txt": redirect("/moved"), "/moved": reply(200, FILE)}) as server:
        policy: RobotsPolicy = use("robots", server.url("/a"))
        assert (policy.octets, [hop["status"] for hop in policy.evidence["chain"]]) == (FILE, [302])
        assert [one.headers["user-agent"].partition(" ")[0] for one in server.asked] == ["examplebot"] * 2
        assert server.targets == ["/robots.txt", "/moved"]
        assert policy.evidence["address"] == "127.0.0.1"  # that the URL names; where a name leads is unknown


def test_a_coded_body_is_read_whole_or_not_at_all(use: Use) -> None:
    """The end of a body is seen here, and not left to the client."""
    whole = gzip.compress(FILE * 40)
    with Loopback(says={"/robots.txt": reply(200, whole, [("Content-Encoding", "gzip")])}) as server:
        assert use("robots", server.url("/a")).octets == FILE * 40
        server.says["/robots.txt"] = reply(200, whole[:-9], [("Content-Encoding", "gzip")])
        policy = use("robots", server.url("/a"))
        assert (policy.state, policy.evidence["failure"]["kind"]) == ("unreachable", "cut-body")


@pytest.mark.parametrize(
    ("said", "kinds"),
    [
        (reply(200, FILE, length=999), {"cut-body"}),
        (b"not HTTP", {"connect", "protocol"}),
        (reply(200, b"x", [("Content-Encoding", "nothing")]), {"coding"}),
    ],
)
def test_what_a_client_raises_is_a_failure_that_prohibits(use: Use, said: bytes, kinds: set[str]) -> None:
    """Nothing of another library comes through."""
    with Loopback(says={"/robots.txt": said}) as server:
        policy = use("robots", server.url("/a"))
        assert policy.state == "unreachable"
        assert policy.evidence["failure"]["kind"] in kinds
    policy = use("robots", server.url("/a"))
    assert (policy.state, policy.evidence["failure"]["kind"]) == ("unreachable", "connect")


def test_octets_are_bounded(use: Use) -> None:
    """More is not taken from the client than is read."""
    with Loopback(says={"/a": reply(200, b"line\n" * 50_000)}) as server:
        found: Retrieved = use("fetch", server.url("/a"), octets=1000)
        assert (found.answer.cut_at, len(found.octets)) == (1000, 1000)


def test_a_silent_site_ends_in_time(use: Use) -> None:
    """The bounds of the retriever are handed to the client."""
    with Loopback(says={"/robots.txt": lambda connection, _: connection.recv(1)}) as server:  # type: ignore[dict-item]
        policy = use("robots", server.url("/a"), timeout=Timeouts(connect=0.2, read=0.2, total=0.4))
        assert (policy.state, policy.evidence["failure"]["kind"]) == ("unreachable", "timeout")


@pytest.mark.parametrize("target", ["http://10.0.0.1/", "http://[::1]/", "http://2130706433/", "https://a.example:25/"])
def test_a_private_address_in_a_redirect_is_refused(use: Use, target: str) -> None:
    """As far as the URL shows it: where a name leads is the client's affair."""
    with Loopback(says={"/robots.txt": redirect(target)}) as server:
        policy = use("robots", server.url("/a"))
        assert policy.evidence["failure"]["kind"] in {"address-refused", "redirect"}
        assert policy.state == "unreachable"


def test_a_session_that_decodes_reads_no_coded_policy() -> None:
    """aiohttp says nothing of a body that breaks off within its coding, so that a plain one is asked for."""
    with Loopback(says={"/robots.txt": reply(200, FILE)}) as server:
        assert by_aiohttp("robots", server.url("/a"), decodes=True).octets == FILE
        assert server.asked[-1].headers["accept-encoding"] == "identity"
        server.says["/robots.txt"] = reply(200, gzip.compress(FILE), [("Content-Encoding", "gzip")])
        policy = by_aiohttp("robots", server.url("/a"), decodes=True)
        assert (policy.state, policy.evidence["failure"]["kind"]) == ("unreachable", "coding")
        assert "auto_decompress=False" in policy.evidence["failure"]["text"]


@pytest.mark.parametrize(("retriever", "wanted"), [(Retriever, "requests.Session"), (AsyncRetriever, "ClientSession")])
def test_another_client_is_told_at_once(retriever: type[Any], wanted: str) -> None:
    """One that is awaited where none may be, too; and nothing goes out by two ways."""
    waiting = httpx2.Client() if retriever is AsyncRetriever else httpx2.AsyncClient()
    for client in (object(), waiting):
        with pytest.raises(TypeError, match=wanted):
            retriever(client=client)
    with pytest.raises(ValueError, match="give one of them"):
        retriever(client=object(), transport=httpx2.MockTransport(lambda _: httpx2.Response(200)))
