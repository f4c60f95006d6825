"""The list of known crawlers: what it holds, whom a name means, and what was meant by one it does not hold."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import acap
from acap import _native, crawler_list
from acap.crawler_list import PURPOSES, as_of, known, known_crawlers, nearest, seeds
from acap.crawlers import Crawler
from acap.robots import parse_robots
from acap.usages import USAGES
from tests.test_rep_corpus import corpus
from tools.crawlers import LIST, SEEDS, operator_of, product, refreshed, written

HELD: dict[str, Any] = json.loads(LIST.read_text(encoding="utf-8"))
URL = {"type": "string", "pattern": "^https?://[^/\\s]+\\.[^\\s]*$"}
TEXT = {"type": "string", "pattern": "^\\S(.*\\S)?$"}
DAY = {"type": "string", "pattern": "^\\d{4}-\\d\\d-\\d\\d$"}


def some(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "minItems": 1, "uniqueItems": True, "items": items}


def table(required: str, **properties: Any) -> dict[str, Any]:
    """An object with these keys alone."""
    return {"type": "object", "required": required.split(), "additionalProperties": False, "properties": properties}


ROW = table(
    "name operator for",
    name=TEXT,
    operator=TEXT,
    page=URL,
    retired={"const": True},
    instead=TEXT,
    token_only={"const": True},
    fallback=some(TEXT),
    verified={"enum": list(HELD["verification"])},
    control=table(
        "usages crawlers", usages=some({"enum": list(USAGES)}), crawlers=some(TEXT), obeys_any={"const": False}
    ),
    seeds=some({"enum": list(SEEDS)}),
    **{"for": some({"enum": list(PURPOSES)})},
)
VERIFICATION = table(
    "", host_suffixes=some({"type": "string", "pattern": "^\\.[a-z0-9.-]+$"}), addresses=URL, signatures=URL
)
SCHEMA = table(
    "date seeds verification meant crawlers",
    date=DAY,
    seeds={"type": "object", "additionalProperties": table("url licence date", url=URL, licence=TEXT, date=DAY)},
    verification={"type": "object", "additionalProperties": {**VERIFICATION, "minProperties": 1}},
    meant={"type": "object", "additionalProperties": TEXT},
    crawlers={"type": "array", "items": ROW},
)


def test_the_list_is_dated_and_long() -> None:
    """It has a date, and more than 150 crawlers that are run."""
    assert as_of() >= date(2026, 11, 21)
    assert sum(not one.retired for one in known_crawlers()) >= 150


def test_every_purpose_has_crawlers() -> None:
    """Search, AI, archives, legal deposit and the rest are all there, and nothing is for a purpose without name."""
    assert {purpose for one in known_crawlers() for purpose in one.purposes} == set(PURPOSES)


def test_each_crawler_stands_once() -> None:
    """No two entries differ in case alone, for crawlers compare names without it."""
    names = [one.name.lower() for one in known_crawlers()]
    assert len(names) == len(set(names))
    assert names == sorted(names)


def test_every_entry_is_whole() -> None:
    """Each has a name, an operator, a purpose, and a page that is a URL if it has one."""
    for one in known_crawlers():
        assert one.name == one.name.strip()
        assert one.operator
        assert one.purposes
        if one.page is not None:
            assert urlsplit(one.page).scheme in ("http", "https")
            assert urlsplit(one.page).netloc


def test_who_asks_instead_of_a_retired_crawler_is_known_and_run() -> None:
    """A new name leads to a crawler that is run, and only retired crawlers have one."""
    for one in known_crawlers():
        if one.instead is not None:
            successor = known(one.instead)
            assert one.retired
            assert successor is not None
            assert not successor.retired


def test_what_is_meant_by_a_wrong_name_is_known() -> None:
    """Each name that stands for an operator leads to a crawler, and is none itself."""
    for wrong in crawler_list._misnomers():
        assert known(wrong) is None
        meant = nearest(wrong)
        assert meant is not None
        assert known(meant) is not None


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Googlebot", "Googlebot"),
        ("GOOGLEBOT", "Googlebot"),
        ("Googlebot/2.1", "Googlebot"),
        ("Googlebot*", "Googlebot"),
        ("Googlebot-Image", "Googlebot-Image"),
        ("  GPTBot ", "GPTBot"),
        ("WebZIP/4.0", "WebZIP"),
        ("Baiduspider+(+http://www.baidu.com/search/spider.htm)", "Baiduspider"),
        ("Sogou web spider", "Sogou web spider"),
        ("Sogou web spider/4.0", "Sogou web spider"),
        ("HTTrack 3.0", "HTTrack"),
        ("Xenu's Link Sleuth 1.1c", "Xenu's Link Sleuth"),
        ("bnf.fr_bot", "bnf.fr_bot"),
        ("360Spider", "360Spider"),
        ("008", "008"),
    ],
)
def test_a_name_is_found_as_crawlers_read_it(written: str, name: str) -> None:
    """Case, version and what follows the product name do not matter."""
    found = known(written)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize("written", ["", "*", "*bot", "Zzyzxbot", "Google Bot", "web spider", "Screaming Frog", "bot"])
def test_a_name_of_nobody_is_not_known(written: str) -> None:
    """A part of a name, or one that only resembles it, is not the name."""
    assert known(written) is None


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Gogglebot", "Googlebot"),
        ("Googelbot", "Googlebot"),
        ("Googlebott", "Googlebot"),
        ("Goglebot", "Googlebot"),
        ("Google Bot", "Googlebot"),
        ("google_bot", "Googlebot"),
        ("GPT-Bot", "GPTBot"),
        ("Claude Bot", "ClaudeBot"),
        ("ClaudBot", "ClaudeBot"),
        ("Perplexity Bot", "PerplexityBot"),
        ("OpenAI", "GPTBot"),
        ("Yahoo! Slurp", "Slurp"),
        ("Baidu", "Baiduspider"),
        ("acebookexternalhit", "facebookexternalhit"),
        ("archive.org", "archive.org_bot"),
    ],
)
def test_a_slip_leads_to_the_name_that_was_meant(written: str, meant: str) -> None:
    """One letter too many, too few, wrong or changed over, other marks between, or an operator's name."""
    assert nearest(written) == meant


