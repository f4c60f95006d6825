"""META tags in quotation marks that HTML does not know (G 5.10, G 5.11)."""

from __future__ import annotations

import acap
from acap.pages.html import QUOTES

URL = "http://site.example/a"
TYPOGRAPHIC = "".join(mark for mark in QUOTES if not mark.isascii())


def decided(tag: str, usage: str = "index") -> bool:
    """Whether a page with a tag permits a usage."""
    page = acap.parse_page(f"<!doctype html>\n{tag}\n<p>x", url=URL)
    return acap.decide(URL, crawler="bot", usage=usage, page=page).permitted


def test_whatever_marks_a_content_stands_in_it_prohibits() -> None:
    """A content in any typographic quotation marks, or name and content, keeps its prohibition."""
    for mark in TYPOGRAPHIC:
        assert not decided(f"<META name=robots content={mark}ACAP disallow-index{mark}>")
        assert not decided(f"<META name={mark}robots{mark} content={mark}ACAP disallow-index{mark}>")
        assert not decided(f'<META name="robots{mark}\ncontent="ACAP disallow-index{mark}>')
        assert not decided(f"<META content={mark} ACAP deny{mark} name=robots>", "preserve")


def test_a_content_in_typographic_marks_permits_nothing() -> None:
    """A permission in typographic quotation marks lifts no prohibition of the site's robots.txt."""
    robots = acap.parse_robots("ACAP-crawler: *\nACAP-disallow-index: /\n", url="http://site.example/robots.txt")
    for tag in ("<META name=robots content=“ACAP allow-index”>", '<META name="robots” content="ACAP allow-index”>'):
        page = acap.parse_page(f"<!doctype html>{tag}<p>x", url=URL)
        assert not acap.decide(URL, crawler="bot", usage="index", page=page, robots=robots).permitted


def test_a_tag_in_typographic_marks_is_a_problem_with_its_line() -> None:
    """The tag that was put together again is cited, and its problem stands, where it is written."""
    tag = "<META name=robots content=“ACAP disallow-index”>"
    page = acap.parse_page(f"<!doctype html>\n<title>x</title>\n{tag}\n<p>x", url=URL)
    (found,) = (one for one in page.problems if one.severity == "error")
    assert (found.code, found.line, found.column) == ("acap-nearly-tag", 3, 1)
    (cited,) = acap.decide(URL, crawler="bot", usage="index", page=page).reason.decided_by
    assert cited.line == 3


def test_the_skeleton_of_such_a_page_prohibits_as_the_page() -> None:
    """The skeleton holds what was put together, and its own skeleton is the same."""
    html = '<!doctype html><META name="robots” content="ACAP disallow-index”><p>x'
    skeleton = acap.parse_page(html, url=URL).skeleton()
    assert not acap.decide(URL, crawler="bot", usage="index", page=skeleton).permitted
    assert skeleton.skeleton().html == skeleton.html


def test_marks_in_other_elements_change_nothing() -> None:
    """What no mark of ACAP follows stays as it is: other META elements, and conventional words."""
    for tag in (
        "<meta name=description content=“How to disallow-index in ACAP”>",
        "<meta name='author’s' content='x'>",
        '<meta property="og:title" content="“ACAP disallow-index”">',
    ):
        assert decided(tag)
