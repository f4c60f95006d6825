"""Damage to what an archive holds never loosens what is taken in of it."""

from __future__ import annotations

import gzip
import hashlib
import os
import random
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import h11
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acap.archives import Damage, read_warc
from acap.archives.archive import capture_of
from acap.archives.members import UnreadableError
from acap.archives.timeline import Timelines
from acap.clock import FixedClock
from acap.harvest.importing import import_warc
from acap.harvest.operator import Operator
from acap.harvest.proof import verify
from acap.harvest.store import open_store
from acap.harvest.sweep import sweep
from acap.pages.page import parse_page
from acap.retrieval import Rules
from acap.retrieval.answers import Answer, Meaning, meaning
from acap.retrieval.body import Body, CodingError, CutBodyError
from acap.robots import parse_robots
from tests.portions import at_length

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SITE = "http://a.example"
PAGE = f"{SITE}/p"
URLS = (f"{SITE}/robots.txt", "http://b.example/robots.txt")
BODIES = (
    b"User-agent: *\nAllow: /\n",
    b"User-agent: *\nDisallow: /\n",
    b"User-agent: *\nDisallow: /p\n",
    b"ACAP-crawler: *\nACAP-disallow-crawl: /\n",
    b"# nothing is said\n",
    b"",
    b"<html>Please log in</html>\n",
)


@dataclass(frozen=True)
class Told:
    """A response in an archive: so many days ago, in these codings, with what was done to it."""

    url: str
    body: bytes
    days: float
    status: int = 200
    gzipped: bool = False
    chunked: bool = False
    damage: str = ""
    at: float = 0.0  # where it was done, as a share of the length
    coding: str | None = None  # another value of Transfer-Encoding, beside a length
    names: tuple[str, float] | None = None  # it is a revisit, of this URL and so many days ago
    digest: bytes | None = None  # of these octets, that its record says
    licence: str = ""  # the URL that a Link header names


def cut(octets: bytes, share: float) -> bytes:
    """The octets up to a share of them, never all, and never only what follows the last chunk."""
    return octets[: int(len(octets.removesuffix(b"\r\n\r\n")) * share)]


