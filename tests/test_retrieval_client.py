"""Retrieval over a real network, with threads and with tasks: nothing that a server does becomes a permission."""

from __future__ import annotations

import gzip
import hashlib
import json
import socket
import ssl
import time
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
import trustme

from acap.clock import FixedClock
from acap.crawlers import Crawler
from acap.retrieval import CacheError, MemoryCache, SqliteCache, Timeouts, store, user_agent
from acap.retrieval.policies import BODY_OCTETS
from acap.retrieval.shelf import Shelf
from acap.robots import Limits, RobotsPolicy
from tests.loopback import CLIENTS, Asked, AsyncClient, Client, Loopback, redirect, reply

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
FILE = b"User-agent: *\nDisallow: /private\n"
OPEN = reply(200, b"User-agent: *\nAllow: /\n")
LOGIN = b"<!DOCTYPE html>\n<title>Please log in</title>\n"


@pytest.fixture(params=CLIENTS, ids=["sync", "async"])
def make(request: pytest.FixtureRequest) -> Callable[..., Client]:
    """Makes a client of either kind; every case is put to both."""
    kind: Callable[..., Client] = request.param
    return kind


def permitted(policy: RobotsPolicy, url: str = "/public", crawler: str = "mybot") -> bool:
    return policy.decide(url, crawler=crawler).permitted


@pytest.mark.parametrize(
    ("status", "options", "means"),
    [
        (200, {}, "read"),
        (204, {}, "read"),
        (301, {}, "unreachable"),
        (304, {}, "unreachable"),
        (400, {}, "absent"),
        (401, {}, "absent"),
        (403, {}, "absent"),
        (403, {"forbidden": "restricted"}, "restricted"),
        (401, {"dialect": "norobots-1996"}, "restricted"),
        (404, {}, "absent"),
        (410, {}, "absent"),
        (408, {}, "unreachable"),
        (421, {}, "unreachable"),
        (425, {}, "unreachable"),
        (429, {}, "unreachable"),
        (429, {"too_many": "unavailable"}, "absent"),
        (500, {}, "unreachable"),
        (503, {}, "unreachable"),  # B1: Scrapy and others then fetch everything
        (600, {}, "unreachable"),
        (999, {}, "unreachable"),
    ],
)
def test_each_status_has_its_meaning(
    make: Callable[..., Client], status: int, options: dict[str, Any], means: str
) -> None:
    with Loopback(says={"/robots.txt": reply(status)}) as server, make(**options) as client:
        policy = client.robots(server.url("/x"))
        assert policy.evidence["meaning"] == means
        assert policy.evidence["status"] == status
        assert permitted(policy) is (means in ("read", "absent"))
        assert policy.url == server.url()
        assert policy.dialect == options.get("dialect", "auto")


def test_a_file_is_read_and_its_evidence_kept(make: Callable[..., Client]) -> None:
    said = reply(200, FILE, [("X-Robots-Tag", "noindex"), ("x-robots-tag", "noai"), ("Server", "caf\xe9")])
    with Loopback(says={"/robots.txt": said}) as server, make(clock=FixedClock(NOW)) as client:
        policy = client.robots(server.url("/a?b"))
        assert policy.octets == FILE
        assert permitted(policy)
        assert not permitted(policy, "/private/x")
        evidence = dict(policy.evidence)
        assert json.loads(json.dumps(evidence)) == evidence
        assert evidence["headers"][2:] == [["X-Robots-Tag", "noindex"], ["x-robots-tag", "noai"], ["Server", "caf\xe9"]]
        assert evidence["sha256"] == hashlib.sha256(FILE).hexdigest()
        assert evidence["fetched_at"] == "2026-11-20T12:00:00+00:00"
        assert evidence["expires_at"] == "2026-11-21T12:00:00+00:00"
        assert evidence["url"] == evidence["final_url"] == server.url()
        assert (evidence["chain"], evidence["stale"], evidence["failure"]) == ([], False, None)
        assert (evidence["address"], evidence["user_agent"]) == ("127.0.0.1", client.retriever.user_agent)


def test_a_body_that_ends_with_its_connection_is_read(make: Callable[..., Client]) -> None:
    with Loopback(says={"/robots.txt": b"HTTP/1.0 200 OK\r\n\r\n" + FILE}) as server, make() as client:
        assert client.robots(server.url("/x")).octets == FILE


def test_a_server_that_cannot_prove_its_name_is_unreachable(make: Callable[..., Client]) -> None:
    authority = trustme.CA()
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(serving)
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    with Loopback(tls=serving, says={"/robots.txt": OPEN}) as server:
        with make(tls=trusting) as client:
            assert permitted(client.robots(server.url("/x")))
        with make() as client:
            policy = client.robots(server.url("/x"))
            assert not permitted(policy)
            assert policy.evidence["failure"]["kind"] == "connect"


