"""Lint tells a bounded number of findings of a rule, and no bound makes of a lint that fails one that passes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acap.problems import Severity
from acap.publish.lint import baseline
from acap.publish.lint.catalogue import chosen, rules
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.fixing import fix
from acap.publish.lint.formats import FORMATS, Style, format_named
from acap.publish.lint.rule import Rule
from acap.publish.lint.run import MORE, MOST, lint, run
from benchmarks.heavy import run as acap

FEW = 3
NOT_TOLD = "1 more problems `x` are not listed"


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three findings of a rule are told one by one."""
    monkeypatch.setattr("acap.publish.lint.run.MOST", FEW)


@pytest.fixture
def x(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule `x` that finds something on every line that says how bad it is."""

    def check(document: Document) -> Iterator[Finding]:
        for number in range(1, len(document.starts) + 1):
            said = document.line_octets(number).decode().partition(" ")[0]
            if said in ("error", "warning", "info"):
                severity: Severity = said  # type: ignore[assignment]  # a `str` of three
                start = document.starts[number - 1]
                yield Finding("x", severity, "m", number, 1, start, start + len(said))

    rule = Rule("x", "a rule of a test", "warning", "Why.", "", (), check)
    monkeypatch.setattr("acap.publish.lint.run.rule", {**rules(), "x": rule}.__getitem__)


def document(*lines: str) -> Document:
    return Document("".join(f"{line}\n" for line in lines).encode(), "robots.txt")


def found(*lines: str) -> list[tuple[str, int, str]]:
    return [(one.code, one.line, one.severity) for one in run(document(*lines), ["x"])]


@pytest.mark.usefixtures("few", "x")
class TestOfARule:
    def test_as_many_as_the_bound_are_told_and_nothing_stands_for_more(self) -> None:
        assert found("info", "info", "info") == [("x", 1, "info"), ("x", 2, "info"), ("x", 3, "info")]

    def test_of_more_the_number_is_told_where_the_first_of_them_is(self) -> None:
        *_, last = run(document("info", "a", "info", "info", "b", "info", "info"), ["x"])
        assert (last.code, last.line, last.message) == (MORE, 6, NOT_TOLD.replace("1 more", "2 more"))
        assert last.counted == ("x", 2)

    @pytest.mark.parametrize("worst", ["error", "warning", "info"])
    def test_what_stands_for_others_is_as_bad_as_the_worst_of_them(self, worst: str) -> None:
        assert found(*["error"] * 3, "info", worst, "info")[-1] == (MORE, 4, worst)

    def test_what_is_ignored_takes_no_room(self) -> None:
        """Three thousand remarks that nobody wants to hear of hide no error below them."""
        ignored = ["info # acap: ignore[x]"] * 3_000
        assert found(*ignored, "error") == [("x", 3_001, "error")]

    def test_a_comment_on_its_line_does_not_silence_what_stands_for_others(self) -> None:
        assert found(*["info"] * 3, "warning", "error # acap: ignore")[-1] == (MORE, 4, "warning")
        assert found(*["info"] * 3, "warning # acap: ignore[more-of-this]", "error")[-1] == (MORE, 4, "error")

    def test_one_for_the_file_does(self) -> None:
        assert found("# acap: ignore-file[x]", *["error"] * 9) == []
        assert found("# acap: ignore-file", *["error"] * 9) == []

    def test_a_comment_that_ignores_something_behind_the_bound_is_used(self) -> None:
        lines = [
            *["info"] * 9,
            "Disallow: /a # acap: ignore[blocks-assets, no-field]",
            "b c d # acap: ignore[no-field]",
        ]
        told = run(document(*lines), ["x", "no-field", "unused-ignore"])
        assert [one.line for one in told if one.code == "unused-ignore"] == [10, 10]

    @pytest.mark.parametrize("new", ["error", "info"])
    @pytest.mark.parametrize("place", [0, 5, 9])
    def test_a_baseline_does_not_hide_a_new_finding_behind_the_bound(self, new: str, place: int) -> None:
        lines = [f"info {number}" for number in range(9)]
        before = document(*lines)
        known = baseline.counted(before, run(before, ["x"]))
        assert known.total() == 9
        assert baseline.new(before, run(before, ["x"]), known) == ((), {})
        after = document(*lines[:place], f"{new} z", *lines[place:])
        left, _ = baseline.new(after, run(after, ["x"]), known)
        assert left

    def test_a_baseline_does_not_hide_one_that_takes_the_place_of_another(self) -> None:
        lines = [f"info {number}" for number in range(9)]
        before, after = document(*lines), document(*lines[:8], "error 8")
        known = baseline.counted(before, run(before, ["x"]))
        left, _ = baseline.new(after, run(after, ["x"]), known)
        assert [(one.code, one.severity) for one in left] == [(MORE, "error")]

    @pytest.mark.parametrize("form", FORMATS)
    def test_every_form_tells_it(self, form: str) -> None:
        given = document(*["info"] * 4, "error")
        module = format_named(form)
        written = "".join(module.whole([module.part(given, run(given, ["x"])[FEW:], Style())], Style()))
        assert "2 more problems `x` are not listed" in written
        assert "error" in written


def test_the_bound_is_that_of_problems() -> None:
    """Five thousand, whoever finds them: the readers or a rule."""
    text = b"User-agent: *\n" + b"Host: a\n" * (MOST + 7) + b"Disalow: /a\n" * (MOST + 9)
    told = lint(Document(text, "robots.txt"), select=["host-line", "misspelt-field"])
    codes = [one.code for one in told]
    assert {code: codes.count(code) for code in codes} == {"host-line": MOST, "misspelt-field": MOST, MORE: 2}
    assert [one.counted for one in told if one.code == MORE] == [("host-line", 7), ("misspelt-field", 9)]
    assert {one.severity for one in told if one.counted[0] == "misspelt-field"} == {"warning"}


def test_what_the_readers_leave_out_goes_with_its_rule() -> None:
    """Of a rule that does not run nothing counts; its number is a remark."""
    text = b"User-agent: *\n" + b"Disalow: /a\n" * (MOST + 9)
    (more,) = lint(Document(text, "robots.txt"), ignore=["misspelt-field", "idle-statement"])
    assert (more.code, more.severity) == (MORE, "info")
    silent = b"# acap: ignore-file[misspelt-field]\n" + text
    assert [one.severity for one in lint(Document(silent, "robots.txt"), select=["misspelt-field"])] == []


def test_octets_that_may_be_in_a_rule_are_no_remark_behind_the_bound() -> None:
    """That a line is not UTF-8 is a remark in a comment and a warning in a rule, and of the rest nobody knows which."""
    text = b"User-agent: *\n" + b"# \xe9\n" * MOST + b"Disallow: /\xe9\n"
    more = lint(Document(text, "robots.txt"), select=["invalid-utf-8"])[-1]
    assert (more.code, more.severity) == (MORE, "warning")


@pytest.mark.usefixtures("few")
def test_fixes_are_of_what_is_told_round_by_round() -> None:
    """What stands for others is mended by nothing; the next round tells of them."""
    done = fix(document("User-agent: *", *["Host: a"] * 8, "Disallow: /a"), ["host-line"])
    assert done.document.octets == b"User-agent: *\nDisallow: /a\n"
    assert done.findings == ()
    assert done.mended == {"host-line": 8}


@pytest.mark.parametrize("form", FORMATS)
def test_a_report_is_bounded_and_the_exit_code_is_not(form: str, tmp_path: Path) -> None:
    """Of 80,000 lines that a rule is about each form is a few megabytes, and ends as for one."""
    file = tmp_path / "robots.txt"
    file.write_bytes(b"User-agent: *\n" + b"Host:\n" * 80_000 + b"Disallow: /a\n")
    few, many = tmp_path / "few.robots.txt", file
    few.write_bytes(b"User-agent: *\nHost:\nDisallow: /a\n")
    done = [acap("lint", "--select", "host-line", "--strict", "--output-format", form, one) for one in (few, many)]
    assert [one.code for one in done] == [1, 1]
    assert done[1].printed < 6_000_000


def test_statistics_and_a_baseline_count_all(tmp_path: Path) -> None:
    """A baseline of a bounded report silences it, and is small."""
    file, known = tmp_path / "robots.txt", tmp_path / "known.json"
    file.write_bytes(b"User-agent: *\n" + b"Host:\n" * 20_000 + b"Disallow: /a\n")
    assert acap("lint", "--baseline", known, "--write-baseline", file).code == 0
    held: Any = json.loads(known.read_bytes())
    assert sum(one["count"] for one in held["findings"] if one["code"] == "host-line") == 20_000
    assert len(held["findings"]) < 20
    assert acap("lint", "--strict", "--baseline", known, file).code == 0
    file.write_bytes(file.read_bytes() + b"Host:\n")
    assert acap("lint", "--strict", "--baseline", known, file).code == 1


def test_a_word_that_selects_a_rule_selects_what_stands_for_more_of_it() -> None:
    """Nothing that is left out is left unsaid because its own rule alone was asked for."""
    text = b"Disalow: /a\n" * (MOST + 1)
    assert MORE not in chosen(["misspelt-field"])
    assert lint(Document(text, "robots.txt"), select=["misspelt-field"])[-1].code == MORE
