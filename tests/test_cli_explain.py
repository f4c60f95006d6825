"""`acap explain` prints the tree of reasons, and one tree for usages that share theirs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_line import acap

TEXT = b"""\
User-agent: *
Disallow: /private/

ACAP-crawler: *
ACAP-disallow-index: /
ACAP-allow-index: /news/ time-limit=7-days
"""


@pytest.fixture
def robots(robots: Path) -> Path:
    robots.write_bytes(TEXT)
    return robots


def test_the_tree_goes_from_the_answer_to_the_line_and_what_it_beat(robots: Path) -> None:
    result = acap("explain", "--robots", robots, "-c", "a", "-u", "index", "https://example.com/news/x")
    assert result.code == 0
    assert result.lines == [
        "permitted: index of https://example.com/news/x by a",
        "  a statement decides",
        "    decided by robots.txt",
        "      robots.txt:6:1  ACAP-allow-index: /news/ time-limit=7-days  (permits index)",
        "    over these in robots.txt",
        "      robots.txt:5:1  ACAP-disallow-index: /  (prohibits index)",
        "        the winner covers the same resources, or fewer of them",
        "  with these restrictions",
        "    time-limit=7-days: the permission ends at this time",
    ]


def test_without_a_usage_those_with_the_same_reason_share_a_tree(robots: Path) -> None:
    result = acap("explain", "--robots", robots, "-c", "a", "https://example.com/private/x")
    headlines = [line for line in result.lines if not line.startswith(" ")]
    assert result.code == 1
    assert headlines[0] == "prohibited: crawl of https://example.com/private/x by a"
    assert len([line for line in headlines if line]) < 5


def test_the_exit_codes_are_those_of_check(robots: Path) -> None:
    asked = ("--robots", robots, "-c", "a", "-u", "index", "https://example.com/")
    assert acap("explain", *asked).code == acap("check", *asked).code == 1


def test_json_is_that_of_check(robots: Path) -> None:
    asked = ("--robots", robots, "-c", "a", "-u", "index", "--json", "https://example.com/news/")
    assert acap("explain", *asked).lines == acap("check", *asked).lines


def test_urls_come_from_standard_input_too(robots: Path) -> None:
    result = acap("explain", "--robots", robots, "-c", "a", "-u", "crawl", "-", given=b"/\n/private/\n")
    assert [line for line in result.lines if line and not line.startswith(" ")] == [
        "permitted: crawl of / by a",
        "prohibited: crawl of /private/ by a",
    ]


def test_every_url_and_crawler_has_its_tree(robots: Path) -> None:
    result = acap("explain", "--robots", robots, "-c", "a", "-c", "b", "-u", "crawl", "--json", "/", "/private/")
    asked = [(item["url"], item["crawler"]) for item in map(json.loads, result.lines)]
    assert asked == [("/", "a"), ("/", "b"), ("/private/", "a"), ("/private/", "b")]