def test_a_host_outside_ascii_is_asked_about_as_it_is_written(make: Callable[..., Client]) -> None:
    def resolver(_host: str, _port: int) -> list[str]:
        return ["127.0.0.1"]

    with Loopback(says={"/robots.txt": reply(200, FILE)}) as server, make(resolver=resolver) as client:
        url = server.url("/private", host="münchen.example")
        policy = client.robots(url)
        assert not permitted(policy, url)
        assert policy.evidence["url"] == server.url(host="xn--mnchen-3ya.example")
        assert server.asked[0].headers["host"] == f"xn--mnchen-3ya.example:{server.port}"


def test_nobody_there_means_unreachable(make: Callable[..., Client]) -> None:
    with Loopback() as server:
        gone = server.url("/x")
    with make() as client:
        policy = client.robots(gone)
        assert not permitted(policy)
        assert policy.evidence["failure"]["kind"] == "connect"
        policy = client.robots("http://nowhere.invalid/x")
        assert not permitted(policy)
        assert "does not resolve" in policy.evidence["failure"]["text"]


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (reply(200, FILE, length=len(FILE) + 1), "cut-body"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nUser\r\n", "cut-body"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnot a length\r\n", "cut-body"),
        (reply(206, FILE), "cut-body"),
        (reply(200, gzip.compress(FILE)[:-9], [("Content-Encoding", "gzip")]), "cut-body"),
        (reply(200, FILE, [("Content-Encoding", "gzip")]), "coding"),
        (reply(200, FILE, [("Content-Encoding", "zstd")]), "coding"),
        (b"", "protocol"),
        (b"User-agent: *\nAllow: /\n", "protocol"),
        (b"HTTP/1.1 2000 OK\r\n\r\n", "protocol"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", "protocol"),
        (b"HTTP/1.1 200 OK\r\nA: " + b"a" * 200_000, "protocol"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "protocol"),
        (redirect("http://[::1"), "redirect"),
        (redirect("ftp://elsewhere.example/robots.txt"), "redirect"),
    ],
)
def test_a_broken_answer_means_unreachable(make: Callable[..., Client], said: bytes, kind: str) -> None:
    with Loopback(says={"/robots.txt": said}) as server, make() as client:
        policy = client.robots(server.url("/x"))
        assert not permitted(policy)
        assert policy.evidence["meaning"] == "unreachable"
        assert policy.evidence["failure"]["kind"] == kind


def drip(connection: socket.socket, _: Asked) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    for _step in range(100):
        connection.sendall(b"#")
        time.sleep(0.05)


def drip_headers(connection: socket.socket, _: Asked) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
    for _step in range(100):
        connection.sendall(b"a")
        time.sleep(0.05)


def drip_early_hints(connection: socket.socket, _: Asked) -> None:
    for _step in range(100):
        connection.sendall(b"HTTP/1.1 103 Early Hints\r\n\r\n")
        time.sleep(0.05)


def silence(connection: socket.socket, _: Asked) -> None:
    connection.recv(1)


@pytest.mark.parametrize("script", [drip, drip_headers, drip_early_hints, silence])
def test_a_slow_answer_ends_at_the_deadline(make: Callable[..., Client], script: Callable[..., None]) -> None:
    """Octets that keep coming put off no timeout of the whole."""
    with Loopback(says={"/robots.txt": script}) as server, make(timeout=0.3) as client:
        started = time.monotonic()
        policy = client.robots(server.url("/x"))
        assert time.monotonic() - started < 3.0
        assert not permitted(policy)
        assert policy.evidence["failure"]["kind"] == "timeout"


def test_the_deadline_is_for_all_redirects_together(make: Callable[..., Client]) -> None:
    def slowly_on(connection: socket.socket, asked: Asked) -> None:
        time.sleep(0.15)
        connection.sendall(redirect(f"{asked.target}x"))

    says: dict[str, Any] = {f"/robots.txt{'x' * number}": slowly_on for number in range(6)}
    with Loopback(says=says) as server, make(timeout=0.3) as client:
        policy = client.robots(server.url("/x"))
        assert policy.evidence["failure"]["kind"] == "timeout"
        assert not permitted(policy)


def test_timeouts_may_be_given_one_by_one(make: Callable[..., Client]) -> None:
    with Loopback(says={"/robots.txt": silence}) as server, make(timeout=Timeouts(read=0.1)) as client:
        assert client.robots(server.url("/x")).evidence["failure"]["kind"] == "timeout"


def test_a_bomb_is_cut_at_the_limit(make: Callable[..., Client]) -> None:
    bomb = gzip.compress(FILE + b"# 3456789\n" * 5_000_000)
    with Loopback(says={"/robots.txt": reply(200, bomb, [("Content-Encoding", "gzip")])}) as server, make() as client:
        policy = client.robots(server.url("/x"))
        assert len(policy.octets) <= BODY_OCTETS
        assert policy.evidence["cut_at"] == BODY_OCTETS
        assert policy.truncated
        assert not permitted(policy, "/private")


