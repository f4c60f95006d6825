"""A robots.txt that redirects is followed in archives as it is by retrieval, wherever it leads."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from collections import Counter
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from acap.archives.shelf import ArchiveShelf, shelve
from acap.archives.shelved import ShelvedTimelines
from acap.archives.timeline import Timelines, _InstantQuestion
from acap.audits.policies import ShelvedPolicies, TablePolicies
from acap.audits.rows import AuditedResource, Auditor
from acap.retrieval.answers import Meaning, Rules, meaning
from acap.retrieval.exchange import Exchange, Reply
from tests.crawled import BEGIN, Came, record, site, write_warc

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from acap.archives.shelf import ShelfEvent

HOME, WWW = site(0), "https://www.s0.example"
FILE = f"{HOME}/robots.txt"
NOW = BEGIN + timedelta(days=100)
ALLOW, DENY = b"User-agent: *\nAllow: /\n", b"User-agent: *\nDisallow: /\n"
PAGE = b"<!doctype html><html><body>Welcome</body></html>"
PACKED = gzip.compress(ALLOW)
LAW_CASES, LAW_SEED = 300, 20261129


def to(url: str, target: str, hours: float = -24.0, status: int = 301) -> Came:
    """A redirect."""
    return Came(url, b"", hours, "text/plain", status, (("Location", target),))


def says(url: str, body: bytes, hours: float = -24.0, status: int = 200, media: str = "text/plain") -> Came:
    """An answer without one."""
    return Came(url, body, hours, media, status)


def shelf_of(directory: Path, came: Sequence[Came]) -> ArchiveShelf:
    """What an archive of responses says of sites."""
    shelf = ArchiveShelf(":memory:")
    shelf.add(shelve(write_warc(directory / "a.warc.gz", came), 0, NOW))
    shelf.finish()
    return shelf


def crawl_of(directory: Path, came: Sequence[Came]) -> str:
    """Whether a page of the site may be crawled, to an audit and to an import."""
    archive = write_warc(directory / "b.warc.gz", came)
    spoken = Timelines("auto", Rules.of("auto"), [archive], NOW).of(FILE).speaking(BEGIN)
    is_permitted = all(one.decide(f"{HOME}/p", crawler="examplebot").permitted for one in spoken)
    found = _audited(directory, came)
    assert found == ("permitted" if is_permitted else "prohibited")
    return found


def _audited(directory: Path, came: Sequence[Came]) -> str:
    auditor = Auditor(ShelvedPolicies(shelf_of(directory, came), NOW), crawler="examplebot", now=NOW)
    return str(auditor.row(AuditedResource(f"{HOME}/p", BEGIN)).cells[0].outcome)


def chain(hops: int, body: bytes) -> list[Came]:
    """So many redirects, and what is behind them."""
    urls = [FILE, *(f"{HOME}/r{number}" for number in range(1, hops + 1))]
    led = [to(one, after, number / 3600 - 24) for number, (one, after) in enumerate(pairwise(urls))]
    return [*led, says(urls[-1], body, hops / 3600 - 24)]


@pytest.mark.parametrize(
    ("came", "outcome"),
    [
        ([to(FILE, "/robots2.txt"), says(f"{HOME}/robots2.txt", ALLOW)], "permitted"),
        ([to(FILE, "/robots2.txt"), says(f"{HOME}/robots2.txt", DENY)], "prohibited"),
        ([says(f"{WWW}/policies/robots.txt", ALLOW), to(FILE, f"{WWW}/policies/robots.txt")], "permitted"),
        ([to(FILE, f"{WWW}/a?b=1&c"), says(f"{WWW}/a?b=1&c", DENY)], "prohibited"),
        ([to(FILE, f"{WWW}/%7Er"), says(f"{WWW}/~r", DENY)], "prohibited"),
        ([to(FILE, "/"), says(f"{HOME}/", PAGE, media="text/html")], "permitted"),
        ([to(FILE, "/"), says(f"{HOME}/", b"<html><pre>\n%b" % DENY, media="text/html")], "prohibited"),
        ([to(FILE, "/"), says(f"{HOME}/", PAGE * 999 + b"\n%b" % DENY, media="text/html")], "prohibited"),
        ([to(FILE, "/x"), says(f"{HOME}/x", b"x = 1;\n" * 9999 + DENY, media="text/css")], "prohibited"),
        ([to(FILE, "/x"), says(f"{HOME}/x", b"x = 1;\n" * 9999, media="text/css")], "permitted"),
        ([to(FILE, "/x"), says(f"{HOME}/x", b"", status=404)], "permitted"),
        ([to(FILE, "/x"), says(f"{HOME}/x", b"", status=503)], "prohibited"),
        ([to(FILE, "/x"), says(f"{HOME}/x", b"")], "permitted"),
        ([to(FILE, "/x"), says(f"{HOME}/x", gzip.compress(DENY))], "prohibited"),
        ([to(FILE, "/x"), says(f"{HOME}/x", DENY.decode().encode("utf-16"))], "prohibited"),
        ([to(FILE, "/x"), says(f"{HOME}/x", b'{"error": "none"}')], "permitted"),
        ([to(FILE, "/x")], "prohibited"),
        # No public site leads into a private network.
        ([to(FILE, "http://10.0.0.5/robots.txt"), says("http://10.0.0.5/robots.txt", ALLOW)], "prohibited"),
        ([to(FILE, "/x"), to(f"{HOME}/x", "http://localhost/x"), says("http://localhost/x", ALLOW)], "prohibited"),
        ([to(FILE, "/x"), to(f"{HOME}/x", "http://intranet/x"), says("http://intranet/x", b"", status=404)],
         "prohibited"),
        ([to(FILE, "https://s.test/robots.txt"), says("https://s.test/robots.txt", ALLOW)], "prohibited"),
        ([to(FILE, "/x"), to(f"{HOME}/x", "http://s.onion/x"), says("http://s.onion/x", ALLOW)], "prohibited"),
        ([to(FILE, "/x"), says(f"{HOME}/y", ALLOW)], "prohibited"),
        # The rule of times holds of each step, and is about the time of the page.
        ([to(FILE, "/x"), says(f"{HOME}/x", ALLOW, -24 * 30.5)], "prohibited"),
        ([to(FILE, "/x", -24 * 29), says(f"{HOME}/x", ALLOW, -24 * 31)], "prohibited"),
        ([to(FILE, "/x", -24 * 29), says(f"{HOME}/x", ALLOW, -24 * 30)], "permitted"),
        ([to(FILE, "/x"), says(f"{HOME}/x", ALLOW, -24 * 20)], "permitted"),
        ([to(FILE, "/x"), says(f"{HOME}/x", ALLOW, -48), says(f"{HOME}/x", DENY, -12)], "prohibited"),
        ([to(FILE, "/x"), says(f"{HOME}/x", DENY, -48), says(f"{HOME}/x", ALLOW, -30)], "permitted"),
        ([to(FILE, "/x", -240), says(f"{HOME}/x", ALLOW, -240), says(f"{HOME}/x", DENY, -48)], "prohibited"),
        ([to(FILE, "/x", -240), says(f"{HOME}/x", DENY, -240), says(f"{HOME}/x", ALLOW, -48)], "permitted"),
        ([to(FILE, "/x", -240), to(f"{HOME}/x", "/y", -240), says(f"{HOME}/y", ALLOW, -24 * 31)], "prohibited"),
        ([to(FILE, "/x", -240), to(f"{HOME}/x", "/y", -24 * 31), says(f"{HOME}/y", ALLOW, -240)], "prohibited"),
        ([to(FILE, "/x"), says(f"{HOME}/x", ALLOW, 9)], "permitted"),
        ([to(FILE, "/x"), says(f"{HOME}/x", ALLOW, -9), says(f"{HOME}/x", DENY, 9)], "prohibited"),
        ([to(FILE, "/x"), says(f"{HOME}/x", ALLOW, 25)], "prohibited"),
        # Of several hops in one second, and of two answers of one.
        ([to(FILE, "/x"), to(f"{HOME}/x", "/y"), says(f"{HOME}/y", DENY)], "prohibited"),
        ([to(FILE, "/x"), to(FILE, "/y"), says(f"{HOME}/x", ALLOW), says(f"{HOME}/y", ALLOW)], "prohibited"),
        ([to(FILE, "/x"), to(f"{HOME}/x", "/y"), says(f"{HOME}/x", ALLOW), says(f"{HOME}/y", ALLOW)], "prohibited"),
        # Another document in the place of a file, or a failure, wherever it is on the way.
        ([to(FILE, "/x"), says(f"{HOME}/x", DENY, -240), says(f"{HOME}/x", PAGE, -48)], "prohibited"),
        ([to(FILE, "/x"), says(f"{HOME}/x", DENY, -24 * 40), says(f"{HOME}/x", PAGE, -48)], "prohibited"),
        ([to(FILE, "/x"), says(f"{HOME}/x", ALLOW, -240), says(f"{HOME}/x", PAGE, -48)], "permitted"),
        ([to(FILE, "/x"), says(f"{HOME}/x", ALLOW, -24 * 40), says(f"{HOME}/x", PAGE, -48)], "prohibited"),
        ([to(FILE, "/x"), says(f"{HOME}/x", b"", -240, 404), says(f"{HOME}/x", PAGE, -48)], "permitted"),
        ([to(FILE, "/x"), says(f"{HOME}/x", DENY, -240), says(f"{HOME}/x", b"", -48, 503)], "prohibited"),
        ([to(FILE, "/x"), says(f"{HOME}/x", ALLOW, -240), says(f"{HOME}/x", b"", -48, 503)], "permitted"),
        ([to(FILE, "/x"), to(f"{HOME}/x", "/y"), says(f"{HOME}/y", DENY, -240), says(f"{HOME}/y", PAGE, -48)],
         "prohibited"),
        ([to(FILE, "/x"), says(f"{HOME}/x", DENY, -240), to(f"{HOME}/x", "/y", -48), says(f"{HOME}/y", PAGE, -48)],
         "prohibited"),
        # And where it is the file itself that was one, or a redirect, before.
        ([says(FILE, DENY, -240), to(FILE, "/x", -48), says(f"{HOME}/x", PAGE, -48)], "prohibited"),
        ([to(FILE, "/x", -240), says(f"{HOME}/x", DENY, -240), says(FILE, PAGE, -48)], "prohibited"),
        ([to(FILE, "/x", -24 * 40), says(f"{HOME}/x", ALLOW, -24 * 40), says(FILE, PAGE, -48)], "prohibited"),
        ([to(FILE, "/x", -240), says(f"{HOME}/x", ALLOW, -240), says(f"{HOME}/x", DENY, -72),
          says(FILE, b"", -48, 503)], "prohibited"),
        ([to(FILE, "/x", -240), says(f"{HOME}/x", b"", -240, 404), says(FILE, PAGE, -48)], "permitted"),
        # What a redirect led to serves as it was until the redirect was gone: nothing that was captured later.
        ([to(FILE, "/x", -24 * 29), to(FILE, "/y", -1), says(f"{HOME}/x", ALLOW, -0.2)], "prohibited"),
        ([to(FILE, "/x", -24 * 29), to(FILE, "/y", -1), says(f"{HOME}/x", DENY, -0.2)], "prohibited"),
        ([to(FILE, "/x", -24 * 29), to(FILE, "/y", -1), says(f"{HOME}/x", DENY, -240), says(f"{HOME}/x", ALLOW, -0.2)],
         "prohibited"),
        ([to(FILE, "/x", -24 * 29), to(FILE, "/y", -1), says(f"{HOME}/x", ALLOW, -240), says(f"{HOME}/x", DENY, -0.2)],
         "permitted"),
        ([to(FILE, "/x", -24 * 29), says(FILE, PAGE, -1), says(f"{HOME}/x", DENY, -24 * 29),
          says(f"{HOME}/x", ALLOW, -0.2)], "prohibited"),
        ([to(FILE, "/x", -24 * 29), says(FILE, PAGE, -1), says(f"{HOME}/x", ALLOW, -0.2)], "prohibited"),
        ([to(FILE, "/x", -24 * 29), to(FILE, "/y", -24 * 20), says(f"{HOME}/x", ALLOW, -240)], "prohibited"),
        ([to(FILE, "/x", -24 * 29), to(FILE, "/y", -24 * 29 + 1), says(f"{HOME}/x", ALLOW, -24 * 29 + 2)],
         "prohibited"),
        ([says(FILE, DENY, -24 * 29), to(FILE, "/x", -48), says(FILE, PAGE, -1), says(f"{HOME}/x", b"", -0.2, 404)],
         "prohibited"),
        ([to(FILE, "/x", -24), says(FILE, b"", 2, 503), says(f"{HOME}/x", DENY, -2), says(f"{HOME}/x", ALLOW, 1)],
         "prohibited"),
        ([to(FILE, "/x", -24), says(FILE, b"", 2, 503), says(f"{HOME}/x", ALLOW, 1)], "permitted"),
        ([to(FILE, "/x", -24), to(FILE, "/y", -2), to(f"{HOME}/x", "/z", -24), says(f"{HOME}/z", DENY, -24),
          says(f"{HOME}/z", ALLOW, -1)], "prohibited"),
        ([to(FILE, "/x"), says(f"{HOME}/x", ALLOW), says(f"{HOME}/x", DENY)], "prohibited"),
        (chain(5, DENY), "prohibited"),
        (chain(5, ALLOW), "permitted"),
        (chain(6, DENY), "permitted"),  # RFC 9309 2.3.1.2: beyond five as 404
        ([to(FILE, "/x"), to(f"{HOME}/x", "/robots.txt")], "prohibited"),
    ],
)  # fmt: skip
def test_a_robots_txt_is_read_where_it_redirects_to(tmp_path: Path, came: Sequence[Came], outcome: str) -> None:
    """Another path, another host, several steps; the order of the records makes no difference."""
    assert crawl_of(tmp_path, came) == crawl_of(tmp_path, came[::-1]) == outcome


@pytest.mark.parametrize(
    ("hours", "outcome"),
    [((-48, -24), "permitted"), ((-24, -48), "prohibited"), ((-24, 9), "prohibited"), ((9, -24), "prohibited")],
)
@pytest.mark.parametrize("homes", [(HOME, f"{HOME}."), (f"{HOME}.", HOME)])
def test_the_final_dot_of_a_host_makes_no_other_file(
    tmp_path: Path, homes: tuple[str, str], hours: tuple[int, int], outcome: str
) -> None:
    """The later capture counts, whichever spelling it has."""
    came = [says(f"{homes[0]}/robots.txt", DENY, hours[0]), says(f"{homes[1]}/robots.txt", b"", hours[1], 404)]
    assert crawl_of(tmp_path, came) == outcome


def drawn(chance: random.Random) -> list[Came]:
    """A site of few URLs, each of which says something, and may lead to another."""
    urls = [FILE, f"{HOME}/a", f"{WWW}/b", f"{WWW}/robots.txt", f"{HOME}/c", f"{HOME}/d", f"{WWW}/e", f"{HOME}/f"]
    bodies = (ALLOW, DENY, b"", PAGE, b"nothing", PACKED, b"\0\1\2\3\4", b"Sitemap: /s\n", b"# a\n")
    found = []
    for place, url in enumerate(urls):
        number = place / 3600 - 24
        if chance.random() < 0.75:
            targets = [urls[min(place + 1, len(urls) - 1)], chance.choice(urls), "https:", "https://a\\\\b"]
            led = chance.choices(targets, (8, 2, 0.5, 0.5))[0]
            found.append(to(url, led, number, chance.choice((300, 301, 302, 303, 307, 308))))
        else:
            status = chance.choice((200, 200, 200, 203, 204, 404, 410, 403, 429, 500))
            body = b"" if status == 204 else chance.choice(bodies)
            media = chance.choice(("text/plain", "text/html"))
            # What is packed and called a text is damage to an archive.
            found.append(says(url, body, number, status, "application/gzip" if body[:2] == PACKED[:2] else media))
    return found


def retrieved(came: Sequence[Came]) -> tuple[Meaning, bytes]:
    """What a retrieval makes of the same answers."""
    answers = {one.url: one for one in came}
    exchange = Exchange(FILE, at=BEGIN)
    while (request := exchange.request) is not None:
        one = answers[request.url]
        exchange.receive(Reply(one.status, one.pairs, one.body if 200 <= one.status < 300 else b""))
    means = meaning(exchange.answer, Rules.of("auto"))
    return means, exchange.answer.octets if means is Meaning.READ else b""


def test_archives_and_retrieval_make_the_same_of_redirects(tmp_path: Path) -> None:
    """Of a site that said the same at all times; what is absent and another document permit alike."""
    chance = random.Random(LAW_SEED)
    seen = set()
    for _ in range(LAW_CASES):
        came = drawn(chance)
        means, octets = retrieved(came)
        timelines = ShelvedTimelines(shelf_of(tmp_path, came), "auto", Rules.of("auto"), NOW)
        [policy] = timelines.of(FILE).speaking(BEGIN)
        assert policy.evidence["meaning"] == means, (LAW_SEED, came)
        assert means is not Meaning.READ or policy.octets == octets, (LAW_SEED, came)
        plain = Timelines("auto", Rules.of("auto"), [tmp_path / "a.warc.gz"], NOW)
        [policy] = plain.of(FILE).speaking(BEGIN)
        assert policy.evidence["meaning"] == means, (LAW_SEED, came)
        assert means is not Meaning.READ or policy.octets == octets, (LAW_SEED, came)
        assert {url for url, _ in plain.timelines()} <= {FILE, f"{WWW}/robots.txt"}
        seen.add((means, came[0].status // 100 == 3))
    assert len(seen) > 4


def test_at_any_time_a_policy_hangs_on_captures_of_thirty_days(tmp_path: Path) -> None:
    """Whatever the sites said when; from a shelf it is the same, with the same evidence."""
    chance = random.Random(LAW_SEED)
    seen: set[tuple[int, str]] = set()
    for _ in range(LAW_CASES // 5):
        came = [one._replace(hours=24.0 * chance.randint(-60, 3)) for _ in range(5) for one in drawn(chance)]
        shelved = ShelvedTimelines(shelf_of(tmp_path, came), "auto", Rules.of("auto"), NOW)
        plain = Timelines("auto", Rules.of("auto"), [tmp_path / "a.warc.gz"], NOW)
        for hours in (-24.0 * 40, -24.0 * 20.5, -24.0 * 2, 0.0, 24.0 * 30):
            at = BEGIN + timedelta(hours=hours)
            told = [
                [
                    (one.state, one.octets if one.evidence["meaning"] == "read" else b"", dict(one.evidence))
                    for one in timelines.of(FILE).speaking(at)
                ]
                for timelines in (shelved, plain)
            ]
            assert told[0] == told[1], (LAW_SEED, came, hours)
            for state, _, evidence in told[0]:
                hops = len(evidence.get("chain", ()))
                seen.add((hops, state))
                first = datetime.fromisoformat(evidence["fetched_at"])
                oldest = datetime.fromisoformat(evidence.get("oldest_at", evidence["fetched_at"]))
                assert oldest <= first <= at + timedelta(days=1)
                assert state == "unreachable" or at - oldest <= timedelta(days=30), (LAW_SEED, came, hours)
    assert {(hops, state) for hops in range(4) for state in ("present", "absent", "unreachable")} <= seen


def test_a_target_that_a_revisit_repeats_is_read(tmp_path: Path) -> None:
    """By the digest of the octets that the archive has of it."""
    digest = f"sha1:{hashlib.sha1(DENY, usedforsecurity=False).hexdigest()}"
    whole = record(says(f"{HOME}/x", DENY, -24 * 40)).replace(
        b"WARC/1.0\r\n", f"WARC/1.0\r\nWARC-Payload-Digest: {digest}\r\n".encode()
    )
    again = record(says(f"{HOME}/x", b"", -24)).replace(
        b"WARC/1.0\r\nWARC-Type: response\r\n",
        f"WARC/1.0\r\nWARC-Type: revisit\r\nWARC-Payload-Digest: {digest}\r\n".encode(),
    )
    archive = tmp_path / "a.warc"
    archive.write_bytes(whole + record(to(FILE, "/x")) + again)
    shelf = ArchiveShelf(":memory:")
    shelf.add(shelve(archive, 0, NOW))
    shelf.finish()
    [policy] = ShelvedTimelines(shelf, "auto", Rules.of("auto"), NOW).of(FILE).speaking(BEGIN)
    assert (policy.state, policy.octets) == ("present", DENY)


def test_a_target_with_more_captures_than_are_read_is_out_of_reach(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a page of which an archive has very many is not read for each site that redirects there."""
    monkeypatch.setattr("acap.archives.shelved._REDIRECTED", 3)
    for count, outcome in ((3, "permitted"), (4, "prohibited")):
        said = [says(f"{HOME}/x", ALLOW, number / 10 - 30) for number in range(count)]
        assert _audited(tmp_path, [to(FILE, "/x"), *said]) == outcome


