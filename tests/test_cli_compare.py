"""`acap compare`: what it prints, what it ends with, and what a wrong call is told."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from acap.cli.io.changes import tree
from acap.explain import to_text
from acap.publish.compare import Change, Comparison, Paths, Side
from acap.publish.presets import preset_files
from acap.schema import COMPARISON_SCHEMA
from tests.command_line import acap
from tests.loopback import Loopback, reply

OLD = b"User-agent: *\nDisallow: /private/\nDisallow: /*.pdf$\nAllow: /private/press/\nSitemap: /old.xml\n"
NEW = b"User-agent: *\nDisallow: /private\nAllow: /private/press/\n\nUser-agent: ExampleAI\nDisallow: /\n"
TIDY = b"user-agent: *\nAllow: /private/press/\nDisallow: /private/ # staff\nDisallow: /*.pdf$\nDisallow: /private/x\n"
ACAP = b"""\
ACAP-crawler: *
ACAP-allow-index: / time-limit=until-2026-06-30
ACAP-usage-purpose: news
ACAP-disallow-index: /a
"""


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """A file of each text."""
    texts = {"old": OLD, "new": NEW, "tidy": TIDY, "acap": ACAP, "empty": b""}
    for name, octets in texts.items():
        (tmp_path / name).write_bytes(octets)
    return {name: tmp_path / name for name in texts}


def test_what_changes_is_told_with_who_what_decides_and_where(files: dict[str, Path]) -> None:
    """Every change has its paths, crawlers, both sides with their lines, and an example; the code is 1."""
    result = acap("compare", files["old"], files["new"])
    assert result.code == 1
    assert result.lines[0] == f"{files['old']} → {files['new']}: 3 changes"
    text = "\n".join(line.strip() for line in result.lines)
    assert "for any other crawler: every usage\nbefore: prohibited, line 3: Disallow: /*.pdf$\nafter: permitted" in text
    assert "after: prohibited, line 6: Disallow: /\nfor example /" in text
    assert "no longer there, decides nothing: Sitemap: /old.xml" in text


def test_one_change_for_many_crawlers_is_one_entry(tmp_path: Path) -> None:
    """Each crawler's own paths are listed in it, ten at most; JSON has every change by itself."""
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("".join(f"User-agent: bot-{sign}\nDisallow: /{sign}/\n\n" for sign in "abcdefghijklm"))
    new.write_text("User-agent: *\nDisallow: /\n")
    result = acap("compare", old, new)
    assert result.lines[0].endswith(": 14 changes")
    (head,) = (number for number, line in enumerate(result.lines) if "sets of paths" in line)
    assert result.lines[head : head + 5] == [
        "  permitted → prohibited: 14 sets of paths",
        "    for any other crawler, bot-a, bot-b, bot-c, bot-d, bot-e, bot-f, bot-g and 6 more crawlers: every usage",
        "    before: permitted, no statement covers it, and the default permits",
        "    after: prohibited, line 2: Disallow: /",
        "    any other crawler: /, for example /",
    ]
    assert result.lines[head + 13 :] == [
        "    bot-i: / but not /i/, for example /",
        "    … and 4 more; --json lists them all",
    ]
    assert len(json.loads(acap("compare", "--json", old, new).out)["changes"]) == 14


def _change(path: str, *crawlers: str, line: int = 2) -> Change:
    before, after = Side("permitted", (), 0, "", "silence"), Side("prohibited", (), line, "Disallow: /")
    return Change(crawlers, ("",), ("crawl",), Paths((path,)), before, after, f"{path}x")