def test_no_less_is_read_than_the_reader_reads(make: Callable[..., Client]) -> None:
    body = b"#\n" * 2**20 + b"User-agent: *\nDisallow: /late\n"
    with Loopback(says={"/robots.txt": reply(200, body)}) as server:
        for limits in (None, Limits(file_octets=2**24)):
            with make(limits=limits) as client:
                policy = client.robots(server.url("/x"))
                assert (permitted(policy, "/late"), permitted(policy, "/x")) == (False, True)
        with make(limits=Limits(file_octets=2**20)) as client:
            policy = client.robots(server.url("/x"))
            assert policy.truncated
            assert not permitted(policy, "/x")


def test_a_body_without_line_ends_loses_no_more_than_the_reader_sees(make: Callable[..., Client]) -> None:
    body = b"User-agent: *\nAllow: /\n#" + b" " * (BODY_OCTETS + 9)
    with Loopback(says={"/robots.txt": reply(200, body)}) as server, make() as client:
        assert not permitted(client.robots(server.url("/x")), "/x")


@pytest.mark.parametrize("hops", [1, 5])
def test_up_to_five_redirects_are_followed(make: Callable[..., Client], hops: int) -> None:
    says: dict[str, Any] = {f"/{number}": redirect(f"/{number + 1}", 307) for number in range(1, hops)}
    says |= {"/robots.txt": redirect("/1", 301), f"/{hops}": reply(200, FILE)}
    with Loopback(says=says) as server, make() as client:
        policy = client.robots(server.url("/x"))
        assert not permitted(policy, "/private")
        chain = policy.evidence["chain"]
        assert [hop["status"] for hop in chain] == [301, *[307] * (hops - 1)]
        assert {hop["address"] for hop in chain} == {"127.0.0.1"}
        assert chain[0]["headers"][-1] == ["Location", "/1"]
        assert (policy.url, policy.evidence["final_url"]) == (server.url(), server.url(f"/{hops}"))


def test_a_sixth_redirect_counts_as_not_found(make: Callable[..., Client]) -> None:
    says: dict[str, Any] = {f"/{number}": redirect(f"/{number + 1}") for number in range(1, 9)}
    with Loopback(says={"/robots.txt": redirect("/1"), **says}) as server, make() as client:
        policy = client.robots(server.url("/x"))
        assert policy.evidence["meaning"] == "absent"
        assert policy.evidence["failure"]["kind"] == "too-many-redirects"
        assert permitted(policy)
        assert len(server.asked) == 6


@pytest.mark.parametrize("location", ["/robots.txt", "/loop"])
def test_a_redirect_in_a_circle_prohibits_and_takes_no_copy_away(make: Callable[..., Client], location: str) -> None:
    """What was good before serves on; without it nothing is permitted."""
    circle = {"/robots.txt": redirect(location), "/loop": redirect("/robots.txt")}
    with Loopback(says=dict(circle)) as server, make() as client:
        policy = client.robots(server.url("/x"))
        assert (policy.evidence["meaning"], policy.evidence["failure"]["kind"]) == ("unreachable", "redirect")
        assert not permitted(policy)
        assert len(server.asked) == len(dict.fromkeys(["/robots.txt", location]))
        server.says["/robots.txt"] = reply(200, FILE)
        assert client.robots(server.url("/x"), refresh=True).evidence["meaning"] == "read"
        server.says |= circle
        policy = client.robots(server.url("/x"), refresh=True)
        assert policy.evidence["meaning"] == "read"
        assert not permitted(policy, "/private")


def test_the_rules_of_another_authority_stand_for_the_one_asked(make: Callable[..., Client]) -> None:
    with Loopback(says={"/r": reply(200, FILE)}) as other, Loopback() as server, make(allow_private=True) as client:
        server.says["/robots.txt"] = redirect(other.url("/r"))
        policy = client.robots(server.url("/x"))
        assert policy.url == server.url()
        assert not permitted(policy, server.url("/private"))
        with pytest.raises(ValueError, match=str(other.port)):
            permitted(policy, other.url("/private"))
        assert client.robots(other.url("/x")).evidence["status"] == 404


def test_a_redirect_into_a_private_network_is_refused(make: Callable[..., Client]) -> None:
    with Loopback(says={"/robots.txt": OPEN}) as inside, Loopback() as server, make() as client:
        server.says["/robots.txt"] = redirect(inside.url())
        policy = client.robots(server.url("/x"))
        assert not permitted(policy)
        assert policy.evidence["failure"]["kind"] == "address-refused"
        assert policy.evidence["chain"][0]["url"] == server.url()
        assert inside.asked == []


def test_a_redirect_to_another_protocol_is_refused(make: Callable[..., Client]) -> None:
    with Loopback(says={"/robots.txt": redirect("http://93.184.216.34:25/robots.txt")}) as server, make() as client:
        policy = client.robots(server.url("/x"))
        assert not permitted(policy)
        assert policy.evidence["failure"]["kind"] == "address-refused"


def test_a_host_that_was_found_may_not_be_private_and_the_users_own_may(make: Callable[..., Client]) -> None:
    with Loopback(says={"/robots.txt": OPEN}) as server, make() as client:
        policy = client.robots(server.url("/x"), found=True)
        assert policy.evidence["failure"]["kind"] == "address-refused"
        assert not permitted(policy)
        assert server.asked == []
        assert permitted(client.robots(server.url("/x")))
        assert permitted(client.robots(server.url("/x"), found=True))  # known by now, and nobody is asked
        assert len(server.asked) == 1


