"""An explanation says what decided, where it stands, what it beat and why; no file speaks to a terminal through it."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

import acap
import acap.decision
from acap import _native
from acap.explain import (
    KEYS,
    KINDS,
    RESTRICTIONS,
    Node,
    Role,
    failure_text,
    headline,
    quotation,
    summary,
    to_rich,
    to_text,
    tree,
    visible,
)
from acap.restrictions import TABLE

TEXT = b"""\
User-agent: *
Disallow: /private/
Allow: /private/open

ACAP-crawler: *
ACAP-allow-preserve: / time-limit=30-days
ACAP-disallow-index: /
ACAP-allow-index: /news/
"""


def decide(path: str, usage: str, text: bytes = TEXT) -> acap.Decision:
    policy = acap.parse_robots(text)
    return policy.decide(f"https://example.com{path}", crawler="examplebot", usage=usage)


def texts(node: Node, role: Role) -> list[str]:
    return [item.text for _, item in node.walk() if item.role is role]


def test_the_headline_names_outcome_usage_url_and_crawler() -> None:
    assert headline(decide("/private/x", "crawl")) == "prohibited: crawl of https://example.com/private/x by examplebot"


def test_the_headline_names_the_purpose() -> None:
    policy = acap.parse_robots(TEXT, url="https://example.com/robots.txt")
    decision = policy.decide("https://example.com/", crawler="examplebot", purpose="https://a.example/p")
    assert headline(decision).endswith("by examplebot for https://a.example/p")


def test_the_headline_names_all_usages_that_share_the_decision() -> None:
    assert headline(decide("/", "crawl"), ["crawl", "follow"]).startswith("permitted: crawl, follow of https://")


def test_the_tree_cites_the_deciding_line_with_its_place() -> None:
    node = tree(decide("/private/x", "crawl"))
    assert texts(node, Role.STATEMENT) == ["robots.txt:2:1  Disallow: /private/  (prohibits crawl)"]


def test_a_place_of_a_site_s_own_file_is_that_of_its_url() -> None:
    policy = acap.parse_robots(TEXT, url="https://example.com/robots.txt")
    decision = policy.decide("/private/x", crawler="examplebot")
    assert summary(decision) == "https://example.com/robots.txt:2:1 Disallow: /private/"


def test_the_tree_tells_what_lost_and_by_which_rule() -> None:
    node = tree(decide("/news/today", "index"))
    decided, lost = texts(node, Role.STATEMENT)
    assert decided.startswith("robots.txt:8:1  ACAP-allow-index: /news/")
    assert lost.startswith("robots.txt:7:1  ACAP-disallow-index: /")
    assert texts(node, Role.WHY) == [KEYS["resources"]]


def test_the_tree_lists_restrictions_with_their_meaning() -> None:
    node = tree(decide("/news/today", "preserve"))
    assert texts(node, Role.RESTRICTION) == [f"time-limit=30-days: {RESTRICTIONS['time-limit']}"]


def test_the_tree_names_what_is_prohibited_below_the_usage_asked_for() -> None:
    text = b"ACAP-crawler: *\nACAP-allow-present: /\nACAP-disallow-present-snippet: /\n"
    (note,) = texts(tree(decide("/", "present", text)), Role.NOTE)
    assert "present-snippet" in note


@pytest.mark.parametrize(
    ("limits", "role"), [(acap.Limits(line_octets=16), Role.NOTE), (acap.Limits(file_octets=40), Role.STAGE)]
)
def test_the_tree_says_once_when_a_limit_cut_the_policy(limits: acap.Limits, role: Role) -> None:
    """A statement that decides has a note beside it; what was cut decides as a kind of reason does."""
    policy = acap.parse_robots(b"User-agent: *\nDisallow: /a\nAllow: /a/long/path\n", limits=limits)
    node = tree(policy.decide("/a", crawler="examplebot"))
    said = [(of, text) for of in Role for text in texts(node, of) if "a limit cut" in text]
    assert [of for of, _ in said] == [role]


def test_a_refusal_for_want_of_crawl_says_so_and_cites_the_line_that_refuses_crawl() -> None:
    node = tree(decide("/private/x", "follow"))
    assert KINDS["crawl-prohibited"] in texts(node, Role.STAGE)
    assert texts(node, Role.STATEMENT)[0].startswith("robots.txt:2:1  Disallow: /private/")


def test_silence_is_explained_without_a_statement() -> None:
    assert summary(decide("/", "follow")) == KINDS["silence"]


def test_silence_that_refuses_is_not_said_to_permit() -> None:
    crawler = acap.Crawler("examplebot", silence={"follow": "prohibited"})
    decision = acap.parse_robots(TEXT).decide("/", crawler=crawler, usage="follow")
    assert decision.outcome == "prohibited"
    assert "refusal" in summary(decision)
    assert headline(decision) == "prohibited: follow of / by examplebot"


def test_every_kind_of_reason_and_every_key_has_a_sentence() -> None:
    assert set(KINDS) == set(acap.decision.KINDS)
    assert set(KEYS) == set(_native.keys())
    assert set(RESTRICTIONS) == {*TABLE, "excluded-purpose"}


def test_a_summary_quotes_the_statement_that_decided() -> None:
    assert summary(decide("/private/x", "crawl")) == "robots.txt:2:1 Disallow: /private/"


@pytest.mark.parametrize("policy", [acap.RobotsPolicy.unreachable, acap.RobotsPolicy.absent])
def test_a_policy_that_is_no_file_has_a_sentence(policy: object) -> None:
    assert callable(policy)
    decision = policy("https://example.com/robots.txt").decide("/", crawler="examplebot")
    assert summary(decision) == KINDS[decision.reason.kind]


def test_plain_text_indents_by_depth_and_is_the_same_tree() -> None:
    node = tree(decide("/news/today", "index"))
    assert to_text(node).splitlines() == ["  " * depth + item.text for depth, item in node.walk()]


def test_the_terminal_shows_every_line_of_the_tree() -> None:
    node = tree(decide("/news/today", "index"))
    console = Console(file=io.StringIO(), width=200, record=True)
    console.print(to_rich(node))
    shown = console.export_text()
    assert all(item.text in shown for _, item in node.walk())


def test_markup_of_a_file_stays_text_on_the_terminal() -> None:
    node = tree(decide("/[bold]x", "crawl", b"User-agent: *\nDisallow: /[bold]x\n"))
    console = Console(file=io.StringIO(), width=200, record=True)
    console.print(to_rich(node))
    assert "Disallow: /[bold]x" in console.export_text()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ü", "plain ü"),
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\x9bb", "a\\x9bb"),
        ("a\tb", "a b"),
        ("a\u202eb", "a\\u202eb"),
        ("a\u2028b\nc\x00", "a\\u2028b\\x0ac\\x00"),
    ],
)
def test_control_and_direction_characters_are_shown_not_sent(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[Errno 111] Connection refused", "Connection refused"),
        ("ConnectError: [Errno -2] Name or service not known.", "Name or service not known"),
        ("the peer said\n\x1b[31mno", "the peer said\\x0a\\x1b[31mno"),
    ],
)
def test_a_failure_is_one_line_without_what_programmers_read(text: str, shown: str) -> None:
    assert failure_text(text) == shown


def test_a_control_character_of_a_file_reaches_no_rendering() -> None:
    decision = decide("/a", "crawl", b"User-agent: *\nDisallow: /a\x1b]0;title\x07\nDisallow: /a\n")
    hostile = decide("/%1B[2Jx", "crawl", b"User-agent: *\nDisallow: /\x1b[2Jx\n")
    for item in (decision, hostile):
        shown = to_text(tree(item)) + summary(item) + "".join(quotation(cited) for cited in item.reason.decided_by)
        assert shown.replace("\n", "").isprintable()
