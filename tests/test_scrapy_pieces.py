"""The pieces of the integration with Scrapy: settings, visiting times, links, origins, counts, the parser."""

from __future__ import annotations

import asyncio
import gc
import json
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.core.downloader import Slot
from scrapy.http import HtmlResponse, Response, TextResponse, XmlResponse
from scrapy.resolver import dnscache
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.test import get_crawler

import acap.integrations.scrapy as public
from acap.carriers import carriers
from acap.clock import FixedClock
from acap.combine import decide
from acap.crawlers import Crawler
from acap.decision import Decision
from acap.integrations.scrapy.addon import Addon
from acap.integrations.scrapy.counts import MAX_RULES, Counts
from acap.integrations.scrapy.downloader import PolicyDownloaderMiddleware
from acap.integrations.scrapy.guard import AddressGuard, GuardedResolver
from acap.integrations.scrapy.links import Following, is_list
from acap.integrations.scrapy.options import PolicyOptions, SettingError, crawler_of, names_itself
from acap.integrations.scrapy.origins import NOWHERE, Origins
from acap.integrations.scrapy.pace import CrawlPace
from acap.integrations.scrapy.pages import DECISION, POLICY, is_page, page_of, robots_of, usable
from acap.integrations.scrapy.refusals import NotNow
from acap.integrations.scrapy.robot_parser import RobotParser
from acap.integrations.scrapy.transport import EngineTransport
from acap.retrieval.client import AsyncRetriever
from acap.retrieval.locations import site_of
from acap.robots import RobotsPolicy, parse_robots
from tests import embedded_files as files
from tests.loopback import Loopback, reply
from tests.test_carriers import RESPONSES

ROOT = Path(__file__).resolve().parent.parent
NOON = datetime(2026, 3, 2, 12, 0, 30, tzinfo=UTC)
URL = "https://www.example.com/a.html"
MYBOT = Crawler("mybot")


def response(
    body: bytes = b"", robots: bytes | None = None, kind: type[Response] = HtmlResponse, **more: Any
) -> Response:
    """A response as it comes to a callback."""
    url = more.pop("url", URL)
    made = kind(url, body=body, request=Request(url), **more)
    if robots is not None:
        policy = parse_robots(robots, url=url)
        made.meta[POLICY] = policy
        made.meta[DECISION] = policy.decide(url, crawler=MYBOT, at=NOON)
    return made


def follow(page: Response, url: str) -> Decision | None:
    """The decision on following a URL from a page."""
    return Following(page, MYBOT, NOON).decide(Request(url))


@pytest.mark.parametrize("name", public.__all__)
def test_every_public_name_is_there(name: str) -> None:
    """The package finds each name in its module, and knows no other."""
    assert getattr(public, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute"):
        _ = public.Nothing  # type: ignore[attr-defined]  # a mistake is what is tested


# --- settings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ({"ACAP_CRAWLER": "mybot"}, ("mybot",)),
        ({"ACAP_CRAWLER": ["mybot-news", "mybot"]}, ("mybot-news", "mybot")),
        ({"ACAP_CRAWLER": Crawler("mybot", purposes=["archive"])}, ("mybot",)),
        ({"USER_AGENT": "mybot/1.0 (+https://bot.example)"}, ("mybot",)),
        ({"ROBOTSTXT_USER_AGENT": "mybot/1", "USER_AGENT": "other/1"}, ("mybot",)),
    ],
)
def test_the_crawler_is_named_by_the_settings(settings: dict[str, Any], names: tuple[str, ...]) -> None:
    """ACAP_CRAWLER comes first, then the product token of what is sent."""
    assert crawler_of(Settings(settings)).names == names


@pytest.mark.parametrize("settings", [{}, {"ACAP_CRAWLER": []}, {"ACAP_CRAWLER": " "}, {"USER_AGENT": ""}])
def test_no_name_is_an_error(settings: dict[str, Any]) -> None:
    """Scrapy's own User-Agent is nobody's name."""
    with pytest.raises(SettingError, match="no crawler is named"):
        crawler_of(Settings(settings))