@pytest.mark.parametrize(
    "url", ["", "example.com/x", "ftp://example.com/", "http://", "http:///x", "/x", "http://a\\@b/"]
)
def test_a_url_without_policy_is_the_callers_mistake(make: Callable[..., Client], url: str) -> None:
    with make() as client, pytest.raises(ValueError, match="URL"):
        client.robots(url)


@pytest.mark.parametrize(
    "options",
    [
        {"dialect": "rfc9999"},
        {"timeout": 0},
        {"forbidden": "x"},
        {"stale": timedelta(days=31)},
        {"user_agent": "a\r\nCookie: b"},
        {"contact": "me (at home)"},
        {"crawler": ""},
        {"crawler": ()},
        {"crawler": "caf\xe9"},
    ],
)
def test_what_cannot_be_is_refused_when_the_client_is_made(
    make: Callable[..., Client], options: dict[str, Any]
) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        make(**options)


def test_a_closed_client_says_so(make: Callable[..., Client]) -> None:
    with make() as client:
        client.close()
        with pytest.raises(RuntimeError, match="closed"):
            client.fetch("http://127.0.0.1:1/")
        with pytest.raises(RuntimeError, match="closed"):
            client.robots("http://127.0.0.1:1/")


def test_no_policy_is_fetched_twice_while_it_is_fresh(make: Callable[..., Client]) -> None:
    """B7: what another crawler fetches for every URL once it has expired, is fetched once each time it has."""
    clock = FixedClock(NOW)
    with Loopback(says={"/robots.txt": reply(200, FILE)}) as server, make(clock=clock) as client:
        policies = [client.robots(server.url(f"/{number}")) for number in range(20)]
        assert len({id(policy) for policy in policies}) == 1
        clock.advance(24 * HOUR - timedelta(seconds=1))
        client.robots(server.url("/a"))
        assert len(server.asked) == 1
        clock.advance(timedelta(seconds=2))
        for number in range(20):
            client.robots(server.url(f"/{number}"))
        assert len(server.asked) == 2


@pytest.mark.parametrize("said", [reply(503), reply(429), b"", redirect("x:y"), reply(404)])
def test_no_failure_is_fetched_for_every_url(make: Callable[..., Client], said: bytes) -> None:
    clock = FixedClock(NOW)
    with Loopback(says={"/robots.txt": said}) as server, make(clock=clock) as client:
        for number in range(20):
            client.robots(server.url(f"/{number}"))
        assert len(server.asked) == 1
        clock.advance(timedelta(minutes=6))
        client.robots(server.url("/x"))
        assert len(server.asked) == (1 if b" 404 " in said else 2)


def test_retry_after_is_respected(make: Callable[..., Client]) -> None:
    clock = FixedClock(NOW)
    with (
        Loopback(says={"/robots.txt": reply(503, headers=[("Retry-After", "3600")])}) as server,
        make(clock=clock) as client,
    ):
        client.robots(server.url("/x"))
        clock.advance(HOUR - timedelta(seconds=1))
        client.robots(server.url("/x"))
        assert len(server.asked) == 1
        clock.advance(timedelta(seconds=1))
        client.robots(server.url("/x"))
        assert len(server.asked) == 2


def test_a_copy_is_confirmed_by_a_conditional_request(make: Callable[..., Client]) -> None:
    def not_modified(connection: socket.socket, asked: Asked) -> None:
        known = asked.headers.get("if-none-match") == '"v1"'
        headers = [("ETag", '"v1"'), ("Cache-Control", "max-age=3600")]
        connection.sendall(reply(304, headers=headers) if known else reply(200, FILE, headers))

    clock = FixedClock(NOW)
    with Loopback(says={"/robots.txt": not_modified}) as server, make(clock=clock) as client:
        client.robots(server.url("/x"))
        clock.advance(HOUR)
        policy = client.robots(server.url("/x"))
        assert not permitted(policy, "/private")
        assert (policy.evidence["status"], policy.octets) == (200, FILE)
        assert policy.evidence["fetched_at"] == NOW.isoformat()
        assert policy.evidence["confirmed_at"] == (NOW + HOUR).isoformat()
        assert policy.evidence["expires_at"] == (NOW + 2 * HOUR).isoformat()
        assert len(server.asked) == 2