def test_many_sites_that_redirect_to_one_url_are_each_answered(tmp_path: Path) -> None:
    """Also where what is in memory is let go of in between."""
    homes = [site(number) for number in range(60)]
    came = [to(f"{home}/robots.txt", f"{WWW}/r") for home in homes] + [says(f"{WWW}/r", DENY)]
    policies = ShelvedPolicies(shelf_of(tmp_path, came), NOW)
    for held in (4096, 1):
        with pytest.MonkeyPatch.context() as patching:
            patching.setattr("acap.archives.shelved._HELD", held)
            for home in homes:
                [policy] = policies.speaking(f"{home}/p", BEGIN)
                assert (policy.octets, policy.url) == (DENY, f"{home}/robots.txt")


@pytest.mark.parametrize("path", ["/robots.txt", "/x"])
@pytest.mark.parametrize(
    ("before", "expected"),
    [((), "unreachable"), ((-36,), "present"), ((-24 * 31,), "unreachable"), ((-24 * 31, -36), "present")],
)
def test_damage_at_a_target_is_out_of_reach(tmp_path: Path, path: str, before: tuple[int, ...], expected: str) -> None:
    """What cannot be read there may have prohibited; the last file serves for 30 days, as at robots.txt."""
    cut = record(says(HOME + path, ALLOW, -12)).replace(b"WARC/1.0\r\n", b"WARC/1.0\r\nWARC-Truncated: length\r\n")
    leads = record(to(FILE, path)) if path == "/x" else b""
    archive = tmp_path / "a.warc"
    archive.write_bytes(b"".join(record(says(HOME + path, ALLOW, hours)) for hours in before) + leads + cut)
    shelf = ArchiveShelf(":memory:")
    shelf.add(shelve(archive, 0, NOW))
    shelf.finish()
    [policy] = ShelvedPolicies(shelf, NOW).speaking(f"{HOME}/p", BEGIN)
    assert policy.state == expected


