"""Whole crawls with Scrapy: what is fetched, followed and let through, and what is not."""

from __future__ import annotations

import gzip
import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from tests.codings import codings
from tests.loopback import Asked, Loopback, Script, redirect, reply
from tests.scrapy_site import Case, Report, crawls

HTML = ("Content-Type", "text/html; charset=utf-8")
NOON = "tests.scrapy_crawl.NOON"
MYBOT = {"ACAP_CRAWLER": "mybot", "USER_AGENT": "mybot/1.0 (+https://bot.example)"}


class Sites:
    """A server and a case for each claim; all crawls run at once."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self.servers: dict[str, Loopback] = {}
        self.cases: dict[str, Case] = {}
        self.reports: dict[str, Report] = {}

    def server(self, name: str, robots: bytes | None, **pages: bytes) -> Loopback:
        """A server with a robots.txt (none: 404) and pages of HTML at `/NAME`, `index` at `/`."""
        server = self.servers[name] = self._stack.enter_context(Loopback())
        if robots is not None:
            server.says["/robots.txt"] = reply(body=robots)
        for path, html in {"index": b"<p>Welcome", **pages}.items():
            server.says["/" if path == "index" else f"/{path}"] = reply(body=html, headers=[HTML])
        return server

    def case(self, name: str, case: Case, **settings: object) -> None:
        """A crawl, of mybot where nothing else is said."""
        case.settings = {**MYBOT, **settings}
        self.cases[name] = case


def pages(server: Loopback) -> list[str]:
    """What was asked for, but for robots.txt."""
    return sorted(target for target in server.targets if target != "/robots.txt")


@pytest.fixture(scope="module")
def sites() -> Iterator[Sites]:
    with ExitStack() as stack:
        made = Sites(stack)
        for name, build in sorted(globals().items()):
            if name.startswith("site_"):
                build(made)
        made.reports = crawls(made.cases)
        yield made


# --- what a robots.txt comes to ---------------------------------------------------------------------------------------


def site_answers(sites: Sites) -> None:
    def reset(connection: socket.socket, _: Asked) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Le")

    def hang(connection: socket.socket, _: Asked) -> None:
        connection.settimeout(20)
        connection.recv(1)

    def drip(connection: socket.socket, _: Asked) -> None:
        with suppress(OSError):
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nAllow: /\n#")
            while True:  # until the other end has enough
                connection.sendall(b"x")
                time.sleep(0.05)

    coded = gzip.compress(b"User-agent: *\nAllow: /\n" + b"# and so on\n" * 500 + b"Disallow: /\n")
    as_gzip = ("Content-Encoding", "gzip")
    answers: dict[str, Script] = {
        "503": reply(503),
        "reset": reset,
        "hanging": hang,
        "dripping": drip,
        "huge": reply(body=b"User-agent: *\nAllow: /\n" + b"#" * 2**24),
        "204": reply(204),
        "206": reply(206, body=b"User-agent: *\nAllow: /\n"),
        "cut": reply(body=b"User-agent: *\nAllow: /\n", length=900),
        "cut gzip": reply(body=coded[: len(coded) // 2], headers=[as_gzip]),
        "whole gzip": reply(body=gzip.compress(b"User-agent: *\nDisallow: /private\n"), headers=[as_gzip]),
        "bomb": reply(body=gzip.compress(b"\n" * 2**25), headers=[as_gzip]),
        "403": reply(403),
        "404": reply(404),
        "redirect loop": redirect("/robots.txt"),
    }
    for name, answer in answers.items():
        server = sites.server(name, None)
        server.says["/robots.txt"] = answer
        options = {"timeout": 1.0} if name in ("hanging", "dripping") else {}
        case = Case([server.url("/"), server.url("/private")])
        sites.case(name, case, ACAP_RETRIEVER_OPTIONS=options, DOWNLOAD_FAIL_ON_DATALOSS=False)
    server = sites.server("403 restricted", None)
    server.says["/robots.txt"] = reply(403)
    sites.case("403 restricted", Case([server.url("/")]), ACAP_FORBIDDEN="restricted")


@pytest.mark.parametrize(
    "name",
    [
        "503",
        "reset",
        "hanging",
        "dripping",
        "huge",
        "206",
        "cut",
        "cut gzip",
        "bomb",
        "redirect loop",
        "403 restricted",
    ],
)
def test_a_site_whose_policy_is_not_known_is_left_alone(sites: Sites, name: str) -> None:
    """Nothing is fetched after a failure to get the whole robots.txt, and the refusal says so (B1)."""
    assert pages(sites.servers[name]) == []
    assert len(sites.servers[name].targets) == 1
    refused = sites.reports[name].refused
    expected = "restricted" if name == "403 restricted" else "unreachable"
    assert {(refusal["error"], refusal["kind"]) for refusal in refused} == {("Refused", "unreachable")}
    assert f"acap/retrieval/{expected}" in sites.reports[name].stats


@pytest.mark.parametrize("name", ["403", "404"])
def test_a_site_without_a_policy_is_fetched(sites: Sites, name: str) -> None:
    """4xx means that there is none (RFC 9309 2.3.1.3)."""
    assert pages(sites.servers[name]) == ["/", "/private"]


def test_a_coded_policy_is_read(sites: Sites) -> None:
    """A robots.txt in gzip, whole, is decoded once."""
    assert pages(sites.servers["whole gzip"]) == ["/"]
    (refusal,) = sites.reports["whole gzip"].refused
    assert (refusal["kind"], refusal["lines"]) == ("statement", [2])


def site_rules(sites: Sites) -> None:
    robots = {
        "own group": b"User-agent: mybot\nDisallow: /private\n\nUser-agent: *\nDisallow: /\n",
        "acap": b"ACAP-crawler: *\nACAP-disallow-crawl: /private\n",
        "split group": b"User-agent: mybot\nCrawl-delay: 0.01\nUser-agent: other\nDisallow: /private\n",
        "pattern": b"User-agent: *\nDisallow: /" + b"*a" * 60 + b"b\nDisallow: /private\n",
    }
    for name, text in robots.items():
        server = sites.server(name, text)
        server.says["/public"] = reply(body=b"<p>", headers=[HTML])
        starts = [server.url("/public"), server.url("/private")]
        if name == "pattern":
            server.says["/" + "a" * 1500] = reply(body=b"<p>", headers=[HTML])
            starts.append(server.url("/" + "a" * 1500))
        sites.case(name, Case(starts), ACAP_CRAWLER="mybot/1.0")


@pytest.mark.parametrize("name", ["own group", "acap", "split group", "pattern"])
def test_rules_that_others_miss_are_obeyed(sites: Sites, name: str) -> None:
    """A name with a version (B2), ACAP lines (B4), a delay between agents (B10), a pattern that explodes (B11)."""
    server = sites.servers[name]
    assert "/private" not in server.targets
    assert "/public" in server.targets
    assert len(sites.reports[name].responses) == (2 if name == "pattern" else 1)
    refusal = sites.reports[name].refusal(server.url("/private"))
    assert (refusal["error"], refusal["kind"], refusal["policy"]) == ("Refused", "statement", server.url())
    assert refusal["lines"] == [{"own group": 2, "acap": 2, "split group": 4, "pattern": 3}[name]]


def site_many(sites: Sites) -> None:
    server = sites.server("many", b"User-agent: *\nDisallow: /none\n", **{f"p{n}": b"<p>" for n in range(12)})
    sites.case("many", Case([server.url(f"/p{n}") for n in range(12)], again=8))


def test_a_policy_is_retrieved_once_for_all_urls_of_a_site(sites: Sites) -> None:
    """Twenty requests, of which many come at the same time, cost one robots.txt (B7)."""
    assert len(pages(sites.servers["many"])) == 20
    assert sites.servers["many"].targets.count("/robots.txt") == 1
    assert sites.reports["many"].stats["acap/retrieval/read"] == 1


def site_proxy(sites: Sites) -> None:
    proxy = sites.server("proxy", None)
    proxy.says["http://proxied.example/robots.txt"] = reply(body=b"User-agent: *\nDisallow: /private\n")
    proxy.says["http://proxied.example/"] = reply(body=b"<p>", headers=[HTML])
    sites.case(
        "proxy",
        Case([f"http://proxied.example/{path}" for path in ("", "private")]),
        DOWNLOADER_MIDDLEWARES={"tests.scrapy_crawl.Proxy": 740},
        CASE_PROXY=proxy.url(""),
    )


def test_policies_come_through_the_proxy_of_the_project(sites: Sites) -> None:
    """A site that only a proxy can reach has its policy, and is asked for nothing else than it permits."""
    asked = sites.servers["proxy"].targets
    assert asked == ["http://proxied.example/robots.txt", "http://proxied.example/"]
    assert sites.reports["proxy"].refusal("http://proxied.example/private")["kind"] == "statement"


def site_header(sites: Sites) -> None:
    server = sites.server("project", None)
    sites.case("project", Case([server.url("/")]), DEFAULT_REQUEST_HEADERS={"X-Project": "ours"}, DOWNLOAD_DELAY=0.01)


def test_policies_are_retrieved_by_the_downloader_of_the_project(sites: Sites) -> None:
    """The request for robots.txt goes through the project's middlewares, as the project's User-Agent."""
    robots = sites.servers["project"].asked[0]
    assert robots.target == "/robots.txt"
    assert robots.headers["x-project"] == "ours"
    assert robots.headers["user-agent"] == MYBOT["USER_AGENT"]


# --- redirects --------------------------------------------------------------------------------------------------------


def site_redirects(sites: Sites) -> None:
    forbidding = sites.server("forbidding", b"User-agent: *\nDisallow: /\n")
    failing = sites.server("failing", None)
    failing.says["/robots.txt"] = reply(503)
    server = sites.server("redirecting", b"User-agent: *\nDisallow: /private\n", private=b"<p>", public=b"<p>")
    targets = {"in": "/private", "out": forbidding.url("/"), "lost": failing.url("/"), "fine": "/public"}
    for path, target in targets.items():
        server.says[f"/{path}"] = redirect(target)
    sites.case("redirecting", Case([server.url(f"/{path}") for path in targets]))


def test_a_redirect_is_judged_by_the_policy_of_where_it_leads(sites: Sites) -> None:
    """Neither a path that is prohibited here, nor another site that prohibits or does not answer, is fetched."""
    report, server = sites.reports["redirecting"], sites.servers["redirecting"]
    assert "/private" not in server.targets
    assert report.refusal(server.url("/private"))["policy"] == server.url()
    for other in ("forbidding", "failing"):
        assert pages(sites.servers[other]) == []
        assert report.refusal(sites.servers[other].url("/"))["policy"] == sites.servers[other].url()
    assert report.urls == {server.url("/public")}


def test_what_was_decided_is_in_the_meta_of_a_response(sites: Sites) -> None:
    """Decision, policy and page are those of the response's own URL, after redirects too."""
    server = sites.servers["redirecting"]
    response = sites.reports["redirecting"].response(server.url("/public"))
    assert (response["kind"], response["policy"]) == ("silence", server.url())
    assert response["page"] == server.url("/public")


