"""What a site says, gathered over a real network: each document has its meaning, and nothing in one leads us astray."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import json
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import acap
from acap.archives.site_documents import SiteDocuments
from acap.clock import FixedClock
from acap.dialects.rsl.policy import RslDocument
from acap.retrieval import SqliteCache, Timeouts
from acap.sites.gathering import DOCUMENT_OCTETS, MAX_DOCUMENTS, MAX_ELSEWHERE
from tests.loopback import Asked, Loopback, redirect, reply

NOW = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
OWN = ["/.well-known/tdmrep.json", "/ai.txt", "/robots.txt"]
LICENCE = (
    b'<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license><permits type="usage">all</permits></license>'
    b"</content></rsl>"
)
OFFER = json.dumps({
    "@type": "Offer",
    "profile": "http://www.w3.org/ns/tdmrep",
    "uid": "https://www.example.com/p.json",
    "permission": [{"action": "tdm:mine"}],
}).encode()  # fmt: skip
HTML = [("Content-Type", "text/html")]


class SyncSite:
    """`acap.Site`, to be used as `AsyncSite` is."""

    def __init__(self, url: str, **options: Any) -> None:
        self.site = acap.Site(url, **options)

    def policy(self, **options: bool) -> acap.SitePolicy:
        return self.site.policy(**options)

    def close(self) -> None:
        self.site.close()


class AsyncSite:
    """`acap.AsyncSite` on an event loop of its own, so that every case can be put to both."""

    def __init__(self, url: str, **options: Any) -> None:
        self._runner = asyncio.Runner()
        self.site = acap.AsyncSite(url, **options)

    def policy(self, **options: bool) -> acap.SitePolicy:
        async def task() -> acap.SitePolicy:
            return await self.site.policy(**options)

        return self._runner.run(task())

    def close(self) -> None:
        self._runner.run(self.site.aclose())
        self._runner.close()


Make = Callable[..., SyncSite | AsyncSite]


@pytest.fixture(params=[SyncSite, AsyncSite], ids=["sync", "async"])
def make(request: pytest.FixtureRequest) -> Iterator[Make]:
    """Makes a site of either kind; every case is put to both."""
    with ExitStack() as opened:

        def made(*arguments: Any, **options: Any) -> SyncSite | AsyncSite:
            site: SyncSite | AsyncSite = request.param(*arguments, **options)
            opened.callback(site.close)
            return site

        yield made


def outcomes(said: acap.SitePolicy, usages: Sequence[str], path: str = "/a") -> list[str]:
    return [str(said.decide(said.url + path, crawler="mybot", usage=usage).outcome) for usage in usages]


def test_everything_is_gathered_with_its_evidence(make: Make) -> None:
    says: dict[str, Any] = {
        "/robots.txt": reply(
            200,
            b"User-agent: *\nLicense: http://127.0.0.1:00000/l.xml\nUser-agent: b\nLicense: http://127.0.0.1:00000/m.xml\n",
        ),
        "/.well-known/tdmrep.json": reply(200, b'[{"location": "/", "tdm-reservation": 1, "tdm-policy": "/p.json"}]'),
        "/ai.txt": reply(200, b"User-Agent: *\nDisallow: *.jpg\n"),
        "/l.xml": reply(200, LICENCE),
        "/m.xml": reply(200, LICENCE),
        "/n.xml": reply(200, LICENCE),
        "/p.json": reply(200, OFFER),
        "/news/a": reply(200, b'<title>A</title><link rel="license" type="application/rsl+xml" href="/n.xml">', HTML),
    }
    with Loopback(says=says) as server:
        said = make(server.url("/x?y"), page="/news/a", clock=FixedClock(NOW)).policy()
        found = {(one.kind, one.url.removeprefix(said.url), one.state) for one in said.documents}
        assert found == {
            ("robots.txt", "/robots.txt", "read"),
            ("tdmrep.json", "/.well-known/tdmrep.json", "read"),
            ("ai.txt", "/ai.txt", "read"),
            ("licence", "/l.xml", "read"),
            ("licence", "/m.xml", "read"),
            ("licence", "/n.xml", "read"),
            ("tdm-policy", "/p.json", "read"),
            ("page", "/news/a", "read"),
        }
        assert sorted(server.targets) == sorted(says)
        assert said.problems == () == said.left_out
        for one in said.documents:
            evidence = one.evidence
            assert evidence is not None
            assert (evidence["status"], evidence["final_url"]) == (200, one.url)
            assert (evidence["fetched_at"], len(evidence["sha256"])) == (NOW.isoformat(), 64)
            assert one.expires_at == NOW + timedelta(hours=24) == said.expires_at
        assert {one.referred_by for one in said.documents if one.kind == "tdm-policy"} == {server.url(OWN[0])}
        assert outcomes(said, ["crawl", "ai-train", "index"]) == ["permitted"] * 3
        assert outcomes(said, ["ai-train"], "/a.jpg") == ["prohibited"]


OPEN = b"User-agent: *\nAllow: /\n"


def test_a_licence_that_came_over_plain_http_licenses_nothing(make: Make) -> None:
    """By a redirect too; to one's own machine nothing is on the way."""
    says: dict[str, Any] = {
        "/robots.txt": reply(200, OPEN + b"License: http://127.0.0.1:00000/l.xml\n"),
        "/l.xml": reply(200, LICENCE),
        "/m.xml": reply(200, LICENCE),
    }
    options: dict[str, Any] = {"allow_private": True, "resolver": lambda *_: ["127.0.0.1"]}
    with Loopback(says=says) as server:
        assert outcomes(make(server.url("/"), **options).policy(), ["ai-train", "index"]) == ["permitted"] * 2
        says["/l.xml"] = redirect("http://plain.example:00000/m.xml")
        said = make(server.url("/"), **options).policy()
        assert outcomes(said, ["ai-train", "index", "crawl"]) == ["prohibited", "prohibited", "permitted"]
        assert [one.state for one in said.documents if one.kind == "licence"] == ["read"]
        away = make(server.url("/", host="plain.example"), **options)
        says["/robots.txt"] = reply(200, OPEN + b"License: http://plain.example:00000/m.xml\n")
        assert outcomes(away.policy(), ["ai-train", "index"]) == ["prohibited"] * 2


