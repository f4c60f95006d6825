"""Damage to a page never makes an answer looser, unless a browser would read the damaged octets as saying less.

What a browser reads is told by html5lib and, where the type says XML, by lxml. `ACAP_EXAMPLES` says how many are tried.
"""

from __future__ import annotations

import html
import re
from typing import Any

import html5lib
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree  # type: ignore[import-untyped]  # it has no types

import acap
from acap.carriers import carriers

URL = "http://site.example/a/b.html"
USAGES = ("index", "follow", "preserve", "present", "present-snippet", "present-extract", "ai-train", "tdm", "print")
ROBOTS = acap.parse_robots("ACAP-crawler: *\nACAP-allow-print: /\n", url="http://site.example/robots.txt")
"""It permits a usage that it alone knows."""
ORDER = ("permitted", "conditional", "prohibited")
SPACE = "http://www.w3.org/1999/xhtml"
ROOT = f'<html xmlns="{SPACE}">'
NOINDEX, OTHER, ALLOWED = (
    f'<meta name="robots" content="{said}"/>' for said in ("noindex", "ACAP disallow-other", "ACAP allow-index")
)

contents = st.sampled_from(
    (
        "noindex",
        "nosnippet",
        "none",
        "noai",
        "ACAP disallow-index",
        "ACAP disallow-other",
        "ACAP disallow-present",
        "ACAP allow-present-snippet",
        "ACAP allow-index",
        "ACAP allow-index time-limit=until-2001-01-01",
    )
)
metas = st.builds('<meta name="{}" content="{}"/>'.format, st.sampled_from(("robots", "bot")), contents)
hiding = st.sampled_from(
    (
        "<title/>", '<script src="a.js"/>', "<style/>", "<textarea/>", "<iframe/>", "<noscript/>", "<template/>",
        "<title>t</title>", "<script>if (a)</script>", "<!-- c -->", "<![CDATA[ d ]]>", "<br/>", "<p>w</p>", "text",
        "&amp;",
    )
)  # fmt: skip
marked = st.builds(
    '<{0} class="the-acap:{1}">w{2}</{0}>'.format,
    st.sampled_from(("p", "div", "table", "template", "td")),
    st.sampled_from(("disallow-index", "disallow-present", "allow-index", "disallow-preserve")),
    st.sampled_from(("", "<div>in</div>", "<p/>", "<br/>")),
)
bodies = st.lists(st.one_of(metas, hiding, marked), min_size=1, max_size=7).map("".join)
pages = st.builds(
    '{}<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>{}</body></html>'.format,
    st.sampled_from(("", '<?xml version="1.0"?>', "<!DOCTYPE html>")),
    bodies,
)
damages = st.one_of(
    st.tuples(st.just("out"), st.integers(0, 300), st.integers(1, 40)),
    st.tuples(st.just("ends"), st.integers(0, 9), st.just(0)),
    st.tuples(
        st.just("in"), st.integers(0, 300), st.sampled_from(("<", ">", "/", '"', "&", "<b>", "<title>", "\0", "<!--"))
    ),
    st.tuples(st.just("none"), st.just(0), st.just(0)),
)
UNDECIDED = ("application/octet-stream", "application/pdf")
types = st.sampled_from(
    (
        *("text/html", "application/xhtml+xml", "application/xml", "text/xml", None, "html", "text/plain, text/html"),
        *UNDECIDED,
    )
)
charsets = st.sampled_from(
    ("", "; charset=utf-8", "; charset=windows-1252", "; charset=shift_jis", "; charset=no-such")
)


def damaged(page: str, damage: tuple[str, int, Any]) -> bytes:
    """A page with a part taken out, with its end tags dropped from one on, or with something put in."""
    how, at, what = damage
    if how == "ends":
        return _without_ends(page, at)
    if how == "out":
        return (page[:at] + page[at + what :]).encode()
    return (page[:at] + what + page[at:]).encode() if how == "in" else page.encode()


def _without_ends(page: str, at: int) -> bytes:
    ends = [found.start() for found in re.finditer("</[a-z]+>", page)]
    start = ends[at % len(ends)]
    return (page[:start] + re.sub("</[a-z]+>", "", page[start:])).encode()


Seen = tuple[list[tuple[str, str]], list[str]]


def seen(octets: bytes, media: str | None, charset: str | None) -> list[Seen]:
    """The META elements and the class tokens that a browser comes upon; of XHTML as HTML, too.

    Where nobody said that it is a page, no permission counts.
    """
    if media in ("application/xhtml+xml", "application/xml", "text/xml") or (
        media in (None, "html") and octets.lstrip().startswith(b"<?xml")
    ):
        as_xml = seen_as_xml(octets)
        return [] if as_xml is None else [as_xml, seen_as_html(octets, charset)]
    as_html = seen_as_html(octets, charset)
    return [restricting(as_html) if media in UNDECIDED else as_html]


def restricting(one: Seen) -> Seen:
    """What is left where no permission counts."""
    found, words = one
    return [(name, said) for name, said in found if " allow-" not in said], words


def seen_as_html(octets: bytes, charset: str | None) -> Seen:
    """What is in the tree of HTML."""
    tree = html5lib.parse(octets, namespaceHTMLElements=False, transport_encoding=charset)
    every: Any = tree.iter()
    nodes = [node for node in every if isinstance(node.tag, str)]
    sheltered = {id(inner) for node in nodes if node.tag == "template" for inner in node.iter() if inner is not node}
    found = [
        (node.get("name", ""), node.get("content", ""))
        for node in nodes
        if node.tag == "meta" and id(node) not in sheltered
    ]
    return found, [word for node in nodes for word in node.get("class", "").split()]