@pytest.mark.parametrize(
    "trouble",
    [
        reply(503),
        reply(429),
        reply(408),
        b"",
        reply(200, FILE, length=999),
        redirect("gopher://x"),
        reply(200, b"<!DOCTYPE html><title>Please log in</title>", [("Content-Type", "text/html")]),
        reply(200, b'{"error": "unauthorized"}'),
    ],
)
def test_the_last_good_copy_serves_for_thirty_days_and_no_longer(make: Callable[..., Client], trouble: bytes) -> None:
    clock = FixedClock(NOW)
    with Loopback(says={"/robots.txt": reply(200, FILE)}) as server, make(clock=clock) as client:
        fresh = client.robots(server.url("/x"))
        server.says["/robots.txt"] = trouble
        for days in (2, 20, 29):
            clock.set(NOW + timedelta(days=days))
            stale = client.robots(server.url("/x"))
            assert (permitted(stale), permitted(stale, "/private")) == (True, False)
            assert (stale.evidence["stale"], stale.evidence["meaning"]) == (True, "read")
            assert stale.evidence["failure"]["at"] == clock.now().isoformat()
            assert stale.evidence["sha256"] == fresh.evidence["sha256"]
            assert stale.evidence["fetched_at"] == NOW.isoformat()
        clock.set(NOW + timedelta(days=30, minutes=10))
        late = client.robots(server.url("/x"))
        assert not permitted(late)
        assert (late.evidence["stale"], late.evidence["meaning"]) == (False, "unreachable")
        server.says["/robots.txt"] = OPEN
        clock.advance(HOUR)
        assert permitted(client.robots(server.url("/x")), "/private")


def test_a_page_in_place_of_the_file_gives_no_instructions_and_a_problem(make: Callable[..., Client]) -> None:
    """Where no good copy is known nothing is prohibited, and it is told that what came is no robots.txt."""
    with Loopback(says={"/robots.txt": reply(200, LOGIN)}) as server, make() as client:
        policy = client.robots(server.url("/x"))
        assert permitted(policy)
        assert (policy.evidence["meaning"], policy.evidence["failure"]["kind"]) == ("absent", "no-robots-txt")
        assert "no-robots-txt" in {problem.code for problem in policy.problems}


def test_a_policy_may_be_at_any_url(make: Callable[..., Client]) -> None:
    """It is read by the rules for `/robots.txt`, and speaks for its scheme, host and port."""
    clock = FixedClock(NOW)
    with Loopback(says={"/x/rules?y": reply(200, FILE)}) as server, make(clock=clock) as client:
        url = server.url("/x/rules?y")
        for said, expected in ((FILE, (True, False)), (LOGIN, (True, False)), (b"", (True, True))):
            server.says["/x/rules?y"] = reply(200, said)
            policy = client.robots(url, exact=True, refresh=True)
            assert (permitted(policy), permitted(policy, "/private")) == expected
            assert policy.url == url
        server.says["/x/rules?y"] = reply(500)
        clock.advance(timedelta(days=31))
        assert not permitted(client.robots(url, exact=True))
        assert client.robots(server.url("/new"), exact=True).evidence["meaning"] == "absent"
        assert client.robots(url).url == server.url()
        assert server.targets == ["/x/rules?y"] * 4 + ["/new", "/robots.txt"]


@pytest.mark.parametrize("kept", [MemoryCache, lambda: "answers.sqlite3"])
def test_a_document_that_is_fetched_takes_no_copy_of_a_policy_away(
    make: Callable[..., Client], kept: Callable[[], MemoryCache | str], tmp_path: Path
) -> None:
    """Who fetches just any document gets what came; the policy's copy stands all the same, however often it comes."""
    cache, clock = kept(), FixedClock(NOW)
    options: dict[str, Any] = {"cache": tmp_path / cache if isinstance(cache, str) else cache, "clock": clock}
    with Loopback(says={"/rules": reply(200, FILE)}) as server, make(**options) as client:
        client.robots(server.url("/rules"), exact=True)
        for page in (LOGIN, LOGIN + b"again"):
            server.says["/rules"] = reply(200, page)
            clock.advance(HOUR)
            for refresh in (True, False):
                fetched = client.fetch(server.url("/rules"), refresh=refresh)
                assert (fetched.octets, fetched.meaning) == (page, "read")
        for refresh in (False, True):
            policy = client.robots(server.url("/rules"), exact=True, refresh=refresh)
            assert not permitted(policy, "/private")
        assert client.fetch(server.url("/rules")).octets == LOGIN + b"again"


def test_a_copy_expires_within_the_time_that_a_failure_is_kept(make: Callable[..., Client]) -> None:
    clock = FixedClock(NOW)
    with Loopback(says={"/robots.txt": OPEN}) as server, make(clock=clock) as client:
        client.robots(server.url("/x"))
        server.says["/robots.txt"] = reply(503, headers=[("Retry-After", "86400")])
        clock.set(NOW + timedelta(days=30) - HOUR)
        assert permitted(client.robots(server.url("/x")))
        clock.advance(2 * HOUR)
        assert not permitted(client.robots(server.url("/x")))


def test_no_copy_serves_where_the_operator_wants_none(make: Callable[..., Client]) -> None:
    clock = FixedClock(NOW)
    with Loopback(says={"/robots.txt": OPEN}) as server, make(clock=clock, stale=timedelta(0)) as client:
        assert permitted(client.robots(server.url("/x")))
        server.says["/robots.txt"] = reply(503)
        clock.advance(25 * HOUR)
        assert not permitted(client.robots(server.url("/x")))


