"""`acap import`: captures of WARC files are judged as a crawl's responses are, by the policies of then and of now."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import httpx2
import pytest

from acap.archives import read_warc
from acap.archives.timeline import Timelines
from acap.clock import FixedClock
from acap.harvest.conclusion import Conclusion, judge
from acap.harvest.importing import Imported, import_warc
from acap.harvest.judgement import ResourceState, Response
from acap.harvest.operator import Operator
from acap.harvest.presentation import Presentation, copy, extract, link, snippet
from acap.harvest.proof import verify
from acap.harvest.removal import remove
from acap.harvest.store import Act, Store, open_store
from acap.harvest.sweep import sweep
from acap.retrieval import Retriever, Rules
from acap.robots import RobotsPolicy, parse_robots
from tests.command_line import Result, acap
from tests.crawling import acts, entries, opened
from tests.portions import portion

SITE = "https://news.example"
OTHER = "https://other.example"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
OPERATOR = Operator(("examplebot",))
OPEN = b"User-agent: *\nDisallow: /private\n"


@dataclass(frozen=True)
class Record:
    """A response in an archive, captured so many days ago."""

    url: str
    body: bytes = b"<html><title>Title</title><p>words</html>"
    days: float = 100.0
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/html"),)

    @property
    def at(self) -> datetime:
        return NOW - timedelta(days=self.days)


def robots(body: bytes = OPEN, *, days: float = 101.0, site: str = SITE, status: int = 200) -> Record:
    """A robots.txt in an archive."""
    return Record(f"{site}/robots.txt", body, days, status, (("Content-Type", "text/plain"),))


def archive(path: Path, records: Iterable[Record]) -> Path:
    """A packed WARC file of these responses, as another crawler wrote it."""
    with path.open("wb") as file:
        for number, record in enumerate(records):
            headers = record.headers
            if not {"content-length", "transfer-encoding"} & {name.lower() for name, _ in headers}:
                headers = (*headers, ("Content-Length", str(len(record.body))))
            lines = [f"HTTP/1.1 {record.status} Said", *(f"{name}: {value}" for name, value in headers), "", ""]
            block = "\r\n".join(lines).encode("latin-1") + record.body
            fields = {
                "WARC-Type": "response",
                "WARC-Target-URI": record.url,
                "WARC-Date": record.at.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "WARC-Record-ID": f"<urn:uuid:00000000-0000-4000-8000-{number:012}>",
                "Content-Type": "application/http; msgtype=response",
                "Content-Length": str(len(block)),
            }
            head = "\r\n".join(["WARC/1.0", *(f"{name}: {value}" for name, value in fields.items()), "", ""])
            file.write(gzip.compress(head.encode() + block + b"\r\n\r\n"))
    return path


def take_in(where: Path, *files: Path, **more: Any) -> Imported:
    """Imports at a time that stands."""
    with open_store(where, operator=OPERATOR, clock=FixedClock(NOW)) as store, store.writing():
        return import_warc(store, files, **more)


def call(where: Path, *arguments: str | Path) -> Result:
    """The command, for a store that it makes."""
    return acap("import", *arguments, "--store", where, "--crawler", "examplebot")


def found(where: Path, word: str) -> set[str]:
    """URLs that the index finds."""
    with opened(where) as store:
        return {_url(store, number) for number, _ in store.database.search([word], 10, 0)}


def _url(store: Store, number: int) -> str:
    version = store.resources.version(number)
    assert version is not None
    return version.url


def test_captures_are_judged_and_kept(tmp_path: Path) -> None:
    """Pages are indexed and preserved as robots.txt and the pages say; refusals are in the ledger."""
    where = tmp_path / "s.db"
    records = (
        robots(),
        Record(f"{SITE}/a"),
        Record(f"{SITE}/b", b'<meta name="robots" content="noindex"><p>hidden'),
        Record(f"{SITE}/private/c"),
    )
    result = call(where, archive(tmp_path / "x.warc.gz", records), "--json")
    assert (result.code, result.err) == (0, "")
    told = json.loads(result.out)
    assert (told["captures"], told["kept"], told["refused"]) == (4, 2, {"statement": 1})
    assert found(where, "words") == {f"{SITE}/a"}
    assert acts(where, f"{SITE}/b") == ["crawled crawl", "preserved preserve", "refused index"]
    assert acts(where, f"{SITE}/private/c") == ["refused crawl"]


def test_a_copy_keeps_the_time_of_its_capture(tmp_path: Path) -> None:
    """The copy and its version have the time the archive has; the ledger names the archive, and now as its own time."""
    where = tmp_path / "s.db"
    page = Record(f"{SITE}/a")
    take_in(where, archive(tmp_path / "x.warc.gz", [robots(), page]))
    with opened(where) as store:
        resource = store.resources.find(page.url)
        assert resource is not None
        [version] = store.resources.versions(resource.id)
        assert version.place is not None
        assert (version.crawled_at, store.copies.read(version.place).at) == (page.at, page.at)
        assert (resource.first_indexed, resource.first_preserved) == (NOW, NOW)
    crawled = entries(where, page.url)[0]
    assert crawled.at == NOW
    assert crawled.detail["origin"] == "x.warc.gz"
    assert crawled.detail["captured_at"] == page.at.isoformat()


def test_the_same_files_once_more_change_nothing(tmp_path: Path) -> None:
    """A second import passes everything over: no act, no version, no copy."""
    where = tmp_path / "s.db"
    records = [robots(), Record(f"{SITE}/a"), Record(f"{SITE}/private/c"), Record(f"{SITE}/gone", status=404)]
    records += [Record(f"{SITE}/a", days=90), Record(f"{SITE}/a", b"<p>third", days=80)]
    file = archive(tmp_path / "x.warc.gz", records)
    first = take_in(where, file)
    assert (first.kept, sum(first.refused.values())) == (4, 1)
    before = (entries(where), sorted(path.stat().st_size for path in tmp_path.rglob("*.warc.gz")))
    second = take_in(where, file)
    assert (second.kept, sum(second.refused.values())) == (0, 0)
    assert (entries(where), sorted(path.stat().st_size for path in tmp_path.rglob("*.warc.gz"))) == before
    assert call(where, file).code == 0


def test_without_a_policy_nothing_is_taken_in(tmp_path: Path) -> None:
    """A site of which no robots.txt is known is refused, and the command says so and ends with 3."""
    where = tmp_path / "s.db"
    result = call(where, archive(tmp_path / "x.warc.gz", [Record(f"{SITE}/a")]))
    assert result.code == 3
    assert f"no robots.txt of {SITE} is known" in result.err
    assert acts(where, f"{SITE}/a") == ["refused crawl"]
    assert found(where, "words") == set()


def test_crawling_is_asked_of_the_policy_of_that_time(tmp_path: Path) -> None:
    """Of several policies the last one before the capture decides whether it may have been crawled."""
    where = tmp_path / "s.db"
    records = [
        robots(b"User-agent: *\nDisallow: /", days=220),
        Record(f"{SITE}/early", days=200),
        robots(b"User-agent: *\nDisallow:", days=120),
        Record(f"{SITE}/late", days=100),
    ]
    imported = take_in(where, archive(tmp_path / "x.warc.gz", records))
    assert imported.refused == {"statement": 1}
    assert acts(where, f"{SITE}/early") == ["refused crawl"]
    assert found(where, "words") == {f"{SITE}/late"}


def test_what_was_closed_is_taken_in_for_no_use_either(tmp_path: Path) -> None:
    """That its site names it for a page lets a crawler fetch it; an import fetches nothing."""
    head = b'<meta name="robots" content="ACAP allow-present-snippet must-include-resource=/private/credit">'
    records = [robots(), Record(f"{SITE}/a", head + b"<p>words"), Record(f"{SITE}/private/credit")]
    imported = take_in(tmp_path / "s.db", archive(tmp_path / "x.warc.gz", records))
    assert (imported.kept, sum(imported.refused.values())) == (1, 1)
    assert acts(tmp_path / "s.db", f"{SITE}/private/credit") == ["refused crawl"]


def test_holding_is_asked_of_the_newest_policy(tmp_path: Path) -> None:
    """What may have been crawled once is not indexed if the newest policy, of whatever file, prohibits that."""
    where = tmp_path / "s.db"
    first = archive(tmp_path / "a.warc.gz", [robots(), Record(f"{SITE}/a")])
    newer = b"User-agent: *\nDisallow:\nACAP-crawler: *\nACAP-disallow-index: /\nACAP-allow-crawl: /\n"
    second = archive(tmp_path / "b.warc.gz", [robots(newer, days=5)])
    take_in(where, first, second)
    assert found(where, "words") == set()
    assert "refused index" in acts(where, f"{SITE}/a")


def test_a_policy_that_the_store_knows_better_is_not_replaced(tmp_path: Path) -> None:
    """An old archive does not undo what the site said later: the newer policy of the store decides."""
    where = tmp_path / "s.db"
    newer = parse_robots(b"User-agent: *\nDisallow: /", url=f"{SITE}/robots.txt")
    with open_store(where, operator=OPERATOR, clock=FixedClock(NOW)) as store, store.transaction():
        store.policies.note(newer, NOW - timedelta(days=1))
    take_in(where, archive(tmp_path / "a.warc.gz", [robots(), Record(f"{SITE}/a")]))
    assert found(where, "words") == set()
    with opened(where) as store:
        speaking = store.policies.speaking(f"{SITE}/a", NOW)
        assert speaking is not None
        assert speaking[1].octets == newer.octets


def test_policies_that_are_fetched_decide_now(tmp_path: Path) -> None:
    """With policies of the sites themselves, those decide on holding, and on crawling only if that was said."""
    where = tmp_path / "s.db"
    asked: list[str] = []

    def fetch(url: str) -> RobotsPolicy:
        asked.append(url)
        said = b"User-agent: *\nDisallow: /b" if url.startswith(OTHER) else b"User-agent: *\nDisallow: /"
        return parse_robots(said, url=url).with_evidence({"fetched_at": NOW.isoformat()})

    records = [robots(), Record(f"{SITE}/a"), Record(f"{OTHER}/a"), Record(f"{OTHER}/b")]
    file = archive(tmp_path / "x.warc.gz", records)
    imported = take_in(tmp_path / "strict.db", file, fetch_policy=fetch)
    assert (imported.refused, imported.sites_without_policy) == ({"unreachable": 2}, {OTHER})
    asked.clear()
    imported = take_in(where, file, fetch_policy=fetch, missing="now")
    assert sorted(asked) == [f"{SITE}/robots.txt", f"{OTHER}/robots.txt"]
    assert imported.refused == {"statement": 1}
    assert found(where, "words") == {f"{OTHER}/a"}


def test_a_site_that_does_not_answer_is_taken_at_its_last_word_for_30_days(tmp_path: Path) -> None:
    """If a site is asked and cannot be reached, a policy of the archive speaks for it only while that is fresh."""
    for days, held in ((29.0, {f"{SITE}/a"}), (31.0, set())):
        where = tmp_path / f"{days}.db"
        file = archive(tmp_path / f"{days}.warc.gz", [robots(days=days), Record(f"{SITE}/a", days=days)])
        take_in(where, file, fetch_policy=RobotsPolicy.unreachable)
        assert found(where, "words") == held


def test_answers_for_robots_txt_mean_what_they_mean_in_a_crawl(tmp_path: Path) -> None:
    """A 404 in the archive permits, a 503 prohibits, and a redirect leads to what it names if that is there."""
    cases = {
        "absent": ([robots(b"", status=404)], True),
        "failing": ([robots(b"", status=503)], False),
        "moved": (
            [Record(f"{SITE}/robots.txt", b"", 101, 301, (("Location", f"{OTHER}/robots.txt"),)), robots(site=OTHER)],
            True,
        ),
        "in a circle": (
            [
                Record(f"{SITE}/robots.txt", b"", 101, 301, (("Location", "/b"),)),
                Record(f"{SITE}/b", b"", 101, 302, (("Location", "/robots.txt"),)),
            ],
            False,
        ),
        "lost": ([Record(f"{SITE}/robots.txt", b"", 101, 301, (("Location", "/elsewhere"),))], False),
    }
    for name, (records, permitted) in cases.items():
        file = archive(tmp_path / f"{name}.warc.gz", [*records, Record(f"{SITE}/a")])
        assert (take_in(tmp_path / f"{name}.db", file).kept == 1) is permitted, name


def test_older_captures_than_what_is_held_are_passed_over(tmp_path: Path) -> None:
    """A page that is held as it was later stays the current one."""
    where = tmp_path / "s.db"
    take_in(where, archive(tmp_path / "a.warc.gz", [robots(days=11), Record(f"{SITE}/a", b"<p>later", days=10)]))
    imported = take_in(
        where, archive(tmp_path / "b.warc.gz", [robots(days=21), Record(f"{SITE}/a", b"<p>sooner", days=20)])
    )
    assert imported.passed["older than what is held"] == 1
    assert (found(where, "later"), found(where, "sooner")) == ({f"{SITE}/a"}, set())


def test_damage_is_told_and_the_rest_is_taken_in(tmp_path: Path) -> None:
    """Of a file that was cut, or has rubbish in it, what can be read is taken in; the command ends with 3."""
    where = tmp_path / "s.db"
    whole = archive(tmp_path / "x.warc.gz", [robots(), Record(f"{SITE}/a"), Record(f"{SITE}/b", b"<p>last" * 500)])
    octets = whole.read_bytes()
    whole.write_bytes(octets[:-20])
    result = call(where, whole)
    assert result.code == 3
    assert found(where, "words") == {f"{SITE}/a"}
    assert len(result.err.splitlines()) == 1
    assert str(whole) in result.err


def test_what_the_operator_removed_stays_away(tmp_path: Path) -> None:
    """A URL that was removed is not taken in from an archive."""
    where = tmp_path / "s.db"
    with open_store(where, operator=OPERATOR) as store, store.writing():
        remove(store, f"{SITE}/a")
    imported = take_in(where, archive(tmp_path / "x.warc.gz", [robots(), Record(f"{SITE}/a")]))
    assert (imported.kept, imported.passed["removed by the operator"]) == (0, 1)


def test_our_own_copies_can_be_taken_into_another_store(tmp_path: Path) -> None:
    """The files with copies of one store are archives for another."""
    where = tmp_path / "s.db"
    take_in(where, archive(tmp_path / "x.warc.gz", [robots(), Record(f"{SITE}/a")]))
    [copies] = (tmp_path / "s.db.copies").glob("*.warc.gz")
    assert [capture.url for capture in read_warc(copies)] == [f"{SITE}/a"]
    imported = take_in(tmp_path / "t.db", copies, archive(tmp_path / "r.warc.gz", [robots()]))
    assert imported.kept == 1
    assert found(tmp_path / "t.db", "words") == {f"{SITE}/a"}


def test_a_directory_stands_for_its_archives(tmp_path: Path) -> None:
    """All WARC files in a directory and below are taken in, and nothing else there."""
    inner = tmp_path / "archives" / "2026"
    inner.mkdir(parents=True)
    archive(inner / "a.warc.gz", [robots()])
    archive(inner.parent / "b.warc.gz", [Record(f"{SITE}/a")])
    (inner / "notes.txt").write_text("not an archive")
    assert call(tmp_path / "s.db", tmp_path / "archives").code == 0
    assert found(tmp_path / "s.db", "words") == {f"{SITE}/a"}


def test_wrong_calls_are_one_line(tmp_path: Path) -> None:
    """No file, a file that is not there or no regular one, a store that is not there: one line each, and 2."""
    file = archive(tmp_path / "x.warc.gz", [robots()])
    empty = tmp_path / "empty"
    empty.mkdir()
    (tmp_path / "pipes").mkdir()
    os.mkfifo(pipe := tmp_path / "pipes" / "x.warc.gz")
    where = tmp_path / "s.db"
    calls = {
        f"`{pipe}` cannot be read: it is not a regular file": (tmp_path / "pipes",),
        f"no file `{tmp_path / 'no.warc'}`; check the path": (tmp_path / "no.warc",),
        f"`{empty}` has no WARC files; their names end with .warc or .warc.gz": (empty,),
        "no file given; name a WARC file, or a directory with some": (),
        f"there is no store `{where}`; `acap crawl` or `acap import --crawler` makes one": (file,),
    }
    for said, arguments in calls.items():
        result = acap("import", *arguments, "--store", where)
        assert (result.code, result.out, result.err) == (2, "", f"acap: {said}\n")


CLOSED = b"User-agent: *\nDisallow: /\n"
CHUNKED = (("Content-Type", "text/plain"), ("Transfer-Encoding", "chunked"))


def taken_in(where: Path, *records: Record, **more: Any) -> set[str]:
    """The pages that are taken in, of one archive."""
    where.mkdir()
    imported = take_in(where / "s.db", archive(where / "x.warc.gz", records), **more)
    held = {record.url for record in records if acts(where / "s.db", record.url)[:1] == ["crawled crawl"]}
    assert len(held) == imported.kept
    return held


def test_the_policy_of_the_time_speaks_for_30_days_before_or_a_day_after(tmp_path: Path) -> None:
    """The nearest capture before the page, for 30 days at most, and one up to 24 hours later: both have to permit."""
    page = Record(f"{SITE}/a", days=100)
    cases = {
        "today": ([robots(days=100)], True),
        "30 days before": ([robots(days=130)], True),
        "later than that": ([robots(days=130.01)], False),
        "24 hours later": ([robots(days=99)], True),
        "later still": ([robots(days=98.99)], False),
        "before counts": ([robots(CLOSED, days=110), robots(days=99.5)], False),
        "after counts": ([robots(days=100.1), robots(CLOSED, days=99.9)], False),
        "both permit": ([robots(days=110), robots(days=99.5)], True),
        "none, then out of reach": ([robots(status=404, days=110), robots(status=503, days=99.5)], False),
        "a file, then out of reach": ([robots(days=110), robots(status=503, days=99.5)], True),
        "closed too late": ([robots(days=110), robots(CLOSED, days=98.9)], True),
        "nearest counts": ([robots(CLOSED, days=110), robots(days=105)], True),
        "too old, but a day later": ([robots(CLOSED, days=140), robots(days=99.5)], True),
        "ten years": ([robots(days=3_650)], False),
        "from the future": ([robots(days=1)], False),
    }
    for name, (records, permitted) in cases.items():
        held = {page.url} if permitted else set()
        assert taken_in(tmp_path / name, *records, page, fetch_policy=unasked) == held, name
        assert taken_in(tmp_path / f"{name}, turned", page, *reversed(records), fetch_policy=unasked) == held, name


def unasked(url: str) -> RobotsPolicy:
    """A policy of now that permits holding."""
    return parse_robots(b"", url=url).with_evidence({"fetched_at": NOW.isoformat()})


def test_what_is_missing_is_what_the_operator_says(tmp_path: Path) -> None:
    """Without a policy of the time nothing is taken in, or everything, or what the policy of now permits."""
    pages = [Record(f"{SITE}/a"), Record(f"{SITE}/private/b")]
    now = parse_robots(OPEN, url=SITE).with_evidence({"fetched_at": NOW.isoformat()})
    for missing, held in (("prohibited", 0), ("permitted", 2), ("now", 1)):
        assert len(taken_in(tmp_path / missing, *pages, missing=missing, fetch_policy=lambda _: now)) == held
    file = archive(tmp_path / "x.warc.gz", pages)
    result = call(tmp_path / "x.db", file, "--missing", "now")
    assert (result.code, result.err) == (2, "acap: `--missing now` needs the current policies; add --fetch-policies\n")
    assert call(tmp_path / "y.db", file, "--missing", "permitted").code == 0
    told = acap("ledger", "--store", tmp_path / "y.db").lines
    crawled = [line for line in told if "\tcrawled\t" in line]
    assert len(crawled) == 2
    assert all("the operator: no robots.txt of that time is known, and --missing permitted" in line for line in crawled)


def test_an_empty_file_is_a_damaged_one(tmp_path: Path) -> None:
    """What has no record at all is no archive that was read."""
    file = tmp_path / "x.warc"
    file.write_bytes(b"")
    result = call(tmp_path / "x.db", file)
    assert result.code == 3
    assert "the file is empty" in result.err


def test_a_site_out_of_reach_is_taken_at_its_last_file_for_30_days(tmp_path: Path) -> None:
    """What is no answer, and a page in place of the file, are bridged by the last file; none before bridges nothing."""
    page = Record(f"{SITE}/a", days=100)
    html = b"<!DOCTYPE html><title>Please log in</title>"
    troubles = [
        robots(status=503, days=101),
        robots(status=429, days=101),
        robots(status=408, days=101),
        robots(status=206, days=101),
        Record(f"{SITE}/robots.txt", b"", 101, 301, (("Location", "/elsewhere"),)),
        robots(html, days=101),
    ]
    for number, trouble in enumerate(troubles):
        is_page = trouble.body == html
        said = {
            "open": ([robots(days=105)], True),
            "closed": ([robots(CLOSED, days=105)], False),
            "old": ([robots(days=131)], False),
            "none": ([robots(status=404, days=105)], is_page),
            "nothing": ([], is_page),
            "other": ([robots(days=105), robots(b"Unauthorized", days=103)], True),
        }
        for name, (records, permitted) in said.items():
            held = taken_in(tmp_path / f"{number} {name}", *records, trouble, page, fetch_policy=unasked)
            assert held == ({page.url} if permitted else set()), (trouble, name)


def test_a_capture_that_cannot_be_read_stays_where_it_was(tmp_path: Path) -> None:
    """An old file that permits does not speak where a newer capture is damaged; a younger one bridges the gap."""
    page = Record(f"{SITE}/a", days=100)
    length = (("Content-Type", "text/plain"), ("Content-Length", "5000"))
    damaged = {
        "cut": Record(f"{SITE}/robots.txt", OPEN, 101, 200, length),
        "chunks": Record(f"{SITE}/robots.txt", b"5\r\nUser-", 101, 200, CHUNKED),
        "coding": Record(f"{SITE}/robots.txt", OPEN, 101, 200, (("Content-Encoding", "zstd"),)),
    }
    for name, trouble in damaged.items():
        for case, records, permitted in (
            ("old", [robots(days=3_650), trouble], False),
            ("bridged", [robots(days=105), trouble], True),
            ("alone", [trouble], False),
            ("mended", [trouble, robots(days=100.5)], True),
        ):
            held = taken_in(tmp_path / f"{name} {case}", *records, page, fetch_policy=unasked)
            assert held == ({page.url} if permitted else set()), (name, case)
    taken_in(tmp_path / "page", robots(), replace(page, headers=length))
    assert acts(tmp_path / "page/s.db", page.url) == ["crawled crawl"]  # its headers are heard


def test_many_policies_in_random_order_take_seconds(tmp_path: Path) -> None:
    """4,000 captures of one robots.txt, in no order, are put into order once."""
    days = [100 + number / 1_000 for number in range(4_000)]
    Random(1).shuffle(days)
    file = archive(tmp_path / "x.warc.gz", (robots(days=day) for day in days))
    started = time.process_time()
    timeline = Timelines("auto", Rules.of("auto"), [file]).of(f"{SITE}/robots.txt")
    for day in days[:400]:
        assert timeline.speaking(NOW - timedelta(days=day))
    assert time.process_time() - started < 5


PROHIBITS = ("X-Robots-Tag", "noindex, noarchive, nosnippet")
HTML = ("Content-Type", "text/html")


def presented(where: Path, url: str, now: datetime = NOW) -> list[str]:
    """What is shown of the versions of a URL that are held."""
    with open_store(where, operator=OPERATOR, clock=FixedClock(now)) as store:
        assert verify(store).wrong == ()
        presentation = Presentation(store)
        resource = store.resources.find(url)
        found = []
        for version in () if resource is None else store.resources.versions(resource.id, held=True):
            judged = presentation.judged(version.id)
            assert judged is not None
            made = [make(presentation, judged) for make in (link, snippet, extract)]
            found += [one.usage for one in [*made, copy(presentation, judged).representation] if one.is_shown]
        return found


def revisit(path: Path, record: Record, refers: float | None = None) -> Path:
    """An archive of one revisit, that says of which capture it has the octets."""
    made = gzip.decompress(archive(path, [record]).read_bytes()).replace(b"Type: response", b"Type: revisit", 1)
    if refers is not None:
        at = (NOW - timedelta(days=refers)).strftime("%Y-%m-%dT%H:%M:%SZ").encode()
        made = made.replace(b"WARC-Date", b"WARC-Refers-To-Date: " + at + b"\r\nWARC-Date", 1)
    path.write_bytes(gzip.compress(made))
    return path


@pytest.mark.parametrize("kind", ["503", "429", "202", "206", "cut", "digest", "revisit", "304", "to come", "undated"])
@pytest.mark.parametrize("order", [1, -1])
def test_what_an_archive_has_without_a_body_is_heard(tmp_path: Path, kind: str, order: int) -> None:
    """A later capture that passes, was cut or has its octets elsewhere prohibits as a whole one would."""
    where, url = tmp_path / "s.db", f"{SITE}/a"
    first = archive(tmp_path / "1.warc.gz", [robots(days=9), Record(url, days=8)])
    status = int(kind) if kind.isdigit() else 200
    headers = (HTML, PROHIBITS, *([("Content-Length", "900")] if kind == "cut" else []))
    later = Record(
        url, b"" if kind in ("304", "revisit") else b"new", -9.0 if kind == "to come" else 7, status, headers
    )
    second = archive(tmp_path / "2.warc.gz", [later])
    if kind in ("304", "revisit"):
        second = revisit(second, later, 8.0 if kind == "revisit" else None)
    elif kind == "digest":
        made = gzip.decompress(second.read_bytes())
        second.write_bytes(
            gzip.compress(made.replace(b"WARC-Date", b"WARC-Block-Digest: sha1:" + b"a" * 40 + b"\r\nWARC-Date", 1))
        )
    elif kind == "undated":
        second.write_bytes(gzip.compress(gzip.decompress(second.read_bytes()).replace(b"Date: 2026", b"Date: once", 1)))
    take_in(where, first)
    assert len(presented(where, url)) == 4
    take_in(where, *(first, second)[::order])
    assert presented(where, url) == []
    again = take_in(where, first, second)
    if kind not in ("to come", "undated"):
        assert again.kept == 0
    other = tmp_path / "other.db"
    take_in(other, *(first, second)[::order])
    assert presented(other, url) == []


@pytest.mark.parametrize("kind", ["to come", "undated"])
def test_a_capture_with_a_date_to_come_counts_as_of_now(tmp_path: Path, kind: str) -> None:
    """It is heard as a body that cannot be read: nothing of the page is shown until one is, and what is held stays."""
    where, url = tmp_path / "s.db", f"{SITE}/a"
    first = archive(tmp_path / "1.warc.gz", [robots(days=9), Record(url, days=8)])
    second = archive(tmp_path / "2.warc.gz", [Record(url, b"<p>tomorrow", -9.0 if kind == "to come" else 7)])
    if kind == "undated":
        second.write_bytes(gzip.compress(gzip.decompress(second.read_bytes()).replace(b"Date: 2026", b"Date: once", 1)))
    take_in(where, first, second)
    assert presented(where, url) == []
    assert (found(where, "tomorrow"), found(where, "words")) == (set(), {url})
    with opened(where) as store:
        resource = store.resources.find(url)
        assert resource is not None
        assert [one.crawled_at <= NOW for one in store.resources.versions(resource.id, held=True)] == [True]
    third = archive(tmp_path / "3.warc.gz", [robots(days=-0.5), Record(url, b"<p>read", days=-1.0)])
    with open_store(where, operator=OPERATOR, clock=FixedClock(NOW + timedelta(days=2))) as store, store.writing():
        import_warc(store, [third])
    assert "present-currentcopy" in presented(where, url, NOW + timedelta(days=2))


@pytest.mark.parametrize("status", [503, 202])
def test_what_an_archive_has_without_a_body_and_without_words_says_nothing(tmp_path: Path, status: int) -> None:
    """A failure that names nothing is passed over, and so is a 202; a revisit of what is held confirms it."""
    where, url = tmp_path / "s.db", f"{SITE}/a"
    first = archive(tmp_path / "1.warc.gz", [robots(days=9), Record(url, days=8), Record(url, b"x", 7, status)])
    second = with_digest(revisit(tmp_path / "2.warc.gz", Record(url, b"", 6), 8), Record(url).body)
    take_in(where, first, second)
    assert len(presented(where, url)) == 4


@pytest.mark.parametrize("status", [202, 301, 403, 404, 410, 451, 503])
def test_a_revisit_of_a_page_has_the_status_it_says(tmp_path: Path, status: int) -> None:
    """What a site answers with the octets of before is no confirmation of what it answered before."""
    url, states = f"{SITE}/a", []
    page = Record(url, days=8)
    again = Record(url, page.body, 6, status, (HTML, ("Location", "/b")))
    for made in (archive, revisit):
        where = tmp_path / made.__name__
        where.mkdir()
        files = [archive(where / "1.warc.gz", [robots(days=9), page])]
        files.append(archive(where / "2.warc.gz", [again]) if made is archive else revisit(where / "2", again, 8))
        take_in(where / "s.db", *files)
        with opened(where / "s.db") as store:
            resource = store.resources.find(url)
            assert resource is not None
            versions = [(one.status, one.crawled_at) for one in store.resources.versions(resource.id)]
            states.append((versions, resource.later_headers, resource.current, presented(where / "s.db", url)))
    assert states[0] == states[1]


@pytest.mark.parametrize("status", [200, 304])
def test_a_revisit_that_names_another_capture_confirms_nothing(tmp_path: Path, status: int) -> None:
    """Between what is held and the revisit there was something else, which may have prohibited."""
    where, url = tmp_path / "s.db", f"{SITE}/a"
    first = archive(tmp_path / "1.warc.gz", [robots(days=9), Record(url, days=8)])
    take_in(where, first, revisit(tmp_path / "2.warc.gz", Record(url, b"", 6, status), 7))
    assert presented(where, url) == []


def test_a_policy_that_refuses_after_the_page_is_the_one_told(tmp_path: Path) -> None:
    """The ledger cites the robots.txt that decided: the later one, where that is the one that prohibits."""
    files = archive(
        tmp_path / "x.warc.gz", [robots(days=101), Record(f"{SITE}/a", days=100), robots(CLOSED, days=99.5)]
    )
    take_in(tmp_path / "s.db", files, fetch_policy=unasked)
    [refused] = entries(tmp_path / "s.db", f"{SITE}/a")
    with opened(tmp_path / "s.db") as store:
        assert refused.policy is not None
        assert store.policies.get(refused.policy).octets == CLOSED
        assert store.policies.get(refused.policy).evidence["fetched_at"] == robots(days=99.5).at.isoformat()


def damaged_robots(path: Path, *, days: float = 8) -> bytes:
    """A packed capture of a robots.txt that prohibits, of which nothing can be read."""
    octets = bytearray(archive(path, [robots(b"User-agent: *\nDisallow: /\n", days=days)]).read_bytes())
    octets[12] ^= 0xFF
    return bytes(octets)


@pytest.mark.parametrize("where", ["between", "first", "alone", "behind the end", "swallowed"])
def test_damage_that_may_have_been_a_robots_txt_prohibits(
    tmp_path: Path, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the last record on that could be read nobody knows what any site said, until it is captured again."""
    before = archive(
        tmp_path / "a.warc.gz", [robots(days=9), Record(f"{SITE}/early", days=8.9), Record(f"{SITE}/last", days=8.8)]
    ).read_bytes()
    page = archive(tmp_path / "b.warc.gz", [Record(f"{SITE}/p", days=7)]).read_bytes()
    after = archive(tmp_path / "c.warc.gz", [robots(days=6), Record(f"{SITE}/late", days=5)]).read_bytes()
    broken = damaged_robots(tmp_path / "d.warc.gz")
    prohibits = archive(tmp_path / "f.warc.gz", [robots(b"User-agent: *\nDisallow: /\n", days=8)]).read_bytes()
    if where == "behind the end":
        # So much is broken that the rest is not read.
        monkeypatch.setattr("acap.archives.members._AGAIN", -(2**30))
        files = [before + broken + prohibits, page, after]
    elif where == "swallowed":
        long = gzip.decompress(archive(tmp_path / "g.warc.gz", [Record(f"{SITE}/x", days=8.5)]).read_bytes())
        long = long.replace(b"\r\nContent-Length: ", b"\r\nContent-Length: 9", 1)
        files = [gzip.decompress(before) + long + gzip.decompress(prohibits), page, after]
    else:
        files = {
            "between": [before + broken + page + after],
            "first": [before, broken + page, after],
            "alone": [before + page + after, broken],
        }[where]
    paths = []
    for number, octets in enumerate(files):
        paths.append(tmp_path / f"{number}.warc.gz")
        paths[-1].write_bytes(octets)
    take_in(tmp_path / "s.db", *paths)
    assert presented(tmp_path / "s.db", f"{SITE}/p") == []
    names = {"alone": (), "first": ("early", "last", "late")}.get(where, ("early", "late"))
    assert found(tmp_path / "s.db", "words") == {f"{SITE}/{name}" for name in names}


