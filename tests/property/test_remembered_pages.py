"""The statements of pages that declare the same are remembered, and nothing of a page is told of another."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest

import acap
from acap.pages import statements
from acap.usages import PARENTS
from tests.portions import at_length
from tests.property.page_strategies import generate_page

URLS = ("http://one.example/a", "http://one.example/b/c", "https://two.example/a")
NAMES = ("robots", "robots", "robots", "bot", "otherbot", "og:title", "description")
CONTENTS = (
    "noindex", "nofollow", "noarchive", "noarchive, nocache", "noimageindex", "max-snippet:20", "ACAP disallow-index",
    "ACAP allow-index", "ACAP allow-index location=/a", "ACAP allow-index location=http://one.example/a",
    "ACAP allow-(brief)", "ACAP disallow-(brief)", "ACAP news disallow-follow", "ACAPP disallow-index", "A ferry",
)  # fmt: skip
TAGS = (
    *(f'<meta name="{name}" content="{content}">' for name in NAMES for content in CONTENTS),
    *["<meta name=tdm-reservation content=1>", "<body><meta name=tdm-reservation content=0>", "<body>", "<meta>"] * 4,
    *["<p class=the-acap:disallow-index>x", "<p data-nosnippet>y", "<template><meta name=robots content=none>"] * 2,
    *["<link rel=license type=application/rsl+xml href=/l.xml>"] * 4,
)
HEADERS = (
    *(("X-Robots-Tag", content) for content in CONTENTS),
    *[("Content-Type", "image/png"), ("Content-Type", "text/html"), ("Content-Usage", "train-ai=n")] * 4,
    *[("TDM-Reservation", "1"), ("tdm-policy", "/terms.json"), ("tdm-policy", "https://one.example/terms")] * 4,
    *[("Link", '</licence.xml>; rel="license"; type="application/rsl+xml"'), ("Date", "today")] * 4,
)
ASKERS = (
    "bot",
    acap.Crawler("otherbot", elements=False),
    acap.Crawler("bot", profile="bing"),
    acap.Crawler("otherbot", profile="bing"),
    acap.Crawler("bot", profile="google", licensee=acap.Licensee()),
)
LINES = b"##ACAP version=1.0\nACAP-qualified-usage: brief present max-length=9-words\nUser-agent: *\nDisallow: /b/\n"
RESERVED = acap.parse_tdmrep(b'[{"location": "/*", "tdm-reservation": 1}]', url="http://one.example")
PERMITTING = b"""<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license><permits type="usage">all</permits>
</license></content></rsl>"""
LICENCES = acap.RslLicences(documents={f"http://{host}.example/licence.xml": PERMITTING for host in ("one", "two")})
NOON = datetime(2025, 6, 30, 12, tzinfo=UTC)


def told(
    html: str | None,
    headers: list[tuple[str, str]],
    url: str,
    *,
    certain: bool,
    others: list[Any],
    alone: bool,
) -> list[Any]:
    """Everything that a page says, and what it comes to for each asker and usage; `alone`: nothing is remembered."""
    page = acap.parse_page(html, url=url, headers=headers, certain=certain)
    robots = acap.parse_robots(LINES, url=url)
    found: list[Any] = []
    for crawler in ASKERS:
        for policy in (None, robots):
            if alone:
                statements._remembered.clear()
                page = acap.parse_page(html, url=url, headers=headers, certain=certain)
            asking = page.asking(crawler=crawler, at=NOON, robots=policy, others=others)
            for usage, one in asking.decide_each(tuple(PARENTS)).items():
                found += [usage, one.outcome, one.restrictions, one.conditions, one.reason]
    said = [(one.source, one.text, one.line, one.element, one.usage, one.outcome) for one in page.statements()]
    return [found, said, page.problems]


def alone_and_after_others(*page: Any, **named: Any) -> tuple[list[Any], list[Any]]:
    """What is told of a page as if none had been read before, and after all that were."""
    kept = dict(statements._remembered)
    alone = told(*page, **named, alone=True)
    statements._remembered.clear()
    statements._remembered.update(kept)
    return alone, told(*page, **named, alone=False)


@pytest.mark.portion
@pytest.mark.parametrize("seed", range(4))
def test_a_page_is_told_of_as_if_none_had_been_read_before(seed: int) -> None:
    """Whatever was remembered of pages with few other declarations."""
    statements._remembered.clear()
    chance = Random(seed)
    found = 0
    for _ in range(4_000 if at_length() else 120):
        tags = "".join(chance.choices(TAGS, k=chance.choice((0, 1, 1, 1, 2))))
        html = None if chance.random() < 0.2 else f"<head><title>t</title>{tags}"
        headers = chance.choices(HEADERS, k=chance.choice((0, 0, 1, 1, 2)))
        named = {"certain": chance.random() < 0.9, "others": chance.choice(([], [], [RESERVED]))}
        before = len(statements._remembered)
        alone, after = alone_and_after_others(html, headers, chance.choice(URLS), **named)
        found += len(statements._remembered) == before
        assert after == alone, (html, headers)
    assert found


def head(*tags: str) -> str:
    return f"<head><title>t</title>{''.join(tags)}"


BREAKS = head("<meta name=robots content='ACAP allow-index location=/a'>")
LOCAL = head("<meta name=robots content='ACAP allow-(brief)'>")
MINING = "<meta name=tdm-reservation content=0>"
TERMS = [("TDM-Reservation", "1"), ("tdm-policy", "/terms.json")]
IMAGES = [("X-Robots-Tag", "noimageindex")]
LINK = [("Link", '</licence.xml>; rel="license"; type="application/rsl+xml"')]
ALIKE = {
    "a location": [(BREAKS, [], url) for url in URLS],
    "a local usage": [(LOCAL, [], url) for url in URLS],
    "terms relative to the page": [("", TERMS, url) for url in URLS],
    "mining, in the head or not": [(head(*tags), [], URLS[0]) for tags in ((MINING,), ("<body>", MINING), ())],
    "the images of a page, or one": [
        (html, [*IMAGES, ("Content-Type", kind)], URLS[0]) for html in (None, "") for kind in ("image/png", "text/html")
    ],
    "places": [(head("<meta name=author content=a>" * times, TAGS[0]), [], URLS[0]) for times in (0, 2)],
    "licences": [("", headers, url) for headers in ([], LINK) for url in URLS],
    "one name of several": [("", [("X-Robots-Tag", "otherbot: nocache"), ("X-Robots-Tag", "noarchive")], URLS[0])] * 2,
}


@pytest.mark.parametrize("variants", ALIKE.values(), ids=ALIKE)
def test_pages_that_declare_almost_the_same_are_told_apart(variants: list[Any]) -> None:
    """In any order, and whatever stands beside them."""
    asked = [(page, others) for page in variants for others in ([], [RESERVED], [LICENCES])]
    for order in (asked, asked[::-1]):
        statements._remembered.clear()
        for page, others in order:
            alone, after = alone_and_after_others(*page, certain=True, others=others)
            assert after == alone, page


def test_a_page_is_told_of_as_if_it_had_not_been_read_elsewhere() -> None:
    """Whatever its declarations are."""
    statements._remembered.clear()
    chance = Random(1)
    for _ in range(30):
        case = generate_page(chance)
        for url in URLS:
            alone, after = alone_and_after_others(case.page, list(case.headers), url, certain=True, others=[])
            assert after == alone, (case.page, case.headers)
    assert statements._remembered
