"""Pages written to do harm, or harmed on the way: nothing raises, time and memory are bounded, doubt never permits."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
import tracemalloc
from random import Random
from time import process_time
from typing import Any

import pytest

import acap
from acap.usages import USAGES
from tests.hostile import PEAK
from tests.hostile_pages import BOMBS, HEADERS, LIMITED, NEWS, harmed, headers_of, octets_of, sources, with_a_gap_filled
from tests.portions import at_length

URL = "https://www.example.com/news/a.html"
ROBOTS = acap.parse_robots(
    "ACAP-qualified-usage: brief index max-length=3-words\n"
    "ACAP-crawler: *\nACAP-allow-index: /\nACAP-disallow-present: /x",
    url="https://www.example.com/robots.txt",
)
ASKERS: tuple[Any, ...] = (
    "AnyBot",
    ("NewsBot", "bot"),
    acap.Crawler("NewsBot", profile="google"),
    acap.Crawler("bot", profile="bing"),
    acap.Crawler("bot", elements=False),
)
SECONDS = 30.0  # ten times what a machine with nothing else to do needs
"""A page takes far less; of a square in its size it would take minutes."""


def look(page: acap.PagePolicy, asker: Any) -> dict[str, str]:
    """Looks at everything that a page has to say to one who asks; gives the outcomes."""
    asked: dict[str, Any] = {"crawler": asker, "robots": ROBOTS}
    outcomes = {}
    for usage in USAGES:
        decision = acap.decide(URL, usage=usage, page=page, **asked)
        assert decision.reason.kind
        assert decision.outcome == "permitted" or not decision.restrictions
        outcomes[usage] = str(decision.outcome)
    content = page.content_for("index", **asked)
    letters = "".join(content.text.split())
    assert "".join("".join(piece.text.split()) for piece in content.pieces) == letters
    assert bool(content.html) >= bool(content.text)
    for link in page.links(**asked):
        assert link.url
        assert link.element
        assert link.decision.outcome != "conditional"
    shown = page.snippet("ferry timetable", **asked)
    assert shown.decision.permitted or shown.text is None
    assert all(problem.message and str(problem) for problem in page.problems)
    assert all(statement.usage for statement in page.statements())
    return outcomes


PAGES = sources()


@pytest.mark.parametrize("part", range(5))
def test_hundreds_of_harmed_pages_are_read_and_answer(part: int) -> None:
    """Whatever was cut, spliced, doubled or flipped, as text and as octets: there is a page, and it can be asked."""
    for number in range(100 * part, 100 * (part + 1)):
        random = Random(f"page {number}")
        text = harmed(random, PAGES)
        given: bytes | str = text if number % 2 else octets_of(random, text)
        headers = headers_of(random)
        try:
            page = acap.parse_page(given, url=URL, headers=headers)
            outcomes = look(page, ASKERS[number % len(ASKERS)])
            again = pickle.loads(pickle.dumps(page))
        except Exception as error:
            error.add_note(f"page {number}: {given!r}, headers {headers!r}")
            raise
        assert again == page
        if number % 10 == 0:
            assert look(again, ASKERS[number % len(ASKERS)]) == outcomes


def test_what_stands_between_elements_decides_nothing() -> None:
    """A comment or white space more between two tags changes no decision."""
    for number in range(150):
        random = Random(f"gap {number}")
        # Inside a text area or a script the same would be text, and before a doctype it is not between elements.
        text = random.choice([page for page in PAGES if "<" in page and "]]>" not in page])
        filled = with_a_gap_filled(random, text)
        asker = ASKERS[number % len(ASKERS)]
        before, after = (look(acap.parse_page(each, url=URL), asker) for each in (text, filled))
        assert before == after, filled


@pytest.mark.portion
@pytest.mark.parametrize("name", BOMBS)
def test_no_page_takes_long(name: str) -> None:
    """Reading, deciding, extracting, reporting; where a limit cuts in, all is prohibited and a problem says so."""
    html = BOMBS[name]()
    start = time.process_time()
    page = acap.parse_page(html, url=URL)
    asked: dict[str, Any] = {"crawler": "bot"}
    outcomes = {
        usage: acap.decide(URL, usage=usage, page=page, **asked).outcome
        for usage in ("index", "present-snippet", "tdm")
    }
    codes = {problem.code for problem in page.problems}
    content = page.content_for("index", **asked)
    parts = (content.text, content.html, page.links(**asked), page.statements(), page.snippet("a b", **asked))
    assert all(part is not None for part in parts)
    assert acap.decide(URL, usage="follow", page=page, **asked).reason.kind
    assert time.process_time() - start < SECONDS
    assert ("page-entangled" in codes or "page-too-much" in codes) == (name in LIMITED)
    if name in LIMITED:
        assert LIMITED[name] in codes
        assert set(outcomes.values()) == {"prohibited"}
        assert (content.text, content.pieces and content.pieces[0].text) in {("", ""), ("", ())}


@pytest.mark.parametrize("name", HEADERS)
def test_no_header_takes_long(name: str) -> None:
    """A megabyte of header, or fifty thousand of them."""
    headers = HEADERS[name]()
    start = time.process_time()
    page = acap.parse_page(b"<p>x", url=URL, headers=headers)
    assert look(page, "AnyBot")
    assert time.process_time() - start < SECONDS


@pytest.mark.parametrize(
    "query", ["a b c " * 170_000, "x" * 1_000_000, "ferry " * 200_000, "\0" * 1_000_000, "é" * 500_000]
)
def test_no_query_takes_long(query: str) -> None:
    """A megabyte of query, on a page of a megabyte."""
    page = acap.parse_page("<p>The ferry sails. " * 50_000, url=URL)
    start = time.process_time()
    assert page.snippet(query, crawler="bot").text
    assert time.process_time() - start < SECONDS


def test_a_page_beyond_the_limit_is_prohibited() -> None:
    """What was not read may have prohibited anything."""
    from acap.pages.html import MAX_CHARACTERS

    whole = "<p>x" + " " * (MAX_CHARACTERS - 4)
    for text, permitted in ((whole, True), (whole + " ", False)):
        page = acap.parse_page(text, url=URL)
        assert acap.decide(URL, crawler="bot", usage="index", page=page).permitted == permitted
        assert [problem.code for problem in page.problems] == [] if permitted else ["page-cut"]
        assert page.content_for("index", crawler="bot").text == ("x" if permitted else "")


WARM = """
small = acap.parse_page("<p class='acap:disallow-index'>x", url="https://host.example/")
assert small.content_for("index", crawler="bot").text == ""
before = peak()
"""

MANY = """
text = "<meta name=robots content='" + "ACAP disallow-index " * 5_000 + "'>"
page = acap.parse_page(text, url="https://host.example/")
assert acap.decide("https://host.example/", crawler="bot", usage="index", page=page).outcome == "prohibited"
sys.stdout.write(str(peak() - before))
"""


def test_a_tag_of_many_statements_is_not_held_once_for_each() -> None:
    """Five thousand statements of one META tag of 100 KB take megabytes, not hundreds of them."""
    done = subprocess.run([sys.executable, "-c", PEAK + WARM + MANY], check=True, capture_output=True, text=True)
    assert int(done.stdout) < 100_000_000


BIG = """
import time