def test_changes_that_differ_in_their_paths_alone_are_one_entry() -> None:
    """So are those that differ in their crawlers alone; what decides by another line stands by itself."""
    changes = [_change("/a/", "x"), _change("/b/", "x"), _change("/c/", "y"), _change("/c/", "z")]
    text = to_text(tree(Comparison((*changes, _change("/d/", "x", line=3))), "old", "new"))
    sides = [
        "    before: permitted, no statement covers it, and the default permits",
        "    after: prohibited, line 2: Disallow: /",
    ]
    assert text.splitlines() == [
        "old → new: 5 changes",
        "  permitted → prohibited: 2 sets of paths",
        "    for x: crawl",
        *sides,
        "    /a/, for example /a/x",
        "    /b/, for example /b/x",
        "  permitted → prohibited: /c/",
        "    for y, z: crawl",
        *sides,
        "    for example /c/x",
        "  permitted → prohibited: /d/",
        "    for x: crawl",
        sides[0],
        sides[1].replace("line 2", "line 3"),
        "    for example /d/x",
    ]


def test_where_no_decision_changes_the_code_is_0(files: dict[str, Path]) -> None:
    """Other lines that decide the same are equal; lines that decide nothing are told beside it."""
    result = acap("compare", files["old"], files["tidy"])
    assert (result.code, result.lines[0].endswith("no decision changes"), result.err) == (0, True, "")


def test_quiet_tells_by_the_code_alone(files: dict[str, Path]) -> None:
    """Nothing is printed."""
    found = [acap("compare", "--quiet", files["old"], files[new]) for new in ("new", "tidy")]
    assert [(one.code, one.out, one.err) for one in found] == [(1, "", ""), (0, "", "")]


@pytest.mark.parametrize(("new", "verdict"), [("new", "different"), ("tidy", "equal"), ("acap", "different")])
def test_the_json_fits_its_schema(files: dict[str, Path], new: str, verdict: str) -> None:
    """One object, with both names."""
    result = acap("compare", "--json", files["old"], files[new])
    (line,) = result.lines
    found = json.loads(line)
    Draft202012Validator(COMPARISON_SCHEMA).validate(found)
    assert (found["verdict"], found["old"], found["new"]) == (verdict, str(files["old"]), str(files[new]))


def test_either_can_be_read_from_standard_input(files: dict[str, Path]) -> None:
    """`-` is standard input, in either place."""
    assert acap("compare", "-", files["new"], given=OLD).code == 1
    assert acap("compare", files["old"], "-", given=TIDY).code == 0


def test_only_what_is_asked_for_is_compared(files: dict[str, Path]) -> None:
    """Crawlers, usages and purposes restrict the question."""
    old, new = files["old"], files["new"]
    assert acap("compare", "-c", "ExampleAI", files["empty"], new, "-u", "crawl").lines[0].endswith("1 change")
    assert acap("compare", "-c", "*", files["empty"], files["acap"], "-u", "crawl").code == 0
    at = ["--at", "2026-01-01"]
    asked = [
        acap("compare", *at, files["empty"], files["acap"], "-u", "index", "-p", purpose) for purpose in ("news", "x")
    ]
    assert ["prohibited" in one.out for one in asked] == [True, False]
    assert acap("compare", "-u", "search", old, new).code == 1


def test_the_instant_decides_whether_a_time_limit_is_over(files: dict[str, Path]) -> None:
    """Before the limit a permission is restricted, after it there is none."""
    asked: list[str | Path] = ["compare", files["empty"], files["acap"], "-u", "index", "-p", "", "--json"]
    before, after = (json.loads(acap(*asked, "--at", at).out) for at in ("2026-06-01", "2026-08-01T12:00:00Z"))
    outcomes = [{one["after"]["outcome"] for one in found["changes"]} for found in (before, after)]
    assert outcomes == [{"permitted"}, {"prohibited"}]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["{old}"], "give two policies"),
        (["-", "-"], "only one of the two"),
        (["{old}", "nowhere"], "no file `nowhere`"),
        (["-u", "indx", "{old}", "{new}"], "`indx`"),
        (["-c", "", "{old}", "{new}"], "crawler"),
        (["--at", "soon", "{old}", "{new}"], "`--at soon`"),
        (["--dialect", "latin", "{old}", "{new}"], "latin"),
        (["{old}", "{new}", "{tidy}"], "{tidy}"),
    ],
)
def test_a_wrong_call_is_told_in_one_line(files: dict[str, Path], arguments: list[str], told: str) -> None:
    """What is wrong, on one line of standard error; the code is 2."""
    names = {name: str(path) for name, path in files.items()}
    result = acap("compare", *(one.format(**names) for one in arguments))
    (line,) = result.err.splitlines()
    assert (result.code, result.out) == (2, "")
    assert told.format(**names) in line


