"""XHTML as browsers read it and as HTML: nothing hides a statement, nothing is loaded, nothing costs too much."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import pytest

import acap
from acap.pages import xhtml
from acap.pages.html import PageTree
from acap.pages.page import PagePolicy

URL = "https://site.example/a"
SPACE = 'xmlns="http://www.w3.org/1999/xhtml"'
NOINDEX = '<meta name="robots" content="noindex"/>'
CLASS = '<p class="the-acap:disallow-index">x</p>'
USAGES = ("crawl", "follow", "index", "preserve", "present", "present-snippet", "present-extract", "tdm", "other")

HIDING = [
    f"<html {SPACE}><head><title/>{NOINDEX}</head></html>",
    f'<html {SPACE}><head><script src="a.js"/>{NOINDEX}</head></html>',
    f"<html {SPACE}><head><style/>{NOINDEX}</head></html>",
    f"<html {SPACE}><body><textarea/>{CLASS}</body></html>",
    f"<html {SPACE}><body><iframe/>{CLASS}</body></html>",
    f"<html {SPACE}><body><noscript/><xmp/>{CLASS}</body></html>",
    '<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:meta name="robots" content="noindex"/></h:html>',
    f'<!DOCTYPE html [<!ENTITY e "noindex">]><html {SPACE}><meta name="robots" content="&e;"/></html>',
    f'<!DOCTYPE html [<!ATTLIST meta name CDATA "robots" content CDATA "noindex">]><html {SPACE}><meta/></html>',
    f"<html {SPACE}><body><template>{CLASS}</template><title/></body></html>",
    f"<html {SPACE}><body><select><option>{NOINDEX}</option></select></body></html>",
]
"""Pages whose statements a reader of HTML alone, or of XML alone, does not find."""


def page_of(text: str, media: str | None = "application/xhtml+xml") -> PagePolicy:
    """The page of a text with a type."""
    return acap.parse_page(text.encode(), url=URL, headers={"Content-Type": media} if media else ())


def decided(page: PagePolicy, **asked: object) -> list[tuple[str, list[str]]]:
    """What is decided, usage by usage."""
    found = page.asking(crawler=acap.Crawler("bot", **asked)).decide_each(USAGES)  # type: ignore[arg-type]  # options of several types
    return [
        (str(one.outcome), [str(each) for each in one.restrictions if each.name != "excluded-element"])
        for one in found.values()
    ]


@pytest.mark.parametrize("media", ["application/xhtml+xml", "text/xml", "application/xml; charset=utf-8"])
@pytest.mark.parametrize("text", HIDING)
def test_nothing_in_xhtml_hides_a_prohibition(text: str, media: str) -> None:
    """Whatever HTML takes for the text of an element: what XML reads prohibits, of the page or of the element."""
    decision = page_of(text, media).decide("index", crawler="bot")
    assert not decision.permitted or [one.name for one in decision.restrictions] == ["excluded-element"]
    assert "x" not in page_of(text, media).content_for("index", crawler="bot").text.split()


@pytest.mark.parametrize("text", [f'<?xml version="1.0"?>{one}' for one in HIDING])
def test_xml_without_a_type_is_xml(text: str) -> None:
    """MIME Sniffing standard 7.1."""
    assert decided(page_of(text, None)) == decided(page_of(text))


def test_what_html_alone_finds_prohibits_too() -> None:
    """Either reading prohibits: what stands in a section of character data is markup for a reader of HTML."""
    text = f"<html {SPACE}><head><title>t</title></head><body><![CDATA[>{NOINDEX}]]></body></html>"
    page = page_of(text)
    assert not page.decide("index", crawler="bot").permitted
    permits = page_of(text.replace("noindex", "ACAP allow-index"))
    robots = acap.parse_robots("ACAP-crawler: *\nACAP-disallow-index: /", url="https://site.example/robots.txt")
    assert not acap.decide(URL, crawler="bot", usage="index", page=permits, robots=robots).permitted


@pytest.mark.parametrize(
    "text",
    [
        *HIDING,
        f"<html {SPACE}><head>{NOINDEX}<title>t</title></head><body>{CLASS}<br></body></html>",
        f'<html {SPACE}><head><meta name="robots" content="ACAP allow-index max-length=3-words"/><br></head></html>',
        f'<html {SPACE}><![CDATA[><meta name="bot" content="ACAP allow-present max-length=9-words">]]></html>',
        f'<html {SPACE}><body><p class="the-acap:disallow-index" data-nosnippet=""/>a</body></html>',
        f"<html {SPACE}><body>{CLASS}a</body></html>",
        f"<!doctype html>{CLASS}",
    ],
)
@pytest.mark.parametrize("media", ["application/xhtml+xml", "text/html", None])
def test_a_skeleton_of_xhtml_decides_as_its_page(text: str, media: str | None) -> None:
    """Whoever asks, and read again it is itself."""
    page = page_of(text if media else f'<?xml version="1.0"?>{text}', media)
    kept = page.skeleton()
    for asked in ({}, {"elements": False}):
        assert decided(kept, **asked) == decided(page, **asked), kept.html
    assert kept.skeleton() == kept


def test_nothing_external_is_loaded(tmp_path: object) -> None:
    """A document type, an entity, a parameter entity of another place stand for nothing."""
    for declared in (
        f'SYSTEM "file://{tmp_path}/a.dtd"',
        '[<!ENTITY e SYSTEM "http://127.0.0.1:1/e">]',
        '[<!ENTITY % e SYSTEM "file:///etc/passwd"> %e;]',
    ):
        page = page_of(f'<!DOCTYPE html {declared}><html {SPACE}><body><p title="&e;">&e;</p></body></html>')
        assert [one.code for one in page.problems] == ["page-ill-formed"]
        assert page.decide("index", crawler="bot").permitted
        assert "root" not in page.content_for("index", crawler="bot").text


ENTITIES = "".join(f'<!ENTITY {chr(98 + n)} "{("&" + chr(97 + n) + ";") * 10}">' for n in range(12))
BOMBS = [
    f'<!DOCTYPE html [<!ENTITY a "aaaaaaaaaa">{ENTITIES}]><html {SPACE}>&m;</html>',
    f'<!DOCTYPE html [<!ENTITY a "{"a" * 60_000}">]><html {SPACE}>{"&a;" * 100_000}</html>',
    f'<!DOCTYPE html [<!ENTITY a "&a;">]><html {SPACE}>&a;</html>',
    "<!DOCTYPE html [" + "".join(f'<!ENTITY e{n} "x">' for n in range(200)) + f"]><html {SPACE}>x</html>",
    f'<!DOCTYPE html [<!ENTITY a "{"a" * 200_000}">]><html {SPACE}>x</html>',
]


@pytest.mark.parametrize("text", BOMBS)
def test_entities_that_stand_for_too_much_prohibit(text: str) -> None:
    """And cost nothing."""
    start = time.process_time()
    page = page_of(text)
    assert time.process_time() - start < 2
    assert [one.code for one in page.problems] == ["page-too-much"]
    assert {outcome for outcome, _ in decided(page)[1:]} == {"prohibited"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        "<p>",
        "<p></p>",
        "<![CDATA[",
        "<!--",
        "&amp;",
        "&x;",
        "<a b='c'/>",
        "]]>",
        "<?x ?>",
        "<p class='acap:disallow-index'/>",
    ],
)
def test_reading_xhtml_is_linear(unit: str) -> None:
    """Whatever is repeated, in whatever declarations."""
    for begin in (f"<html {SPACE}><body>", f'<!DOCTYPE html SYSTEM "x"><html {SPACE}><body>'):
        start = time.process_time()
        page_of(begin + unit * 20_000 + "</body></html>").problems  # noqa: B018
        assert time.process_time() - start < 4


@pytest.mark.parametrize(
    ("begin", "unit", "end"),
    [
        ("<head>", '<meta name="a" content="b"/>', "</head>"),
        ("<head>", '<meta name="tdm-reservation" content="1"/>', "</head>"),
        ("<head/><body>", '<meta name="tdm-reservation" content="0"/>', "</body>"),
        ("<head><style>", '<meta name="tdm-reservation" content="1"/>', "</style></head>"),
        ("<head/><body>", '<style/><meta name="tdm-reservation" content="1"/><style></style>', "</body>"),
        ("<head/><body>", "<![CDATA[><meta name='tdm-reservation' content='1'/>]]>", "</body>"),
    ],
)
def test_the_meta_elements_of_xhtml_are_gone_through_a_few_times(
    begin: str, unit: str, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many there are: twice as many take no more walks, and twice as many questions where one stands."""
    counted: Counter[str] = Counter()
    for name in ("_meta_nodes", "is_in_head"):
        plain = getattr(PageTree, name)

        def counting(*given: Any, name: str = name, plain: Any = plain) -> Any:
            counted[name] += 1
            return plain(*given)

        monkeypatch.setattr(PageTree, name, counting)
    steps = []
    for times in (20, 40):
        counted.clear()
        page = page_of(f"<html {SPACE}>{begin}{unit * times}{end}</html>")
        page.decide("tdm", crawler="bot")
        page.skeleton()
        steps.append(dict(counted))
    few, many = steps
    assert few["_meta_nodes"] == many["_meta_nodes"] < 20
    assert many.get("is_in_head", 0) <= 2 * few.get("is_in_head", 0)


