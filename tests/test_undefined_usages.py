"""Usages that a page takes from its site's robots.txt, which may not define them (P2 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import acap
from acap.carriers import carriers
from tests.command_line import acap as run

if TYPE_CHECKING:
    from pathlib import Path

URL = "http://site.example/a.html"
DEFINED = b"ACAP-qualified-usage: quotation present-snippet max-length=20-words\nACAP-crawler: *\nACAP-allow-crawl: /\n"
SILENT = b"ACAP-crawler: *\nACAP-allow-crawl: /\n"
TOKEN = b'<!doctype html>\n<p class="the-acap:allow-(quotation)">x</p>\n'
TAG = b'<!doctype html>\n<meta name="robots" content="ACAP allow-(quotation)">\n<p>x\n'


def codes(page: bytes, robots: bytes | None) -> list[tuple[str, int]]:
    """The problems of a page, each with its line, where the robots.txt is known or not."""
    policy = None if robots is None else acap.parse_robots(robots)
    return [(one.code, one.line) for one in carriers(page, url=URL, robots=policy).problems]


@pytest.mark.parametrize("page", [TOKEN, TAG])
def test_a_usage_of_a_page_is_a_problem_unless_the_robots_txt_defines_it(page: bytes) -> None:
    """Without a robots.txt it is told that a definition is needed, with one only whether there is one."""
    assert codes(page, None) == [("page-local-usage", 2)]
    assert codes(page, SILENT) == [("acap-undefined-usage", 2)]
    assert codes(page, DEFINED) == []


def test_a_name_is_told_once() -> None:
    """However often a page names a usage, it is one problem, at the first place."""
    assert codes(TOKEN + TOKEN * 100, SILENT) == [("acap-undefined-usage", 2)]


@pytest.mark.parametrize(("page", "usage"), [(TOKEN, "index"), (TAG, "other")])
def test_the_reason_says_that_nothing_defines_the_usage(page: bytes, usage: str) -> None:
    """What an undefined usage prohibits is cited with the name that nothing defines."""
    read = acap.parse_page(page, url=URL)
    asker = acap.Crawler("bot", elements=False)
    for robots in (None, acap.parse_robots(SILENT, url="http://site.example/robots.txt")):
        decision = acap.decide(URL, crawler=asker, usage=usage, page=read, robots=robots)
        assert decision.outcome == "prohibited"
        assert "no robots.txt at hand defines `(quotation)`" in decision.reason.decided_by[0].text


def test_lint_looks_at_a_page_with_the_robots_txt_beside_or_above_it(tmp_path: Path) -> None:
    """Linted together, a page has a finding only for a usage that the robots.txt nearest above it does not define."""
    (tmp_path / "deep").mkdir()
    page = tmp_path / "deep" / "a.html"
    page.write_bytes(TOKEN)
    assert "page-local-usage" in run("lint", page).out
    (tmp_path / "robots.txt").write_bytes(SILENT)
    assert "acap-undefined-usage" in run("lint", tmp_path).out
    (tmp_path / "robots.txt").write_bytes(DEFINED)
    found = run("lint", tmp_path, page).out
    assert "undefined-usage" not in found
    assert "local-usage" not in found


def test_explain_and_check_say_it(tmp_path: Path) -> None:
    """The commands name what nothing defines."""
    (tmp_path / "robots.txt").write_bytes(SILENT)
    (tmp_path / "a.html").write_bytes(TAG)
    asked = ("-c", "bot", "-u", "other", "--robots", tmp_path / "robots.txt", "--page", tmp_path / "a.html", URL)
    for command in ("check", "explain"):
        assert "defines `(quotation)`" in run(command, *asked).out
