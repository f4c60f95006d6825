"""`acap lint` and `acap rule` as a user meets them: what is linted, printed in which form, mended; exit codes."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from unicodedata import category
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

from acap import __version__ as version
from acap.cli.commands import COMMANDS
from acap.cli.io.linting import kind_of
from acap.pages import html
from acap.publish.lint.catalogue import rules
from acap.schema import FINDING_SCHEMA
from tests.command_line import Result, acap, environment, process
from tests.loopback import Loopback, reply
from tools.capture import terminal_output

ROOT = Path(__file__).resolve().parent.parent
TEXT = b"User-agent: *\nDissalow: /private/\nfoo\n"
MENDED = TEXT.replace(b"Dissalow", b"Disallow")
ONLY = ("--no-config", "--select", "misspelt-field,no-field,unused-ignore,decoded-utf-16,invalid-utf-8")


@pytest.fixture
def robots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A robots.txt with a finding on lines 2 and 3, in the current directory."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "robots.txt"
    file.write_bytes(TEXT)
    return file


def lint(*arguments: str | Path, given: bytes = b"") -> Result:
    return acap("lint", *ONLY, *arguments, given=given)


class TestText:
    @pytest.mark.usefixtures("robots")
    def test_a_finding_is_a_line_that_editors_follow_then_its_source(self) -> None:
        result = lint("robots.txt")
        assert result.code == 1
        assert result.lines[:4] == [
            "robots.txt:2:1: warning: `Dissalow` is read as `Disallow` [misspelt-field]",
            "    2 | Dissalow: /private/",
            "      | ^^^^^^^^^^^^^^^^^^^",
            "      = help: write `Disallow` (--fix does it)",
        ]
        verdict, *rest = result.err.splitlines()
        assert verdict.startswith("acap: 2 mistakes. ")
        assert rest == ["acap: 2 findings in 1 document; --fix fixes 1"]

    def test_nothing_found_is_said_on_standard_error_and_ends_with_0(self, robots: Path) -> None:
        robots.write_bytes(b"User-agent: *\nDisallow: /a\n")
        verdict = "acap: No mistakes. Every crawler may use all but /a.\n"
        assert lint("robots.txt") == Result(0, "", f"{verdict}acap: nothing found in 1 document\n")

    def test_many_documents_and_forms_for_programs_have_no_verdict(self, robots: Path) -> None:
        """Of one document people read the verdict first; a report for programs and one of many files have their own."""
        robots.with_name("b.robots.txt").write_bytes(b"User-agent: *\nDisallow: /a\n")
        assert "may use" not in lint(".").err
        assert "may use" not in lint("--output-format", "json", "robots.txt").err
        assert "may use" in lint("robots.txt").err

    @pytest.mark.usefixtures("robots")
    def test_quiet_prints_nothing_and_keeps_the_exit_code(self) -> None:
        assert lint("-q", "robots.txt") == Result(1, "", "")

    def test_statistics_count_by_rule(self, robots: Path) -> None:
        robots.write_bytes(TEXT + b"Dissalow: /b\n")
        result = lint("--statistics", "robots.txt")
        assert result.code == 1
        assert [line.split(":")[0].split() for line in result.lines] == [["2", "misspelt-field"], ["1", "no-field"]]

    def test_no_octet_of_a_document_reaches_a_terminal_as_it_is(self, robots: Path) -> None:
        robots.write_bytes(b"User-agent: *\nfoo foo foo \x1b[31m\x9b \xe2\x80\xae \x07 bar\n")
        out = lint("robots.txt").out
        assert "\\x1b[31m" in out
        assert all(letter.isprintable() or letter == "\n" for letter in out)

    @pytest.mark.parametrize("size", [300, 50_000])
    def test_of_a_long_line_the_part_with_the_caret_is_shown(self, robots: Path, size: int) -> None:
        robots.write_bytes(b"User-agent: *\nDisallow: /" + b"a" * size + b" # acap: ignore[no-field] " + b"z" * size)
        result = lint("robots.txt")
        line, under = (line for line in result.lines if " | " in line)
        assert len(line) <= 100
        assert line[under.index("^") :].startswith("# acap: ignore[no-field]")

    def test_the_caret_stands_below_wide_characters(self, robots: Path) -> None:
        robots.write_bytes("User-agent: *\nDisallow: /新聞 # acap: ignore[no-field]\n".encode())
        line, under = (line for line in lint("robots.txt").lines if " | " in line)
        assert under.index("^") == line.index("# acap") + 2

    def test_mere_information_ends_with_0_and_with_1_if_strict(self, robots: Path) -> None:
        robots.write_bytes(b"User-agent: *\nDisallow: /a\nDisallow: /a/b\n")
        quiet, strict = (
            acap("lint", *more, "--select", "idle-statement", "robots.txt") for more in ((), ("--strict",))
        )
        assert [quiet.code, strict.code] == [0, 1]
        assert "info: " in quiet.out

    @pytest.mark.usefixtures("robots")
    def test_exit_zero_ends_with_0(self) -> None:
        assert lint("--exit-zero", "robots.txt").code == 0


class TestTerminal:
    ARGUMENTS = ("acap", "lint", "--no-config", "--select", "misspelt-field", "--stdin-name", "robots.txt", "-")

    def shown(self, *environment: str, columns: int = 100, text: str = "Dissalow: /private/") -> str:
        script = f"printf '%s\\n' 'User-agent: *' '{text}' | {' '.join(('env', *environment, *self.ARGUMENTS))}"
        return terminal_output(["sh", "-c", script], columns)

    def test_a_terminal_gets_colours_unless_they_are_not_wanted(self) -> None:
        assert "\x1b[33m\x1b[1mwarning\x1b[0m" in self.shown()
        assert "\x1b[" not in self.shown("NO_COLOR=1")
        assert "robots.txt:2:1: warning: " in self.shown("NO_COLOR=1")

    @pytest.mark.parametrize("columns", [60, 100])
    def test_an_excerpt_is_no_wider_than_the_terminal(self, columns: int) -> None:
        lines = self.shown("NO_COLOR=1", columns=columns, text="Dissalow: /" + "a" * 500).splitlines()
        (excerpt,) = (line for line in lines if line.startswith("    2 |"))
        assert columns - 5 <= len(excerpt) <= columns


def test_a_rule_that_fails_is_our_fault(robots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(_: object) -> tuple[()]:
        raise KeyError("x")

    broken = replace(rules()["no-field"], check=check)
    monkeypatch.setattr("acap.publish.lint.run.rule", {**rules(), "no-field": broken}.__getitem__)
    result = lint(robots)
    assert (result.code, result.out) == (70, "")
    assert "rule `no-field` fails on" in result.err


def test_a_page_without_the_packages_for_pages_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "selectolax.lexbor", None)
    monkeypatch.setattr(html, "_parser", html._parser.__wrapped__)
    page = tmp_path / "page.html"
    page.write_bytes(b'<meta name="robots" content="noindex; nofollow">')
    result = acap("lint", "--no-config", page)
    assert (result.code, result.out) == (2, "")
    assert "pip install 'acap[pages]'" in result.err


def test_the_reference_of_json_shows_the_schema_and_every_key_of_a_finding() -> None:
    text = (ROOT / "docs/reference/json.md").read_text(encoding="utf-8")
    blocks = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]
    assert [block for block in blocks if block.get("title") == "acap finding"] == [FINDING_SCHEMA]
    assert [key for key in FINDING_SCHEMA["properties"] if f"`{key}`" not in text] == []


class TestForms:
    @pytest.mark.usefixtures("robots")
    def test_json_is_an_object_a_line_that_fits_its_schema(self) -> None:
        found = lint("--output-format", "json", "robots.txt").objects()
        assert [one["code"] for one in found] == ["misspelt-field", "no-field"]
        for one in found:
            Draft202012Validator(FINDING_SCHEMA).validate(one)
        first = found[0]
        assert [first[key] for key in ("source", "line", "column", "end_line", "end_column")] == [
            "robots.txt",
            2,
            1,
            2,
            20,
        ]
        assert first["fix"] == {
            "title": "write `Disallow`",
            "safe": True,
            "edits": [{"start": 14, "end": 22, "text": "Disallow", "text_base64": None}],
        }

    @pytest.mark.usefixtures("robots")
    def test_edits_in_json_make_what_fix_makes(self) -> None:
        octets = TEXT
        for one in lint("--output-format", "json", "robots.txt").objects():
            for edit in one["fix"]["edits"] if one["fix"] else ():
                octets = octets[: edit["start"]] + edit["text"].encode() + octets[edit["end"] :]
        assert octets == MENDED

    @pytest.mark.usefixtures("robots")
    def test_sarif_declares_every_rule_and_names_places(self) -> None:
        log = json.loads(lint("--output-format", "sarif", "robots.txt").out)
        assert (log["version"], len(log["runs"])) == ("2.1.0", 1)
        (run,) = log["runs"]
        driver = run["tool"]["driver"]
        assert [rule["id"] for rule in driver["rules"]] == list(rules())
        for rule in driver["rules"]:
            assert rule["shortDescription"]["text"].endswith(".")
            assert rule["help"]["text"]
            assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")
        first = run["results"][0]
        assert driver["rules"][first["ruleIndex"]]["id"] == first["ruleId"] == "misspelt-field"
        assert first["level"] == "warning"
        (location,) = first["locations"]
        assert location["physicalLocation"] == {
            "artifactLocation": {"uri": "robots.txt"},
            "region": {"startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 20},
        }
        (change,) = first["fixes"][0]["artifactChanges"]
        assert change["replacements"] == [
            {"deletedRegion": {"byteOffset": 14, "byteLength": 8}, "insertedContent": {"text": "Disallow"}}
        ]

    def test_sarif_without_findings_has_an_empty_list(self, robots: Path) -> None:
        robots.write_bytes(b"")
        assert json.loads(lint("--output-format", "sarif", "robots.txt").out)["runs"][0]["results"] == []

    def test_sarif_names_a_file_by_its_uri(self, robots: Path) -> None:
        file = robots.rename(robots.with_name("a b%.robots.txt"))
        for name, uri in ((file.name, "a%20b%25.robots.txt"), (file, file.as_uri())):
            result = json.loads(lint("--output-format", "sarif", name).out)["runs"][0]["results"][0]
            assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri

    @pytest.mark.usefixtures("robots")
    def test_github_gets_commands(self) -> None:
        assert lint("--output-format", "github", "robots.txt").lines[0] == (
            "::warning file=robots.txt,line=2,col=1,endColumn=20,title=misspelt-field::"
            "`Dissalow` is read as `Disallow`; write `Disallow`"
        )

    def test_a_document_cannot_write_commands_of_its_own(self, robots: Path) -> None:
        file = robots.rename(robots.with_name("a,b:c%.robots.txt"))
        file.write_bytes(b"User-agent: *\n%0A::error::x\x0b::set-output name=a::b\r\nfoo\r::error::y\n")
        result = lint("--output-format", "github", file.name)
        assert all(line.startswith("::warning file=a%2Cb%3Ac%25.robots.txt,line=") for line in result.lines)
        assert not any("%0A::error" in line for line in result.lines)

    def test_junit_has_a_case_for_each_document(self, robots: Path) -> None:
        robots.with_name("good.robots.txt").write_bytes(b"User-agent: *\nDisallow: /a\n")
        result = lint("--output-format", "junit", ".")
        suite = ElementTree.fromstring(result.out).find("testsuite")
        assert suite is not None
        assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
        cases = {case.get("name"): [failure.get("type") for failure in case] for case in suite}
        assert cases == {"good.robots.txt": [], "robots.txt": ["misspelt-field", "no-field"]}

    @pytest.mark.parametrize("form", ["text", "json", "sarif", "github", "junit"])
    def test_hostile_octets_leave_every_form_whole(self, robots: Path, form: str) -> None:
        robots.write_bytes(b"\x00\x1b]]>&\"'\xff\xef\xbf\xbf <x>\n" + TEXT + bytes(range(256)))
        out = lint("--output-format", form, "robots.txt").out
        assert {letter for letter in out if category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp")} <= {"\n"}
        if form == "junit":
            ElementTree.fromstring(out)
        elif form == "sarif":
            json.loads(out)

    def test_what_is_of_the_whole_document_has_a_place_in_every_form(self, robots: Path) -> None:
        robots.write_bytes(TEXT.decode().encode("utf-16"))
        for form in ("text", "json", "sarif", "github", "junit"):
            assert "decoded-utf-16" in lint("--output-format", form, "robots.txt").out


class TestSources:
    def test_directories_are_searched_and_hidden_ones_are_not(self, robots: Path) -> None:
        for name in ("a/robots.txt", "a/x.robots.txt", ".git/robots.txt", "node_modules/robots.txt", "a/notes.txt"):
            (robots.parent / name).parent.mkdir(exist_ok=True)
            (robots.parent / name).write_bytes(TEXT)
        found = lint("--output-format", "json").objects()
        assert [one["source"] for one in found] == [
            name for name in ("a/robots.txt", "a/x.robots.txt", "robots.txt") for _ in range(2)
        ]

    @pytest.mark.usefixtures("robots")
    def test_a_file_named_twice_is_linted_once(self) -> None:
        assert "acap: 2 findings in 1 document" in lint("robots.txt", "robots.txt").err

    def test_a_directory_without_policy_is_a_wrong_call(self, tmp_path: Path) -> None:
        result = lint(tmp_path)
        assert result.code == 2
        assert "name a file" in result.err

    @pytest.mark.usefixtures("robots")
    def test_a_file_that_is_not_there_is_a_wrong_call(self) -> None:
        assert lint("nothing.txt") == Result(2, "", "acap: no file `nothing.txt`; check the path\n")

    def test_a_file_that_cannot_be_read_is_told_and_the_others_are_linted(self, robots: Path) -> None:
        robots.with_name("dir.robots.txt").symlink_to(robots.parent / "loop.robots.txt")
        result = lint("--output-format", "json", ".")
        assert (result.code, len(result.lines)) == (2, 2)
        assert "dir.robots.txt" in result.err

    @pytest.mark.usefixtures("robots")
    def test_standard_input_is_linted_by_the_name_it_is_given(self) -> None:
        (found, _) = lint("--output-format", "json", "--stdin-name", "x/robots.txt", "-", given=TEXT).objects()
        assert found["source"] == "x/robots.txt"

    @pytest.mark.parametrize(
        ("name", "octets", "kind"),
        [
            ("a/robots.txt", b"<html>", "robots"),
            ("A.HTML", b"", "page"),
            ("x.headers", b"", "headers"),
            ("-", b"HTTP/2 200\r\n", "headers"),
            ("-", b"\xef\xbb\xbf\n <!DOCTYPE html>", "page"),
            ("-", b"User-agent: *", "robots"),
        ],
    )
    def test_the_kind_is_known_by_name_then_by_content(self, name: str, octets: bytes, kind: str) -> None:
        assert kind_of(name, octets) == kind

    def test_the_kind_can_be_given(self) -> None:
        header = b"X-Robots-Tag: noindex; nofollow\n"
        given = ["lint", "--no-config", "--select", "page-semicolon", "-"]
        assert [acap(*given, *more, given=header).code for more in ((), ("--kind", "headers"))] == [0, 1]

    @pytest.mark.parametrize("name", ["robots.txt", "a.html", "a.headers"])
    def test_a_fifo_in_a_directory_is_no_document(self, tmp_path: Path, name: str) -> None:
        """Nobody waits for what it may bring; named by itself it is read, as `<(…)` of a shell is. It is told."""
        (tmp_path / "below").mkdir()
        os.mkfifo(tmp_path / "below" / name)
        (tmp_path / "robots.txt").write_bytes(TEXT)
        result = lint("--output-format", "json", tmp_path)
        assert {one["source"] for one in result.objects()} == {str(tmp_path / "robots.txt")}
        assert (result.code, result.err.count("\n")) == (2, 1)
        assert f"`{tmp_path / 'below' / name}` is not a regular file" in result.err

    def test_a_directory_in_the_place_of_a_robots_txt_is_told(self, tmp_path: Path) -> None:
        """What is served there is known to nobody; what lies in it is linted, as in any directory."""
        (tmp_path / "a" / "robots.txt").mkdir(parents=True)
        (tmp_path / "a" / "robots.txt" / "robots.txt").write_bytes(b"User-agent: *\nDisallow: /x\n")
        result = lint(tmp_path)
        assert (result.code, result.out) == (2, "")
        assert f"`{tmp_path / 'a' / 'robots.txt'}` is a directory" in result.err

    def test_a_directory_that_cannot_be_searched_is_told(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """It may hold a robots.txt, and the others are linted all the same."""
        (tmp_path / "shut").mkdir()
        (tmp_path / "robots.txt").write_bytes(b"User-agent: *\nDisallow: /x\n")
        scandir = os.scandir

        def refuse(place: str) -> object:
            if Path(place).name == "shut":
                raise PermissionError(13, "Permission denied", place)
            return scandir(place)

        monkeypatch.setattr(os, "scandir", refuse)
        result = lint(tmp_path)
        assert (result.code, result.out) == (2, "")
        assert f"`{tmp_path / 'shut'}` cannot be searched: Permission denied" in result.err
        assert "nothing found in 1 document" in result.err

    def test_of_a_url_the_robots_txt_of_its_site_is_linted(self, tmp_path: Path) -> None:
        with Loopback(says={"/robots.txt": reply(body=TEXT)}) as site:
            result = lint("--cache-dir", tmp_path, "--output-format", "json", site.url("/news/"))
            assert [one["source"] for one in result.objects()] == [site.url("/robots.txt")] * 2
            assert site.targets == ["/robots.txt"]

    @pytest.mark.parametrize(
        ("path", "body", "code"),
        [
            ("/.well-known/tdmrep.json", b'[{"location": "/", "tdm-reservations": 1}]', "tdmrep-key-near"),
            ("/ai.txt", b"Foo\n", "ai-txt-foreign"),
        ],
    )
    def test_a_document_at_a_known_place_is_linted_itself(self, path: str, body: bytes, code: str) -> None:
        options = ("--no-config", "--no-cache", "--timeout", "5")
        with Loopback(says={path: reply(body=body)}) as site:
            result = acap("lint", *options, "--output-format", "json", site.url(path))
            assert {(one["source"], one["code"]) for one in result.objects()} == {(site.url(path), code)}
            assert site.targets == [path]
            site.says[path] = reply(503)
            assert acap("lint", *options, site.url(path)).code == 3
            site.says[path] = reply(404)
            absent = acap("lint", *options, site.url(path))
            assert (absent.code, "is not there" in absent.err) == (0, True)

    def test_who_names_a_page_hears_that_it_is_the_robots_txt_that_is_linted(self, tmp_path: Path) -> None:
        with Loopback(says={"/robots.txt": reply(body=TEXT)}) as site:
            options = ("lint", "--no-config", "--cache-dir", tmp_path)
            told = f"this is {site.url()}; of {site.url('/license.xml')} itself: acap fetch"
            assert told in acap(*options, site.url("/license.xml")).err
            for path in ("", "/", "/robots.txt"):
                assert "itself" not in acap(*options, site.url(path)).err

    def test_a_block_that_undoes_nothing_is_told_as_that(self, robots: Path) -> None:
        """It may change decisions all the same, which is for compare."""
        robots.write_bytes(b"User-agent: *\nDisallow: /a/\n")
        block = robots.with_name("block.txt")
        block.write_bytes(b"User-agent: x\nDisallow: /\n\n")
        assert "the block undoes no line" in acap("lint", "--no-config", "--prepended", block, robots).err

    def test_a_site_that_has_none_has_nothing_wrong_and_one_out_of_reach_is_undetermined(self, tmp_path: Path) -> None:
        with Loopback(says={"/robots.txt": reply(404)}) as site:
            assert lint("--cache-dir", tmp_path, site.url("/")).code == 0
        with Loopback(says={"/robots.txt": reply(503)}) as site:
            result = lint("--cache-dir", tmp_path, site.url("/"))
        assert (result.code, result.out) == (3, "")

    @pytest.mark.parametrize("body", [b"<!DOCTYPE html><p>Not found", b"Unauthorized\n"])
    def test_what_comes_in_place_of_a_robots_txt_is_linted(self, tmp_path: Path, body: bytes) -> None:
        with Loopback(says={"/robots.txt": reply(body=body)}) as site:
            result = acap("lint", "--no-config", "--cache-dir", tmp_path, "--output-format", "json", site.url("/"))
        assert result.code == 1
        assert {one["source"] for one in result.objects()} == {site.url("/robots.txt")}
        assert {one["code"] for one in result.objects()} <= {"no-robots-txt", "html-instead-of-robots"}
        assert len(result.objects()) == 1
        assert "is not there" not in result.err

    @pytest.mark.parametrize("body", [b"%PDF-1.7\n%\xe2\xe3", gzip.compress(TEXT)])
    def test_what_cannot_be_read_in_place_of_a_robots_txt_is_undetermined(self, tmp_path: Path, body: bytes) -> None:
        with Loopback(says={"/robots.txt": reply(body=body)}) as site:
            result = acap("lint", "--no-config", "--cache-dir", tmp_path, site.url("/"))
        assert (result.code, result.out, result.err.count("\n")) == (3, "", 1)
        assert "cannot be read" in result.err

    def test_many_files_are_linted_in_processes_with_the_same_result_in_the_same_order(self, robots: Path) -> None:
        for number in range(80):
            file = robots.parent / f"{number:02}/robots.txt"
            file.parent.mkdir()
            file.write_bytes(b"Dissalow: /x\n" * (number % 3) + b"\n")
        result = lint("--output-format", "json")
        assert result.code == 1
        wanted = [f"{number:02}/robots.txt" for number in range(80) for _ in range(number % 3)] + ["robots.txt"] * 2
        assert [one["source"] for one in result.objects()] == wanted


class TestFix:
    def test_fix_writes_what_is_mended_and_tells_what_is_left(self, robots: Path) -> None:
        result = lint("--fix", "robots.txt")
        assert robots.read_bytes() == MENDED
        assert result.code == 1
        assert [line for line in result.lines if "[" in line] == [
            "robots.txt:3:1: warning: `foo` is not a field and is ignored [no-field]"
        ]
        assert "acap: fixed 1 finding in 1 document" in result.err

    def test_a_second_fix_writes_nothing(self, robots: Path) -> None:
        lint("--fix", "robots.txt")
        before = robots.stat()  # whose time of access changes as it is read
        lint("--fix", "robots.txt")
        after = robots.stat()
        assert (after.st_ino, after.st_mtime_ns, after.st_size) == (before.st_ino, before.st_mtime_ns, before.st_size)

    def test_diff_shows_what_fix_would_change_and_writes_nothing(self, robots: Path) -> None:
        result = lint("--diff", "robots.txt")
        assert robots.read_bytes() == TEXT
        assert result.code == 1
        assert result.lines[:2] == ["--- robots.txt", "+++ robots.txt"]
        assert {"-Dissalow: /private/", "+Disallow: /private/"} <= set(result.lines)

    def test_diff_with_nothing_to_mend_ends_with_0(self, robots: Path) -> None:
        robots.write_bytes(MENDED)
        assert (lint("--diff", "robots.txt").code, lint("--diff", "robots.txt").out) == (0, "")

    def test_standard_input_is_mended_to_standard_output(self) -> None:
        result = lint("--fix", "-", given=TEXT)
        assert result.out.encode() == MENDED
        assert "[no-field]" in result.err
        assert lint("--diff", "-", given=TEXT).out.startswith("--- -\n+++ -\n")

    @pytest.mark.usefixtures("robots")
    def test_a_file_that_may_not_be_written_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refused(*_: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("acap.publish.replacing.write_file", refused)
        result = lint("--fix", "robots.txt")
        assert result.code == 2
        assert "acap: `robots.txt` cannot be written: Permission denied" in result.err


class TestBaseline:
    def test_what_a_baseline_holds_is_not_told_again(self, robots: Path) -> None:
        written = lint("--baseline", "known.json", "--write-baseline", "robots.txt")
        assert (written.code, written.out) == (0, "")
        silent = lint("--baseline", "known.json", "robots.txt")
        assert (silent.code, silent.out) == (0, "")
        assert silent.err.endswith("acap: nothing found in 1 document\n")
        robots.write_bytes(b"# new\n" + TEXT + b"Dissalow: /new/\n")
        (new,) = lint("--baseline", "known.json", "--output-format", "json", "robots.txt").objects()
        assert new["line"] == 5

    def test_entries_that_are_found_no_more_are_noted(self, robots: Path) -> None:
        lint("--baseline", "known.json", "--write-baseline", "robots.txt")
        robots.write_bytes(MENDED)
        result = lint("--baseline", "known.json", "robots.txt")
        assert result.code == 0
        assert "1 of the baseline no longer found" in result.err

    @pytest.mark.usefixtures("robots")
    def test_a_missing_baseline_is_a_wrong_call(self) -> None:
        assert lint("--baseline", "known.json", "robots.txt").code == 2
        assert "needs a file" in lint("--write-baseline", "robots.txt").err


class TestConfiguration:
    def test_the_nearest_file_says_what_runs_and_the_command_line_has_the_last_word(self, robots: Path) -> None:
        robots.with_name("acap.toml").write_text('[lint]\nselect = ["no-field"]\n', encoding="utf-8")

        def found(*more: str) -> set[str]:
            return {one["code"] for one in acap("lint", "--output-format", "json", *more, "robots.txt").objects()}

        assert found() == {"no-field"}
        assert found("--ignore", "no-field") == set()
        assert found("--select", "misspelt-field") == {"misspelt-field"}
        other = robots.with_name("other.toml")
        other.write_text('[lint]\nselect = ["misspelt-field"]\n', encoding="utf-8")
        assert found("--config", "other.toml") == {"misspelt-field"}

    def test_rules_can_be_left_out_for_some_files(self, robots: Path) -> None:
        text = '[lint]\nselect = ["no-field"]\n[lint.per-file-ignores]\n"staging/**" = ["no-field"]\n'
        robots.with_name("acap.toml").write_text(text, encoding="utf-8")
        (robots.parent / "staging").mkdir()
        (robots.parent / "staging/robots.txt").write_bytes(TEXT)
        found = acap("lint", "--output-format", "json").objects()
        assert {one["source"] for one in found} == {"robots.txt"}

    def test_a_mistake_in_it_is_a_wrong_call(self, robots: Path) -> None:
        robots.with_name("acap.toml").write_text("[lint]\nselct = []\n", encoding="utf-8")
        result = acap("lint", "robots.txt")
        assert result.code == 2
        assert "did you mean `select`?" in result.err

    @pytest.mark.parametrize(
        "wrong",
        [
            ("--select", "mispelt-field"),
            ("--fix", "--diff"),
            ("--unsafe-fixes",),
            ("--config", "x.toml"),
            ("--output-format", "xml"),
            ("--stdin-name", "x"),
            ("--fix", "https://example.com/"),
            ("--watch", "-"),
        ],
    )
    @pytest.mark.usefixtures("robots")
    def test_a_wrong_call_is_told_in_one_line(self, wrong: tuple[str, ...]) -> None:
        result = acap("lint", "--no-config", *wrong, "robots.txt")
        assert (result.code, result.out) == (2, "")
        assert len(result.err.splitlines()) == 1


def watching(times: int, change: Any) -> ModuleType:
    """What `watchfiles` is: an iterator over changes, here of a given number, before each of which `change` runs."""
    module = ModuleType("watchfiles")

    def watch(*_: str) -> Iterator[set[object]]:
        for _number in range(times):
            change()
            yield set()

    module.watch = watch  # type: ignore[attr-defined]  # a module made here
    return module


class TestWatch:
    def test_each_change_is_linted(self, robots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "watchfiles", watching(1, lambda: robots.write_bytes(b"")))
        result = lint("--watch", "robots.txt")
        assert result.code == 0
        assert result.err.splitlines()[-1] == "acap: nothing found in 1 document"

    def test_a_configuration_that_is_half_written_is_waited_out(
        self, robots: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        config = robots.with_name("acap.toml")
        states = iter(["[lint", '[lint]\nselect = ["misspelt-field"]\n'])
        monkeypatch.setitem(sys.modules, "watchfiles", watching(2, lambda: config.write_text(next(states), "utf-8")))
        result = acap("lint", "--select", "misspelt-field", "--watch", "robots.txt")
        assert result.code == 1
        assert "is not TOML" in result.err

    @pytest.mark.usefixtures("robots")
    def test_without_the_package_it_says_what_to_install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "watchfiles", None)
        result = lint("--watch", "robots.txt")
        assert result.code == 2
        assert "pip install 'acap[watch]'" in result.err


def test_a_file_that_is_saved_is_linted_until_ctrl_c(robots: Path) -> None:
    """With the real package: what is said after a change is of the new text; Ctrl-C ends with 130."""
    running = process("lint", *ONLY, "--watch", "robots.txt", cwd=robots.parent)
    assert running.stderr is not None
    limit = threading.Timer(60, running.kill)
    limit.start()
    for line in running.stderr:
        if b"watching" in line:
            break
    # The watcher may begin a moment later than it says, so the file is saved until it is seen.
    saving = threading.Event()

    def save() -> None:
        while not saving.wait(0.2):
            robots.write_bytes(MENDED.replace(b"foo\n", b""))

    thread = threading.Thread(target=save)
    thread.start()
    try:
        assert running.stderr.readline().startswith(b"acap: No mistakes. ")
        assert running.stderr.readline() == b"acap: nothing found in 1 document\n"
    finally:
        saving.set()
        thread.join()
        limit.cancel()
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
    assert running.returncode == 130


def test_ctrl_c_ends_quietly_with_130(tmp_path: Path) -> None:
    """Interrupted while it reads standard input, nothing is printed."""
    running = process("lint", "--no-config", "-", cwd=tmp_path)
    assert running.stdin is not None
    running.stdin.write(b"#\n" * 200_000)  # more than a pipe holds: who writes all of it is read
    running.stdin.flush()
    time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err) == (130, b"", b"")


class TestRule:
    def test_without_a_code_every_rule_is_listed(self) -> None:
        assert [line.split()[0] for line in acap("rule").lines] == list(rules())

    def test_a_rule_is_explained_with_its_examples(self) -> None:
        for code, rule in rules().items():
            result = acap("rule", code)
            assert result.code == 0, code
            assert rule.summary in result.out
            assert all(letter.isprintable() or letter == "\n" for letter in result.out), code
            assert max(map(len, result.lines)) < 2_000, code

    def test_as_json_it_has_every_part(self) -> None:
        (found,) = acap("rule", "--json", "misspelt-field").objects()
        assert found["code"] == "misspelt-field"
        assert found["examples"][0].keys() == {"kind", "bad", "good", "fixed"}
        assert len(acap("rule", "--json").lines) == len(rules())

    def test_an_unknown_code_is_told_with_the_nearest(self) -> None:
        assert acap("rule", "mispelt-field") == Result(
            2, "", "acap: no rule `mispelt-field`; did you mean `misspelt-field`?\n"
        )


def yaml(name: str) -> Any:
    return import_module("yaml").safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_the_hooks_of_pre_commit_are_valid_and_install_this_version(tmp_path: Path) -> None:
    """Those of the page: pre-commit takes them, they name commands that there are, and a wheel that is pinned."""
    page = (ROOT / "docs/how-to/lint.md").read_text(encoding="utf-8")
    (written,) = (block for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "hooks:" in block)
    config = tmp_path / ".pre-commit-config.yaml"
    config.write_text(written, encoding="utf-8")
    (repository,) = import_module("pre_commit.clientlib").load_config(str(config))["repos"]
    assert [hook["id"] for hook in repository["hooks"]] == ["acap-lint", "acap-format"]
    for hook in repository["hooks"]:
        assert hook["args"][-1] == "--", "a file may be named as an option is"
        assert hook["additional_dependencies"] == [f"acap[pages]=={version}"]
        program, command, *_ = hook["entry"].split()
        assert program == "acap"
        assert command in COMMANDS


def test_the_action_installs_a_wheel_of_its_own_version(tmp_path: Path) -> None:
    """Nothing is compiled on the machine of who uses it; another version may be named."""
    (step,) = (step for step in yaml("action.yml")["runs"]["steps"] if step.get("name") == "Install acap")
    program = tmp_path / "python"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$*" >> called\n', encoding="utf-8")
    program.chmod(0o755)
    installed = tmp_path / "acap/bin"
    installed.mkdir(parents=True)
    (installed / "python").symlink_to(program)
    for given, wanted in (("", version), ("9.9.9", "9.9.9")):
        subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            env=environment(RUNNER_TEMP=str(tmp_path), PYTHON=str(program), SOURCE=str(ROOT), VERSION=given),
            cwd=tmp_path,
            check=True,
            timeout=60,
        )
        last = (tmp_path / "called").read_text(encoding="utf-8").splitlines()[-1]
        assert last == f"-m pip install --quiet --only-binary acap acap[pages]=={wanted}"


def test_the_action_of_github_calls_the_command_with_options_it_has() -> None:
    action = yaml("action.yml")
    assert action["runs"]["using"] == "composite"
    script = action_step("Lint")["run"]
    assert 'acap/bin/acap" lint' in script
    options = {word for parameter in import_module("acap.cli.lint").lint.params for word in parameter.opts}
    assert {"--output-format", "--select", "--strict"} <= options
    for step in action["runs"]["steps"]:
        assert "inputs." not in step.get("run", ""), "an input in a script would be run"
    named = {name for step in action["runs"]["steps"] for text in step.get("env", {}).values() for name in [text]}
    given = ("paths", "format", "output", "select", "strict", "base")
    assert all(f"${{{{ inputs.{name} }}}}" in named for name in given)


def test_the_script_of_the_action_takes_several_lines_and_names_like_options(robots: Path) -> None:
    """Each path of each line is linted, and a file that is named as an option is a file."""
    robots.with_name("--config=b.robots.txt").write_bytes(robots.read_bytes())
    robots.with_name("b.robots.txt").write_text("[lint]\nignore = ['ALL']\n", encoding="utf-8")
    done = run_action(robots.parent, PATHS="robots.txt\n --config=b.robots.txt\n", FORMAT="github")
    assert done.returncode == 1
    assert done.stdout.count(b"::warning file=") >= 2
    assert b"file=--config" in done.stdout


def test_the_actions_of_others_are_pinned_by_commit() -> None:
    """What a branch or a tag leads to can be exchanged by whoever owns it; what a commit leads to cannot."""
    files = [ROOT / "action.yml", *(ROOT / ".github/workflows").glob("*.yml")]
    used = [use for file in files for use in re.findall(r"uses: (.*)", file.read_text(encoding="utf-8"))]
    assert len(used) > 10
    for use in used:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}  # v\d+(\.\d+)*", use), use


def action_step(name: str) -> dict[str, Any]:
    """A step of the action by its name."""
    (step,) = (step for step in yaml("action.yml")["runs"]["steps"] if step.get("name") == name)
    return dict(step)


def run_action(directory: Path, step_name: str = "Lint", **given: str) -> subprocess.CompletedProcess[bytes]:
    """The script of a step of the action, run as a runner does it."""
    programs = directory / "runner/acap/bin"
    programs.mkdir(parents=True, exist_ok=True)
    if not (programs / "acap").exists():
        (programs / "acap").symlink_to(Path(sysconfig.get_path("scripts"), "acap"))
    step = action_step(step_name)
    usual = {"OUTPUT": "out.sarif", "SELECT": "misspelt-field", "STRICT": "true"} if step_name == "Lint" else {}
    given = {**usual, **({} if step_name == "Lint" else {"SCRIPT": str(ROOT / "tools/action")}), **given}
    assert given.keys() == step["env"].keys()
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        env=environment(RUNNER_TEMP=str(directory / "runner"), GITHUB_OUTPUT="outputs", **given),
        capture_output=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("form", ["github", "sarif"])
def test_the_script_of_the_action_lints_what_it_is_given(robots: Path, form: str) -> None:
    """Run as a runner does it, it ends as the command does, and says which file it wrote."""
    done = run_action(robots.parent, PATHS="robots.txt", FORMAT=form)
    assert done.returncode == 1
    if form == "github":
        assert done.stdout.startswith(b"::warning file=robots.txt,line=2,")
        return
    assert Path("outputs").read_text(encoding="utf-8") == "sarif=out.sarif\n"
    assert len(json.loads(Path("out.sarif").read_bytes())["runs"][0]["results"]) == 1


def test_the_format_step_checks_each_robots_txt_of_several_paths(robots: Path) -> None:
    """A directory is searched; a page, a URL and what is not a robots.txt are left to lint."""
    folder = robots.parent
    (folder / "a b").mkdir()
    for name in ("good.robots.txt", "a b/x.robots.txt"):
        (folder / name).write_bytes(b"User-agent: *\nDisallow: /a\n")
    (folder / "p.html").write_bytes(b"<p>")
    done = run_action(folder, "Format", PATHS="good.robots.txt p.html\nhttps://www.example.com/robots.txt")
    assert (done.returncode, done.stdout) == (0, b"")
    (folder / "a b/x.robots.txt").write_bytes(b"user-agent:*\nDisallow: /a\n")
    robots.unlink()
    done = run_action(folder, "Format", PATHS=".")
    assert (done.returncode, done.stdout) == (1, b"./a b/x.robots.txt: would change\n")


def git(*words: str) -> str:
    """What a command of git says."""
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b.example", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout.strip()


def test_the_compare_step_fails_where_a_change_permits_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stricter and new files pass; a looser one and one that is gone fail, and so does a commit that is not there."""
    monkeypatch.chdir(tmp_path)
    files = {name: tmp_path / f"{name}.robots.txt" for name in ("same", "stricter", "new", "looser")}
    for name in ("same", "stricter"):
        files[name].write_bytes(b"User-agent: *\nDisallow: /a\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "x")
    files["stricter"].write_bytes(b"User-agent: *\nDisallow: /\n")
    files["new"].write_bytes(b"User-agent: *\nDisallow: /a\n")
    done = run_action(tmp_path, "Compare", PATHS=".", BASE="HEAD")
    assert done.returncode == 0, done.stdout + done.stderr
    assert b"new.robots.txt is new" in done.stdout
    files["same"].unlink()
    done = run_action(tmp_path, "Compare", PATHS=".", BASE="HEAD")
    assert (done.returncode, b"same.robots.txt is gone" in done.stdout) == (1, True)
    git("checkout", "-q", "same.robots.txt")
    files["same"].write_bytes(b"User-agent: *\nDisallow: /a/b\n")
    done = run_action(tmp_path, "Compare", PATHS="stricter.robots.txt\nsame.robots.txt", BASE="HEAD")
    assert done.returncode == 1
    done = run_action(tmp_path, "Compare", PATHS=".", BASE="--output=x")
    assert (done.returncode, b"is not here" in done.stderr) == (2, True)


def test_the_compare_step_takes_no_file_for_new_that_it_cannot_find(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whole path and a link are compared; what lies outside of the repository fails, and never passes as new."""
    site, outside = tmp_path / "site", tmp_path / "outside.robots.txt"
    site.mkdir()
    monkeypatch.chdir(site)
    for file in (site / "robots.txt", site / "meant", outside):
        file.write_bytes(b"User-agent: *\nDisallow: /a\n")
    (site / "link.robots.txt").symlink_to("meant")
    (site / "out.robots.txt").symlink_to(outside)
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "x")
    for paths in (str(site), "robots.txt", str(site / "robots.txt"), "link.robots.txt"):
        for change, code in ((b"/a", 0), (b"/", 0), (b"/a/b", 1)):
            for file in (site / "robots.txt", site / "meant"):
                file.write_bytes(b"User-agent: *\nDisallow: " + change + b"\n")
            done = run_action(site, "Compare", PATHS=paths, BASE="HEAD")
            assert (done.returncode, b" is new" in done.stdout) == (code, False), (paths, change, done)
    for paths in (str(outside), "../outside.robots.txt", str(tmp_path), "out.robots.txt"):
        done = run_action(site, "Compare", PATHS=paths, BASE="HEAD")
        assert (done.returncode, b"in the repository" in done.stderr) == (2, True), (paths, done)


def test_lint_reads_a_page_as_its_name_tells(tmp_path: Path) -> None:
    """XHTML that breaks off is told as `acap show` tells it, and packed octets are no page without a finding."""
    page = b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><p></html>'
    (tmp_path / "p.xhtml").write_bytes(page)
    (tmp_path / "q.html").write_bytes(gzip.compress(page))
    found = acap("lint", str(tmp_path / "p.xhtml"))
    assert "page-ill-formed" in found.out
    packed = acap("lint", str(tmp_path / "q.html"))
    assert packed.code == 2
    assert "GZIP" in packed.err