# --- links ------------------------------------------------------------------------------------------------------------


def site_links(sites: Sites) -> None:
    link = b'<a href="/%s">next</a>'
    free = {
        "plain": b"",
        "comment": b'<!-- <meta name="robots" content="nofollow"> -->',
        "others": b'<meta name="googlebot" content="nofollow">',
        "noai": b'<meta name="robots" content="NoAI">',
    }
    bound = {
        "meta": b'<meta name="robots" content="noindex,nofollow">',
        "none": b'<meta name="robots" content="none">',
        "noscript": b'<noscript><meta name="robots" content="nofollow"></noscript>',
        "acapmeta": b'<meta name="robots" content="ACAP disallow-follow">',
    }
    server = sites.server("links", b"User-agent: *\nDisallow: /closed\nACAP-crawler: *\nACAP-disallow-follow: /quiet\n")
    starts = []
    for name, head in {**free, **bound}.items():
        server.says[f"/{name}"] = reply(body=head + link % f"from-{name}".encode(), headers=[HTML])
        starts.append(server.url(f"/{name}"))
    tags = [("X-Robots-Tag", "noindex"), ("X-Robots-Tag", "nofollow")]
    server.says["/headers"] = reply(body=link % b"from-headers", headers=[HTML, *tags])
    server.says["/quiet"] = reply(body=link % b"from-quiet", headers=[HTML])
    rel = (
        b'<a href="/from-rel" rel="external NoFollow">a</a><a href="/twice" rel="nofollow">b</a><a href="/twice">c</a>'
    )
    rel += b'<a href="/odd?b=2&a=1#top" rel="ugc">d</a>'
    server.says["/rel"] = reply(body=rel, headers=[HTML])
    element = b'<div class="the-acap:disallow-follow"><a href="/from-element">a</a></div><a href="/beside">b</a>'
    server.says["/element"] = reply(body=element, headers=[HTML])
    latin = '<a href="/latin?q=é" rel="nofollow">a</a>'.encode("latin-1")
    server.says["/latin1"] = reply(body=latin, headers=[("Content-Type", "text/html; charset=iso-8859-1")])
    made = {
        server.url("/meta"): [server.url("/made-of-meta"), server.url("/meta")],
        server.url("/rel"): [server.url("/made-of-rel"), server.url("/odd?a=1&b=2")],
        server.url("/data"): [server.url("/made-of-data")],
        server.url("/sitemap.xml"): [server.url("/made-of-sitemap")],
    }
    nofollow = ("X-Robots-Tag", "nofollow")
    server.says["/data"] = reply(body=b"{}", headers=[("Content-Type", "application/json"), nofollow])
    server.says["/sitemap.xml"] = reply(
        body=b"<?xml version='1.0'?><urlset/>", headers=[("Content-Type", "text/xml"), nofollow]
    )
    more = ["/headers", "/quiet", "/rel", "/element", "/latin1", "/data", "/sitemap.xml"]
    sites.case("links", Case([*starts, *map(server.url, more)], follow=True, made=made))


