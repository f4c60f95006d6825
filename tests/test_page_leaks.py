"""What may not be used of a page comes out nowhere, and what may be used does.

Every page of `pages/leaks` marks its own text: a word `OPEN…` may be used, and stands in text and HTML; `ATTR…` may be
used and stands in HTML alone; `SHUT…` may not be used, or is no content. Links are to `/open…` and `/shut…`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import acap
from acap.pages.extraction import Content

FOLDER = Path(__file__).parent / "pages" / "leaks"
URL = "https://www.example.com/news/a.html"
PAGES = sorted(path.stem for path in FOLDER.glob("*.html"))
QUESTIONS: dict[str, dict[str, Any]] = tomllib.loads((FOLDER / "pages.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Licence:
    """Another source, which says the same of every usage."""

    outcome: str
    dialect: str = "licence"
    problems: tuple[acap.Problem, ...] = ()

    def statements(self, url: str) -> Iterable[acap.Statement]:
        """The one statement."""
        assert url == URL
        return [acap.Statement(dialect=self.dialect, usage="index", outcome=self.outcome)]


class Marked:
    """A page, what is asked about it, and the words that it marks."""

    def __init__(self, name: str) -> None:
        self.html = (FOLDER / f"{name}.html").read_text(encoding="utf-8")
        table = QUESTIONS.get(name, {})
        self.page = acap.parse_page(self.html, url=URL)
        self.usage: str = table.get("usage", "index")
        self.uri: str | None = table.get("uri")
        crawler = table.get("crawler", "AnyBot")
        profile, elements = table.get("profile", "generic"), table.get("elements", True)
        robots = table.get("robots")
        self.asked: dict[str, Any] = {
            "crawler": acap.Crawler(crawler, profile=profile, elements=elements),
            "purpose": table.get("purpose"),
            "robots": None if robots is None else acap.parse_robots(robots, url="https://www.example.com/robots.txt"),
            "others": [Licence(table["others"])] if "others" in table else (),
        }
        plain = unescape(self.html)
        self.open, self.attributes, self.shut = (words(plain, mark) for mark in ("OPEN", "ATTR", "SHUT"))

    @property
    def content(self) -> Content:
        """What may be used of it."""
        return self.page.content_for(self.usage, **self.asked)


@cache
def marked(name: str) -> Marked:
    """A page, read once."""
    return Marked(name)


def words(text: str, mark: str) -> list[str]:
    """The marked words of a text, in order."""
    return re.findall(f"{mark}[0-9]+", text)


def test_every_page_marks_what_it_is_about() -> None:
    """No word stands for two runs of text, and every page has something to hide or to show."""
    assert len(PAGES) >= 40
    assert set(QUESTIONS) <= set(PAGES)
    for name in PAGES:
        page = marked(name)
        every = [word[4:] for word in (*page.open, *page.attributes, *page.shut)]
        assert len(every) == len(set(every)) > 1, name
        assert page.shut, name


@pytest.mark.parametrize("name", PAGES)
def test_no_word_that_may_not_be_used_comes_out(name: str) -> None:
    """Neither in the text nor in the HTML nor in a piece."""
    content = marked(name).content
    assert words(content.text, "SHUT") == []
    assert words(unescape(content.html), "SHUT") == []
    assert "SHUT" not in content.html.upper().replace("/SHUT", "")
    for piece in content.pieces:
        assert "SHUT" not in piece.text
        assert piece.decision.permitted or not piece.text


@pytest.mark.parametrize("name", PAGES)
def test_every_word_that_may_be_used_comes_out(name: str) -> None:
    """In their order, and each once: a page of which nothing came out would hide everything."""
    page = marked(name)
    content = page.content
    assert words(content.text, "OPEN") == words(unescape(content.html), "OPEN")
    assert sorted(words(content.text, "OPEN")) == sorted(page.open)
    attributes = [] if content.resource is not None and content.resource.text else page.attributes
    assert sorted(words(unescape(content.html), "ATTR")) == sorted(attributes)
    assert content.uri == page.uri
    assert "".join("".join(piece.text.split()) for piece in content.pieces) == "".join(content.text.split())


@pytest.mark.parametrize("name", PAGES)
def test_the_html_that_comes_out_hides_as_much_when_it_is_read_again(name: str) -> None:
    """Another reader of the HTML finds the same text, and nothing that was escaped away."""
    page = marked(name)
    content = page.content
    inert = content.html.replace("acap:", "x:").replace("ACAP", "X")
    again = acap.parse_page(inert, url=URL).content_for("index", crawler="AnyBot")
    assert words(again.text, "OPEN") == words(content.text, "OPEN")


@pytest.mark.parametrize("name", PAGES)
def test_no_query_brings_a_snippet_of_what_may_not_be_used(name: str) -> None:
    """Neither its words nor a passage given as text, with what is left out in it or not."""
    page = marked(name)
    queries = ["", *page.shut, *page.open, " ".join(page.shut), unescape(page.html), page.html]
    queries += [" ".join(unescape(re.sub("<[^>]*>", " ", page.html)).split())]
    queries += [line for line in page.html.splitlines() if "SHUT" in line]
    for query in queries:
        for length in (None, 12, 100_000):
            snippet = page.page.snippet(query, usage=page.usage, length=length, **page.asked)
            assert "SHUT" not in (snippet.text or ""), query
            assert snippet.decision.permitted or snippet.text is None
            assert snippet.text is None or words(snippet.text, "OPEN"), query


@pytest.mark.parametrize("name", PAGES)
def test_refused_links_are_not_followed(name: str) -> None:
    """No link that an element, `rel` or the page refuses may be followed, and no other is refused."""
    page = marked(name)
    links = page.page.links(**page.asked)
    outcomes = {link.url.rpartition("/")[2]: link.decision.outcome for link in links}
    for url, outcome in outcomes.items():
        assert outcome == ("prohibited" if url.startswith("shut") else "permitted"), url
    shown = set(re.findall("(?:open|shut)[0-9]+", re.sub("(?s)<template.*?</template>|<!--.*?-->", "", page.html)))
    assert set(outcomes) >= shown


def test_what_is_left_out_is_named() -> None:
    """Each element of its own, with the decision on it and no text."""
    excluded = marked("nesting").content.excluded
    assert [piece.element for piece in excluded][:2] == [
        "html > body > div:nth-of-type(1) > div:nth-of-type(1)",
        "html > body > div:nth-of-type(1) > div:nth-of-type(1) > div:nth-of-type(1) > div:nth-of-type(1)",
    ]
    assert {piece.text for piece in excluded} == {""}
    assert {str(piece.decision.outcome) for piece in excluded} == {"prohibited"}
