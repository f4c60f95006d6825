"""A block before a site's own robots.txt: what the policy is then, and which lines it undoes."""

from __future__ import annotations

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from acap.publish.lint.document import Document
from acap.publish.lint.run import lint
from acap.publish.prepended import managed, prepended
from acap.robots import parse_robots
from acap.schema import EFFECTIVE_SCHEMA
from tests.command_line import acap

BLOCK = b"""\
# BEGIN Cloudflare Managed content

User-Agent: *
Content-signal: search=yes, ai-train=no
Allow: /

User-agent: GPTBot
Disallow: /

# END Cloudflare Managed Content
"""


@pytest.mark.parametrize(
    ("origin", "undone"),
    [
        (b"User-agent: *\nDisallow: /\n", [(2, "prohibited", "permitted", True)]),
        (b"User-agent: *\nDisallow: /private/\n", []),
        (b"User-agent: GPTBot\nAllow: /\n", []),
        (b"User-agent: GPTBot\nAllow: /open/\nDisallow: /\n", []),
        (b"User-agent: *\nContent-Signal: ai-train=yes\n", [(2, "permitted", "prohibited", True)]),
        (b"User-agent: Bingbot\nDisallow: /\n", []),
        # GPTBot, which is closed out, may only fetch files such as /ai.txt, about which the line was not meant.
        (b"User-agent: *\nDisallow: /private/\nContent-Signal: ai-train=no\n", []),
    ],
)
def test_a_line_is_undone_where_another_outcome_stands(origin: bytes, undone: list[tuple[int, str, str, bool]]) -> None:
    found = prepended(BLOCK, origin).undone
    assert [(one.line, one.change.before.outcome, one.change.after.outcome, one.in_block) for one in found] == undone


def test_every_change_is_one_of_the_whole() -> None:
    origin = b"User-agent: *\nDisallow: /a/\n\nUser-agent: GPTBot\nDisallow: /b/\nAllow: /b/c/\n"
    effective = prepended(BLOCK, origin)
    own, whole = parse_robots(origin), parse_robots(effective.octets)
    assert effective.octets == BLOCK + origin
    assert effective.comparison.verdict == "different"
    for change in effective.comparison.changes:
        for name in change.crawlers:
            asked = {"crawler": "stranger" if name == "*" else name, "usage": change.usages[0]}
            for policy, side in ((own, change.before), (whole, change.after)):
                decision = policy.decide(change.witness, crawler=asked["crawler"], usage=asked["usage"])
                assert decision.outcome == side.outcome


def test_groups_that_are_joined_and_crawlers_that_are_taken_are_told() -> None:
    effective = prepended(BLOCK, b"User-agent: *\nDisallow: /a/\n")
    assert (effective.joined, effective.taken) == (("*",), ("GPTBot",))
    assert prepended(BLOCK, b"User-agent: gptbot\nDisallow: /a/\n").joined == ("GPTBot",)


def test_a_block_of_comments_changes_nothing() -> None:
    effective = prepended(b"# hello", b"User-agent: *\nDisallow: /\n")
    assert effective.comparison.verdict == "equal"
    assert effective.undone == ()


def test_a_byte_order_mark_within_the_whole_is_seen() -> None:
    """It begins the origin's file, and stands in the middle of what is served."""
    effective = prepended(BLOCK, b"\xef\xbb\xbfUser-agent: Bingbot\nDisallow: /\n")
    assert effective.comparison.verdict == "different"


def test_lines_of_the_origin_are_numbered_as_in_its_file() -> None:
    (one,) = prepended(b"User-agent: *\nDisallow: /b/\n", b"User-agent: *\nDisallow: /\nAllow: /b\n").undone
    assert (one.line, one.text, one.by.text) == (3, "Allow: /b", "Disallow: /b/ (in the block)")
    (change,) = prepended(b"User-agent: a", b"Disallow: /\nUser-agent: *\nDisallow: /b\n").comparison.changes
    assert (change.after.line, change.after.text) == (1, "Disallow: /")


def test_lint_sees_a_block_that_is_given_and_one_that_is_served() -> None:
    origin = b"# ours\nUser-agent: *\nDisallow: /\n"
    for document, line in (
        (Document(origin, "robots.txt", prepended=BLOCK), 3),
        (Document(BLOCK + origin, "robots.txt"), 3 + BLOCK.count(b"\n")),
    ):
        (finding,) = lint(document, select=["undone-by-block"])
        assert finding.line == line
    assert managed(origin) is None


def test_the_commands_know_it(tmp_path: Path) -> None:
    (tmp_path / "block.txt").write_bytes(BLOCK)
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /\n")
    call = ("--prepended", tmp_path / "block.txt", tmp_path / "robots.txt")
    shown = acap("compare", *call)
    assert shown.code == 1
    assert "line 2 is undone: Disallow: /" in shown.out
    assert "undone-by-block" in acap("lint", *call).out
    (told,) = acap("compare", "--json", *call).objects()
    Draft202012Validator(EFFECTIVE_SCHEMA).validate(told)
    assert (told["verdict"], told["joined"], told["taken"]) == ("different", ["*"], ["GPTBot"])
    ((line, text, by),) = ((one["line"], one["text"], one["change"]["after"]["text"]) for one in told["undone"])
    assert (line, text, by) == (2, "Disallow: /", "Allow: / (in the block)")
    assert acap("compare", *call, tmp_path / "robots.txt").code == 2
    assert "for less compare with the whole" in acap("compare", "--usage", "crawl", *call).wrong_call
    assert acap("compare", "--prepended", tmp_path / "block.txt").code == 2


def test_the_verdict_of_lint_is_on_the_whole(tmp_path: Path) -> None:
    """A block that closes out a crawler, whom the file by itself would let train."""
    (tmp_path / "block.txt").write_bytes(BLOCK.removesuffix(b"\n"))
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /private/\n")
    told = acap("lint", "--no-config", "--prepended", tmp_path / "block.txt", tmp_path / "robots.txt").err
    assert "must not train AI models on anything" in told
    assert "may train" not in told


def test_documents_of_another_dialect_are_compared_with_their_own_kind(tmp_path: Path) -> None:
    """Two of one dialect by their decisions; one of them beside a robots.txt is a wrong call that names the command."""
    file, robots = tmp_path / "tdmrep.json", tmp_path / "robots.txt"
    file.write_text('[{"location": "/", "tdm-reservation": 1}]')
    robots.write_text("User-agent: *\nDisallow:\n")
    assert acap("compare", file, file).code == 0
    assert "acap verify" in acap("compare", file, robots).wrong_call


def test_fields_that_checkers_do_not_know_are_told_if_asked_for() -> None:
    text = (
        b"User-agent: *\nContent-Signal: ai-train=no\nContent-Usage: train-ai=n\nLicense: https://e.com/l\nDisallow:\n"
    )
    told = {one.line: one.message for one in lint(Document(text, "robots.txt"), select=["unknown-to-checkers"])}
    assert "Lighthouse" not in told[2]
    assert "unsupported" in told[3]
    assert "Lighthouse" in told[4]
    assert "unknown-to-checkers" not in {one.code for one in lint(Document(text, "robots.txt"))}
