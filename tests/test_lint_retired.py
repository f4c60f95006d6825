"""Who asks since a crawler was retired is named beside it by a fix, where that permits nobody more."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.fixing import fix
from acap.publish.lint.run import lint
from acap.publish.lint.strictness import looser

TODAY = datetime(2026, 11, 20, tzinfo=UTC)
CODE = "retired-crawler"


def document(text: str) -> Document:
    return Document(text.encode(), "robots.txt", today=TODAY)


def found(text: str) -> Finding:
    (one,) = lint(document(text), select=[CODE])
    return one


def mended(text: str, *, unsafe: bool = False) -> str:
    """The text after the fixes, which are proved to permit nothing more."""
    given = document(text)
    done = fix(given, [CODE], unsafe=unsafe)
    assert not done.refused
    assert looser(given.policy, done.document.policy, TODAY) is None
    return done.document.octets.decode()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("User-agent: anthropic-ai\nDisallow: /\n", "User-agent: anthropic-ai\nUser-agent: ClaudeBot\nDisallow: /\n"),
        (
            "user-agent:anthropic-ai # old\r\nDisallow: /a",
            "user-agent:anthropic-ai # old\r\nuser-agent: ClaudeBot\r\nDisallow: /a",
        ),
        (  # once for both, behind the last of a group
            "User-agent: anthropic-ai\nUser-agent: Claude-Web\nUser-agent: x\nDisallow: /\n",
            "User-agent: anthropic-ai\nUser-agent: Claude-Web\nUser-agent: ClaudeBot\nUser-agent: x\nDisallow: /\n",
        ),
        (  # in the first of two groups that say the same
            "User-agent: Claude-Web\nDisallow: /\n\nUser-agent: anthropic-ai\nDisallow: /\n",
            "User-agent: Claude-Web\nUser-agent: ClaudeBot\nDisallow: /\n\nUser-agent: anthropic-ai\nDisallow: /\n",
        ),
        (  # each beside its own, by one fix
            "User-agent: anthropic-ai\nDisallow: /\n\nUser-agent: msnbot\nDisallow: /b\n",
            (
                "User-agent: anthropic-ai\nUser-agent: ClaudeBot\nDisallow: /\n\n"
                "User-agent: msnbot\nUser-agent: Bingbot\nDisallow: /b\n"
            ),
        ),
        (  # for all that obey Googlebot as well
            "User-agent: Googlebot-Mobile\nDisallow: /a\nDisallow: /b\n\nUser-agent: *\nDisallow: /b\n",
            (
                "User-agent: Googlebot-Mobile\nUser-agent: Googlebot\nDisallow: /a\nDisallow: /b\n\n"
                "User-agent: *\nDisallow: /b\n"
            ),
        ),
        (  # in groups and records
            "User-agent: msnbot\nDisallow: /b\nACAP-crawler: msnbot\nACAP-disallow-index: /\n",
            (
                "User-agent: msnbot\nUser-agent: Bingbot\nDisallow: /b\n"
                "ACAP-crawler: msnbot\nACAP-crawler: Bingbot\nACAP-disallow-index: /\n"
            ),
        ),
    ],
)
def test_the_name_that_asks_since_is_put_beside_the_retired_one(text: str, expected: str) -> None:
    assert mended(text) == expected
    assert mended(expected) == expected


def test_a_fix_of_several_names_is_one_and_says_so() -> None:
    one = found("User-agent: anthropic-ai\nDisallow: /\n\nUser-agent: msnbot\nDisallow: /b\n")
    assert one.fix is not None
    assert one.fix.title == "name `ClaudeBot` beside `anthropic-ai`, `Bingbot` beside `msnbot` too"
    assert one.help == f"`anthropic-ai` is now `ClaudeBot`; {one.fix.title}"
    assert len(one.fix.edits) == 2


def test_one_fix_adds_a_few_names_and_the_next_the_others() -> None:
    old = ("anthropic-ai", "msnbot", "ia_archiver", "NaverBot", "Ezooms", "AspiegelBot", "Googlebot-Mobile")
    text = "\n".join(f"User-agent: {name}\nDisallow: /\n" for name in old)
    one = found(text)
    assert one.fix is not None
    assert len(one.fix.edits) == 5
    assert mended(text).count("User-agent") == 2 * len(old)


def test_who_comes_for_something_else_now_is_for_the_author_to_name() -> None:
    """Claude-Web fetched for answers, and ClaudeBot trains: the fix permits nobody more, and is not safe."""
    text = "User-agent: Claude-Web\nDisallow: /\n"
    assert mended(text) == text
    assert mended(text, unsafe=True) == "User-agent: Claude-Web\nUser-agent: ClaudeBot\nDisallow: /\n"


@pytest.mark.parametrize(
    "text",
    [
        "User-agent: *\nDisallow: /\n\nUser-agent: anthropic-ai\nDisallow: /a\n",
        "User-agent: *\nDisallow: /b\n\nUser-agent: anthropic-ai\nDisallow: /a\n",
        "User-agent: *\nCrawl-delay: 9\nDisallow:\n\nUser-agent: anthropic-ai\nDisallow: /a\n",
        "User-agent: Googlebot-Mobile\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n",
        "ACAP-crawler: anthropic-ai\nACAP-allow-crawl: /\nACAP-crawler: *\nACAP-disallow-crawl: /\n",
        "User-agent: anthropic-ai\nDisallow: /a\n\nUser-agent: Claude-Web\nDisallow: /b\n",  # which is meant?
    ],
)
def test_what_might_permit_more_is_no_fix_and_stands_in_words(text: str) -> None:
    one = found(text)
    assert one.fix is None
    assert one.help is not None
    assert "; write the rules that you mean for it under `User-agent: " in one.help
    assert mended(text, unsafe=True) == text


def test_a_name_that_the_file_has_is_pointed_at() -> None:
    one = found("User-agent: claudebot/1.0\nDisallow: /a\n\nUser-agent: anthropic-ai\nDisallow: /b\n")
    assert (one.fix, one.help) == (None, "`anthropic-ai` is now `ClaudeBot`, which line 1 names")
    assert found("User-agent: Gigabot\nDisallow: /\n").help is None
