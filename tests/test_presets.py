"""A preset says one thing in every carrier, proves it by reading all of it again, and leaves search as it was."""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from acap.cli.io.failures import CallError
from acap.crawler_list import known_crawlers
from acap.problems import DocumentKind
from acap.publish.lint.document import Document
from acap.publish.lint.run import lint
from acap.publish.presets import PRESETS, PresetError, own_lines, preset_files, proved, without_block
from acap.publish.presets.servers import SERVERS, configured
from acap.robots import parse_robots
from tests.command_line import acap

SITE, TERMS = "https://www.example.com", "https://www.example.com/terms?a=1&b=%20"
WRITTEN: dict[str, Any] = {"no-ai-training": {"site": SITE}, "licence-for-ai": {"site": SITE, "terms": TERMS}}
OWN = b"User-agent: *\nDisallow: /private/\n\nUser-agent: Amazonbot\nUser-agent: CCBot\nDisallow: /slow/"


@pytest.mark.parametrize("kept", [b"", OWN, b"\xef\xbb\xbf" + OWN, b"ACAP-crawler: *\nACAP-allow-index: /\n"])
@pytest.mark.parametrize("name", PRESETS)
def test_every_carrier_says_the_same_and_is_proved(name: str, kept: bytes) -> None:
    files = preset_files(name, kept=kept, **WRITTEN[name])
    rows = proved(name, files, kept=kept)
    assert {row.outcome for row in rows} == {PRESETS[name].outcome}
    assert {row.file for row in rows} == files.keys() - SERVERS.keys()


@pytest.mark.parametrize(
    "kept",
    [
        b"User-agent: *\nDisallow: /*?query=*\n",
        b"User-agent: *\nDisallow: /*/discuss/*\nDisallow: /*.xml$\n",
        b"##ACAP version=1.1\nUser-agent: Amazonbot\nUser-agent: PerplexityBot\nDisallow: /\n",
        b"\xef\xbb\xbfUser-agent: *\nDisallow: /\n",
    ],
)
@pytest.mark.parametrize("name", PRESETS)
def test_that_everybody_may_fetch_the_licence_is_no_change_of_search(name: str, kept: bytes) -> None:
    """Whom the file keeps out may fetch what carries policy all the same; everything else stays as it was."""
    files = preset_files(name, kept=kept, **WRITTEN[name])
    proved(name, files, kept=kept)
    policy = parse_robots(files["robots.txt"])
    assert policy.decide("/license.xml", crawler="PerplexityBot").permitted
    for path in ("/", "/a?query=b", "/b/discuss/c", "/sitemap.xml", "/other/license.xml"):
        for crawler in ("Googlebot", "PerplexityBot", "Amazonbot", "somebody"):
            asked = parse_robots(kept).decide(path, crawler=crawler)
            assert policy.decide(path, crawler=crawler).outcome == asked.outcome, (path, crawler)


def test_each_crawler_that_trains_is_refused_training_on_every_page_and_searches_as_before() -> None:
    """The claim of the preset, asked of the policy as anybody would."""
    before = parse_robots(OWN)
    policy = parse_robots(preset_files("no-ai-training", kept=OWN)["robots.txt"])
    training = [one.name for one in known_crawlers() if "ai-train" in one.purposes and not one.retired]
    assert len(training) > 20
    for path in ("/", "/a/b.html?c", "/private/x", "/slow/"):
        for name in [*training, "somebody"]:
            assert policy.decide(path, crawler=name, usage="ai-train").outcome == "prohibited"
        for name in ("Googlebot", "Bingbot", "Amazonbot", "somebody"):
            for usage in ("crawl", "index", "follow", "preserve", "present-snippet", "search"):
                asked = before.decide(path, crawler=name, usage=usage)
                assert policy.decide(path, crawler=name, usage=usage).outcome == asked.outcome


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("User-agent: GPTBot\nAllow: /open/\n", "by the line `Allow: /open/` of robots.txt"),
        ("User-agent: *\nContent-Signal: /blog/ ai-train=yes\nDisallow:\n", "ai-train"),
        ("User-agent: *\nContent-Signal: search=yes, ai-train=yes\nDisallow:\n", "line 2 .* `Content-Signal: search="),
        ("User-agent: x\nContent-Usage: train-ai=y\nDisallow:\n", "line 2 .* permits ai-train-generative"),
        ("Content-Signal: ai-train=yes\n", "line 1 of robots.txt permits ai-train: `Content-Signal"),
        ("ACAP-crawler: *\nACAP-allow-ai-train: /\n", "line 2 .* permits ai-train: `ACAP-allow-ai-train: /`"),
        ("User-agent: *\nContent-Usage: /blog/ train-ai=y\nDisallow:\n", "ai-train-generative"),
        ("ACAP-crawler: ClaudeBot\nACAP-allow-ai-train: /\n", "`ACAP-allow-ai-train: /`"),
        (
            "ACAP-crawler: *\nACAP-ignore-conventional-records\nACAP-allow-crawl: /\n",
            "Extended and [0-9]+ more may crawl at `/`",
        ),
    ],
)
def test_a_line_that_stands_against_it_is_named(line: str, word: str) -> None:
    """Also one over which the block prevails: a reader that takes the first of two lines goes by it."""
    with pytest.raises(PresetError, match=word):
        proved("no-ai-training", preset_files("no-ai-training", kept=line.encode()), kept=line.encode())


