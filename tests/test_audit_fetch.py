"""An audit asks sites for what it does not have of them, once each, and answers as if they were asked one by one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from acap.archives import read_warc
from acap.archives.shelf import ArchiveShelf, shelve
from acap.audits.fetching import FRESH, FetchJournal, in_turns, unknown
from acap.audits.policies import ShelvedPolicies
from acap.carriers import carriers
from acap.retrieval import Retriever
from acap.sites.gathering import gather
from tests import command_line
from tests.crawled import BEGIN, Came, crawl, record, robots_table, site, table_of, write_warc
from tests.loopback import reply
from tests.many_sites import HANGS, ManySites, every_way
from tests.portions import portion
from tests.test_audit_named_policies import FREE
from tests.test_audit_named_policies import named as reserved

USAGES = ("crawl", "index", "ai-train", "tdm")
ACAP = (sys.executable, "-m", "acap", "audit")
ASKED = ("-c", "examplebot", "-u", ",".join(USAGES), "--processes", "1")
FETCH = ("--fetch", "--allow-private", "--timeout", "3")


def run(*arguments: str | Path, code: int = 1) -> str:
    """What `acap audit` prints; it must end with the code."""
    return command_line.acap("audit", *arguments).ended(code)


def rows_of(out: Path) -> list[dict[str, Any]]:
    """The rows of an audit."""
    rows: list[dict[str, Any]] = pq.read_table(out).to_pylist()
    return rows


def answers(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """What rows answer, without the times."""
    names = [name for name in rows[0] if name not in ("policy_time", "policy_age", "evidence", "fetch_time")]
    return [tuple(str(row[name]) for name in names) for row in rows]


@pytest.fixture(scope="module")
def sites() -> Iterator[ManySites]:
    """Sites that answer in every way there is."""
    with ManySites(every_way) as served:
        yield served


def pages(sites: ManySites, count: int) -> list[Came]:
    """Two pages of each of so many sites, one of which names a licence."""
    found = []
    for number in range(count):
        named = b'<link rel=license type="application/rsl+xml" href="/of-pages.xml">' if number % 2 == 0 else b""
        found.append(Came(sites.url(number, "/private/a"), b"<title>A</title><p>One."))
        found.append(Came(sites.url(number, "/b"), b"<title>B</title>%b<p>Two." % named))
    return found


def plainly(retriever: Retriever, page: Came, at: datetime) -> list[str]:
    """What the plain API answers for a page, one site at a time."""
    found = carriers(page.body, url=page.url, headers=page.pairs, status=200, length=len(page.body))
    said = retriever.gather(gather(retriever, page.url, response=found))
    decisions = said.decide_each(
        page.url, crawler="examplebot", usages=USAGES, at=at, page=found.page, others=found.others
    )
    return [str(decisions[usage].outcome) for usage in USAGES]


@pytest.mark.portion
def test_sites_are_asked_as_the_plain_api_asks_them(sites: ManySites, tmp_path: Path) -> None:
    """Every way to answer, on many hosts: the rows are those of the plain API, and the archive proves them."""
    count = len(portion(range(640), 10))
    given = pages(sites, count)
    pq.write_table(table_of(given), tmp_path / "pages.parquet")
    out = tmp_path / "o.parquet"
    began = datetime.now(UTC)
    run(tmp_path / "pages.parquet", *ASKED, *FETCH, "-o", out)
    rows = rows_of(out)
    assert len(rows) == 2 * count
    at = datetime.fromisoformat(json.loads(pq.read_schema(out).metadata[b"acap"])["at"])
    assert began < at < datetime.now(UTC)
    twice = {(number, path): times for (number, path), times in sites.asked.items() if times > 1}
    assert {path for _, path in twice} <= {"/robots.txt"}  # a circle, and too many redirects
    assert {number % 16 for number, _ in twice} <= {11}
    assert {row["error"] for row in rows} == {None}
    with Retriever(allow_private=True, timeout=3) as retriever, ThreadPoolExecutor(16) as threads:
        expected = list(threads.map(lambda page: plainly(retriever, page, at), given[:32]))
    assert [[row[f"{usage.replace('-', '_')}_outcome"] for usage in USAGES] for row in rows[:32]] == expected
    assert {outcome for row in expected for outcome in row} == {"permitted", "conditional", "prohibited"}
    archive = tmp_path / "o.parquet.policies.warc.gz"
    archive = archive.rename(tmp_path / "said.warc.gz")
    proved = tmp_path / "proved.parquet"
    run(tmp_path / "pages.parquet", *ASKED, "--robots", archive, "--at", at.isoformat(), "-o", proved)
    assert pq.read_table(proved).equals(pq.read_table(out))
    said = [capture for capture in read_warc(archive) if capture.url == sites.url(5, "/robots.txt")]
    assert [hop["url"] for hop in said[0].metadata["chain"]] == [sites.url(5, "/robots.txt")]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_audit_asks_nobody_again(tmp_path: Path, how: signal.Signals) -> None:
    """Killed, or stopped by Ctrl-C, while sites are asked: the same call asks the others, and comes to the same."""
    is_slow = True

    def says(number: int, path: str) -> bytes:
        return HANGS if is_slow and number >= 8 else every_way(number % 4, path)

    with ManySites(says) as sites:
        pq.write_table(table_of(pages(sites, 12)), tmp_path / "pages.parquet")
        out = tmp_path / "o.parquet"
        call = (tmp_path / "pages.parquet", *ASKED, *FETCH[:2], "--timeout", "60", "-o", out)
        going = subprocess.Popen(
            [*ACAP, *map(str, call)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
        journal = tmp_path / "o.parquet.parts" / "fetched.sqlite"
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and _kept(journal) < 8:
            time.sleep(0.02)
        os.killpg(going.pid, how)
        going.communicate()
        if how is signal.SIGINT:
            assert going.returncode == 130
        before = dict(sites.asked)
        is_slow = False
        run(*call)
        again = {key for key, times in sites.asked.items() if times > before.get(key, 0)}
        assert {number for number, _ in again} == set(range(8, 12))
        if how is signal.SIGKILL:
            whole = tmp_path / "whole.parquet"
            run(*call[:-1], whole)
            assert answers(rows_of(out)) == answers(rows_of(whole))
    assert not (tmp_path / "o.parquet.parts").exists()


def _kept(journal: Path) -> int:
    if not journal.exists():
        return 0
    kept = FetchJournal(journal)
    known = kept.known(datetime.now(UTC) - FRESH)
    kept.close()
    return len(known)


def test_who_does_not_answer_permits_nothing_whatever_missing_means(tmp_path: Path) -> None:
    """A host that nobody is at, and private ones: no policy is missing then, but one is unreachable."""
    with ManySites(lambda *_: HANGS) as sites:
        urls = ["http://127.0.0.1:9/x", sites.url(1, "/x"), "http://nobody.invalid/x", "https://127.0.0.1:1/x"]
        pq.write_table(pa.table({"url": urls}), tmp_path / "pages.parquet")
        out = tmp_path / "o.parquet"
        run(tmp_path / "pages.parquet", *ASKED, "--fetch", "--timeout", "0.3", "--missing", "permitted", "-o", out)
        assert {(row["crawl_outcome"], row["crawl_kind"]) for row in rows_of(out)} == {("prohibited", "unreachable")}
        assert not sites.asked


def test_what_the_input_has_of_the_last_day_is_not_asked_for(tmp_path: Path) -> None:
    """A site is not asked whose documents are all among the input; an older one is, and what it says now decides."""
    now = datetime.now(UTC)
    with ManySites(every_way) as sites:

        def came(number: int, path: str, body: bytes = b"", status: int = 200) -> bytes:
            at = now - (timedelta(hours=1) if number == 1 else timedelta(days=3))
            one = Came(sites.url(number, path), body, 0, "text/plain", status)
            return record(one).replace(one.at.isoformat().encode(), at.isoformat().encode())

        octets = b""
        for number in (1, 17):
            octets += came(number, "/robots.txt", b"User-agent: *\nAllow: /\n")
            octets += came(number, "/.well-known/tdmrep.json", status=404) + came(number, "/ai.txt", status=404)
            octets += came(number, "/private/a", b"<p>A page.")
        archive = tmp_path / "a.warc"
        archive.write_bytes(octets)
        out = tmp_path / "o.parquet"
        run(archive, *ASKED, *FETCH, "-o", out)
        assert {number for number, _ in sites.asked} == {17}
    found = [row["crawl_outcome"] for row in rows_of(out) if row["url"].endswith("/private/a")]
    assert found == ["permitted", "prohibited"]


def test_what_an_acap_record_refers_to_is_asked_for(tmp_path: Path) -> None:
    """A site of which the input has a fresh robots.txt and not what it refers to is asked, too."""
    leads = b"ACAP-crawler: *\nACAP-permissions-reference: /r.txt\n"

    def says(number: int, path: str) -> bytes:
        if path == "/robots.txt":
            return reply(200, leads, (("Content-Type", "text/plain"),))
        return reply(200, b"ACAP-crawler: *\nACAP-allow-crawl: /\n") if path == "/r.txt" and number else reply(404)

    with ManySites(says) as sites:
        at = (datetime.now(UTC) - timedelta(hours=1)).isoformat().encode()
        octets = b""
        for path, body, status in (
            ("/robots.txt", leads, 200),
            ("/.well-known/tdmrep.json", b"", 404),
            ("/ai.txt", b"", 404),
        ):
            one = Came(sites.url(1, path), body, 0, "text/plain", status)
            octets += record(one).replace(one.at.isoformat().encode(), at)
        known, out = tmp_path / "known.warc", tmp_path / "o.parquet"
        known.write_bytes(octets)
        pq.write_table(pa.table({"url": [sites.url(number, "/x") for number in range(3)]}), tmp_path / "pages.parquet")
        run(tmp_path / "pages.parquet", *ASKED, *FETCH, "--robots", known, "-o", out)
        assert [row["crawl_outcome"] for row in rows_of(out)] == ["prohibited", "permitted", "permitted"]
        assert sites.asked[1, "/r.txt"] == sites.asked[2, "/r.txt"] == 1


def test_a_policy_that_a_tdmrep_json_names_is_asked_for(tmp_path: Path) -> None:
    """A site of which the input has all but that is asked."""

    def says(number: int, path: str) -> bytes:
        if path == "/.well-known/tdmrep.json":
            return reply(200, reserved(hosts.url(number, "/policy.json")))
        return reply(200, FREE) if path == "/policy.json" else reply(404)

    with ManySites(says) as hosts:
        at = (datetime.now(UTC) - timedelta(hours=1)).isoformat().encode()
        octets = b""
        for number in (0, 1):
            file = reserved(hosts.url(number, "/policy.json"))
            for path, body, status in (
                ("/robots.txt", b"User-agent: *\nAllow: /\n", 200),
                ("/.well-known/tdmrep.json", file, 200),
                ("/ai.txt", b"", 404),
                *([("/policy.json", FREE, 200)] if number else []),
            ):
                one = Came(hosts.url(number, path), body, 0, "text/plain", status)
                octets += record(one).replace(one.at.isoformat().encode(), at)
        known, out = tmp_path / "known.warc", tmp_path / "o.parquet"
        known.write_bytes(octets)
        pq.write_table(pa.table({"url": [hosts.url(0, "/x"), hosts.url(1, "/x")]}), tmp_path / "pages.parquet")
        run(tmp_path / "pages.parquet", *ASKED, *FETCH, "--robots", known, "-o", out, code=0)
        assert {number for number, _ in hosts.asked} == {0}
        assert {row["ai_train_outcome"] for row in rows_of(out)} == {"permitted"}


@pytest.mark.parametrize("named", [["http://10.0.0.7/p.json"], [f"{site(0)}/{number}" for number in range(65)]])
def test_what_nobody_may_ask_for_is_no_reason_to_ask_a_site(named: list[str], tmp_path: Path) -> None:
    """A policy in a private network, and policies beyond as many as are looked for, are not there at any time."""
    file = [{"location": f"/{at}", "tdm-reservation": 1, "tdm-policy": url} for at, url in enumerate(named)]
    came = [
        Came(f"{site(0)}/robots.txt", b"User-agent: *\nAllow: /\n", -1, "text/plain"),
        Came(f"{site(0)}/.well-known/tdmrep.json", json.dumps(file).encode(), -1, "application/json"),
        Came(f"{site(0)}/ai.txt", b"", -1, "text/plain", 404),
        *(Came(url, FREE, -1, "application/json") for url in named if url.startswith(site(0))),
    ]
    for missing in (0, 1):
        shelf = ArchiveShelf(":memory:")
        shelf.add(shelve(write_warc(tmp_path / "a.warc.gz", came[: len(came) - 2 * missing]), 0, BEGIN))
        shelf.finish()
        asked = unknown({site(0): []}, shelf, ShelvedPolicies(shelf, BEGIN), BEGIN)
        assert list(asked) == [site(0)] * missing


def test_a_policy_of_now_says_nothing_of_the_past(tmp_path: Path) -> None:
    """--at in the past is a wrong call with --fetch, and so are options of --fetch without it."""
    archive = write_warc(tmp_path / "a.warc.gz", crawl(1, 3))
    for more in (["--fetch", "--at", "2026-01-01"], ["--timeout", "3"], ["--contact", "x"], ["--user-agent", "x"]):
        said = run(archive, *ASKED, *more, "-o", tmp_path / "o.parquet", code=2)
        assert said.count("\n") == 1
    assert [one.name for one in tmp_path.iterdir()] == ["a.warc.gz"]


def test_the_archive_of_an_audit_is_no_input_of_it(tmp_path: Path) -> None:
    """In a directory it is left out; named as an input, it is not written over."""
    (tmp_path / "o.parquet").write_bytes(b"x")
    archive = write_warc(tmp_path / "o.parquet.policies.warc.gz", crawl(1, 0))
    robots = tmp_path / "r.parquet"
    pq.write_table(robots_table(crawl(1, 3)), robots)
    before = archive.read_bytes()
    said = run(robots, "--robots", archive, *ASKED, *FETCH, "-o", tmp_path / "o.parquet", code=2)
    assert "it is one of the inputs" in said
    assert archive.read_bytes() == before


def test_sites_of_one_domain_are_far_from_each_other() -> None:
    """A domain with many hosts keeps no other waiting."""
    many = [f"https://h{n}.blog.example" for n in range(5)]
    ordered = in_turns([*many, "https://a.org", "https://b.org"])
    assert set(ordered[:3]) == {many[0], "https://a.org", "https://b.org"}
    assert ordered[3:] == many[1:]
