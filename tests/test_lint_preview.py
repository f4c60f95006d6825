"""What a fix would change is shown at all of its places, in every door, and what is cut is counted."""

from __future__ import annotations

import pytest

from acap.lsp.hovering import hover_text
from acap.lsp.opened import OpenDocument
from acap.lsp.server import actions
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Fix
from acap.publish.lint.preview import Hunk, preview
from tests.command_line import acap

TEXT = "User-agent: anthropic-ai\nDisallow: /\n\nUser-agent: msnbot\nDisallow: /b\n"


def shown(text: str, *edits: tuple[int, int, str], most: int = 12) -> tuple[list[Hunk], int] | None:
    """The places and the number of further lines."""
    fix = Fix("", tuple(Edit(start, end, new.encode()) for start, end, new in edits))
    found = preview(Document(text.encode(), "robots.txt"), fix, most=most)
    return None if found is None else (list(found.hunks), found.more)


@pytest.mark.parametrize(
    ("edits", "hunks"),
    [
        ([(0, 1, "A")], [(1, ["a: b"], ["A: b"])]),
        ([(10, 11, "C"), (0, 1, "A")], [(1, ["a: b"], ["A: b"]), (3, ["c: f"], ["C: f"])]),  # in the order of lines
        ([(0, 1, "A"), (3, 4, "B")], [(1, ["a: b"], ["A: B"])]),  # of one line
        ([(4, 4, "\nnew")], [(2, [], ["new"])]),
        ([(5, 10, "")], [(2, ["b: d"], [])]),
        ([(0, 5, ""), (14, 14, "\nd")], [(1, ["a: b"], []), (4, [], ["d"])]),
        ([(3, 6, "x"), (8, 9, "y")], [(1, ["a: b", "b: d"], ["a: x: y"])]),  # lines that become one
    ],
)
def test_each_place_has_its_lines_before_and_after(
    edits: list[tuple[int, int, str]], hunks: list[tuple[int, list[str], list[str]]]
) -> None:
    expected = [Hunk(line, tuple(before), tuple(after)) for line, before, after in hunks]
    assert shown("a: b\nb: d\nc: f\n", *edits) == (expected, 0)


def test_what_is_cut_is_counted() -> None:
    text = "a\n" * 1_000
    edits = [(2 * line, 2 * line + 1, "b") for line in range(0, 1_000, 2)]
    assert shown(text, *edits[:5], most=3) == ([Hunk(line, ("a",), ("b",)) for line in (1, 3, 5)], 4)
    found = shown(text, *edits, most=1)
    assert found is not None
    assert (len(found[0]), found[1]) == (1, 2 * len(edits) - 2)
    long = preview(Document(b"a" * 500, "robots.txt"), Fix("", (Edit(0, 1, b"\x1b"),)))
    assert long is not None
    assert [len(line) <= 170 and line.endswith("…") and "\x1b" not in line for line in long.hunks[0].after] == [True]


def test_edits_that_touch_each_other_are_shown_as_nothing() -> None:
    assert shown("a: b\n", (0, 2, "x"), (1, 3, "y")) is None
    assert shown("a: b\n") is None


def test_a_report_shows_a_fix_of_several_places() -> None:
    """A line by itself is what the help says."""
    found = acap("lint", "--select", "retired-crawler", "-", given=TEXT.encode()).out
    assert "help: `anthropic-ai` is now `ClaudeBot`; name `ClaudeBot` beside `anthropic-ai`, `Bingbot`" in found
    assert "\n    2 + User-agent: ClaudeBot\n    5 + User-agent: Bingbot\n" in found
    assert "+ User-agent" not in acap("lint", "--select", "retired-crawler", "-", given=TEXT[:38].encode()).out


def test_an_editor_shows_and_makes_every_edit() -> None:
    opened = OpenDocument(TEXT, "robots.txt", "utf-16")
    shown = hover_text(opened, 0)
    assert "**fix**: name \\`ClaudeBot\\` beside" in shown
    assert "\n\n```diff\n+ User-agent: ClaudeBot\n+ User-agent: Bingbot\n```\n\n" in shown
    added = [
        [edit.new_text for edit in one.edit.changes["file:///robots.txt"]]
        for one in actions(opened, "file:///robots.txt", opened.places.of_line(0), ["quickfix"])
        if one.edit is not None and one.edit.changes is not None
    ]
    assert ["\nUser-agent: ClaudeBot", "\nUser-agent: Bingbot"] in added


def test_a_strangers_text_stays_in_the_block_that_shows_it() -> None:
    opened = OpenDocument("User-agent: *\nDisalow: /```\n", "robots.txt", "utf-16")
    assert "\n````diff\n- Disalow: /```\n+ Disallow: /```\n````\n" in hover_text(opened, 1)
