"""A preset says one thing in every carrier, proves it by reading all of it again, and leaves search as it was."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from acap.known_crawlers import crawlers
from acap.problems import DocumentKind
from acap.publish.lint.document import Document
from acap.publish.lint.run import lint
from acap.publish.presets import PRESETS, PresetError, preset_files, proved, without_block
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


def test_each_crawler_that_trains_is_refused_training_on_every_page_and_searches_as_before() -> None:
    """The claim of the preset, asked of the policy as anybody would."""
    before = parse_robots(OWN)
    policy = parse_robots(preset_files("no-ai-training", kept=OWN)["robots.txt"])
    training = [one.name for one in crawlers() if "ai-train" in one.purposes and not one.retired]
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
        ("User-agent: GPTBot\nAllow: /open/\n", "`Allow: /open/`"),
        ("User-agent: *\nContent-Signal: /blog/ ai-train=yes\nDisallow:\n", "ai-train"),
        ("User-agent: *\nContent-Usage: /blog/ train-ai=y\nDisallow:\n", "ai-train-generative"),
        ("ACAP-crawler: ClaudeBot\nACAP-allow-ai-train: /\n", "`ACAP-allow-ai-train: /`"),
    ],
)
def test_a_line_that_stands_against_it_is_named(line: str, word: str) -> None:
    with pytest.raises(PresetError, match=word):
        proved("no-ai-training", preset_files("no-ai-training", kept=line.encode()), kept=line.encode())


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
    assert without_block(once) == b"##ACAP version=1.0\n" + OWN + b"\n"


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
    "url", ["https://e.com/'", "https://e.com/$a", "https://e.com/{a}", "https://e.com/\na", "e.com"]
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