def test_a_relative_licence_is_of_where_robots_txt_came_from(make: Make) -> None:
    """Redirects included (RFC 3986 5.1.3); what it prohibits holds for the site that was asked."""
    document = (
        b'<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>'
        b'<prohibits type="usage">ai-train</prohibits></license></content></rsl>'
    )
    other: dict[str, Any] = {
        "/policies/r": reply(200, OPEN + b"License: l.xml\n"),
        "/policies/l.xml": reply(200, document),
    }
    with Loopback("127.0.0.2", says=other) as elsewhere, Loopback() as server:
        server.says["/robots.txt"] = redirect(elsewhere.url("/policies/r"))
        said = make(server.url("/"), allow_private=True).policy()
        assert outcomes(said, ["ai-train", "index"]) == ["prohibited", "permitted"]
        [licence] = (one for one in said.documents if one.kind == "licence")
        assert (licence.url, licence.state) == (elsewhere.url("/policies/l.xml"), "read")


def test_a_relative_policy_of_a_redirected_file_is_of_where_it_came_from(make: Make) -> None:
    offer = b'{"@type": "Offer", "profile": "http://www.w3.org/ns/tdmrep", "permission": [{"action": "tdm:mine"}]}'
    other: dict[str, Any] = {"/s/t": reply(200, RESERVED), "/doc": reply(404)}
    with Loopback("127.0.0.2", says=other) as elsewhere, Loopback() as server:
        server.says = {"/.well-known/tdmrep.json": redirect(elsewhere.url("/s/t")), "/doc": reply(200, offer)}
        said = make(server.url("/"), allow_private=True).policy()
        assert outcomes(said, ["tdm"]) == ["prohibited"]
        [policy] = (one for one in said.documents if one.kind == "tdm-policy")
        assert policy.url == elsewhere.url("/doc")
        assert [one.octets for one in SiteDocuments.of_site(said).documents if one.kind == "tdm-policy"] == [None]


LICENSED = OPEN + b"License: /doc\n"
RESERVED = b'[{"location": "/", "tdm-reservation": 1, "tdm-policy": "/doc"}]'
REFERRED = b"##ACAP version=1.0\nACAP-crawler: mybot\nACAP-permissions-reference: /doc\n"
NONE = "none"
DOCUMENTS: dict[str, tuple[str, dict[str, bytes], str]] = {
    # What is replaced; what stands beside it; the usages whose permission depends on it.
    "robots.txt": ("/robots.txt", {}, "crawl tdm ai-train index"),
    "tdmrep.json": ("/.well-known/tdmrep.json", {"/robots.txt": OPEN}, "tdm ai-train"),
    "ai.txt": ("/ai.txt", {"/robots.txt": OPEN}, "ai-train"),
    "licence": ("/doc", {"/robots.txt": LICENSED}, "tdm ai-train index"),
    "tdm-policy": ("/doc", {"/robots.txt": OPEN, "/.well-known/tdmrep.json": RESERVED}, "tdm ai-train"),
    "reference": ("/doc", {"/robots.txt": REFERRED}, "crawl tdm ai-train index"),
    "page": ("/a", {"/robots.txt": OPEN}, "tdm ai-train index"),
}


def _endless(connection: socket.socket, _: Asked) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        connection.sendall(b"x" * 65536)


