"""Cases may name documents of other dialects, which count with the robots.txt."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line import Result, acap
from tests.loopback import Loopback, reply

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


@pytest.fixture
def site() -> Iterator[Loopback]:
    with Loopback() as server:
        server.says = {
            "/robots.txt": reply(body=f"User-agent: *\nLicense: {server.url('/license.xml')}\n".encode()),
            "/.well-known/tdmrep.json": reply(body=b'[{"location": "/a", "tdm-reservation": 1}]'),
            "/ai.txt": reply(body=b"User-Agent: *\nDisallow: /a\n"),
            "/license.xml": reply(body=RSL.replace("prohibits", "permits").encode()),
        }
        yield server


ALL = ("/.well-known/tdmrep.json", "/ai.txt", "/license.xml")


def live(site: Loopback, folder: Path, *cases: tuple[str, str, str], documents: tuple[str, ...] = ALL) -> Result:
    """Cases of path, usage and what is expected; the files of the documents are not there."""
    named = ", ".join(f'"{path}" = "none/{path}"' for path in documents)
    text = f'site = "{site.url("")}"\ndocuments = {{ {named} }}\n'
    for number, (path, usage, expected) in enumerate(cases):
        text += (
            f'[[case]]\nname = "{number}"\npath = "{path}"\ncrawler = "x"\nusage = "{usage}"\nexpect = "{expected}"\n'
        )
    (folder / "a.acap.toml").write_text(text)
    return acap("test", "--live", "--allow-private", "--timeout", "5", "--json", folder / "a.acap.toml")


def statuses(result: Result) -> list[str]:
    return [one["status"] for one in result.objects()]


def test_live_checks_the_documents_that_the_site_has(tmp_path: Path, site: Loopback) -> None:
    """Those that the cases name, once each, in the place of the files."""
    cases = [("/a", "tdm", "prohibited"), ("/b", "ai-input", "permitted"), ("/b", "crawl", "permitted")]
    result = live(site, tmp_path, *cases, ("/b", "ai-train", "permitted"))
    # The licence is a list, and a closed one.
    assert statuses(result) == ["passed", "passed", "passed", "failed"]
    assert sorted(site.targets) == sorted([*ALL, "/robots.txt"])


def test_live_asks_for_no_document_that_no_case_names(tmp_path: Path, site: Loopback) -> None:
    """A file of cases is asked the same questions with --live and without."""
    result = live(site, tmp_path, ("/a", "ai-train", "prohibited"), documents=("/ai.txt",))
    assert statuses(result) == ["passed"]
    assert sorted(site.targets) == ["/ai.txt", "/robots.txt"]


@pytest.mark.parametrize("path", ALL)
def test_a_document_that_cannot_be_had_leaves_undetermined_what_it_decides(
    tmp_path: Path, site: Loopback, path: str
) -> None:
    """Nor does an expected prohibition pass because of it; crawling no such document is about."""
    site.says[path] = reply(503)
    result = live(
        site, tmp_path, ("/c", "ai-train-generative", "prohibited"), ("/c", "crawl", "permitted"), documents=(path,)
    )
    assert (statuses(result), result.code) == (["undetermined", "passed"], 3)
    assert "cannot be retrieved" in result.err


def test_other_uses_of_a_licence_that_cannot_be_had_are_undetermined(tmp_path: Path, site: Loopback) -> None:
    """It may prohibit every use of content."""
    site.says["/license.xml"] = reply(503)
    assert statuses(live(site, tmp_path, ("/c", "index", "permitted"))) == ["undetermined"]


@pytest.mark.parametrize(
    ("path", "usage", "answer"),
    [("/.well-known/tdmrep.json", "tdm", reply(404)), ("/ai.txt", "ai-train", reply(403))],
)
def test_a_document_that_the_site_has_not_says_nothing(
    tmp_path: Path, site: Loopback, path: str, usage: str, answer: bytes
) -> None:
    """That is known: the expected prohibition fails."""
    site.says[path] = answer
    site.says["/robots.txt"] = reply(body=b"")
    assert statuses(live(site, tmp_path, ("/a", usage, "prohibited"), documents=(path,))) == ["failed"]


def test_documents_of_a_private_network_are_not_asked_for_unasked(tmp_path: Path, site: Loopback) -> None:
    """A file of cases cannot make anybody ask a host of their own network."""
    live(site, tmp_path, ("/a", "ai-train", "prohibited"))
    asked = len(site.targets)
    result = acap("test", "--live", tmp_path / "a.acap.toml")
    assert (result.code, len(site.targets)) == (3, asked)
