"""The face of pages: what is given, what is refused, what objects are, and that nothing is worked out unasked."""

from __future__ import annotations

import gc
import pickle
import threading
import weakref
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from email.message import Message
from http.client import HTTPMessage
from typing import Any

import httpx2
import pytest

import acap
from acap.pages import html as trees
from acap.pages.statements import PageCarriers
from tests.hostile_pages import NEWS

URL = "https://www.example.com/news/a.html"
PROHIBITION = '<meta name="robots" content="ACAP disallow-index">'


def decide(page: acap.PagePolicy, usage: Any = "index", **asked: Any) -> acap.Decision:
    """The decision for anybody."""
    return acap.decide(URL, usage=usage, page=page, **{"crawler": "bot", **asked})


@pytest.mark.parametrize("given", [3, bytearray(b"<p>"), ["<p>"], object()])
def test_what_is_no_page_is_refused(given: Any) -> None:
    """Octets, text or nothing at all."""
    with pytest.raises(TypeError, match="bytes, str or None"):
        acap.parse_page(given, url=URL)


@pytest.mark.parametrize("url", ["", "/news/a.html", "www.example.com/a", "http://", "mailto:a@b.example", "//host/a"])
def test_what_is_no_url_of_a_page_is_refused(url: str) -> None:
    """It needs a scheme and a host; an unknown one is None."""
    with pytest.raises(ValueError, match="absolute"):
        acap.parse_page("<p>", url=url)
    assert acap.parse_page("<p>", url=None).url is None


@pytest.mark.parametrize("headers", [["X-Robots-Tag: noindex"], [("a", "b", "c")], [1], 7])
def test_what_are_no_headers_is_refused(headers: Any) -> None:
    """Neither a mapping nor pairs."""
    with pytest.raises(TypeError):
        acap.parse_page("<p>", url=URL, headers=headers)


def test_mistakes_in_questions_are_refused() -> None:
    """Unknown usages, other pages, empty names, times without zone: as of a robots.txt."""
    page = acap.parse_page(NEWS, url=URL)
    mistakes: tuple[dict[str, Any], ...] = ({"usage": "no-such-usage"}, {"crawler": ""}, {"crawler": []})
    for asked in mistakes:
        with pytest.raises(ValueError):
            decide(page, **{"usage": "index", **asked})
        with pytest.raises(ValueError):
            page.content_for(asked.get("usage", "index"), crawler=asked.get("crawler", "bot"))
    for other in ("https://www.example.com/b", "http://www.example.com/news/a.html", "/b", "//www.example.com/x"):
        with pytest.raises(ValueError):
            acap.decide(other, crawler="bot", usage="index", page=page)
        with pytest.raises(ValueError):
            page.statements(other)
    for same in (URL + "#x", "HTTPS://WWW.example.com:443/news/a.html", "/news/a.html", "/news/%61.html"):
        assert [one.text for one in page.statements(same)] == [one.text for one in page.statements()]
    with pytest.raises(ValueError):
        acap.decide(URL, crawler="bot", usage="index")


def email() -> Message:
    """Headers as mail has them, with two lines of one name."""
    found = Message()
    found["X-Robots-Tag"] = "noarchive"
    found["x-robots-tag"] = "bot: nosnippet"
    return found


def http() -> HTTPMessage:
    """Headers as the standard library's client has them."""
    found = HTTPMessage()
    found.add_header("X-Robots-Tag", "noarchive")
    found.add_header("X-Robots-Tag", "bot: nosnippet")
    return found