LOST: dict[str, Any] = {
    "500": reply(500),
    "503": reply(503, b"User-agent: *\nAllow: /\n"),
    "429": reply(429),
    "no answer": b"",
    "no HTTP": b"SSH-2.0-x\r\n",
    "cut": reply(200, b"User-agent: *\nAllow: /\n", length=999),
    "a part": reply(206, b"User-agent: *\nAllow: /\n"),
    "a loop": redirect("/loop"),
    "another scheme": redirect("file:///etc/passwd"),
    "a private network": redirect("http://127.0.0.2:9/"),
    "a broken coding": reply(200, b"x", [("Content-Encoding", "gzip")]),
    "202": reply(202, b"User-agent: *\nAllow: /\n"),
    "a coding nobody asked for": reply(200, b"x", [("Content-Encoding", "zstd")]),
}
GONE: dict[str, Any] = {"404": reply(404), "410": reply(410)}


@pytest.mark.parametrize("kind", DOCUMENTS)
@pytest.mark.parametrize("failure", [*LOST, *GONE, "403"])
def test_what_could_not_be_had_means_what_the_table_says(make: Make, kind: str, failure: str) -> None:
    """`acap.sites.documents`: a doubt never permits, and no document that is not there is a doubt of the site's own."""
    path, beside, usages = DOCUMENTS[kind]
    says: dict[str, Any] = {at: reply(200, octets) for at, octets in beside.items()}
    says |= {path: {**LOST, **GONE, "403": reply(403)}[failure], "/loop": redirect("/loop")}
    is_silent = kind in ("robots.txt", "tdmrep.json", "ai.txt") and failure in GONE
    is_silent |= kind in ("robots.txt", "ai.txt") and failure == "403"
    with Loopback(says=says) as server:
        said = make(server.url("/"), page="/a" if kind == "page" else None, crawlers=["mybot"]).policy()
        (document,) = (one for one in said.documents if one.kind == kind)
        assert (document.state == "none") is is_silent
        assert set(outcomes(said, usages.split())) == {"permitted" if is_silent else "prohibited"}
        if not is_silent and (kind, failure) != ("page", "403"):
            assert document.state == "unknown"
            assert document.why
            assert document.doubt
        others = {"crawl", "tdm", "ai-train", "index"} - set(usages.split())
        others -= {"crawl"} if (kind, failure) == ("page", "403") else set()
        assert set(outcomes(said, sorted(others))) <= {"permitted"}


