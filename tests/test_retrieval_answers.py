"""What answers mean, how an exchange comes to one, and for how long it stands: no network here."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import zlib
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from acap.retrieval import Answer, Exchange, Failure, FailureKind, Meaning, Reply, Rules, expires_at, is_fresh, meaning
from acap.retrieval.answers import Headers, values
from acap.retrieval.cache import CacheEntry
from acap.retrieval.exchange import MAX_REDIRECTS
from acap.retrieval.retrieved import choose, usable

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
URL = "https://site.example/robots.txt"
RULES = Rules.of("auto")


def answer(status: int | None = 200, headers: Headers = (), **said: Any) -> Answer:
    return Answer(
        url=URL, agent="acap", source=URL, fetched_at=said.pop("at", NOW), status=status, headers=headers, **said
    )


def exchange(**options: Any) -> Exchange:
    return Exchange(URL, at=NOW, agent="mybot", **options)


def run(going: Exchange, *replies: Reply) -> Answer:
    for said in replies:
        assert going.request is not None
        going.receive(said)
    assert going.request is None
    return going.answer


def to(location: str, status: int = 302, address: str | None = None) -> Reply:
    return Reply(status, (("Location", location),), address=address)


@pytest.mark.parametrize(
    ("status", "means"),
    [
        (200, "read"),
        (203, "read"),
        (204, "read"),
        (299, "read"),
        (400, "absent"),
        (401, "absent"),
        (403, "absent"),
        (404, "absent"),
        (410, "absent"),
        (451, "absent"),
        (499, "absent"),
        (408, "unreachable"),
        (421, "unreachable"),
        (425, "unreachable"),
        (429, "unreachable"),
        (500, "unreachable"),
        (503, "unreachable"),
        (599, "unreachable"),
        (100, "unreachable"),
        (101, "unreachable"),
        (600, "unreachable"),
        (999, "unreachable"),
        (0, "unreachable"),
        (None, "unreachable"),
    ],
)
def test_every_class_of_status_has_its_meaning(status: int | None, means: str) -> None:
    assert meaning(answer(status), RULES) == means


@pytest.mark.parametrize("status", [300, 304, 305, 306, 399])
def test_a_redirect_that_leads_nowhere_is_unreachable(status: int) -> None:
    assert meaning(run(exchange(), Reply(status)), RULES) is Meaning.UNREACHABLE


def test_a_part_of_the_file_is_not_the_file() -> None:
    said = run(exchange(), Reply(206, octets=b"User-agent: *\nAllow: /\n"))
    assert (meaning(said, RULES), said.octets) == (Meaning.UNREACHABLE, b"")


@pytest.mark.parametrize(
    ("dialect", "options", "status", "means"),
    [
        ("norobots-1996", {}, 401, "restricted"),
        ("norobots-1996", {}, 403, "restricted"),
        ("norobots-1996", {"forbidden": "unavailable"}, 403, "absent"),
        ("norobots-1996", {}, 404, "absent"),
        ("auto", {"forbidden": "restricted"}, 401, "restricted"),
        ("auto", {"forbidden": "restricted"}, 404, "absent"),
        ("google", {}, 403, "absent"),
        ("auto", {"too_many": "unavailable"}, 429, "absent"),
        ("auto", {"too_many": "unavailable"}, 503, "unreachable"),
    ],
)
def test_what_is_left_to_us_depends_on_dialect_and_option(
    dialect: str, options: dict[str, Any], status: int, means: str
) -> None:
    assert meaning(answer(status), Rules.of(dialect, **options)) == means


@pytest.mark.parametrize(
    "options", [{"forbidden": "allowed"}, {"too_many": "restricted"}, {"stale": timedelta(days=31)}, {"stale": -HOUR}]
)
def test_rules_take_no_other_values(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"forbidden|too_many|0 to 30 days"):
        Rules.of("auto", **options)


OTHER_DOCUMENTS = (
    b"Unauthorized",
    b'{"error": "not found"}',
    b"<!DOCTYPE html>\n<title>Please log in</title>\n<p>Allow cookies: they help</p>\n",
    "\ufeff<html>\n# nothing\n".encode("utf-16"),
)


@pytest.mark.parametrize("octets", OTHER_DOCUMENTS)
def test_what_is_no_robots_txt_settles_nothing(octets: bytes) -> None:
    """Without a good copy it means that there is no file, and is asked for again as after a failure."""
    said = answer(octets=octets)
    assert (meaning(said, RULES), said.settled) == (Meaning.ABSENT, False)
    assert expires_at(said, RULES) == NOW + timedelta(minutes=5)
    assert meaning(answer(octets=octets, cut_at=len(octets)), RULES) is Meaning.READ


@pytest.mark.parametrize("octets", [b"", b"# none\n", b"<html>\nSitemap: https://a.example/s\n", b"ACAP-crawler: *"])
def test_a_line_of_a_robots_txt_makes_it_one(octets: bytes) -> None:
    """So does a file without any line but comments, which says that nothing is said."""
    said = answer(octets=octets)
    assert (meaning(said, RULES), said.settled) == (Meaning.READ, True)


CLOSED = b"User-agent: *\nDisallow: /\n"
PACKED = {
    "packed with gzip": gzip.compress(CLOSED),
    "packed with zlib": zlib.compress(CLOSED),
    "packed with bzip2": bz2.compress(CLOSED),
    "packed with xz": lzma.compress(CLOSED),
    "packed with zstandard": b"\x28\xb5\x2f\xfd\x00\x58" + CLOSED,
    "packed with zip": b"PK\x03\x04" + CLOSED,
    "in format pdf": b"%PDF-1.7\nUnauthorized",
    "in format png": b"\x89PNG\r\n\x1a\n",
    "binary": b"Unauthorized\0",
}


@pytest.mark.parametrize(("what", "octets"), [*PACKED.items(), ("binary", random.Random(1).randbytes(400))])
@pytest.mark.parametrize("dialect", ["auto", "google"])
def test_what_is_no_text_is_in_a_coding_that_nobody_named(what: str, octets: bytes, dialect: str) -> None:
    """RFC 9309 2.3.1.4: nobody can tell what it says, so the site is out of reach, and its last file may serve."""
    came = answer(octets=octets)
    assert came.unreadable == what
    assert meaning(came, Rules.of(dialect)) is Meaning.UNREACHABLE
    good = answer(octets=CLOSED)
    for settled, means in ((None, Meaning.UNREACHABLE), (good, Meaning.READ), (answer(404), Meaning.UNREACHABLE)):
        chosen = choose(CacheEntry(settled, came), Rules(), NOW)
        if settled is None or settled is good or chosen is not None:
            assert chosen is not None
            assert chosen.meaning is means


@pytest.mark.parametrize(
    "octets",
    [
        b"",
        b"# nothing here\n",
        b"Unauthorized",
        b'{"error": "\x01"}',
        b"\xff\xfeU\0n\0a\0u\0t\0h\0",
        b"\x1f\x8b\nDisallow: /a\n",
        b"caf\xe9\x85 \x1b[1mno\x1b[0m\n\x1a",
    ],
)
def test_a_text_is_no_broken_coding(octets: bytes) -> None:
    """An error page says nothing, whatever slips are in it; and what has a line of a robots.txt is one."""
    came = answer(octets=octets)
    assert came.unreadable is None
    assert meaning(came, Rules()) in (Meaning.ABSENT, Meaning.READ)


def test_only_where_a_robots_txt_was_asked_for_must_one_come() -> None:
    """A referenced document, or one at another path, is not judged by its lines."""
    said = Answer(f"{URL}?x", "acap", URL, NOW, 200, (), b"<rsl/>")
    assert (meaning(said, RULES), said.settled) == (Meaning.READ, True)


@pytest.mark.parametrize("octets", OTHER_DOCUMENTS)
def test_the_last_good_copy_serves_in_place_of_what_is_no_robots_txt(octets: bytes) -> None:
    """A login page where the file was opens nothing: the copy serves for 30 days, then everything is prohibited."""
    known = CacheEntry(answer(octets=b"User-agent: *\nDisallow: /a\n"))
    for days, means, stale in ((2, Meaning.READ, True), (30, Meaning.READ, True), (31, Meaning.UNREACHABLE, False)):
        at = NOW + timedelta(days=days)
        speaks = choose(known.after(answer(octets=octets, at=at)), RULES, at)
        assert speaks is not None
        assert (speaks.meaning, speaks.stale) == (means, stale)
        assert speaks.evidence["failure"]["kind"] == "no-robots-txt"


def test_a_file_that_somebody_else_knows_only_prohibits_more() -> None:
    """It serves in place of what is no robots.txt, for 30 days, and never through a failure."""
    older = CacheEntry(older=answer(octets=b"User-agent: *\nDisallow: /a\n"))
    for octets, days, means in ((OTHER_DOCUMENTS[2], 2, Meaning.READ), (OTHER_DOCUMENTS[2], 31, Meaning.UNREACHABLE)):
        at = NOW + timedelta(days=days)
        speaks = choose(older.after(answer(octets=octets, at=at)), RULES, at)
        assert speaks is not None
        assert speaks.meaning is means
    speaks = choose(older.after(answer(503, at=NOW + HOUR)), RULES, NOW + HOUR)
    assert speaks is not None
    assert speaks.meaning is Meaning.UNREACHABLE
    assert choose(older, RULES, NOW) is None


@pytest.mark.parametrize("kind", list(FailureKind))
def test_every_failure_prohibits_but_too_many_redirects(kind: FailureKind) -> None:
    said = answer(200, failure=Failure(kind, "why"))
    expected = Meaning.ABSENT if kind is FailureKind.TOO_MANY_REDIRECTS else Meaning.UNREACHABLE
    assert meaning(said, RULES) is expected


def test_five_redirects_are_followed_and_each_is_kept() -> None:
    hops = [to(f"/{number}", address="192.0.2.1") for number in range(MAX_REDIRECTS)]
    said = run(exchange(), *hops, Reply(200, octets=b"#file", address="192.0.2.2"))
    assert meaning(said, RULES) is Meaning.READ
    assert (said.url, said.source) == (URL, "https://site.example/4")
    assert [hop.url.rpartition("/")[2] for hop in said.chain] == ["robots.txt", "0", "1", "2", "3"]
    assert all(hop.address == "192.0.2.1" and hop.status == 302 for hop in said.chain)
    assert (said.octets, said.address) == (b"#file", "192.0.2.2")


def test_a_sixth_redirect_counts_as_not_found() -> None:
    said = run(exchange(), *(to(f"/{number}") for number in range(6)))
    assert said.failure is not None
    assert said.failure.kind is FailureKind.TOO_MANY_REDIRECTS
    assert (meaning(said, RULES), said.settled, len(said.chain)) == (Meaning.ABSENT, True, 5)


@pytest.mark.parametrize("length", range(MAX_REDIRECTS + 1))
@pytest.mark.parametrize("back", range(MAX_REDIRECTS + 1))
def test_redirects_in_a_circle_are_a_failure(length: int, back: int) -> None:
    """Nobody knows what the site says, so everything is prohibited, however long the way to the circle and through it.

    A failure does not settle anything: the last good copy stands in.
    """
    urls = [URL, *(f"https://site.example/{number}" for number in range(length))]
    said = run(exchange(), *map(to, urls[1:]), to(f"{urls[min(back, length)]}#part"))
    assert said.failure is not None
    assert said.failure.kind is FailureKind.REDIRECT
    assert urls[min(back, length)] in said.failure.text
    assert (meaning(said, RULES), said.settled) == (Meaning.UNREACHABLE, False)
    known = CacheEntry(settled=answer(octets=b"User-agent: *\nDisallow: /\n", at=NOW - HOUR))
    speaks = choose(known.after(said), RULES, said.checked_at)
    assert speaks is not None
    assert speaks.meaning is Meaning.READ


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/r.txt", "https://site.example/r.txt"),
        ("r.txt?x=1#part", "https://site.example/r.txt?x=1"),
        ("//other.example/r", "https://other.example/r"),
        ("http://other.example:80/r", "http://other.example/r"),
        ("HTTPS://User:pw@Other.Example/", "https://other.example/"),
        ("/a b", "https://site.example/a%20b"),
        ("/\xc3\xbc", "https://site.example/%C3%BC"),
        ("/\xfc", "https://site.example/%FC"),
        ("http://m\xc3\xbcnchen.example/", "http://xn--mnchen-3ya.example/"),
    ],
)
def test_a_location_is_resolved_against_the_hop_that_said_it(location: str, target: str) -> None:
    going = exchange()
    going.receive(to(location))
    assert going.request is not None
    assert going.request.url == target


@pytest.mark.parametrize(
    "location",
    [
        "ftp://site.example/",
        "file:///etc/passwd",
        "javascript:1",
        "https://",
        "https:",
        "http:///r",
        "http://a\\@b/",
        "\x00",
        "/a\tb",
        "http://[::1",
        "http://x:99999/",
        "http://x:0/",
        "data:,User-agent",
    ],
)
def test_a_location_that_cannot_be_retrieved_is_unreachable(location: str) -> None:
    said = run(exchange(), to(location))
    assert said.failure is not None
    assert (said.failure.kind, meaning(said, RULES)) == (FailureKind.REDIRECT, Meaning.UNREACHABLE)


def test_two_different_locations_are_a_redirect_to_nowhere() -> None:
    said = run(exchange(), Reply(301, (("Location", "/a"), ("location", "/b"))))
    assert meaning(said, RULES) is Meaning.UNREACHABLE


def test_only_the_host_that_the_user_gave_may_be_private() -> None:
    going = exchange(typed=True)
    assert going.request is not None
    assert going.request.private
    going.receive(to("https://other.example/"))
    assert going.request is not None
    assert not going.request.private


@pytest.mark.parametrize(
    ("address", "location", "private"),
    [
        ("10.0.0.1", "/other", True),
        ("10.0.0.1", "http://site.example/", True),
        ("10.0.0.1", "https://site.example:8443/", False),
        ("10.0.0.1", "https://other.example/", False),
        ("93.184.216.34", "/other", False),  # public a moment ago: now a name that changed its mind
        (None, "/other", False),
    ],
)
def test_a_private_host_may_redirect_to_itself_only(address: str | None, location: str, private: bool) -> None:
    going = exchange(typed=True)
    going.receive(to(location, address=address))
    assert going.request is not None
    assert going.request.private is private


def test_a_host_that_was_found_is_never_private() -> None:
    going = exchange()
    assert going.request is not None
    assert not going.request.private
    going.receive(to("/other", address="10.0.0.1"))
    assert going.request is not None
    assert not going.request.private


def test_the_trusted_site_may_be_private_and_no_other() -> None:
    going = exchange(trusted="site.example:0")
    assert going.request is not None
    assert going.request.private
    going.receive(to("https://site.example:444/"))
    assert going.request is not None
    assert not going.request.private


def conditions(going: Exchange) -> dict[str, str]:
    assert going.request is not None
    return {name: value for name, value in going.request.headers if name.startswith("If-")}


COPY = answer(
    headers=(("ETag", '"v1"'), ("Last-Modified", "Thu, 19 Nov 2026 10:00:00 GMT"), ("X-Served-By", "a")),
    octets=b"#file",
)


def test_a_copy_is_asked_for_conditionally_and_a_304_renews_it() -> None:
    going = Exchange(URL, at=NOW + HOUR, known=COPY)
    assert conditions(going) == {"If-None-Match": '"v1"', "If-Modified-Since": "Thu, 19 Nov 2026 10:00:00 GMT"}
    headers = (("ETag", 'W/"v1"'), ("Cache-Control", "max-age=60"), ("Content-Length", "0"))
    said = run(going, Reply(304, headers, address="192.0.2.7"))
    assert (said.status, said.octets, meaning(said, RULES)) == (200, b"#file", Meaning.READ)
    assert (said.fetched_at, said.confirmed_at, said.checked_at) == (NOW, NOW + HOUR, NOW + HOUR)
    assert values(said.headers, "x-served-by") == ("a",)
    assert values(said.headers, "etag") == ('W/"v1"',)
    assert values(said.headers, "content-length") == ()
    assert said.address == "192.0.2.7"


def test_validators_go_only_to_the_url_they_came_from() -> None:
    moved = answer(headers=COPY.headers, octets=b"#file")
    moved = Answer(**{**{name: getattr(moved, name) for name in moved.__slots__}, "source": "https://cdn.example/r"})
    going = exchange(known=moved)
    assert conditions(going) == {}
    going.receive(to("https://cdn.example/r"))
    assert conditions(going) == {"If-None-Match": '"v1"', "If-Modified-Since": "Thu, 19 Nov 2026 10:00:00 GMT"}


def test_a_304_that_nobody_asked_for_is_unreachable() -> None:
    assert meaning(run(exchange(), Reply(304)), RULES) is Meaning.UNREACHABLE


def test_a_304_for_another_version_is_asked_again_without_condition() -> None:
    going = exchange(known=COPY)
    going.receive(Reply(304, (("ETag", '"v2"'),)))
    assert conditions(going) == {}
    assert run(going, Reply(200, octets=b"new")).octets == b"new"


@pytest.mark.parametrize(
    "known", [answer(404, COPY.headers), answer(200, COPY.headers, cut_at=9), answer(503, COPY.headers)]
)
def test_what_is_no_whole_copy_is_not_confirmed(known: Answer) -> None:
    assert conditions(exchange(known=known)) == {}


def test_an_exchange_is_used_in_its_order() -> None:
    going = exchange()
    with pytest.raises(RuntimeError):
        _ = going.answer
    run(going, Reply(404))
    with pytest.raises(RuntimeError):
        going.receive(Reply(200))


def test_trouble_keeps_what_was_said_and_drops_a_part_of_the_body() -> None:
    going = exchange()
    going.receive(to("/next"))
    going.fail(Failure(FailureKind.CUT_BODY, "gone"), Reply(200, (("A", "b"),), b"half", "192.0.2.1"))
    said = going.answer
    assert (said.status, said.headers, said.octets, said.address) == (200, (("A", "b"),), b"", "192.0.2.1")
    assert (said.source, len(said.chain)) == ("https://site.example/next", 1)


DATE = ("Date", "Fri, 20 Nov 2026 12:00:00 GMT")


@pytest.mark.parametrize(
    ("headers", "hours"),
    [
        ((), 24),
        ((("Cache-Control", "max-age=3600"),), 1),
        ((("cache-control", "public, MAX-AGE=7200"),), 2),
        ((("Cache-Control", 'max-age="7200"'),), 2),
        ((("Cache-Control", "max-age=999999999999999999999"),), 24),
        ((("Cache-Control", "max-age=31536000"),), 24),
        ((("Cache-Control", "max-age=7200"), ("Cache-Control", "max-age=3600")), 1),
        ((("Cache-Control", "max-age=7200"), ("Age", "3600")), 1),
        ((("Cache-Control", "s-maxage=60, private"),), 24),
        ((("Expires", "Fri, 20 Nov 2026 14:00:00 GMT"), DATE), 2),
        ((("Expires", "Fri, 20 Nov 2026 14:00:00 GMT"), ("Cache-Control", "max-age=3600")), 1),
        ((("Expires", "Fri, 20 Nov 2027 14:00:00 GMT"),), 24),
    ],
)
def test_a_file_stands_for_24_hours_or_less(headers: Headers, hours: int) -> None:
    assert expires_at(answer(headers=headers), RULES) == NOW + hours * HOUR


@pytest.mark.parametrize(
    "headers",
    [
        (("Cache-Control", "no-store"),),
        (("Cache-Control", "no-cache, max-age=3600"),),
        (("Cache-Control", 'no-cache="a, b"'),),
        (("Cache-Control", "max-age=-1"),),
        (("Cache-Control", "max-age=soon"),),
        (("Cache-Control", "max-age=60"), ("Age", "9999999999999999")),
        (("Expires", "0"),),
        (("Expires", "Thu, 01 Jan 1970 00:00:00 GMT"),),
    ],
)
def test_what_asks_not_to_be_cached_still_stands_for_a_minute(headers: Headers) -> None:
    assert expires_at(answer(headers=headers), RULES) == NOW + timedelta(minutes=1)


@pytest.mark.parametrize(
    ("headers", "days"),
    [
        ((), 7),
        ((("Cache-Control", "max-age=864000"),), 10),
        ((("Expires", "Sun, 20 Dec 2026 12:00:00 GMT"), DATE), 30),
    ],
)
def test_the_1996_memo_goes_by_what_the_answer_says_else_seven_days(headers: Headers, days: int) -> None:
    assert expires_at(answer(headers=headers), Rules.of("norobots-1996")) == NOW + timedelta(days=days)


@pytest.mark.parametrize(
    ("status", "headers", "wait"),
    [
        (503, (), timedelta(minutes=5)),
        (None, (), timedelta(minutes=5)),
        (429, (("Retry-After", "1800"),), timedelta(minutes=30)),
        (503, (("Retry-After", "Fri, 20 Nov 2026 14:00:00 GMT"),), 2 * HOUR),
        (503, (("Retry-After", "99999999999"),), 24 * HOUR),
        (503, (("Retry-After", "1"),), timedelta(minutes=1)),
        (503, (("Retry-After", "later"),), timedelta(minutes=5)),
        (503, (("Cache-Control", "max-age=86400"),), timedelta(minutes=5)),
    ],
)
def test_a_failure_stands_briefly_or_as_long_as_it_asks(status: int | None, headers: Headers, wait: timedelta) -> None:
    assert expires_at(answer(status, headers), RULES) == NOW + wait


def test_an_answer_from_the_future_is_not_fresh() -> None:
    assert not is_fresh(answer(at=NOW + HOUR), RULES, NOW)


FILE = answer(octets=b"#file")
FAILED = answer(503, at=NOW + HOUR)


@pytest.mark.parametrize(
    ("entry", "at", "status", "stale"),
    [
        (CacheEntry(), 0 * HOUR, None, None),
        (CacheEntry(FILE), HOUR, 200, False),
        (CacheEntry(FILE), 24 * HOUR, None, None),
        (CacheEntry(FILE, FAILED), HOUR, 200, False),  # the copy itself is still fresh
        (CacheEntry(FILE, answer(503, at=NOW + 25 * HOUR)), 25 * HOUR, 200, True),
        (CacheEntry(FILE, answer(503, at=NOW + 30 * 24 * HOUR)), 30 * 24 * HOUR, 200, True),
        (CacheEntry(FILE, answer(503, at=NOW + 31 * 24 * HOUR)), 31 * 24 * HOUR, 503, False),
        (CacheEntry(answer(404), FAILED), HOUR, 503, False),  # that there was no file is no copy of one
        (CacheEntry(None, FAILED), HOUR, 503, False),
        (CacheEntry(None, FAILED), 2 * HOUR, None, None),
        (CacheEntry(FILE, answer(503, at=NOW - HOUR)), HOUR, 200, False),
        (CacheEntry(FILE, answer(503, at=NOW - HOUR)), -HOUR, 503, False),  # the file is from the future
        (CacheEntry(answer(404), answer(503, at=NOW - HOUR)), -HOUR, 503, False),
        (CacheEntry(answer(404), answer(503, at=NOW - HOUR)), -2 * HOUR, None, None),
    ],
)
def test_what_speaks(entry: CacheEntry, at: timedelta, status: int | None, stale: bool | None) -> None:
    speaks = choose(entry, RULES, NOW + at)
    assert (speaks.status, speaks.stale) == (status, stale) if speaks else status is None


def test_a_stale_copy_is_served_no_longer_than_its_last_day() -> None:
    failed_at = NOW + timedelta(days=30) - timedelta(minutes=1)
    speaks = choose(CacheEntry(FILE, answer(503, at=failed_at)), RULES, failed_at)
    assert speaks is not None
    assert speaks.stale
    assert speaks.expires_at == NOW + timedelta(days=30)


def test_no_copy_is_served_stale_if_the_operator_says_so() -> None:
    at = NOW + 25 * HOUR
    speaks = choose(CacheEntry(FILE, answer(503, at=at)), Rules.of("auto", stale=timedelta(0)), at)
    assert speaks is not None
    assert speaks.meaning is Meaning.UNREACHABLE


def test_a_copy_cut_at_a_lower_limit_is_not_gone_by() -> None:
    cut = answer(octets=b"#file", cut_at=1000)
    assert usable(CacheEntry(cut), typed=False, octets=1000) == CacheEntry(cut)
    assert usable(CacheEntry(cut), typed=False, octets=2000) == CacheEntry()