def test_that_there_was_no_file_is_no_copy(make: Callable[..., Client]) -> None:
    clock = FixedClock(NOW)
    with Loopback(says={"/robots.txt": OPEN}) as server, make(clock=clock) as client:
        client.robots(server.url("/x"))
        clock.advance(25 * HOUR)
        server.says["/robots.txt"] = reply(404)
        assert permitted(client.robots(server.url("/x")))
        clock.advance(25 * HOUR)
        server.says["/robots.txt"] = reply(503)
        policy = client.robots(server.url("/x"))
        assert not permitted(policy)
        assert not policy.evidence["stale"]


def test_refresh_asks_again(make: Callable[..., Client]) -> None:
    with Loopback(says={"/robots.txt": OPEN}) as server, make() as client:
        assert permitted(client.robots(server.url("/x")), "/private")
        server.says["/robots.txt"] = reply(200, FILE)
        assert permitted(client.robots(server.url("/x")), "/private")
        assert not permitted(client.robots(server.url("/x"), refresh=True), "/private")
        assert not permitted(client.robots(server.url("/x")), "/private")
        assert len(server.asked) == 2


def test_a_refresh_that_fails_says_so_and_keeps_a_fresh_copy(make: Callable[..., Client]) -> None:
    with Loopback(says={"/robots.txt": reply(200, FILE)}) as server, make() as client:
        client.robots(server.url("/x"))
        server.says["/robots.txt"] = reply(500)
        policy = client.robots(server.url("/x"), refresh=True)
        assert not permitted(policy, "/private")
        assert policy.evidence["failure"]["status"] == 500
        assert not policy.evidence["stale"]


def test_each_scheme_host_and_port_has_its_own_policy(make: Callable[..., Client]) -> None:
    with Loopback(says={"/robots.txt": OPEN}) as one, Loopback() as two, make() as client:
        two.says["/robots.txt"] = reply(200, FILE)
        assert permitted(client.robots(one.url("/x")), "/private")
        assert not permitted(client.robots(two.url("/x")), "/private")


def test_many_at_once_ask_once(make: Callable[..., Client]) -> None:
    def slowly(connection: socket.socket, _: Asked) -> None:
        time.sleep(0.1)
        connection.sendall(reply(200, FILE))

    with Loopback(says={"/robots.txt": slowly}) as server, make() as client:
        policies = client.robots_at_once(server.url("/x"), 12)
        assert len(policies) == 12
        assert not any(permitted(policy, "/private") for policy in policies)
        assert len(server.asked) == 1


def test_the_name_that_is_scanned_for_is_sent(make: Callable[..., Client]) -> None:
    """B2: the name of the product, not its whole User-Agent string, is what a group is found by."""
    said = reply(200, b"User-agent: mybot\nDisallow: /\n")
    with (
        Loopback(says={"/robots.txt": said}) as server,
        make(crawler="mybot/1.0", contact="https://a.example/bot") as client,
    ):
        policy = client.robots(server.url("/x"))
        assert not permitted(policy, crawler="mybot/1.0")
        assert server.asked[0].headers["user-agent"].startswith("mybot/1.0 (+https://a.example/bot) acap/")


@pytest.mark.parametrize(
    ("crawler", "contact", "sent"),
    [
        (None, None, "acap/"),
        (None, "ops@a.example", "acap/"),
        ("*", None, "acap/"),
        ("mybot", None, "mybot acap/"),
        ("mybot", "ops@a.example", "mybot (+ops@a.example) acap/"),
        (["mybot-news", "mybot"], None, "mybot-news acap/"),
        (Crawler("SearchBot1"), None, "SearchBot1 acap/"),
        (
            "Mozilla/5.0 (compatible; mybot/2; +https://a.example)",
            "x",
            "Mozilla/5.0 (compatible; mybot/2; +https://a.example)",
        ),
    ],
)
def test_the_user_agent_names_crawler_and_contact(crawler: Any, contact: str | None, sent: str) -> None:
    built = user_agent(crawler, contact)
    assert built.startswith(sent)
    assert contact is None or f"(+{contact})" in built or "Mozilla" in built


def test_a_whole_user_agent_can_be_given(make: Callable[..., Client]) -> None:
    with Loopback(says={"/robots.txt": OPEN}) as server, make(user_agent="Ours/3 (x)", crawler="mybot") as client:
        client.robots(server.url("/x"))
        assert server.asked[0].headers["user-agent"] == "Ours/3 (x)"
        assert server.asked[0].headers["accept-encoding"].startswith("gzip")
        assert not server.asked[0].headers.keys() & {"cookie", "authorization", "referer"}


def test_no_cookie_and_no_password_is_sent(make: Callable[..., Client]) -> None:
    says: dict[str, Any] = {"/robots.txt": reply(302, headers=[("Location", "/b"), ("Set-Cookie", "a=b")]), "/b": OPEN}
    with Loopback(says=says) as server, make() as client:
        assert permitted(client.robots(server.url("/x").replace("://", "://user:password@")))
        assert len(server.asked) == 2
        assert not any(asked.headers.keys() & {"cookie", "authorization"} for asked in server.asked)


