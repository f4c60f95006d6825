"""A wrong call gets one line that says what is wrong, where, and what to do; it never reads as an answer."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click
import pytest

from acap.cli import audit, commands
from acap.cli.commands import COMMANDS
from acap.cli.io.command import Command
from acap.cli.io.failures import missing_extra, one_line
from tests.command_line import acap


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chekc"], "did you mean `check`"),
        (["check", "--crawlr", "a"], "did you mean `--crawler`"),
        (["check", "https://example.com/"], "--crawler"),
        (["check", "-c", "a"], "no URL"),
        (["check", "-c", "", "https://example.com/"], "--crawler"),
        (["check", "-c", " , ", "https://example.com/"], "--crawler"),
        (["check", "-c", "a", "example.com/x"], "`https://example.com/x`"),
        (["check", "-c", "a", "localhost:8000/x"], "`https://localhost:8000/x`"),
        (["check", "-c", "a", "//example.com/x"], "`https://example.com/x`"),
        (["check", "-c", "a", "/x"], "--robots"),
        (["check", "-c", "a", "ftp://example.com/x"], "only http and https"),
        (["check", "-c", "a", "https:///x"], "no host"),
        (["check", "-c", "a", "news"], "https://example.com/news"),
        (["check", "-c", "a", ""], "empty URL"),
        (["check", "-c", "a", "-", "https://example.com/"], "`-` stands alone"),
        (["check", "-c", "a", "--robots", "-", "-"], "standard input"),
        (["check", "-c", "a", "--at", "yesterday", "https://example.com/"], "`--at yesterday`"),
        (["check", "-c", "a", "--dialect", "rfc9039", "https://example.com/"], "did you mean `rfc9309`"),
        (["check", "-c", "a", "--dialect", "klingon", "https://example.com/"], "known are auto, rfc9309"),
        (["check", "-c", "a", "--timeout", "0", "https://example.com/"], "--timeout"),
        (["check", "-c", "a", "--reference", "x", "https://example.com/"], "URI=FILE"),
        (["check", "-c", "a", "--usage", "", "https://example.com/"], "--usage"),
        (["check", "-c", "a", "--timeout", "abc", "https://example.com/"], "`abc` is not a number of seconds above 0"),
        (["check", "-c", "a", "--timeout", "nan", "https://example.com/"], "`nan` is not a number of seconds above 0"),
        (["test", "--live", "--timeout", "-1", "a.toml"], "`-1` is not a number of seconds above 0"),
        (["check", "-c", "a", "--page"], "option `--page FILE|URL` needs its value (see `acap check --help`)"),
        (["check", "-c"], "option `-c NAME` needs its value"),
        (["status"], "missing option `--store FILE|URL` (see `acap status --help`)"),
        (["completion", "csh"], "csh"),
        (["fetch"], "URL"),
        (["show"], "FILE"),
    ],
)
def test_a_wrong_call_is_one_line_with_advice(arguments: list[str], said: str) -> None:
    assert said in acap(*arguments).wrong_call


@pytest.mark.parametrize("command", ["check", "explain"])
def test_an_unknown_usage_names_the_nearest(robots: Path, command: str) -> None:
    line = acap(command, "--robots", robots, "-c", "a", "-u", "indx", "https://example.com/").wrong_call
    assert "unknown usage `indx`; did you mean `index`?" in line


def test_an_unknown_usage_ends_a_stream_at_once(robots: Path) -> None:
    assert acap("check", "--robots", robots, "-c", "a", "-u", "indx", "-", given=b"/\n" * 1000).wrong_call


def test_a_usage_that_the_file_defines_is_known(robots: Path) -> None:
    robots.write_bytes(b"ACAP-crawler: *\nACAP-disallow-print: /\n")
    assert acap("check", "--robots", robots, "-c", "a", "-u", "print", "/").code == 1


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    line = acap("check", "--robots", tmp_path / "nothing", "-c", "a", "/").wrong_call
    assert "no file" in line
    assert "nothing" in line


def test_a_site_in_a_file_s_place_is_told_apart() -> None:
    line = acap("check", "--robots", "example.com/robots.txt", "-c", "a", "/").wrong_call
    assert "did you mean `https://example.com/robots.txt`" in line


def test_a_directory_in_a_file_s_place(tmp_path: Path) -> None:
    line = acap("check", "--robots", tmp_path, "-c", "a", "/").wrong_call
    assert "is a directory" in line
    assert "robots.txt" in line


def test_a_file_that_may_not_be_read(robots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object, **_options: object) -> None:
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr(Path, "open", refuse)
    assert "may not be read" in acap("check", "--robots", robots, "-c", "a", "/").wrong_call


def test_a_file_too_large_to_be_a_policy(robots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acap.cli.io.files.MAX_FILE_OCTETS", 10)
    assert "larger than" in acap("check", "--robots", robots, "-c", "a", "/").wrong_call


def test_an_empty_standard_input() -> None:
    assert "no URL on standard input" in acap("check", "-c", "a", "-").wrong_call


def test_a_bad_line_of_standard_input_is_named_and_the_others_answered(robots: Path) -> None:
    result = acap("check", "--robots", robots, "-c", "a", "-u", "crawl", "-", given=b"/a\nftp://x/\n\n/b\n")
    assert (result.code, len(result.lines)) == (2, 2)
    assert result.err.startswith("acap: standard input, line 2: ")


def test_an_overlong_line_of_standard_input_is_refused_and_the_next_answered(robots: Path) -> None:
    given = b"/" + b"a" * 200_000 + b"\n/b\n"
    result = acap("check", "--robots", robots, "-c", "a", "-u", "crawl", "-", given=given)
    assert (result.code, len(result.lines)) == (2, 1)
    assert "line 1: " in result.err


def test_standard_input_takes_crlf_a_byte_order_mark_and_octets_outside_utf_8(robots: Path) -> None:
    given = b"\xef\xbb\xbfhttps://example.com/private/\r\nhttps://example.com/\xff\r\n"
    result = acap("check", "--robots", robots, "-c", "a", "-u", "crawl", "-", given=given)
    assert [line.split("\t")[3] for line in result.lines] == ["https://example.com/private/", "https://example.com/%FF"]
    assert result.code == 1


def test_an_internal_error_is_one_line_and_ends_with_70(robots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise RuntimeError("the\nmatter")

    monkeypatch.setattr("acap.cli.check.answers", fail)
    monkeypatch.delenv("ACAP_DEBUG", raising=False)
    result = acap("check", "--robots", robots, "-c", "a", "/")
    assert (result.code, result.out) == (70, "")
    (line,) = result.err.splitlines()
    assert "RuntimeError: the matter" in line
    assert "report" in line


@pytest.mark.parametrize("asked", ["option", "variable"])
def test_the_traceback_of_an_internal_error_is_for_who_asks(
    robots: Path, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise RuntimeError("the matter")

    monkeypatch.setattr("acap.cli.check.answers", fail)
    if asked == "variable":
        monkeypatch.setenv("ACAP_DEBUG", "1")
    options = ["--debug"] if asked == "option" else []
    result = acap("check", *options, "--robots", robots, "-c", "a", "/")
    assert result.code == 70
    assert "Traceback" in result.err


def test_a_missing_extra_is_one_line_that_says_what_to_install() -> None:
    assert one_line(missing_extra("crawl", "crawl")).endswith("pip install 'acap[crawl]'")


def test_every_file_of_a_command_has_a_row() -> None:
    """A file in `cli` is a command, but for the two that start it and the parts of `acap audit`."""
    files = {file.stem.removesuffix("_") for file in Path(commands.__file__).parent.glob("*.py")}
    parts = set(audit.MODULES.values())
    known = {*COMMANDS, *parts}
    assert files - {"__init_", "main", "commands"} == known, "a command is a file and a row of COMMANDS"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_printed_and_ends_with_0(command: str) -> None:
    for option in ("-h", "--help"):
        result = acap(command, option)
        assert (result.code, result.err) == (0, "")
        assert result.out.startswith(f"Usage: acap {command}")


@pytest.mark.parametrize("call", [*([name] for name in COMMANDS if name != "audit"), ["audit", "pages"]], ids=" ".join)
def test_help_has_each_option_once_and_each_example_below_its_caption(call: list[str]) -> None:
    """Options stand in groups, of which none names an option that is not there; examples are the last section."""
    group = click.Context(commands.cli)
    command = commands.cli.get_command(group, call[0])
    for word in call[1:]:
        assert isinstance(command, click.Group)
        command = command.get_command(group, word)
    assert isinstance(command, Command)
    text = acap(*call, "--help").out
    headings = list(re.finditer("^[A-Z][^\n]*:$", text, re.MULTILINE))
    options, _, examples = text[headings[0].start() :].partition("\nExamples:\n")
    for option in command.params:
        if isinstance(option, click.Option):
            assert len(re.findall(rf"^  (-\w, )?{option.opts[-1]}\b(?!-)", options, re.MULTILINE)) == 1, option.name
    assert {name for names in command.groups.values() for name in names} <= {one.name for one in command.params}
    lines = examples.splitlines()
    assert [line.startswith("  # ") for line in lines] == [True, False] * (len(lines) // 2)
    assert all("acap " in line for line in lines[1::2])
    assert "# " not in text[: headings[0].start()]


def test_the_help_of_acap_lists_every_command() -> None:
    result = acap("--help")
    assert result.code == 0
    assert all(f"\n  {command} " in result.out for command in COMMANDS)


def test_a_word_inside_known_ones_is_told_with_them_and_a_long_list_is_not_printed() -> None:
    """Of a hundred rules only those are named that the word may have meant."""
    assert acap("rule", "noindex").err == "acap: no rule `noindex`; did you mean `noindex-in-robots`?\n"
    assert acap("rule", "zzz").err == "acap: no rule `zzz`; `acap rule` lists them\n"


def test_a_directory_in_place_of_a_file_is_a_wrong_call_of_every_command_that_reads_one() -> None:
    """A directory is one line on standard error and ends with 2."""
    for arguments in (
        ["test", "--init", "."], ["convert", ".", "--to", "acap"], ["format", "."], ["compare", ".", "."],
        ["compose", "--from", "."],
    ):  # fmt: skip
        result = acap(*arguments)
        assert (result.code, result.out, len(result.err.splitlines())) == (2, "", 1)
        assert "is a directory" in result.err