FORMS: dict[str, Any] = {
    "dict": {"X-Robots-Tag": "bot: nosnippet"},
    "dict of lists": {"X-Robots-Tag": ["noarchive", "bot: nosnippet"]},
    "dict of tuples": {"x-robots-tag": ("noarchive", "bot: nosnippet")},
    "pairs": [("X-Robots-Tag", "noarchive"), ("X-ROBOTS-TAG", "bot: nosnippet")],
    "an iterator": iter([("X-Robots-Tag", "noarchive"), ("X-Robots-Tag", "bot: nosnippet")]),
    "bytes": [(b"x-robots-tag", b"noarchive"), (b"x-robots-tag", b"bot: nosnippet")],
    "httpx": httpx2.Headers([("X-Robots-Tag", "noarchive"), ("X-Robots-Tag", "bot: nosnippet")]),
    "email": email(),
    "http.client": http(),
}


@pytest.mark.parametrize("form", FORMS)
def test_no_line_of_a_header_is_lost(form: str) -> None:
    """Several lines of one name are several lines, however a client holds them; each has its own addressee."""
    page = acap.parse_page(None, url=URL, headers=FORMS[form])
    assert decide(page, "present-snippet").outcome == "prohibited"
    assert decide(page, "present-snippet", crawler="other").permitted
    if form != "dict":
        assert decide(page, "present-currentcopy", crawler="other").outcome == "prohibited"
        assert [value for name, value in page.headers if name == "x-robots-tag"] == ["noarchive", "bot: nosnippet"]


def test_a_page_does_not_change() -> None:
    """Nothing of it can be set or deleted, nor of what comes from it."""
    page = acap.parse_page(NEWS, url=URL)
    for thing, name in ((page, "url"), (page, "_html"), (page.content_for("index", crawler="bot").pieces[0], "text")):
        with pytest.raises(AttributeError):
            setattr(thing, name, "x")
        with pytest.raises(AttributeError):
            delattr(thing, name)


def test_pages_are_equal_that_were_read_from_the_same() -> None:
    """Text, URL and headers make a page; what was asked of it in between does not."""
    page, other = (
        acap.parse_page(NEWS, url=URL, headers={"A": "b"}),
        acap.parse_page(NEWS, url=URL, headers=[("a", "b")]),
    )
    decide(page)
    assert (page, hash(page)) == (other, hash(other))
    assert page != acap.parse_page(NEWS, url=URL)
    assert page != acap.parse_page(NEWS, url=None, headers={"A": "b"})
    assert page != acap.parse_page(NEWS.encode(), url=URL, headers={"A": "b"})
    assert page != URL  # type: ignore[comparison-overlap]  # they are never equal: that is tested


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("given", [NEWS, NEWS.encode(), None])
def test_a_pickled_page_answers_as_before(given: str | bytes | None, protocol: int) -> None:
    """It is read anew, from what it was read from."""
    page = acap.parse_page(given, url=URL, headers=[("X-Robots-Tag", "noindex")])
    again = pickle.loads(pickle.dumps(page, protocol))
    assert again == page
    assert (again.encoding, again.headers, again.version, again.problems) == (
        page.encoding, page.headers, page.version, page.problems,
    )  # fmt: skip
    assert decide(again).reason == decide(page).reason
    assert decide(pickle.loads(pickle.dumps(page)), "follow") == decide(page, "follow")


def test_a_page_tells_what_it_is() -> None:
    """In its representation, its dialect, its version and its encoding."""
    assert repr(acap.parse_page("<p>é", url=URL)) == f"<PagePolicy of {URL}: 4 characters>"
    assert repr(acap.parse_page("<p>é".encode(), url=None)) == "<PagePolicy of an unknown URL: 5 octets>"
    assert "headers alone" in repr(acap.parse_page(None, url=URL))
    page = acap.parse_page(NEWS.encode(), url=URL)
    assert (page.dialect, page.version, page.encoding) == ("page", "1.1", "UTF-8")
    assert isinstance(page, acap.Source)
    assert acap.parse_page("x", url=URL).encoding is None


def places(text: str) -> list[tuple[str, int | None, int | None]]:
    """Where each statement of a page stands."""
    return [(one.text, one.line, one.column) for one in acap.parse_page(text, url=URL).statements()]