def test_purposes_are_those_of_every_question() -> None:
    """ACAP_PURPOSES become the crawler's."""
    assert crawler_of(Settings({"ACAP_CRAWLER": "mybot", "ACAP_PURPOSES": ["research"]})).purposes == ("research",)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ACAP_VISIT_TIME", "now"),
        ("ACAP_MAX_DELAY", "long"),
        ("ACAP_MAX_WAIT", -1),
        ("ACAP_CLOCK", 7),
        ("ACAP_CONTACT", "(me)"),
    ],
)
def test_an_impossible_value_is_an_error_of_one_line(name: str, value: object) -> None:
    """The message says what is wrong."""
    with pytest.raises(SettingError) as caught:
        PolicyOptions.of(Settings({"ACAP_CRAWLER": "mybot", name: value}))
    assert "\n" not in str(caught.value)


def test_a_clock_is_shared_through_a_function() -> None:
    """Scrapy copies the values of settings; what a function returns stays the same thing."""
    clock = FixedClock(NOON)
    settings = Settings({"ACAP_CRAWLER": "mybot", "ACAP_CLOCK": lambda: clock}).copy()
    assert PolicyOptions.of(settings).clock is clock


@pytest.mark.parametrize(
    ("agent", "named"), [("MyBot/1.0", True), ("Mozilla/5.0 (compatible; mybot)", True), ("Scrapy/2", False)]
)
def test_a_user_agent_that_does_not_name_the_crawler_is_known(agent: str, named: bool) -> None:
    """Sites look for the name in their logs (K2 3.2.1)."""
    assert names_itself(agent, MYBOT) is named


def test_a_middleware_of_the_project_takes_the_place_of_the_usual_one() -> None:
    """The add-on installs nothing beside a subclass, and switches Scrapy's own middleware off."""

    class Own(public.PolicyDownloaderMiddleware):
        pass

    settings = Settings({"ACAP_CRAWLER": "mybot", "DOWNLOADER_MIDDLEWARES": {Own: 90}})
    Addon().update_settings(settings)
    installed = settings.getdict("DOWNLOADER_MIDDLEWARES")
    assert installed.pop(Own) == 90
    rest = [("RobotsTxtMiddleware", None), ("BodyMiddleware", 1000)]
    assert [(key.__name__, place) for key, place in installed.items()] == rest
    assert [key.__name__ for key in settings.getdict("SPIDER_MIDDLEWARES")] == ["PolicySpiderMiddleware"]
    assert settings.getdict("ITEM_PIPELINES") == {}


def test_the_page_on_scrapy_has_every_setting_and_error() -> None:
    """Its tables name what there is, and nothing else."""
    source = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "src/acap/integrations/scrapy").glob("*.py"))
    page = (ROOT / "docs/how-to/scrapy.md").read_text(encoding="utf-8")
    assert set(re.findall(r'"(ACAP_[A-Z_]+)"', source)) == set(re.findall(r"^\| `(ACAP_[A-Z_]+)`", page, re.MULTILINE))
    assert [name for name in public.__all__ if name not in page] == []


