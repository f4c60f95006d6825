"""The skeleton of a page has none of its content, and is decided like the page."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable
from html import unescape
from random import Random
from types import SimpleNamespace
from typing import Any
from urllib.parse import urljoin

import pytest

import acap
from acap.archives.page_licences import licences_in
from acap.pages.html import PageTree
from acap.pages.skeleton import in_templates, tokens_of
from acap.usages import USAGES
from tests.hostile_pages import BOMBS, HEADERS, LIMITED, NEWS, OLD, harmed, headers_of, octets_of, sources
from tests.page_engines import arguments
from tests.page_vectors import URL, page_vectors
from tests.portions import portion
from tests.property.page_strategies import PageAsked, generate_page
from tests.property.vocabulary import SITE

ASKERS: tuple[Any, ...] = (
    "AnyBot",
    ("NewsBot", "bot"),
    acap.Crawler("NewsBot", profile="google"),
    acap.Crawler("otherbot", profile="bing"),
    acap.Crawler("bot", elements=False),
)
ROBOTS = acap.parse_robots(
    "ACAP-qualified-usage: brief index max-length=3-words\n"
    "ACAP-crawler: *\nACAP-allow-index: /\nACAP-allow-preserve: /\nACAP-disallow-present: /x\n"
    "ACAP-crawler: otherbot\nACAP-allow-other: /\nACAP-allow-follow: /",
    url="https://www.example.com/robots.txt",
)
USES = (*USAGES, "sing", ("index", "present"))
PURPOSES = (None, "news")


def said(page: acap.PagePolicy, **asked: Any) -> tuple[object, ...]:
    """What is decided: outcome, restrictions, kind of reason, number of excluded elements of each usage."""
    try:
        decision = page.decide(**asked)
    except ValueError as error:
        return (str(error),)
    held = Counter(
        (each.name, each.value if each.name != "excluded-element" else "", each.usage) for each in decision.restrictions
    )
    return decision.outcome, held, decision.reason.kind, decision.stated, decision.reason.truncated


def differences(page: acap.PagePolicy, questions: Iterable[dict[str, Any]]) -> list[object]:
    """The questions to which a page and what was stored of it have different answers."""
    kept = stored(page)
    found = ((asked, said(page, **asked), said(kept, **asked)) for asked in questions)
    return [each for each in found if each[1] != each[2]]


def stored(page: acap.PagePolicy) -> acap.PagePolicy:
    """The skeleton of a page, stored as octets and read again."""
    kept = page.skeleton()
    assert isinstance(kept.html, str) == (page.html is not None)
    html = None if kept.html is None else str(kept.html).encode().decode()
    again = acap.parse_page(html, url=kept.url, headers=kept.headers)
    assert again == kept
    assert again.skeleton() == again
    return again


def every_question(url: str | None = None, usages: Iterable[Any] = USES) -> list[dict[str, Any]]:
    """Every usage for each of several crawlers, purposes and sites."""
    asked = itertools.product(usages, ASKERS, PURPOSES, (None, ROBOTS))
    return [
        {"usage": usage, "crawler": crawler, "purpose": purpose, "robots": robots, "url": url}
        for usage, crawler, purpose, robots in asked
    ]


@pytest.mark.parametrize("vector", page_vectors(), ids=lambda vector: vector.name)
def test_the_skeleton_of_a_vector_is_decided_like_its_page(vector: Any) -> None:
    """What the vector asks, and every usage for several crawlers, whose profile is another with each usage."""
    page = acap.parse_page(vector.html, url=vector.url, headers=vector.headers)
    robots = None if vector.robots is None else acap.parse_robots(vector.robots[0], url=vector.robots[1])
    own = [
        {"usage": question.usage, "robots": robots, "url": vector.asked, **arguments(question)}
        for question, _ in vector.cases
    ]
    names = {name for question, _ in vector.cases for name in question.names}
    asked = (
        {"usage": usage, "crawler": crawler, "robots": robots, "url": vector.asked}
        for name in ("AnyBot", *names)
        for at, usage in enumerate(USAGES, sum(vector.name.encode()))
        for crawler in (acap.Crawler(name, profile=("generic", "google", "bing")[at % 3]),)
    )
    assert differences(page, [*own, *asked]) == []


@pytest.mark.portion
@pytest.mark.parametrize("part", range(4))
def test_the_skeleton_of_a_generated_page_is_decided_like_the_page(part: int) -> None:
    """Statements of every form, nested in every way, with the robots.txt and headers beside them.

    Of four hundred pages each second is tried, all in `make soak`.
    """
    for number in portion(range(100 * part, 100 * (part + 1)), 2):
        case = generate_page(Random(f"skeleton {number}"))
        page = acap.parse_page(case.page, url=case.url, headers=case.headers)
        lines = None if case.robots is None else b"\n".join(case.robots)
        robots = None if lines is None else acap.parse_robots(lines, url=f"{SITE}/robots.txt")
        asked = [{**question(one), "robots": robots, "url": case.asked_url} for one in case.questions]
        asked += [{**one, "usage": usage} for one in asked for usage in USAGES]
        assert differences(page, asked) == [], case.page
        assert not re.search(r"\bw[0-9]+\b", str(page.skeleton().html))


def question(one: PageAsked) -> dict[str, Any]:
    """A generated question as the package takes it."""
    names = (one.crawler,) if isinstance(one.crawler, str) else one.crawler
    more = {"honours": one.honours, "silence": one.silence, "elements": one.elements, "profile": one.profile}
    facts = None if one.facts is None else acap.Facts(**one.facts)
    crawler = acap.Crawler(*names, **more)  # type: ignore[arg-type]  # options of several types
    return {"usage": one.usage, "crawler": crawler, "purpose": one.purpose, "at": one.at, "facts": facts}


PAGES = sources()
FEW = ("crawl", "index", "present-snippet", "ai-input", "preserve", "sing")


@pytest.mark.parametrize("part", range(2))
def test_the_skeleton_of_a_harmed_page_is_decided_like_the_page(part: int) -> None:
    """Whatever was cut, spliced, doubled or flipped, as text and as octets."""
    questions = every_question(usages=FEW)
    for number in range(100 * part, 100 * (part + 1)):
        random = Random(f"page {number}")
        text = harmed(random, PAGES)
        page = acap.parse_page(text if number % 2 else octets_of(random, text), url=URL, headers=headers_of(random))
        assert differences(page, random.sample(questions, 30)) == [], text


@pytest.mark.portion
@pytest.mark.parametrize("name", sorted(set(BOMBS) - {"unavailable_after"}))  # `dates` are of the same kind, but fewer
def test_the_skeleton_of_a_bomb_is_decided_like_the_page(name: str) -> None:
    """Also where a limit makes everything prohibited: what was not read cannot be read better later."""
    page = acap.parse_page(BOMBS[name](), url=URL)
    assert differences(page, every_question(usages=("crawl", "index"))[3::20]) == []
    if name in LIMITED:
        asked = every_question(usages=("index", "follow", "preserve", "present", "tdm"))
        kept = page.skeleton()
        assert {kept.decide(**one).outcome for one in asked[::3]} == {"prohibited"}


@pytest.mark.parametrize("name", ["lines", "one word"])
def test_headers_decide_beside_a_skeleton_as_beside_the_page(name: str) -> None:
    """However long and however many they are."""
    page = acap.parse_page("<p>x", url=URL, headers=HEADERS[name]())
    assert differences(page, every_question(usages=("index",))[:2]) == []


def test_a_page_that_was_cut_stays_prohibited() -> None:
    """The part that was not read is in no skeleton, and neither is a permission."""
    from acap.pages.html import MAX_CHARACTERS

    page = acap.parse_page("<meta name=robots content='ACAP allow-index'><p>" + " " * MAX_CHARACTERS, url=URL)
    kept = stored(page)
    assert len(str(kept.html)) < 10_000
    assert {kept.decide(usage, crawler="bot").outcome for usage in ("index", "preserve", "tdm")} == {"prohibited"}
    assert kept.decide("crawl", crawler="bot").permitted
    assert differences(page, every_question(usages=FEW)) == []


def test_a_skeleton_whose_tree_would_cost_too_much_prohibits() -> None:
    """Of twenty thousand elements that one end tag closed at once the page is read, but each needs an end tag here."""
    deep = "<table><tr><td>" + "<span class='acap:disallow-follow'>" * 19_990 + "</table>"
    page = acap.parse_page(deep + "<p class='acap:allow-index'>x", url=URL)
    assert page.problems == ()
    kept = stored(page)
    assert [problem.code for problem in kept.problems] == ["page-too-much"]
    for usage in ("follow", "index", "preserve"):
        assert page.decide(usage, crawler="bot").permitted
        assert kept.decide(usage, crawler="bot").outcome == "prohibited"


HIDDEN = """<!doctype html><html lang=en><head><title>Secret title</title>
<meta name="description" content="Secret description"><meta name="dc.description" content="none of the secrets, follow">
<meta name="abstract" content="ACAP secret of a protocol"><meta property="og:title" content="Secret og">
<meta name="Bot of secret fame" content="noindex">
<link rel="canonical" href="/secret"><script>"secret"</script><style>/* secret */</style></head>
<body id="secret" class="secret the-acap:disallow-tdm" data-secret="secret"><!-- secret -->
<h1 class="secret-1 acap:disallow-follow acap:secret" title="secret">Secret</h1>
<p>secret<img alt="secret" data-nosnippet>
<a href="/secret" class="the-acap:disallow-index">secret</a><textarea data-nosnippet="secret">secret</textarea></p>
<template>secret</template><noscript>secret <meta name="robots" content="noarchive"></noscript></body></html>"""


def test_no_word_of_the_content_stays() -> None:
    """Text, ids, attributes, comments, titles, scripts and META elements that speak of the content are gone."""
    page = acap.parse_page(HIDDEN, url=URL, headers=[("X-Robots-Tag", "noai"), ("Set-Cookie", "secret")])
    kept = page.skeleton()
    assert "secret" not in f"{kept.html!r} {kept.headers}".lower()
    assert differences(page, every_question()) == []
    outcomes = {usage: str(kept.decide(usage, crawler="dc.description").outcome) for usage in ("index", "preserve")}
    assert outcomes == {"index": "prohibited", "preserve": "permitted"}


@pytest.mark.parametrize("text", [NEWS, OLD])
def test_no_word_of_a_text_stays_that_is_no_statements(text: str) -> None:
    """What people read of a page stands in its skeleton only where a statement has the same word."""
    page = acap.parse_page(text, url=URL)
    read = set(re.findall(r"\w{4,}", page.content_for("crawl", crawler="AnyBot").text.lower()))
    assert read
    assert read & set(re.findall(r"\w+", str(page.skeleton().html).lower())) == set()


def test_a_skeleton_looks_like_this() -> None:
    """META elements in their order, elements nested as they are, nothing else."""
    html = (
        '<title>x</title><meta name=Robots content="ACAP allow-index x=&quot;&amp;&#13;y">'
        '<body class="acap:disallow-follow"><section><p id=a data-nosnippet class="b the-acap:allow-index">x</p>'
        "<meta name=robots content=nofollow></section>"
    )
    kept = acap.parse_page(html.encode("utf-16"), url=URL, headers={"Content-Type": "text/html; charset=utf-16"})
    assert kept.skeleton().html == (
        "<!DOCTYPE html>\n<html><head>\n"
        '<meta name="Robots" content="ACAP allow-index x=&quot;&amp;&#13;y">\n'
        '<meta name="robots" content="nofollow">\n'
        "</head><body>\n"
        '<div class="acap:disallow-follow"><div class="the-acap:allow-index" data-nosnippet>\n'
        "</body></html>\n"
    )
    assert kept.skeleton().headers == (("content-type", "text/html; charset=utf-16"),)
    assert stored(kept).encoding is None


def test_headers_alone_have_a_skeleton_of_headers() -> None:
    """An image has no META elements; its headers that decide stay."""
    image = acap.parse_page(None, url=URL, headers=[("X-Robots-Tag", "noimageindex"), ("ETag", '"1"')])
    assert image.skeleton().html is None
    assert image.skeleton().headers == (("x-robots-tag", "noimageindex"),)
    assert differences(image, every_question()) == []


@pytest.mark.parametrize("named", ["/l.xml", "l.xml?a&amp;b", "//e.example/l.xml"])
@pytest.mark.parametrize("place", ["<head>", "<body><p>text"])
def test_a_script_that_names_a_licence_is_a_link_in_the_skeleton(place: str, named: str) -> None:
    html = f'<!doctype html>{place}<script type="application/rsl+xml" src="{named}"></script>'
    page = acap.parse_page(html, url=URL)
    bare = page.skeleton()
    assert [(urljoin(URL, one.target), one.text, one.is_whole) for one in page.licence_references()] == [
        (urljoin(URL, one.target), one.text, one.is_whole) for one in bare.licence_references()
    ]
    assert licences_in(URL, (("Content-Type", "text/html"),), html.encode()) == (urljoin(URL, unescape(named)),)


@pytest.mark.parametrize("terms", ["", "<!-- ours -->", "<!-- <script> -->"])
@pytest.mark.parametrize("place", ["head", "body"])
def test_a_licence_within_the_page_decides_in_its_skeleton(place: str, terms: str) -> None:
    for verb in ("permits", "prohibits"):
        licence = f'<content url=""><license><{verb} type="usage">all</{verb}></license></content>{terms}'
        licence = f'<rsl xmlns="https://rslstandard.org/rsl">{licence}</rsl>'
        script = f'<script type="application/rsl+xml">{licence}</script>'
        parts = {"head": "<title>t</title>", "body": "<p>text"}
        parts[place] = script + parts[place]
        page = acap.parse_page(f"<!doctype html><head>{parts['head']}</head><body>{parts['body']}", url=URL)
        bare = page.skeleton()
        assert bare.skeleton().html == bare.html
        assert [one.target for one in bare.licence_references()] == ["script"]
        for usage in ("ai-train", "index"):
            asked, told = (
                acap.decide(URL, crawler="bot", usage=usage, page=one, others=[acap.RslLicences(page=one)])
                for one in (page, bare)
            )
            assert told.outcome in (asked.outcome, "prohibited"), (verb, usage)
            assert told.outcome == asked.outcome or "script" in terms, (verb, usage)


class Counted(str):
    """A text that counts how often it is compared."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


