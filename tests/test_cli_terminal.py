"""On a terminal there are colours, tables and trees; without one, or with NO_COLOR, there is nothing but text."""

from __future__ import annotations

import pytest

from tests.command_line import acap, process
from tools.capture import IMAGES, PICTURES, ROOT, picture, terminal_output

ESCAPE = "\x1b["
ASKED = ["check", "--robots", "publisher-policy/robots.txt", "-c", "examplebot", "https://www.example.com/archive/x"]


def shown(*arguments: str, columns: int = 100, **environment: str) -> str:
    return terminal_output(
        ["env", *(f"{name}={value}" for name, value in environment.items()), "acap", *arguments], columns
    )


def test_a_terminal_gets_a_table_with_colours() -> None:
    text = shown(*ASKED)
    assert ESCAPE in text
    assert "restrictions" in text
    assert "\t" not in text


def test_no_color_is_honoured() -> None:
    text = shown(*ASKED, NO_COLOR="1")
    assert ESCAPE not in text
    assert "restrictions" in text


def test_a_narrow_terminal_gets_the_plain_lines() -> None:
    assert "prohibited\tpreserve\texamplebot\t" in shown(*ASKED, columns=40)


def test_a_usage_asked_for_gets_a_sentence_and_its_reason() -> None:
    text = shown(*ASKED, "--usage", "preserve", NO_COLOR="1")
    assert "prohibited: preserve of https://www.example.com/archive/x by examplebot" in text
    assert "ACAP-disallow-preserve: /archive/" in text


def test_explain_draws_a_tree() -> None:
    assert "└──" in shown("explain", *ASKED[1:], "--usage", "preserve", NO_COLOR="1")


def test_an_error_is_coloured_on_a_terminal_only() -> None:
    assert ESCAPE in shown("check", "example.com", "-c", "a")
    assert ESCAPE not in shown("check", "example.com", "-c", "a", NO_COLOR="1")
    assert ESCAPE not in acap("check", "example.com", "-c", "a").err


def test_what_is_no_terminal_gets_no_escapes() -> None:
    out, _ = process(*ASKED, cwd=ROOT / "examples").communicate(timeout=60)
    assert ESCAPE.encode() not in out


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_shows_what_its_command_prints(name: str) -> None:
    assert terminal_output(PICTURES[name].split())


def test_a_picture_is_an_svg_that_loads_nothing_from_elsewhere() -> None:
    drawn = picture("acap --version", "acap 0\n", "version")
    assert drawn.startswith("<svg")
    assert "url(http" not in drawn
    assert "acap" in drawn


@pytest.mark.parametrize("name", PICTURES)
def test_each_picture_is_there(name: str) -> None:
    assert (IMAGES / f"{name}.svg").is_file(), "`python -m tools.capture` draws it"