def test_the_spider_of_the_page_on_scrapy_crawls(tmp_path: Path) -> None:
    """The settings and the spider, as they stand there, fetch and follow what they may."""
    page = (ROOT / "docs/how-to/scrapy.md").read_text(encoding="utf-8")
    settings, spider = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[:2]
    with Loopback() as server:
        html = ("Content-Type", "text/html")
        server.says["/robots.txt"] = reply(body=b"User-agent: examplebot\nDisallow: /private\n")
        server.says["/"] = reply(body=b"<a href=/next>Next</a><a href=/private>Private</a><a href=/i>", headers=[html])
        server.says["/i"] = reply(body=files.png(b""), headers=[("Content-Type", "image/png")])
        server.says["/next"] = reply(body=b"<p>The end.", headers=[html])
        (tmp_path / "settings.py").write_text(settings, encoding="utf-8")
        (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = settings\n", encoding="utf-8")
        spider = spider.replace("https://www.example.com/", server.url("/"))
        (tmp_path / "news.py").write_text(spider, encoding="utf-8")
        command = [sys.executable, "-m", "scrapy", "runspider", "news.py", "-o", "items.jsonl"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    items = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sorted(item["text"] for item in items) == ["", "NextPrivate", "The end."]
    assert "Traceback" not in done.stderr
    assert f"refused: {server.url('/private')} (statement)" in done.stderr
    assert "/private" not in server.targets


# --- pace -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("windows", "expected"),
    [
        ("1100-1300", "2026-03-02T12:00:30"),
        ("1230-1300", "2026-03-02T12:30:00"),
        ("2300-0100", "2026-03-02T23:00:00"),
        ("0900-1200", "2026-03-03T09:00:00"),
        ("1200-1200", None),
    ],
)
def test_the_next_visiting_time_is_found(windows: str, expected: str | None) -> None:
    """It may be now, later today, tomorrow, or never."""
    polite = parse_robots(f"User-agent: *\nVisit-time: {windows}\n").politeness("mybot")
    found = polite.next_visit(NOON)
    assert (None if found is None else found.isoformat().removesuffix("+00:00")) == expected


def test_a_slot_is_of_a_scheme_a_host_and_a_port() -> None:
    """Other ports do not share it; a default port is no other."""
    assert site_of("https://Example.com:443/a?b#c") == site_of("https://example.com/") == "https://example.com"
    assert site_of("http://example.com:8080/a") == "http://example.com:8080"


def paced(
    robots: bytes, **settings: object
) -> tuple[CrawlPace, SimpleNamespace, FixedClock, Callable[[], float | None]]:
    """A pace with a downloader that holds one slot, and a way to ask for a page."""
    clock = FixedClock(NOON)
    crawler = get_crawler(settings_dict={"ACAP_CRAWLER": "mybot", "ACAP_CLOCK": lambda: clock, **settings})
    slot = Slot(8, 0.0, 0.5)
    downloader = SimpleNamespace(
        slots={"https://www.example.com": slot},
        per_slot_settings={},
        ip_concurrency=0,
        domain_concurrency=8,
        _jitter=0.5,
    )
    crawler.engine = SimpleNamespace(downloader=downloader)  # type: ignore[assignment]  # a stand-in
    pace, policy = CrawlPace(crawler, PolicyOptions.of(crawler.settings)), parse_robots(robots, url=URL)
    decision = policy.decide(URL, crawler=MYBOT)
    return pace, downloader, clock, lambda: pace.admit(Request(URL), policy, decision)


@pytest.mark.parametrize("line", [b"Crawl-delay: 99999999999999", b"Request-rate: 1/99999999999d"])
def test_a_delay_of_ages_is_one_of_a_month(line: bytes) -> None:
    """No calendar goes so far; what comes later is told so, and nothing is raised."""
    _, downloader, clock, ask = paced(b"User-agent: *\n" + line + b"\n")
    ask()
    assert downloader.slots["https://www.example.com"].delay == 30 * 86_400
    with pytest.raises(NotNow) as late:
        ask()
    assert late.value.until is not None
    assert late.value.until - clock.now() <= timedelta(days=31)


def test_another_minute_changes_the_delay() -> None:
    """A Request-rate with a window is the delay of the slot inside, and outside it is the project's again."""
    _, downloader, clock, ask = paced(b"User-agent: *\nRequest-rate: 1/20 1100-1300\n")
    slot = downloader.slots["https://www.example.com"]
    assert ask() is None
    assert (slot.delay, slot.jitter, slot.concurrency) == (20.0, 0.0, 1)
    assert downloader.per_slot_settings == {"https://www.example.com": {"concurrency": 1, "delay": 20.0, "jitter": 0.0}}
    clock.set(NOON.replace(hour=14))
    assert ask() is None
    assert (slot.delay, slot.jitter, slot.concurrency) == (0.0, 0.5, 8)
    assert downloader.per_slot_settings == {}


def test_a_turn_beyond_the_visiting_time_is_refused() -> None:
    """The slot may not hold a request until the window is over."""
    _, _, _, ask = paced(b"User-agent: *\nCrawl-delay: 50\nVisit-time: 1159-1201\n")
    assert ask() is None
    with pytest.raises(NotNow) as caught:
        ask()
    assert caught.value.until == datetime(2026, 3, 3, 11, 59, tzinfo=UTC)


def test_the_last_fetch_counts_for_the_rule_of_thumb() -> None:
    """The slower of ten seconds and twice the time the last fetch took."""
    pace, downloader, _, ask = paced(
        b"User-agent: mybot\nRobot-version: 2.0.0\nDisallow: /x\n", ACAP_RULE_OF_THUMB=True
    )
    slot = downloader.slots["https://www.example.com"]
    assert ask() is None
    assert slot.delay == 10.0
    pace._downloaded(Request(URL, meta={"download_slot": "https://www.example.com", "download_latency": 8.0}))
    assert ask() is None
    assert slot.delay == 16.0


def test_a_user_agent_that_names_nobody_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    """The name that policies are searched for must be sent (K2 3.2.1)."""
    for agent in ("mybot/2.0", "Mozilla/5.0"):
        PolicyDownloaderMiddleware(get_crawler(settings_dict={"ACAP_CRAWLER": "mybot", "USER_AGENT": agent}))
    (warning,) = [record.getMessage() for record in caplog.records if record.name.startswith("acap")]
    assert warning.startswith("the User-Agent `Mozilla/5.0` does not name the crawler `mybot`")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("ACAP_FORBIDDEN", "perhaps", "`forbidden` is"),
        ("ACAP_DIALECT", "none", "dialect"),
        ("ACAP_RETRIEVER_OPTIONS", {"speed": 1}, "speed"),
    ],
)
def test_what_the_retriever_does_not_take_is_an_error(name: str, value: object, words: str) -> None:
    """The crawl does not start, and the error names what is wrong."""
    with pytest.raises(SettingError, match=words):
        PolicyDownloaderMiddleware(get_crawler(settings_dict={"ACAP_CRAWLER": "mybot", name: value}))