def test_a_use_that_needs_a_licence_is_given_away_by_no_own_line(tmp_path: Path) -> None:
    """Signals that refuse, or that speak of a search, stand against nothing."""
    given = b"User-agent: *\nContent-Signal: ai-input=yes\nDisallow:\n"
    written = preset_files("licence-for-ai", kept=given, **WRITTEN["licence-for-ai"])
    with pytest.raises(PresetError, match=r"line 2 of robots\.txt permits ai-input"):
        proved("licence-for-ai", written, kept=given)
    for fine in (b"search=yes", b"ai-train=no", b"search=yes, ai-input=no"):
        kept = given.replace(b"ai-input=yes", fine)
        assert proved("no-ai-training", preset_files("no-ai-training", kept=kept), kept=kept)
    (tmp_path / "robots.txt").write_bytes(given.replace(b"input", b"train"))
    done = acap("compose", "--preset", "no-ai-training", tmp_path / "robots.txt", "-o", tmp_path / "out")
    assert (done.code, (tmp_path / "out").exists()) == (2, False)
    assert "line 2 of robots.txt permits ai-train: `Content-Signal: ai-train=yes`" in done.err


@pytest.mark.parametrize("name", PRESETS)
def test_a_file_that_says_something_else_fails_the_proof(name: str) -> None:
    files = preset_files(name, **WRITTEN[name])
    for path, octets in {
        "robots.txt": files["robots.txt"].replace(b"Disallow:\n", b"Disallow: /\n"),
        ".well-known/tdmrep.json": b'[{"location": "/", "tdm-reservation": 0}]',
        "license.xml": files["license.xml"].replace(b"prohibits", b"permits").replace(b"purchase", b"free"),
        "response.headers": b"tdm-reservation: 0\n",
        "head.html": b"<p>",
        "metadata.xmp": re.sub(rb"DMI-[A-Z-]+", b"DMI-ALLOWED", files["metadata.xmp"]),
        "training-mining.json": re.sub(
            rb'"(?:notAllowed|constrained)"(?:,\s*"constraint_info": "[^"]*")?',
            b'"allowed"',
            files["training-mining.json"],
        ),
        "nginx.conf": files["nginx.conf"].replace(b"'1'", b"'0'"),
    }.items():
        with pytest.raises(PresetError):
            proved(name, files | {path: octets})


def test_the_block_is_written_anew_and_not_twice() -> None:
    once = preset_files("no-ai-training", kept=OWN)["robots.txt"]
    assert preset_files("no-ai-training", kept=once)["robots.txt"] == once
    assert without_block(once) == b"##ACAP version=1.1\n" + OWN + b"\n"
    assert own_lines(once) == OWN
    proved("no-ai-training", preset_files("no-ai-training", kept=once), kept=once)
    for before, after in (("no-ai-training", "licence-for-ai"), ("licence-for-ai", "no-ai-training")):
        kept = preset_files(before, kept=OWN, **WRITTEN[before])["robots.txt"] + b"\nUser-agent: last\nDisallow: /a\n"
        files = preset_files(after, kept=kept, **WRITTEN[after])
        assert files["robots.txt"].count(b"# acap preset: begin") == 1
        assert {row.outcome for row in proved(after, files, kept=kept)} == {PRESETS[after].outcome}


