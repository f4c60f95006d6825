"""An archive is read once, and its rows are those that two readings give, whatever its pages carry and whoever asks."""

from __future__ import annotations

import gzip
import random
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import acap
from acap.audits import job as jobs
from acap.audits.inputs import InputPart, resources
from acap.audits.job import AuditProgress, Job
from acap.audits.kept_policies import shelve_part
from acap.audits.kept_resources import KeptError, ResourceKeeping, kept_resources
from acap.audits.kept_statements import KeptPages, StatementTexts, StatementWriter
from acap.audits.options import AuditOptions
from acap.audits.part import audit_part
from acap.audits.rows import AuditedResource, carriers_of
from acap.carriers import Carriers
from acap.crawlers import Crawler
from acap.statement import Statement
from tests.crawled import BEGIN, HEADS, ROBOTS, Came, crawl, record, site, write_warc
from tests.embedded_files import data_mining, jpeg, png, reserved
from tests.page_vectors import page_vectors
from tests.portions import portion

NOW = BEGIN + timedelta(days=30)
SITES = 16
USAGES = ("crawl", "index", "present-snippet", "preserve", "ai-train", "tdm")
LICENCE = (
    b'<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>'
    b'<permits type="usage">search</permits><payment type="purchase"/></license></content></rsl>'
)
RESERVED = b'[{"location": "/", "tdm-reservation": 1, "tdm-policy": "/policy.json"}]'
ASKERS = (
    Crawler("examplebot"),
    Crawler("Googlebot", "newsbot", profile="google", purposes=["news"], honours=["max-length"]),
    Crawler("bingbot", "usefulbot", profile="bing", elements=False),
    Crawler("anybot", silence={"ai-train": "prohibited"}, licensee=acap.Licensee(licences=["https://l.example/l"])),
)
HEADERS = (
    (),
    (("X-Robots-Tag", "noindex, examplebot: noarchive"), ("X-Robots-Tag", "bingbot: nocache, noarchive")),
    (("X-Robots-Tag", "max-snippet: 20, ACAP disallow-index"),),
    (("Content-Usage", "train-ai=n"), ("Content-Signal", "ai-train=no, search=yes")),
    (("TDM-Reservation", "1"), ("TDM-Policy", "/terms.json")),
    (("tdm-policy", "https://l.example/l"),),
    (("tdm_reservation", "1"),),
    (("Link", '</l.xml>; rel="license"; type="application/rsl+xml"'),),
    (("Content-Range", "bytes 0-9/99"),),
    (("Content-Encoding", "zz"),),
    (("X-Robots-Tag", "no\u00ebindex: \u00ff"), ("Content-Length", "99999999")),
)
MORE = (
    b"",
    b"words alone",
    b"<p data-nosnippet>Words</p>",
    b"<p class='acap:disallow-index'>Words</p><p class='acap:(mine)'>",
    b"<meta name=robots content='ACAP allow-(mine)'><p>Words",
    b"<meta name=robots content='ACAP disallow-index location=http://elsewhere.example/'>\n<p>Words",
    b"\n\n<meta name=examplebot content='ACAP allow-index time-limit=9-days'><meta name=robots content=noai>",
    b"<meta name=tdm-reservation content=1><meta name=tdm-policy content=/p.json>",
    b"<meta name=tdm-policy content=/p.json>",
    b"<link rel=license type=application/rsl+xml href=/l.xml>",
    b"<script type=application/rsl+xml>" + LICENCE + b"</script>",
    b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><head>%b</head><body>%b</body></html>"
    % (b"<meta name='robots' content='noindex'/>", b"<p class='acap:disallow-index'>Words</p>"),
    b"<html>" + b"<i>" * 5_000 + b"<meta name=robots content=noindex>",
    b"<!doctype html>" + b"".join(b"<meta name=bot%d content='ACAP disallow-index'>" % n for n in range(900)),
    gzip.compress(b"<meta name=robots content=noindex>", mtime=0),
    LICENCE,
    jpeg(data_mining("DMI-PROHIBITED-AIMLTRAINING")),
    png(reserved("1", "https://l.example/l")),
    png(),
    jpeg(b"<broken"),
    b"%PDF-1.7\n" + data_mining("DMI-PROHIBITED"),
)
MEDIA = ("text/html; charset=utf-8", "application/xhtml+xml", "image/jpeg", "image/png", "", "text/plain", "x/y")