def test_a_reactor_without_asyncio_is_an_error() -> None:
    """The crawl does not start, whatever reactor this process runs."""
    crawler = get_crawler(settings_dict={"ACAP_CRAWLER": "mybot"})
    crawler.settings = Settings(
        {"ACAP_CRAWLER": "mybot", "TWISTED_REACTOR": "twisted.internet.selectreactor.SelectReactor"}
    )
    with pytest.raises(SettingError, match="asyncio"):
        PolicyDownloaderMiddleware(crawler)


def test_a_guard_does_not_trust_other_handlers() -> None:
    """A download handler that resolves names by itself cannot be guarded."""
    settings = Settings({"ACAP_CRAWLER": "mybot", "ACAP_ALLOW_PRIVATE": False})
    AddressGuard(settings, PolicyOptions.of(settings))
    settings.set("DOWNLOAD_HANDLERS", {"http": "scrapy.core.downloader.handlers.file.FileDownloadHandler"})
    with pytest.raises(SettingError, match="FileDownloadHandler"):
        AddressGuard(settings, PolicyOptions.of(settings))


# --- pages and links --------------------------------------------------------------------------------------------------


def test_only_what_browsers_show_as_a_page_is_read_as_one() -> None:
    """HTML, and XHTML in XML; of anything else the headers alone."""
    assert is_page(response(b"<p>"))
    assert is_page(response(b"<?xml version='1.0'?><HTML xmlns='x'/>", kind=XmlResponse))
    assert not is_page(response(b"<?xml version='1.0'?><rss/>", kind=XmlResponse))
    assert not is_page(response(b"<meta name=robots content=nofollow>", kind=TextResponse))


def test_a_page_is_read_once_and_with_every_header() -> None:
    """The second of two X-Robots-Tag headers counts (B9)."""
    page = response(b"<p>", headers={"X-Robots-Tag": ["noindex", "nofollow"]})
    said = page_of(page)
    assert said is not None
    assert said is page_of(page)
    assert [said.decide(usage, crawler=MYBOT).permitted for usage in ("index", "follow")] == [False, False]


CLOSED = b"<p>Words.<meta name=robots content=noindex>"


@pytest.mark.parametrize(
    "flag", ["dataloss", "partial", "download_stopped", "acap-cut: the coded body is not complete"]
)
def test_a_body_that_is_not_known_to_be_whole_may_not_be_used(flag: str) -> None:
    """Whatever stopped it: what is missing may have prohibited anything, its links too."""
    cut = response(CLOSED[:10], flags=[flag])
    assert usable(cut, "index", crawler=MYBOT).text == ""
    assert usable(cut, "ai-train", crawler=MYBOT).text == ""
    decision = follow(cut, "https://www.example.com/x")
    assert decision is not None
    assert not decision.permitted


@pytest.mark.parametrize(
    ("status", "follows"), [(202, False), (206, False), (203, True), (301, True), (404, True), (500, True), (503, True)]
)
def test_an_error_and_a_part_tell_nothing_of_a_page(status: int, follows: bool) -> None:
    """Their text is not the page's, and silence of them is not its; links of an error page are its own."""
    answer = response(b"<p>Words.", status=status)
    assert usable(answer, "index", crawler=MYBOT).text == ("Words." if status == 203 else "")
    decision = follow(answer, "https://www.example.com/x")
    assert decision is not None
    assert decision.permitted is follows


