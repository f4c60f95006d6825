"""Files that cannot be read are no statements of their publishers, and a missing package is no refusal."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import acap
from tests import command_line
from tests.command_line import Result
from tests.crawled import Came, write_warc
from tests.embedded_files import data_mining, pdf, png, reserved

GIF = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;"
FILM = b"\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41\0\0\0\x08free"
SITE = "https://a.example"
USAGES = ("crawl", "index", "ai-train")


def audited(content: bytes, *pairs: tuple[str, str]) -> dict[str, Any]:
    """The row of one file of a site that says nothing else."""
    robots = pa.table({"url": [f"{SITE}/"], "robots": ["User-agent: *\nAllow: /\n"]})
    pages = pa.table({"url": [f"{SITE}/a"], "content": [content], "headers": [json.dumps(pairs)]})
    row: dict[str, Any]
    (row,) = acap.audit(pages, robots, crawler="examplebot", usage=USAGES).to_pylist()
    return row


@pytest.mark.parametrize("content", [GIF, FILM, png(data_mining("DMI-ALLOWED"))[:-30], b"%PDF-1.7 and no more"])
def test_a_file_that_cannot_be_read_is_no_statement(content: bytes) -> None:
    row = audited(content, ("Content-Type", "application/pdf" if content.startswith(b"%PDF") else "image/gif"))
    for usage in ("index", "ai_train"):
        assert row[f"{usage}_outcome"] == "prohibited"
        assert (row[f"{usage}_kind"], row[f"{usage}_stated"]) == ("unreadable", False)
        assert (row[f"{usage}_dialect"], row[f"{usage}_carrier"]) == ("embedded", "page")
    assert (row["crawl_outcome"], row["crawl_kind"], row["error"]) == ("permitted", "statement", None)


def test_what_is_stated_beside_such_a_file_has_its_row() -> None:
    """A header that reserves, or a packet of the file itself; of indexing nobody spoke."""
    cut = png(reserved("1"))[:-30]
    for row in (audited(GIF, ("TDM-Reservation", "1")), audited(cut, ("Content-Type", "image/png"))):
        assert (row["ai_train_kind"], row["ai_train_stated"], row["ai_train_dialect"]) == ("statement", True, "tdmrep")
        assert (row["index_kind"], row["index_stated"]) == ("unreadable", False)
    refused = audited(GIF, ("X-Robots-Tag", "noindex"))
    assert (refused["index_kind"], refused["index_stated"]) == ("statement", True)
    assert refused["index_carrier"] == "header x-robots-tag"


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """Two PDF files that permit mining, a page, and their robots.txt."""
    permits = pdf(data_mining("DMI-ALLOWED"))
    return write_warc(
        tmp_path / "crawl.warc.gz",
        [
            Came(f"{SITE}/robots.txt", b"User-agent: *\nAllow: /\n", 0, "text/plain"),
            Came(f"{SITE}/a.pdf", permits, 1, "application/pdf"),
            Came(f"{SITE}/b.pdf", permits, 1, "application/pdf"),
            Came(f"{SITE}/c.html", b"<p>Words.</p>", 1, "text/html"),
        ],
    )


def call(crawl: Path, *options: str) -> Result:
    out = crawl.with_name("audit.parquet")
    return command_line.acap("audit", "--processes", "1", crawl, "-c", "examplebot", "-o", out, *options)


@pytest.mark.parametrize("content", [(), ("--content", "ai-train")])
def test_a_missing_package_is_told_with_what_to_install(
    content: tuple[str, ...], crawl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kept while an archive is read, or read again: the files are counted once."""
    monkeypatch.setitem(sys.modules, "acap.pages.embedded.pdf", None)
    line = "2 files not read: pip install 'acap[images]'"
    html = crawl.with_name("audit.html")
    told = call(crawl, "-u", "ai-train", *content, "--html", str(html))
    assert told.code == 1
    assert f"\n  {line}\n" in told.out
    assert "could not be read" not in told.out
    assert "2 files not read" in html.read_text(encoding="utf-8")
    summary = json.loads(call(crawl, "-u", "ai-train", *content, "--json").out)
    assert (summary["problems"], summary["lacking"], summary["unread"]) == ([line], {"images": 2}, 0)


def test_nothing_is_to_be_installed_where_all_was_read_or_all_is_permitted(
    crawl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "pip install" not in (told := call(crawl, "-u", "ai-train")).out
    assert told.code == 0
    monkeypatch.setitem(sys.modules, "acap.pages.embedded.pdf", None)
    summary = json.loads(call(crawl, "-u", "crawl", "--json").out)
    assert (summary["problems"], "lacking" in summary) == ([], False)


def test_a_table_of_pages_tells_a_missing_package_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "acap.pages.embedded.pdf", None)
    pages, robots = tmp_path / "p.parquet", tmp_path / "r.jsonl"
    pq.write_table(pa.table({"url": [f"{SITE}/a"], "content": [pdf(data_mining("DMI-ALLOWED"))]}), pages)
    robots.write_text(json.dumps({"url": f"{SITE}/", "robots": ""}), encoding="utf-8")
    assert "\n  1 file not read: pip install 'acap[images]'\n" in call(pages, "--robots", str(robots), "-u", "tdm").out
