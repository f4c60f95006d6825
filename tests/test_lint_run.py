"""Lint as a library: which rules run, what is ignored, how fixes are put into effect, baselines and configuration."""

from __future__ import annotations

import codecs
import json
import os
import random
import stat
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest

from acap.problems import DocumentKind
from acap.publish.lint import baseline, columns, config
from acap.publish.lint.catalogue import UnknownRule, chosen, rules
from acap.publish.lint.diff import diff
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding, Fix, Related
from acap.publish.lint.fixing import applied, fix
from acap.publish.lint.formats import Style, format_named
from acap.publish.lint.rule import Rule
from acap.publish.lint.run import RuleError, findings_of, lint
from acap.publish.replacing import write_file
from acap.robots import Limits

MISSPELT = b"User-agent: *\nDissalow: /private/\n"
NOW = datetime(2026, 11, 20, tzinfo=UTC)


def document(octets: bytes, kind: DocumentKind = "robots") -> Document:
    return Document(octets, "robots.txt", kind, today=NOW)


def codes(octets: bytes, *select: str, kind: DocumentKind = "robots") -> list[str]:
    return [finding.code for finding in lint(document(octets, kind), select=select)]


def rule(code: str, *findings: Finding, calls: list[str] | None = None) -> Rule:
    """A rule that finds what it is given."""

    def check(_: Document) -> Iterable[Finding]:
        if calls is not None:
            calls.append(code)
        return findings

    return Rule(code, "a rule of a test", "warning", "Why.", "", (), check)


def finding(start: int, end: int, octets: bytes, *, safe: bool = True, code: str = "x") -> Finding:
    return Finding(code, "warning", "m", 1, 1, start, end, fix=Fix("t", (Edit(start, end, octets),), safe))


INSTEAD = {
    b"Unauthorized\n": "no-robots-txt",
    b"Error 404: Not Found\n": "no-robots-txt",
    b'{"errorcode": 404, "disallow": 1}\n': "no-robots-txt",
    b"<Error>\n<Code>AccessDenied</Code>\n</Error>\n": "no-robots-txt",
    b"<html>\nthe page is not here\nsee: the map\n</html>\n": "html-instead-of-robots",
    b"<html>\nUser-agent: *\nDisalow: /a\nthe page is not here\n": "html-instead-of-robots",
}


class TestWhatIsNoRobotsTxt:
    """Of what stands in place of a robots.txt one thing is said, once."""

    @pytest.mark.parametrize(("octets", "code"), INSTEAD.items())
    def test_nothing_is_said_of_its_lines_and_nothing_is_fixed(self, octets: bytes, code: str) -> None:
        assert [one.code for one in lint(document(octets))] == [code]
        assert fix(document(octets), chosen(None, ())).document.octets == octets
        assert codes(octets, "ALL") == [code]

    def test_who_does_not_hear_it_hears_of_the_lines(self) -> None:
        given = document(b"Unauthorized\n")
        assert [one.code for one in lint(given, ignore=["no-robots-txt"])] == ["no-field"]


class TestWhichRulesRun:
    def test_without_a_word_those_on_by_default(self) -> None:
        assert chosen() == tuple(code for code, one in rules().items() if one.default)

    def test_a_beginning_stands_for_all_codes_that_begin_so(self) -> None:
        found = chosen(["acap-"])
        assert found
        assert set(found) == {code for code in rules() if code.startswith("acap-")}

    def test_all_stands_for_every_rule(self) -> None:
        assert chosen(["ALL"]) == tuple(rules())

    def test_what_is_ignored_does_not_run_though_it_is_selected(self) -> None:
        assert chosen(["misspelt-field", "no-field"], ["no-"]) == ("misspelt-field",)

    @pytest.mark.parametrize(("word", "meant"), [("mispelt-field", "misspelt-field"), ("acap-plurals", "acap-plural")])
    def test_an_unknown_code_is_told_with_the_nearest(self, word: str, meant: str) -> None:
        with pytest.raises(UnknownRule, match=f"no rule `{word}`; did you mean `{meant}`"):
            chosen([word])
        with pytest.raises(UnknownRule, match="`acap rule` lists them"):
            chosen(None, ["xyzzy-"])

    def test_a_beginning_without_its_hyphen_is_unknown(self) -> None:
        with pytest.raises(UnknownRule):
            chosen(["acap"])

    def test_a_rule_runs_once_a_document(self) -> None:
        calls: list[str] = []
        one, given = rule("x", calls=calls), document(b"")
        assert findings_of(one, given) == findings_of(one, given) == ()
        assert calls == ["x"]

    def test_a_rule_for_pages_does_not_run_on_a_robots_txt(self) -> None:
        calls: list[str] = []
        one = replace(rule("x", calls=calls), kinds=("page",))
        assert findings_of(one, document(b"")) == ()
        assert calls == []

    def test_a_rule_that_fails_is_named(self) -> None:
        def check(_: Document) -> Iterable[Finding]:
            raise KeyError("x")

        with pytest.raises(RuleError, match=r"rule `x` fails on `robots\.txt`: KeyError"):
            findings_of(Rule("x", "s", "info", "w", "", (), check), document(b""))

    def test_findings_come_in_the_order_of_the_document(self) -> None:
        text = b"Disallow: /\nDissalow: /\nfoo\nUser-agent: *\nDissalow: x\n"
        found = lint(document(text), select=["misspelt-field", "no-field", "rule-before-agent"])
        assert [one.line for one in found] == sorted(one.line for one in found)
        assert len({one.line for one in found}) > 2


