"""`acap format` gives a robots.txt one layout, and nothing but a layout."""

from __future__ import annotations

from pathlib import Path

import pytest

from acap.publish.format import format_robots
from tests.command_line import Result, acap

UNTIDY = b"""\
\xef\xbb\xbfuser-agent:*\r
DISALLOW :/a#x
  # indented
USER-AGENT: b
Disallow:  \r


sitemap:https://example.com/s.xml
acap-crawler:x
acap-ALLOW-Crawl: /

acap-allow-(Mine): /x   # mine
ACAP-crawler: y"""

TIDY = b"""\
User-agent: *
Disallow: /a #x

# indented
User-agent: b
Disallow:

Sitemap: https://example.com/s.xml

ACAP-crawler: x
ACAP-allow-crawl: /
ACAP-allow-(Mine): /x # mine

ACAP-crawler: y
"""


def test_one_layout() -> None:
    """Names get the spelling of the specifications, groups and records a blank line before them, lines an LF."""
    assert format_robots(UNTIDY) == TIDY


@pytest.mark.parametrize(
    ("octets", "formatted"),
    [
        (b"User-agent: a\n\n\n\nDisallow: /\n", b"User-agent: a\n\nDisallow: /\n"),
        (b"User-agent: a\nUser-agent: b\nDisallow: /\n", b"User-agent: a\nUser-agent: b\nDisallow: /\n"),
        (b"User-agent: a\n\nUser-agent: b\n", b"User-agent: a\n\nUser-agent: b\n"),
    ],
)
def test_a_blank_line_that_ends_a_record_for_old_crawlers_stays(octets: bytes, formatted: bytes) -> None:
    """Inside a group a blank line is neither added nor taken away where the 1994 document reads another record then."""
    assert format_robots(octets) == formatted


@pytest.mark.parametrize(
    "line",
    [
        b"dissalow: /a\n",
        b"disallow /a\n",
        b"acap allow crawl: /a\n",
        b"Disallow:/a\0b\n",
        b"Disallow:" + b" " * 17_000 + b"/a\n",
        b"Disallowed: /\n",
        b"ACAP-allow-present-snippets: /\n",
    ],
)
def test_what_is_wrong_with_a_line_is_left_to_lint(line: bytes) -> None:
    """Misspelt names, missing colons, NULs and overlong lines stay as they are."""
    assert format_robots(line) == line


def test_a_line_that_ends_in_cr_alone_stays() -> None:
    """A lone CR stays, and never meets an LF that would make one line end of two."""
    octets = b"user-agent:a\rdisallow:/\r\r\n\x0b\n# c\n"
    assert format_robots(octets) == octets


def test_octets_of_values_stay() -> None:
    """Invalid UTF-8 in a value is kept octet for octet."""
    assert format_robots(b"disallow:/\xff\xfe b\n") == b"Disallow: /\xff\xfe b\n"


def test_a_second_byte_order_mark_does_not_become_the_first() -> None:
    """Octets that would be read as a mark at the beginning are not put there."""
    octets = b"\n\xef\xbb\xbfDisallow: /\n"
    assert format_robots(octets) == octets


def test_a_file_longer_than_readers_read_stays() -> None:
    """A file beyond the 8 MiB that readers read says nothing of itself, and stays as it is."""
    octets = b"disallow:/a\n" * 700_000
    assert format_robots(octets) == octets


def test_a_file_that_is_a_text_by_its_blank_lines_stays() -> None:
    """Without them it would be binary, and prohibit everything."""
    octets = b"\n\xef\n\n\r\n"
    assert format_robots(octets) == octets


def test_utf16_is_refused() -> None:
    """A UTF-16 file is not formatted; the message names what makes it UTF-8."""
    with pytest.raises(ValueError, match="lint --fix"):
        format_robots("User-agent: *\n".encode("utf-16"))


def test_the_command_formats_files_and_says_which(tmp_path: Path) -> None:
    """Files are written in place; a second run has nothing to say."""
    file = tmp_path / "robots.txt"
    file.write_bytes(UNTIDY)
    assert acap("format", "--check", file).code == 1
    assert file.read_bytes() == UNTIDY
    done = acap("format", file)
    assert (done.code, done.out) == (0, f"{file}: formatted\n")
    assert file.read_bytes() == TIDY
    again = acap("format", "--check", file)
    assert (again.code, again.out) == (0, "")


def test_the_command_shows_what_would_change(tmp_path: Path) -> None:
    """`--diff` shows the change, writes nothing and ends with 1."""
    file = tmp_path / "robots.txt"
    file.write_bytes(b"user-agent:*\nDisallow: /\n")
    shown = acap("format", "--diff", file)
    assert shown.code == 1
    assert "-user-agent:*\n+User-agent: *\n" in shown.out
    assert file.read_bytes().startswith(b"user-agent")


def test_standard_input_goes_to_standard_output() -> None:
    """`-` reads standard input and writes standard output."""
    assert acap("format", "-", given=UNTIDY).out.encode() == TIDY


def test_quiet_leaves_the_document_and_the_code(tmp_path: Path) -> None:
    """What standard output is given for stays; which files change is not told."""
    file = tmp_path / "robots.txt"
    file.write_bytes(UNTIDY)
    assert acap("format", "--quiet", "-", given=UNTIDY) == Result(0, TIDY.decode(), "")
    assert [acap("-q", "format", *more, file) for more in (["--check"], ["--diff"], [])] == [
        Result(1, "", ""), Result(1, "", ""), Result(0, "", ""),
    ]  # fmt: skip
    assert file.read_bytes() == TIDY


@pytest.mark.parametrize(
    ("arguments", "given", "message"),
    [
        ((), b"", "no FILE given"),
        (("-",), b"<!DOCTYPE html><p>", "is a page"),
        (("-",), "User-agent: *\n".encode("utf-16"), "lint --fix"),
        (("https://example.com/robots.txt",), b"", "is a URL"),
        (("no-such-file.txt",), b"", "no file"),
    ],
)
def test_a_wrong_call_is_one_line(arguments: tuple[str, ...], given: bytes, message: str) -> None:
    """What cannot be formatted ends with 2 and one line that says why."""
    result = acap("format", *arguments, given=given)
    assert result.code == 2
    assert message in result.err
    assert result.err.count("\n") == 1
