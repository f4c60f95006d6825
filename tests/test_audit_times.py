"""An audit hears of documents beside robots.txt what they said at the time of the page, and no licence that is over."""

from __future__ import annotations

import json
import random
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import httpx2
import pyarrow as pa
import pytest

import acap
from acap.archives.capture import Capture
from acap.archives.record import members
from acap.archives.shelf import ArchiveShelf, shelve
from acap.audits.policies import ShelvedPolicies, TablePolicies
from acap.audits.rows import AuditedResource, Auditor
from acap.clock import FixedClock
from acap.combine import decide_each
from acap.crawlers import Crawler
from acap.decision import STRICTNESS, Outcome
from tests.crawled import BEGIN, Came, site, write_warc

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

HOME = site(0)
PAGE = f"{HOME}/p"
TDMREP, AI_TXT, LICENCE = f"{HOME}/.well-known/tdmrep.json", f"{HOME}/ai.txt", f"{HOME}/l.xml"
DAY = 24
NOW = BEGIN + timedelta(days=2000)
USAGES = ("crawl", "index", "tdm", "ai-train")
LAW_CASES, LAW_SEED = 150, 20261128


def robots(days: float, *, names: bool = False) -> Came:
    """A robots.txt that permits everything, and may name a licence."""
    text = b"User-agent: *\nAllow: /\n" + (f"License: {LICENCE}\n".encode() if names else b"")
    return Came(f"{HOME}/robots.txt", text, days * DAY, "text/plain")


def tdmrep(days: float, reserved: int | None) -> Came:
    """A tdmrep.json; None: there is none."""
    rule = json.dumps([{"location": "/", "tdm-reservation": reserved}]).encode()
    return Came(
        TDMREP, b"" if reserved is None else rule, days * DAY, "application/json", 404 if reserved is None else 200
    )


def ai_txt(days: float, *, allows: bool) -> Came:
    """An ai.txt."""
    return Came(AI_TXT, b"User-Agent: *\n" + (b"Allow: /\n" if allows else b"Disallow: /\n"), days * DAY, "text/plain")


def licence(days: float, *, permits: bool, age: int | None = None) -> Came:
    """A licence of all or nothing, that says how many days it counts."""
    word = b"permits" if permits else b"prohibits"
    head = b'<rsl xmlns="https://rslstandard.org/rsl"%b>' % (b"" if age is None else b' max-age="%d"' % age)
    inside = b'<content url="/"><license><%b type="usage">all</%b></license></content></rsl>' % (word, word)
    return Came(LICENCE, head + inside, days * DAY, "application/rsl+xml")


def outcomes(
    directory: Path,
    came: Sequence[Came],
    at: datetime = BEGIN,
    *,
    asked: datetime | None = None,
    crawler: Crawler | str = "examplebot",
) -> dict[str, str]:
    """What a page that was fetched at an instant comes to; `asked` as of `--at`."""
    archive = write_warc(directory / "a.warc.gz", came)
    shelf = ArchiveShelf(":memory:")
    shelf.add(shelve(archive, 0, NOW))
    shelf.finish()
    auditor = Auditor(ShelvedPolicies(shelf, NOW), crawler=crawler, usages=USAGES, at=asked, now=NOW)
    row = auditor.row(AuditedResource(PAGE, at))
    return {usage: str(cell.outcome) for usage, cell in zip(USAGES, row.cells, strict=True)}


MINED = ("tdm", "ai-train")
LICENSED = ("index", "tdm", "ai-train")


