"""What a conversion or a draft adds is shown by itself: marked, with line numbers, and shorter where it repeats."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from acap.publish.added_lines import LARGE, added_lines
from acap.publish.convert import convert
from tests.command_line import acap, environment

PLAIN = b"User-agent: *\nDisallow: /a/\n\n# the end\n"


def test_lines_are_marked_and_numbered_and_what_stayed_is_summed_up() -> None:
    after = b"##ACAP version=1.1\nUser-agent: *\nDisallow: /b/\n\n# the end\n"
    assert added_lines(PLAIN, after) == [
        "+ 1  ##ACAP version=1.1",
        "  …  1 line as before",
        "- 2  Disallow: /a/",
        "+ 3  Disallow: /b/",
        "  …  2 lines as before",
    ]
    assert added_lines(PLAIN, PLAIN) == ["  …  4 lines as before"]


def test_marks_and_numbers_name_the_lines_of_both_texts() -> None:
    """Every line of the result is shown or counted, in order."""
    after = convert(PLAIN, "acap").text
    lines = after.decode().splitlines()
    shown = added_lines(PLAIN, after)
    for line in (one for one in shown if one.startswith("+")):
        number, _, text = line[2:].strip().partition("  ")
        assert lines[int(number) - 1] == text
    stayed = sum(int(one.split()[1]) for one in shown if one.startswith("  "))
    assert stayed + sum(one.startswith("+") for one in shown) == len(lines)


def test_a_large_addition_tells_what_repeats_once() -> None:
    """Forty records of five lines each are five lines and forty sentences."""
    body = "".join(f"ACAP-disallow-crawl: /{letter}/\n" for letter in "abcde")
    after = (PLAIN.decode() + "".join(f"ACAP-crawler: Bot{number}\n{body}\n" for number in range(LARGE))).encode()
    shown = added_lines(PLAIN, after)
    assert sum("ACAP-disallow-crawl: /a/" in line for line in shown) == 1
    repeated = [line for line in shown if "… the same 5 lines as" in line]
    assert len(repeated) == LARGE - 1
    assert len(shown) < len(after.splitlines()) / 2
    lines = after.decode().splitlines()
    for line in repeated:
        number, above = int(line[2:].split()[0]), int(line.split(" as ")[1].split()[0])
        assert lines[number - 1 : number + 4] == lines[above - 1 : above + 4]


def test_standard_input_is_read_once(tmp_path: Path) -> None:
    """It has nothing more to be compared with: the result is that of the file."""
    (tmp_path / "robots.txt").write_bytes(PLAIN)
    said = [acap("compose", "--preset", "quote", name, given=PLAIN) for name in ("-", str(tmp_path / "robots.txt"))]
    assert said[0] == said[1]
    assert (said[0].code, "Disallow: /a/" in said[0].out) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "is_whole"),
    [
        (("convert", "robots.txt", "--to", "acap"), False),
        (("convert", "robots.txt", "--to", "acap", "--full"), True),
        (("compose", "--preset", "quote", "robots.txt"), False),
        (("compose", "--preset", "quote", "robots.txt", "--full"), True),
    ],
)
def test_a_terminal_shows_what_is_added_and_a_pipe_gets_the_whole(
    arguments: tuple[str, ...], is_whole: bool, tmp_path: Path
) -> None:
    (tmp_path / "robots.txt").write_bytes(PLAIN)
    command = [sys.executable, "-m", "acap.cli.main", *arguments]
    ours, theirs = pty.openpty()
    subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL, cwd=tmp_path, timeout=60,
        env=environment(NO_COLOR="1"), check=True,
    )  # fmt: skip
    os.close(theirs)
    shown = os.read(ours, 65536).decode().replace("\r\n", "\n")
    os.close(ours)
    piped = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=tmp_path, timeout=60,
        env=environment(), check=True,
    ).stdout.decode()  # fmt: skip
    assert "Disallow: /a/" in piped.splitlines()
    assert (shown == piped) is is_whole
    if not is_whole:
        assert [line for line in shown.splitlines() if line.startswith("+")]
        assert "Disallow: /a/" not in [line.lstrip("+ 0123456789") for line in shown.splitlines()]