def test_statements_know_where_they_stand() -> None:
    """Line and column of META tags and elements, behind comments, scripts and others that are written alike."""
    shut = '<p class="acap:disallow-index">'
    text = f"""<!doctype html><!-- {PROHIBITION} -->
<script>"{PROHIBITION}"</script><title>{PROHIBITION}</title>
  {PROHIBITION}<meta name=robots
content="ACAP disallow-follow">
<body title='> {PROHIBITION}'>é漢 <!-- {shut} --><textarea>{shut}</textarea>
<div data-nosnippet>x</div>{shut}one</p>
 {shut}two</p>
"""
    found = places(text)
    assert [place[1:] for place in found if place[0] == "ACAP disallow-index"] == [(3, 3)]
    assert [place[1:] for place in found if place[0] == "ACAP disallow-follow"] == [(3, 3 + len(PROHIBITION))]
    assert [place[1:] for place in found if place[0] == "acap:disallow-index"] == [(6, 28), (7, 2)]
    assert {place[1:] for place in found if place[0] == "data-nosnippet"} == {(6, 1)}
    reason = decide(acap.parse_page(text, url=URL)).reason
    assert [(cited.line, cited.column) for cited in reason.decided_by] == [(3, 3)]


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("<p a'b>it's", None),
        ('<p a="1>2">', 2),
        ("<!--><p>", 2),
        ("<p title=it's>", 2),
        ('<a "', None),
    ],
)
def test_a_place_is_right_or_is_not_told(before: str, line: int | None) -> None:
    """Quotes where no value stands, and comments that end at once, do not move it."""
    found = places(f"{before}\n{PROHIBITION}")
    assert [place[1] for place in found] == [line] if line else all(place[1] in (None, 2) for place in found)


def test_problems_name_their_place() -> None:
    """In the order of the page, with line, column, severity and text."""
    page = acap.parse_page(f'\n\n <meta name="robots" content="ACAP allow-index nonsense">{PROHIBITION}', url=URL)
    assert [(one.code, one.line, one.column, one.severity) for one in page.problems] == [
        ("acap-stray-text", 3, 2, "error")
    ]


def test_elements_and_links_are_looked_for_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading a page looks for META tags alone; a page without tokens is never searched for places or links."""
    looked: list[trees.PageTree] = []
    carriers = trees.PageTree.carriers

    def look(document: trees.PageTree) -> list[trees.Carrier]:
        looked.append(document)
        return carriers(document)

    monkeypatch.setattr(trees.PageTree, "carriers", look)
    monkeypatch.setattr("acap.pages.places._find", None)
    page = acap.parse_page(NEWS, url=URL)
    assert looked == []
    decide(page)
    decide(page, "follow")
    assert len(looked) <= 1


@pytest.fixture
def alone() -> Iterator[None]:
    """The collector passes over what other tests have left, millions of objects."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("alone")
def test_pages_are_given_back() -> None:
    """Two hundred pages, each asked for everything: none is left when nobody holds it."""

    def alive() -> int:
        gc.collect()
        kinds = Counter(map(type, gc.get_objects()))
        return kinds[PageCarriers] + kinds[trees.PageTree]

    before = alive()
    decisions: list[acap.Decision] = []
    refs = []
    for number in range(200):
        page = acap.parse_page(NEWS + str(number), url=URL, headers=[("X-Robots-Tag", "noarchive")])
        decisions.append(decide(page))
        assert decide(page, "follow").reason.kind
        assert page.content_for("index", crawler="bot").text
        assert page.links(crawler="bot")
        assert page.problems is not None
        refs.append(weakref.ref(page.carried))
        del page
    decisions.clear()
    assert alive() <= before
    assert not any(ref() for ref in refs)