def test_the_age_of_a_policy_is_that_of_its_oldest_hop(tmp_path: Path) -> None:
    """Of the redirects, of what they lead to, and of what its records refer to."""
    refers = b"ACAP-crawler: *\nACAP-permissions-reference: /r\n"
    allows = b"ACAP-crawler: *\nACAP-allow-crawl: /\n"
    for hours in ((-48, -72, -96), (-96, -48, -72), (-72, -96, -48), (-48, -48, -48), (9, -48, 3)):
        led = [to(FILE, "/x", hours[0]), to(f"{HOME}/x", "/y", hours[1])]
        for end in (
            [says(f"{HOME}/y", ALLOW, hours[2])],
            [says(f"{HOME}/y", refers, -24), says(f"{HOME}/r", allows, hours[2])],
        ):
            policies = ShelvedPolicies(shelf_of(tmp_path, [*led, *end]), NOW)
            row = Auditor(policies, crawler="examplebot", now=NOW).row(AuditedResource(f"{HOME}/p", BEGIN))
            assert row.cells[0].outcome == "permitted"
            oldest = min(hours)
            assert (row.age, row.fetched_at) == (-oldest * 3600, BEGIN + timedelta(hours=oldest))


@pytest.mark.parametrize(("body", "outcome"), [(ALLOW, "permitted"), (DENY, "prohibited")])
def test_the_hops_of_a_table_may_be_of_one_second(body: bytes, outcome: str) -> None:
    """In whatever order its rows are; where one URL said two things in that second, its site is out of reach."""
    asked, www = "http://s0.example", f"{WWW}/robots.txt"
    first, second = (f"{asked}/robots.txt", FILE, b""), (FILE, www, b"")
    for said, expected in (
        ([first, (FILE, "", body)], outcome),
        ([first, second, (www, "", body)], outcome),
        ([first, second, (FILE, "", body), (www, "", body)], "prohibited"),
        ([first, second, (www, FILE, b"")], "prohibited"),
        ([first, second], "prohibited"),
    ):
        rows = [
            {
                "url": url,
                "robots": octets,
                "status": 301 if target else 200,
                "headers": json.dumps([("Location", target)] if target else []),
                "fetch_time": BEGIN - timedelta(days=1),
            }
            for url, target, octets in said
        ]
        for ordered in (rows, rows[::-1]):
            policies = TablePolicies(pa.Table.from_pylist(ordered), now=NOW)
            row = Auditor(policies, crawler="examplebot", now=NOW).row(AuditedResource(f"{asked}/p", BEGIN))
            assert (row.cells[0].outcome, row.age) == (expected, 24 * 3600)


