"""Licences that pages name decide in archives as they do where they are retrieved, and in tables as unknown ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

import acap
from acap.archives.shelf import ArchiveShelf, shelve
from acap.audits.policies import ShelvedPolicies
from acap.audits.rows import AuditedResource, Auditor
from acap.carriers import carriers
from acap.dialects.rsl.associations import RslLicences
from acap.dialects.rsl.policy import parse_rsl, whole_documents
from acap.sites.licences import LostLicences
from tests.crawled import BEGIN, Came, site, write_warc
from tests.test_site_documents import ALL, SEARCHED, UNSEARCHED, UNUSED

if TYPE_CHECKING:
    from pathlib import Path

HOME = site(0)
PAGE, LICENCE, ROBOTS = f"{HOME}/p", f"{HOME}/licence.xml", b"User-agent: *\nAllow: /\n"
USAGES = ("index", "preserve", "present-snippet", "ai-train")
LINK = ("Link", '</licence.xml>; rel="license"; type="application/rsl+xml"')
ELEMENT = b'<html><head><link rel="license" type="application/rsl+xml" href="/licence.xml"></head><body>A page.'
NAMED = {
    "header": (b"<html><body>A page.", "text/html", (LINK,)),
    "element": (ELEMENT, "text/html", ()),
    "octet-stream": (ELEMENT, "application/octet-stream", ()),
    "no type": (ELEMENT, "", ()),
    "text": (b"A text.", "text/plain", (LINK,)),
}


def page_named(how: str) -> Came:
    """A page that names a licence in one of the ways."""
    body, media, headers = NAMED[how]
    return Came(PAGE, body, 0, media, 200, headers)


def audited(directory: Path, page: Came, *came: Came) -> list[str]:
    """The outcomes where an archive has these answers beside a robots.txt that permits."""
    robots = Came(f"{HOME}/robots.txt", ROBOTS, -1, "text/plain")
    shelf = ArchiveShelf(":memory:")
    shelf.add(shelve(write_warc(directory / "a.warc.gz", [robots, *came, page]), 0, BEGIN))
    shelf.finish()
    auditor = Auditor(ShelvedPolicies(shelf, BEGIN), crawler="examplebot", usages=list(USAGES), now=BEGIN)
    row = auditor.row(AuditedResource(page.url, page.at, headers=page.pairs, octets=page.body))
    return [str(cell.outcome) for cell in row.cells]


def retrieved(page: Came, octets: bytes | None) -> list[str]:
    """The same where the licence was retrieved; None: it could not be."""
    robots = acap.parse_robots(ROBOTS, url=f"{HOME}/robots.txt")
    read = carriers(page.body, url=page.url, headers=page.pairs, length=len(page.body)).page
    documents = {LICENCE: None if octets is None else parse_rsl(octets, url=LICENCE)}
    others = (
        RslLicences(robots=robots, documents=documents, page=read),
        LostLicences(robots, whole_documents(documents), read),
    )
    return [
        str(acap.decide(page.url, crawler="examplebot", usage=usage, robots=robots, page=read, others=others).outcome)
        for usage in USAGES
    ]


@pytest.mark.parametrize("licence", [ALL, SEARCHED, UNSEARCHED, UNUSED, b"<rsl", b"<html>Sorry"])
@pytest.mark.parametrize("how", NAMED)
def test_a_captured_licence_decides_as_a_retrieved_one(how: str, licence: bytes, tmp_path: Path) -> None:
    page = page_named(how)
    assert audited(tmp_path, page, Came(LICENCE, licence, -1, "application/rsl+xml")) == retrieved(page, licence)


@pytest.mark.parametrize("how", NAMED)
def test_a_licence_that_is_not_there_prohibits_every_use(how: str, tmp_path: Path) -> None:
    """Nobody captured it, it failed, it is too old, or stands in a private network."""
    page = page_named(how)
    expected = ["prohibited"] * len(USAGES)
    assert retrieved(page, None) == expected == audited(tmp_path, page)
    for status in (404, 403, 503, 301):
        assert audited(tmp_path, page, Came(LICENCE, b"", -1, "text/plain", status)) == expected
    assert audited(tmp_path, page, Came(LICENCE, ALL, -24 * 31, "application/rsl+xml")) == expected
    inside = Came("http://192.168.0.9/l.xml", ALL, -1, "application/rsl+xml")
    moved = Came(LICENCE, b"", -1, "text/plain", 302, (("Location", inside.url),))
    assert audited(tmp_path, page, moved, inside) == expected


@pytest.mark.parametrize("how", NAMED)
def test_beside_a_table_a_licence_of_a_page_is_unknown(how: str) -> None:
    """A table of robots.txt files has no licences, and nothing that is unknown permits."""
    page = page_named(how)
    pages = pa.table({
        "url": [page.url],
        "html": pa.array([page.body], pa.binary()),
        "headers": ["".join(f"{name}: {value}\r\n" for name, value in page.pairs)],
    })  # fmt: skip
    robots = pa.table({"site": [HOME], "robots": [ROBOTS]})
    for missing in ("prohibited", "permitted"):
        auditing = acap.BatchAuditor(robots, crawler="examplebot", usages=USAGES, missing=missing, now=BEGIN)
        [row] = auditing(pages).to_pylist()
        outcomes = [row[f"{usage.replace('-', '_')}_outcome"] for usage in USAGES]
        assert outcomes == ["prohibited"] * len(USAGES)


@pytest.mark.parametrize(("licence", "outcome"), [
    ("https://a.example/l.xml", "conditional"), ("/l.xml", "conditional"), ("mailto:ask@a.example", "conditional"),
    ("http://10.0.0.7/l.xml", "prohibited"), ("https://a.test/l.xml", "prohibited"),
])  # fmt: skip
def test_beside_a_table_mining_is_conditional_on_a_licence_of_robots_txt(licence: str, outcome: str) -> None:
    """Nobody asked for it; nobody would in a private network."""
    robots = pa.table({"site": [HOME], "robots": [ROBOTS + f"License: {licence}\n".encode()]})
    auditing = acap.BatchAuditor(robots, crawler="examplebot", usages=["ai-train"], now=BEGIN)
    assert auditing(pa.table({"url": [PAGE]}))["ai_train_outcome"].to_pylist() == [outcome]