@pytest.mark.parametrize("page", ["meta", "none", "noscript", "acapmeta", "headers", "quiet", "rel", "element"])
def test_a_link_that_may_not_be_followed_is_not_followed(sites: Sites, page: str) -> None:
    """META tags, the second of two headers, `rel`, an element, ACAP in robots.txt (B3, B5, B8, B9)."""
    assert f"/from-{page}" not in sites.servers["links"].targets


@pytest.mark.parametrize("page", ["plain", "comment", "others", "noai"])
def test_a_link_that_nothing_prohibits_is_followed(sites: Sites, page: str) -> None:
    """A statement in a comment, to another crawler, or on another usage says nothing of following (B6, B8)."""
    assert f"/from-{page}" in sites.servers["links"].targets


def test_a_link_is_known_in_other_spellings(sites: Sites) -> None:
    """A sorted query, a fragment and the page's encoding make no other link of it."""
    asked = sites.servers["links"].targets
    assert [target for target in asked if target.startswith(("/odd", "/latin?"))] == []


def test_one_link_that_may_be_followed_is_enough(sites: Sites) -> None:
    """A URL that is linked with and without `nofollow` is followed, and so is one beside a closed element."""
    assert {"/twice", "/beside"} <= set(sites.servers["links"].targets)


def test_what_is_no_link_is_judged_by_the_page_as_a_whole(sites: Sites) -> None:
    """A made-up URL is dropped where the page or its headers say nofollow, and only there; a sitemap's entry passes."""
    asked = sites.servers["links"].targets
    assert not {"/made-of-meta", "/made-of-data"} & set(asked)
    assert {"/made-of-rel", "/made-of-sitemap"} <= set(asked)