@pytest.mark.parametrize(
    ("kind", "octets", "state", "outcome"),
    [
        ("tdmrep.json", b"{]", "unknown", "prohibited"),
        ("tdmrep.json", b"[" * 100_000, "unknown", "prohibited"),
        ("tdmrep.json", b"<!doctype html><title>Not found</title>", "none", "permitted"),
        ("ai.txt", b"# Hello\n\nWe like robots.\n", "foreign", "permitted"),
        ("ai.txt", gzip.compress(b"x" * 100), "unknown", "prohibited"),
        ("licence", b"<!doctype html><title>Terms</title>", "unknown", "prohibited"),
        ("licence", b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', "unknown", "prohibited"),
        ("tdm-policy", b"{]", "unknown", "prohibited"),
        ("tdm-policy", b"<!doctype html><title>Terms</title>", "read", "conditional"),
    ],
)
def test_what_cannot_be_read_means_what_the_table_says(
    make: Make, kind: str, octets: bytes, state: str, outcome: str
) -> None:
    path, beside, _ = DOCUMENTS[kind]
    with Loopback(says={at: reply(200, said) for at, said in {**beside, path: octets}.items()}) as server:
        said = make(server.url("/")).policy()
        (document,) = (one for one in said.documents if one.kind == kind)
        assert (document.state, outcomes(said, ["ai-train"])) == (state, [outcome])


@pytest.mark.parametrize("kind", ["tdmrep.json", "ai.txt", "licence", "tdm-policy", "reference"])
def test_a_body_without_end_and_a_bomb_are_cut_and_told(make: Make, kind: str) -> None:
    path, beside, usages = DOCUMENTS[kind]
    bomb = gzip.compress(b" " * (4 * DOCUMENT_OCTETS))
    for script in (_endless, reply(200, bomb, [("Content-Encoding", "gzip")])):
        with Loopback(says={**{at: reply(200, said) for at, said in beside.items()}, path: script}) as server:
            said = make(server.url("/")).policy()
            (document,) = (one for one in said.documents if one.kind == kind)
            assert document.why == f"it has more than {DOCUMENT_OCTETS} octets"
            assert set(outcomes(said, usages.split())) == {"prohibited"}


def test_a_refusal_of_the_page_is_the_answer_on_it(make: Make) -> None:
    with Loopback(
        says={"/a": reply(402, headers=[("crawler-price", "USD 2")]), "/robots.txt": reply(200, OPEN)}
    ) as server:
        said = make(server.url("/"), page="/a").policy()
        assert outcomes(said, ["index", "crawl"]) == ["conditional", "conditional"]
        assert outcomes(said, ["index", "crawl"], "/b") == ["permitted", "permitted"]


TERMS = b"""<rsl xmlns="https://rslstandard.org/rsl"><content url=""><license>
<prohibits type="usage">ai-train</prohibits></license></content></rsl>"""


@pytest.mark.parametrize(
    ("answer", "index", "train"),
    [
        (reply(402, TERMS), "conditional", "prohibited"),
        (reply(401, TERMS, [("WWW-Authenticate", "License")]), "conditional", "prohibited"),
        (reply(402, gzip.compress(TERMS), [("Content-Encoding", "gzip")]), "conditional", "prohibited"),
        (reply(403, TERMS), "prohibited", "prohibited"),
        (reply(402, TERMS[:-9], length=len(TERMS)), "prohibited", "prohibited"),
        (reply(402, gzip.compress(b" " * 5000), [("Content-Encoding", "gzip")]), "prohibited", "prohibited"),
    ],
    ids=["402", "401", "in a coding", "403 has none", "cut", "without end"],
)
def test_the_terms_in_an_answer_in_place_of_the_page_count(
    make: Make, monkeypatch: pytest.MonkeyPatch, answer: bytes, index: str, train: str
) -> None:
    """Of 401 and 402 (RSL 1.0 4.10), within the bounds of a page."""
    monkeypatch.setattr("acap.sites.page.PAGE_OCTETS", 2000)
    with Loopback(says={"/a": answer, "/robots.txt": reply(200, OPEN)}) as server:
        said = make(server.url("/"), page="/a").policy()
        assert outcomes(said, ["index", "ai-train"]) == [index, train]


# --- kept -------------------------------------------------------------------------------------------------------------


def test_what_is_fresh_is_not_asked_for_again(make: Make, tmp_path: Path) -> None:
    """Neither by the same site, nor by another one with the same cache; of what has expired nothing else is asked."""
    clock = FixedClock(NOW)
    says: dict[str, Any] = {
        "/robots.txt": reply(200, LICENSED),
        "/doc": reply(200, LICENCE),
        "/ai.txt": reply(200, b"", [("Cache-Control", "max-age=600")]),
    }
    with Loopback(says=says) as server, closing(SqliteCache(tmp_path / "cache")) as cache:
        options: dict[str, Any] = {"clock": clock, "cache": cache, "page": None}
        site = make(server.url("/"), **options)
        first = site.policy()
        assert sorted(server.targets) == sorted([*OWN, "/doc"])
        assert site.policy() is first
        assert make(server.url("/b"), **options).policy() == first
        assert len(server.targets) == 4
        clock.advance(timedelta(minutes=11))
        assert site.policy() == make(server.url("/b"), **options).policy() != first
        assert server.targets[4:] == ["/ai.txt"]
        site.policy(refresh=True)
        assert sorted(server.targets[5:]) == sorted([*OWN, "/doc"])


def test_what_was_gathered_by_a_clock_that_was_ahead_is_not_fresh(make: Make) -> None:
    clock = FixedClock(NOW + timedelta(days=1_000))
    with Loopback() as server:
        site = make(server.url("/"), clock=clock)
        assert outcomes(site.policy(), ["crawl"]) == ["permitted"]
        server.says["/robots.txt"] = reply(200, b"User-agent: *\nDisallow: /\n")
        clock.advance(timedelta(days=-1_000))
        assert outcomes(site.policy(), ["crawl"]) == ["prohibited"]
        assert site.policy() is site.policy()


def test_a_copy_stands_in_while_the_site_cannot_be_reached(make: Make) -> None:
    clock = FixedClock(NOW)
    file = b'[{"location": "/", "tdm-reservation": 0}]'
    with Loopback(says={"/.well-known/tdmrep.json": reply(200, file)}) as server:
        site = make(server.url("/"), clock=clock)
        assert outcomes(site.policy(), ["tdm"]) == ["permitted"]
        server.says["/.well-known/tdmrep.json"] = reply(503)
        clock.advance(timedelta(days=2))
        said = site.policy()
        assert [one.retrieved.stale for one in said.documents if one.retrieved is not None] == [False, True, False]
        clock.advance(timedelta(days=31))
        assert outcomes(site.policy(), ["tdm"]) == ["prohibited"]


@pytest.mark.parametrize(("days", "fresh"), [(0, timedelta(minutes=1)), (1, timedelta(days=1)), (9, timedelta(days=1))])
def test_a_licence_counts_for_the_days_that_it_says(make: Make, days: int, fresh: timedelta) -> None:
    """It is fresh for no longer, and so is all that was gathered with it; as a copy it stands in for no longer."""
    clock = FixedClock(NOW)
    document = LICENCE.replace(b"<rsl ", b'<rsl max-age="%d" ' % days)
    named = OPEN + b"License: http://127.0.0.1:00000/doc\n"
    with Loopback(says={"/robots.txt": reply(200, named), "/doc": reply(200, document)}) as server:
        site = make(server.url("/"), clock=clock)
        assert site.policy().expires_at == NOW + fresh
        clock.advance(fresh)
        asked = len(server.targets)
        assert outcomes(site.policy(), ["ai-train"]) == ["permitted"]
        assert "/doc" in server.targets[asked:]
        server.says["/doc"] = reply(503)
        confirmed, second = clock.now(), timedelta(seconds=1)
        ends = confirmed + max(timedelta(days=days), timedelta(minutes=1))
        for at, outcome in ((ends - second, "permitted"), (ends + second, "prohibited")):
            clock.set(at)
            assert outcomes(site.policy(), ["ai-train", "index"]) == [outcome] * 2
        server.says["/doc"] = reply(200, document)
        clock.advance(timedelta(hours=1))
        assert outcomes(site.policy(), ["ai-train"]) == ["permitted"]


@pytest.mark.parametrize("head", [b"", b"<!doctype html>"])
def test_a_page_with_a_licence_that_refuses_ends_the_copy_of_one_that_permits(make: Make, head: bytes) -> None:
    """Another page may stand for a failure; this one is there to say something."""
    clock = FixedClock(NOW)
    refuses = LICENCE.replace(b"permits", b"prohibits")
    page = head + b'<html xmlns="http://www.w3.org/1999/xhtml"><body>' + refuses + b"</body></html>"
    named = OPEN + b"License: http://127.0.0.1:00000/doc\n"
    with Loopback(says={"/robots.txt": reply(200, named), "/doc": reply(200, LICENCE)}) as server:
        site = make(server.url("/"), clock=clock)
        assert outcomes(site.policy(), ["ai-train", "index"]) == ["permitted"] * 2
        for came, outcome in ((LOGIN, "permitted"), (reply(200, page, HTML), "prohibited")):
            server.says["/doc"] = came
            clock.advance(timedelta(days=2))
            assert outcomes(site.policy(), ["ai-train", "index"]) == [outcome] * 2


LOGIN = reply(200, b"<html><title>Sign in</title>", HTML)


@pytest.mark.parametrize(
    ("path", "usage", "document"),
    [
        ("/robots.txt", "crawl", b"User-agent: *\nDisallow: /\n"),
        ("/.well-known/tdmrep.json", "tdm", b'[{"location": "/", "tdm-reservation": 1}]'),
        ("/ai.txt", "ai-train", b"User-Agent: *\nDisallow: /\n"),
        ("/doc", "search", LICENCE.replace(b"permits", b"prohibits")),
    ],
)
@pytest.mark.parametrize(
    "came",
    [
        LOGIN,
        redirect("/login"),
        reply(202),
        reply(202, b"User-agent: *\nAllow: /\n"),
        reply(204),
        reply(205),
        reply(200, b"<!-- a --><html>" + b" " * DOCUMENT_OCTETS, HTML),
    ],
    ids=["page", "redirect", "202", "202 with a file", "204", "205", "cut page"],
)
def test_something_else_in_the_place_of_a_document_lifts_nothing(
    path: str, usage: str, document: bytes, came: bytes
) -> None:
    """The good copy stands in for thirty days, and then it is unknown; whoever refers to it takes no copy away."""
    clock = FixedClock(NOW)
    says: dict[str, Any] = {"/login": LOGIN, "/robots.txt": reply(200, LICENSED if path == "/doc" else OPEN)}
    with Loopback("127.0.0.2") as other, Loopback(says=says | {path: reply(200, document)}) as server:
        other.says["/robots.txt"] = reply(200, f"License: {server.url(path)}\n".encode())
        with acap.Retriever(clock=clock, allow_private=True) as retriever:
            site, evil = (acap.Site(one.url("/"), retriever=retriever) for one in (server, other))
            assert outcomes(site.policy(), [usage]) == ["prohibited"]
            server.says[path] = came
            for days in (2, 10, 40):
                clock.advance(timedelta(days=days))
                evil.policy()
                said = site.policy()
                assert outcomes(said, [usage]) == ["prohibited"]
                [state] = {one.state for one in said.documents if one.url == server.url(path)}
                assert state == ("read" if days < 40 else "unknown")
            server.says[path] = reply(404)
            clock.advance(timedelta(hours=1))
            # Without a valid document nothing is licensed; the others do without one.
            assert outcomes(site.policy(), [usage]) == ["prohibited" if path == "/doc" else "permitted"]


@pytest.mark.parametrize("came", [LOGIN, redirect("/login")], ids=["page", "redirect"])
def test_a_page_in_the_place_of_a_policy_is_its_terms_at_once(make: Make, came: bytes) -> None:
    clock = FixedClock(NOW)
    offer = b'{"@type": "Offer", "profile": "http://www.w3.org/ns/tdmrep", "permission": [{"action": "tdm:mine"}]}'
    says = {"/robots.txt": OPEN, "/.well-known/tdmrep.json": RESERVED, "/doc": offer}
    with Loopback(says={"/login": LOGIN, **{at: reply(200, octets) for at, octets in says.items()}}) as server:
        site = make(server.url("/"), clock=clock)
        assert outcomes(site.policy(), ["tdm"]) == ["permitted"]
        server.says["/doc"] = came
        clock.advance(timedelta(days=2))
        assert outcomes(site.policy(), ["tdm"]) == ["conditional"]


@pytest.mark.parametrize(
    ("path", "usage", "document", "came"),
    [
        ("/ai.txt", "ai-train", b"User-Agent: *\nDisallow: /\n", b"please wait"),
        ("/ai.txt", "ai-train", b"User-Agent: *\nDisallow: /\n", b""),
        ("/.well-known/tdmrep.json", "tdm", b"[]", b'[{"location": "/", "tdm-reservation": 1},]'),
        ("/.well-known/tdmrep.json", "tdm", b"[]", b"{}"),
        ("/doc", "search", LICENCE, LICENCE[:-1]),
    ],
)
def test_what_cannot_be_read_counts_at_once_and_stays_a_doubt(
    path: str, usage: str, document: bytes, came: bytes
) -> None:
    """It may be meant to prohibit: no copy that permits stands in for it, and no page behind it makes it forgotten."""
    clock = FixedClock(NOW)
    says: dict[str, Any] = {"/robots.txt": reply(200, LICENSED), path: reply(200, document)}
    with Loopback(says=says) as server, closing(acap.Site(server.url("/"), clock=clock)) as site:
        site.policy()
        for said in (reply(200, came), LOGIN):
            server.says[path] = said
            clock.advance(timedelta(days=2))
            assert outcomes(site.policy(), [usage]) == ["prohibited"]


def test_an_empty_robots_txt_opens_a_site_and_an_answer_without_content_does_not(make: Make) -> None:
    clock = FixedClock(NOW)
    with Loopback() as server:
        site = make(server.url("/"), clock=clock)
        for came, outcome in (
            (reply(204), "permitted"),
            (reply(202), "prohibited"),
            (reply(200, b"User-agent: *\nDisallow: /\n"), "prohibited"),
            (reply(204), "prohibited"),
            (reply(200), "permitted"),
            (reply(204), "permitted"),
        ):
            server.says["/robots.txt"] = came
            clock.advance(timedelta(days=2))
            assert outcomes(site.policy(), ["crawl"]) == [outcome]


# --- bounded ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.2:{port}/",
        "//127.0.0.2:{port}/",
        "/away",
        "http://localhost:{port}/",
        "http://[::ffff:127.0.0.2]:{port}/",
        "http://2130706434:{port}/",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data",
        "https://rebound.example/",
        "file:///etc/passwd",
        "gopher://127.0.0.2:{port}/",
        "data:text/xml,rsl",
        "javascript:1",
    ],
)
def test_no_reference_leads_into_a_private_network(make: Make, target: str) -> None:
    """The user named the site, which may be private, and nothing else; names are judged by what they resolve to."""
    with Loopback("127.0.0.2") as other:
        target = target.format(port=other.port)
        says: dict[str, Any] = {
            "/robots.txt": reply(200, OPEN + f"License: {target}\n".encode()),
            "/.well-known/tdmrep.json": reply(200, RESERVED.replace(b"/doc", target.encode())),
            "/away": redirect(other.url("/")),
            "/a": reply(200, b"<title>a", [*HTML, ("Link", f'<{target}>; rel="license"; type="application/rsl+xml"')]),
        }
        with Loopback(says=says) as server:
            site = make(server.url("/"), page="/a", resolver=lambda _, __: ["127.0.0.1", "127.0.0.2"])
            said = site.policy()
            assert other.targets == []
            assert set(server.targets) <= {*says, *OWN}
            assert outcomes(said, ["ai-train"]) == ["prohibited"]
            assert {one.state for one in said.documents if one.kind == "licence"} == {"unknown"}