def test_no_question_goes_through_very_many_redirects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a limit leaves out may have prohibited."""
    came = [to(FILE, "/a"), to(f"{HOME}/a", "/b"), to(f"{HOME}/b", "/c"), says(f"{HOME}/c", ALLOW)]
    for most, outcome in ((3, "permitted"), (2, "prohibited")):
        monkeypatch.setattr("acap.archives.timeline._MOST_REDIRECTS", most)
        assert crawl_of(tmp_path, came) == outcome


def test_few_redirects_are_followed_for_each_of_many_captures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A web of redirects takes steps as it has captures, whatever leads where; how many, a limit says."""
    targets, times = 20, 20
    came = [to(FILE, f"/{number % targets}", number / 3600 - 24) for number in range(times)]
    came += [
        to(f"{HOME}/{one}", f"/{(7 * one + number) % targets}", number / 3600 - 24)
        for one in range(targets)
        for number in range(times)
    ]
    monkeypatch.setattr("acap.archives.timeline._FOLLOWED", 0)
    steps = Counter[int]()
    follows, least = _InstantQuestion.follows, 0

    def counted(question: _InstantQuestion) -> bool:
        steps[least] += 1
        return follows(question)

    monkeypatch.setattr(_InstantQuestion, "follows", counted)
    for least in (8, 256):
        monkeypatch.setattr("acap.archives.timeline._LEAST_FOLLOWED", least)
        assert _audited(tmp_path, came) == "prohibited"
    assert steps[8] < 10 * len(came) < steps[256]


