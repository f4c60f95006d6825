"""What ACAP records refer crawlers to is supplied from archives, as of the time of the page."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from acap.archives.capture import Capture
from acap.archives.record import members
from acap.archives.shelf import ArchiveShelf, shelve
from acap.audits.policies import ShelvedPolicies
from acap.audits.rows import AuditedResource, Auditor
from tests.command_line import acap as run
from tests.crawled import BEGIN, Came, site, write_warc

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from acap.robots import RobotsPolicy

HOME = site(0)
NOW = BEGIN + timedelta(days=100)
LEADS = b"ACAP-crawler: *\nACAP-permissions-reference: %b\n"
ALLOW = b"ACAP-crawler: *\nACAP-allow-crawl: /\n"
DENY = b"ACAP-crawler: *\nACAP-disallow-crawl: /p\n"
DAY = 24


def came(path: str, body: bytes, hours: float = -DAY, status: int = 200, *headers: tuple[str, str]) -> Came:
    """What the site said at a path; an absolute URL is that of another one."""
    return Came(path if "://" in path else HOME + path, body, hours, "text/plain", status, headers)


def leads(path: str, target: str, hours: float = -DAY) -> Came:
    """A redirect of the site."""
    return came(path, b"", hours, 302, ("Location", target))


def policies_of(directory: Path, said: Sequence[Came]) -> tuple[RobotsPolicy, ...]:
    """What speaks for the page."""
    shelf = ArchiveShelf(":memory:")
    shelf.add(shelve(write_warc(directory / "a.warc.gz", said), 0, NOW))
    shelf.finish()
    return ShelvedPolicies(shelf, NOW).speaking(f"{HOME}/p", BEGIN)


def row_of(directory: Path, said: Sequence[Came]) -> tuple[str, str | None]:
    """Whether the page may be crawled, and why."""
    shelf = ArchiveShelf(":memory:")
    shelf.add(shelve(write_warc(directory / "a.warc.gz", said), 0, NOW))
    shelf.finish()
    auditor = Auditor(ShelvedPolicies(shelf, NOW), crawler="examplebot", now=NOW)
    cell = auditor.row(AuditedResource(f"{HOME}/p", BEGIN)).cells[0]
    return str(cell.outcome), cell.kind


MISSING = ("prohibited", "reference-missing")
PERMITS, PROHIBITS = ("permitted", "statement"), ("prohibited", "statement")


@pytest.mark.parametrize(
    ("uri", "said", "expected"),
    [
        (b"/r.txt", [], MISSING),
        (b"/r.txt", [came("/r.txt", ALLOW)], PERMITS),
        (b"/r.txt", [came("/r.txt", DENY)], PROHIBITS),
        (b"https://perm.example/x?a", [came("https://perm.example/x?a", ALLOW)], PERMITS),
        (b"http://10.1.2.3/x", [came("http://10.1.2.3/x", ALLOW)], MISSING),
        (b"/r.txt", [leads("/r.txt", "http://10.1.2.3/x"), came("http://10.1.2.3/x", ALLOW)], MISSING),
        (b"/r.txt", [came("/r.txt", b"", -DAY, 404)], MISSING),
        (b"/r.txt", [came("/r.txt", b"", -DAY, 503)], MISSING),
        (b"/r.txt", [came("/r.txt", b"<html>Sign in</html>")], MISSING),
        (b"/r.txt", [came("/r.txt", b"User-agent: *\nAllow: /\n")], MISSING),
        (b"/r.txt", [came("/r.txt", LEADS % b"/s.txt"), came("/s.txt", ALLOW)], MISSING),
        (b"/robots.txt", [], MISSING),
        (b"/r.txt", [leads("/r.txt", "/s.txt"), came("/s.txt", ALLOW)], PERMITS),
        (b"/r.txt", [leads("/r.txt", "/s.txt"), came("/s.txt", ALLOW, -31 * DAY)], MISSING),
        (b"/r.txt", [leads("/r.txt", "/s.txt", -30 * DAY), came("/s.txt", ALLOW, -9 * DAY)], PERMITS),
        (b"/r.txt", [leads("/r.txt", "/s.txt", -9 * DAY), came("/s.txt", ALLOW, -9 * DAY),
                     came("/s.txt", DENY, -2 * DAY)], PROHIBITS),
        (b"/r.txt", [came("/r.txt", DENY, -2 * DAY), came("/r.txt", b"<html>Sign in</html>")], PROHIBITS),
        # An old target as it was until the redirect was gone.
        (b"/r.txt", [leads("/r.txt", "/s.txt", -29 * DAY), leads("/r.txt", "/t.txt", -1),
                     came("/s.txt", DENY, -9 * DAY), came("/s.txt", ALLOW, -0.2)], PROHIBITS),
        (b"/r.txt", [leads("/r.txt", "/s.txt", -29 * DAY), leads("/r.txt", "/t.txt", -1), came("/s.txt", ALLOW, -0.2)],
         MISSING),
        (b"/r.txt", [leads("/r.txt", "/s.txt", -29 * DAY), leads("/r.txt", "/t.txt", -1), came("/s.txt", ALLOW, -9)],
         PERMITS),
        # As of the time of the page.
        (b"/r.txt", [came("/r.txt", ALLOW, -31 * DAY)], MISSING),
        (b"/r.txt", [came("/r.txt", ALLOW, -2 * DAY), came("/r.txt", DENY)], PROHIBITS),
        (b"/r.txt", [came("/r.txt", DENY, -2 * DAY), came("/r.txt", ALLOW)], PERMITS),
        (b"/r.txt", [came("/r.txt", ALLOW), came("/r.txt", DENY, 9)], PROHIBITS),
        (b"/r.txt", [came("/r.txt", ALLOW), came("/r.txt", DENY, 99)], PERMITS),
        (b"/r.txt", [came("/r.txt", ALLOW, 99)], MISSING),
    ],
)  # fmt: skip
def test_a_reference_is_supplied_from_archives(
    tmp_path: Path, uri: bytes, said: Sequence[Came], expected: tuple[str, str]
) -> None:
    """By the rule of times of a robots.txt; whatever is not there prohibits, as without an archive of it."""
    assert row_of(tmp_path, [came("/robots.txt", LEADS % uri), *said]) == expected


@pytest.mark.parametrize("is_asked", [True, False])
def test_a_relative_reference_is_of_where_its_policy_came_from(tmp_path: Path, *, is_asked: bool) -> None:
    """As in retrieval (RFC 3986 5.1.3): by redirects in the archive, and by those that a retrieval tells of."""
    away = "https://www.s0.example/policies/r"
    said = [leads("/robots.txt", away), came(away, LEADS % b"more")]
    policies = write_warc(tmp_path / "r.warc.gz", said).read_bytes()
    if is_asked:
        told = {"url": f"{HOME}/robots.txt", "meaning": "read", "final_url": away, "chain": [{"url": said[0].url}]}
        policies = members(Capture(said[0].url, said[0].at, 200, (), LEADS % b"more", metadata=told))
    for places, expected in (
        (["https://www.s0.example/policies/more"], PERMITS),
        (["/more", "/policies/more", "https://www.s0.example/more"], MISSING),
    ):
        file = write_warc(tmp_path / "a.warc.gz", [came(one, ALLOW) for one in places])
        file.write_bytes(file.read_bytes() + policies)
        shelf = ArchiveShelf(":memory:")
        shelf.add(shelve(file, 0, NOW))
        shelf.finish()
        auditor = Auditor(ShelvedPolicies(shelf, NOW), crawler="examplebot", now=NOW)
        cell = auditor.row(AuditedResource(f"{HOME}/p", BEGIN)).cells[0]
        assert (str(cell.outcome), cell.kind) == expected


@pytest.mark.parametrize("hops", [("/r.txt",), ("/r.txt", "/s.txt")])
def test_a_reference_that_leads_back_to_its_policy_is_missing(tmp_path: Path, hops: Sequence[str]) -> None:
    """Also by redirects, or where its policy came by one: nothing refers to itself (P1 4.7)."""
    itself = (LEADS + b"ACAP-allow-crawl: /\n") % b"/r.txt"
    led = [leads(*pair) for pair in pairwise((*hops, "/robots.txt"))]
    assert row_of(tmp_path, [came("/robots.txt", itself), *led]) == MISSING
    moved = [leads("/robots.txt", "/moved.txt"), came("/moved.txt", itself)]
    led = [leads(*pair) for pair in pairwise((*hops, "/moved.txt"))]
    assert row_of(tmp_path, [*moved, *led]) == MISSING
    other = came("/moved.txt", ALLOW)
    assert row_of(tmp_path, [came("/robots.txt", itself), *led, other]) == PERMITS


def test_all_references_are_supplied_up_to_as_many_as_are_retrieved(tmp_path: Path) -> None:
    """A fifth one is missing."""
    for count, expected in ((4, PERMITS), (5, MISSING)):
        refers = b"ACAP-crawler: *\n" + b"".join(
            b"ACAP-permissions-reference: /%d.txt\n" % number for number in range(count)
        )
        said = [came("/robots.txt", refers), *(came(f"/{number}.txt", ALLOW) for number in range(count))]
        assert row_of(tmp_path, said) == expected
        assert row_of(tmp_path, said[:-1]) == MISSING


def test_the_evidence_names_what_was_supplied(tmp_path: Path) -> None:
    """Rows by another document have another digest of the evidence."""
    seen = set()
    for body in (ALLOW, ALLOW + b"# more\n", DENY):
        refers = came("/robots.txt", LEADS % b"/r.txt")
        page = Came(f"{HOME}/p", b"<p>A page.", 0)
        archive = write_warc(tmp_path / "a.warc.gz", [refers, came("/r.txt", body), page])
        run("audit", archive, "-c", "examplebot", "-o", tmp_path / "o.parquet", "--processes", "1")
        rows = pq.read_table(tmp_path / "o.parquet").to_pylist()
        seen.add(next(row["evidence"] for row in rows if row["url"] == page.url))
    assert len(seen) == 3


def test_references_that_may_be_too_many_documents_are_missing(tmp_path: Path) -> None:
    """Each may be one of two documents: 16 policies come of four references, and not more of those that lead on."""
    refers = b"ACAP-crawler: *\n" + b"".join(b"ACAP-permissions-reference: /%d\n" % number for number in range(4))
    said = [came("/robots.txt", refers)]
    for number in range(4):
        said += [came(f"/{number}", ALLOW), came(f"/{number}", ALLOW + b"#", 9)]
    assert len(policies_of(tmp_path, said)) == 16
    assert row_of(tmp_path, said) == PERMITS
    said[1:3] = [came("/0", b"", hours, 302, ("Location", f"/to{hours}")) for hours in (-DAY, 9)]
    for hours in (-DAY, 9):
        said += [came(f"/to{hours}", ALLOW + b"# %d\n" % at, at) for at in (-1, 1)]
    assert len(policies_of(tmp_path, said)) <= 16
    assert row_of(tmp_path, said) == MISSING