def test_a_site_that_was_found_may_not_be_private(make: Make) -> None:
    with Loopback(says={"/robots.txt": reply(200, OPEN)}) as server:
        said = make(server.url("/"), found=True).policy()
        assert server.targets == []
        assert outcomes(said, ["crawl"]) == ["prohibited"]


def test_what_a_private_host_said_is_not_told_to_another_site() -> None:
    """The user's own network answered the user: its answers are kept, and are no answers to what others refer to."""
    with Loopback(says={"/robots.txt": reply(200, OPEN)}) as home, Loopback("127.0.0.2") as evil:
        evil.says["/robots.txt"] = reply(200, f"License: {home.url('/robots.txt')}\n".encode())
        with acap.Retriever() as retriever:
            assert retriever.robots(home.url("/a")).state == "present"
            [licence] = [one for one in acap.Site(evil.url("/"), retriever=retriever).sources if one.kind == "licence"]
            assert "not of the public internet" in licence.why
            assert licence.retrieved is not None
            assert licence.retrieved.octets == b""
            assert retriever.robots(home.url("/a")).state == "present"
            assert outcomes(acap.Site(home.url("/"), retriever=retriever).policy(), ["crawl"]) == ["permitted"]
        assert sorted(home.targets) == ["/.well-known/tdmrep.json", "/ai.txt", "/robots.txt"]  # two at once