def bodies() -> list[bytes]:
    """Pages with every carrier: those of the vectors, and what else a response may have."""
    pages = (one.html for one in page_vectors())
    found = [one.encode() if isinstance(one, str) else one for one in pages if one is not None]
    return [*dict.fromkeys((*found, *MORE, *HEADS))]


def responses(draw: random.Random) -> list[Came]:
    """Sites with documents, some of them twice, and every body, with headers and statuses of all kinds."""
    found = []
    for number in range(SITES):
        text = ROBOTS[number % len(ROBOTS)] + b"License: /l.xml\n" * (number % 3 == 1)
        found.append(Came(f"{site(number)}/robots.txt", text, number / 100, "text/plain"))
        if number % 4 == 1:
            found.append(Came(f"{site(number)}/.well-known/tdmrep.json", RESERVED, 1, "application/json"))
        if number % 4 == 2:
            found.append(Came(f"{site(number)}/ai.txt", b"User-Agent: *\nDisallow: *.html\n", 1, "text/plain"))
        if number % 2:
            found.append(Came(f"{site(number)}/l.xml", LICENCE, 1, "application/rsl+xml"))
        if number % 5 == 0:  # of some pages two count, for nobody knows which was there
            found.append(Came(f"{site(number)}/robots.txt", ROBOTS[number % 4], 40, "text/plain"))
    pages = bodies()
    draw.shuffle(pages)
    for number, body in enumerate(pages):
        status = draw.choice((200, 200, 200, 200, 200, 203, 206, 301, 304, 401, 402, 403, 404, 451, 503))
        url = f"{site(draw.randrange(SITES + 1))}/{draw.choice(('private', 'a.b'))}/{number}?q=\u00fc"
        media = draw.choice(MEDIA) if draw.random() < 0.4 else MEDIA[0]
        found.append(Came(url, body, 20 + number / 50, media, status, draw.choice(HEADERS)))
    return found


def members(draw: random.Random, *, harmed: bool) -> list[bytes]:
    """The records of those, some of other kinds; some harmed, so that nobody knows what else was there."""
    found = []
    for one in responses(draw):
        octets = record(one)
        harm = draw.random() if one.status == 200 and "robots.txt" not in one.url else 1.0
        if harmed and harm < 0.04:
            octets = octets.replace(b"1.0\r\n", b"1.0\r\nWARC-Block-Digest: sha1:%b\r\n" % (b"A" * 32), 1)
        elif harm < 0.08:
            octets = octets.replace(b"WARC-Type: response", b"WARC-Type: revisit", 1)
        elif harmed and harm < 0.1:
            octets = record(one._replace(hours=24 * 9000))
        elif harm < 0.12:
            octets = octets.replace(b"+00:00", b"+05:30", 1)
        elif harm < 0.14:
            octets = octets.replace(site(0).encode(), b"ftp://x", 1)
        member = gzip.compress(octets, 1, mtime=0)
        found.append(member[:-20] + b"\x1f\x8b\x08" + bytes(9) if harmed and 0.14 < harm < 0.15 else member)
    return found


def audited(file: Path, options: AuditOptions) -> tuple[pa.Table, dict[str, Any]]:
    """The table and the account of an audit."""
    job = Job([file], [], file.with_name("out.parquet"), options, processes=1)
    job.now = NOW
    summary, whole = job.run()
    assert whole
    assert not job.directory.exists()
    return pq.read_table(job.out), summary.to_json()


