"""What strangers have written never reaches a terminal as anything but text: no escape sequence, no second line."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.table import Table
from rich.text import Text

from acap.cli.commands import COMMANDS as EVERY_COMMAND
from acap.cli.io.crawl_report import table
from acap.cli.io.terminal import Terminal
from acap.explain import Node, Role
from tests.command_line import acap, on_terminal
from tests.crawling import arguments, page, robots, site
from tests.loopback import Loopback, reply
from tests.test_import import Record, archive
from tests.test_import import robots as captured_robots

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
    "rule": ["rule", f"none{EVIL}"],
    "test": ["test", "T"],
    "test, all": ["test", "--verbose", "--coverage", "T"],
    "test, wrong": ["test", "W"],
    "test, name": ["test", "V"],
    "compose": ["compose", "--from", "C"],
    "compose, table": ["compose", "R", "--toml"],
    "compose, preview": ["compose", "R", "--preview", "--sample", f"/b{EVIL}"],
    "compose, headers": ["compose", "--from", "C", "--headers", "nginx"],
    "compose, tags": ["compose", "--from", "C", "--meta", f"/c{EVIL}"],
    "compose, refused": ["compose", "D", "--toml"],
    "compose, problems": ["compose", "--from", "E"],
    "no such file": ["show", f"none{EVIL}"],
    "audit, none": ["audit", f"none{EVIL}", "-c", "bot", "-o", "out.parquet"],
    "survey": ["survey", "R", "-c", f"bot{EVIL}"],
    "survey, none": ["survey", f"none{EVIL}"],
}


BIDI = "\x9b\u202e"
QUOTED = json.dumps(EVIL)


def cases(file: str, *, evil: bool = False) -> str:
    """Expectations of a robots.txt, with names and paths of a stranger; some do not hold."""
    said = [("permitted", f"/{letter}%1B{BIDI}", letter) for letter in "bcd"]
    said += [("prohibited", "/b", f"e {EVIL}")] if evil else []
    return f"robots = {json.dumps(file)}\n" + "".join(
        f"[[case]]\nname = {json.dumps(name)}\npath = {json.dumps(path)}\ncrawler = 'bot'\nexpect = '{expected}'\n"
        for expected, path, name in said
    )


TABLE = f"""[policy]
samples = ["/a"]
[policy.usages]
"x" = {{ usage = "preserve", time-limit = "2-days" }}
[[policy.record]]
crawlers = ["*"]
comment = {QUOTED}
prohibit = [{{ usage = "index", resources = [{json.dumps(f"/c{EVIL}")}] }}]
[[policy.page]]
pattern = {json.dumps(f"/c{EVIL}")}
words = ["noindex"]
samples = [{json.dumps(f"/c{EVIL}")}]
"""


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Files with names and contents of a stranger."""
    names = {
        "R": f"r{CLIPBOARD.replace('/', '')}.robots.txt",
        "P": "p\x1b[2J.html",
        "O": "other.robots.txt",
        "T": "t\x1b[2J.acap.toml",
        "W": "w\x1b[2J.acap.toml",
        "V": "v\x1b[2J.acap.toml",
        "C": "c\x1b[2J.toml",
        "D": "d\x1b[2J.robots.txt",
        "E": "e\x1b[2J.toml",
    }
    contents = {
        "R": ROBOTS,
        "P": PAGE,
        "O": b"User-agent: *\nDisallow: /\n",
        "T": cases(names["R"]).encode(),
        "W": cases(f"none{EVIL}").encode(),
        "V": cases(names["R"], evil=True).encode(),
        "C": TABLE.encode(),
        "D": f"ACAP-qualified-usge: {BIDI}a preserve {EVIL}\nACAP-crawler: *\nACAP-disallow-crawl: /\n".encode(),
        "E": TABLE.replace(json.dumps("2-days"), QUOTED).encode(),
    }
    for key, name in names.items():
        (tmp_path / name).write_bytes(contents[key])
    return {key: str(tmp_path / name) for key, name in names.items()}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_prints_what_a_stranger_wrote_as_it_is(name: str, files: dict[str, str]) -> None:
    """On a terminal nothing but text and styles; in a pipe the same, but for documents, which are octets."""
    asked = [files.get(argument, argument) for argument in COMMANDS[name]]
    assert_plain(on_terminal(*asked))
    found = acap(*asked)
    assert_plain(found.err)
    if COMMANDS[name][0] not in ("convert", "format", "lint", "compose"):
        assert_plain(found.out)