# --- pace -------------------------------------------------------------------------------------------------------------


def site_pace(sites: Sites) -> None:
    one = sites.server("slow", b"User-agent: *\nCrawl-delay: 0.3\n", a=b"<p>")
    two = sites.server("free", b"User-agent: *\nDisallow:\n")
    sites.case("pace", Case([one.url("/"), one.url("/a"), two.url("/")]))
    throttled = sites.server("throttled", b"User-agent: *\nRequest-rate: 5/1s\n", a=b"<p>", b=b"<p>")
    throttle = {"AUTOTHROTTLE_ENABLED": True, "AUTOTHROTTLE_START_DELAY": 0.01}
    sites.case("throttled", Case([throttled.url(f"/{page}") for page in ("", "a", "b")]), **throttle)
    own = sites.server("own delay", b"User-agent: *\nCrawl-delay: 0.01\n")
    sites.case("own delay", Case([own.url("/")]), DOWNLOAD_DELAY=0.05)
    late = sites.server("very slow", b"User-agent: *\nCrawl-delay: 7200\n", a=b"<p>")
    sites.case("very slow", Case([late.url("/"), late.url("/a")]), ACAP_CLOCK=NOON)
    for name, hours in {"open": b"1000-1400", "closed": b"0200-0430"}.items():
        server = sites.server(name, b"User-agent: *\nVisit-time: " + hours + b"\n")
        sites.case(name, Case([server.url("/")]), ACAP_CLOCK=NOON)
    server = sites.server("too long", b"User-agent: *\nVisit-time: 0200-0430\n")
    sites.case("too long", Case([server.url("/")]), ACAP_CLOCK=NOON, ACAP_VISIT_TIME="wait")
    server = sites.server("waiting", b"User-agent: *\nVisit-time: 1200-1300\n")
    soon = {"ACAP_CLOCK": "tests.scrapy_crawl.Soon", "ACAP_VISIT_TIME": "wait"}
    sites.case("waiting", Case([server.url("/")]), **soon)
    server = sites.server("standing", b"User-agent: *\nVisit-time: 1200-1300\n")
    standing = {"ACAP_CLOCK": "tests.scrapy_crawl.NEARLY_NOON", "ACAP_VISIT_TIME": "wait", "ACAP_MAX_WAIT": 0.35}
    sites.case("standing", Case([server.url("/")]), **standing)
    server = sites.server("interrupted", b"User-agent: *\nVisit-time: 1220-1300\n")
    sites.case("interrupted", Case([server.url("/")]), **soon, CLOSESPIDER_TIMEOUT=1.5)
    server = sites.server("thumb", b"User-agent: mybot\nRobot-version: 2.0.0\nDisallow: /private\n")
    sites.case("thumb", Case([server.url("/")]), ACAP_RULE_OF_THUMB=True)