@pytest.mark.parametrize(
    "kept",
    [
        b"User-agent: *\nDisallow: /secret # acap preset: begin zzz\nDisallow: /more\n# acap preset: end\n",
        b"# acap preset: begin x\nUser-agent: evil\nDisallow: /private\n# acap preset: end\n",
        b"# acap preset: begin x\nUser-agent: *\nDisallow: /\n",
        preset_files("no-ai-training")["robots.txt"].replace(b"Disallow:\n", b"Disallow: /private\nDisallow:\n"),
        preset_files("no-ai-training")["robots.txt"].replace(b"Disallow: /\n", b"Disallow: /\nDisallow: /a\n"),
        preset_files("no-ai-training")["robots.txt"].replace(b"User-agent: GPTBot\n", b"User-agent: evil\n"),
        preset_files("licence-for-ai", **WRITTEN["licence-for-ai"])["robots.txt"].replace(b"ent: *\n", b"ent: *\n\n"),
    ],
)
def test_a_block_that_was_changed_is_not_taken_away(kept: bytes) -> None:
    with pytest.raises(PresetError, match=r"at line \d+ of robots\.txt has been changed"):
        preset_files("no-ai-training", kept=kept)


def test_beginnings_without_an_end_are_looked_at_once() -> None:
    """However many there are."""
    kept = b"# acap preset: begin a, crawlers as of 2\n" * 100_000
    begun = time.process_time()
    with pytest.raises(PresetError, match=r"line 1 of robots\.txt has been changed"):
        without_block(kept)
    assert time.process_time() - begun < 1


def test_a_block_names_no_crawler_that_nobody_wrote() -> None:
    """`User-agent: peer39_crawler` is for a crawler named `peer` too; a line for that one would say nothing."""
    kept = b"User-agent: peer39_crawler\nUser-agent: AI3Bot\nDisallow: /\n"
    files = preset_files("no-ai-training", kept=kept)
    assert b"User-agent: peer39_crawler\nUser-agent: AI3Bot\nContent-Signal:" in files["robots.txt"]
    assert proved("no-ai-training", files, kept=kept)
    assert preset_files("no-ai-training", kept=files["robots.txt"]) == files


RETIRED = (
    b"User-agent: anthropic-ai\nUser-agent: Gigabot/3.0\nDisallow: /\n\nUser-agent: Claude-Web\nDisallow: /private/\n"
)


def repeated(kept: bytes, name: str = "no-ai-training") -> bytes:
    """What the block of a preset says to those whom it does not close out, once proved."""
    files = preset_files(name, kept=kept, **WRITTEN[name])
    assert proved(name, files, kept=kept)
    assert preset_files(name, kept=files["robots.txt"], **WRITTEN[name]) == files
    assert kept in files["robots.txt"]
    return files["robots.txt"].rpartition(b"User-agent: *\n")[2].partition(b"ACAP-crawler")[0]


def test_a_block_repeats_no_name_that_nobody_asks_by() -> None:
    """What the file says to it stays, and what the block says to everyone is said to it too."""
    assert b"User-agent" not in repeated(RETIRED)
    assert repeated(RETIRED + b"\nUser-agent: Amazonbot\nDisallow: /a\n").startswith(b"User-agent: Amazonbot\nLicense")
    robots = preset_files("no-ai-training", kept=RETIRED)["robots.txt"]
    (found,) = lint(Document(robots, "robots.txt"), select=["retired-crawler"])
    assert [related.line for related in found.related] == [3, 6]
    before, after = parse_robots(RETIRED), parse_robots(robots)
    for name, path in (("Claude-Web", "/a"), ("Claude-Web", "/private/a"), ("anthropic-ai", "/a"), ("Gigabot", "/a")):
        for usage in ("crawl", "index", "search", "ai-input"):
            one, other = (policy.decide(path, crawler=name, usage=usage).outcome for policy in (before, after))
            assert one == other, (name, usage)
        assert after.decide(path, crawler=name, usage="ai-train").outcome == "prohibited"


def test_a_retired_name_whose_group_is_obeyed_is_repeated() -> None:
    """Bingbot obeys the group of msnbot where it has none of its own: without its name the block would not reach it."""
    kept = b"User-agent: msnbot\nDisallow: /x\n"
    assert repeated(kept).startswith(b"User-agent: msnbot\n")
    assert b"msnbot" not in repeated(kept + b"\nUser-agent: bingbot\nDisallow: /y\n")
    signals = re.sub(rb"(?m)^ACAP.*\n", b"", preset_files("no-ai-training", kept=kept)["robots.txt"])
    for text, outcome in ((signals, "prohibited"), (signals.replace(b"*\nUser-agent: msnbot\n", b"*\n"), "permitted")):
        decided = parse_robots(text).decide("/", crawler=("Bingbot", "msnbot"), usage="ai-train")
        assert decided.outcome == outcome


