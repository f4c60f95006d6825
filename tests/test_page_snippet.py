"""Snippets: how long they may be, where they begin, whose they are, and that nothing prohibited is in one."""

from __future__ import annotations

from typing import Any

import pytest

import acap
from acap.pages import measure
from acap.pages.snippet import Snippet

URL = "https://www.example.com/news/a.html"
ROBOTS_URL = "https://www.example.com/robots.txt"
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"  # man, joiner, woman, joiner, girl: one character
FLAG = "\U0001f1e9\U0001f1ea"
E_ACUTE = "e\u0301"
THAI = "\u0e01\u0e33"  # consonant and vowel sign: one character


def page(body: str, *metas: str, name: str = "robots") -> acap.PagePolicy:
    """A page with META tags."""
    tags = "".join(f'<meta name="{name}" content="{meta}">' for meta in metas)
    return acap.parse_page(f"<!doctype html>{tags}<body>{body}", url=URL)


def shown(read: acap.PagePolicy, query: str = "", **asked: Any) -> Snippet:
    """The snippet for anybody."""
    return read.snippet(query, **{"crawler": "bot", **asked})


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("abcdef", 3, "abc"),
        (E_ACUTE * 5, 3, E_ACUTE * 3),
        (FAMILY * 5, 2, FAMILY * 2),
        (FLAG * 4, 3, FLAG * 3),
        (THAI * 4, 2, THAI * 2),
        ("新聞記事の本文", 4, "新聞記事"),
        ("\u1112\u1161\u11ab" * 3, 1, "\u1112\u1161\u11ab"),  # conjoining letters of one Hangul syllable
        ("ab cd", 3, "ab"),
        ("ab", 2, "ab"),
        ("a\u200db", 2, "a\u200db"),
        ("👍🏽👍🏽👍🏽", 2, "👍🏽👍🏽"),
    ],
)
@pytest.mark.parametrize("form", ["ACAP allow-present-snippet max-length={}-chars", "max-snippet:{}"])
def test_characters_are_those_that_readers_see(text: str, limit: int, expected: str, form: str) -> None:
    """A limit in characters counts grapheme clusters and splits none (G 2.5.3; UAX #29)."""
    found = shown(page(text, form.format(limit)))
    assert found.text == expected
    assert found.complete == (expected == text)
    assert measure.count_chars(found.text or "") <= limit


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("One, two; three four", 2, "One, two;"),
        ("One - two - three", 2, "One - two"),
        ("don't stop 3.14 now", 3, "don't stop 3.14"),
        (f"caf{E_ACUTE} {FAMILY} noir tard", 2, f"caf{E_ACUTE} {FAMILY} noir"),
        ("新聞 記事", 2, "新聞"),
        ("新聞の記事", 3, "新聞の"),
        ("カタカナ 語", 1, "カタカナ"),
        ("Привет, мир и все", 2, "Привет, мир"),
        ("שלום עולם טוב", 2, "שלום עולם"),
        ("a" * 500 + " b", 1, "a" * 500),
        ("one two", 5, "one two"),
    ],
)
def test_words_are_those_of_unicode(text: str, limit: int, expected: str) -> None:
    """A limit in words counts segments with a letter or a number, in any script."""
    found = shown(page(text, f"ACAP allow-present-snippet max-length={limit}-words"), length=100_000)
    assert found.text == expected
    assert found.complete == (expected == text)
    assert measure.count_words(found.text or "") <= limit


def test_a_limit_of_nothing_shows_nothing() -> None:
    """No word and no character: there is no snippet, and the use is permitted all the same."""
    for limit in ("0-words", "0-chars"):
        found = shown(page("Something.", f"ACAP allow-present-snippet max-length={limit}"))
        assert found.text is None
        assert not found.complete or found.text is None
    assert not shown(page("Something.", "max-snippet:0")).decision.permitted


