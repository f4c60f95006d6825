"""Damage to what an archive holds never loosens what is taken in of it."""

from __future__ import annotations

import gzip
import tempfile
import zlib
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from acap.harvest.copies import read_warc
from acap.harvest.timeline import Timelines
from acap.retrieval import Rules

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SITE = "http://a.example"
PAGE = f"{SITE}/p"
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


def cut(octets: bytes, share: float) -> bytes:
    """The octets up to a share of them, never all, and never only what follows the last chunk."""
    return octets[: int(len(octets.removesuffix(b"\r\n\r\n")) * share)]


def record(told: Told) -> bytes:
    """The record of a response, one gzip member."""
    body = gzip.compress(told.body, mtime=0) if told.gzipped else told.body
    headers = ["Content-Type: text/plain"] + ["Content-Encoding: gzip"] * told.gzipped
    if told.chunked:
        headers.append("Transfer-Encoding: chunked")
        halves = (body[: len(body) // 2], body[len(body) // 2 :])
        chunks = [b"%x\r\n%b\r\n" % (len(part), part) for part in halves if part]
        body = b"".join([*chunks, b"0\r\n\r\n"])
    else:
        headers.append(f"Content-Length: {len(body)}")
    if told.damage == "body":
        body = cut(
            body.removesuffix(b"\r\n") if told.chunked else body, told.at
        )  # behind the last chunk nothing is lost
    block = "\r\n".join([f"HTTP/1.1 {told.status} Said", *headers, "", ""]).encode() + body
    if told.damage == "head":
        block = cut(block, told.at)
    moment = (NOW - timedelta(days=told.days)).isoformat()
    fields = ["WARC/1.0", "WARC-Type: response", f"WARC-Target-URI: {told.url}", f"WARC-Date: {moment}"]
    fields += ["WARC-Truncated: length"] * (told.damage == "truncated")
    fields.append(f"Content-Length: {len(block)}")
    whole = "\r\n".join([*fields, "", ""]).encode() + block + b"\r\n\r\n"
    if told.damage == "member":
        whole = "\r\n".join([*fields, "", ""]).encode() + cut(block, told.at)
        packed = zlib.compressobj(wbits=31)
        return packed.compress(whole) + packed.flush(zlib.Z_FULL_FLUSH)
    return gzip.compress(whole, mtime=0)


def takes_in(tolds: list[Told]) -> int:
    """How many pages of an archive may have been crawled, by its policies."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "x.warc.gz")
        file.write_bytes(b"".join(map(record, tolds)))
        timeline = Timelines("auto", Rules.of("auto"), [file]).of(f"{SITE}/robots.txt")
        count = 0
        for capture in read_warc(file):
            policy = timeline.speaking(capture.at) if capture.url == PAGE else None
            count += policy is not None and policy.decide(PAGE, crawler="bot").permitted
        return count


DAYS = st.sampled_from((0.0, 0.5, 2.0, 10.0, 29.0, 31.0, 60.0))
POLICIES = st.builds(
    Told,
    url=st.just(f"{SITE}/robots.txt"),
    body=st.sampled_from(BODIES),
    days=DAYS.map(lambda days: days + 100),
    status=st.sampled_from((200, 200, 200, 404, 503)),
    gzipped=st.booleans(),
    chunked=st.booleans(),
)
DAMAGE = st.sampled_from(("body", "head", "truncated", "member"))
SHARE = st.one_of(st.sampled_from((0.0, 0.99)), st.floats(0, 0.999))


@given(policies=st.lists(POLICIES, min_size=1, max_size=4), days=DAYS, which=st.integers(0, 3), damage=DAMAGE, at=SHARE)
def test_damage_to_a_policy_is_never_looser_than_the_policy_or_a_failure(
    policies: list[Told], days: float, which: int, damage: str, at: float
) -> None:
    """A cut or marked capture of robots.txt takes in nothing that neither it whole nor a 503 in its place takes in."""
    page = Told(PAGE, b"words", days + 90)
    place = which % len(policies)

    def having(told: Told) -> int:
        return takes_in([*policies[:place], told, *policies[place + 1 :], page])

    whole = policies[place]
    if damage == "body" and not whole.body and not (whole.chunked or whole.gzipped):
        return  # nothing can be lost
    loosest = max(having(whole), having(replace(whole, status=503)))
    assert having(replace(whole, damage=damage, at=at)) <= loosest


@given(body=st.binary(min_size=1, max_size=40), gzipped=st.booleans(), chunked=st.booleans(), damage=DAMAGE, at=SHARE)
def test_a_page_that_was_cut_is_not_taken_in(body: bytes, gzipped: bool, chunked: bool, damage: str, at: float) -> None:
    """Whatever is lost of a page may have prohibited."""
    policy = Told(f"{SITE}/robots.txt", BODIES[0], 101)
    page = Told(PAGE, body, 100, gzipped=gzipped, chunked=chunked)
    assert takes_in([policy, page]) == 1
    assert takes_in([policy, replace(page, damage=damage, at=at)]) == 0