@pytest.mark.parametrize(
    ("said", "usages", "is_permitted"),
    [
        ((tdmrep(-1, 1), tdmrep(1, 0)), MINED, False),
        ((tdmrep(-1, 1), tdmrep(2, 0)), MINED, False),
        ((tdmrep(-31, 1), tdmrep(20, 0)), MINED, False),
        ((tdmrep(-31, 1), tdmrep(2, None)), MINED, False),
        ((tdmrep(-1, 0), tdmrep(0.5, 1)), MINED, False),
        ((tdmrep(-1, 0), tdmrep(20, 1)), MINED, True),
        ((tdmrep(-2, 1), tdmrep(-1, 0)), MINED, True),
        ((tdmrep(0.5, 1),), MINED, False),
        ((tdmrep(20, 1),), MINED, False),
        ((tdmrep(20, None),), MINED, True),
        ((tdmrep(-1, 0), tdmrep(3000, 1)), MINED, False),  # a date to come is none
        ((ai_txt(-31, allows=False), ai_txt(2, allows=True)), ("ai-train",), False),
        ((ai_txt(-31, allows=True), ai_txt(2, allows=False)), ("ai-train",), True),
        ((licence(-3, permits=False), licence(2, permits=True)), LICENSED, False),
        ((licence(-3, permits=True), licence(2, permits=False)), LICENSED, True),
        ((licence(-3, permits=True), licence(0.5, permits=False)), LICENSED, False),
        ((), LICENSED, False),
        ((licence(-1, permits=True)._replace(status=404),), LICENSED, False),
        ((licence(0.5, permits=True),), LICENSED, True),
        ((licence(2, permits=True),), LICENSED, False),
        ((licence(800, permits=True),), LICENSED, False),
        ((licence(-30, permits=True),), LICENSED, True),
        ((licence(-31, permits=True),), LICENSED, False),
        ((licence(-800, permits=True),), LICENSED, False),
        ((licence(-2, permits=True, age=1),), LICENSED, False),
        ((licence(-1, permits=True, age=1),), LICENSED, True),
        ((licence(-40, permits=True, age=60),), LICENSED, False),
        # One of the day after counts as before where there is none, or one that is too old.
        ((licence(-31, permits=True), licence(0.1, permits=True)), LICENSED, True),
        ((licence(-31, permits=False), licence(0.1, permits=True)), LICENSED, True),
        ((licence(-31, permits=True), licence(0.1, permits=False)), LICENSED, False),
        ((licence(-31, permits=True), licence(1.1, permits=True)), LICENSED, False),
        ((licence(-30, permits=False), licence(0.1, permits=True)), LICENSED, False),
        ((licence(-8, permits=True, age=7), licence(0.1, permits=True)), LICENSED, True),
        ((licence(-7, permits=False, age=7), licence(0.1, permits=True)), LICENSED, False),
        ((licence(-20, permits=True)._replace(status=503), licence(0.1, permits=True)), LICENSED, False),
        ((licence(-31, permits=True)._replace(status=404), licence(0.1, permits=True)), LICENSED, True),
        ((tdmrep(-29, 0), Came(TDMREP, b"", -DAY, status=503)), MINED, True),
        ((tdmrep(-30.5, 0), Came(TDMREP, b"", -DAY, status=503)), MINED, False),
    ],
)  # fmt: skip
def test_a_document_counts_as_of_the_time_of_the_page(
    tmp_path: Path, said: tuple[Came, ...], usages: Sequence[str], *, is_permitted: bool
) -> None:
    """The row of a page, and the same question with `--at`."""
    came = (robots(-1, names=usages == LICENSED), *said)
    found = outcomes(tmp_path, came)
    assert {usage: found[usage] == "permitted" for usage in usages} == dict.fromkeys(usages, is_permitted)
    assert found["crawl"] == "permitted"
    later = BEGIN + timedelta(days=100)
    assert outcomes(tmp_path, came, later, asked=BEGIN) == found


@pytest.mark.parametrize(
    ("said", "usage", "spoken", "silent"),
    [
        (tdmrep(-29, 0), "tdm", "permitted", "permitted"),
        (tdmrep(-31, 0), "tdm", "permitted", "prohibited"),
        (tdmrep(-800, 0), "tdm", "permitted", "prohibited"),
        (tdmrep(-800, 1), "tdm", "prohibited", "prohibited"),
        (ai_txt(-29, allows=True), "ai-train", "permitted", "permitted"),
        (ai_txt(-31, allows=True), "ai-train", "permitted", "prohibited"),
        (ai_txt(-800, allows=False), "ai-train", "prohibited", "prohibited"),
    ],
)
def test_an_old_document_prohibits_and_does_not_permit(
    tmp_path: Path, said: Came, usage: str, spoken: str, silent: str
) -> None:
    """Its permission is seen where nobody else speaks, and silence prohibits."""
    came = [robots(-1), said]
    for silence, expected in (({}, spoken), ({"tdm": "prohibited", "ai-train": "prohibited"}, silent)):
        asker = Crawler("examplebot", silence=silence)
        assert outcomes(tmp_path, came, crawler=asker)[usage] == expected