def test_a_crawl_tells_of_rules_and_headers_as_text(tmp_path: Path) -> None:
    """What was refused by which rule, and what a response is coded in, is the text of strangers too."""
    with site() as loopback:
        loopback.says["/robots.txt"] = robots("User-agent: *", f"Disallow: /b{EVIL}")
        loopback.says["/"] = page(f"/b{EVIL}", "/c", "/d", "/e", text=EVIL)
        loopback.says["/d"] = reply(402, headers=[("crawler-price", EVIL.replace("\u202e", ""))])
        loopback.says["/e"] = page(text="e", headers=(("X-Robots-Tag", "noarchive, noindex \x1b[2J"),))
        loopback.says["/c"] = reply(body=b"x", headers=[("Content-Encoding", "\x1b[2Jx")])
        store = str(tmp_path / "store")
        quick = [str(one) for one in arguments(store, loopback.url("/")) if one != "--json"]
        assert_plain(on_terminal(*quick))
        for more in (["status", "--store", store], ["ledger", "--store", store]):
            assert_plain(on_terminal(*more))
            found = acap(*more)
            assert_plain(found.out + found.err)
        again = acap(*quick)
        assert_plain(again.out + again.err)


def shown(*asked: object, document: bool = False) -> None:
    """The command prints nothing of a stranger as it is: on a terminal, and in a pipe."""
    call = [str(word) for word in asked]
    assert_plain(on_terminal(*call))
    found = acap(*call)
    assert_plain(found.err if document else found.out + found.err)


def test_what_a_site_sends_is_shown_as_text(files: dict[str, str], tmp_path: Path) -> None:
    """A policy that is retrieved, printed, and held to what is meant; and a site that answers with something else."""
    with Loopback() as loopback:
        loopback.says["/robots.txt"] = reply(body=ROBOTS, headers=[("Content-Type", "text/plain\x1b[2J")])
        loopback.says["/gone"] = reply(302, headers=[("Location", "http://\x1b[2J.example/")])
        loopback.says["/coded"] = reply(body=b"x", headers=[("Content-Encoding", "\x1b[2Jx")])
        loopback.says["/c"] = page(text=EVIL, head=PAGE.decode())
        keep = ["--cache-dir", tmp_path / "cache", "--timeout", "5"]
        for path in ("", "/gone", "/coded", f"/none{EVIL}"):
            shown("fetch", *keep, loopback.url(path), document=True)
            shown("fetch", "--json", *keep, loopback.url(path))
        meant = tmp_path / "m\x1b[2J.toml"
        meant.write_text(TABLE.replace(json.dumps(f"/c{EVIL}"), '"/c"').replace("noindex", "noarchive"))
        for file in (files["R"], files["O"], files["C"], files["E"], meant):
            shown("verify", *keep, loopback.url("/"), file)
            shown("verify", "--json", *keep, loopback.url("/"), file)


def test_what_all_carriers_of_a_site_say_is_shown_as_text() -> None:
    """With what licences, policies and headers ask for, which is in the words of whoever wrote them."""
    mark = "\u202e"  # of what a terminal obeys XML has this
    licence = (
        f'<rsl xmlns="https://rslstandard.org/rsl"><content url="/" server="https://a.example/{mark}"><license>'
        f'<permits type="usage">ai-train</permits><payment type="use{mark}"><amount currency="U{mark}">1{mark}</amount>'
        f'<custom>https://b.example/{mark}</custom></payment></license><copyright contactEmail="{mark}@a.example"/>'
        "</content></rsl>"
    )
    headers = [
        ("X-Robots-Tag", "max-snippet: 1\x1b[2J"),
        ("Link", '</\x1b[2J>; rel="license"'),
        ("tdm-policy", "\x1b[2J"),
    ]
    with Loopback() as loopback:
        loopback.says["/robots.txt"] = reply(body=ROBOTS + f"License: /l.xml\nLicense: /m{EVIL}\n".encode())
        loopback.says["/l.xml"] = reply(body=licence.encode())
        rules = [{"location": "/", "tdm-reservation": 1, "tdm-policy": f"/{EVIL}"}]
        loopback.says["/.well-known/tdmrep.json"] = reply(body=json.dumps(rules).encode())
        loopback.says["/ai.txt"] = reply(body=f"User-Agent: *\nDisallow: /{EVIL}\nDisallow: /\n".encode())
        loopback.says["/c"] = reply(body=PAGE, headers=[("Content-Type", "text/html"), *headers])
        for more in ([], ["--why"], ["--json"], ["-u", "ai-train", "--why"]):
            shown("site", "--no-cache", "-c", "examplebot", *more, "--page", "/c", loopback.url(""))