def test_behind_a_thousand_damages_everything_is_read_and_their_number_is_told(tmp_path: Path) -> None:
    """A robots.txt and pages behind them count as if they stood in a file of their own."""
    cut = Record(f"{SITE}/cut", b"x", 8.5, 200, (("Content-Length", "9"),))
    damages = archive(tmp_path / "e.warc.gz", [cut]).read_bytes() * 1_200
    before = archive(tmp_path / "a.warc.gz", [robots(days=9), Record(f"{SITE}/a", days=8.8)]).read_bytes()
    behind = archive(
        tmp_path / "b.warc.gz", [robots(b"User-agent: *\nDisallow: /p\n", days=8), Record(f"{SITE}/q", days=7)]
    ).read_bytes()
    page = archive(tmp_path / "p.warc.gz", [Record(f"{SITE}/p", days=7)])
    (tmp_path / "c.warc.gz").write_bytes(before + damages + behind)
    imported = take_in(tmp_path / "s.db", tmp_path / "c.warc.gz", page)
    assert found(tmp_path / "s.db", "words") == {f"{SITE}/a", f"{SITE}/q"}
    assert (imported.damaged, len(imported.damages), imported.to_json()["damaged"]) == (1_200, 1_000, 1_200)
    told = call(tmp_path / "t.db", tmp_path / "c.warc.gz")
    assert "and 1180 more damages (--json names the first thousand)" in told.err