def test_what_was_cut_is_undecided(tmp_path: Path) -> None:
    """Two files that differ beyond what is read: not equal, code 3."""
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"User-agent: *\n" + b"# note\n" * 1_300_000 + b"Disallow: /" + name.encode())
    result = acap("compare", tmp_path / "a", tmp_path / "b")
    assert result.code == 3
    assert "undecided: any question; a limit of reading cut one of the files" in result.out


def test_crawlers_of_whom_the_same_is_open_are_told_together(tmp_path: Path) -> None:
    """A licence that is no longer named is one line, not one for each name of a group."""
    groups = b"User-agent: a\nUser-agent: b\n%sDisallow:\n\nUser-agent: *\n%sDisallow:\n"
    licence = b"License: https://example.com/license.xml\n"
    (tmp_path / "old").write_bytes(groups % (licence, licence))
    (tmp_path / "new").write_bytes(groups % (b"", b""))
    (told,) = (line for line in acap("compare", tmp_path / "old", tmp_path / "new").lines if "undecided" in line)
    assert told.strip().startswith("undecided: any use by any other crawler, a, b; License lines named ")


def test_what_a_file_holds_does_no_harm_to_a_terminal(tmp_path: Path, files: dict[str, Path]) -> None:
    """Control characters of a hostile file are shown, not sent."""
    (tmp_path / "bad").write_bytes(b"User-agent: *\nDisallow: /\x1b[31m\xff*\nSitemap: \x1b]0;x\x07\n")
    result = acap("compare", files["empty"], tmp_path / "bad")
    assert result.code == 1
    assert "\x1b" not in result.out
    assert "\x07" not in result.out


@pytest.fixture
def site() -> Iterator[Loopback]:
    """A site with the old policy."""
    with Loopback(says={"/robots.txt": reply(body=OLD)}) as server:
        yield server


def test_a_site_is_compared_with_a_file(site: Loopback, files: dict[str, Path]) -> None:
    """What a site serves now, and what it is to serve: path by path, whatever the site is."""
    found = [acap("compare", "--no-cache", site.url("/any/page"), files[new]) for new in ("old", "new")]
    assert [one.code for one in found] == [0, 1]
    assert site.targets == ["/robots.txt", "/robots.txt"]


def test_two_sites_are_compared_path_by_path(site: Loopback) -> None:
    """A site without policy permits what another prohibits."""
    with Loopback(address="127.0.0.2", says={"/robots.txt": reply(404)}) as other:
        result = acap("compare", "--no-cache", "--json", other.url("/"), site.url("/"))
        assert result.code == 1
        assert {one["before"]["kind"] for one in json.loads(result.out)["changes"]} == {"absent"}


def test_a_site_out_of_reach_leaves_it_undetermined(files: dict[str, Path]) -> None:
    """A site that answers with 503 has no policy to compare: code 3, and one line."""
    with Loopback(says={"/robots.txt": reply(503)}) as broken:
        result = acap("compare", "--no-cache", broken.url("/"), files["old"])
        assert (result.code, result.out) == (3, "")
        assert "503" in result.err