def test_any_document_can_be_fetched_within_the_same_bounds(make: Callable[..., Client]) -> None:
    with Loopback(says={"/ai.txt?v=1": reply(200, b"text"), "/robots.txt": OPEN}) as server, make() as client:
        got = client.fetch(server.url("/ai.txt?v=1#part"))
        assert (got.status, got.octets, got.meaning, got.stale, got.chain) == (200, b"text", "read", False, ())
        assert (got.url, got.headers) == (server.url("/ai.txt?v=1"), (("Content-Length", "4"), ("Connection", "close")))
        assert got.fetched_at.tzinfo is UTC
        assert client.fetch(server.url("/none")).meaning == "absent"
        assert server.targets == ["/ai.txt?v=1", "/none"]


def test_answers_outlive_the_client_in_a_file(make: Callable[..., Client], tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite3"
    says: dict[str, Any] = {"/robots.txt": redirect("/r"), "/r": reply(200, FILE, [("A", "1"), ("A", "2")])}
    with Loopback(says=says) as server:
        with make(cache=path) as client:
            first = client.robots(server.url("/x"))
        with make(cache=str(path)) as client:
            second = client.robots(server.url("/x"))
        assert dict(second.evidence) == dict(first.evidence)
        assert (second.octets, len(server.asked)) == (FILE, 2)
        with make(cache=path, user_agent="other") as client:
            client.robots(server.url("/x"))
        assert len(server.asked) == 4


def test_a_cache_that_cannot_be_made_is_the_callers_mistake(make: Callable[..., Client], tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("dear aunt")
    with pytest.raises(CacheError):
        make(cache=tmp_path / "letter")


def test_a_cache_that_fails_later_neither_permits_nor_asks_for_every_url(
    make: Callable[..., Client], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FixedClock(NOW)
    with Loopback(says={"/robots.txt": reply(200, FILE)}) as server, make(cache=tmp_path / "a", clock=clock) as client:
        monkeypatch.setattr(SqliteCache, "_open", lambda _: (_ for _ in ()).throw(OSError("disk on fire")))
        monkeypatch.setattr(SqliteCache, "_opened", SqliteCache._open)
        policy = client.robots(server.url("/x"))
        assert not permitted(policy, "/private")
        assert "disk on fire" in policy.evidence["cache_failure"]
        monkeypatch.setattr(client.retriever, "_shelf", Shelf(1))
        client.robots(server.url("/y"))
        assert len(server.asked) == 1
        server.says["/robots.txt"] = reply(503)
        clock.advance(25 * HOUR)
        policy = client.robots(server.url("/x"))
        assert (policy.evidence["stale"], permitted(policy, "/private")) == (True, False)


def test_a_cache_that_is_passed_in_stays_open(make: Callable[..., Client], tmp_path: Path) -> None:
    cache = store.SqliteCache(tmp_path / "a")
    with Loopback(says={"/robots.txt": OPEN}) as server:
        with make(cache=cache) as client:
            client.robots(server.url("/x"))
            agent = client.retriever.user_agent
        assert cache.load(server.url(), agent).settled is not None
    cache.close()


def test_the_clock_that_went_back_makes_nothing_fresh(make: Callable[..., Client]) -> None:
    clock = FixedClock(NOW)
    with Loopback(says={"/robots.txt": OPEN}) as server, make(clock=clock) as client:
        client.robots(server.url("/x"))
        clock.advance(-24 * HOUR)
        server.says["/robots.txt"] = reply(200, FILE)
        assert not permitted(client.robots(server.url("/x")), "/private")


@pytest.mark.parametrize("first", [OPEN, reply(404)], ids=["file", "none"])
@pytest.mark.parametrize("then", [b"", reply(503), reply(429)], ids=["gone", "503", "429"])
def test_a_site_that_fails_behind_a_clock_that_went_back_is_unreachable(
    make: Callable[..., Client], first: bytes, then: bytes
) -> None:
    """What is known is from the future, so that nobody knows how old it is; it speaks again when its time has come."""
    clock = FixedClock(NOW)
    with Loopback(says={"/robots.txt": first}) as server, make(clock=clock) as client:
        client.robots(server.url("/x"))
        server.says["/robots.txt"] = then
        for seconds in (1, 3600):
            clock.advance(timedelta(seconds=-seconds))
            for _ in range(2):
                assert not permitted(client.robots(server.url("/x")))
        clock.advance(timedelta(seconds=3601))
        assert permitted(client.robots(server.url("/x")))


def asked_by(make: Callable[..., Client], may: Callable[[str], bool]) -> Any:
    """The function as the client's retriever takes it."""

    async def later(url: str) -> bool:
        return may(url)

    return later if make is AsyncClient else may


def test_what_may_not_be_asked_for_is_not_requested(make: Callable[..., Client]) -> None:
    """`may` hears every URL before its request, redirects included; its no is a failure, and failures prohibit."""
    heard: list[str] = []

    def may(url: str) -> bool:
        heard.append(url)
        return not url.endswith("/c")

    says: dict[str, Any] = {"/robots.txt": redirect("/b"), "/b": redirect("/c"), "/c": OPEN}
    with Loopback(says=says) as server, make(may=asked_by(make, may)) as client:
        policy = client.robots(server.url("/x"))
        assert heard == [server.url(path) for path in ("/robots.txt", "/b", "/c")]
        assert server.targets == ["/robots.txt", "/b"]
        assert not permitted(policy)
        assert policy.evidence["meaning"] == "unreachable"
        assert policy.evidence["final_url"] == server.url("/c")
        assert policy.evidence["failure"]["kind"] == "refused"
        assert policy.evidence["failure"]["text"] == f"{server.url('/c')} may not be crawled"


def test_a_first_request_that_may_not_be_made_reaches_nobody(make: Callable[..., Client]) -> None:
    with Loopback(says={"/robots.txt": OPEN}) as server, make(may=asked_by(make, lambda _: False)) as client:
        policy = client.robots(server.url("/x"))
        assert (permitted(policy), policy.evidence["failure"]["kind"]) == (False, "refused")
        assert server.asked == []


def test_a_reference_that_may_not_be_asked_for_prohibits(make: Callable[..., Client]) -> None:
    policy = reply(200, b"ACAP-crawler: *\nACAP-permissions-reference: /more.txt\n")
    says: dict[str, Any] = {"/robots.txt": policy, "/more.txt": reply(200, b"ACAP-crawler: *\nACAP-allow-crawl: /\n")}
    with Loopback(says=says) as server:
        with make(crawler="mybot") as client:
            assert permitted(client.robots(server.url("/x")))
        may = asked_by(make, lambda url: not url.endswith("/more.txt"))
        with make(crawler="mybot", may=may) as client:
            assert not permitted(client.robots(server.url("/x")))
        assert server.targets == ["/robots.txt", "/more.txt", "/robots.txt"]


class Unread(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """A body that has not been read yet."""

    def __init__(self, octets: bytes) -> None:
        self.octets = octets

    def __iter__(self) -> Iterator[bytes]:
        yield self.octets

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self.octets


def test_a_transport_that_is_passed_in_is_used_and_no_socket(make: Callable[..., Client]) -> None:
    """It answers for names that do not resolve, and what it does not answer is unreachable."""
    asked: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(str(request.url))
        if request.url.host == "moved.example":
            return httpx2.Response(301, headers={"Location": "https://there.invalid/robots.txt"})
        if request.url.host != "there.invalid":
            raise httpx2.ConnectError("nobody there")
        return httpx2.Response(200, headers={"Content-Encoding": "gzip"}, stream=Unread(gzip.compress(FILE)))

    def resolver(_host: str, _port: int) -> list[str]:
        raise AssertionError("a name was resolved")

    with make(transport=httpx2.MockTransport(answer), resolver=resolver) as client:
        for site in ("https://there.invalid", "https://moved.example"):
            policy = client.robots(f"{site}/x")
            assert policy.octets == FILE
            assert not permitted(policy, "/private")
            assert policy.evidence["address"] is None
        policy = client.robots("https://elsewhere.example/x")
        assert (permitted(policy), policy.evidence["failure"]["text"]) == (False, "nobody there")
        assert len(asked) == 4


def test_no_more_of_a_body_is_read_than_was_wanted(make: Callable[..., Client]) -> None:
    """`octets` counts what is decoded; an answer that was cut for one client does not serve one that wants more."""
    cache = MemoryCache()
    coded = reply(200, gzip.compress(b"0123456789"), [("Content-Encoding", "gzip")])
    with Loopback(says={"/a": reply(200, b"0123456789"), "/b": coded}) as server:
        for path in ("/a", "/b"):
            with make(octets=4, cache=cache) as client:
                got = client.fetch(server.url(path))
                assert (got.octets, got.evidence["cut_at"], got.meaning) == (b"0123", 4, "read")
            with make(octets=10, cache=cache) as client:
                got = client.fetch(server.url(path))
                assert (got.octets, got.evidence["cut_at"]) == (b"0123456789", None)
        assert server.targets == ["/a", "/a", "/b", "/b"]


def test_the_kind_of_document_that_is_wanted_is_sent(make: Callable[..., Client]) -> None:
    with Loopback(says={"/robots.txt": redirect("/r"), "/r": OPEN}) as server:
        with make(accept="text/html, */*;q=0.1") as client:
            client.robots(server.url("/x"))
        with make() as client:
            client.fetch(server.url("/r"))
        assert [asked.headers["accept"] for asked in server.asked] == [
            "text/html, */*;q=0.1",
            "text/html, */*;q=0.1",
            "text/plain, */*;q=0.5",
        ]


@pytest.mark.parametrize("make", CLIENTS)
def test_a_policy_that_is_cut_short_prohibits(make: Callable[..., Client]) -> None:
    """Where less of a robots.txt is received than is read of one, what was not seen might prohibit."""
    with Loopback() as site, make(octets=14) as client:
        site.says["/robots.txt"] = reply(200, b"User-agent: *\nDisallow: /private\n")
        assert not client.robots(site.url("/")).decide("/private", crawler="x").permitted