def seen_as_xml(octets: bytes) -> Seen | None:
    """The same of XML, up to where it breaks off, and then no permission counts; None where it is no XHTML."""
    parser: Any = etree.XMLPullParser(("start",), resolve_entities=False, no_network=True)
    found: list[tuple[str, str]] = []
    words: list[str] = []
    root = None
    broken = False
    try:
        parser.feed(octets)
        parser.close()
    except etree.XMLSyntaxError:
        broken = True
    events = parser.read_events()
    while True:
        try:
            _, node = next(events)
        except (StopIteration, etree.XMLSyntaxError):
            if root is None:
                return None
            return restricting((found, words)) if broken else (found, words)
        root = node.tag if root is None else root
        if root != f"{{{SPACE}}}html":
            return None
        inside = any(one.tag == f"{{{SPACE}}}template" for one in node.iterancestors())
        if node.tag == f"{{{SPACE}}}meta" and not inside:
            found.append((node.get("name", ""), node.get("content", "")))
        words += node.get("class", "").split()


def answers(page: Any, others: Any = (), *, elements: bool) -> list[int]:
    """How strict every usage comes out."""
    asker = acap.Crawler("bot", elements=elements)
    return [
        ORDER.index(acap.decide(URL, crawler=asker, usage=usage, robots=ROBOTS, page=page, others=others).outcome)
        for usage in USAGES
    ]


@given(pages, damages, types, charsets)
@example(f"{ROOT}<title/>{NOINDEX}</html>", ("none", 0, 0), "application/xhtml+xml", "")
@example(f'<?xml version="1.0"?>{ROOT}<script/>{NOINDEX}</html>', ("none", 0, 0), None, "")
@example(f"<html>{NOINDEX}</html>", ("none", 0, 0), "text/plain, text/html", "")
@example(f"{ROOT}{OTHER}<title/>{ALLOWED}</html>", ("none", 0, 0), "application/xhtml+xml", "")
@example(f"{ROOT}{OTHER}<![CDATA[>{ALLOWED}]]></html>", ("none", 0, 0), "application/xhtml+xml", "")
@example(f"{ROOT}<![CDATA[>{NOINDEX}]]></html>", ("none", 0, 0), "application/xml", "")
@example(f"{ROOT}{OTHER}{ALLOWED}<b></html>", ("none", 0, 0), "application/xhtml+xml", "")
@example(f"{ROOT}{OTHER}{ALLOWED}</html>", ("none", 0, 0), "application/octet-stream", "")
@example(f"{ROOT}{OTHER}{ALLOWED}</html>", ("none", 0, 0), "application/pdf", "")
def test_whatever_is_done_to_a_page_what_a_browser_comes_upon_holds(
    page: str, damage: tuple[str, int, Any], media: str | None, charset: str
) -> None:
    """Broken, of another type or charset: no answer is looser than what a browser reads of the same octets asks for."""
    octets = damaged(page, damage)
    headers = [] if media is None else [("Content-Type", media + charset)]
    read = carriers(octets, url=URL, headers=headers)
    ours = {elements: answers(read.page, read.others, elements=elements) for elements in (True, False)}
    for found, words in seen(octets, media, charset.partition("=")[2] or None):
        tags = "".join(f'<meta name="{html.escape(name)}" content="{html.escape(content)}">' for name, content in found)
        marks = "".join(f'<div class="{html.escape(word)}"></div>' for word in words)
        for elements in (True, False):
            clean = acap.parse_page(f"<!doctype html>{tags}<body>{marks if not elements else ''}", url=URL)
            wanted = answers(clean, elements=elements)
            pairs = zip(ours[elements], wanted, strict=True)
            assert all(one >= other for one, other in pairs), (octets, headers, ours[elements], wanted)


@given(pages, st.integers(0, 400), types)
def test_a_page_that_is_known_to_be_cut_prohibits(page: str, at: int, media: str | None) -> None:
    """Wherever it is cut: what lies behind may have prohibited anything, whatever was read before."""
    octets = page.encode()
    cut = octets[: min(at, len(octets) - 1)]
    headers = [] if media is None else [("Content-Type", media)]
    read = carriers(cut, url=URL, headers=headers, length=len(octets))
    assert set(answers(read.page, read.others, elements=True)) == {2}
    assert acap.decide(URL, crawler="bot", usage="crawl", page=read.page, others=read.others).permitted
    alone = acap.parse_page(cut, url=URL, complete=False)
    assert set(answers(alone, elements=True)) == set(answers(alone.skeleton(), elements=True)) == {2}


@given(pages, st.integers(0, 400), types, st.sampled_from(((), (("Content-Encoding", "identity"),))))
def test_a_page_with_fewer_octets_than_its_headers_say_prohibits(
    page: str, at: int, media: str | None, more: tuple[tuple[str, str], ...]
) -> None:
    """A `Content-Length` among the headers makes a cut known, to every reader of the response."""
    octets = page.encode()
    cut = octets[: min(at, len(octets) - 1)]
    headers = [*([] if media is None else [("Content-Type", media)]), ("Content-Length", str(len(octets))), *more]
    read = carriers(cut, url=URL, headers=headers)
    assert set(answers(read.page, read.others, elements=True)) == {2}
    assert set(answers(read.policy, elements=True)) == {2}
    alone = acap.parse_page(cut, url=URL, headers=headers)
    assert set(answers(alone, elements=True)) == set(answers(alone.skeleton(), elements=True)) == {2}
    whole = carriers(octets, url=URL, headers=headers)
    plain = carriers(octets, url=URL, headers=headers[:1] if media else [])
    assert answers(whole.page, whole.others, elements=True) == answers(plain.page, plain.others, elements=True)