def record(told: Told) -> bytes:
    """The record of a response, one gzip member."""
    body = gzip.compress(told.body, mtime=0) if told.gzipped else told.body
    headers = ["Content-Type: text/plain"] + ["Content-Encoding: gzip"] * told.gzipped
    headers += [f"Location: {URLS[told.url == URLS[0]]}"] * (told.status == 301)
    headers += [f'Link: <{told.licence}>; rel="license"; type="application/rsl+xml"'] * bool(told.licence)
    headers += [f"Transfer-Encoding: {told.coding}"] * (told.coding is not None)
    if told.chunked:
        headers.append("Transfer-Encoding: chunked")
        halves = (body[: len(body) // 2], body[len(body) // 2 :])
        chunks = [b"%x\r\n%b\r\n" % (len(part), part) for part in halves if part]
        body = b"".join([*chunks, b"0\r\n\r\n"])
    elif told.names is None:
        headers.append(f"Content-Length: {len(body)}")
    if told.damage == "body":
        body = cut(
            body.removesuffix(b"\r\n") if told.chunked else body, told.at
        )  # behind the last chunk nothing is lost
    block = "\r\n".join([f"HTTP/1.1 {told.status} Said", *headers, "", ""]).encode() + body
    if told.damage == "head":
        block = cut(block, told.at)
    moment = "once" if told.damage == "undated" else date(told.days)
    kind = "response" if told.names is None else "revisit"
    fields = ["WARC/1.0", f"WARC-Type: {kind}", f"WARC-Target-URI: {told.url}", f"WARC-Date: {moment}"]
    if told.names is not None and told.names[0]:
        fields += [f"WARC-Refers-To-Target-URI: {told.names[0]}", f"WARC-Refers-To-Date: {date(told.names[1])}"]
    if told.digest is not None:
        fields.append(f"WARC-Payload-Digest: sha1:{hashlib.sha1(told.digest, usedforsecurity=False).hexdigest()}")
    fields += ["WARC-Truncated: length"] * (told.damage == "truncated")
    fields.append(f"Content-Length: {'?' if told.damage == 'unnamed' else len(block)}")
    if told.damage == "unnamed":
        fields = [field for field in fields if not field.startswith("WARC-T")]
    whole = "\r\n".join([*fields, "", ""]).encode() + block + b"\r\n\r\n"
    if told.damage == "member":
        whole = "\r\n".join([*fields, "", ""]).encode() + cut(block, told.at)
        packed = zlib.compressobj(wbits=31)
        return packed.compress(whole) + packed.flush(zlib.Z_FULL_FLUSH)
    return gzip.compress(whole, mtime=0)


def date(days: float) -> str:
    """An instant so many days ago."""
    return (NOW - timedelta(days=days)).isoformat()


def takes_in(tolds: list[Told]) -> int:
    """How many pages of an archive may have been crawled, by its policies."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "x.warc.gz")
        file.write_bytes(b"".join(map(record, tolds)))
        return taken_of(file)[0]


def taken_of(file: Path) -> tuple[int, list[Damage]]:
    """How many pages of a file may have been crawled, by its policies, and what is told of it."""
    timeline = Timelines("auto", Rules.of("auto"), [file]).of(f"{SITE}/robots.txt")
    damages: list[Damage] = []
    count = 0
    for capture in read_warc(file, on_problem=damages.append):
        policies = timeline.speaking(capture.at) if capture.url == PAGE else ()
        count += bool(policies) and all(one.decide(PAGE, crawler="bot").permitted for one in policies)
    return count, damages


DAYS = st.sampled_from((0.0, 0.5, 2.0, 10.0, 29.0, 31.0, 60.0))
PAGE_DAYS = st.one_of(st.just(99.0), DAYS.map(lambda days: days + 90), DAYS.map(lambda days: days + 100.2))
POLICIES = st.builds(
    Told,
    url=st.sampled_from((*URLS, URLS[0])),
    body=st.sampled_from(BODIES),
    days=DAYS.map(lambda days: days + 100),
    status=st.sampled_from((200, 200, 200, 301, 404, 503)),
    gzipped=st.booleans(),
    chunked=st.booleans(),
)
DAMAGE = st.sampled_from(("body", "head", "truncated", "member"))
SHARE = st.one_of(st.sampled_from((0.0, 0.99)), st.floats(0, 0.999))


FIRST = Told("http://c.example/", b"", 300)  # what cannot be placed was said then or later
SEVERAL = st.lists(POLICIES, min_size=1, max_size=5).map(lambda many: sorted(many, key=lambda one: -one.days))


@given(policies=SEVERAL, days=PAGE_DAYS, which=st.integers(0, 3), damage=DAMAGE, at=SHARE)
def test_damage_to_a_policy_is_never_looser_than_the_policy_or_a_failure(
    policies: list[Told], days: float, which: int, damage: str, at: float
) -> None:
    """A cut or marked capture of robots.txt takes in nothing that neither it whole nor a 503 in its place takes in."""
    page = Told(PAGE, b"words", days)
    place = which % len(policies)

    def having(told: Told) -> int:
        return takes_in([FIRST, *policies[:place], told, *policies[place + 1 :], page])

    whole = policies[place]
    if damage == "body" and not whole.body and not (whole.chunked or whole.gzipped):
        return  # nothing can be lost
    loosest = max(having(whole), having(replace(whole, status=503)))
    assert having(replace(whole, damage=damage, at=at)) <= loosest


IN_PLACE = [Told(URLS[0], body, days) for body, days in ((BODIES[1], 110), (BODIES[1], 108), (BODIES[6], 105))]
MOVED = [Told(URLS[0], b"", 110, 301), Told(URLS[1], BODIES[0], 110), Told(URLS[0], b"", 105, 301)]


@example(policies=IN_PLACE, which=1, damage="undated")
@example(policies=IN_PLACE, which=1, damage="unnamed")
@example(policies=[*MOVED, Told(URLS[1], BODIES[1], 105)], which=3, damage="undated")
@example(policies=[Told(URLS[0], BODIES[0], days) for days in (100.5, 100, 100)], which=1, damage="undated")
@example(policies=[Told(URLS[0], BODIES[0], days) for days in (100.5, 100, 100)], which=1, damage="unnamed")
@given(policies=SEVERAL, which=st.integers(0, 4), damage=st.sampled_from(("undated", "unnamed")))
def test_what_nobody_can_place_may_have_prohibited(policies: list[Told], which: int, damage: str) -> None:
    """A capture without a date, or without a URL, takes in nothing that a file of `Disallow: /` there does not."""
    place = which % len(policies)
    lost = replace(policies[place], damage=damage)
    closed = replace(policies[place], body=BODIES[1], status=200)
    page = Told(PAGE, b"words", 99)
    assert takes_in([*policies[:place], lost, *policies[place + 1 :], page]) <= takes_in(
        [*policies[:place], closed, *policies[place + 1 :], page]
    )


@given(
    policies=SEVERAL,
    which=st.integers(0, 4),
    status=st.sampled_from((200, 200, 301, 404, 429, 503)),
    url=st.sampled_from(URLS),
    days=DAYS,
    has_digest=st.booleans(),
)
def test_a_revisit_is_a_response_with_the_octets_it_names(
    policies: list[Told], which: int, status: int, url: str, days: float, has_digest: bool
) -> None:
    """Its status and its target are its own, its octets those of the record it names by URL and date, or by digest."""
    meant = policies[which % len(policies)]
    policies = [replace(one, days=one.days + index / 100) for index, one in enumerate(policies)]
    named = next(one for one in policies if one.body is meant.body)
    page = Told(PAGE, b"words", 99)
    if has_digest:
        policies = [replace(one, digest=one.body) for one in policies]
    plain = Told(url, named.body, days + 99.5, status)
    digest = named.body if has_digest else None
    again = replace(plain, body=b"", names=("" if has_digest else named.url, named.days), digest=digest)
    assert takes_in([*policies, again, page]) == takes_in([*policies, plain, page])
    absent = replace(again, names=(named.url, named.days + 0.5), digest=b"what is nowhere" if has_digest else None)
    assert takes_in([*policies, absent, page]) <= takes_in(
        [*policies, replace(plain, body=BODIES[1], status=200), page]
    )


SPELLED = ("/%72obots.txt", "/robots%2Etxt", "/robots%2etxt", "/x/../robots.txt", "/x/%2E%2e/%72obots.txt#x")


@given(
    policies=SEVERAL,
    days=PAGE_DAYS,
    spelled=st.lists(st.sampled_from((*SPELLED, "/robots.txt")), min_size=5, max_size=5),
)
def test_a_robots_txt_is_one_however_its_url_is_spelled(policies: list[Told], days: float, spelled: list[str]) -> None:
    """RFC 3986 6.2.2: the newest capture counts, whichever spelling it has."""
    other = [
        replace(one, url=one.url.replace("/robots.txt", path)) for one, path in zip(policies, spelled, strict=False)
    ]
    page = Told(PAGE, b"words", days)
    assert takes_in([*other, page]) == takes_in([*policies, page])


@given(before=st.sampled_from(BODIES[:6]), after=st.sampled_from(BODIES[:6]), hours=st.floats(0.01, 24))
def test_captures_around_a_page_both_have_to_permit(before: bytes, after: bytes, hours: float) -> None:
    """One before the page and one up to 24 hours after it."""
    page = Told(PAGE, b"words", 100)
    around = [Told(URLS[0], before, 110), Told(URLS[0], after, 100 - hours / 24)]
    assert takes_in([*around, page]) == min(takes_in([one, page]) for one in around)


@given(body=st.sampled_from(BODIES[:5]), at=SHARE, coding=st.sampled_from(("identity", "", "chunked", "gzip", "x")))
def test_no_transfer_coding_hides_that_a_policy_was_cut(body: bytes, at: float, coding: str) -> None:
    """Fewer octets than were said are a cut body, whatever else is said of them that nobody has done."""
    page = Told(PAGE, b"words", 99)
    assert takes_in([Told(URLS[0], body, 100, damage="body", at=at, coding=coding), page]) == 0


@given(body=st.binary(min_size=1, max_size=40), gzipped=st.booleans(), chunked=st.booleans(), damage=DAMAGE, at=SHARE)
def test_a_page_that_was_cut_is_not_taken_in(body: bytes, gzipped: bool, chunked: bool, damage: str, at: float) -> None:
    """Whatever is lost of a page may have prohibited."""
    policy = Told(f"{SITE}/robots.txt", BODIES[0], 101)
    page = Told(PAGE, body, 100, gzipped=gzipped, chunked=chunked)
    assert takes_in([policy, page]) == 1
    assert takes_in([policy, replace(page, damage=damage, at=at)]) == 0


ROBOTS = b"User-agent: *\nDisallow: /\n\nUser-agent: other\nDisallow:\n"
HTML = b'<html><meta name="robots" content="noindex">\n\n<p>words</html>\n'


def in_chunks(body: bytes, *lengths: int) -> tuple[bytes, list[int]]:
    """A body in chunks of these lengths and the rest, and where the octets are that are not of the body."""
    out, framing = bytearray(), list[int]()
    for length in (*lengths, len(body), 0):
        chunk, body = body[:length], body[length:]
        size = b"%x\r\n" % len(chunk)
        end = b"\r\n" if chunk or not length else b""
        if not chunk and length:
            continue
        framing += range(len(out), len(out) + len(size))
        out += size + chunk
        framing += range(len(out), len(out) + len(end))
        out += end
    return bytes(out), framing


def responses(body: bytes, media: str) -> Iterator[tuple[bytes, list[int]]]:
    """A response in each framing and coding, and its octets that are not of the body as it is meant."""
    half = body.index(b"Disal" if media == "text/plain" else b"noind") + 5
    packed = gzip.compress(body, mtime=0)
    chunks, framing = in_chunks(body, half)
    several, framing_of_several = in_chunks(packed, 7, 16)
    for lines, sent, places in (
        ([f"Content-Length: {len(body)}"], body, []),
        (["Content-Encoding: gzip", f"Content-Length: {len(packed)}"], packed, range(len(packed))),
        (["Content-Encoding: gzip"], packed, range(len(packed))),
        (["Content-Encoding: deflate"], zlib.compress(body), range(len(zlib.compress(body)))),
        (["Transfer-Encoding: chunked"], chunks, framing),
        (["Content-Encoding: gzip", "Transfer-Encoding: chunked"], several, framing_of_several),
        (["Transfer-Encoding: chunked"], *in_chunks(body)),
    ):
        for end in ("\r\n", "\n"):
            head = end.join(["HTTP/1.1 200 OK", f"Content-Type: {media}", *lines, "", ""]).encode()
            yield head + sent, [*range(len(head)), *(len(head) + place for place in places)]


def damaged(octets: bytes, places: Iterable[int]) -> Iterator[bytes]:
    """The octets with one octet lost, changed or added, in every way that framing could take for something else."""
    for at in places:
        before, after = octets[:at], octets[at + 1 :]
        yield before + after
        for bit in range(8):
            yield before + bytes((octets[at] ^ (1 << bit),)) + after
        for other in b"\r\n :;,01a\0\v":
            yield before + bytes((other,)) + after
            yield before + bytes((other,)) + octets[at:]


def permits(url: str, status: int, headers: tuple[tuple[str, str], ...], body: bytes) -> bool:
    """Whether a response permits: a robots.txt crawling, a page indexing."""
    if url == PAGE:
        return parse_page(body, url=url, headers=headers).decide("index", crawler="bot").permitted
    answer = Answer(url, "", url, NOW, status, headers, body if 200 <= status < 300 else b"")
    said = meaning(answer, Rules.of("auto"))
    return said is Meaning.ABSENT or (
        said is Meaning.READ and parse_robots(body, url=url).decide(PAGE, crawler="bot").permitted
    )


def as_archived(url: str, block: bytes) -> bool:
    """Whether it permits as an archive has it; what cannot be read does not."""
    try:
        capture = capture_of(url, NOW.isoformat(), None, block, 1 << 20)
    except UnreadableError:
        return False
    return permits(url, capture.status, capture.headers, capture.body)


def as_received(url: str, block: bytes) -> bool:
    """Whether it permits as a client of HTTP reads it, h11 for one; what that refuses does not."""
    client = h11.Connection(h11.CLIENT)
    client.send(h11.Request(method="GET", target="/", headers=[("Host", "a.example")]))
    client.send(h11.EndOfMessage())
    client.receive_data(block)
    client.receive_data(b"")
    response, body = None, bytearray()
    try:
        while not isinstance(event := client.next_event(), (h11.EndOfMessage, h11.ConnectionClosed)):
            if event in (h11.NEED_DATA, h11.PAUSED):
                return False
            if isinstance(event, h11.Response):
                response = event
            elif isinstance(event, h11.Data):
                body += event.data
        if response is None:
            return False
        headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers)
        decoder = Body([value for name, value in headers if name == "content-encoding"], 1 << 20)
        decoder.feed(bytes(body))
        return permits(url, response.status_code, headers, decoder.finish()[0])
    except (h11.RemoteProtocolError, CodingError, CutBodyError):
        return False


def test_damage_to_what_is_around_a_body_permits_nothing_that_a_client_would_not_be_permitted() -> None:
    """Whichever octet of status line, headers, chunks or coding is lost, changed or added: what prohibited does so.

    But where any client would read that less is said: a status of 400, a header of another name, a blank line before
    a header, a shorter length. To archives what is plainly still coded is unreadable even then. Of the 31 ways each
    octet has some and every way some octets; at length each has all.
    """
    every = 1 if at_length() else 5
    for url, body, media in ((f"{SITE}/robots.txt", ROBOTS, "text/plain"), (PAGE, HTML, "text/html")):
        for whole, places in responses(body, media):
            assert not as_archived(url, whole)
            opened = whole.replace(b"Disallow: /\n", b"Disallow:  \n").replace(b"noindex", b"nothing")
            assert opened == whole or as_archived(url, opened)
            for octets in islice(damaged(whole, places), 0, None, every):
                assert not as_archived(url, octets) or as_received(url, octets), octets


SEED = os.environ.get("ACAP_SEED", "1")
FILLS: dict[str, Callable[[int, int], bytes]] = {
    "zeros": lambda size, _: bytes(size),
    "ones": lambda size, _: b"\xff" * size,
    "blank": lambda size, _: b" " * (size - 1) + b"\n",
    "random": lambda size, at: random.Random(f"{SEED} {size} {at}").randbytes(size),
}
"""What a hole of so many octets has at a place, whichever holes were tried before."""


def with_digest(told: Told) -> bytes:
    """The record of a response as it stands in a plain file, with the digest of its block."""
    head, _, block = gzip.decompress(record(told)).removesuffix(b"\r\n\r\n").partition(b"\r\n\r\n")
    digest = hashlib.sha1(block, usedforsecurity=False).hexdigest().encode()
    return b"%b\r\nWARC-Block-Digest: sha1:%b\r\n\r\n%b\r\n\r\n" % (head, digest, block)


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("packed", [True, False])
def test_no_hole_hides_a_policy_that_prohibited(tmp_path: Path, *, packed: bool, fill: str) -> None:
    """Whatever part of an archive is lost before a page: that its second robots.txt prohibited is not forgotten.

    In a plain file a hole within the record of that robots.txt alone is as a failure there at least, and told. Each
    filling begins elsewhere. At length holes begin three times as close.
    """
    further = 1 if at_length() else 3
    tolds = [
        Told(URLS[0], BODIES[0], 110),
        Told(f"{SITE}/q", b"<p>another page</p>" * 3, 105),
        Told(URLS[0], BODIES[1], 102),
        Told(PAGE, b"words", 100),
    ]
    parts = [record(told) if packed else with_digest(told) for told in tolds]
    whole = b"".join(parts)
    begin, end = (sum(map(len, parts[:count])) for count in (2, 3))
    file = tmp_path / "x.warc"
    file.write_bytes(whole)
    assert taken_of(file) == (0, [])
    for size in (1, 3, 4, 8, 40, 150, 300, 400) if packed else (8, 40, 150, 300, 400):
        for at in range(list(FILLS).index(fill), end - size + 1, further * (3 if size < 5 else 11)):
            hole = FILLS[fill](size, at)
            if hole == whole[at : at + size]:
                continue
            file.write_bytes(whole[:at] + hole + whole[at + size :])
            taken, damages = taken_of(file)
            assert not taken or (damages and not packed and begin <= at), (size, at)


def arc(url: str, days: float, body: bytes) -> bytes:
    """The record of a response in a file of the format before WARC."""
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
    moment = (NOW - timedelta(days=days)).strftime("%Y%m%d%H%M%S")
    return f"{url} 192.0.2.1 {moment} text/plain {len(block)}\n".encode() + block + b"\n"


@pytest.mark.parametrize("fill", ["zeros", "ones", "random"])
@pytest.mark.parametrize("packed", [True, False])
def test_no_hole_in_an_arc_file_hides_a_policy_that_prohibited(tmp_path: Path, *, packed: bool, fill: str) -> None:
    """Where a line of fields became one with another, or is passed over, nobody knows whose record was lost."""
    named = b"1 0 org\nURL IP-address Archive-date Content-type Archive-length\n"
    parts = [b"filedesc://x.arc 0.0.0.0 20080430205052 text/plain %d\n%b\n" % (len(named), named)]
    parts += [arc(URLS[0], 110, BODIES[0]), arc(f"{SITE}/q", 105, b"<p>another page</p>" * 3)]
    parts += [arc(URLS[0], 102, BODIES[1]), arc(PAGE, 100, b"words")]
    parts = [gzip.compress(one, mtime=0) if packed else one for one in parts]
    whole = b"".join(parts)
    first, begin, end = (sum(map(len, parts[:count])) for count in (1, 3, 4))
    file = tmp_path / "x.arc"
    file.write_bytes(whole)
    assert taken_of(file) == (0, [])
    for size in (8, 150, 300):
        for at in range(first, end - size + 1, 5):
            file.write_bytes(whole[:at] + FILLS[fill](size, at) + whole[at + size :])
            assert not taken_of(file)[0] or (not packed and begin <= at), (size, at)


@pytest.mark.parametrize("fill", ["zeros", "ones", "random"])
@pytest.mark.parametrize("packed", [True, False])
def test_what_is_passed_over_behind_a_record_may_have_prohibited(tmp_path: Path, *, packed: bool, fill: str) -> None:
    """Damage to the end of a long page of another URL and to the beginning of what follows is damage to both."""
    long = random.Random(1).randbytes(30_000).hex().encode()
    tolds = [Told(URLS[0], BODIES[0], 110), Told(f"{SITE}/q", long, 105), Told(URLS[0], BODIES[1], 102)]
    tolds.append(Told(PAGE, b"words", 100))
    parts = [record(told) if packed else with_digest(told) for told in tolds]
    whole = b"".join(parts)
    for before in (20, 200, 470):
        at = sum(map(len, parts[:2])) - before
        file = tmp_path / "x.warc"
        file.write_bytes(whole[:at] + FILLS[fill](512, at) + whole[at + 512 :])
        assert taken_of(file)[0] == 0, before


@pytest.mark.parametrize("place", ["first", "between", "last"])
def test_a_hole_where_a_whole_record_was_is_damage(tmp_path: Path, place: str) -> None:
    """Zeros between members, before the first, behind the last, and blanks in a plain file, are told and prohibit."""
    tolds = [Told(URLS[0], BODIES[0], 110), Told(URLS[0], BODIES[1], 102), Told(PAGE, b"words", 100)]
    order = {"first": [1, 0, 2], "between": [0, 1, 2], "last": [0, 2, 1]}[place]
    for pack, blank in ((record, b"\0"), (with_digest, b"\0"), (with_digest, b" "), (with_digest, b"\n")):
        parts = [pack(tolds[number]) for number in order]
        hole = order.index(1)
        parts[hole] = blank * (len(parts[hole]) - 1) + b"\n" if blank == b" " else blank * len(parts[hole])
        file = tmp_path / "x.warc"
        file.write_bytes(b"".join(parts))
        taken, damages = taken_of(file)
        assert (taken, len(damages)) == (0, 1), blank


@pytest.mark.parametrize(
    "field",
    [
        b"WARC-Target-URI: http://a.example/q",
        b"WARC-Date: 2026-01-01T00:00:00Z",
        b"X-Not-Text: \xff",
        b"X-Control: \0",
        b"X-Unknown: \xef\xbf\xbd",
        b"X-Blank: " + b" " * 20 + b"x",
        b"X-Other-End: x\n",
        b"no field",
    ],
)
def test_of_a_record_whose_fields_are_not_in_order_nothing_is_believed(tmp_path: Path, field: bytes) -> None:
    """It may have been a robots.txt, whatever URL it names."""
    tolds = [Told(URLS[0], BODIES[0], 110), Told(f"{SITE}/q", b"x", 102), Told(PAGE, b"words", 100)]
    parts = [gzip.decompress(record(told)) for told in tolds]
    for pack in (bytes, gzip.compress):
        file = tmp_path / "x.warc"
        file.write_bytes(b"".join(map(pack, parts)))
        assert taken_of(file) == (1, [])
        odd = parts[1].replace(b"WARC-Date", field + (b"" if field.endswith(b"\n") else b"\r\n") + b"WARC-Date", 1)
        file.write_bytes(b"".join(map(pack, [parts[0], odd, parts[2]])))
        taken, damages = taken_of(file)
        assert taken == 0
        assert [one.url for one in damages if not one.is_end] in ([None], [None] * 2)


def revisits(block: bytes) -> Iterator[bytes]:
    """The block of a revisit cut anywhere, and with one octet of its head garbled in every way that would be heard."""
    yield from (block[:at] for at in range(1, len(block)))
    for at in range(len(block)):
        for other in b"\0\r\n :?":
            if block[at] != other:
                yield block[:at] + bytes((other,)) + block[at + 1 :]


@pytest.mark.parametrize("with_its_digest", [True, False])
def test_damage_to_a_revisit_is_no_looser_than_the_revisit(tmp_path: Path, *, with_its_digest: bool) -> None:
    """Whichever octets of its block are lost, a revisit confirms nothing that it did not confirm whole.

    Without its digest nobody knows of a field that it has lost another name; no more is asked than of a client.
    """
    block = b"HTTP/1.1 503 Busy\r\nRetry-After: 9\r\n\r\n"
    digest = b"WARC-Block-Digest: sha1:" + hashlib.sha1(block, usedforsecurity=False).hexdigest().encode() + b"\r\n"
    before, page = record(Told(URLS[0], BODIES[0], 110)), record(Told(PAGE, b"words", 75))
    told = Told(URLS[0], b"", 101, names=(URLS[0], 110))
    head = gzip.decompress(record(told)).partition(b"Content-Length: ")[0] + digest * with_its_digest
    file = tmp_path / "x.warc.gz"
    for octets in (block, *revisits(block)):
        made = head + b"Content-Length: %d\r\n\r\n%b\r\n\r\n" % (len(octets), octets)
        file.write_bytes(before + gzip.compress(made) + page)
        taken, damages = taken_of(file)
        assert taken == 0, octets
        assert bool(damages) is (octets != block) or not with_its_digest, octets
    file.write_bytes(before + gzip.compress(head.replace(digest, b"") + b"Content-Length: 0\r\n\r\n\r\n\r\n") + page)
    assert taken_of(file) == (1, [])


@pytest.mark.parametrize("date", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_date_that_no_clock_can_show_is_none(tmp_path: Path, date: str) -> None:
    """It is told as any date that cannot be read, and nothing else of the file suffers."""
    made = gzip.decompress(record(Told(f"{SITE}/q", b"x", 90)))
    made = made.replace(b"WARC-Date: ", b"WARC-Date: " + date.encode() + b"\r\nX-Date: ")
    file = tmp_path / "x.warc.gz"
    file.write_bytes(record(Told(URLS[0], BODIES[0], 101)) + record(Told(PAGE, b"words", 100)) + gzip.compress(made))
    taken, damages = taken_of(file)
    assert (taken, [one.at for one in damages]) == (1, [None])
    with (
        open_store(tmp_path / "s.db", operator=Operator(("bot",)), clock=FixedClock(NOW)) as store,
        store.writing(),
    ):
        imported = import_warc(store, [file])
    assert not any("internal" in one.message for one in imported.damages)


@given(
    policies=st.lists(POLICIES, min_size=1, max_size=4, unique_by=lambda one: one.days),
    pages=st.lists(DAYS, min_size=1, max_size=4),
    calls=st.lists(st.integers(0, 3), min_size=8, max_size=8),
    again=st.booleans(),
)
def test_what_is_taken_in_is_the_same_in_one_call_and_in_several(
    policies: list[Told], pages: list[float], calls: list[int], again: bool
) -> None:
    """Archives of each robots.txt by itself, in any order and any number of calls, then of each page."""
    pages_told = [Told(f"{PAGE}{number}", b"words", days + 95) for number, days in enumerate(pages)]
    order = sorted(zip(calls, policies, strict=False), key=lambda one: one[0])
    order_of_pages = sorted(zip(calls[4:], pages_told, strict=False), key=lambda one: one[0])
    several = [[told] for _, told in order] + [[told] for _, told in order_of_pages]
    assert held_of([[*policies, *pages_told]] * (1 + again)) == held_of(several * (1 + again))


SECURE = "https://a.example"  # plain http licenses nothing
NAMES = [b"", b"License: %b/l.xml\n" % SECURE.encode(), b"License: %b/m.xml\n" % SECURE.encode()]
TERMS = [
    b'<rsl xmlns="https://rslstandard.org/rsl" max-age="3"><content url="/"><license>%b</license></content></rsl>' % one
    for one in (b'<permits type="usage">all</permits>', b'<prohibits type="usage">search</prohibits>')
]
LICENCES = st.builds(
    Told,
    url=st.sampled_from(("/l.xml", "/%6C.xml", "/m.xml")).map(SECURE.__add__),
    body=st.sampled_from((*TERMS, TERMS[0], b"<rsl", b"<html>Sign in</html>")),
    days=st.sampled_from((101.0, 102.0, 110.0)),
    status=st.sampled_from((200, 200, 200, 404, 503)),
)


FAILED = Told(f"{SECURE}/l.xml", b"", 101, 503)


@example(  # a file that is too old, the failure, one that stands in, and the page
    names=NAMES[1],
    licences=[Told(FAILED.url, TERMS[0], 110), FAILED, Told(FAILED.url, TERMS[0], 102)],
    pages=[""],
    chance=6,
)
@given(
    names=st.sampled_from(NAMES),
    licences=st.lists(LICENCES, min_size=1, max_size=3),
    pages=st.lists(st.sampled_from(("", "/l.xml", "/m.xml", "/none.xml")), min_size=1, max_size=3),
    chance=st.integers(0, 99),
)
def test_licences_are_heard_the_same_in_one_call_and_in_several(
    names: bytes, licences: list[Told], pages: list[str], chance: int
) -> None:
    """Each archive by itself, after the robots.txt and in any order, and all once more: what was refused is kept now.

    The octets of a refused page are not kept, so it has to be given again.
    """
    robots = Told(f"{SECURE}/robots.txt", BODIES[0] + names, 100.5)
    tolds = [Told(f"{SECURE}/p{number}", b"words", 100, licence=one) for number, one in enumerate(pages)]
    order = random.Random(chance).sample([*licences, *tolds], len(licences) + len(tolds))
    several = [[robots], *([one] for one in order)]
    assert held_of(several * 2) == held_of([[robots, *order]])


def held_of(calls: list[list[Told]]) -> tuple[list[str], list[str]]:
    """What a store has of captures that were taken in call by call: in its index, and as copies."""
    with (
        tempfile.TemporaryDirectory() as directory,
        open_store(Path(directory, "s.db"), operator=Operator(("bot",)), clock=FixedClock(NOW)) as store,
        store.writing(),
    ):
        for number, tolds in enumerate(calls):
            file = Path(directory, f"{number}.warc.gz")
            file.write_bytes(b"".join(map(record, tolds)))
            import_warc(store, [file])
        sweep(store)
        assert verify(store).wrong == ()
        held = store.resources.kept_for("index"), store.resources.kept_for("preserve")
        return sorted(held[0].values()), sorted(held[1].values())