def test_a_licence_that_is_not_known_is_never_looser_than_one_that_is_known_to_be_absent(tmp_path: Path) -> None:
    """Both prohibit each use, even to who holds it. Where nobody asked for more than robots.txt, the line speaks."""
    said = robots(-1, names=True)
    absent = Came(LICENCE, b"", -DAY, status=404)
    failed, later = absent._replace(status=503), licence(20, permits=True)
    holder = Crawler("examplebot", licensee=acap.Licensee(licences=[LICENCE]))
    for crawler in ("examplebot", holder):
        for came in ((), (absent,), (failed,), (later,)):
            found = outcomes(tmp_path, (said, *came), crawler=crawler)
            assert found == {"crawl": "permitted"} | dict.fromkeys(LICENSED, "prohibited")
        policies = TablePolicies(pa.table({"url": [said.url], "robots": [said.body], "at": [said.at]}), now=NOW)
        row = Auditor(policies, crawler=crawler, usages=USAGES, now=NOW).row(AuditedResource(PAGE, BEGIN))
        policy = acap.parse_robots(said.body, url=said.url)
        licences = acap.RslLicences(robots=policy)
        plain = decide_each(PAGE, crawler=crawler, usages=USAGES, at=BEGIN, robots=policy, others=[licences])
        assert [str(cell.outcome) for cell in row.cells] == [str(plain[usage].outcome) for usage in USAGES]