@pytest.mark.parametrize("bound", ["hosts", "time"])
def test_bounds_of_one_site_are_no_answers_of_another(bound: str) -> None:
    """What one site refers to, and its own bounds end, the other one has not said."""

    def slow(connection: socket.socket, _: Asked) -> None:
        time.sleep(3)
        connection.close()

    with Loopback("127.0.0.2") as evil, Loopback("127.0.0.3") as www, Loopback() as victim:
        www.says["/robots.txt"] = reply(200, OPEN)
        victim.says["/robots.txt"] = redirect(www.url("/robots.txt"))
        before = [f"http://127.0.0.{number}:9/" for number in range(4, 7)]
        if bound == "time":
            before = [evil.url(f"/{number}") for number in range(4)]
            evil.says |= {f"/{number}": slow for number in range(4)}
        lines = [f"License: {url}" for url in (*before, victim.url("/robots.txt"))]
        evil.says["/robots.txt"] = reply(200, "\n".join(lines).encode())
        with acap.Retriever(allow_private=True, timeout=2) as retriever:
            licence = acap.Site(evil.url("/"), retriever=retriever).sources[-1]
            assert (licence.url, licence.state) == (victim.url("/robots.txt"), "unknown")
            assert www.targets == []
            said = acap.Site(victim.url("/"), retriever=retriever).policy()
            assert outcomes(said, ["crawl", "ai-train"]) == ["permitted", "permitted"]