@pytest.mark.parametrize(
    "written",
    ["", "*", "Zzyzxbot", "SearchBot1", "a", "bot", "MJ13bot", "Spider", "factbot", "Snapbot", "Zitebot", "fastbot"],
)
def test_a_name_that_is_near_none_is_left_alone(written: str) -> None:
    """Names of other crawlers, another digit and short words are no slips."""
    assert nearest(written) is None


def test_nothing_is_nearest_to_a_known_name() -> None:
    """A name that is known was meant."""
    assert [one.name for one in known_crawlers() if nearest(one.name) is not None] == []


@given(st.text(max_size=60))
def test_any_text_may_be_asked_about(text: str) -> None:
    """Nothing raises, and what is nearest is known."""
    meant = nearest(text)
    assert meant is None or (known(text) is None and known(meant) is not None)


@given(st.data())
def test_one_slip_leads_back_or_to_another_crawler(data: st.DataObject) -> None:
    """A name of eight letters with one of them doubled is that name, another one, or near one."""
    names = [one.name for one in known_crawlers() if len(one.name) >= 8 and one.name.isalpha()]
    name = data.draw(st.sampled_from(names))
    at = data.draw(st.integers(0, len(name) - 1))
    written = name[:at] + name[at] + name[at:]
    assert known(written) is not None or nearest(written) is not None


def test_crawlers_that_many_sites_address_are_known() -> None:
    """Every name that sixty files of the corpus address is in the list."""
    count: Counter[str] = Counter()
    for file in corpus():
        count.update({name.lower() for name in parse_robots(file["robots"].encode("latin-1")).crawlers if name != "*"})
    assert [name for name, files in count.items() if files >= 60 and known(name) is None] == []