LONG = b"# x\n" * 3000
SIGNALS = b"User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n"


@pytest.mark.parametrize("media", ["text/plain", "text/css", "text/html", "application/json", "image/png"])
@pytest.mark.parametrize(
    "body",
    [
        b"# \x01\n" + DENY,
        b"# \x1c\n" + DENY,
        b"#\0\n" + DENY,
        LONG + b"User-agent: *\nDisalow: /\n",
        LONG + SIGNALS,
        b"<!doctype html><html>\n" + LONG + SIGNALS,
        b"a { }\n" * 3000 + b"License: https://s0.example/none.xml\nUser-agent: *\nAllow: /\n",
        b"\x1f" + b"\xfe\xdc\xba\x98" * 3000 + b"\x1f\x8b\x08",
        b"<html>" + b"\xfe\xdc\0\1" * 3000,
        b"#text { }\n#more { }\n",
        b"<html>\n" * 2000,
    ],
)
@pytest.mark.parametrize("before", [(), (ALLOW,)])
def test_what_a_redirect_leads_to_counts_as_it_would_at_robots_txt(
    tmp_path: Path, body: bytes, media: str, before: tuple[bytes, ...]
) -> None:
    """Whatever its media type and length: the shelf leaves out no body that the core would read.

    Where it is no robots.txt, a file before it speaks, here and there.
    """
    decided = []
    for path in ("/robots.txt", "/x"):
        said = [says(HOME + path, octets, -30) for octets in before] + [says(HOME + path, body, media=media)]
        came = said if path == "/robots.txt" else [*said, to(FILE, path, -23)]
        spoken = ShelvedPolicies(shelf_of(tmp_path, came), NOW).speaking(f"{HOME}/p", BEGIN)
        asked = [one.decide(f"{HOME}/p", crawler="examplebot", usage=("crawl", "ai-train")) for one in spoken]
        decided.append({one.outcome for one in asked})
    assert decided[0] == decided[1]