@pytest.mark.parametrize("times", [50, 100])
def test_the_tokens_of_one_element_are_not_compared_with_each_other(times: int) -> None:
    """Each is written once, in its order, however many there are."""
    tokens = [(0, Counted(f"acap:disallow-x{number}")) for number in (*range(times), *range(times))]
    carried: Any = SimpleNamespace(
        page_tags=SimpleNamespace(tokens=[SimpleNamespace(place=place) for place in range(len(tokens))]),
        tokens=tokens,
        acap=[],
        carriers=[],
    )
    Counted.compared = 0
    assert tokens_of(carried) == {0: f' class="{" ".join(token for _, token in tokens[:times])}"'}
    assert Counted.compared <= 2 * times


def test_the_way_out_of_a_template_is_gone_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of elements in each other, twice as many take twice as many steps to the template around them."""
    steps = []
    plain = PageTree.parent_of
    for times in (100, 200):
        nested = f"{'<div class=the-acap:disallow-index>x' * times}{'</div>' * times}"
        page = acap.parse_page(f"<title>t</title><template>{nested}</template><p>y", url=URL)
        page.carried.applicable("generic", (), None)
        counted: Counter[str] = Counter()

        def counting(document: PageTree, node: Any, counted: Counter[str] = counted) -> Any:
            counted["steps"] += 1
            return plain(document, node)

        monkeypatch.setattr(PageTree, "parent_of", counting)
        (found,) = in_templates(page.carried).values()
        monkeypatch.undo()
        assert found.count("the-acap:disallow-index") == times
        steps.append(counted["steps"])
    assert 0 < steps[0] < steps[1] <= 2 * steps[0]
