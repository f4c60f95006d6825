"""Findings of one cause are one finding with its places for people, and each by itself for programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from acap.publish.lint.causes import causes
from acap.publish.lint.document import Document
from acap.publish.lint.run import lint
from acap.publish.verdict import verdict
from tests.command_line import acap

_NOTES = "User-agent: *\nDisallow: /a\nstaff\nDisallow: /b\nothers\nDisallow: /c\nhere\nthere\nand\n"


@pytest.fixture
def robots(tmp_path: Path) -> Path:
    return tmp_path / "robots.txt"


def test_one_cause_is_told_once_with_its_places(robots: Path) -> None:
    """Three places are quoted, with what is said of each, and of the others the lines are numbered."""
    robots.write_text(_NOTES, encoding="utf-8")
    found = acap("lint", robots)
    assert sum("[no-field]" in line for line in found.lines) == 1
    assert "`staff` is not a field and is ignored, and 4 more like it [no-field]" in found.lines[0]
    assert "      | ^^^^^^ `others` is not a field and is ignored" in found.lines
    assert "      = and at lines 8-9" in found.lines
    assert found.err.startswith("acap: 1 mistake. ")
    assert "1 finding at 5 places in 1 document" in found.err


def test_programs_have_each_finding_by_itself(robots: Path) -> None:
    robots.write_text(_NOTES, encoding="utf-8")
    assert len(acap("lint", "--output-format", "json", robots).lines) == 5
    assert acap("lint", "--output-format", "sarif", robots).out.count('"ruleId": "no-field"') == 5


def test_lines_that_others_make_needless_are_one_cause_if_these_are_the_same() -> None:
    """What one line covers is told once; what another covers is another cause."""
    text = b"User-agent: *\nDisallow: /a\nDisallow: /a/1\nDisallow: /a/2\nDisallow: /b\nDisallow: /b/1\n"
    document = Document(text, "robots.txt")
    findings = lint(document)
    assert [[one.line for one in cause] for cause in causes(findings)] == [[3, 4], [6]]
    assert verdict(document, findings=findings).remarks == 2
    assert verdict(document, findings=findings).idle == 3


@pytest.mark.parametrize(("name", "code"), [("saved.txt", 1), ("saved.html", 0)])
def test_an_error_page_under_the_name_of_a_text_is_no_robots_txt(tmp_path: Path, name: str, code: int) -> None:
    """A page by its name is linted as one; by content alone it is taken for what should be a robots.txt."""
    file = tmp_path / name
    file.write_text("<!DOCTYPE html><html><head><title>Not found</title></head></html>", encoding="utf-8")
    found = acap("lint", file)
    assert found.code == code
    assert ("[html-instead-of-robots]" in found.out) == bool(code)


def test_a_page_that_speaks_is_a_page_under_any_name(tmp_path: Path) -> None:
    file = tmp_path / "saved.txt"
    file.write_text('<!DOCTYPE html><html><head><meta name="robots" content="noindex"></head></html>', encoding="utf-8")
    assert "html-instead-of-robots" not in acap("lint", file).out