def test_the_strictest_of_several_limits_counts() -> None:
    """Words and characters, of META tags, headers and robots.txt."""
    text = "One two three four five six seven eight nine ten."
    read = acap.parse_page(
        f'<meta name="robots" content="ACAP allow-present-snippet max-length=6-words">{text}',
        url=URL,
        headers=[("X-Robots-Tag", "max-snippet:30"), ("X-Robots-Tag", "max-snippet:13")],
    )
    assert shown(read).text == "One two three"
    assert shown(read, length=9).text == "One two"
    assert shown(read, length=0).text is None
    robots = acap.parse_robots("ACAP-crawler: *\nACAP-allow-present-snippet: / max-length=2-words", url=ROBOTS_URL)
    assert shown(page(text), robots=robots).text == "One two"
    assert shown(page(text, "max-snippet:5"), robots=robots).text == "One t"


def test_what_an_element_is_limited_to_limits_the_snippet() -> None:
    """A permission on an element may carry a length by the site's definition (P2 2.2.5, P1 4.5.3.1)."""
    robots = acap.parse_robots(
        "ACAP-qualified-usage: brief present-snippet max-length=2-words\nACAP-crawler: *\nACAP-allow-crawl: /",
        url=ROBOTS_URL,
    )
    limited = page('<p class="the-acap:allow-(brief)">one two three four five</p>')
    for query in ("", "three", "one two three four"):
        assert measure.count_words(shown(limited, query, robots=robots).text or "") <= 2
    beside = page('<p>alpha beta gamma</p><p class="the-acap:allow-(brief)">one two three four five</p>')
    found = shown(beside, robots=robots, length=1_000).text or ""
    assert "three" not in found


def test_the_wanted_length_ends_at_a_word() -> None:
    """What a caller wants does not cut a word in two; what a publisher permits is exact."""
    read = page("Lorem ipsum dolor sit amet")
    assert shown(read, length=8).text == "Lorem"
    assert shown(read, length=11).text == "Lorem ipsum"
    assert shown(read, length=12).text == "Lorem ipsum"
    assert shown(read, length=3).text == "Lor"
    assert shown(page("Lorem ipsum", "max-snippet:8")).text == "Lorem ip"
    assert shown(read).complete
    assert not shown(read, length=8).complete


def test_a_negative_length_is_a_mistake() -> None:
    """There is no snippet of fewer than no characters."""
    with pytest.raises(ValueError, match="-1"):
        shown(page("x"), length=-1)


FILLER = "Filler words stand here and say nothing at all. " * 20


def test_a_snippet_begins_with_the_sentence_that_answers() -> None:
    """A query leads to the sentence in which most of its words are, a passage of the text to itself."""
    read = page(f"<p>{FILLER}The ferry to Rügen sails at noon! It returns at night. {FILLER}</p>")
    for query in ("ferry Rügen", "RÜGEN FERRY", "zebra sails noon", "noon?"):
        assert (shown(read, query).text or "").startswith("The ferry to Rügen sails at noon!"), query
    assert (shown(read, "returns night").text or "").startswith("It returns at night.")
    assert (shown(read, "zebra").text or "").startswith("Filler")
    assert shown(read, "sails at noon! It  returns").text == "sails at noon! It returns"
    assert (shown(read).text or "").startswith("Filler")


def test_a_query_far_from_a_sentence_start_begins_at_its_word() -> None:
    """Where no sentence begins nearby the snippet begins with the word itself."""
    read = page("lorem " * 200 + "needle and thread " + "ipsum " * 200)
    assert (shown(read, "needle thread").text or "").startswith("needle and thread")


def test_a_passage_of_another_page_is_not_shown() -> None:
    """Whatever is passed, the snippet is of this page's usable content."""
    read = page("<p>Ours is short.</p>")
    assert shown(read, "Theirs is a text of somebody else, and short").text == "Ours is short."


META = "the-acap:extract:meta:summary"