def test_an_answer_that_refuses_or_asks_for_a_payment_is_no_page() -> None:
    """None of its words may be used, and none of its links is followed."""
    for status, outcome in ((402, "conditional"), (403, "prohibited")):
        answer = response(b"<p>Words.", status=status)
        content = usable(answer, "index", crawler=MYBOT)
        assert (content.text, content.decision.outcome) == ("", outcome)
        decision = follow(answer, "https://www.example.com/x")
        assert decision is not None
        assert not decision.permitted


def test_the_headers_alone_tell_nothing_of_a_page() -> None:
    """An answer to HEAD has no body that could have been silent."""
    answer = HtmlResponse(URL, request=Request(URL, method="HEAD"))
    assert not usable(answer, "index", crawler=MYBOT).decision.permitted


def test_a_response_that_was_changed_is_read_again() -> None:
    """Another body, other headers, another status and flag say something else, whatever was read before."""
    page = response(b"<p>Words.")
    assert usable(page, "index", crawler=MYBOT).text == "Words."
    for changed in (
        page.replace(body=CLOSED),
        page.replace(headers={"X-Robots-Tag": "noindex"}),
        page.replace(status=206),
        page.replace(flags=["dataloss"]),
    ):
        assert usable(changed, "index", crawler=MYBOT).text == ""
    page.headers["X-Robots-Tag"] = "noindex"
    assert usable(page, "index", crawler=MYBOT).text == ""


def test_a_url_of_the_web_that_cannot_be_read_is_a_doubt() -> None:
    """No policy could be asked of it, so its items do not pass; what came by no network is nobody's policy."""
    strange = HtmlResponse("https://a..b/", body=b"<p>", request=Request(URL))
    said = page_of(strange)
    assert said is not None
    crawler = get_crawler(settings_dict={"ACAP_CRAWLER": "mybot", "ACAP_ITEM_USAGES": ["index"]})
    middleware = public.PolicySpiderMiddleware(get_crawler(settings_dict=WATCHED))
    crawler.get_spider_middleware = lambda _: middleware  # type: ignore[method-assign,assignment,return-value]  # a stand-in
    gate = public.Gate(crawler)
    for answer, passes in ((strange, False), (Response("data:,x", request=Request("data:,x")), True)):
        item = {"url": answer.url}
        middleware.origins.note(item, answer)
        if passes:
            assert gate.process_item(item) is item
        else:
            with pytest.raises(public.NotUsable, match="cannot be judged"):
                gate.process_item(item)


WATCHED = {"ACAP_CRAWLER": "mybot", "DOWNLOADER_MIDDLEWARES": {public.BodyMiddleware: 1000}}


def test_pages_are_not_judged_whose_bodies_nobody_saw() -> None:
    """Scrapy decodes a cut body as if nothing were missing: a project that has it decoded unseen does not start."""
    for settings in ({}, {"DOWNLOADER_MIDDLEWARES": {public.BodyMiddleware: None}}):
        with pytest.raises(SettingError, match="BodyMiddleware"):
            public.PolicySpiderMiddleware(get_crawler(settings_dict={"ACAP_CRAWLER": "mybot", **settings}))
    public.PolicySpiderMiddleware(get_crawler(settings_dict=WATCHED))
    public.PolicySpiderMiddleware(get_crawler(settings_dict={"ACAP_CRAWLER": "mybot", "COMPRESSION_ENABLED": False}))


def test_a_policy_whose_download_was_stopped_is_none() -> None:
    """Whatever stopped it, its rest may have prohibited everything."""
    for flag in ("download_stopped", "dataloss", "partial"):
        crawler = SimpleNamespace(
            signals=SimpleNamespace(connect=lambda *_, **__: None),
            engine=SimpleNamespace(downloader=SimpleNamespace(per_slot_settings={}), download_async=None),
        )
        transport = EngineTransport(crawler, object())  # type: ignore[arg-type]  # a stand-in

        async def downloaded(request: Request, flag: str = flag, transport: EngineTransport = transport) -> Response:
            body = b"User-agent: *\nDisallow: /private\n"
            answer = TextResponse(request.url, body=body, flags=[flag], request=request)
            transport._downloaded(answer, request)
            return answer

        crawler.engine.download_async = downloaded

        async def ask(transport: EngineTransport = transport) -> RobotsPolicy:
            async with AsyncRetriever(crawler="mybot", transport=transport) as retriever:
                return await retriever.robots(URL)

        assert not asyncio.run(ask()).decide(URL, crawler="mybot").permitted