def test_a_slot_has_the_delay_that_its_site_asks_for(sites: Sites) -> None:
    """Crawl-delay becomes the delay of the slot of that scheme, host and port, one request at a time, no jitter."""
    one, two = sites.servers["slow"], sites.servers["free"]
    slow = sites.reports["pace"].response(one.url("/a"))
    assert (slow["delay"], slow["jitter"], slow["concurrency"]) == (0.3, 0.0, 1)
    assert slow["slot"] == one.url("")
    free = sites.reports["pace"].response(two.url("/"))
    assert (free["delay"], free["slot"]) == (0.0, two.url(""))
    assert free["concurrency"] > 1


def test_automatic_throttling_does_not_quicken_a_slot(sites: Sites) -> None:
    """AutoThrottle leaves the slot of a site that asks for a pace alone."""
    assert {response["delay"] for response in sites.reports["throttled"].responses} == {0.2}


def test_a_longer_delay_of_the_project_stays(sites: Sites) -> None:
    """The slower of DOWNLOAD_DELAY and the site's own delay counts."""
    (response,) = sites.reports["own delay"].responses
    assert response["delay"] == 0.05


def test_a_delay_beyond_the_bound_holds_nothing(sites: Sites) -> None:
    """Beyond ACAP_MAX_DELAY each request is told when its turn is; the delay began with robots.txt, a request too."""
    report = sites.reports["very slow"]
    assert report.responses == []
    assert [(one["error"], one["cause"]) for one in report.refused] == [("NotNow", "delay")] * 2
    assert all(re.match("2026-03-02T1[34]:", one["until"]) for one in report.refused)
    assert report.stats["acap/not-now/delay"] == 2


@pytest.mark.parametrize("name", ["closed", "too long"])
def test_outside_the_visiting_times_nothing_is_fetched(sites: Sites, name: str) -> None:
    """The refusal says when the next visiting time begins, also where it is too far off to wait for."""
    assert pages(sites.servers[name]) == []
    (refusal,) = sites.reports[name].refused
    assert (refusal["error"], refusal["cause"]) == ("NotNow", "visit-time")
    assert refusal["until"] == "2026-03-03T02:00:00+00:00"


def test_within_the_visiting_times_pages_are_fetched(sites: Sites) -> None:
    """Visit-time is a window, and noon lies in it."""
    assert pages(sites.servers["open"]) == ["/"]


def test_a_request_can_wait_for_the_visiting_time(sites: Sites) -> None:
    """ACAP_VISIT_TIME = "wait" holds the request until the window begins."""
    assert pages(sites.servers["waiting"]) == ["/"]
    assert sites.reports["waiting"].refused == []


def test_a_request_waits_no_longer_than_the_bound_in_all(sites: Sites) -> None:
    """A clock that stands does not hold a request for ever."""
    assert pages(sites.servers["standing"]) == []
    assert sites.reports["standing"].refused[0]["error"] == "NotNow"


def test_a_crawl_can_be_closed_while_a_request_waits(sites: Sites) -> None:
    """The request is given up, and told until when it would have waited."""
    assert pages(sites.servers["interrupted"]) == []
    (refusal,) = sites.reports["interrupted"].refused
    assert (refusal["error"], refusal["until"][:13]) == ("NotNow", "2026-03-02T12")
    assert sites.reports["interrupted"].stats["closed"] == "closespider_timeout"


def test_the_rule_of_thumb_is_kept_where_asked_for(sites: Sites) -> None:
    """ACAP_RULE_OF_THUMB makes the delay of a silent 2.0.0 policy ten seconds at least."""
    (response,) = sites.reports["thumb"].responses
    assert response["delay"] == 10.0


