"""What strangers have written never reaches a terminal as anything but text: no escape sequence, no second line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.table import Table
from rich.text import Text

from acap.cli.crawl_report import table
from acap.cli.terminal import Terminal
from acap.explain import Node, Role
from tests.command_line import acap
from tests.crawling import arguments, page, robots, site
from tests.loopback import reply
from tools.capture import terminal_output

CLIPBOARD = "\x1b]52;c;ZXZpbA==\x1b\\"
EVIL = f"{CLIPBOARD}\x1b[2J\x9b31m\x07\u202e"
# Colours, and what a line of progress is drawn with.
STYLES = re.compile(r"\x1b\[\??[0-9;]*[mKAlh]")
OTHERS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def assert_plain(shown: str) -> None:
    """Nothing but text and the styles that a terminal gets."""
    found = OTHERS.search(STYLES.sub("", shown))
    assert found is None, shown[max(0, found.start() - 60) : found.end() + 20]


ROBOTS = f"""User-agent: *
Disallow: /b{EVIL}
Foo{EVIL}: x
ACAP-crawler: examplebot
ACAP-disallow-index: /c{EVIL}
ACAP-dis{EVIL}allow-follow: /d
ACAP-allow-present: / must-use-resource=/x{EVIL}
Crawl-delay: {EVIL}
""".encode()
PAGE = f"""<!doctype html><title>{EVIL}</title>
<meta name="robots" content="noindex, w{EVIL}">
<meta name="robots" content="ACAP {EVIL} disallow-preserve">
<meta name="tdm-reservation" content="{EVIL}">
<p id="{EVIL}" class="the-acap:disallow-index{EVIL}">a {EVIL}</p>
<p class="the-acap:allow-({EVIL})">b</p><a href="/e{EVIL}">{EVIL}</a>
""".encode()
ASKED = ["-c", f"examplebot{EVIL}"]
HEADERS = ["--header", f"X-Robots-Tag: noindex, {EVIL}: noarchive", "--header", f"Content-Encoding: {EVIL}"]
COMMANDS = {
    "check": ["check", "--robots", "R", "-c", "examplebot", "https://a.example/b"],
    "check, page": ["check", "--robots", "R", "--page", "P", "-c", "examplebot", *HEADERS, "https://a.example/b"],
    "check, name": ["check", "--robots", "R", *ASKED, "https://a.example/b"],
    "explain": ["explain", "--robots", "R", "--page", "P", "-c", "examplebot", "-u", "index", "https://a.example/b"],
    "show": ["show", "R"],
    "show, page": ["show", "--page", "P", *HEADERS],
    "lint": ["lint", "R", "P"],
    "compare": ["compare", "R", "O"],
    "format": ["format", "--diff", "R"],
    "convert": ["convert", "--to", "acap", "R"],
    "extract": ["extract", "--robots", "R", "-c", "examplebot", "-u", "follow", "P", "https://a.example/b"],
    "no such file": ["show", f"none{EVIL}"],
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Files with names and contents of a stranger."""
    names = {"R": f"r{CLIPBOARD.replace('/', '')}.robots.txt", "P": "p\x1b[2J.html", "O": "other.robots.txt"}
    contents = {"R": ROBOTS, "P": PAGE, "O": b"User-agent: *\nDisallow: /\n"}
    for key, name in names.items():
        (tmp_path / name).write_bytes(contents[key])
    return {key: str(tmp_path / name) for key, name in names.items()}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_prints_what_a_stranger_wrote_as_it_is(name: str, files: dict[str, str]) -> None:
    """On a terminal nothing but text and styles; in a pipe the same, but for documents, which are octets."""
    asked = [files.get(argument, argument) for argument in COMMANDS[name]]
    assert_plain(terminal_output(["acap", *asked]))
    found = acap(*asked)
    assert_plain(found.err)
    if COMMANDS[name][0] not in ("convert", "format", "lint"):
        assert_plain(found.out)


def test_a_crawl_tells_of_rules_and_headers_as_text(tmp_path: Path) -> None:
    """What was refused by which rule, and what a response is coded in, is the text of strangers too."""
    with site() as loopback:
        loopback.says["/robots.txt"] = robots("User-agent: *", f"Disallow: /b{EVIL}")
        loopback.says["/"] = page(f"/b{EVIL}", "/c", text=EVIL)
        loopback.says["/c"] = reply(body=b"x", headers=[("Content-Encoding", "\x1b[2Jx")])
        store = str(tmp_path / "store")
        quick = [str(one) for one in arguments(store, loopback.url("/")) if one != "--json"]
        assert_plain(terminal_output(["acap", *quick]))
        for more in (["status", "--store", store], ["ledger", "--store", store]):
            assert_plain(terminal_output(["acap", *more]))
            found = acap(*more)
            assert_plain(found.out + found.err)
        again = acap(*quick)
        assert_plain(again.out + again.err)


@pytest.mark.parametrize("rich", [True, False])
def test_every_way_out_shows_control_characters(
    rich: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lines, tables, trees, notes and errors: the way out itself lets no control character through."""
    monkeypatch.setattr(Terminal, "rich", property(lambda _: rich))
    terminal = Terminal()
    drawn = Table()
    drawn.add_row(Text(EVIL), EVIL.replace("[", "("))
    terminal.line(EVIL)
    terminal.line(EVIL, bold=True)
    terminal.show(drawn)
    terminal.show(Text(EVIL))
    terminal.tree(Node(Role.NOTE, EVIL))
    terminal.note(EVIL)
    terminal.error(EVIL)
    table(terminal, ("why", "what"), [(EVIL, "[bold]a[/bold]\nb")])
    shown = capsys.readouterr()
    assert_plain(shown.out + shown.err)
    assert "[bold]a[/bold]\\x0ab" in shown.out
