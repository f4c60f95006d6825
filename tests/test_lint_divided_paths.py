"""A blank within an ACAP path is one mistake with one finding, as bad as what it does."""

from __future__ import annotations

import pytest

from acap import parse_robots
from acap.publish.lint.document import Document
from acap.publish.lint.run import lint

CODES = ("acap-relative-pattern", "acap-stray-text", "acap-bad-value")


def told(field: str) -> list[tuple[str, str, str, str | None]]:
    """What lint says of a field about its words."""
    document = Document(f"ACAP-crawler: *\n{field}\n".encode(), "robots.txt")
    return [(one.code, one.severity, one.message, one.help) for one in lint(document, select=CODES)]


def test_of_a_permission_it_is_one_error() -> None:
    """The stray word is the rest of the path: nobody means a comment."""
    assert told("ACAP-allow-crawl: /my files/") == [
        (
            "acap-relative-pattern",
            "error",
            "`/my files/` has a blank, which divides it into two paths; the permission is read as a prohibition",
            "write `/my%20files/` for one path, or `/my /files/` for two",
        )
    ]


def test_of_a_prohibition_it_is_a_warning() -> None:
    """It prohibits more than was meant, or something else."""
    ((code, severity, message, _),) = told("ACAP-disallow-crawl: /my files/")
    assert (code, severity) == ("acap-relative-pattern", "warning")
    assert message == "`/my files/` has a blank, which divides it into two paths"


@pytest.mark.parametrize("verb", ["allow", "disallow"])
def test_several_blanks_are_one_mistake(verb: str) -> None:
    ((_, _, message, help_),) = told(f"ACAP-{verb}-crawl: /a b c/")
    assert message.startswith("`/a b c/` has a blank, which divides it into 3 paths")
    assert help_ == "write `/a%20b%20c/` for one path, or `/a /b /c/` for 3"


@pytest.mark.parametrize("written", ["/my%20files/", "/my /files/"])
def test_what_is_to_be_written_permits(written: str) -> None:
    policy = parse_robots(f"ACAP-crawler: *\nACAP-allow-crawl: {written}\n")
    assert not [one for one in policy.problems if one.severity == "error"]
    assert {one.cited.effect for one in policy.statements} == {"permits"}


def test_a_note_behind_the_root_is_a_note() -> None:
    """`/%20except` is the path of no page; each word is told once."""
    found = told("ACAP-allow-index: / except images")
    assert [(code, message.split(" ")[0]) for code, _, message, _ in found] == [
        ("acap-stray-text", "`except`"),
        ("acap-stray-text", "`images`"),
    ]


def test_a_word_that_completes_a_value_is_told_with_the_value_alone() -> None:
    assert [code for code, *_ in told("ACAP-allow-preserve: /a time-limit=7 days")] == ["acap-bad-value"]
