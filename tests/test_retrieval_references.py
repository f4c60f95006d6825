"""`ACAP-permissions-reference` is followed one level, guarded; what goes wrong there prohibits (P1 4.5.2.2, 4.7)."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from acap.clock import FixedClock
from acap.retrieval.policies import MAX_REFERENCES
from tests.loopback import CLIENTS, Asked, Client, Loopback, redirect, reply

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
MORE = b"##ACAP version=1.0\nACAP-crawler: *\nACAP-allow-crawl: /\nACAP-disallow-crawl: /private\n"


@pytest.fixture(params=CLIENTS, ids=["sync", "async"])
def make(request: pytest.FixtureRequest) -> Callable[..., Client]:
    """Makes a client of either kind; every case is put to both."""
    kind: Callable[..., Client] = request.param
    return kind


def referring(*uris: str) -> bytes:
    lines = ["##ACAP version=1.0", "ACAP-crawler: mybot", *(f"ACAP-permissions-reference: {uri}" for uri in uris)]
    return reply(200, "\n".join([*lines, ""]).encode())


def outcome(client: Client, server: Loopback, path: str = "/public") -> str:
    return str(client.robots(server.url(path)).decide(server.url(path), crawler="mybot").outcome)


def test_the_permissions_are_taken_from_the_referenced_file(make: Callable[..., Client]) -> None:
    says: dict[str, Any] = {"/robots.txt": referring("/mybot/robots.txt"), "/mybot/robots.txt": reply(200, MORE)}
    with Loopback(says=says) as server, make(crawler="mybot") as client:
        assert outcome(client, server) == "permitted"
        assert outcome(client, server, "/private") == "prohibited"
        assert server.targets == ["/robots.txt", "/mybot/robots.txt"]
        assert all(asked.headers["user-agent"].startswith("mybot ") for asked in server.asked)
        evidence = client.robots(server.url("/x")).evidence["references"]
        assert evidence["/mybot/robots.txt"]["url"] == server.url("/mybot/robots.txt")
        assert evidence["/mybot/robots.txt"]["status"] == 200


def test_without_a_crawler_nothing_is_followed_and_nothing_permitted(make: Callable[..., Client]) -> None:
    with Loopback(says={"/robots.txt": referring("/more"), "/more": reply(200, MORE)}) as server, make() as client:
        assert outcome(client, server) == "prohibited"
        assert server.targets == ["/robots.txt"]


@pytest.mark.parametrize(
    "said",
    [
        reply(404),
        reply(403),
        reply(410),
        reply(503),
        reply(429),
        b"",
        reply(200, MORE, length=9999),
        reply(206, MORE),
        redirect("/more"),
        redirect("ftp://x/"),
        reply(200, MORE, [("Content-Encoding", "zstd")]),
    ],
)
def test_a_reference_that_fails_prohibits(make: Callable[..., Client], said: bytes) -> None:
    with Loopback(says={"/robots.txt": referring("/more"), "/more": said}) as server, make(crawler="mybot") as client:
        assert outcome(client, server) == "prohibited"
        asked = len(server.asked)
        assert outcome(client, server, "/other") == "prohibited"
        assert len(server.asked) == asked


@pytest.mark.parametrize("uri", ["/robots.txt", "robots.txt", "/robots.txt#x", "/back"])
def test_a_reference_that_leads_back_prohibits(make: Callable[..., Client], uri: str) -> None:
    says: dict[str, Any] = {"/robots.txt": referring(uri), "/back": redirect("/robots.txt")}
    with Loopback(says=says) as server, make(crawler="mybot") as client:
        assert outcome(client, server) == "prohibited"
        assert len(server.asked) <= 3


def test_a_reference_back_to_where_the_policy_was_found_prohibits(make: Callable[..., Client]) -> None:
    says: dict[str, Any] = {"/robots.txt": redirect("/r"), "/r": referring("/r")}
    with Loopback(says=says) as server, make(crawler="mybot") as client:
        assert outcome(client, server) == "prohibited"
        assert server.targets == ["/robots.txt", "/r"]


def test_a_relative_reference_is_of_where_the_policy_came_from(make: Callable[..., Client]) -> None:
    """Redirects included (RFC 3986 5.1.3): on another host, and in another directory."""
    other: dict[str, Any] = {"/policies/r": referring("more"), "/policies/more": reply(200, MORE)}
    with Loopback("127.0.0.2", says=other) as elsewhere:
        says: dict[str, Any] = {"/robots.txt": redirect(elsewhere.url("/policies/r")), "/more": reply(200, b"")}
        with Loopback(says=says) as server, make(crawler="mybot", allow_private=True) as client:
            assert outcome(client, server) == "permitted"
            assert outcome(client, server, "/private") == "prohibited"
            policy = client.robots(server.url("/x"))
            assert (policy.url, policy.base_url) == (server.url("/robots.txt"), elsewhere.url("/policies/r"))
        assert elsewhere.targets == ["/policies/r", "/policies/more"]


def test_references_are_not_followed_further(make: Callable[..., Client]) -> None:
    says: dict[str, Any] = {"/robots.txt": referring("/a"), "/a": referring("/b"), "/b": reply(200, MORE)}
    with Loopback(says=says) as server, make(crawler="mybot") as client:
        assert outcome(client, server) == "prohibited"
        assert server.targets == ["/robots.txt", "/a"]


def test_a_reference_into_a_private_network_prohibits(make: Callable[..., Client]) -> None:
    with Loopback(says={"/more": reply(200, MORE)}) as inside:
        with Loopback(says={"/robots.txt": referring(inside.url("/more"))}) as server:
            with make(crawler="mybot") as client:
                assert outcome(client, server) == "prohibited"
                evidence = client.robots(server.url("/x")).evidence["references"][inside.url("/more")]
                assert evidence["failure"]["kind"] == "address-refused"
            assert inside.asked == []
            with make(crawler="mybot", allow_private=True) as client:
                assert outcome(client, server) == "permitted"
        assert inside.targets == ["/more"]


@pytest.mark.parametrize("uri", ["ftp://site.example/more", "http://", "mailto:a@b.example", "http://a\\@b/"])
def test_a_reference_that_cannot_be_retrieved_prohibits(make: Callable[..., Client], uri: str) -> None:
    with Loopback(says={"/robots.txt": referring(uri)}) as server, make(crawler="mybot") as client:
        assert outcome(client, server) == "prohibited"
        assert server.targets == ["/robots.txt"]


def test_so_many_references_are_followed_and_no_more(make: Callable[..., Client]) -> None:
    uris = [f"/{number}" for number in range(MAX_REFERENCES + 3)]
    says: dict[str, Any] = {"/robots.txt": referring(*uris), **{uri: reply(200, MORE) for uri in uris}}
    with Loopback(says=says) as server, make(crawler="mybot") as client:
        assert outcome(client, server) == "prohibited"
        assert len(server.asked) <= 1 + MAX_REFERENCES


def test_all_references_share_one_deadline(make: Callable[..., Client]) -> None:
    def silence(connection: socket.socket, _: Asked) -> None:
        connection.recv(1)

    uris = ["/1", "/2", "/3"]
    says: dict[str, Any] = {"/robots.txt": referring(*uris), **dict.fromkeys(uris, silence)}
    with Loopback(says=says) as server, make(crawler="mybot", timeout=0.5) as client:
        started = time.monotonic()
        assert outcome(client, server) == "prohibited"
        assert time.monotonic() - started < 1.4


def test_a_policy_is_renewed_when_its_reference_expires(make: Callable[..., Client]) -> None:
    clock = FixedClock(NOW)
    says: dict[str, Any] = {
        "/robots.txt": referring("/more"),
        "/more": reply(200, MORE, [("Cache-Control", "max-age=3600")]),
    }
    with Loopback(says=says) as server, make(crawler="mybot", clock=clock) as client:
        assert outcome(client, server) == "permitted"
        says["/more"] = reply(404)
        assert outcome(client, server) == "permitted"
        clock.advance(timedelta(hours=2))
        assert outcome(client, server) == "prohibited"
        assert server.targets == ["/robots.txt", "/more", "/more"]


def test_a_copy_of_a_reference_stands_in_too(make: Callable[..., Client]) -> None:
    clock = FixedClock(NOW)
    says: dict[str, Any] = {"/robots.txt": referring("/more"), "/more": reply(200, MORE)}
    with Loopback(says=says) as server, make(crawler="mybot", clock=clock) as client:
        assert outcome(client, server) == "permitted"
        says["/more"] = reply(503)
        clock.advance(timedelta(days=2))
        assert outcome(client, server) == "permitted"
        assert client.robots(server.url("/x")).evidence["references"]["/more"]["stale"]
        clock.advance(timedelta(days=30))
        assert outcome(client, server) == "prohibited"
