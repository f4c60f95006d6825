"""The site of documents: what it is built from, and what is found wrong with what was built. `make site` builds it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_docs import TEXTS
from tools import docs, links, site


def pages_of(nav: site.Nav) -> Iterator[str]:
    for entry in nav:
        if isinstance(entry, str):
            yield entry
        else:
            for below in entry.values():
                yield from [below] if isinstance(below, str) else pages_of(below)


def test_every_page_of_docs_stands_once_in_the_navigation() -> None:
    kept = [site.place(links.ROOT / name) for name in TEXTS if name.startswith("docs/")]
    built = [site.place(links.ROOT / name) for name in docs.BUILT]
    listed = list(pages_of(site.navigation()))
    assert [page for page in [*kept, *built] if listed.count(page) != 1] == []


def test_the_glossary_is_the_second_page() -> None:
    assert list(pages_of(site.navigation()))[:2] == ["index.md", "glossary.md"]


def test_links_of_a_staged_page_lead_where_files_lie_in_the_site() -> None:
    """Those to code, of which the site has no page, are plain text; headings have the anchors that links name."""
    text = site.staged(links.ROOT / "CONTRIBUTING.md")
    assert "[glossary](../glossary.md)" in text
    assert "[ARCHITECTURE.md](architecture.md)" in text
    assert "## Where things are {#where-things-are}" in text
    assert "](../rust" not in site.staged(links.ROOT / "docs/engine.md")


@pytest.mark.parametrize("name", [name for name in TEXTS if name.startswith("docs/")])
def test_a_page_begins_with_its_purpose(name: str) -> None:
    """In one short paragraph below its title."""
    title, purpose, *_ = TEXTS[name].split("\n\n")
    assert title.startswith("# ")
    assert not purpose.startswith(("#", "|", "```", "- ", "!", ">"))
    assert len(purpose.split()) <= 60


@pytest.mark.parametrize(
    ("line", "finding"),
    {
        '<a href="b.html#here">fine</a><a href="https://example.com/">fine</a><img src="p.png">': None,
        '<a href="c.html">x</a>': "a.html: `c.html` leads to no file",
        '<a href="b.html#there">x</a>': "a.html: `b.html#there` leads to no heading",
        '<script src="https://example.com/x"></script>': "a.html: loads `https://example.com/x` from another host",
        '<link rel="stylesheet" href="//example.com/x.css">': "a.html: loads `//example.com/x.css` from another host",
        '<img src="q.png">': "a.html: `q.png` leads to no file",
    }.items(),
)
def test_what_is_wrong_with_a_built_page_is_found(tmp_path: Path, line: str, finding: str | None) -> None:
    (tmp_path / "a.html").write_text(line)
    (tmp_path / "b.html").write_text('<h2 id="here">Here</h2>')
    (tmp_path / "p.png").touch()
    assert list(site.findings(tmp_path)) == ([finding] if finding else [])


def test_a_style_sheet_that_loads_from_another_host_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").touch()
    (tmp_path / "a.css").write_text("@font-face { src: url(https://example.com/a.woff2) }")
    assert [found.partition(":")[0] for found in site.findings(tmp_path)] == ["a.css"]


def test_a_site_without_a_page_is_a_finding(tmp_path: Path) -> None:
    assert list(site.findings(tmp_path)) == [f"{tmp_path}: no page was built"]


def test_finishing_lists_the_versions_that_lie_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest first; the first page leads to the one just built."""
    monkeypatch.setattr(site, "SITE", tmp_path)
    for name in ("0.9.0", "0.10.0", site.version()):
        (tmp_path / name).mkdir(exist_ok=True)
    (tmp_path / site.version() / "index.html").touch()
    assert list(site.finish()) == []
    listed = (tmp_path / "versions.json").read_text()
    assert listed.index("0.10.0") < listed.index("0.9.0")
    assert f"url={site.version()}/index.html" in (tmp_path / "index.html").read_text()