# --- items ------------------------------------------------------------------------------------------------------------


def site_items(sites: Sites) -> None:
    robots = b"User-agent: *\nDisallow: /none\n"
    robots += b"ACAP-crawler: *\nACAP-disallow-index: /hidden\nACAP-disallow-preserve: /fleeting\n"
    part = b'<p>Ours.</p><p class="the-acap:disallow-index">Theirs.</p>'
    dated = b'<meta name="robots" content="ACAP allow-preserve time-limit=10-days"><p>Dated.'
    server = sites.server("items", robots, open=part, hidden=b"<p>", fleeting=b"<p>", dated=dated)
    server.says["/header"] = reply(body=b"<p>", headers=[HTML, ("X-Robots-Tag", "noindex")])
    starts = [server.url(f"/{page}") for page in ("open", "hidden", "fleeting", "dated", "header")]
    sites.case("gate", Case(starts, items="index"), ACAP_ITEM_USAGES=["index"])
    gates = {"acap.integrations.scrapy.IndexGate": 1, "acap.integrations.scrapy.PreserveGate": 2}
    sites.case("gates", Case(starts, items="index"), ITEM_PIPELINES=gates)
    renew = {"tests.scrapy_crawl.Renew": 1, "acap.integrations.scrapy.IndexGate": 2}
    sites.case("renewed", Case(starts[:1], items="index"), ITEM_PIPELINES=renew)


def test_an_item_passes_the_gate_if_its_page_may_be_used_so(sites: Sites) -> None:
    """Robots.txt and headers of the page decide; a dropped item says which usage was prohibited."""
    server, report = sites.servers["items"], sites.reports["gate"]
    assert {item["url"] for item in report.items} == {server.url(f"/{page}") for page in ("open", "fleeting", "dated")}
    assert {drop["url"] for drop in report.dropped} == {server.url("/hidden"), server.url("/header")}
    assert {drop["usage"] for drop in report.dropped} == {"index"}
    assert (report.stats["acap/index/permitted"], report.stats["acap/index/prohibited"]) == (3, 2)


def test_gates_stand_where_the_project_puts_them(sites: Sites) -> None:
    """Each of two gates asks for its own usage."""
    server, report = sites.servers["items"], sites.reports["gates"]
    assert {item["url"] for item in report.items} == {server.url("/open"), server.url("/dated")}
    dropped = {drop["url"]: drop["usage"] for drop in report.dropped}
    assert dropped[server.url("/fleeting")] == "preserve"
    assert report.stats["acap/preserve/prohibited"] == 1


def test_an_item_is_given_its_restrictions(sites: Sites) -> None:
    """An item with the field learns of time limits and of what the usable text leaves out."""
    server, report = sites.servers["items"], sites.reports["gates"]
    found = {item["url"]: item for item in report.items}
    assert found[server.url("/dated")]["acap_restrictions"]["preserve"] == ["time-limit=10-days"]
    (excluded,) = found[server.url("/open")]["acap_restrictions"]["index"]
    assert excluded.startswith("excluded-element=")
    assert found[server.url("/open")]["text"] == "Ours."


def test_an_item_of_unknown_origin_does_not_pass(sites: Sites) -> None:
    """A gate behind a pipeline that makes new items drops them, and says what to do."""
    report = sites.reports["renewed"]
    assert report.items == []
    assert "gates come before" in report.dropped[0]["text"]