def test_a_policy_does_not_speak_of_another_site() -> None:
    """A handler that followed a redirect by itself brings a response that nobody judged; all is prohibited then."""
    moved = response(b"<a href='/x'>", robots=b"User-agent: *\nAllow: /\n")
    moved = moved.replace(url="https://elsewhere.example/")
    policy = robots_of(moved)
    assert policy is not None
    decision = follow(moved, "https://elsewhere.example/x")
    assert decision is not None
    assert (decision.permitted, decision.kind) == (False, "unreachable")


@pytest.mark.parametrize(
    ("url", "permitted"),
    [
        ("https://www.example.com/open", True),
        ("https://www.example.com/closed", False),
        ("https://www.example.com/closed#part", False),
        ("https://WWW.example.com:443/closed", False),
        ("https://www.example.com/both", True),
        ("https://www.example.com/s?b=2&a=1", False),
        ("https://www.example.com/caf%C3%A9", False),
        ("https://www.example.com/unlinked", True),
        (URL + "#again", None),
    ],
)
def test_a_request_is_judged_as_the_link_it_was_made_of(url: str, permitted: bool | None) -> None:
    """Spellings that Scrapy's duplicate filter takes for one are one."""
    links = """<a href=/open>1</a><a href=/closed rel=nofollow>2</a><a href=/both rel=ugc>3</a><a href=/both>4</a>
        <a href='/s?a=1&amp;b=2' rel=sponsored>5</a><a href=/café rel=nofollow>6</a><a rel=nofollow>7</a>"""
    decision = follow(response(links.encode(), encoding="utf-8"), url)
    assert (None if decision is None else decision.permitted) is permitted


@pytest.mark.parametrize("query", ["q=%E9", "q=%C3%A9"])
def test_a_link_is_known_in_the_encoding_of_its_page(query: str) -> None:
    """Scrapy may write a query in the encoding of the page, or in UTF-8."""
    page = response("<a href='/s?q=é' rel=nofollow>1</a>".encode("latin-1"), encoding="latin-1")
    decision = follow(page, f"https://www.example.com/s?{query}")
    assert decision is not None
    assert not decision.permitted


@pytest.mark.parametrize("coding", ["plain", "gzip"])
def test_the_entries_of_a_sitemap_are_not_links(coding: str) -> None:
    """A publisher made the list for crawlers; its header speaks of the list."""
    import gzip

    body = b"<?xml version='1.0'?><urlset></urlset>"
    body = gzip.compress(body) if coding == "gzip" else body
    listed = response(body, kind=Response, headers={"X-Robots-Tag": "nofollow"})
    assert is_list(listed)
    assert follow(listed, "https://www.example.com/x") is None
    assert is_list(response(b"Sitemap: /s.xml", kind=TextResponse, url="https://www.example.com/robots.txt"))
    assert not is_list(response(b"<urlset>"))


def test_the_usable_content_leaves_out_what_may_not_be_used() -> None:
    """Who asks is who fetched the page."""
    page = response(b"<p>Ours.<p class='the-acap:disallow-index'>Theirs.", robots=b"User-agent: *\nAllow: /\n")
    assert usable(page, "index").text == "Ours."
    assert usable(page, "preserve").text == "Ours.\nTheirs."
    closed = response(b"<p>Ours.", robots=b"ACAP-crawler: *\nACAP-disallow-index: /\n")
    assert usable(closed).text == ""


def test_the_usable_content_needs_someone_who_asks() -> None:
    """A response that came by no policy is not guessed at."""
    page = response(b"<p>Ours.")
    with pytest.raises(ValueError, match="give `crawler`"):
        usable(page)
    assert usable(page, crawler="mybot").text == "Ours."


# --- origins ----------------------------------------------------------------------------------------------------------


def test_an_item_is_known_by_its_identity() -> None:
    """An equal item is another one."""
    origins, page, item = Origins(), response(b"<p>"), {"a": 1}
    origins.note(item, page)
    found = origins.of(item)
    assert found is not None
    assert found.url == URL
    assert origins.of(dict(item)) is None
    other = [1]
    origins.note(other, None)
    assert origins.of(other) is NOWHERE