def test_a_folder_and_what_a_site_has_in_its_place_are_shown_as_text(tmp_path: Path) -> None:
    """Documents of other dialects on both sides, of which each names terms, crawlers and paths of a stranger."""
    folder = tmp_path / "f\x1b[2J"
    (folder / ".well-known").mkdir(parents=True)
    terms = json.dumps([{"location": f"/a{EVIL}", "tdm-reservation": 1, "tdm-policy": f"/t{EVIL}"}]).encode()
    licence = '<rsl xmlns="https://rslstandard.org/rsl"><content url="/{0}"><license>{1}</license></content></rsl>'
    paid = f'<payment type="purchase"><custom>/{BIDI}</custom></payment>'
    (folder / "robots.txt").write_bytes(ROBOTS)
    (folder / "response.headers").write_bytes(f"tdm-reservation: 1\ntdm-policy: /t{BIDI}\n".encode())
    (folder / ".well-known/tdmrep.json").write_bytes(terms)
    (folder / "ai.txt").write_text(f"User-Agent: a{EVIL}\nDisallow: /{EVIL}\n", encoding="utf-8")
    (folder / "license.xml").write_text(licence.format(BIDI, paid), encoding="utf-8")
    keep = ["--no-cache", "--timeout", "5"]
    with Loopback() as loopback:
        for tdmrep, ai_txt, rsl in (
            (b"[]", b"User-Agent: x\nDisallow: /\n", licence.format("", "")),
            (EVIL, EVIL, EVIL),
        ):
            loopback.says["/"] = page(text=EVIL)
            for path, body in (("/.well-known/tdmrep.json", tdmrep), ("/ai.txt", ai_txt), ("/license.xml", rsl)):
                octets = body if isinstance(body, bytes) else body.encode()
                loopback.says[path] = reply(body=octets, headers=[("Content-Type", "text/plain\x1b[2J")])
            shown("verify", *keep, loopback.url("/"), folder)
            shown("verify", "--json", *keep, loopback.url("/"), folder)
        loopback.says["/ai.txt"] = reply(body=f"User-Agent: *\nDisallow: /{EVIL}\nDisallow: /\n".encode())
        loopback.says["/robots.txt"] = reply(body=f"User-agent: *\nLicense: /x{EVIL}\n".encode())
        live = tmp_path / "l\x1b[2J.acap.toml"
        offer = {"profile": "http://www.w3.org/ns/tdmrep", "@type": "Offer", EVIL: EVIL, "permission": {EVIL: EVIL}}
        (folder / "t\x1b[2J.json").write_text(json.dumps(offer, ensure_ascii=False), encoding="utf-8")
        for path in (".well-known/tdmrep.json", "ai.txt", "license.xml", "response.headers", "t\x1b[2J.json"):
            shown("show", folder / path)
        near = f'[{{"tdm-reservation{EVIL}": 1, "location": "/"}}, {{"tdm-reservations": 1, "x{EVIL}": 1}}]'
        (folder / ".well-known/tdmrep.json").write_text('[{"location": "/", "tdm-reservation": 1}]')
        loopback.says["/.well-known/tdmrep.json"] = reply(body=near.encode())
        shown("verify", *keep, loopback.url("/"), folder)
        shown("lint", "--no-config", *keep, loopback.url("/.well-known/tdmrep.json"))
        shown("lint", "--no-config", *keep, loopback.url(f"/x{EVIL}"))
        licence = json.dumps(f"/x{EVIL}")
        live.write_text(
            f'site = "{loopback.url("")}"\ndocuments = {{ "/ai.txt" = "a", {licence} = "b" }}\n'
            '[[case]]\npath = "/"\ncrawler = "x"\nusages = ["ai-train", "index", "tdm"]\nexpect = "permitted"\n'
        )
        shown("test", "--live", "--verbose", "--allow-private", "--timeout", "5", live)


