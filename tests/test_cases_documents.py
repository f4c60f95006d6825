"""Cases may name documents of other dialects, which count with the robots.txt."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import Result, acap

RSL = (
    '<rsl xmlns="https://rslstandard.org/rsl"><content url="/">'
    '<license><prohibits type="usage">ai-input</prohibits></license></content></rsl>'
)


def checked(folder: Path, documents: str, usage: str, expected: str, *, above: str = "") -> Result:
    (folder / "robots.txt").write_text("User-agent: *\nLicense: https://www.example.com/license.xml\nDisallow: /x/\n")
    (folder / "tdmrep.json").write_text('[{"location": "/a", "tdm-reservation": 1}]')
    (folder / "ai.txt").write_text("User-Agent: *\nDisallow: /b\n")
    (folder / "license.xml").write_text(RSL)
    (folder / "a.acap.toml").write_text(
        f'robots = "robots.txt"\n{above}documents = {documents}\n[[case]]\npath = "/b"\ncrawler = "x"\n'
        f'usage = "{usage}"\nexpect = "{expected}"\n'
    )
    return acap("test", folder / "a.acap.toml")


@pytest.mark.parametrize("site", ["", 'site = "https://www.example.com"\n'])
@pytest.mark.parametrize(
    ("documents", "usage", "expected"),
    [
        ('{ "/ai.txt" = "ai.txt" }', "ai-train", "prohibited"),
        ('{ "https://www.example.com/license.xml" = "license.xml" }', "ai-input", "prohibited"),
        ('{ "https://www.example.com/license.xml" = "license.xml" }', "ai-train", "permitted"),
        ('{ "/.well-known/tdmrep.json" = "tdmrep.json" }', "ai-train", "conditional"),
        ("{}", "ai-train", "conditional"),
    ],
)
def test_documents_count_with_the_robots_txt(
    tmp_path: Path, documents: str, usage: str, expected: str, site: str
) -> None:
    done = checked(tmp_path, documents, usage, expected, above=site)
    assert done.code == 0, done.out + done.err


@pytest.mark.parametrize(
    ("documents", "word"),
    [
        ('{ "/robots.txt" = "robots.txt" }', "is no tdmrep.json"),
        ('{ "ai.txt" = "ai.txt" }', "neither a path"),
        ('{ "/ai.txt" = "none.txt" }', "cannot be read"),
    ],
)
def test_a_document_that_is_none_is_told(tmp_path: Path, documents: str, word: str) -> None:
    done = checked(tmp_path, documents, "ai-train", "permitted")
    assert done.code == 2
    assert word in done.err


def test_live_asks_for_robots_txt_alone(tmp_path: Path) -> None:
    checked(tmp_path, '{ "/ai.txt" = "ai.txt" }', "crawl", "permitted", above='site = "https://www.example.com"\n')
    done = acap("test", "--live", tmp_path / "a.acap.toml")
    assert done.code == 2
    assert "--live" in done.err
