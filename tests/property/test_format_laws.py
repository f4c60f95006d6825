"""Laws of format: no decision changes in any dialect, and twice is once. `ACAP_CASES` says how many files are tried."""

from __future__ import annotations

import os
from random import Random

from acap.publish.format import format_robots
from acap.robots import DIALECTS, RobotsPolicy, parse_robots

CASES = int(os.environ.get("ACAP_CASES", "250"))
SEED = os.environ.get("ACAP_SEED", "1")

LINES = (
    b"User-agent: a", b"user-agent:*", b"User-Agent : b # x", b"useragent: a", b"Disallow: /a", b"DISALLOW:/b#c",
    b"disallow /ab", b"Allow: /a*b$", b"Disallow:", b"", b"", b"", b"  ", b"\x0b", b"# c", b"##ACAP version=1.0",
    b"Robot-version: 2.0.0", b"robot-version:2.1", b"ACAP-crawler: a", b"acap-crawler:*", b"ACAP-allow-crawl: /a",
    b"acap-DISALLOW-crawl :/ab # x", b"ACAP-ignore-conventional-records", b"ACAP-resource-set: x /a",
    b"ACAP allow crawl: /b", b"Crawl-delay: 3", b"Request-rate: 1/5", b"Sitemap: x", b"\xef\xbb\xbf", b"\xef",
    b"Disallow: /\xff", b"Allow: /a\0b", b"\0", b"Disallow: " + b"/a" * 9_000, b"Allow:" + b" " * 16_660 + b"/a",
    b"foo", b"foo: bar", b"Disallowed: /b", b":", b"#", b"a:#:", b"disallow:/aa\xe2\x80\x93",
)  # fmt: skip
ENDS = (b"\n", b"\n", b"\n", b"\n", b"\r\n", b"\r")
PATHS = ("/", "/a", "/ab", "/b", "/aXb", "/aa", "/c", "/a?x")
CRAWLERS = ("a", "b", "other")


def files(number: int) -> bytes:
    """A file of hostile lines that is a text: one that is binary has no layout."""
    random = Random(f"{SEED}.{number}")
    while True:
        octets = b"".join(random.choice(LINES) + random.choice(ENDS) for _ in range(random.randint(1, 14)))
        octets = octets.rstrip(b"\r\n") if random.random() < 0.3 else octets
        if not any(problem.code == "packed-file" for problem in parse_robots(octets).problems):
            return octets


def answers(policy: RobotsPolicy) -> list[object]:
    """What a policy says to each crawler: decisions, and what it asks for."""
    usages = ("crawl", "index")
    decisions: list[object] = [policy.decide_many(PATHS, crawler=one, usages=usages).outcomes for one in CRAWLERS]
    return [
        *decisions,
        *((asked.delays, [rate.interval for rate in asked.rates]) for asked in map(policy.politeness, CRAWLERS)),
    ]


def test_no_decision_changes_in_any_dialect() -> None:
    """A formatted file answers every question as the file did, whichever dialect reads it."""
    for number in range(CASES):
        octets = files(number)
        formatted = format_robots(octets)
        for dialect in DIALECTS:
            before, after = (answers(parse_robots(text, dialect=dialect)) for text in (octets, formatted))
            assert before == after, (dialect, octets, formatted)


def test_twice_is_once() -> None:
    """A formatted file stays as it is."""
    for number in range(CASES):
        formatted = format_robots(files(number))
        assert format_robots(formatted) == formatted, formatted


def test_nothing_is_lost() -> None:
    """Without white space and case the octets are the same, but for a byte order mark at the beginning."""
    for number in range(CASES):
        octets = files(number)
        bare, formatted = (
            bytes(text).translate(None, b" \t\r\n\x0b\x0c").lower() for text in (octets, format_robots(octets))
        )
        assert formatted in (bare, bare.removeprefix(b"\xef\xbb\xbf"))
