"""A page that hangs on a licence of which nobody knows what it says is counted, with what makes it known."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from acap.audits.audit_page import audit_page
from acap.audits.summary import AuditSummary
from tests import command_line
from tests.crawled import Came, write_warc

SITE = "https://a.example"
LICENCE = (
    b'<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license><prohibits type="usage">ai-train</prohibits>'
    b"</license></content></rsl>"
)
OPEN = Came(f"{SITE}/robots.txt", b"User-agent: *\nAllow: /\n", 0, "text/plain")
NAMING = OPEN._replace(body=OPEN.body + b"License: https://a.example/l.xml\n")
PAGE = Came(f"{SITE}/a", b"<p>Words.", 1, "text/html")
LINKED = PAGE._replace(body=b'<link rel=license type="application/rsl+xml" href="/l.xml"><p>Words.')
INLINE = PAGE._replace(body=b'<script type="application/rsl+xml">' + LICENCE + b"</script><p>Words.")
KNOWN = Came(f"{SITE}/l.xml", LICENCE, 0, "application/rsl+xml")
GONE = KNOWN._replace(body=b"", status=404)
WORDS = (
    "a licence that robots.txt or the page names is not known; give an archive that has it with `--robots`, or ask the "
    "sites with `--fetch`"
)


@pytest.mark.parametrize(
    ("responses", "number"),
    [
        ((NAMING, PAGE, PAGE._replace(url=f"{SITE}/b")), 2),
        ((OPEN, LINKED), 1),
        ((NAMING, LINKED, INLINE), 2),
        ((NAMING, KNOWN, PAGE), 0),
        ((OPEN, KNOWN, LINKED), 0),
        ((OPEN, INLINE), 0),
        ((OPEN, PAGE), 0),
        ((NAMING._replace(body=NAMING.body.replace(b"Allow", b"Disallow")), PAGE), 0),
    ],
)
@pytest.mark.parametrize("content", [(), ("--content", "ai-train")])
def test_pages_that_hang_on_an_unknown_licence_are_counted(
    responses: tuple[Came, ...], number: int, content: tuple[str, ...], tmp_path: Path
) -> None:
    """Whatever a licence that is known says, and who refuses by robots.txt, is a refusal."""
    archive = write_warc(tmp_path / "crawl.warc.gz", responses)
    call: list[str | Path] = [
        "audit",
        "--processes",
        "1",
        archive,
        "-c",
        "examplebot",
        "-u",
        "ai-train,index",
        *content,
        "-o",
    ]
    told = command_line.acap(*call, tmp_path / "a.parquet")
    line = f"{number} page{'' if number == 1 else 's'}: {WORDS}"
    assert (f"\n  {line}\n" in told.out) == bool(number)
    assert ("is not known" in told.out) == bool(number)
    summary = json.loads(command_line.acap(*call, tmp_path / "b.parquet", "--json").out)
    assert (summary["unknown_licences"], summary["problems"]) == (number, [line] if number else [])


def test_tables_of_policies_count_them_too(tmp_path: Path) -> None:
    """Mining is conditional on the licence then, and the rest prohibited."""
    pages, robots, out = tmp_path / "p.jsonl", tmp_path / "r.jsonl", tmp_path / "a.parquet"
    pages.write_text(json.dumps({"url": PAGE.url, "content": "<p>Words."}), encoding="utf-8")
    robots.write_text(json.dumps({"url": SITE, "robots": NAMING.body.decode()}), encoding="utf-8")
    call = ("audit", "--processes", "1", pages, "--robots", robots, "-c", "examplebot", "-u", "tdm,index", "-o", out)
    assert f"\n  1 page: {WORDS}\n" in command_line.acap(*call).out
    (row,) = pq.read_table(out).to_pylist()
    assert (row["tdm_outcome"], row["index_outcome"]) == ("conditional", "prohibited")


def test_a_licence_that_is_gone_is_not_known_either(tmp_path: Path) -> None:
    archive = write_warc(tmp_path / "crawl.warc.gz", [NAMING, GONE, PAGE])
    told = command_line.acap("audit", archive, "-c", "examplebot", "-u", "index", "-o", tmp_path / "a.parquet")
    assert WORDS in told.out


def test_the_page_has_the_line_and_parts_are_added() -> None:
    summary = AuditSummary(rows=2, unknown_licences=1)
    summary.merge(AuditSummary.from_json(summary.to_json()))
    assert f"2 pages: {WORDS}" in audit_page(summary, {})