@pytest.mark.parametrize("path", ["/robots.txt", "/x"])
@pytest.mark.parametrize(("length", "outcome"), [(len(DENY), "prohibited"), (len(DENY) + 1, "unreachable")])
def test_a_revisit_has_the_octets_of_an_answer_that_was_none(
    tmp_path: Path, path: str, length: int, outcome: str
) -> None:
    """It has its own status, and its own headers, by which it may be cut."""
    digest = b"WARC-Payload-Digest: sha1:" + hashlib.sha1(DENY, usedforsecurity=False).hexdigest().encode()
    first = record(says(HOME + path, DENY, -30, 404)).replace(b"WARC/1.0", b"WARC/1.0\r\n" + digest, 1)
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % length
    again = record(says(HOME + path, b"", -24))
    fields = again.partition(b"\r\n\r\n")[0].rpartition(b"\r\n")[0]
    fields = fields.replace(b"Type: response", b"Type: revisit").replace(b"WARC/1.0", b"WARC/1.0\r\n" + digest, 1)
    again = b"%b\r\nContent-Length: %d\r\n\r\n%b\r\n\r\n" % (fields, len(head), head)
    archive = tmp_path / "a.warc"
    archive.write_bytes(first + again + (record(to(FILE, path, -23)) if path == "/x" else b""))
    shelf = ArchiveShelf(":memory:")
    shelf.add(shelve(archive, 0, NOW))
    shelf.finish()
    [policy] = ShelvedPolicies(shelf, NOW).speaking(f"{HOME}/p", BEGIN)
    assert policy.state == ("present" if outcome == "prohibited" else "unreachable")