def test_an_archive_of_damage_that_may_have_been_anything_prohibits_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More often than is remembered nobody knows whose record was lost: then no policy of the archives speaks."""
    monkeypatch.setattr("acap.archives.timeline._MOST_LOST", 100)
    broken = damaged_robots(tmp_path / "d.warc.gz")
    octets = archive(tmp_path / "a.warc.gz", [robots(days=9), Record(f"{SITE}/a", days=8.9)]).read_bytes()
    for number in range(101):
        one = archive(tmp_path / "b.warc.gz", [Record("https://x.example/", days=8 - number / 1_000)])
        octets += one.read_bytes() + broken
    octets += archive(tmp_path / "c.warc.gz", [robots(days=3), Record(f"{SITE}/b", days=2)]).read_bytes()
    (tmp_path / "d.warc.gz").write_bytes(octets)
    take_in(tmp_path / "s.db", tmp_path / "d.warc.gz", missing="permitted")
    assert found(tmp_path / "s.db", "words") == set()


LOGIN = b"<!DOCTYPE html><title>Log in</title><p>Please log in"


@pytest.mark.parametrize("days", [1, 29, 31])
def test_what_comes_in_place_of_a_robots_txt_that_the_store_knows_displaces_none(tmp_path: Path, days: int) -> None:
    """The site's file serves for 30 days, then everything is prohibited; where none was known that says nothing."""
    closed = parse_robots(b"User-agent: *\nDisallow: /a\n", url=f"{SITE}/robots.txt")
    login = parse_robots(LOGIN, url=f"{SITE}/robots.txt").with_evidence({"fetched_at": NOW.isoformat(), "status": 200})
    file = archive(tmp_path / "x.warc.gz", [robots(), Record(f"{SITE}/a"), Record(f"{SITE}/b")])
    with open_store(tmp_path / "s.db", operator=OPERATOR, clock=FixedClock(NOW)) as store, store.writing():
        at = NOW - timedelta(days=days)
        with store.transaction():
            number, _ = store.policies.note(closed.with_evidence({"fetched_at": at.isoformat()}), at)
            detail = store.policies.evidence(number)
            store.ledger.append([Act("refused", at, f"{SITE}/x", "crawl", policy=number, detail=detail)])
        import_warc(store, (file,), fetch_policy=lambda _: login)
    assert found(tmp_path / "s.db", "words") == ({f"{SITE}/b"} if days < 30 else set())
    assert presented(tmp_path / "s.db", f"{SITE}/a") == []
    pages = archive(tmp_path / "y.warc.gz", [Record(f"{SITE}/a"), Record(f"{SITE}/b")])
    take_in(tmp_path / "t.db", pages, fetch_policy=lambda _: login, missing="now")
    assert found(tmp_path / "t.db", "words") == {f"{SITE}/a", f"{SITE}/b"}