def test_the_list_keeps_to_its_schema() -> None:
    """Every key and value of the file is one that is known here."""
    assert [f"{error.json_path}: {error.message}" for error in Draft202012Validator(SCHEMA).iter_errors(HELD)] == []


def test_the_list_is_kept_one_row_a_line() -> None:
    """A refresh changes the lines of the crawlers that changed."""
    assert LIST.read_text(encoding="utf-8") == written(HELD)


def test_names_that_a_row_leads_to_are_known() -> None:
    """A crawler falls back to, and a token decides for, crawlers of the list; a token's are of its operator."""
    for one in known_crawlers():
        assert [name for name in one.fallback if known(name) is None] == []
        assert one.name not in one.fallback
        for name in one.control.crawlers if one.control else ():
            asks = known(name)
            assert asks is not None
            assert (asks.operator, asks.token_only) == (one.operator, False)


def test_only_a_token_for_robots_txt_controls() -> None:
    """What a request carries is a crawler, and its group is about its own fetches; Yandex alone says otherwise."""
    assert [one.name for one in known_crawlers() if one.control and not one.token_only] == ["YandexAdditionalBot"]


def test_decisions_obey_the_tokens_of_the_list() -> None:
    """The table of the native core is that of the list."""
    listed = [(one.name, *one.control) for one in known_crawlers() if one.control]
    native = [(name, tuple(uses), tuple(of), obeys_any) for name, uses, of, obeys_any in _native.control_tokens()]
    assert native == listed


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("Applebot", ("Applebot", "Googlebot")),
        ("bingbot", ("Bingbot", "msnbot")),
        ("Googlebot-News", ("Googlebot-News", "Googlebot")),
        ("GPTBot/1.2", ("GPTBot",)),
    ],
)
def test_a_known_crawler_asks_by_its_names_in_order(name: str, names: tuple[str, ...]) -> None:
    """Its own name first, then those whose group it obeys."""
    assert Crawler.known(name).names == names


def test_the_fallback_of_a_crawler_is_read_from_its_row_alone() -> None:
    """It is what the whole list says, for every name in any case."""
    assert [one.name for one in known_crawlers() if crawler_list.fallback(one.name.upper()) != one.fallback] == []
    assert crawler_list.fallback("Zzyzxbot") == crawler_list.fallback('x"') == ()


def test_a_known_crawler_obeys_the_group_it_falls_back_to() -> None:
    """Applebot hears the group of Googlebot where it has none of its own."""
    robots = parse_robots(b"User-agent: Googlebot\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n")
    applebot = Crawler.known("Applebot", profile="google")
    assert [robots.decide(path, crawler=applebot).permitted for path in ("/a", "/b")] == [False, True]


def test_a_crawler_that_is_not_known_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(ValueError, match="is it `Googlebot`"):
        Crawler.known("Gogglebot")
    with pytest.raises(ValueError, match=r"no crawler `Zzyzxbot` is known$"):
        Crawler.known("Zzyzxbot")


def test_how_operators_let_their_crawlers_be_recognised() -> None:
    """By the name of the host, a list of addresses, or keys."""
    found = {name: one.verification for name in ("Googlebot", "ChatGPT Agent", "Bytespider") if (one := known(name))}
    google, agent = found["Googlebot"], found["ChatGPT Agent"]
    assert google is not None
    assert google.host_suffixes == (".googlebot.com",)
    assert agent is not None
    assert agent.signatures
    assert found["Bytespider"] is None


def test_a_token_says_what_it_decides() -> None:
    """Google-Extended is about AI uses of what Google's crawlers fetch."""
    token = known("Google-Extended")
    assert token is not None
    assert token.token_only
    assert token.control is not None
    assert token.control.usages == ("ai-train", "ai-input")
    assert "Googlebot" in token.control.crawlers