@pytest.mark.portion
@pytest.mark.parametrize(("asker", "harmed"), portion(product(ASKERS, (False, True)), 3))
def test_one_reading_has_the_rows_of_two(
    asker: Crawler, harmed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole table with its evidence, and the account: kept as it was heard, kept as octets, and read again."""
    draw = random.Random(f"kept {asker.names[0]}")
    file = tmp_path / "a.warc.gz"
    file.write_bytes(b"".join(members(draw, harmed=harmed)))
    options = AuditOptions(asker, USAGES, asker.purposes, missing=draw.choice(("prohibited", "permitted")))
    heard: Counter[bool] = Counter()
    of = StatementWriter.of

    def counted(self: StatementWriter, found: Carriers) -> StatementTexts | None:
        told = of(self, found)
        heard[told is not None] += 1
        return told

    with monkeypatch.context() as patch:
        patch.setattr(StatementWriter, "of", counted)
        kept = audited(file, options)
    assert heard[True] > 200
    assert heard[False] > 30
    with monkeypatch.context() as patch:
        patch.setattr(StatementWriter, "of", lambda *_: None)
        as_octets = audited(file, options)
    with monkeypatch.context() as patch:
        patch.setattr(Job, "_keeps", lambda *_: False)
        again = audited(file, options)
    assert kept[0].to_pylist() == again[0].to_pylist()
    assert as_octets[0].to_pylist() == again[0].to_pylist()
    assert kept[0].equals(again[0])
    assert kept[1] == as_octets[1] == again[1]
    if not harmed:
        assert {"prohibited", "permitted"} <= set(again[0]["index_outcome"].to_pylist())
        assert len(set(again[0]["index_line"].to_pylist())) > 3
    assert len(set(again[0]["evidence"].to_pylist())) > 300


PART = b"ACAP-crawler: *\nACAP-allow-index: / must-use-resource=the-acap:taglist:p\n"


@pytest.mark.portion
@pytest.mark.parametrize(("asker", "usage", "is_of_part"), portion([
    (ASKERS[0], "index", False), (ASKERS[2], "index", False), (ASKERS[1], "ai-train", True), (ASKERS[0], "index", True),
], 2))  # fmt: skip
def test_the_texts_of_one_reading_are_those_of_two(
    asker: Crawler, is_of_part: bool, usage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kept beside what was heard, of octets that were kept, and read again, as it is where a site names a part."""
    draw = random.Random(f"texts {asker.names[0]}")
    file = tmp_path / "a.warc.gz"
    more = [Came(f"{site(SITES + 1)}/robots.txt", PART, 1, "text/plain")] * is_of_part
    more += [Came(f"{site(SITES + is_of_part)}/{n}", b"Not these.<p>Words %d" % n, 25) for n in range(3)]
    records = [*members(draw, harmed=False), *(gzip.compress(record(one), 1, mtime=0) for one in more)]
    file.write_bytes(b"".join(records))
    options = AuditOptions(asker, (usage,), asker.purposes, missing="permitted", content=usage)
    readings = 0

    def counted(*given: Any) -> Any:
        nonlocal readings
        readings += 1
        return resources(*given)

    with monkeypatch.context() as patch:
        patch.setattr("acap.audits.part.resources", counted)
        kept = audited(file, options)
    assert readings == (is_of_part and usage == "index")
    with monkeypatch.context() as patch:
        patch.setattr(StatementWriter, "of", lambda *_: None)
        as_octets = audited(file, options)
    with monkeypatch.context() as patch:
        patch.setattr(Job, "_keeps", lambda *_: False)
        again = audited(file, options)
    assert kept[0].equals(again[0])
    assert as_octets[0].equals(again[0])
    assert kept[1] == as_octets[1] == again[1]
    texts = again[0]["text"].to_pylist()
    assert len(texts) > 8
    assert len(set(texts)) > 6
    part = "Words 0" if is_of_part and usage == "index" else "Not these.\nWords 0"
    assert part in texts


def test_what_is_kept_of_a_page_has_every_field_of_its_statements() -> None:
    """Of each page of the vectors that can be kept: as its own statements are, each with its place."""
    names = [name for name in dir(Statement) if not name.startswith("_")]
    seen = 0
    for asker in ASKERS:
        writer, pages = StatementWriter(asker), KeptPages()
        for number, body in enumerate(bodies()):
            url = f"https://a.example/{number}"
            headers = (("Content-Type", "text/html"), *HEADERS[number % len(HEADERS)])
            found = carriers_of(AuditedResource(url, NOW, 200, headers, body), url)
            if (texts := writer.of(found)) is None:
                continue
            page, beside = pages.read(texts, url)
            carried = found.page.carried.without_licences
            own = carried.applicable(asker.profile, asker.product_tokens, None).statements
            told = page.statements(url)
            assert [[getattr(one, name) for name in names] for one in told] == [
                [getattr(one, name) for name in names] for one in own
            ]
            for one in own:
                if one.place is not None:
                    assert page.carried.locate(*one.place) == carried.locate(*one.place)
            said = [one for source in beside for one in source.statements(url)]
            expected = [one for source in found.others for one in source.statements(url)]
            assert [[getattr(one, name) for name in names] for one in said] == [
                [getattr(one, name) for name in names] for one in expected
            ]
            assert page.licence_references() == found.page.licence_references()
            seen += bool(told) + bool(said)
    assert seen > 400


def test_a_kept_page_is_asked_beside_the_licences_of_its_site_alone() -> None:
    """Without them what it names could permit."""
    found = carriers_of(AuditedResource("https://a.example/a", NOW, 200, (), b"<p>"), "https://a.example/a")
    texts = StatementWriter("examplebot").of(found)
    assert texts is not None
    page, _ = KeptPages().read(texts, "https://a.example/a")
    with pytest.raises(ValueError, match="beside the licences of its site"):
        acap.decide("https://a.example/a", crawler="examplebot", page=page)


def test_an_archive_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its file may be gone when its resources are judged, for their usable text too."""
    came = crawl(5, 60)
    file = write_warc(tmp_path / "a.warc.gz", came)

    def moved(*given: Any) -> int:
        file.rename(tmp_path / "away")
        return audit_part(*given)

    for options in (AuditOptions(ASKERS[0], USAGES), AuditOptions(ASKERS[0], ("index",), content="index")):
        expected = audited(file, options)
        with monkeypatch.context() as patch:
            patch.setattr(jobs, "audit_part", moved)
            assert audited(file, options)[0].equals(expected[0])
        (tmp_path / "away").rename(file)


def unpacked(kept: Path) -> bytes:
    """What a file of resources has."""
    with pa.input_stream(kept, compression="zstd") as stream:
        return bytes(stream.read())


def pack(kept: Path, octets: bytes) -> None:
    """Writes such a file."""
    with pa.output_stream(kept, compression="zstd") as stream:
        stream.write(octets)


LINES = (b"", b"{}", b"[]", b"[0]", b"[0, 5]", b"[0, {}]", b"0", b"null", b"NaN", b"[" * 5000, b"[3, \"\"]", b"[1]",
         b'[1,5,null,200,"[]","",null,"","",null]', b'[1,"https://a.example/",null,"x","[]","",null,"","",null]',
         b'[1,"https://a.example/",null,200,"[]","",null,"x","[]",null]',
         b'[2,"https://a.example/",null,200,"[]","",null,"","",-1]',
         b'[2,"https://a.example/",null,200,"{}","",null,"","",null]',
         b'[1,"\\ud800",null,200,"[]","",null,"","",null]',
         b'[1,"https://a.example/",null,200,"[]","",null,"","",null]')  # fmt: skip
"""None of them was written where it stands."""


@pytest.mark.parametrize(
    "harm", ["none", "empty", "cut", "other", "octets", "end", "lines", "heard", "asker", "file", "texts"]
)
def test_what_was_kept_and_is_no_more_is_read_again(harm: str, tmp_path: Path) -> None:
    """The file is missing, is none, has other octets or texts than were written, or is of another part or asker."""
    hidden = (Came(f"{site(n)}/public/h", b"<p data-nosnippet>Words", 30) for n in range(5) for _ in range(2))
    file = write_warc(tmp_path / "a.warc.gz", (*crawl(5, 60), *hidden))
    options, part = AuditOptions(ASKERS[0], USAGES), InputPart(file, "archive")
    kept, shelf, out = tmp_path / "kept", tmp_path / "shelf", tmp_path / "rows.parquet"
    keeping = ResourceKeeping(kept, options.crawler)
    shelve_part(part, 0, NOW, shelf, keeping)
    audit_part(part, out, shelf, NOW, options)
    expected = pq.read_table(out)
    if harm == "none":
        kept.unlink()
    elif harm == "empty":
        kept.write_bytes(b"")
    elif harm == "cut":
        kept.write_bytes(kept.read_bytes()[:-300])
    elif harm == "other":
        kept.write_bytes(b"words of another file\n" * 99)
    elif harm == "asker":
        shelve_part(part, 0, NOW, tmp_path / "other", keeping._replace(crawler=ASKERS[1]))
    elif harm == "texts":
        shelve_part(part, 0, NOW, tmp_path / "other", keeping._replace(texts=True))
    elif harm == "file":
        other = InputPart(write_warc(tmp_path / "b.warc.gz", crawl(2, 20)), "archive")
        shelve_part(other, 0, NOW, tmp_path / "other", keeping)
    else:
        written = unpacked(kept)
        old, new = {
            "heard": (b'"usage"', b'"use"'),
            "octets": (b"<p data-nosnippet>", b"<p data-nosnippe->"),
            "end": (written.splitlines(keepends=True)[-1], b""),
            "lines": (b"\n", b"\n0\n"),
        }[harm]
        assert old in written
        pack(kept, written.replace(old, new))
    with pytest.raises(KeptError):
        list(kept_resources(keeping, part, lambda _: None))
    audit_part(part, out, shelf, NOW, options, kept)
    assert not kept.exists()
    assert pq.read_table(out).equals(expected)


@pytest.mark.parametrize("line", LINES)
def test_a_line_that_nobody_wrote_is_read_again(line: bytes, tmp_path: Path) -> None:
    """Whatever it is, and wherever: it never raises, and no row comes of it."""
    file = write_warc(tmp_path / "a.warc.gz", crawl(2, 6))
    options, part = AuditOptions(ASKERS[0], ("index",)), InputPart(file, "archive")
    kept, shelf, out = tmp_path / "kept", tmp_path / "shelf", tmp_path / "rows.parquet"
    keeping = ResourceKeeping(kept, options.crawler)
    shelve_part(part, 0, NOW, shelf, keeping)
    lines = unpacked(kept).split(b"\n")
    audit_part(part, out, shelf, NOW, options)
    expected, account = pq.read_table(out), out.with_suffix(".json").read_bytes()
    for place in (0, 1, len(lines) - 3, len(lines) - 2):
        pack(kept, b"\n".join((*lines[:place], line, *lines[place + 1 :])))
        with pytest.raises(KeptError):
            list(kept_resources(keeping, part, lambda _: None))
        audit_part(part, out, shelf, NOW, options, kept)
        assert pq.read_table(out).equals(expected)
        assert out.with_suffix(".json").read_bytes() == account


def test_a_file_in_the_place_of_another_is_none(tmp_path: Path) -> None:
    """Those of two parts of an audit have the same form, and another says what is prohibited."""
    bodies = {"a": b"<p>", "b": b"<meta name=robots content=noindex>"}
    robots = Came(f"{site(0)}/robots.txt", b"User-agent: *\nAllow: /\n", 0, "text/plain")
    files = [
        write_warc(tmp_path / f"{name}.warc.gz", [robots, *(Came(f"{site(0)}/{name}{n}", body, 5) for n in range(3))])
        for name, body in bodies.items()
    ]
    out = tmp_path / "out.parquet"

    def job() -> Job:
        made = Job(files, [], out, AuditOptions(ASKERS[0], ("index",)), processes=1)
        made.now = NOW
        return made

    def stop(*_: object) -> int:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "audit_part", stop)
        job().run()
    first, second = sorted((tmp_path / "out.parquet.parts").glob("resources-*.zst"))
    second.write_bytes(first.read_bytes())
    assert job().run()[1]
    rows = pq.read_table(out).to_pylist()
    assert {row["url"][-2]: row["index_outcome"] for row in rows} == {"a": "permitted", "b": "prohibited"}


def test_a_kill_at_any_moment_leaves_what_the_same_call_goes_on_with(tmp_path: Path) -> None:
    """Also between the files of a part; nothing of it stays."""
    files = [write_warc(tmp_path / f"{n}.warc.gz", crawl(n + 3, 40)) for n in range(3)]
    out = tmp_path / "out.parquet"

    class Killed(BaseException):
        pass

    def job() -> Job:
        made = Job(files, [], out, AuditOptions(ASKERS[0], USAGES), processes=1)
        made.now = NOW
        return made

    job().run()
    expected = pq.read_table(out)
    for moment in range(9):
        out.unlink()
        for left in range(moment, -1, -1):
            told = iter(range(left + 1))

            def kill(_: AuditProgress, told: Any = told) -> None:
                if next(told, None) is None:
                    raise Killed

            try:
                job().run(kill)
                break
            except Killed:
                kept = list((tmp_path / "out.parquet.parts").glob("resources-*"))
                for one in kept[:1]:  # the power failed as well
                    one.write_bytes(b"")
        seen: list[AuditProgress] = []
        if not out.exists():
            job().run(seen.append)
            assert {one.before + one.done + one.left for one in seen} == {seen[0].before + seen[0].left}
        assert pq.read_table(out).equals(expected), moment
        assert not (tmp_path / "out.parquet.parts").exists()


def test_who_asks_is_the_same_for_what_is_kept_and_judged(tmp_path: Path) -> None:
    """Another one has another audit, which does not go on with the parts of the first."""
    file = write_warc(tmp_path / "a.warc.gz", crawl(3, 20))
    options = AuditOptions(ASKERS[0], USAGES)
    first, second = (
        Job([file], [], tmp_path / "out.parquet", one, processes=1)
        for one in (options, replace(options, crawler=ASKERS[1]))
    )

    def stop(_: AuditProgress) -> None:
        if list(first.directory.glob("resources-*.zst")):
            raise KeyboardInterrupt

    first.run(stop)
    assert list(first.directory.glob("resources-*.zst"))
    with pytest.raises(ValueError, match="parts of another audit"):
        second.run()