def test_the_command_asks_sites_with_the_files_that_the_store_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that what comes in place of a file does not speak for the site."""
    answers = {"body": b"User-agent: *\nDisallow: /a\n"}

    class Answering(Retriever):
        def __init__(self, **named: Any) -> None:
            answer = httpx2.MockTransport(lambda _: httpx2.Response(200, content=answers["body"]))
            super().__init__(transport=answer, **named)

    monkeypatch.setattr("acap.cli.import_.Retriever", Answering)
    pages = [Record(f"{SITE}/a"), Record(f"{SITE}/b")]
    assert call(tmp_path / "s.db", archive(tmp_path / "x.warc.gz", [robots(), *pages]), "--fetch-policies").code == 0
    answers["body"] = LOGIN
    later = archive(tmp_path / "y.warc.gz", [replace(one, days=90) for one in (robots(), *pages)])
    assert call(tmp_path / "s.db", later, "--fetch-policies").code == 0
    assert found(tmp_path / "s.db", "words") == {f"{SITE}/b"}
    with opened(tmp_path / "s.db") as store:
        assert [state for _, _, state in store.policies.sites()] == ["present"]


@pytest.mark.parametrize("calls", ["xy", "x y", "y x", "yx", "x y xy"])
def test_a_login_page_in_an_archive_displaces_no_robots_txt_of_another(tmp_path: Path, calls: str) -> None:
    """Whether both are taken in at once or one after the other, and in whatever order."""
    said = b"User-agent: *\nDisallow: /a\nACAP-crawler: *\nACAP-disallow-index: /b\n"
    files = {
        "x": [robots(said, days=20), Record(f"{SITE}/b", days=20), Record(f"{SITE}/q", days=20)],
        "y": [robots(LOGIN, days=10), Record(f"{SITE}/a", days=10), Record(f"{SITE}/b", days=10)],
    }
    where = tmp_path / "s.db"
    for call_ in calls.split():
        take_in(where, *(archive(tmp_path / f"{name}.warc.gz", files[name]) for name in call_))
    with open_store(where, operator=OPERATOR, clock=FixedClock(NOW)) as store, store.writing():
        sweep(store)
    assert found(where, "words") == {f"{SITE}/q"}
    assert presented(where, f"{SITE}/a") == []


@pytest.mark.parametrize(
    ("was", "made", "nothing_before"),
    [
        (b"WARC-Type: response", b"WARC-Type: respondse", False),
        (b"WARC-Type: response", b"WARC-Tyqe: response", False),
        (b"WARC-Type: response", b"WARC-Type: ", False),
        (b"WARC-Target-URI", b"WARC-Targdt-URI", True),
        (b"WARC-Target-URI: https", b"WARC-Target-URI: httqs", True),
        (b"WARC-Target-URI: https://", b"WARC-Target-URI: https:/", True),
        (b"https://news.example/robots.txt", b"", True),
        (b"https://news.example/robots.txt", b"https://news.exam ple/robots.txt", True),
        (b"WARC-Date", b"WARC-Dbte", True),
        (b"HTTP/1.1 200 Said", b"HTTP/1.1 200Said", False),
        (b"HTTP/1.1 200 Said", b"HTTP/1.1 2000 Said", False),
    ],
)
def test_a_record_of_which_nobody_knows_what_it_was_may_prohibit(
    tmp_path: Path, was: bytes, made: bytes, nothing_before: bool
) -> None:
    """It is told, and no earlier word of a site goes on; where its URL is known it is as a failure there."""
    parts = [
        gzip.decompress(archive(tmp_path / "x.warc.gz", [one]).read_bytes())
        for one in (robots(days=20), robots(CLOSED, days=11), Record(f"{SITE}/p", days=10))
    ]
    assert was in parts[1]
    for which, octets in (("cut", parts[1].replace(was, made, 1)), ("whole", parts[1])):
        for before in (True, False):
            file = tmp_path / f"{which} {before}.warc.gz"
            head = re.sub(rb"Content-Length: \d+", b"Content-Length: %d" % block_length(octets), octets, count=1)
            file.write_bytes(b"".join(map(gzip.compress, [parts[0]] * before + [head, parts[2]])))
            imported = take_in(tmp_path / f"{which} {before}.db", file)
            assert len(imported.damages) == (which == "cut")
            assert imported.kept == (which == "cut" and before and not nothing_before)


def block_length(record: bytes) -> int:
    """How long the block of a record is."""
    return len(record) - record.index(b"\r\n\r\n") - 8


def test_other_damage_says_nothing_of_policies(tmp_path: Path) -> None:
    """A request that was damaged, or a page, is no robots.txt."""
    files = [archive(tmp_path / "a.warc.gz", [robots(days=9)])]
    for number, kind in enumerate((b"request", b"metadata", b"response")):
        made = gzip.decompress(archive(tmp_path / f"{number}.warc.gz", [Record(f"{SITE}/x", days=8)]).read_bytes())
        files.append(tmp_path / f"{number}.warc.gz")
        files[-1].write_bytes(gzip.compress(made.replace(b"Type: response", b"Type: " + kind, 1)[:-20]))
    files.append(archive(tmp_path / "p.warc.gz", [Record(f"{SITE}/p", days=7)]))
    take_in(tmp_path / "s.db", *files)
    assert found(tmp_path / "s.db", "words") == {f"{SITE}/p"}


def test_a_robots_txt_from_the_future_speaks_for_nobody(tmp_path: Path) -> None:
    """Its date cannot be right: it is none that permits, now or later, and does not silence what the site says."""
    files = [
        archive(tmp_path / "a.warc.gz", [robots(b"User-agent: *\nDisallow: /\n", days=9)]),
        archive(tmp_path / "b.warc.gz", [robots(b"", days=-26_000), Record(f"{SITE}/p", days=8)]),
    ]
    take_in(tmp_path / "s.db", *files)
    assert presented(tmp_path / "s.db", f"{SITE}/p") == []
    with opened(tmp_path / "s.db") as store:
        assert all(at <= NOW for _, at, _ in store.policies.sites())


@pytest.mark.parametrize("refers", [9.0, 8.5, None])
def test_a_revisit_of_a_robots_txt_says_what_it_refers_to(tmp_path: Path, refers: float | None) -> None:
    """The site says again what it said before; where nobody knows what that was, it prohibits."""
    texts = [robots(b"User-agent: *\nDisallow: /\n", days=9), robots(b"", days=8.5)]
    files = [archive(tmp_path / "a.warc.gz", texts), archive(tmp_path / "p.warc.gz", [Record(f"{SITE}/p", days=7)])]
    files.append(revisit(tmp_path / "r.warc.gz", robots(b"", days=8), refers))
    take_in(tmp_path / "s.db", *files)
    assert found(tmp_path / "s.db", "words") == ({f"{SITE}/p"} if refers == 8.5 else set())


ROBOTS_OF_ONE_INSTANT = {
    "open": robots(days=9),
    "closed": robots(b"User-agent: *\nDisallow: /\n", days=9),
    "of a part": robots(b"User-agent: *\nDisallow: /p\n", days=9),
    "login": robots(b"<!DOCTYPE html><title>Log in</title>", days=9),
    "failure": robots(b"", days=9, status=503),
    "none": robots(b"no such file", days=9, status=404),
    "cut": replace(robots(days=9), headers=(("Content-Length", "900"),)),
}


@pytest.mark.parametrize("calls", ["one file", "two files", "two calls"])
@pytest.mark.parametrize("names", list(combinations(ROBOTS_OF_ONE_INSTANT, 2)))
def test_of_robots_txt_of_one_instant_each_order_has_to_permit(
    tmp_path: Path, names: tuple[str, str], calls: str
) -> None:
    """An archive has seconds, or days: nobody knows which of two captures came last, and which is read first says none.

    Words that differ are lost; a failure may have come after what was said, and is bridged by that, or before.
    """
    page = Record(f"{SITE}/p", days=8)
    permitted = names in [("open", "failure"), ("open", "login"), ("open", "cut"), ("login", "none")]
    for number, order in enumerate((names, names[::-1])):
        said = [ROBOTS_OF_ONE_INSTANT[name] for name in order]
        together = [said] if calls == "one file" else [[one] for one in said]
        files = [archive(tmp_path / f"{number} {part}.warc.gz", one) for part, one in enumerate(together)]
        where = tmp_path / f"{number}.db"
        if calls == "two calls":
            for file in files:
                take_in(where, file)
            files = []
        take_in(where, *files, archive(tmp_path / "p.warc.gz", [page]))
        assert found(where, "words") == ({page.url} if permitted else set()), order
        if "closed" in names:
            with opened(where) as store:
                last = store.policies.last(page.url)
                assert last is None or not last[1].decide(page.url, crawler="examplebot").permitted


PAGES_OF_ONE_INSTANT = {
    "other words": Record(f"{SITE}/a", b"<p>others", 8),
    "closed": Record(f"{SITE}/a", b"<meta name=robots content='noindex, noarchive, nosnippet'>", 8),
    "withheld": Record(f"{SITE}/a", b"", 8, 451),
    "failure": Record(f"{SITE}/a", b"", 8, 503, (PROHIBITS,)),
    "cut": Record(f"{SITE}/a", b"words", 8, 200, (("Content-Length", "900"),)),
    "headers": Record(f"{SITE}/a", days=8, headers=(HTML, PROHIBITS)),
}


@pytest.mark.parametrize("is_one_call", [True, False])
@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("name", PAGES_OF_ONE_INSTANT)
def test_of_captures_of_one_instant_none_is_passed_over_for_another(
    tmp_path: Path, name: str, order: int, is_one_call: bool
) -> None:
    """Whichever is read first: nothing of the page is shown if one of them prohibits, or says something else."""
    url, where = f"{SITE}/a", tmp_path / "s.db"
    pages = [Record(url, days=8), PAGES_OF_ONE_INSTANT[name]][::order]
    files = [archive(tmp_path / f"{number}.warc.gz", [robots(days=9), page]) for number, page in enumerate(pages)]
    for together in [files] if is_one_call else [[file] for file in files]:
        take_in(where, *together)
    assert presented(where, url) == []
    assert take_in(where, *files).kept == 0
    assert presented(where, url) == []
    alone = tmp_path / "alone.db"
    again = take_in(alone, files[0], files[0])
    assert (again.kept, again.passed["taken in before"]) == (1, 1)


def with_digest(file: Path, octets: bytes, name: str = "sha1") -> Path:
    """The archive with the digest of a payload in its first record."""
    digest = hashlib.new(name, octets, usedforsecurity=False).hexdigest()
    field = f"WARC-Payload-Digest: {name}:{digest}\r\nWARC-Date"
    made = gzip.decompress(file.read_bytes()).replace(b"WARC-Date", field.encode(), 1)
    file.write_bytes(gzip.compress(made))
    return file


@pytest.mark.parametrize("first", ["sha1", "md5", None])
@pytest.mark.parametrize(
    ("again", "is_same", "confirmed"),
    [
        ("sha1", True, {"sha1", None}),  # where a record has no digest, SHA-1 is computed
        ("md5", True, {"md5"}),
        ("sha256", True, {"sha1", "md5", None}),  # the store has that of each page
        ("sha1", False, set()),
        ("sha256", False, set()),
        ("sha512", True, set()),
        (None, True, set()),
    ],
)
def test_a_revisit_confirms_only_octets_that_have_its_digest(
    tmp_path: Path, first: str | None, again: str | None, *, is_same: bool, confirmed: set[str | None]
) -> None:
    """It names the instant of what is held. If its payload may be another one, nobody knows what that said."""
    url, where = f"{SITE}/a", tmp_path / "s.db"
    page = Record(url, days=8)
    files = [archive(tmp_path / "1.warc.gz", [page]), revisit(tmp_path / "2.warc.gz", Record(url, b"", 7), 8.0)]
    if first is not None:
        with_digest(files[0], page.body, first)
    if again is not None:
        with_digest(files[1], page.body if is_same else b"other", again)
    take_in(where, archive(tmp_path / "0.warc.gz", [robots(days=9)]), files[0])
    take_in(where, files[1])
    assert bool(presented(where, url)) is (first in confirmed)


@pytest.mark.parametrize("has_digest", [True, False])
def test_a_304_confirms_without_a_digest(tmp_path: Path, *, has_digest: bool) -> None:
    """The site itself says that nothing has changed; the digest is of its own body, and is none of the page."""
    url, where = f"{SITE}/a", tmp_path / "s.db"
    not_modified = Record(url, b"", 7, 304, (("X-Robots-Tag", "all"),))  # without a statement it is passed over
    files = [archive(tmp_path / "0.warc.gz", [robots(days=9), Record(url, days=8)])]
    files += [revisit(tmp_path / "1.warc.gz", not_modified), archive(tmp_path / "2.warc.gz", [not_modified])]
    for file in files[1:] if has_digest else ():
        with_digest(file, b"")
    for file in files:
        take_in(where, file)
        assert len(presented(where, url)) == 4
    take_in(where, with_digest(revisit(tmp_path / "3.warc.gz", Record(url, b"", 6), 7.0), b""))
    assert presented(where, url) == []


def test_the_captures_of_one_page_cost_so_much_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many versions of it are held: earlier ones are judged again only where what bears on them has changed."""
    judged: list[int] = []

    def counted(response: Response, state: ResourceState) -> Conclusion:
        if response.version is not None:
            judged.append(response.version.id)
        return judge(response, state)

    monkeypatch.setattr("acap.harvest.review.judge", counted)
    counts = []
    for number in (10, 40):
        judged.clear()
        pages = [Record(f"{SITE}/a", b"<p>version %d" % one, 90 - one / 10) for one in range(number)]
        take_in(tmp_path / f"{number}.db", archive(tmp_path / "x.warc.gz", [robots(days=90.5), *pages]))
        with opened(tmp_path / f"{number}.db") as store:
            assert len(store.resources.kept_for("preserve")) == number
        counts.append(len(judged))
    assert counts[1] <= 4 * counts[0] + 4


