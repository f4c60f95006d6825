"""A policy at a glance: whom it tells the same, and how much of the site each may use."""

from __future__ import annotations

import pytest

import acap
from acap.crawler_list import FIRST, known, with_fallback
from acap.publish.overview import OverviewRow, overview
from acap.usages import PARENTS
from benchmarks.corpus import CRAWLER, load
from tests.portions import portion

_OTHERS = ", ".join(name for name in FIRST if name != "GPTBot")
_REST = ", ".join(name for name in FIRST if name != "Googlebot")
_LIMITED = "ACAP-crawler: *\nACAP-allow-index: / time-limit=10-days\nACAP-disallow-preserve: /\n"

TEXTS = {
    "User-agent: AI2Bot\nUser-agent: y.z/2.0\nUser-agent: Kangaroo Bot\nDisallow: /\n": [
        "any crawler: everything",
        "AI2Bot, y.z, Kangaroo: nothing",
    ],
    "": ["any crawler: everything"],
    "User-agent: *\nDisallow: *\n": ["any crawler: nothing"],
    "User-agent: *\nDisallow: /*\n": ["any crawler: nothing"],
    "User-agent: *\nDisallow: /a\nDisallow: /b\nAllow: /b/c\n": ["any crawler: all but /a, (/b but not /b/c)"],
    "User-agent: *\nDisallow: /\nAllow: /a\n": ["any crawler: only /a"],
    "User-agent: *\nDisallow: /\nAllow: /a\nDisallow: /a/b\nDisallow: /c\n": ["any crawler: only /a but not /a/b"],
    "User-agent: zbot\nUser-agent: GPTBot/1.0\nDisallow: /\n": [
        f"any other crawler ({_OTHERS}): everything",
        "GPTBot, zbot: nothing",
    ],
    "User-agent: Googlebot\nDisallow: /g\n\nUser-agent: *\nContent-Signal: ai-input=yes, ai-train=yes\nAllow: /\n": [
        "Googlebot: all but /g",
        f"any other crawler ({_REST}): everything",
    ],
}


def shown(row: OverviewRow) -> str:
    return f"{row.text}: {'; '.join(part.text for part in row.parts)}"


@pytest.mark.parametrize(("text", "expected"), TEXTS.items())
def test_crawlers_that_are_told_the_same_are_one_row(text: str, expected: list[str]) -> None:
    """Those of the list come first, then those that the policy names, then any other; paths as `compare` names them."""
    assert [shown(row) for row in overview(acap.parse_robots(text.encode()))] == expected


@pytest.mark.parametrize("usage", ["crawl", "index", "ai-train", "ai-input"])
@pytest.mark.parametrize("name", ["Applebot", "Googlebot-Image", "Bingbot"])
@pytest.mark.parametrize("token", ["Applebot-Extended", "Google-Extended", "GPTBot"])
def test_a_crawler_is_told_of_the_group_that_it_obeys_and_of_its_own_operator(
    token: str, name: str, usage: str
) -> None:
    """Googlebot's group holds for Applebot, which Google-Extended does not control and Applebot-Extended does."""
    text = f"User-agent: Googlebot\nDisallow: /g\nUser-agent: {token}\nDisallow: /\nUser-agent: *\nDisallow: /x\n"
    policy = acap.parse_robots(text.encode())
    (row,) = overview(policy, crawlers=name, usage=usage)
    permitted = {
        path: policy.decide(path, crawler=with_fallback(name), usage=usage).permitted for path in ("/g", "/x", "/y")
    }
    texts = {"everything": "/g/x/y", "all but /g": "/x/y", "all but /x": "/g/y", "all but /g, /x": "/y", "nothing": ""}
    told = texts[row.parts[0].text]
    assert told == "".join(path for path, permit in permitted.items() if permit)


def test_usages_that_are_answered_the_same_are_one_part() -> None:
    """What is under a restriction is neither everything nor nothing, and every usage has its part."""
    (row,) = overview(acap.parse_robots(_LIMITED.encode()))
    assert [part.text for part in row.parts] == ["everything", "under conditions", "nothing"]
    assert row.of("index").usages == ("index",)
    assert sorted(usage for part in row.parts for usage in part.usages) == sorted(PARENTS)
    with pytest.raises(KeyError):
        row.of("reading")


def test_one_crawler_and_some_usages() -> None:
    """A crawler that obeys the group of another is told what that group says; a composite usage is its parts."""
    policy = acap.parse_robots(b"User-agent: Googlebot\nDisallow: /g\n")
    (row,) = overview(policy, crawlers=["Applebot"], usages=["search"])
    assert (row.crawlers, row.parts[0].usages) == (("Applebot",), ("index", "present-link", "present-snippet"))
    assert row.parts[0].text == "all but /g"
    with pytest.raises(ValueError, match="reading"):
        overview(policy, usages=["reading"])


def test_what_was_not_proved_is_not_told() -> None:
    """Without time nothing is everything, and nothing is nothing."""
    wild = "".join(f"Disallow: /*{number}*{number}*x\n" for number in range(500))
    policy = acap.parse_robots(f"User-agent: *\n{wild}".encode())
    (row,) = overview(policy, seconds=0)
    assert (row.parts[0].extent, row.parts[0].text) == ("undecided", "not worked out")


@pytest.mark.portion
@pytest.mark.slow
def test_everything_and_nothing_are_what_decisions_say() -> None:
    """Of real files each URL agrees with the extent that is told of its site."""
    extents = []
    for file in portion(load(), 10):
        policy = acap.parse_robots(file.octets)
        if policy.truncated:
            continue
        (row,) = overview(policy, crawlers=[CRAWLER], usages=["crawl"])
        extents.append(row.parts[0].extent)
        permitted = {policy.decide(url, crawler=CRAWLER).permitted for url in file.urls}
        assert permitted <= {"all": {True}, "none": {False}}.get(extents[-1], {True, False}), file.octets
    assert {"all", "some"} <= set(extents)


def test_the_crawlers_that_are_told_first_are_of_the_list() -> None:
    """Each is run today under the name that the list has."""
    rows = [known(name) for name in FIRST]
    assert [row.name for row in rows if row is not None and not row.retired] == list(FIRST)