def test_a_retired_name_is_repeated_where_nothing_else_tells_it() -> None:
    """A licence is told by group: who may fetch something is told of it by name, whoever that may be."""
    assert repeated(RETIRED, "licence-for-ai").startswith(b"User-agent: Claude-Web\nLicense: ")


def test_no_crawler_that_is_run_obeys_a_retired_name_but_by_its_fallback() -> None:
    """So the names in `fallback` are all that a block has to look at."""
    run = [one for one in known_crawlers() if not one.retired]
    for old in (one for one in known_crawlers() if one.retired):
        policy = parse_robots(f"User-agent: {old.name}\nDisallow: /\n")
        assert [one.name for one in run if not policy.allows("/a", one.name)] == [], old.name


def test_words_of_a_marker_within_a_line_are_a_comment() -> None:
    kept = b"User-agent: *\nDisallow: /secret # acap preset: begin zzz\nDisallow: /more\n"
    assert kept in preset_files("no-ai-training", kept=kept)["robots.txt"]


def test_the_proof_is_about_the_lines_that_there_were() -> None:
    """A line that a block did not have was somebody's own."""
    without = preset_files("no-ai-training")
    with pytest.raises(PresetError, match=r"evil .* differently"):
        proved("no-ai-training", without, kept=without["robots.txt"] + b"\nUser-agent: evil\nDisallow: /\n")


@pytest.mark.parametrize("name", PRESETS)
def test_lint_has_nothing_against_what_is_written(name: str) -> None:
    files = preset_files(name, **WRITTEN[name])
    kinds: dict[str, DocumentKind] = {"robots.txt": "robots", "head.html": "page", "response.headers": "headers"}
    for path, kind in kinds.items():
        found = lint(Document(files[path], path, kind))
        assert [one for one in found if one.severity != "info"] == []


def test_each_server_sends_the_headers_as_they_are() -> None:
    files = preset_files("licence-for-ai", **WRITTEN["licence-for-ai"])
    for server in SERVERS:
        assert ("tdm-policy", TERMS) in configured(server, files[server])
    assert b"%%20" in files["apache.conf"]


@pytest.mark.parametrize(
    "url",
    [
        *(
            "https://e.com/'",
            "https://e.com/$a",
            "https://e.com/{a}",
            "https://e.com/\na",
            "e.com",
            "https://e.com:99999",
        ),
        *("https://.", "https://a..b", "https://127.1", "https://1.2.3.4.5", "https://0x7f.1", "https://1.2.3.256"),
    ],
)
def test_a_url_that_a_configuration_would_not_take_is_refused(url: str) -> None:
    for site, terms in ((url, TERMS), (SITE, url)):
        with pytest.raises(PresetError, match="is not a URL"):
            preset_files("licence-for-ai", site=site, terms=terms)


def test_terms_are_for_the_preset_that_has_them() -> None:
    with pytest.raises(PresetError, match="has no terms"):
        preset_files("no-ai-training", terms=TERMS)
    with pytest.raises(PresetError, match="needs"):
        preset_files("licence-for-ai", site=SITE)
    with pytest.raises(PresetError, match="refers to a licence already"):
        preset_files("no-ai-training", site=SITE, kept=b"License: https://e.com/l\nUser-agent: *\nDisallow:\n")


def test_a_folder_gets_every_file_and_keeps_what_it_has(tmp_path: Path) -> None:
    folder = tmp_path / "public"
    folder.mkdir()
    (folder / "robots.txt").write_bytes(OWN)
    call = ("compose", "--preset", "no-ai-training", "--site", SITE, "-o", folder)
    done = acap(*call)
    assert done.code == 0
    assert "search is as before" in done.err
    assert OWN in (folder / "robots.txt").read_bytes()
    assert acap(*call, "--check").code == 0
    (folder / "ai.txt").write_text("User-agent: *\nAllow: /\n")
    assert acap(*call, "--check").code == 1
    refused = acap(*call)
    assert refused.code == 2
    assert "says something else" in refused.err
    assert "Allow" in (folder / "ai.txt").read_text()


