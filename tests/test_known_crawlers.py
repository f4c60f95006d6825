"""The list of known crawlers: what it holds, whom a name means, and what was meant by one it does not hold."""

from __future__ import annotations

from collections import Counter
from datetime import date
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acap.publish import known_crawlers
from acap.publish.known_crawlers import PURPOSES, as_of, crawlers, known, nearest
from acap.robots import parse_robots
from tests.test_rep_corpus import corpus


def test_the_list_is_dated_and_long() -> None:
    """It has a date, and more than 150 crawlers that are run."""
    assert as_of() >= date(2026, 11, 21)
    assert sum(not one.retired for one in crawlers()) >= 150


def test_every_purpose_has_crawlers() -> None:
    """Search, AI, archives, legal deposit and the rest are all there, and nothing is for a purpose without name."""
    assert {purpose for one in crawlers() for purpose in one.purposes} == set(PURPOSES)


def test_each_crawler_stands_once() -> None:
    """No two entries differ in case alone, for crawlers compare names without it."""
    names = [one.name.lower() for one in crawlers()]
    assert len(names) == len(set(names))
    assert names == sorted(names)


def test_every_entry_is_whole() -> None:
    """Each has a name, an operator, a purpose, and a page that is a URL if it has one."""
    for one in crawlers():
        assert one.name == one.name.strip()
        assert one.operator
        assert one.purposes
        if one.page is not None:
            assert urlsplit(one.page).scheme in ("http", "https")
            assert urlsplit(one.page).netloc


def test_who_asks_instead_of_a_retired_crawler_is_known_and_run() -> None:
    """A new name leads to a crawler that is run, and only retired crawlers have one."""
    for one in crawlers():
        if one.instead is not None:
            successor = known(one.instead)
            assert one.retired
            assert successor is not None
            assert not successor.retired


def test_what_is_meant_by_a_wrong_name_is_known() -> None:
    """Each name that stands for an operator leads to a crawler, and is none itself."""
    for written in known_crawlers._meant():
        assert known(written) is None
        meant = nearest(written)
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
    assert [one.name for one in crawlers() if nearest(one.name) is not None] == []


@given(st.text(max_size=60))
def test_any_text_may_be_asked_about(text: str) -> None:
    """Nothing raises, and what is nearest is known."""
    meant = nearest(text)
    assert meant is None or (known(text) is None and known(meant) is not None)


@given(st.data())
def test_one_slip_leads_back_or_to_another_crawler(data: st.DataObject) -> None:
    """A name of eight letters with one of them doubled is that name, another one, or near one."""
    name = data.draw(st.sampled_from([one.name for one in crawlers() if len(one.name) >= 8 and one.name.isalpha()]))
    at = data.draw(st.integers(0, len(name) - 1))
    written = name[:at] + name[at] + name[at:]
    assert known(written) is not None or nearest(written) is not None


def test_crawlers_that_many_sites_address_are_known() -> None:
    """Every name that sixty files of the corpus address is in the list."""
    count: Counter[str] = Counter()
    for file in corpus():
        count.update({name.lower() for name in parse_robots(file["robots"].encode("latin-1")).crawlers if name != "*"})
    assert [name for name, files in count.items() if files >= 60 and known(name) is None] == []