def test_the_publishers_own_snippet_is_shown() -> None:
    """Where the publisher names a META tag, its content is shown, whatever is wanted (G 5.10)."""
    text = '<meta name="summary" content="What &lt;we&gt; say.">Body of the page.'
    read = page(text, f"ACAP allow-present-snippet must-use-resource={META}")
    for query in ("", "Body", "Body of the page."):
        found = shown(read, query)
        assert (found.text, found.origin, found.uri, found.complete) == ("What <we> say.", "publisher", None, True)
    assert shown(read, length=6).text == "What"
    long = page(
        f'<meta name="summary" content="{"long " * 200}">', f"ACAP allow-present-snippet must-use-resource={META}"
    )
    assert len(shown(long).text or "") == 999


def test_the_publishers_snippet_keeps_to_the_publishers_length() -> None:
    """Both restrictions hold at once."""
    text = '<meta name="summary" content="one two three four">Body.'
    both = f"ACAP allow-present-snippet must-use-resource={META} max-length=2-words"
    found = shown(page(text, both))
    assert (found.text, found.origin, found.complete) == ("one two", "publisher", False)
    element = page('<p id="lead">one two three</p>rest', both.replace(META, "the-acap:extract:id:lead"))
    assert (shown(element).text, shown(element).origin) == ("one two", "publisher")


def test_another_resource_is_named_and_not_replaced() -> None:
    """A URI that must be used is the caller's to get; a part that is missing leaves nothing."""
    found = shown(page("Body.", "ACAP allow-present-snippet must-use-resource=/summary.txt"))
    assert (found.text, found.origin, found.uri) == (None, "publisher", "/summary.txt")
    found = shown(page("Body.", f"ACAP allow-present-snippet must-use-resource={META}"))
    assert (found.text, found.origin, found.uri) == (None, "publisher", None)
    assert found.decision.permitted


@pytest.mark.parametrize("meta", ["nosnippet", "none", "ACAP disallow-present-snippet", "ACAP disallow-other"])
def test_no_snippet_of_a_prohibited_page(meta: str) -> None:
    """Not even of an element that may be shown, nor the URI of another resource."""
    read = page('Body. <p class="the-acap:allow-present-snippet">Shown.</p>', meta)
    for query in ("", "Shown.", "Body."):
        found = shown(read, query)
        assert (found.text, found.uri, found.decision.permitted) == (None, None, False)


def test_a_passage_across_what_is_left_out_is_not_joined() -> None:
    """A sentence of which a part may not be shown is not shown with that part, nor taken for whole."""
    read = page("<p>The secret is <b data-nosnippet>forty-two</b> as always.</p>")
    for query in ("The secret is forty-two as always.", "forty-two", "secret"):
        assert "forty" not in (shown(read, query).text or "")


@pytest.mark.parametrize("usage", ["present-snippet", "present-oldsnippet", "present-extract", "ai-input"])
def test_other_usages_show_parts_of_the_text_too(usage: str) -> None:
    """Each keeps to its own statements."""
    read = page("One two three.", f"ACAP allow-{usage} max-length=2-words", "ACAP disallow-present-thumbnail")
    found = shown(read, usage=usage)
    assert found.decision.usage == usage
    if usage != "ai-input":
        assert found.text == "One two"


def test_a_crawler_and_a_purpose_are_heard() -> None:
    """A snippet is for whoever asks."""
    read = page("One two three.", "max-snippet:3", name="newsbot")
    assert shown(read, crawler="newsbot").text == "One"
    assert shown(read, crawler="bot").text == "One two three."
    read = page("One two three.", "ACAP news disallow-present-snippet")
    assert shown(read, purpose="news").text is None
    assert shown(read, purpose="sports").text == "One two three."
    assert shown(read, crawler=acap.Crawler("bot", honours=())).text is not None
    limited = page("One two three.", "ACAP allow-present-snippet max-length=1-words")
    assert shown(limited, crawler=acap.Crawler("bot", honours=())).text is None