def test_advice_leads_to_a_folder_that_is_as_the_preset_has_it(tmp_path: Path) -> None:
    """Whatever is told is what the next call wants; a site that was forgotten is named."""
    call = ("compose", "--preset", "no-ai-training", "-o", tmp_path)
    assert acap(*call, "--site", SITE).code == 0
    for more in ((), ("--check",)):
        forgotten = acap(*call, *more)
        assert (forgotten.code, forgotten.err.count("`--site`")) == (2, 1)
        assert f"add `--site {SITE}`" in forgotten.err
    (tmp_path / "ai.txt").write_text("User-agent: *\nAllow: /\n")
    (tmp_path / "nginx.conf").unlink()
    (tmp_path / "robots.txt").write_bytes(OWN)
    told = acap(*call, "--site", SITE, "--check").err.splitlines()
    assert [line.partition("` ")[2] for line in told if line.startswith("acap: `")] == [
        "differs from the preset; write it again without --check",
        "differs from the preset; remove it, and write it again without --check",
        "is not there; write it without --check",
    ]
    (tmp_path / "ai.txt").unlink()
    assert acap(*call, "--site", SITE).code == acap(*call, "--site", SITE, "--check").code == 0


def test_what_reads_metadata_is_missing_and_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it the proof would say that Googlebot would be kept from the page."""
    monkeypatch.setitem(sys.modules, "lxml", None)
    assert "pip install 'acap[pages,images]'" in acap("compose", "--preset", "no-ai-training").wrong_call


def test_who_may_not_crawl_is_told() -> None:
    done = acap("compose", "--preset", "no-ai-training")
    closed = len(PRESETS["no-ai-training"].closed)
    assert f"proved: robots.txt: {closed} crawlers that train may not crawl; any other may as before" in done.err
    assert "crawl is prohibited" not in done.err
    assert "may not crawl" not in acap("compose", "--preset", "licence-for-ai", "--site", SITE, "--terms", TERMS).err


def test_another_robots_txt_of_the_folder_is_not_lost(tmp_path: Path) -> None:
    mine, folder = tmp_path / "mine.txt", tmp_path / "out"
    mine.write_bytes(OWN)
    folder.mkdir()
    (folder / "robots.txt").write_bytes(b"User-agent: *\nDisallow: /other\n")
    call = ("compose", "--preset", "no-ai-training", mine, "-o", folder)
    refused = acap(*call)
    assert (refused.code, "has other lines than" in refused.err) == (2, True)
    assert [path.name for path in folder.iterdir()] == ["robots.txt"]
    for own in (OWN, preset_files("no-ai-training", kept=OWN, site=SITE)["robots.txt"]):
        (folder / "robots.txt").write_bytes(own)
        assert acap(*call).code == 0


@pytest.mark.parametrize("hindrance", ["file", "link", "folder"])
def test_all_files_are_written_or_none(tmp_path: Path, hindrance: str) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "robots.txt").write_bytes(OWN)
    if hindrance == "file":
        (folder / ".well-known").write_text("")
    elif hindrance == "link":
        (folder / "ai.txt").symlink_to(tmp_path / "elsewhere")
    else:
        (folder / "training-mining.json").mkdir()
    before = sorted(folder.iterdir())
    done = acap("compose", "--preset", "no-ai-training", "-o", folder)
    assert (done.code, done.err.count("internal")) == (2, 0)
    assert (folder / "robots.txt").read_bytes() == OWN
    assert [path for path in sorted(folder.rglob("*")) if path.name != ".well-known"] == [
        path for path in before if path.name != ".well-known"
    ]
    assert not (tmp_path / "elsewhere").exists()


def test_what_cannot_be_written_takes_the_others_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def written(file: Path, octets: bytes) -> None:
        if file.name == "robots.txt":
            raise CallError("no room")
        file.write_bytes(octets)

    monkeypatch.setattr("acap.cli.io.presets.write_file", written)
    done = acap("compose", "--preset", "no-ai-training", "-o", tmp_path)
    assert (done.code, [path for path in tmp_path.rglob("*") if path.is_file()]) == (2, [])


def test_without_a_folder_the_files_are_listed() -> None:
    done = acap("compose", "--preset", "no-ai-training", "-q")
    assert done.code == 0
    assert "==> .well-known/tdmrep.json <==" in done.out


@pytest.mark.parametrize(
    "call",
    [("--preset", "no"), ("--preset", "no-ai-training", "--toml"), ("--site", SITE), ("--preset", "licence-for-ai")],
)
def test_wrong_calls_are_told(call: tuple[str, ...]) -> None:
    done = acap("compose", *call)
    assert (done.code, done.err.count("\n")) == (2, 1)