@pytest.mark.parametrize(
    "damaged", [b"hxtps://", b"https//", b"https:// ", b"https://s0.example:443x/", b"https://h/\t"]
)
@pytest.mark.parametrize(
    "leads", [to(FILE, "/x", -11), says(FILE, b"ACAP-crawler: *\nACAP-permissions-reference: /x\n")]
)
def test_a_record_whose_uri_is_none_may_be_of_what_is_led_to(tmp_path: Path, damaged: bytes, leads: Came) -> None:
    """Any path of any host may be, so that no path tells that a record is of nothing that decides."""
    allows = b"ACAP-crawler: *\nACAP-allow-crawl: /\n"
    lost = record(says(f"{HOME}/x", DENY, -12)).replace(b"Target-URI: https://", b"Target-URI: " + damaged, 1)
    for between, outcome in ((b"", "permitted"), (lost, "prohibited")):
        archive = tmp_path / "a.warc"
        kept = [says(f"{HOME}/x", allows, -30), says(f"{HOME}/y", b"", -13)]
        archive.write_bytes(
            b"".join(map(record, kept)) + between + record(says(f"{HOME}/y", b"", -11.5)) + record(leads)
        )
        shelf = ArchiveShelf(":memory:")
        shelf.add(shelve(archive, 0, NOW))
        shelf.finish()
        auditor = Auditor(ShelvedPolicies(shelf, NOW), crawler="examplebot", now=NOW)
        assert auditor.row(AuditedResource(f"{HOME}/p", BEGIN)).cells[0].outcome == outcome