HISTORY = (
    (b"<p>words", 200, ()),
    (b"<p>words", 200, ()),
    (b"<p>other words", 200, ()),
    (b"<meta name=robots content=noindex><p>words", 200, ()),
    (b"<meta name=robots content='noarchive'><p>words", 200, ()),
    (b"<p class='the-acap:disallow-preserve'>words</p><p>more", 200, ()),
    (b"<p class='the-acap:disallow-index'>more</p><p>words", 200, ()),
    (b"<meta name=robots content='ACAP allow-preserve time-limit=2-days'><p>words", 200, ()),
    (b"<meta name=robots content='ACAP allow-index time-limit=until-2027-01-01'><p>words", 200, ()),
    (b"<p>words", 200, (("X-Robots-Tag", "unavailable_after: 2026-12-01"),)),
    (b"", 503, (PROHIBITS,)),
    (b"<p>wait", 202, (PROHIBITS,)),
    (b"", 404, ()),
)


@pytest.mark.portion
@pytest.mark.parametrize("seed", portion(range(12), 3))
def test_versions_that_are_not_judged_again_are_as_if_they_were(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is held of a page, what is shown of it and when it is due are the same if all is judged each time.

    Four histories are tried, twelve in `make soak`.
    """
    chance = Random(seed)
    said = [chance.choice(HISTORY) for _ in range(9)]
    said = [one for one in said for _ in range(chance.choice((1, 1, 2, 3)))]
    pages = [
        Record(f"{SITE}/a", body + b" %d" % chance.randrange(3), 90 - number, status, (HTML, *headers))
        for number, (body, status, headers) in enumerate(said)
    ]
    texts = [OPEN, OPEN, b"User-agent: *\nACAP-crawler: *\nACAP-disallow-preserve: /a\n"]
    policies = [robots(chance.choice(texts), days=91 - number * 7) for number in range(5)]
    states = []
    for name in ("as it is", "each time"):
        if name == "each time":
            monkeypatch.setattr("acap.harvest.review.Review.is_settled", lambda *_: False)
        where = tmp_path / f"{name}.db"
        for part in (pages[: len(pages) // 2], pages[len(pages) // 2 :]):
            take_in(where, archive(tmp_path / "x.warc.gz", [*policies, *part]))
        with open_store(where, operator=OPERATOR, clock=FixedClock(NOW + timedelta(days=3))) as store, store.writing():
            resource = store.resources.find(f"{SITE}/a")
            assert resource is not None
            before = [(one.is_indexed, one.terms, one.parts) for one in store.resources.versions(resource.id)]
            sweep(store)
            after = [(one.is_indexed, one.terms, one.parts) for one in store.resources.versions(resource.id)]
            held = store.resources.kept_for("index"), store.resources.kept_for("preserve")
        states.append((before, resource.review_at, resource.later_headers, after, held, presented(where, f"{SITE}/a")))
    assert states[0] == states[1]


@pytest.mark.parametrize("path", ["/robots%2Etxt", "/%72obots.txt", "/x/../robots.txt"])
def test_a_robots_txt_is_taken_for_one_however_its_url_is_spelled(tmp_path: Path, path: str) -> None:
    """It decides on pages, and is none; beside one spelled plainly the newest counts, and of one instant none."""
    other = replace(robots(b"User-agent: *\nDisallow: /\n", days=100.5), url=SITE + path)
    for number, records in enumerate(([other], [robots(), other], [other, robots(days=100.5)])):
        taken = take_in(tmp_path / f"{number}.db", archive(tmp_path / "x.warc.gz", [*records, Record(f"{SITE}/a")]))
        assert (taken.kept, taken.passed["robots.txt"]) == (0, len(records))
    opened_since = [replace(other, body=OPEN), robots(b"User-agent: *\nDisallow: /\n")]
    taken = take_in(tmp_path / "x.db", archive(tmp_path / "x.warc.gz", [*opened_since, Record(f"{SITE}/a")]))
    assert taken.kept == 1