def test_an_excluded_element_is_a_restriction() -> None:
    """Of a composite each part names its own, in their usage."""
    page = acap.parse_page(
        '<p id=a class="acap:disallow-index">x<p id=b class="acap:disallow-present-snippet">y', url=URL
    )
    found = decide(page).restrictions
    assert [(one.name, one.value, one.usage) for one in found] == [("excluded-element", "p#a", None)]
    assert [str(one) for one in found] == ["excluded-element=p#a"]
    search = decide(page, "search").restrictions
    assert {(one.value, one.usage) for one in search} == {("p#a", "index"), ("p#b", "present-snippet")}
    both = decide(page, ("present-snippet", "index")).restrictions
    assert {one.value for one in both} == {"p#a", "p#b"}
    whole = decide(page, crawler=acap.Crawler("bot", elements=False))
    assert (whole.outcome, whole.kind) == ("prohibited", "element-level")


def test_a_profile_changes_words() -> None:
    """`nosnippet` is one of a summary's input for some consumers (PAGES: profiles)."""
    page = acap.parse_page('<meta name="robots" content="nosnippet">', url=URL)
    for profile, outcome in (("generic", "permitted"), ("google", "prohibited"), ("bing", "prohibited")):
        assert decide(page, "ai-input", crawler=acap.Crawler("bot", profile=profile)).outcome == outcome


class Licence:
    """Another source."""

    dialect = "licence"
    problems: tuple[acap.Problem, ...] = ()

    def __init__(self, outcome: str) -> None:
        self.outcome = outcome

    def statements(self, url: str) -> list[acap.Statement]:
        """One statement on `index` of whatever is asked for."""
        return [acap.Statement(dialect="licence", usage="index", outcome=self.outcome, source=url)]


def test_other_sources_take_away_and_never_give() -> None:
    """Of several dialects the strictest counts, on the page, its parts and its links (semantics, section 8)."""
    page = acap.parse_page('<p>x<p class="acap:disallow-index">y', url=URL)
    for outcome, expected in (("permitted", "permitted"), ("conditional", "conditional"), ("prohibited", "prohibited")):
        assert decide(page, others=[Licence(outcome)]).outcome == expected
        content = page.content_for("index", crawler="bot", others=[Licence(outcome)])
        assert content.text == ("x" if outcome == "permitted" else "")
    assert decide(page).permitted
    shut = acap.parse_page(PROHIBITION, url=URL)
    assert decide(shut, others=[Licence("permitted")]).outcome == "prohibited"
    assert {one.source for one in decide(shut, others=[Licence("prohibited")]).reason.decided_by} == {URL}


def answers(page: acap.PagePolicy, name: str) -> list[Any]:
    """Everything that a crawler is told."""
    asked: dict[str, Any] = {"crawler": name}
    decisions = [
        acap.decide(URL, usage=usage, page=page, **asked) for usage in ("index", "follow", "present", "search")
    ]
    found: list[Any] = [(one.outcome, one.restrictions, one.reason) for one in decisions]
    content = page.content_for("index", **asked)
    found += [
        content.text,
        content.html,
        [(link.url, link.element, link.decision.outcome) for link in page.links(**asked)],
    ]
    return [*found, page.snippet("ferry", **asked).text, page.problems, len(page.statements())]


@pytest.mark.slow
def test_threads_share_a_page() -> None:
    """Eight threads ask one page that nobody has asked yet; each is told what one alone is told."""
    names = ("bot", "NewsBot", "other", "bot3")
    alone = {name: answers(acap.parse_page(NEWS, url=URL), name) for name in names}
    for _ in range(5):
        page = acap.parse_page(NEWS, url=URL)
        start = threading.Barrier(8)

        def ask(number: int, page: acap.PagePolicy = page, start: threading.Barrier = start) -> bool:
            start.wait(timeout=60)
            turned = (*names[number % 4 :], *names[: number % 4])
            return all(answers(page, name) == alone[name] for name in turned * 2)

        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(ask, range(8))) == [True] * 8