class TestIgnoring:
    @pytest.mark.parametrize(
        "mark",
        [
            "# acap: ignore[misspelt-field]",
            "#acap:ignore [no-field,misspelt-field]",
            "# ACAP: Ignore",
            "# why # acap: ignore",
        ],
    )
    def test_a_mark_on_the_line_silences_its_finding(self, mark: str) -> None:
        assert codes(f"User-agent: *\nDissalow: /a  {mark}\n".encode(), "misspelt-field") == []

    @pytest.mark.parametrize("mark", ["# acap: ignore[no-field]", "# acap: ignored", "# acap ignore", "acap: ignore"])
    def test_another_mark_does_not(self, mark: str) -> None:
        assert codes(f"User-agent: *\nDissalow: /a  {mark}\n".encode(), "misspelt-field") == ["misspelt-field"]

    def test_a_mark_is_about_its_own_line_alone(self) -> None:
        text = b"User-agent: *  # acap: ignore[misspelt-field]\nDissalow: /a\n"
        assert codes(text, "misspelt-field") == ["misspelt-field"]

    def test_a_mark_for_the_file_silences_the_code_everywhere(self) -> None:
        text = b"# acap: ignore-file[misspelt-field]\nUser-agent: *\nDissalow: /a\nDissalow: /b\n"
        assert codes(text, "misspelt-field") == []

    def test_in_a_page_the_mark_is_a_comment_of_html(self) -> None:
        tag = b'<meta name="robots" content="noindex; nofollow">'
        assert codes(tag, "page-semicolon", kind="page") == ["page-semicolon"]
        assert codes(tag + b" <!-- acap: ignore[page-semicolon] -->\n", "page-semicolon", kind="page") == []
        assert codes(tag + b" # acap: ignore[page-semicolon]\n", "page-semicolon", kind="page") == ["page-semicolon"]

    def test_a_mark_that_ignores_nothing_is_a_finding(self) -> None:
        (found,) = lint(
            document(b"User-agent: *\nDisallow: /a # acap: ignore[misspelt-field]\n"), select=["unused-ignore"]
        )
        assert (found.line, found.message) == (2, "nothing on this line to ignore for `misspelt-field`")

    def test_a_mark_is_used_though_its_rule_is_not_selected(self) -> None:
        assert codes(b"User-agent: *\nDissalow: /a # acap: ignore[misspelt-field]\n", "unused-ignore") == []
        assert codes(b"User-agent: *\nDissalow: /a # acap: ignore\n", "unused-ignore") == []

    def test_a_bare_mark_that_ignores_nothing_does_not_silence_that(self) -> None:
        assert codes(b"User-agent: *\nDisallow: /a # acap: ignore\n", "unused-ignore") == ["unused-ignore"]

    @pytest.mark.parametrize("mark", ["# acap: ignore[]", "# acap: ignore[ , ]", "# acap: ignore["])
    def test_a_list_without_codes_silences_nothing_and_is_told(self, mark: str) -> None:
        text = f"User-agent: *\nDissalow: /a {mark}\n".encode()
        found = lint(document(text), select=["misspelt-field", "unused-ignore"])
        assert [one.message for one in found][1:] == ["the comment names no rule to ignore"]

    def test_a_list_that_is_not_closed_counts_up_to_the_end_of_its_line(self) -> None:
        text = b"User-agent: *\nDissalow: /a # acap: ignore[misspelt-field, no-field\nfoo\n"
        assert codes(text, "misspelt-field", "no-field") == ["no-field"]
        assert fix(document(text), ["unused-ignore"]).document.octets == text.replace(b", no-field", b"]")

    def test_an_unknown_code_in_a_mark_is_told_with_the_nearest(self) -> None:
        (found,) = lint(document(b"User-agent: * # acap: ignore[mispelt-field]\n"), select=["unused-ignore"])
        assert found.message == "no rule `mispelt-field` to ignore; did you mean `misspelt-field`?"

    def test_of_several_codes_the_used_ones_stay(self) -> None:
        text = b"User-agent: *\nDissalow: /a # acap: ignore[no-field, misspelt-field] CMS\n"
        assert fix(document(text), ["unused-ignore"]).document.octets == text.replace(b"no-field, ", b"")

    def test_a_comment_that_is_a_line_of_its_own_goes_with_its_line(self) -> None:
        text = b"User-agent: a\n  # acap: ignore-file[no-field]\r\nDisallow: /a\n"
        assert fix(document(text), ["unused-ignore"]).document.octets == b"User-agent: a\nDisallow: /a\n"

    @pytest.mark.parametrize("size", [10, 200_000])
    def test_long_marks_are_no_burden(self, size: int) -> None:
        assert codes(b"# acap: ignore[" + b"x" * size + b"]\n" + b"#" * size + b" acap: ignore" * 20, "no-field") == []