def site_coded(sites: Sites) -> None:
    page = b"<p>Words " + "".join(map(chr, range(33, 5000))).encode() + b"<p>End<meta name=robots content=noindex>"
    server = sites.server("coded", b"User-agent: *\nAllow: /\n")
    for name, coded in codings(page.replace(b"noindex", b"all")).items():
        coding = ("Content-Encoding", name)
        server.says[f"/{name}/whole"] = reply(body=coded, headers=[HTML, coding])
        cut = codings(page)[name]
        server.says[f"/{name}/cut"] = reply(body=cut[: len(cut) // 2], headers=[HTML, coding])
    starts = [server.url(path) for path in server.says if path.count("/") == 2]
    sites.case("coded", Case(starts, items="index"), ACAP_ITEM_USAGES=["index"])
    sites.case("coded, ungated", Case(starts, items="index"))


def test_a_coded_page_that_breaks_off_is_not_used(sites: Sites) -> None:
    """Scrapy gives what it can decode of it; a whole one passes, and where no gate stands a cut one has no text."""
    report = sites.reports["coded"]
    assert {item["url"].rpartition("/")[2] for item in report.items} == {"whole"}
    assert {drop["url"].rpartition("/")[2] for drop in report.dropped} == {"cut"}
    assert len(report.items) == len(report.dropped) == len(codings(b""))
    for item in sites.reports["coded, ungated"].items:
        assert bool(item["text"]) is item["url"].endswith("/whole")


# --- meta keys that spiders use ---------------------------------------------------------------------------------------


def site_meta(sites: Sites) -> None:
    meta = {
        "handle_httpstatus_all": True, "handle_httpstatus_list": [404, 503], "dont_redirect": True, "dont_retry": True,
        "download_slot": "mine", "proxy": None, "allow_offsite": True, "redirect_urls": ["https://a.example/"],
        "is_start_request": True, "acap_policy": "mine", "acap_page": "mine",
    }  # fmt: skip
    server = sites.server("all keys", b"User-agent: *\nDisallow: /private\n", private=b"<p>")
    server.says |= {"/out": redirect("/private"), "/gone": reply(503, body=b"<p>Words", headers=[HTML])}
    starts = [server.url(path) for path in ("/private", "/out", "/gone")]
    sites.case("all keys", Case(starts, meta=meta, items="index"), ACAP_ITEM_USAGES=["index"])


def test_keys_for_statuses_redirects_and_slots_lead_past_nothing(sites: Sites) -> None:
    """What is prohibited is not fetched, and what an error page says is no item."""
    report, server = sites.reports["all keys"], sites.servers["all keys"]
    assert pages(server) == ["/gone", "/out"]
    assert report.refusal(server.url("/private"))["error"] == "Refused"
    assert {one["policy"] for one in report.responses} == {server.url()}
    assert report.items == []


# --- settings ---------------------------------------------------------------------------------------------------------


def site_settings(sites: Sites) -> None:
    server = sites.server("obeying", b"User-agent: *\nDisallow: /\n")
    sites.case("obeying", Case([server.url("/")], meta={"dont_obey_robotstxt": True}))
    sites.case("handed on", Case([server.url("/")], meta={"acap_decision": "yes", "_acap_policy_request": True}))
    other = sites.server("disobeying", b"User-agent: *\nDisallow: /\n")
    sites.case("disobeying", Case([other.url("/")], meta={"dont_obey_robotstxt": True}), ACAP_RESPECT_DONT_OBEY=True)
    elsewhere = sites.server("elsewhere", None)
    sites.cases["elsewhere"] = Case([elsewhere.url("/")], {"ACAP_CRAWLER": "mybot"}, headers={"Host": "closed.example"})
    named = sites.server("named", None)
    sites.cases["named"] = Case([named.url("/")], {"ACAP_CRAWLER": "ownbot", "ACAP_CONTACT": "https://bot.example"})
    sites.cases["nameless"] = Case([named.url("/")])
    sites.case("impossible", Case([named.url("/")]), ACAP_VISIT_TIME="sometimes")
    given = sites.server("given a host", None)
    sites.case("given a host", Case([given.url("/")]), DEFAULT_REQUEST_HEADERS={"Host": "closed.example"})
    sites.case("ftp", Case([f"ftp://127.0.0.1:{named.port}/a", "gopher://a.example/"]))
    sites.case(
        "ftp, unasked", Case(["ftp://127.0.0.1:1/a"], meta={"dont_obey_robotstxt": True}), ACAP_RESPECT_DONT_OBEY=True
    )
    sites.cases["local"] = Case(["data:text/html,<p>"], {"ACAP_CRAWLER": "mybot"})
    sites.case("unguarded", Case([named.url("/closed")]), ACAP_ALLOW_PRIVATE=False)
    parser = {"ADDONS": {}, "ROBOTSTXT_OBEY": True, "ROBOTSTXT_PARSER": "acap.integrations.scrapy.RobotParser"}
    plain = sites.server("parser", b"ACAP-crawler: *\nACAP-disallow-crawl: /private\n", private=b"<p>")
    sites.cases["parser"] = Case([plain.url("/"), plain.url("/private")], parser)


@pytest.mark.parametrize("name", ["obeying", "handed on"])
def test_no_meta_key_gets_a_request_past_the_policy(sites: Sites, name: str) -> None:
    """`dont_obey_robotstxt` counts only where the project says so, and decisions are never taken from a spider."""
    assert pages(sites.servers["obeying"]) == []
    assert sites.reports[name].refused[0]["error"] == "Refused"


def test_a_request_that_names_another_host_than_its_url_is_not_sent(sites: Sites) -> None:
    """It would be answered for a site whose policy nobody asked (RFC 9110 7.2)."""
    assert pages(sites.servers["elsewhere"]) == []
    [refused] = sites.reports["elsewhere"].refused
    assert (refused["error"], "names the host `closed.example`" in refused["text"]) == ("NoPolicy", True)


def test_no_setting_gives_a_request_another_host(sites: Sites) -> None:
    """Headers that are added after the decision are looked at before anything is sent, robots.txt included."""
    assert sites.servers["given a host"].targets == []
    assert [one["error"] for one in sites.reports["given a host"].refused] == ["Refused"]


def test_what_has_no_policy_that_can_be_asked_is_not_fetched(sites: Sites) -> None:
    """Scrapy fetches by FTP, and nothing here reads the file that says whether it may; a project can let it pass."""
    refused = sites.reports["ftp"].refused
    assert [(one["error"], "only http and https" in one["text"]) for one in refused] == [("NoPolicy", True)] * 2
    (unasked,) = sites.reports["ftp, unasked"].refused
    assert unasked["error"] != "NoPolicy"


def test_a_project_can_let_spiders_decide(sites: Sites) -> None:
    """With ACAP_RESPECT_DONT_OBEY such requests go unasked, and are counted."""
    assert pages(sites.servers["disobeying"]) == ["/"]
    assert sites.reports["disobeying"].stats["acap/crawl/not-asked"] == 1


def test_a_name_and_a_contact_make_the_user_agent(sites: Sites) -> None:
    """A project without a USER_AGENT sends the name that policies are searched for (K2 3.2.1), with every request."""
    sent = [asked.headers["user-agent"] for asked in sites.servers["named"].asked]
    assert len(sent) == 2
    assert all(agent.startswith("ownbot (+https://bot.example) acap/") for agent in sent)


def test_a_crawl_without_a_name_does_not_start(sites: Sites) -> None:
    """The error says in one line which setting to make."""
    failed = sites.reports["nameless"].failed
    assert failed is not None
    assert failed.startswith("SettingError: no crawler is named; set ACAP_CRAWLER")
    assert "\n" not in failed


def test_a_crawl_with_an_impossible_setting_does_not_start(sites: Sites) -> None:
    """The error names the setting, its value and what it can be."""
    failed = sites.reports["impossible"].failed
    assert failed == "SettingError: ACAP_VISIT_TIME is `sometimes`; it is one of refuse, wait"


def test_what_comes_by_no_network_is_not_asked_about(sites: Sites) -> None:
    """A data: URL has no site whose policy could be asked."""
    (response,) = sites.reports["local"].responses
    assert response["policy"] is None


def test_a_guard_that_cannot_hold_refuses_everything(sites: Sites) -> None:
    """ACAP_ALLOW_PRIVATE = False without the resolver that filters addresses sends nothing, and says what to set."""
    (refusal,) = sites.reports["unguarded"].refused
    assert refusal["error"] == "AddressRefused"
    assert "set TWISTED_DNS_RESOLVER to `acap.integrations.scrapy.guard.GuardedResolver`" in refusal["text"]
    assert "/closed" not in sites.servers["named"].targets


def test_the_parser_alone_serves_the_middleware_of_scrapy(sites: Sites) -> None:
    """ROBOTSTXT_PARSER brings ACAP lines into Scrapy's own middleware."""
    assert pages(sites.servers["parser"]) == ["/"]
    assert sites.reports["parser"].stats["robotstxt/forbidden"] == 1


def test_decisions_are_counted_by_outcome_kind_and_rule(sites: Sites) -> None:
    """The stats of a crawl say how many were refused, why, and by which line."""
    stats, server = sites.reports["redirecting"].stats, sites.servers["redirecting"]
    assert stats["acap/crawl/prohibited"] == 3
    assert stats["acap/crawl/prohibited/statement"] == 2
    assert stats["acap/crawl/prohibited/unreachable"] == 1
    assert stats[f"acap/crawl/rule/{server.url()}:2"] == 1
    assert stats["acap/retrieval/read"] == 2
    assert stats["acap/retrieval/unreachable"] == 1
    links = sites.reports["links"].stats
    assert links["acap/follow/prohibited"] >= 8
    assert links["acap/follow/permitted"] >= 6