def test_thousands_of_references_are_not_followed(make: Make) -> None:
    """What is left out counts as what could not be had, and is told."""
    lines = [f"License: /{number}.xml\nLicense: ftp://x/{number}" for number in range(5_000)]
    rules = [
        {"location": f"/{number}", "tdm-reservation": 1, "tdm-policy": f"/{number}.json"} for number in range(5_000)
    ]
    says: dict[str, Any] = {
        "/robots.txt": reply(200, OPEN + "\n".join(lines).encode()),
        "/.well-known/tdmrep.json": reply(200, json.dumps(rules).encode()),
    }
    with Loopback(says=says) as server:
        began = time.monotonic()
        said = make(server.url("/")).policy()
        assert len(server.targets) <= len(OWN) + MAX_DOCUMENTS
        assert len(said.documents) <= len(OWN) + MAX_DOCUMENTS
        assert len(said.left_out) == 15_000 - MAX_DOCUMENTS
        assert outcomes(said, ["ai-train", "index"], "/4999") == ["prohibited", "prohibited"]
        assert time.monotonic() - began < 20


def test_a_document_with_hundreds_of_names_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """And heard once in a decision, for all of them."""
    asked: list[str] = []
    verdicts = RslDocument.verdicts

    def heard(document: RslDocument, url: str, *arguments: Any, **options: Any) -> Any:
        asked.append(url)
        return verdicts(document, url, *arguments, **options)

    monkeypatch.setattr(RslDocument, "verdicts", heard)
    with Loopback() as server:
        hosts = map("".join, itertools.product(*((sign, sign.upper()) for sign in "localhost")))
        names = [f"http://{host}:{server.port}/l" for host in hosts]
        link = "".join(f'<link rel="license" type="application/rsl+xml" href="{name}">' for name in names).encode()
        server.says |= {
            "/robots.txt": reply(200, OPEN + "".join(f"License: {name}\n" for name in names * 9).encode()),
            "/l": reply(200, LICENCE.replace(b"permits", b"prohibits")),
            "/a": reply(200, link, HTML),
        }
        options: dict[str, Any] = {"page": "/a", "resolver": lambda *_: ["127.0.0.1"]}
        said = acap.Site(f"http://localhost:{server.port}/", **options).policy()
        assert server.targets.count("/l") == 1
        assert len(said.licences.documents) == len(names) == 512
        assert len(set(map(id, said.licences.documents.values()))) == 1
        assert said.robots.licences("mybot") == tuple((name, 3 + at) for at, name in enumerate(names))
        assert outcomes(said, ["search"]) == ["prohibited"]
        assert len(asked) <= 2


def test_few_documents_are_asked_for_on_other_hosts(make: Make) -> None:
    """Redirects that lead there count too."""
    with ExitStack() as opened:
        others = [
            opened.enter_context(Loopback(f"127.0.1.{number}", says={"/l": reply(200, LICENCE)}))
            for number in range(1, MAX_ELSEWHERE + 4)
        ]
        targets = [other.url("/l") if number % 2 else f"/{number}" for number, other in enumerate(others)]
        says: dict[str, Any] = {f"/{number}": redirect(other.url("/l")) for number, other in enumerate(others)}
        says["/robots.txt"] = reply(200, OPEN + "".join(f"License: {one}\n" for one in targets).encode())
        server = opened.enter_context(Loopback(says=says))
        said = make(server.url("/"), allow_private=True).policy()
        assert sum(len(other.targets) for other in others) == MAX_ELSEWHERE
        assert outcomes(said, ["ai-train"]) == ["prohibited"]
        unknown = [one for one in said.documents if one.state == "unknown"]
        assert len(unknown) + len(said.left_out) == 3