def test_items_are_not_held_longer_than_their_response() -> None:
    """Neither items that Scrapy is done with stay, nor those whose response is gone."""
    origins, page, kept = Origins(), response(b"<p>"), {"a": 1}
    origins.note(kept, page)
    origins.forget(kept)
    assert len(origins) == 0
    origins.note({"b": 2}, page)
    assert len(origins) == 1
    del page
    gc.collect()
    assert len(origins) == 0


def test_an_item_keeps_its_origin_when_one_with_its_number_goes() -> None:
    """Python gives the number of what is gone to what is new: a response that ends takes its own items alone along."""
    origins, page, item = Origins(), response(b"<p>"), {"a": 1}
    origins.note({"b": 2}, page)
    origins._of[page][1].append(id(item))  # the number of an item of that page that Scrapy was done with
    other = response(b"<p>other")
    origins.note(item, other)
    del page
    gc.collect()
    assert origins.of(item) is not None


# --- counts, guard, parser --------------------------------------------------------------------------------------------


def test_the_number_of_counted_rules_is_bounded() -> None:
    """A site with thousands of rules does not fill the stats."""
    stats = MemoryStatsCollector(get_crawler())
    counts = Counts(stats)
    for number in range(MAX_RULES + 5):
        policy = parse_robots(f"User-agent: *\nDisallow: /{number}\n", url=f"https://s{number}.example/")
        counts.decided("crawl", policy.decide(f"/{number}", crawler=MYBOT))
    assert stats.get_value("acap/crawl/prohibited/statement") == MAX_RULES + 5
    assert stats.get_value("acap/crawl/rule/others") == 5


def test_the_resolver_judges_what_its_cache_says(caplog: pytest.LogCaptureFixture) -> None:
    """A private address from the cache fails, one of a host that is opened does not (DNS rebinding)."""
    resolver = GuardedResolver(None, 10, 1.0)  # type: ignore[arg-type]  # a stand-in
    resolver.private_hosts = frozenset({"opened.example"})
    results: dict[str, Any] = {}
    addresses = {"opened.example": "10.0.0.1", "closed.example": "10.0.0.1", "public.example": "93.184.216.34"}
    try:
        for name, address in addresses.items():
            dnscache[name] = address
            resolver.getHostByName(name).addBoth(partial(results.__setitem__, name))
    finally:
        for name in addresses:
            dnscache.pop(name)
    assert results["opened.example"] == "10.0.0.1"
    assert results["public.example"] == "93.184.216.34"
    assert "private (RFC 1918)" in str(results["closed.example"].value)
    assert "not of the public internet" in caplog.text


@pytest.mark.parametrize(
    ("url", "agent", "allowed"),
    [
        ("https://example.com/a", "mybot/1.0 (+https://bot.example)", True),
        ("https://example.com/private", b"mybot", False),
        (b"https://example.com/hidden", "mybot", False),
        ("https://example.com/a", "", False),
    ],
)
def test_the_parser_of_scrapy_is_replaced(url: str | bytes, agent: str | bytes, allowed: bool) -> None:
    """Octets and text, conventional lines and ACAP; a crawler without a name may nothing."""
    text = b"User-agent: mybot\nDisallow: /private\nCrawl-delay: 2.5\nACAP-crawler: *\nACAP-disallow-crawl: /hidden\n"
    parser = RobotParser.from_crawler(get_crawler(), text)
    assert parser.allowed(url, agent) is allowed
    assert parser.crawl_delay("mybot") == 2.5
    assert parser.crawl_delay("otherbot") is None
    assert RobotParser.from_crawler(None, b"").allowed(url, "mybot")


@pytest.mark.parametrize("name", RESPONSES)
def test_a_response_says_what_its_carriers_say(name: str) -> None:
    """Packed octets, metadata of pictures and cut pages prohibit here as they do wherever octets are read."""
    octets, headers = RESPONSES[name]
    url = "https://a.example/z"
    found = carriers(octets, url=url, headers=headers)
    # What Scrapy has received is whole unless it says otherwise: it has decoded it, and left the length.
    flags = ["dataloss"] if name == "a cut page" else []
    said = page_of(Response(url, headers=dict(headers), body=octets, flags=flags, request=Request(url)))
    assert said is not None
    for usage in ("index", "tdm", "preserve"):
        wanted = decide(url, crawler="bot", usage=usage, page=found.page, others=found.others)
        assert decide(url, crawler="bot", usage=usage, page=said).outcome == wanted.outcome
