"""Laws of ai.txt, asked of the package and of its reference: `ACAP_EXAMPLES` says how many files."""

from __future__ import annotations

import os
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acap
from tests.reference import ai_txt as reference

EXAMPLES = int(os.environ.get("ACAP_EXAMPLES", "60"))
URL = "https://www.example.com/ai.txt"
PATHS = ("/", "/a", "/a.jpg", "/x/a.JPG?b=c.png", "/a.jpg/b", "/a.tar.gz", "/a/b.png", "/ab")
NAMES = (["examplebot"], ["otherbot"], ["thirdbot", "otherbot"])
LOOSE = ("prohibited", "silent", "permitted")

patterns = st.sampled_from(
    (
        "/",
        "*",
        "",
        "*.jpg",
        "/*.jpg",
        "*.JPG$",
        "*.tar.gz",
        "/a",
        "/a/",
        "/a$",
        "/*b",
        "a",
        ".jpg",
        "/a.jpg",
        "/x/*.JPG",
    )
)
rules = st.tuples(st.sampled_from(("Allow", "Disallow", "disallow", "ALLOW ")), patterns).map(": ".join)
agents = st.sampled_from(("User-Agent: *", "User-agent: OtherBot", "user-agent: thirdbot", "User-agent: bot"))
others = st.sampled_from(("", "# a comment", "Sitemap: https://www.example.com/s.xml", "Crawl-delay: 1"))
foreign = st.sampled_from(("- [Home](/)", "Content-Signal: ai-train=no", "training = no", "License: /l.xml", "x: y"))
lines = st.one_of(rules, rules, rules, agents, agents, others)
ends = st.sampled_from(("\n", "\r\n", "\r"))


def joined(found: list[str], end: str) -> bytes:
    return "".join(line + end for line in found).encode()


files = st.builds(joined, st.lists(lines, max_size=8), ends)
mixed = st.builds(joined, st.lists(st.one_of(lines, lines, lines, foreign), max_size=8), ends)


def says(octets: bytes | None, names: list[str], path: str, status: int = 200) -> str:
    file = acap.parse_ai_txt(octets, url=URL, status=status)
    found = file.statements_for(path, acap.Crawler(*names))
    return found[0].outcome if found else "silent"


@settings(max_examples=EXAMPLES)
@given(mixed, st.sampled_from((200, 200, 200, 204, 301, 403, 404, 429, 500)))
def test_both_interpreters_agree(octets: bytes, status: int) -> None:
    for names in NAMES:
        for path in PATHS:
            assert says(octets, names, path, status) == reference.verdict(octets, status, names, path)


@settings(max_examples=EXAMPLES)
@given(files, st.integers(0, 400))
def test_they_agree_on_files_that_are_cut(octets: bytes, at: int) -> None:
    cut = octets[:at]
    for path in PATHS:
        assert says(cut, ["otherbot"], path) == reference.verdict(cut, 200, ["otherbot"], path)


@settings(max_examples=EXAMPLES)
@given(files, st.integers(0, 400), st.integers(0, 255))
def test_an_octet_that_is_another_permits_no_more_than_it_says(octets: bytes, at: int, octet: int) -> None:
    """What is permitted the reference permits too, which knows no slips of the pen."""
    at %= max(len(octets), 1)
    damaged = octets[:at] + bytes([octet]) + octets[at + 1 :]
    for path in PATHS:
        if says(damaged, ["otherbot"], path) == "permitted":
            assert reference.verdict(damaged, 200, ["otherbot"], path) == "permitted", damaged


@settings(max_examples=EXAMPLES)
@given(st.lists(lines, max_size=8), patterns, st.integers(0, 8))
def test_a_refusal_more_never_loosens(found: list[str], pattern: str, at: int) -> None:
    """Before every group, behind a rule, or at the end; between two names it would part their group."""
    is_rule = [line.lower().startswith(("allow", "disallow")) for line in found]
    places = [0, len(found), *(number + 1 for number, rule in enumerate(is_rule) if rule)]
    place = places[at % len(places)]
    if place == 0 or found[place - 1].lower().startswith("user-agent"):
        place = 0
    more = [*found[:place], f"Disallow: {pattern}", *found[place:]]
    for names in NAMES:
        for path in PATHS:
            before, after = (says(joined(one, "\n"), names, path) for one in (found, more))
            assert LOOSE.index(after) <= LOOSE.index(before)


@settings(max_examples=EXAMPLES)
@given(files, foreign)
def test_a_line_of_another_form_lets_nothing_be_permitted(octets: bytes, line: str) -> None:
    for path in PATHS:
        for more in (line.encode() + b"\n" + octets, octets + line.encode() + b"\n"):
            assert says(more, ["otherbot"], path) != "permitted"


@settings(max_examples=EXAMPLES)
@given(mixed)
def test_a_file_that_is_written_says_the_same(octets: bytes) -> None:
    written = acap.parse_ai_txt(octets, url=URL).to_text().encode()
    for names in NAMES:
        for path in PATHS:
            assert says(written, names, path) == says(octets, names, path)
    assert acap.parse_ai_txt(written, url=URL).to_text().encode() == written


@pytest.mark.parametrize("seed", range(max(1, EXAMPLES // 100)))
def test_any_octets_give_a_value(seed: int) -> None:
    random = Random(seed)
    for _ in range(50):
        octets = bytes(random.choices(b"User-agent: *\nDisallow/.jpg$#<html>\xff\xfe\x00\r", k=random.randrange(80)))
        file = acap.parse_ai_txt(octets, url=URL)
        assert says(octets, ["bot"], "/a.jpg") in LOOSE
        assert all(problem.message for problem in file.problems)