class TestFixes:
    def test_fixes_that_do_not_touch_are_made_together(self) -> None:
        octets, taken = applied(document(b"abcdef"), [finding(4, 5, b"E"), finding(0, 1, b"A!")])
        assert (octets, len(taken)) == (b"A!bcdEf", 2)

    def test_of_fixes_that_touch_the_first_is_made(self) -> None:
        octets, taken = applied(document(b"abcdef"), [finding(2, 5, b"2"), finding(0, 3, b"1")])
        assert (octets, [one.start for one in taken]) == (b"1def", [0])

    def test_two_insertions_at_one_place_are_not_made_together(self) -> None:
        assert applied(document(b"ab"), [finding(1, 1, b"x"), finding(1, 1, b"y")])[0] == b"axb"

    def test_the_same_fix_of_two_findings_is_made_once(self) -> None:
        octets, taken = applied(document(b"ab"), [finding(1, 1, b"x"), finding(1, 1, b"x", code="y")])
        assert (octets, [one.code for one in taken]) == (b"axb", ["x", "y"])

    @pytest.mark.parametrize("seed", range(40))
    def test_what_is_made_at_once_is_what_is_made_one_after_the_other(self, seed: int) -> None:
        """The octets are those of the taken edits put in from the last to the first; none of them touch."""
        chance = random.Random(seed)
        text = bytes(range(60))
        wanted = [finding(start, start + chance.randrange(4), b"-" * chance.randrange(3)) for start in
                  (chance.randrange(56) for _ in range(12))]  # fmt: skip
        octets, taken = applied(document(text), wanted)
        edits = {edit for one in taken if one.fix for edit in one.fix.edits}
        once = text
        for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
            once = once[: edit.start] + edit.octets + once[edit.end :]
        assert octets == once
        ordered = sorted((edit.start, edit.end) for edit in edits)
        assert all(end <= start and first != start for (first, end), (start, _) in pairwise(ordered))
        for one in wanted:
            if one not in taken and one.fix is not None:
                (edit,) = one.fix.edits
                alone = applied(document(text), [one])[1]
                touched = any((edit.start < end and start < edit.end) or edit.start == start for start, end in ordered)
                assert touched or not alone or octets == text

    def test_thousands_of_fixes_are_made_in_one_round(self) -> None:
        text = b"User-agent: *\n" + b"Dissalow: /a\n" * 3_000
        done = fix(document(text), ["misspelt-field"])
        assert done.document.octets == text.replace(b"Dissalow", b"Disallow")
        assert done.mended == {"misspelt-field": 3_000}

    def test_an_edit_outside_the_document_is_not_made(self) -> None:
        assert applied(document(b"ab"), [finding(1, 9, b"x")]) == (b"ab", [])

    def test_fixes_are_made_until_nothing_is_left(self) -> None:
        done = fix(
            document(b"User-agent: *\nDissalow: /a # acap: ignore[no-field]\nDisalow /b\n"),
            chosen(["missing-colon", "misspelt-field", "unused-ignore"]),
        )
        assert done.document.octets == b"User-agent: *\nDisallow: /a\nDisallow: /b\n"
        assert done.findings == ()
        assert done.mended.total() >= 3

    def test_rules_that_undo_each_other_come_to_an_end(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def check(given: Document) -> Iterable[Finding]:
            yield finding(0, 1, b"#" if given.octets[:1] == b"\n" else b"\n")

        monkeypatch.setattr("acap.publish.lint.run.rule", {"x": Rule("x", "s", "info", "w", "", (), check)}.__getitem__)
        assert fix(document(b"\n\n"), ["x"]).mended == {"x": 10}

    def test_a_safe_fix_that_permits_more_is_refused_and_the_others_are_made(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        text = b"User-agent: *\nDisallow: /a\n# x\n"

        def check(given: Document) -> Iterable[Finding]:
            if b"/a" in given.octets:
                at = given.octets.index(b"/a")
                yield finding(at, at + 2, b"/ab", code="loosens")
            if b"# x\n" in given.octets:
                at = given.octets.index(b"# x")
                yield finding(at, at + 4, b"", code="remark")

        monkeypatch.setattr("acap.publish.lint.run.rule", {"x": Rule("x", "s", "info", "w", "", (), check)}.__getitem__)
        done = fix(document(text), ["x"])
        assert done.document.octets == b"User-agent: *\nDisallow: /a\n"
        assert done.mended == {"remark": 1}
        assert done.refused == {"loosens": 1}

    def test_unsafe_fixes_are_made_only_when_asked_for(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def check(given: Document) -> Iterable[Finding]:
            if given.octets.startswith(b"a"):
                yield finding(0, 1, b"#", safe=False)

        monkeypatch.setattr("acap.publish.lint.run.rule", {"x": Rule("x", "s", "info", "w", "", (), check)}.__getitem__)
        assert fix(document(b"a\n"), ["x"]).document.octets == b"a\n"
        assert fix(document(b"a\n"), ["x"], unsafe=True).document.octets == b"#\n"

    @pytest.mark.parametrize("form", ["utf-16", "utf-16-le", "utf-16-be"])
    def test_a_file_in_utf_16_is_first_made_utf_8_and_then_mended(self, form: str) -> None:
        text = MISSPELT.decode().encode(form)
        if form != "utf-16":
            text = (b"\xff\xfe" if form.endswith("le") else b"\xfe\xff") + text
        given = document(text)
        assert not given.editable
        assert fix(given, ["misspelt-field"]).document.octets == text
        done = fix(given, ["decoded-utf-16", "misspelt-field"], unsafe=True)
        assert done.document.octets == b"User-agent: *\nDisallow: /private/\n"

    def test_a_diff_is_what_patch_takes(self) -> None:
        assert (
            diff(b"a\r\nb", b"a\r\nc\n", "r")
            == "--- r\n+++ r\n@@ -1,2 +1,2 @@\n a\r\n-b\n\\ No newline at end of file\n+c\n"
        )
        assert diff(b"a", b"a", "r") == ""


class TestForms:
    """What a finding brings along: other places, a witness, a fix in octets that are no text."""

    GIVEN = document(b"User-agent: *\nDisallow: /a\nAllow: /a\n")
    FOUND = Finding(
        "no-field", "warning", "neither wins", 3, 1, 27, 36, "say one", Fix("t", (Edit(27, 36, b"\xff"),), safe=False),
        (Related(2, "this prohibits"), Related(0, "elsewhere too")), "/a",
    )  # fmt: skip

    def test_text_shows_each_place_and_the_witness(self) -> None:
        assert format_named("text").part(self.GIVEN, [self.FOUND], Style()).splitlines()[1:] == [
            "    3 | Allow: /a",
            "      | ^^^^^^^^^",
            "    2 | Disallow: /a",
            "      | ------------ this prohibits",
            "      = elsewhere too",
            "      = help: say one (--fix --unsafe-fixes does it)",
            "      = for example: /a",
        ]

    def test_json_has_all_of_it(self) -> None:
        found = json.loads(format_named("json").part(self.GIVEN, [self.FOUND], Style()))
        assert found["related"] == [
            {"line": 2, "message": "this prohibits"},
            {"line": None, "message": "elsewhere too"},
        ]
        assert found["witness"] == "/a"
        assert found["fix"]["edits"] == [{"start": 27, "end": 36, "text": None, "text_base64": "/w=="}]

    def test_sarif_has_related_locations_and_content_in_base64(self) -> None:
        found = json.loads(format_named("sarif").part(self.GIVEN, [self.FOUND], Style()))
        (related,) = found["relatedLocations"]
        assert related["physicalLocation"]["region"] == {"startLine": 2}
        assert related["message"] == {"text": "this prohibits"}
        (replacement,) = found["fixes"][0]["artifactChanges"][0]["replacements"]
        assert replacement["insertedContent"] == {"binary": "/w=="}
        assert found["properties"] == {"witness": "/a"}


META = "<meta name=robots content=noindx>"


class TestPlaces:
    """Which octets a finding underlines, and the line and column that it names."""

    @pytest.mark.parametrize(
        ("before", "declared", "codec"),
        [
            ("<p>é</p>", "windows-1252", "cp1252"),
            ("<p>日本語</p>", "shift_jis", "cp932"),
            ("<p>日本𠀀</p>", "gb18030", "gb18030"),
            ("<p>日本語</p>", "iso-2022-jp", "iso2022_jp"),
            ("<p>é日𠀀</p>", "utf-8", "utf-8"),
            ("\ufeff", "utf-8", "utf-8"),
            ("\ufeff", "utf-16", "utf-16-le"),
            ("\ufeff<p>é日𠀀</p>\n<b>é</b>", "utf-16", "utf-16-be"),
            ("<a href='#é'>\r\ré</a>", "windows-1252", "cp1252"),
            ("é" * 5000 + "<p>日</p>", "utf-8", "utf-8"),
            ("語" * 5000, "shift_jis", "cp932"),
        ],
    )
    def test_in_a_page_of_any_encoding_it_is_the_tag(self, before: str, declared: str, codec: str) -> None:
        """Whatever stands before it in its line."""
        page = document(f"{before}<meta charset={declared}>{META}".encode(codec), "page")
        (found,) = lint(page, select=["page-unknown-word"])
        assert page.text[found.start : found.end] == META.encode()
        assert page.place(found.start) == (found.line, found.column)

    def test_a_fix_is_in_the_tag_too(self) -> None:
        """It is found by its column in characters."""
        page = document(f"<p>日é語</p><meta charset=gbk>{META}".encode("gb18030"), "page")
        octets, _ = applied(page, lint(page, select=["page-unknown-word"]))
        assert octets == page.octets.replace(b"noindx", b"noindex")

    @pytest.mark.parametrize("end", [b"\r\n", b"\n", b"\r"])
    def test_of_a_header_it_is_its_line(self, end: bytes) -> None:
        """Two headers that say the same are two findings, each mended in its own line."""
        lines = [b"HTTP/1.1 200 OK", b"X-Robots-Tag: noindx", b"Server: \x85\x0c", b"x-robots-tag: bot: noindx, noidex"]
        headers = document(end.join([*lines, b""]), "headers")
        found = lint(headers, select=["page-unknown-word"])
        assert [(one.line, one.column) for one in found] == [(2, 1), (4, 1), (4, 1)]
        assert [headers.text[one.start : one.end] for one in found] == [lines[1], lines[3], lines[3]]
        octets, _ = applied(headers, found[:2])
        assert octets == headers.octets.replace(b"noindx", b"noindex")

    def test_a_line_of_megabytes_is_not_counted_from_its_beginning_for_each_finding(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Octets are decoded once for the line, and a few blocks more for each place."""
        decoded = 0

        class Counting(codecs.getincrementaldecoder("utf-8")):  # type: ignore[misc]  # a class that is known when it runs
            def decode(self, octets: bytes, final: bool = False) -> str:
                nonlocal decoded
                decoded += len(octets)
                return str(super().decode(octets, final))

        monkeypatch.setattr(columns, "getincrementaldecoder", lambda _codec: Counting)
        text = "é<b>".encode() * 400_000
        counted = columns.Columns(text, "utf-8")
        places = range(0, len(text), 10_000)
        assert [counted.before(0, octet) for octet in places] == [octet // 5 * 4 for octet in places]
        assert [counted.octet(0, len(text), octet // 5 * 4) for octet in places] == list(places)
        assert decoded < len(text) + len(places) * 16 * columns.BLOCK

    def test_lines_behind_the_one_in_which_reading_ends_are_left_alone(self) -> None:
        """Of a long file as many lines are looked at as are read, and what is found in them stays."""
        line = b"Disallow: /" + b"a" * 88 + b"\n"
        text = MISSPELT + line * 130_000
        long = document(text)
        assert len(long.lines) < len(long.starts) + 1 < 90_000
        (cut,) = lint(long, select=["cut-file"])
        assert long.text[cut.start : cut.end] + b"\n" == line
        assert cut.start > Limits().file_octets - len(line) - 7
        short = document(text[: Limits().file_octets])
        assert lint(long, select=["misspelt-field"]) == lint(short, select=["misspelt-field"])


class TestReplacing:
    def test_the_mode_stays_and_a_link_goes_on_leading_to_the_file(self, tmp_path: Path) -> None:
        file, link = tmp_path / "robots.txt", tmp_path / "link.txt"
        file.write_bytes(b"old")
        file.chmod(0o640)
        link.symlink_to(file)
        write_file(link, b"new")
        assert link.is_symlink()
        assert file.read_bytes() == b"new"
        assert stat.S_IMODE(file.stat().st_mode) == 0o640

    def test_when_it_fails_the_file_is_as_it_was_and_nothing_is_left(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = tmp_path / "robots.txt"
        file.write_bytes(b"old")

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            write_file(file, b"new")
        assert file.read_bytes() == b"old"
        assert list(tmp_path.iterdir()) == [file]


class TestBaseline:
    def known(self, octets: bytes) -> baseline.Known:
        given = document(octets)
        return baseline.counted(given, lint(given, select=["misspelt-field"]))

    def new(self, octets: bytes, known: baseline.Known) -> tuple[list[int], int]:
        given = document(octets)
        found, stale = baseline.new(given, lint(given, select=["misspelt-field"]), known)
        return [one.line for one in found], stale.total()

    def test_a_known_finding_is_known_on_another_line(self) -> None:
        assert self.new(b"# moved\n\n" + MISSPELT, self.known(MISSPELT)) == ([], 0)

    def test_another_text_or_one_more_of_the_same_is_new(self) -> None:
        known = self.known(MISSPELT)
        assert self.new(MISSPELT + b"Dissalow: /other/\n", known) == ([3], 0)
        assert self.new(MISSPELT + b"Dissalow: /private/\n", known)[0] == [3]

    def test_what_is_found_no_more_is_stale(self) -> None:
        assert self.new(b"User-agent: *\nDisallow: /private/\n", self.known(MISSPELT)) == ([], 1)

    def test_what_is_written_is_read_again(self, tmp_path: Path) -> None:
        file = tmp_path / "b.json"
        found = {"a/robots.txt": self.known(MISSPELT), "b": Counter({("x", "-"): 2})}
        file.write_text(baseline.written(found), encoding="utf-8")
        assert baseline.read(file) == found
        file.write_text(baseline.written({}), encoding="utf-8")
        assert baseline.read(file) == {}

    @pytest.mark.parametrize(
        "text", ["", "[]", "{}", '{"acap-baseline": 9}', '{"acap-baseline": 1, "findings": [1]}', "[" * 9_999]
    )
    def test_what_is_no_baseline_is_told(self, tmp_path: Path, text: str) -> None:
        file = tmp_path / "b.json"
        file.write_text(text, encoding="utf-8")
        with pytest.raises(baseline.BaselineError, match=r"b\.json"):
            baseline.read(file)

    def test_sources_are_relative_to_the_baseline(self, tmp_path: Path) -> None:
        assert baseline.source_in(tmp_path / "b.json", str(tmp_path / "a/robots.txt")) == "a/robots.txt"
        assert (
            baseline.source_in(tmp_path / "b.json", "https://example.com/robots.txt")
            == "https://example.com/robots.txt"
        )


class TestConfiguration:
    def at(self, directory: Path, text: str, name: str = "acap.toml") -> config.Config:
        (directory / name).write_text(text, encoding="utf-8")
        config.forget()
        return config.nearest(directory)

    def test_every_key_is_read(self, tmp_path: Path) -> None:
        found = self.at(
            tmp_path,
            '[lint]\nselect = ["acap-"]\nignore = ["acap-plural"]\nunsafe-fixes = true\nbaseline = "b.json"\n'
            'crawlers = ["ourbot"]\n[lint.per-file-ignores]\n"old/**" = ["ALL"]\n',
        )
        assert found == config.Config(
            tmp_path / "acap.toml", ("acap-",), ("acap-plural",), True, tmp_path / "b.json", frozenset({"ourbot"}),
            (("old/**", ("ALL",)),),
        )  # fmt: skip

    def test_the_nearest_file_counts_alone(self, tmp_path: Path) -> None:
        below = tmp_path / "a/b"
        below.mkdir(parents=True)
        self.at(tmp_path, '[lint]\nignore = ["no-field"]\n')
        assert config.nearest(below).ignore == ("no-field",)
        assert self.at(tmp_path / "a", "[policy]\n") == config.Config(tmp_path / "a/acap.toml")
        assert config.nearest(below).ignore == ()

    def test_of_two_in_one_directory_acap_toml_counts(self, tmp_path: Path) -> None:
        found = self.at(tmp_path, '[tool.acap.lint]\nignore = ["no-field"]\n', "pyproject.toml")
        assert found.ignore == ("no-field",)
        assert self.at(tmp_path, "[lint]\n").ignore == ()

    def test_a_pyproject_that_says_nothing_of_lint_does_not_count(self, tmp_path: Path) -> None:
        (tmp_path / "a").mkdir()
        self.at(tmp_path, '[lint]\nignore = ["no-field"]\n')
        assert self.at(tmp_path / "a", "[project]\n", "pyproject.toml").ignore == ("no-field",)

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("[lint]\nselects = []\n", r"acap\.toml`: `lint\.selects`: unknown key; did you mean `select`\?"),
            ('[lint]\nselect = "ALL"\n', r"`lint\.select`: write a list of texts"),
            ("[lint]\nignore = [1]\n", r"`lint\.ignore`: write a list of texts"),
            ('[lint]\nignore = ["mispelt-field"]\n', r"`lint\.ignore`: no rule `mispelt-field`; did you mean"),
            ('[lint]\nunsafe-fixes = "yes"\n', r"`lint\.unsafe-fixes`: write true or false"),
            ("[lint]\nbaseline = 1\n", r"`lint\.baseline`: write the name of a file"),
            ("[lint]\ncrawlers = {}\n", r"`lint\.crawlers`: write a list"),
            ("[lint]\nper-file-ignores = []\n", r"`lint\.per-file-ignores`: write a table"),
            ('[lint.per-file-ignores]\nx = "y"\n', r"`lint\.per-file-ignores\.x`: write a list"),
            ("lint = 1\n", r"`lint` is not a table; write \[lint\]"),
            ("[lint\n", r"acap\.toml` is not TOML"),
        ],
    )
    def test_a_mistake_is_told_with_its_file_and_key(self, tmp_path: Path, text: str, told: str) -> None:
        with pytest.raises(config.ConfigError, match=told):
            self.at(tmp_path, text)

    @pytest.mark.parametrize(
        ("path", "pattern", "fits"),
        [
            ("a/b/robots.txt", "robots.txt", True),
            ("a/b/robots.txt", "a/*/robots.txt", True),
            ("a/b/c/robots.txt", "a/*/robots.txt", False),
            ("a/b/c/robots.txt", "a/**", True),
            ("a/robots.txt", "a/**/robots.txt", True),
            ("b/a/x", "a/**", False),
            ("a1.html", "a?.html", True),
        ],
    )
    def test_patterns_of_files(self, path: str, pattern: str, fits: bool) -> None:
        assert config.fits(path, pattern) is fits

    def test_rules_are_ignored_in_files_that_fit(self, tmp_path: Path) -> None:
        found = self.at(tmp_path, '[lint.per-file-ignores]\n"old/**" = ["no-field"]\n')
        assert found.ignored_in(tmp_path / "old/robots.txt") == ("no-field",)
        assert found.ignored_in(tmp_path / "robots.txt") == ()
        assert found.ignored_in(tmp_path.parent / "old/robots.txt") == ()