def test_slow_answers_end_at_the_deadline(make: Make) -> None:
    """One deadline for the site's own documents, and one for all that they refer to."""

    def drip(connection: socket.socket, _: Asked) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            connection.sendall(b" ")
            time.sleep(0.05)

    says: dict[str, Any] = {f"/{number}": drip for number in range(MAX_DOCUMENTS)}
    says |= {"/ai.txt": drip, "/.well-known/tdmrep.json": drip}
    says["/robots.txt"] = reply(200, OPEN + b"".join(b"License: /%d\n" % number for number in range(MAX_DOCUMENTS)))
    with Loopback(says=says) as server:
        began = time.monotonic()
        said = make(server.url("/"), timeout=Timeouts(total=1)).policy()
        assert time.monotonic() - began < 10
        assert outcomes(said, ["ai-train"]) == ["prohibited"]


def test_the_page_is_within_the_deadline_of_all_that_is_referred_to(make: Make) -> None:
    """It comes first: no reference takes its time."""

    def slow(connection: socket.socket, _: Asked) -> None:
        time.sleep(9)
        connection.close()

    references = b"".join(b"License: /%d\n" % number for number in range(MAX_DOCUMENTS))
    says: dict[str, Any] = {f"/{number}": slow for number in range(MAX_DOCUMENTS)}
    says |= {"/robots.txt": reply(200, OPEN + references), "/slow": slow, "/a": reply(200, b"<title>a", HTML)}
    with Loopback(says=says) as server:
        began = time.monotonic()
        for page, state in (("/a", "read"), ("/slow", "unknown")):
            said = make(server.url("/"), page=page, timeout=2).policy()
            assert said.documents[-1].state == state
        assert time.monotonic() - began < 2 * 2 + 1.9


# --- the page ---------------------------------------------------------------------------------------------------------


def test_a_page_is_fetched_if_one_who_asks_may_crawl_it(make: Make) -> None:
    rules = b"User-agent: *\nDisallow: /\nUser-agent: mybot\nAllow: /\n"
    says: dict[str, Any] = {"/robots.txt": reply(200, rules), "/a": reply(200, b"<title>a</title>", HTML)}
    with Loopback(says=says) as server:
        said = make(server.url("/"), page="/a", crawlers=["other"]).policy()
        assert "/a" not in server.targets
        assert outcomes(said, ["index"]) == ["prohibited"]  # what it says is not known
        assert outcomes(make(server.url("/"), page="/a", crawlers=["other", "mybot"]).policy(), ["index"]) == [
            "permitted"
        ]
        assert server.targets.count("/a") == 1


def test_a_page_that_leads_on_is_read_where_it_is(make: Make) -> None:
    """Nothing is known of the URL that led there but that."""
    with Loopback(says={"/a": redirect("/b"), "/b": reply(200, b"<title>b</title>", HTML)}) as server:
        said = make(server.url("/"), page="/a").policy()
        assert outcomes(said, ["index"], "/b") == outcomes(said, ["index"], "/c") == ["permitted"]
        assert outcomes(said, ["index"], "/a") == ["prohibited"]


def test_a_page_leads_nowhere_that_may_not_be_crawled(make: Make) -> None:
    with Loopback("127.0.0.2") as other:
        says: dict[str, Any] = {
            "/robots.txt": reply(200, b"User-agent: *\nDisallow: /closed\n"),
            "/a": redirect("/closed"),
            "/b": redirect(other.url("/")),
        }
        with Loopback(says=says) as server:
            for page in ("/a", "/b"):
                said = make(server.url("/"), page=page, allow_private=True).policy()
                assert {one.state for one in said.documents if one.kind == "page"} == {"unknown"}
            assert "/closed" not in server.targets
            assert other.targets == []


def test_a_page_of_the_caller_counts_in_place_of_the_gathered_one() -> None:
    with Loopback(says={"/robots.txt": reply(200, OPEN)}) as server, acap.Site(server.url("/")) as site:
        url = server.url("/a")
        page = acap.parse_page(None, url=url, headers={"X-Robots-Tag": "noindex"})
        assert site.decide(url, crawler="mybot", usage="index").permitted
        assert not site.decide(url, crawler="mybot", usage="index", page=page).permitted
        each = site.policy().decide_each(url, crawler="mybot", usages=["index", "preserve"], page=page)
        assert [str(one.outcome) for one in each.values()] == ["prohibited", "permitted"]


def test_mistakes_of_the_caller_are_told_at_once() -> None:
    for url, page in (("ftp://x/", None), ("http://a.example/", "http://b.example/")):
        with pytest.raises(ValueError):
            acap.Site(url, page=page)
    with acap.Retriever() as retriever, pytest.raises(ValueError, match="has its options already"):
        acap.Site("http://a.example/", retriever=retriever, timeout=3)


def test_a_closed_site_asks_for_nothing() -> None:
    with Loopback(says={"/robots.txt": reply(200, OPEN)}) as server:
        site = SyncSite(server.url("/"))
        site.close()
        with pytest.raises(RuntimeError, match="closed"):
            site.policy()
        assert server.targets == []
