"""A line is not corrected to a name that stands in the file already: it would stand there twice, or join two groups."""

from __future__ import annotations

import pytest

from acap.publish.lint.document import Document
from acap.publish.lint.fixing import fix
from acap.publish.lint.run import lint


def mended(text: str, code: str) -> str:
    return fix(Document(text.encode(), "robots.txt"), [code], unsafe=True).document.octets.decode()


PEER = "User-agent: peer39_crawler\n"
WHOLE = "User-agent: Mozilla/5.0 (compatible; ExampleBot/1.0)\n"


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("crawler-with-version", f"{PEER}User-agent: peer39_crawler/1.0\nDisallow: /\n", f"{PEER}Disallow: /\n"),
        ("crawler-with-version", f"User-agent: peer39_crawler/1.0\n{PEER}Disallow: /\n", f"{PEER}Disallow: /\n"),
        ("crawler-with-version", "User-agent: a/1.0\nUser-agent: a/2.0\nDisallow: /\n", "User-agent: a\nDisallow: /\n"),
        ("user-agent-string", f"User-agent: examplebot\n{WHOLE}Disallow: /\n", "User-agent: examplebot\nDisallow: /\n"),
        (
            "misspelt-crawler",
            "User-agent: DeepSeek\nUser-agent: DeepSeekBot\nDisallow: /\n",
            "User-agent: DeepSeekBot\nDisallow: /\n",
        ),
    ],
)
def test_a_line_goes_where_its_group_has_the_right_name(code: str, text: str, expected: str) -> None:
    assert mended(text, code) == expected


@pytest.mark.parametrize(
    ("code", "text", "help_"),
    [
        (
            "misspelt-crawler",
            "User-agent: DeepSeek\nDisallow: /\n\nUser-agent: DeepSeekBot\nDisallow: /b\n",
            (
                "did you mean `DeepSeekBot`? line 4 names it already, and the two groups would be one; write "
                "the rules that are meant into that one"
            ),
        ),
        (
            "misspelt-crawler",
            "User-agent: DeepSeek # the old one\nUser-agent: DeepSeekBot\nDisallow: /\n",
            "did you mean `DeepSeekBot`? remove the line: line 2 names `DeepSeekBot` already",
        ),
        (
            "crawler-with-version",
            f"{PEER}Disallow: /\n\nUser-agent: peer39_crawler/1.0\nDisallow: /\n",
            "write its rules into the group of `peer39_crawler` at line 1",
        ),
        (
            "crawler-with-version",
            f"{PEER}User-agent: peer39_crawler/1.0 # the old one\nDisallow: /\n",
            "remove the line: line 1 names `peer39_crawler` already",
        ),
        (
            "user-agent-string",
            f"{WHOLE}Disallow: /\n\nUser-agent: ExampleBot\nDisallow: /b\n",
            "line 4 names `ExampleBot` already, if you mean that crawler",
        ),
    ],
)
def test_what_would_join_groups_or_lose_a_comment_has_no_fix(code: str, text: str, help_: str) -> None:
    """The help names the line that has the name."""
    (found,) = lint(Document(text.encode(), "robots.txt"), select=[code])
    assert (found.fix, found.help) == (None, help_)
    assert mended(text, code) == text


def test_of_a_name_that_stands_nowhere_else_the_fix_stays() -> None:
    assert mended("User-agent: DeepSeek\nDisallow: /\n", "misspelt-crawler") == "User-agent: DeepSeekBot\nDisallow: /\n"
