"""The skeleton of a page is decided like the page, whoever asks: tags of several names, marks beside words, slips."""

from __future__ import annotations

import html
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import acap

URL = "http://site.example/a"
USAGES = ("index", "follow", "preserve", "present", "present-snippet", "present-oldcopy", "tdm", "ai-train")
NAMES = (
    *("robots", "Robots ", "rob\u00adots", "robots\u200b", "\u200brobots", "robots, a", "*", "# all", ""),
    *("a", "b", "b\u200b", "a x", "a/1.0", "googlebot", "description", "dc.title"),
    *("tdm-reservation", "TDM-Reservation", "tdm-reservation\u200b"),
)
MARKS = (
    *("ACAP", "ACAP disallow-index", "ACAP allow-index", "ACAP allow-present max-length=5-words", "ACAP Version 1.0"),
    *("ACAP news allow-preserve", "ACAP allow-preserve location=http://other.example/b", "ACAP allow-(loc)"),
    *(
        "AACP disallow-present",
        "ACAP\u200b disallow-index",
        "ACAP x disallow-index y allow-follow",
        "disallow-index ACAP",
    ),
    *("ACAP Version 1.1", "ACAP allow-index time-limit=xx", "\u201cACAP allow-follow", "acap"),
)
WORDS = (
    *("all", "index", "noindex", "nosnippet", "noarchive nocache", "noai, noml", "max-snippet:5", "max-snippet:x"),
    *("nofollow;", "unavailable_after: 2020-01-01", "notranslate", "lead", "no\u200bindex", "0", "1", "yes"),
)
ELEMENTS = (
    "",
    '<p class="the-acap:disallow-present">s</p>',
    '<div class="acap:allow-index"><p class="the-acap:disallow-index" data-nosnippet>s</p></div>',
)
HEADERS = ((), (("X-Robots-Tag", "noindex"),), (("X-Robots-Tag", "ACAP disallow-index"),), (("TDM-Reservation", "1"),))
ROBOTS = tuple(
    acap.parse_robots(octets, url="http://site.example/robots.txt")
    for octets in (
        b"",
        b"ACAP-crawler: b\nACAP-disallow-present: /\nACAP-disallow-index: /\nACAP-disallow-preserve: /\n",
        b"ACAP-qualified-usage: loc index max-length=3-words\nACAP-crawler: *\nACAP-disallow-other: /\n",
    )
)
CRAWLERS: tuple[Any, ...] = (
    "a",
    "b",
    acap.Crawler("a", "b"),
    acap.Crawler("b", "a", profile="bing", silence={"other": "prohibited"}),
    acap.Crawler("googlebot", "tdm-reservation", profile="google", elements=False),
)

contents = st.one_of(
    st.sampled_from(MARKS),
    st.lists(st.sampled_from((*WORDS, *WORDS, *MARKS)), min_size=1, max_size=3).map(", ".join),
)
metas = st.lists(st.tuples(st.sampled_from(NAMES), contents), min_size=1, max_size=4)


@given(metas, st.sampled_from(ELEMENTS), st.sampled_from(HEADERS), st.sampled_from(("", "</html>", "broken")))
def test_a_skeleton_is_decided_like_its_page(
    tags: list[tuple[str, str]], elements: str, headers: tuple[tuple[str, str], ...], xhtml: str
) -> None:
    """Nothing that a tag says, names or reserves is lost where only a part of it is kept."""
    end = "/>" if xhtml else ">"
    text = "".join(f'<meta name="{html.escape(name)}" content="{html.escape(said)}"{end}' for name, said in tags)
    if xhtml:
        text = f'<html xmlns="http://www.w3.org/1999/xhtml"><head>{text}</head></html>'
        text = text if xhtml == "</html>" else text.removesuffix(xhtml).removesuffix("</html>")
        headers = (*headers, ("Content-Type", "application/xhtml+xml"))
    else:
        text += elements
    page = acap.parse_page(text, url=URL, headers=headers)
    kept = page.skeleton()
    for crawler, robots, usage in product(CRAWLERS, ROBOTS, USAGES):
        assert said(page, usage, crawler, robots) == said(kept, usage, crawler, robots), (usage, crawler, robots)
    assert kept.skeleton() == kept


@pytest.mark.parametrize(
    ("text", "usage"),
    [
        ("<meta name=b content='ACAP allow-present'><meta name=a content='all, ACAP'>", "present-link"),
        ("<meta name='robots\u200b' content='all, ACAP'>", "present-link"),
        ("<meta name=tdm-reservation content='yes, all'>", "tdm"),
        ("<meta name=tdm-reservation content='0, ACAP disallow-index'>", "index"),
    ],
    ids=["another name", "hidden name", "reservation", "reservation and mark"],
)
def test_a_mark_or_reservation_beside_words_stays(text: str, usage: str) -> None:
    """The words that count do not take the place of what else the tag says."""
    page = acap.parse_page(text, url=URL)
    for robots, crawler in product(ROBOTS, CRAWLERS):
        assert said(page, usage, crawler, robots) == said(page.skeleton(), usage, crawler, robots)


def said(page: acap.PagePolicy, usage: str, crawler: Any, robots: acap.RobotsPolicy) -> tuple[object, ...]:
    """What is decided: outcome, restrictions, kind of reason."""
    decision = page.decide(usage, crawler=crawler, robots=robots)
    held = [
        (each.name, each.usage, "" if each.name == "excluded-element" else each.value) for each in decision.restrictions
    ]
    return decision.outcome, sorted(held, key=repr), decision.reason.kind, decision.stated