URL = "https://www.example.com/a.html"
octets = sys.stdin.buffer.read()
before = peak() - len(octets)
start = time.process_time()
page = acap.parse_page(octets, url=URL)
outcomes = [str(acap.decide(URL, crawler="bot", usage=usage, page=page).outcome) for usage in ("index", "follow")]
content = page.content_for("index", crawler="bot")
assert "last words" not in content.text and "last words" not in content.html
assert "Paragraph 1 " in content.text and "Paragraph 1 " in content.html
took = time.process_time() - start
sys.stdout.write(f"{len(octets)} {peak() - before} {took} {outcomes}")
"""


def test_a_page_of_twenty_megabytes_is_read_to_its_end() -> None:
    """Its last statements count; it takes at most 30 times its size in memory, and seconds."""
    head, _, tail = NEWS.replace('class="the-acap:disallow-index"', "").partition("<header")
    filler = "".join(
        f'<section id="s{i}" class="wide part"><h2>Heading {i}</h2><p>Paragraph {i} has <a href="/n/{i}">a link</a>, '
        f"<b>bold words</b> and a &amp; sign, and goes on for a line or two, as paragraphs of news do, "
        f"until it has said what there was to say.</p><!-- advert {i} --></section>\n"
        for i in range(72_000)
    )
    end = '<p class="acap:disallow-index">The last words</p><meta name="robots" content="ACAP disallow-follow"></body>'
    text = head + filler + "<header" + tail.replace("</body>", end)
    command = [sys.executable, "-c", PEAK + WARM + BIG]
    done = subprocess.run(command, input=text.encode(), check=True, capture_output=True)
    size, memory, took, outcomes = done.stdout.decode().split(" ", 3)
    assert int(size) > 20_000_000
    assert outcomes == "['permitted', 'prohibited']"
    assert int(memory) <= 30 * int(size)
    assert float(took) < 60


@pytest.mark.parametrize(
    ("html", "headers"),
    [
        ('<meta name=robots content="' + "a b," * 2_000_000 + '"><p>x', ()),
        ('<meta name=bot content="noindex ' + "a b," * 2_000_000 + '"><p>x', ()),
        ("".join(f'<meta name=robots content="{number}{" a" * 400}">' for number in range(400)) + "<p>x", ()),
        ("<p>x", (("X-Robots-Tag", "a b," * 2_000_000),)),
        ("<p>x", (("X-Robots-Tag", "ACAP " * 1_600_000),)),
        ("<p>x", (("Content-Usage", "a=b," * 2_000_000),)),
        ("<p>x", tuple(("Content-Signal", f"a{number}=yes") for number in range(40_000))),
        ("<p>x", (("Link", '<a>; b="c", ' * 800_000),)),
    ],
)
def test_words_without_end_cost_little_and_prohibit(html: str, headers: tuple[tuple[str, str], ...]) -> None:
    """Beyond so many characters tags and headers are not weighed: time and memory are bounded, all is prohibited."""
    tracemalloc.start()
    try:
        begun = process_time()
        page = acap.parse_page(html, url="https://a.example/", headers=headers)
        for crawler in ("bot", "other"):
            assert not acap.decide("https://a.example/", crawler=crawler, usage="index", page=page).permitted
        assert any(one.code == "page-too-much" for one in page.problems)
        taken, peak = process_time() - begun, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert taken < 20
    assert peak < 200 * 1024 * 1024


def test_a_tag_of_prose_is_as_long_as_it_likes() -> None:
    """What holds no word that somebody knows is addressed to nobody, however long; an unknown word is told once."""
    prose = f'<meta name=keywords content="{"noindex, " * 100_000}"><meta name=state content="{"a b, " * 100_000}">'
    page = acap.parse_page(
        f'{prose}<meta name=robots content="{"foo, " * 1_000}noarchive"><p>x', url="https://a.example/"
    )
    assert acap.decide("https://a.example/", crawler="bot", usage="index", page=page).permitted
    assert [one.code for one in page.problems] == ["page-unknown-word"]


@pytest.mark.portion
@pytest.mark.parametrize(
    ("word", "says_too_much"),
    [(word, True) for word in ("disallow- ", "sallow ")]
    + [(word, False) for word in ("allow- ", "alow-index ", "allow,", "x ")],
)
def test_slips_without_end_cost_little_an_octet_and_are_read_no_further_than_they_count(
    word: str, says_too_much: bool
) -> None:
    """Megabytes of slips in a META tag and in a class take a second each; they prohibit, and prose does not.

    Half a megabyte is tried, and two in `make soak`: of a square in its size either would take minutes.
    """
    said = word * ((2_000_000 if at_length() else 500_000) // len(word))
    begun = process_time()
    page = acap.parse_page(f'<meta name="robots" content="ACAP {said}"><p class="the-acap:{said}">x', url=URL)
    decision = acap.decide(URL, crawler="bot", usage="preserve", page=page)
    assert process_time() - begun < SECONDS
    assert decision.permitted is (word == "x ")
    assert any(one.code == "page-too-much" for one in page.problems) is says_too_much
    assert len(page.carried.page_tags.tags) <= 4_000