@pytest.mark.parametrize("path", ["/robots.txt", "/x"])
@pytest.mark.parametrize("last", [ALLOW, DENY])
def test_more_octets_than_are_unpacked_are_out_of_reach(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, last: bytes
) -> None:
    """What packs well may be too much for memory; the same octets count once, and the order does not matter."""
    most = 100_000
    monkeypatch.setattr("acap.archives.shelf.ShelfReplay.__init__.__defaults__", ((), most))
    filler = [ALLOW + b"#" * (most // 3) + b"\n" * number for number in range(4)]
    leads = [to(FILE, path)] if path == "/x" else []
    for bodies, outcome in ((filler[:1] * 9, "read"), (filler, "unreachable"), (filler[::-1], "unreachable")):
        came = [says(HOME + path, body, number / 10 - 40) for number, body in enumerate([*bodies, last])]
        for order in (came, came[::-1]):
            spoken = ShelvedPolicies(shelf_of(tmp_path, [*leads, *order]), NOW).speaking(f"{HOME}/p", BEGIN)
            states = {one.state for one in spoken}
            assert states == ({"present"} if outcome == "read" else {"unreachable"})


def test_what_one_question_leads_to_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where more is needed than others are held beside; what is beyond a limit is out of reach, no more."""
    monkeypatch.setattr("acap.archives.shelved._HELD", 5)
    read: list[str] = []
    whole = ArchiveShelf.whole

    def noting(shelf: ArchiveShelf, url: str, *most: int) -> list[ShelfEvent]:
        read.append(url)
        return whole(shelf, url, *most)

    monkeypatch.setattr(ArchiveShelf, "whole", noting)
    turns = [to(FILE, f"/x{number % 3}", number / 10 - 30) for number in range(30)]
    said = [says(f"{HOME}/x{name}", ALLOW, number / 10 - 40) for name in range(3) for number in range(10)]
    shelf = shelf_of(tmp_path, [*turns, *said])
    timelines = ShelvedTimelines(shelf, "auto", Rules.of("auto"), NOW)
    timelines.of(FILE).newest(BEGIN)
    list(timelines.of(FILE).policies())
    assert sorted(read) == sorted(f"{HOME}/x{name}" for name in range(3))
    monkeypatch.setattr("acap.archives.shelved._IN_USE", 35)
    assert timelines.is_full
    states = {one.state for one in timelines.fresh().of(FILE).policies()}
    assert states == {"present", "unreachable"}
    assert timelines.of(f"{HOME}/x2")._answers
    assert len(read) < 9