def test_the_meta_elements_of_xhtml_have_the_nodes_of_their_readings() -> None:
    """One that only one reading has, too; in the head is what every reading has there, wherever it has it."""
    a, b, c, d = (f'<meta name="{name}" content="1"/>' for name in "abcd")
    head, body = f"{a}{b}{b}<meta/>{c}", f"{b}<![CDATA[><meta/>{c}{d}]]>{a.replace('1', '2')}"
    document = page_of(f"<html {SPACE}><head>{head}</head><body>{body}</body></html>").carried.document
    assert document is not None
    for meta in document.metas:
        attributes = getattr(document.node_of(meta), "attributes", {})
        assert (attributes.get("name"), attributes.get("content")) == (meta.name, meta.content)
    lifting = [(meta.name, meta.lifts) for meta in document.metas]
    assert lifting == [*((name, True) for name in "abbcba"), ("d", False)]
    assert [document.is_in_head(meta) for meta in document.metas] == [True, *[False] * 6]


def test_octets_that_are_no_character_are_a_fault() -> None:
    """Browsers stop there; what stands behind prohibits all the same."""
    octets = f"<html {SPACE}><head><title>\xe9</title>{NOINDEX}</head></html>".encode("latin-1")
    page = acap.parse_page(octets, url=URL, headers={"Content-Type": "application/xhtml+xml"})
    assert [one.code for one in page.problems] == ["page-ill-formed"]
    assert not page.decide("index", crawler="bot").permitted


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-8-sig", "iso-8859-1"])
def test_xml_is_decoded_as_it_says(encoding: str) -> None:
    """By its mark, its declaration, or as UTF-8 (XML 1.0 4.3.3)."""
    text = f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?><html {SPACE}><title/>é{NOINDEX}</html>'
    assert xhtml.decode(text.encode(encoding), None)[0].endswith(text)
    page = acap.parse_page(text.encode(encoding), url=URL, headers={"Content-Type": "text/xml"})
    assert page.problems == ()
    assert not page.decide("index", crawler="bot").permitted


TEMPLATE = """<!doctype html><body>a<div><template shadowrootmode="open">
<p class="the-acap:disallow-preserve the-acap:disallow-present">SECRET</p><tr class="the-acap:allow-preserve"><td>b
</template></div><template data-nosnippet><template><i class="acap:disallow-index">SECRET</i></template></template>c"""


def test_what_templates_hold_is_left_out_of_copies() -> None:
    """The statements stay, so that the copy is decided as the page; of what is prohibited nothing else does."""
    page = acap.parse_page(TEMPLATE, url=URL)
    for usage in ("preserve", "present", "index", "present-snippet"):
        content = page.content_for(usage, crawler="bot")
        assert {one.name for one in content.decision.restrictions} == {"excluded-element"}
        assert content.text.split() == ["a", "c"]
        assert "SECRET" not in content.html + content.html_with_statements
        copy = acap.parse_page(content.html_with_statements, url=URL)
        assert copy.skeleton().html == page.skeleton().html