def test_few_targets_of_redirects_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others count as if they were not there, which prohibits; the newest redirects are the ones that are read."""
    came = [robots(-21, names=True)]
    for number in range(4):
        came += [led(LICENCE, f"/{number}", number / 9 - 20), at(f"{HOME}/{number}", PERMITS, number / 9 - 20)]
    for most, expected in ((1, ["prohibited", "permitted"]), (2, ["permitted", "permitted"])):
        monkeypatch.setattr("acap.archives.shelved._LED", most)
        found = [outcomes(tmp_path, came, BEGIN + timedelta(days=number / 9 - 19.99))["index"] for number in (2, 3)]
        assert found == expected


PARTLY = (
    b'<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>'
    b'<%b type="usage">%b</%b></license></content></rsl>'
)


def test_a_relative_licence_is_of_where_robots_txt_came_from(tmp_path: Path) -> None:
    """As in retrieval (RFC 3986 5.1.3)."""
    away = "https://www.s0.example/policies/"
    document = PARTLY % (b"prohibits", b"ai-train", b"prohibits")
    file = Came(f"{away}r", b"User-agent: *\nAllow: /\nLicense: l.xml\n", -DAY, "text/plain")
    led = Came(f"{HOME}/robots.txt", b"", -DAY, "text/plain", 302, (("Location", file.url),))
    for place, index in ((f"{away}l.xml", "permitted"), (f"{HOME}/l.xml", "prohibited")):
        found = outcomes(tmp_path, (led, file, Came(place, document, -DAY)))
        assert (found["ai-train"], found["index"]) == ("prohibited", index)


@pytest.mark.parametrize(
    ("way", "outcome"), [("https://cdn.example/l.xml", "permitted"), ("http://cdn.example/l.xml", "prohibited")]
)
def test_a_licence_that_was_fetched_over_plain_http_licenses_nothing(tmp_path: Path, way: str, outcome: str) -> None:
    """The archive of what sites said tells by which way it came, so that it proves what the plain API answers."""
    at = BEGIN - timedelta(days=1)
    evidence = {"url": LICENCE, "meaning": "read", "final_url": LICENCE, "chain": [{"url": LICENCE}, {"url": way}]}
    body = PARTLY % (b"permits", b"all", b"permits")
    octets = members(Capture(LICENCE, at, 200, (), body, metadata=evidence))
    file = write_warc(tmp_path / "a.warc.gz", [robots(-1, names=True)])
    file.write_bytes(file.read_bytes() + octets)
    shelf = ArchiveShelf(":memory:")
    shelf.add(shelve(file, 0, NOW))
    shelf.finish()
    auditor = Auditor(ShelvedPolicies(shelf, NOW), crawler="examplebot", usages=["ai-train"], now=NOW)
    assert auditor.row(AuditedResource(PAGE, BEGIN)).cells[0].outcome == outcome


CDN = "https://cdn.example"
PERMITS, PROHIBITS = PARTLY % (b"permits", b"all", b"permits"), PARTLY % (b"prohibits", b"all", b"prohibits")
RESERVED, FREE = (json.dumps([{"location": "/", "tdm-reservation": one}]).encode() for one in (1, 0))
NO_TRAINING, TRAINING = b"User-Agent: *\nDisallow: /\n", b"User-Agent: *\nAllow: /\n"
SIGN_IN = b"<!doctype html><html><title>Sign in</title></html>"


def led(url: str, target: str, days: float = -1) -> Came:
    """A redirect."""
    return Came(url, b"", days * DAY, "text/plain", 302, (("Location", target),))


def at(url: str, body: bytes, days: float = -1, status: int = 200) -> Came:
    """What stands at a URL."""
    return Came(url, body, days * DAY, "text/plain", status)


def hops(url: str, count: int, body: bytes) -> list[Came]:
    """So many redirects, and what is behind them."""
    urls = [url, *(f"{HOME}/{number}" for number in range(count))]
    return [*(led(*pair) for pair in pairwise(urls)), at(urls[-1], body)]


LED = [
    *[
        [led(url, target), *more]
        for url, bodies in {
            LICENCE: (PERMITS, PROHIBITS, SIGN_IN, b"<rsl"), TDMREP: (FREE, RESERVED, SIGN_IN, b"[{", b"[]"),
            AI_TXT: (TRAINING, NO_TRAINING, SIGN_IN, b"words", b""),
        }.items()
        for target in ("/there", f"{CDN}/x?y", "http://cdn.example/plain", url)
        for more in (
            [], *([at(urljoin(url, target), body)] for body in bodies), [at(urljoin(url, target), b"", status=404)],
            [at(urljoin(url, target), b"", status=503)], [led(urljoin(url, target), url)],
        ) if target != url or not more
    ],
    *(hops(url, count, body) for url, body in ((LICENCE, PERMITS), (TDMREP, FREE)) for count in (2, 5, 6)),
]  # fmt: skip


@pytest.mark.parametrize("came", LED, ids=range(len(LED)))
def test_redirects_of_documents_are_followed_as_retrieval_does(tmp_path: Path, came: list[Came]) -> None:
    """Of a site that said the same at all times."""
    said = {one.url: one for one in (robots(-1, names=came[0].url == LICENCE), *came)}

    def answered(request: httpx2.Request) -> httpx2.Response:
        one = said.get(str(request.url), at(str(request.url), b"", status=404))
        return httpx2.Response(one.status, headers=list(one.pairs), content=one.body)

    with acap.Retriever(transport=httpx2.MockTransport(answered), clock=FixedClock(BEGIN)) as retriever:
        policy = acap.Site(HOME, retriever=retriever).policy()
        decisions = policy.decide_each(PAGE, crawler="examplebot", usages=USAGES, at=BEGIN)
    expected = {usage: str(decisions[usage].outcome) for usage in USAGES}
    found = outcomes(tmp_path, list(said.values()))
    is_there = all(urljoin(one.url, value) in said for one in came for name, value in one.headers if name == "Location")
    if is_there:
        assert found == expected
    else:  # what no archive has was a 404 or not
        assert all(STRICTNESS[Outcome(found[usage])] >= STRICTNESS[decisions[usage].outcome] for usage in USAGES)
        assert "prohibited" in found.values()


@pytest.mark.parametrize(
    ("came", "usage", "outcome"),
    [
        ([led(LICENCE, "/x"), at(f"{HOME}/x", PERMITS, -29)], "index", "permitted"),
        ([led(LICENCE, "/x"), at(f"{HOME}/x", PERMITS, -31)], "index", "prohibited"),
        ([led(LICENCE, "/x", -29), at(f"{HOME}/x", PERMITS, -2)], "index", "permitted"),
        ([led(LICENCE, "/x", -31), at(f"{HOME}/x", PERMITS, -2)], "index", "prohibited"),
        ([led(LICENCE, "/x", -9), at(f"{HOME}/x", PERMITS, -9), at(f"{HOME}/x", PROHIBITS, -2)], "index", "prohibited"),
        ([led(LICENCE, "/x", -9), at(f"{HOME}/x", PROHIBITS, -9), at(f"{HOME}/x", PERMITS, -2)], "index", "permitted"),
        ([led(LICENCE, "/x"), at(f"{HOME}/x", PERMITS), at(f"{HOME}/x", PROHIBITS, 0.5)], "index", "prohibited"),
        ([led(LICENCE, "/x"), at(f"{HOME}/x", PERMITS), led(LICENCE, "/y", 0.5), at(f"{HOME}/y", PROHIBITS)], "index",
         "prohibited"),
        ([led(LICENCE, "/x"), at(f"{HOME}/x", PERMITS), at(f"{HOME}/x", PROHIBITS, 0.5), led(LICENCE, "/y", 0.5),
          at(f"{HOME}/y", PERMITS)], "index", "prohibited"),
        ([led(LICENCE, "/x"), led(LICENCE, "/y"), at(f"{HOME}/x", PERMITS), at(f"{HOME}/y", PERMITS)], "index",
         "prohibited"),
        ([at(LICENCE, PERMITS, -9), led(LICENCE, "/x"), at(f"{HOME}/x", b"", status=503)], "index", "permitted"),
        ([at(LICENCE, PERMITS, -9), led(LICENCE, "/x")], "index", "prohibited"),
        ([led(LICENCE, "/x", -31), led(LICENCE, "/x", 0.1), at(f"{HOME}/x", PERMITS)], "index", "permitted"),
        ([led(LICENCE, "/x"), at(f"{HOME}/x", PERMITS, -31), at(f"{HOME}/x", PERMITS, 0.1)], "index", "permitted"),
        ([led(LICENCE, "/x"), at(f"{HOME}/x", PROHIBITS, -29), at(f"{HOME}/x", PERMITS, 0.1)], "index", "prohibited"),
        ([led(TDMREP, "/x"), at(f"{HOME}/x", RESERVED, -9), at(f"{HOME}/x", SIGN_IN, -2)], "tdm", "prohibited"),
        ([led(TDMREP, "/x"), at(f"{HOME}/x", FREE, -9), at(f"{HOME}/x", SIGN_IN, -2)], "tdm", "permitted"),
        ([led(TDMREP, "/x", -9), at(f"{HOME}/x", RESERVED, -9), at(TDMREP, SIGN_IN, -2)], "tdm", "prohibited"),
        ([at(TDMREP, RESERVED, -9), led(TDMREP, "/x", -2), at(f"{HOME}/x", SIGN_IN, -2)], "tdm", "prohibited"),
        ([led(TDMREP, "/x", -400), at(f"{HOME}/x", RESERVED, -300)], "tdm", "prohibited"),
        ([led(AI_TXT, "/x", -400), at(f"{HOME}/x", NO_TRAINING, -300)], "ai-train", "prohibited"),
        ([led(AI_TXT, "/x", -9), at(f"{HOME}/x", NO_TRAINING, -300), at(f"{HOME}/x", TRAINING, -2)], "ai-train",
         "permitted"),
    ],
)  # fmt: skip
def test_what_a_document_is_redirected_to_counts_as_of_the_time_of_the_page(
    tmp_path: Path, came: list[Came], usage: str, outcome: str
) -> None:
    """By the rules of the document itself: a licence has its age, and what else prohibits does however old it is."""
    said = (robots(-1, names=usage == "index"), *came)
    assert outcomes(tmp_path, said)[usage] == outcomes(tmp_path, said[::-1])[usage] == outcome


KINDS = {
    "index": (LICENCE, PERMITS, PROHIBITS),
    "tdm": (TDMREP, FREE, RESERVED),
    "ai-train": (AI_TXT, TRAINING, NO_TRAINING),
}


@pytest.mark.parametrize("usage", KINDS)
def test_each_redirect_is_one_before_or_one_of_the_day_after_for_itself(tmp_path: Path, usage: str) -> None:
    """All ways through them have to permit, not only the one before throughout and the one after throughout."""
    url, yes, no = KINDS[usage]
    one, other, third = f"{HOME}/a", f"{HOME}/b", f"{HOME}/c"
    before, after = 0.04, 0.08
    ways = [
        [led(url, one), at(one, yes, -5), led(one, other, before), at(other, no, -before), at(other, yes, after)],
        [led(url, one), led(one, other, -5), at(one, yes, before), at(other, yes, -before), at(other, no, after)],
        [at(url, yes), led(url, other, before), at(other, no, -before), at(other, yes, after)],
        [led(url, other), at(url, yes, before), at(other, yes, -before), at(other, no, after)],
        [led(url, one), led(url, other, before), at(one, yes), at(other, no, -before), at(other, yes, after)],
        [led(url, one), led(one, third), led(one, other, before), at(third, yes), at(other, no, -before),
         at(other, yes, after)],
    ]  # fmt: skip
    file = robots(-1, names=usage == "index")
    for came in ways:
        assert outcomes(tmp_path, [file, *came])[usage] == "prohibited"
        permitting = [said._replace(body=yes if said.body == no else said.body) for said in came]
        assert outcomes(tmp_path, [file, *permitting])[usage] == "permitted"


def test_documents_of_a_site_are_each_one_before_or_one_of_the_day_after(tmp_path: Path) -> None:
    """So that where each of two falls silent in turn, both may have been silent."""
    said = [tdmrep(-1, 0), tdmrep(0.5, None), ai_txt(-1, allows=True)._replace(status=404), ai_txt(0.5, allows=True)]
    silent = Crawler("examplebot", silence={"ai-train": "prohibited"})
    assert outcomes(tmp_path, [robots(-1), *said], crawler=silent)["ai-train"] == "prohibited"
    assert outcomes(tmp_path, [robots(-1), said[0], said[3]], crawler=silent)["ai-train"] == "permitted"


@pytest.mark.parametrize(("changed", "outcome"), [(6, "permitted"), (7, "prohibited")])
def test_documents_that_may_have_been_too_many_things_are_unknown(tmp_path: Path, changed: int, outcome: str) -> None:
    """Those that were captured before and after the page and differ are combined as long as these are few."""
    urls = [f"{HOME}/{number}.xml" for number in range(12)]
    lines = b"".join(b"License: %b\n" % url.encode() for url in urls)
    came = [Came(f"{HOME}/robots.txt", b"User-agent: *\nAllow: /\n" + lines, -DAY, "text/plain")]
    for number, url in enumerate(urls):
        came += [at(url, PERMITS, -0.5), at(url, PERMITS + b"<!-- again -->" * (number < changed), 0.5)]
    assert outcomes(tmp_path, came)["index"] == outcome


def drawn(random: random.Random) -> list[Came]:
    """Captures of the documents of a site, none of two at one instant."""
    days = random.sample([-800, -60, -31, -30, -29, -3, -2, -1, -0.5, 0, 0.5, 1, 1.5, 2, 20, 800], 6)
    found = []
    for one in days:
        said = (
            tdmrep(one, random.choice((0, 1, None))),
            ai_txt(one, allows=random.random() < 0.5),
            licence(one, permits=random.random() < 0.6, age=random.choice((None, None, 1, 5))),
        )
        found.append(random.choice(said))
    return found


def test_a_row_is_answered_as_by_an_archive_that_ends_with_it(tmp_path: Path) -> None:
    """Of documents that were captured before, what came after the next day changes nothing; it never permits more."""
    chance = random.Random(LAW_SEED)
    same = 0
    for _ in range(LAW_CASES):
        came = drawn(chance)
        before = [one for one in came if one.hours <= 0]
        near = [one for one in came if one.hours <= DAY]
        file = robots(-1, names=chance.random() < 0.6)
        whole, ended = outcomes(tmp_path, [file, *came]), outcomes(tmp_path, [file, *before])
        known = {one.url for one in before}
        if all(one.url in known for one in came) and near == before:
            assert whole == ended, (LAW_SEED, came)
            same += 1
        until = outcomes(tmp_path, [file, *near])
        assert all(STRICTNESS[whole[usage]] >= STRICTNESS[until[usage]] for usage in USAGES), (LAW_SEED, came)
        assert outcomes(tmp_path, [file, *came], BEGIN + timedelta(days=9), asked=BEGIN) == whole, (LAW_SEED, came)
    assert same > 5