def test_a_row_tells_which_free_lists_have_it() -> None:
    """Each list has an address, a licence and a date."""
    found = known("GPTBot")
    assert found is not None
    assert {seeds()[name].licence for name in found.seeds} == {"MIT"}


NOVEMBER = date(2026, 11, 23)
REFRESH = {
    "NewBot": {"operator": "[New Corp](https://new.example/bot)", "function": "Training of AI models"},
    "OldBot/2.0": {"operator": "Old", "function": "AI Search Crawlers"},
    "Puzzle": {"operator": "Unclear at this time.", "function": "AI Assistants"},
}


def test_a_refresh_adds_what_a_list_is_clear_about_and_tells_the_rest() -> None:
    """A row that is there keeps all that operators publish; a version is no other crawler."""
    old = {"name": "OldBot", "operator": "Old", "for": ["search"], "page": "https://old.example/"}
    held = {"date": "2026-01-01", "seeds": {}, "verification": {}, "meant": {}, "crawlers": [old]}
    found, unclear = refreshed(
        held, REFRESH, {r"OldBot\/": "https://other.example/bot", "[Ss]omething": None}, NOVEMBER
    )
    assert unclear == ["Puzzle"]
    assert found["date"] == "2026-11-23"
    assert found["crawlers"] == [
        {
            "name": "NewBot",
            "operator": "New Corp",
            "for": ["ai-train"],
            "page": "https://new.example/bot",
            "seeds": ["ai.robots.txt"],
        },
        {**old, "seeds": ["crawler-user-agents"]},
    ]
    again, _ = refreshed(found, REFRESH, {r"OldBot\/": None}, date(2026, 12, 24))
    assert again["crawlers"] == found["crawlers"]
    assert again["date"] == "2026-11-23"


def test_a_row_without_a_page_gets_that_of_its_operator() -> None:
    """No home page, no page of a directory; the page that a row has stays."""
    rows = [{"name": name, "operator": "A", "for": ["search"]} for name in ("Abot", "Bbot", "Cbot")]
    held = {"date": "2026-01-01", "seeds": {}, "verification": {}, "meant": {}, "crawlers": rows}
    links = {
        "Abot": {"operator": "[A](https://a.example/)", "respect": "[Yes](https://docs.a.example/crawler)"},
        "Bbot": {"operator": "[B](https://b.example)"},
    }
    urls = {
        r"Abot\/": "https://a.example/bot",
        "Bbot": "https://knownagents.com/agents/bbot",
        "Cbot": "http://c.example/bot",
    }
    found, _ = refreshed(held, links, urls, NOVEMBER)
    pages = [row.get("page") for row in found["crawlers"]]
    assert pages == ["https://docs.a.example/crawler", None, "http://c.example/bot"]


def test_names_and_operators_of_the_lists_are_read() -> None:
    assert [product(pattern) for pattern in (r"Googlebot\/", "^Foo Bar", "(a|b)bot", "[wW]get")] == [
        "Googlebot", "Foo Bar", "", "",
    ]  # fmt: skip
    assert [operator_of(text) for text in ("[A](https://a.example), a firm", "Unclear at this time.")] == ["A", ""]


def test_the_list_is_one_call_and_may_be_asked_for_purposes() -> None:
    """`acap.known_crawlers()` has every crawler with operator, purposes and date, or those that are for a purpose."""
    listed = acap.known_crawlers()
    assert {one.as_of for one in listed} <= {listed.as_of, *(seed.date for seed in seeds().values())}
    assert all(one.operator and one.purposes for one in listed)
    assert list(acap.known_crawlers("ads", "seo")) == [one for one in listed if {"ads", "seo"} & set(one.purposes)]
    assert repr(listed) == f"<{len(listed)} known crawlers, as of {as_of()}>"
    with pytest.raises(ValueError, match=r"^purpose `training` is none of ads, ai-input"):
        acap.known_crawlers("training")