def test_what_an_archive_holds_is_shown_as_text(tmp_path: Path) -> None:
    """What is taken in, refused and damaged, and what becomes of it: swept, removed, and told of by the ledger."""
    site = "https://news.example"
    then = f"User-agent: *\nDisallow: /no # {EVIL}\n".encode()
    taken_down = f"ACAP-crawler: *\nACAP-disallow-index: /a # {EVIL}\nACAP-request-take-down: /a\n".encode()
    records = [
        captured_robots(then),
        Record(f"{site}/a", f"<title>{EVIL}</title><p>{EVIL}".encode()),
        Record(f"{site}/b", PAGE),
        Record(f"{site}/no%1B"),
        Record(f"{site}/odd", headers=(("Content-Type", "text/html\x1b[2J"), ("Content-Encoding", "\x1b[2J"))),
        Record(f"https://\x1b[2Jodd.example/{EVIL}".encode("ascii", "replace").decode()),
    ]
    archived = archive(tmp_path / "a\x1b[2J.warc.gz", records)
    damaged = tmp_path / "d\x1b[2J.warc.gz"
    damaged.write_bytes(f"WARC/1.0\r\nWARC-Type: {EVIL}\r\nContent-Length: {EVIL}\r\n\r\n".encode())
    with archive(tmp_path / "x.warc.gz", [Record(f"{site}/c")]).open("rb") as file:
        broken = gzip.compress(gzip.decompress(file.read()).replace(b"text/html", f"{EVIL}".encode()))
    (tmp_path / "x.warc.gz").write_bytes(broken)
    store = tmp_path / "s\x1b[2J.db"
    for _ in range(2):
        shown("import", archived, "--store", store, "--crawler", "examplebot")
    for one in (damaged, tmp_path / "x.warc.gz"):
        shown("import", one, "--store", store)
        shown("import", one, "--store", store, "--json")
    later = [captured_robots(then + taken_down, days=1), Record(f"{site}/no", days=1)]
    shown("import", archive(tmp_path / "b\x1b[2J.warc.gz", later), "--store", store)
    shown("import", tmp_path / f"none{CLIPBOARD.replace('/', '')}", "--store", store)
    for more in (["--dry-run"], ["--json", "--dry-run"], []):
        shown("sweep", "--store", store, *more)
    shown("remove", "--store", store, "--why", EVIL, f"{site}/b", f"{site}/%1B{BIDI}")
    shown("remove", "--store", store, "--readmit", f"{site}/%1B{BIDI}")
    shown("remove", "--store", store, f"{site}/x{EVIL}")
    for command in (["ledger"], ["ledger", "--verify"], ["ledger", f"{site}/b"], ["status"]):
        shown(*command, "--store", store)


def test_what_a_site_says_is_text() -> None:
    """Each document of a site is a stranger's, and so is what it refers to."""
    tdmrep = [{"location": f"/{EVIL}", "tdm-reservation": 1}, {"location": "/", "tdm-reservation": EVIL}]
    headers = [("Content-Type", "text/html"), ("X-Robots-Tag", f"noindex, {BIDI.encode().decode('latin-1')}")]
    says: dict[str, bytes | Callable[..., None]] = {
        "/robots.txt": reply(200, ROBOTS + f"License: /l{EVIL}.xml\nLicense: x{EVIL}:y\n".encode()),
        "/.well-known/tdmrep.json": reply(200, json.dumps(tdmrep, ensure_ascii=False).encode()),
        "/ai.txt": reply(200, f"User-Agent: *\nDisallow: /{EVIL}\nDisallow: /\n".encode()),
        "/a": reply(200, PAGE, headers),
    }
    with Loopback(says=says) as server:
        for more in (["--why"], ["--json"], ["-c", f"examplebot{EVIL}"]):
            asked = ["site", "--no-cache", "--page", "/a", *more, server.url("")]
            result = acap(*asked)
            assert result.out
            assert_plain(result.out + result.err)
            assert_plain(on_terminal(*asked))
        for command in ("check", "explain"):
            asked = [command, "--no-cache", "-c", f"examplebot{EVIL}", "-u", "tdm,ai-train,preserve", server.url("/a")]
            result = acap(*asked)
            assert "\u202e" not in result.out
            assert "/.well-known/tdmrep.json" in result.out + result.err
            assert_plain(result.out + result.err)
            assert_plain(on_terminal(*asked))


def test_every_command_is_held_to_it() -> None:
    """A new command comes with a call here; only what prints nothing of a stranger needs none."""
    tried = {call[0] for call in COMMANDS.values()}
    tried |= {"crawl", "status", "ledger", "fetch", "verify", "import", "sweep", "remove", "site"}
    assert set(EVERY_COMMAND) - tried == {"completion", "crawlers", "lsp", "serve"}


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