def test_ctrl_c_ends_a_comparison_that_goes_on(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """A comparison that never looks for a signal ends at one, with 130 and without output."""
    over, ended = threading.Event(), threading.Event()

    def endless(*_: object, **__: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        over.wait()
        ended.set()

    monkeypatch.setattr("acap.cli.compare.compared", endless)
    try:
        result = acap("compare", files["old"], files["new"])
    finally:
        over.set()
    assert (result.code, result.out) == (130, "")
    assert ended.wait(60)


RSL = '<rsl xmlns="https://rslstandard.org/rsl"><content url="{}"><license>{}</license></content></rsl>'
CAWG = '{{"label": "cawg.training-mining", "data": {{"entries": {{"cawg.ai_training": {{"use": "{}"}}}}}}}}'
TRAINS, ASKS = '<permits type="usage">all</permits>', '<prohibits type="usage">all</prohibits>'


@pytest.mark.parametrize(
    ("name", "old", "new", "code"),
    [
        ("tdmrep.json", '[{"location":"/","tdm-reservation":1}]', '[ {"tdm-reservation":1,"location":"/"} ]', 0),
        ("tdmrep.json", '[{"location":"/","tdm-reservation":1}]', "[]", 1),
        ("ai.txt", "User-Agent: *\nDisallow: /\n", "user-agent: *\ndisallow: /\n", 0),
        ("ai.txt", "User-Agent: *\nDisallow: /\n", "User-Agent: *\nDisallow: /a\n", 1),
        ("l.xml", RSL.format("/", TRAINS), "<!-- ours -->" + RSL.format("/", TRAINS), 0),
        ("l.xml", RSL.format("/", TRAINS), RSL.format("/", ASKS), 1),
        ("l.xml", RSL.format("https://a.example/x", TRAINS), RSL.format("https://a.example/x", ASKS), 1),
        ("a.html", '<meta name="robots" content="noai"><p>a', '<meta name="robots" content="noai"><p>b', 0),
        ("a.html", '<meta name="robots" content="noai">', '<meta name="robots" content="noindex">', 1),
        ("a.headers", "X-Robots-Tag: noai\n", "Date: today\nX-Robots-Tag: noai\n", 0),
        ("a.headers", "X-Robots-Tag: noai\n", "X-Robots-Tag: otherbot: noai\n", 1),
        ("c.json", CAWG.format("notAllowed"), " " + CAWG.format("notAllowed"), 0),
        ("c.json", CAWG.format("notAllowed"), CAWG.format("allowed"), 1),
    ],
)
def test_two_documents_of_another_dialect_are_compared(
    tmp_path: Path, name: str, old: str, new: str, code: int
) -> None:
    """By what they decide, in the form of any comparison."""
    files = [tmp_path / folder / name for folder in ("old", "new")]
    for file, text in zip(files, (old, new), strict=True):
        file.parent.mkdir()
        file.write_text(text)
    result = acap("compare", *files)
    assert (result.code, "no decision changes" in result.out) == (code, code == 0)
    found = json.loads(acap("compare", "--json", *files).out)
    Draft202012Validator(COMPARISON_SCHEMA).validate(found)
    assert found["verdict"] == ("different" if code else "equal")


def test_a_header_that_decides_is_told_by_its_name(tmp_path: Path) -> None:
    """It has no line."""
    for name, says in (("old", "noai"), ("new", "noindex")):
        (tmp_path / f"{name}.headers").write_text(f"X-Robots-Tag: {says}\n")
    told = acap("compare", tmp_path / "old.headers", tmp_path / "new.headers").lines
    assert "    before: prohibited, X-Robots-Tag: noai" in told


def test_documents_that_cannot_be_compared_are_named(tmp_path: Path) -> None:
    """With what to do."""
    for name, text in (("tdmrep.json", "[]"), ("ai.txt", "Disallow: /\n"), ("robots.txt", ""), ("b.rsl", "<rsl")):
        (tmp_path / name).write_text(text)
    tdmrep = tmp_path / "tdmrep.json"
    for other in ("ai.txt", "robots.txt"):
        told = acap("compare", tdmrep, tmp_path / other).wrong_call
        assert f"`{tdmrep}` is a document of the kind `tdmrep`, and `{tmp_path / other}` is not" in told
        assert "acap verify" in told
    assert "b.rsl` cannot be read" in acap("compare", tmp_path / "b.rsl", tmp_path / "b.rsl").wrong_call
    assert "for two robots.txt" in acap("compare", "-c", "a", tdmrep, tdmrep).wrong_call
    told = acap("compare", "--prepended", tmp_path / "robots.txt", tdmrep).wrong_call
    assert "a block is put before a robots.txt" in told


def test_a_change_that_is_only_stricter_ends_with_0_if_asked(tmp_path: Path) -> None:
    """`--fail-on looser` ends with 1 for what permits more or restricts otherwise, and with 3 for what is open."""
    closed, narrow = tmp_path / "closed.txt", tmp_path / "narrow.txt"
    closed.write_bytes(b"User-agent: *\nDisallow: /\n")
    narrow.write_bytes(b"User-agent: *\nDisallow: /a\n")
    assert acap("compare", narrow, closed).code == 1
    assert acap("compare", "--fail-on", "looser", narrow, closed).code == 0
    assert acap("compare", "--fail-on", "looser", closed, narrow).code == 1
    for before, after, code in ((7, 30, 1), (30, 7, 1), (7, None, 1), (None, 7, 0)):
        for file, days in ((closed, before), (narrow, after)):
            limit = "" if days is None else f" time-limit={days}-days"
            file.write_text(f"ACAP-crawler: *\nACAP-allow-preserve: /{limit}\n", encoding="utf-8")
        assert acap("compare", "--fail-on", "looser", closed, narrow).code == code, (before, after)
    closed.write_bytes(b"License: https://a.example/l.xml\nUser-agent: *\nDisallow: /\n")
    narrow.write_bytes(b"License: https://a.example/m.xml\nUser-agent: *\nDisallow: /\n")
    assert acap("compare", "--fail-on", "looser", closed, narrow).code == 1
    narrow.write_bytes(b"User-agent: *\nDisallow: /\n" + b"#" * 9_000_000)
    closed.write_bytes(b"User-agent: *\nDisallow: /a\n")
    assert acap("compare", "--fail-on", "looser", closed, narrow).code == 3


def test_changes_at_resources_that_carry_policy_share_a_line(tmp_path: Path) -> None:
    """Nobody looks for these; they are listed where nothing else changes."""
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    closed, copies = "User-agent: x\nDisallow: /\n", "ACAP-crawler: *\nACAP-disallow-preserve: /\n"
    old.write_text(closed)
    new.write_text(f"{closed}\nUser-agent: *\nContent-Signal: ai-train=no\nDisallow:\n\n{copies}")
    told = acap("compare", old, new)
    line = (
        "of the changes: only at resources that carry policy (/robots.txt, /ai.txt, /.well-known/tdmrep.json); --json"
    )
    assert line in told.out
    assert told.out.count("only ") == 1
    assert told.out.count("for example /ai.txt") == 0
    alone = acap("compare", "--crawler", "x", old, new)
    assert "prohibited: only /robots.txt, /ai.txt, /.well-known/tdmrep.json" in alone.out
    assert "of the changes" not in alone.out
    assert (told.code, alone.code) == (1, 1)


def test_a_change_within_another_is_not_listed_again(tmp_path: Path) -> None:
    """Where a crawler differs from others only at resources that carry policy, it is one of them."""
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    old.write_bytes(b"")
    new.write_bytes(preset_files("no-ai-training")["robots.txt"])
    heads = [line for line in acap("compare", old, new).lines if line.startswith("    for ")]
    assert sum(line.endswith(": ai-train, ai-train-generative") for line in heads) == 1


def test_a_product_token_that_nobody_wrote_is_named_if_asked_for(tmp_path: Path) -> None:
    """A crawler named `AI` obeys the lines for `AI2Bot` (RFC 9309 2.2.1), and no reader knows it."""
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    old.touch()
    new.write_text("User-agent: AI2Bot\nUser-agent: bot\nDisallow: /\n")
    assert "    for AI2Bot, bot: every usage" in acap("compare", old, new).lines
    assert "    for AI: every usage" in acap("compare", "--crawler", "AI", old, new).lines
    assert json.loads(acap("compare", "--json", old, new).out)["changes"][0]["crawlers"] == ["AI2Bot", "AI", "bot"]
    new.write_text("User-agent: AI2Bot\nUser-agent: AI\nDisallow: /\n")
    assert "    for AI2Bot, AI: every usage" in acap("compare", old, new).lines
