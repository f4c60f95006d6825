"""What is damaged, repeated or missing in an archive is never looser in an audit than what may have been there."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from typing import TYPE_CHECKING

import pytest

from acap.archives.shelf import ArchiveShelf, shelve
from acap.audits.policies import ShelvedPolicies
from acap.audits.rows import AuditedResource, Auditor, Missing
from tests.crawled import BEGIN, Came, record, site

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

HOME = site(0)
ROBOTS, PAGE = f"{HOME}/robots.txt", f"{HOME}/p"
ALLOW, DENY = b"User-agent: *\nAllow: /\n", b"User-agent: *\nDisallow: /\n"
LOGIN = b"<!doctype html><html><body>Please sign in</body></html>"
RESERVED = json.dumps([{"location": "/", "tdm-reservation": 1}]).encode()


def says(body: bytes, hours: float, status: int = 200, url: str = ROBOTS, media: str = "text/plain") -> bytes:
    """A record of an answer."""
    return record(Came(url, body, hours, media, status))


def damaged(octets: bytes) -> bytes:
    """A member of gzip of which an octet is another one."""
    packed = gzip.compress(octets, mtime=0)
    return packed[:40] + bytes([packed[40] ^ 0xFF]) + packed[41:]


OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"


def revisit(hours: float, of_hours: float, digest: str, block: bytes = OK) -> bytes:
    """A record that repeats the octets of another one."""
    then, of_then = (f"{Came(ROBOTS, b'', one).at:%Y-%m-%dT%H:%M:%SZ}" for one in (hours, of_hours))
    fields = [
        "WARC/1.0", "WARC-Type: revisit", f"WARC-Target-URI: {ROBOTS}", f"WARC-Date: {then}",
        "Content-Type: application/http; msgtype=response", f"WARC-Payload-Digest: {digest}",
        f"WARC-Refers-To-Target-URI: {ROBOTS}", f"WARC-Refers-To-Date: {of_then}",
        f"Content-Length: {len(block)}",
    ]  # fmt: skip
    return "\r\n".join([*fields, "", ""]).encode() + block + b"\r\n\r\n"


def answered(hours: float, block: bytes) -> bytes:
    """A record of whatever came in the place of a robots.txt."""
    then = f"{Came(ROBOTS, b'', hours).at:%Y-%m-%dT%H:%M:%SZ}"
    fields = [
        "WARC/1.0", "WARC-Type: response", f"WARC-Target-URI: {ROBOTS}", f"WARC-Date: {then}",
        f"Content-Length: {len(block)}",
    ]  # fmt: skip
    return "\r\n".join([*fields, "", ""]).encode() + block + b"\r\n\r\n"


def outcomes(directory: Path, members: Sequence[bytes], missing: Missing = "prohibited") -> tuple[str, str]:
    """Whether the page may be crawled and used for training, where an archive has these members."""
    file = directory / "a.warc.gz"
    file.write_bytes(b"".join(one if one.startswith(b"\x1f") else gzip.compress(one, mtime=0) for one in members))
    shelf = ArchiveShelf(":memory:")
    shelf.add(shelve(file, 0, BEGIN))
    shelf.finish()
    policies = ShelvedPolicies(shelf, BEGIN)
    auditor = Auditor(policies, crawler="bot", usages=["crawl", "ai-train"], now=BEGIN, missing=missing)
    crawl, train = auditor.row(AuditedResource(PAGE, BEGIN)).cells
    return str(crawl.outcome), str(train.outcome)


@pytest.mark.parametrize(("path", "body", "status"), [
    ("/.well-known/tdmrep.json", RESERVED, 200), ("/.well-known/tdmrep.json", b"", 503), ("/ai.txt", DENY, 200),
])  # fmt: skip
def test_a_missing_robots_txt_is_permitted_and_not_what_stands_beside_it(
    path: str, body: bytes, status: int, tmp_path: Path
) -> None:
    """The operator decides on the unknown file alone, as if it had been a 404."""
    beside = says(body, -1, status, HOME + path, "application/json")
    assert outcomes(tmp_path, [beside], "permitted") == ("permitted", "prohibited")
    assert outcomes(tmp_path, [says(b"", -1, 404), beside]) == ("permitted", "prohibited")
    assert outcomes(tmp_path, [beside]) == ("prohibited", "prohibited")
    assert outcomes(tmp_path, [says(b"x", -1)], "permitted") == ("permitted", "permitted")


def test_damage_at_the_beginning_of_a_file_may_be_of_any_time_before(tmp_path: Path) -> None:
    """What was damaged may have been a robots.txt of before the first record that can be read."""
    assert outcomes(tmp_path, [damaged(says(DENY, -1)), says(ALLOW, 0.1)]) == ("prohibited", "prohibited")
    assert outcomes(tmp_path, [says(DENY, -1), says(ALLOW, 0.1)]) == ("prohibited", "prohibited")
    assert outcomes(tmp_path, [damaged(says(DENY, -1)), says(ALLOW, -0.1)]) == ("prohibited", "prohibited")
    members = [damaged(says(DENY, -1)), says(ALLOW, -0.1), says(ALLOW, -0.05)]
    assert outcomes(tmp_path, members) == ("permitted", "prohibited")  # other documents may be lost as well


DIGEST = f"sha1:{base64.b32encode(hashlib.sha1(ALLOW).digest()).decode()}"


@pytest.mark.parametrize(("digest", "outcome"), [
    (DIGEST, "permitted"), (f"md5:{hashlib.md5(ALLOW).hexdigest()}", "permitted"),
    (f"sha1:{base64.b32encode(hashlib.sha1(DENY).digest()).decode()}", "prohibited"),
    (f"md5:{hashlib.md5(DENY).hexdigest()}", "prohibited"),
])  # fmt: skip
def test_a_revisit_repeats_octets_of_its_digest_alone(digest: str, outcome: str, tmp_path: Path) -> None:
    """Also where the record that it names tells no digest: its octets do. Also where it says no status."""
    for block in (OK, b""):
        members = [says(ALLOW, -24 * 20), revisit(-1, -24 * 20, digest, block)]
        assert outcomes(tmp_path, members) == (outcome, outcome)


@pytest.mark.parametrize("block", [b"", b"HTTP/1.1 304 Not Modified\r\n\r\n"])
def test_the_digest_of_an_empty_answer_is_not_that_of_what_it_repeats(block: bytes, tmp_path: Path) -> None:
    """The record of a 304 may have the digest of its own body, and so may one that tells no status."""
    nothing = f"sha1:{hashlib.sha1(b'').hexdigest()}"
    members = [says(ALLOW, -24 * 20), revisit(-1, -24 * 20, nothing, block)]
    assert outcomes(tmp_path, members) == ("permitted", "permitted")


@pytest.mark.parametrize("lasting", [[], [says(b"", -24 * 3, 404)]])
def test_an_error_page_does_not_end_the_doubt_of_a_damaged_file(lasting: list[bytes], tmp_path: Path) -> None:
    """What was damaged may have been a robots.txt, which would serve while a page stands in its place."""
    cut = record(Came(ROBOTS, DENY, -24 * 2, "text/plain", 200, (("Content-Length", "1000"),)))
    assert outcomes(tmp_path, [*lasting, cut, says(LOGIN, -1, media="text/html")])[0] == "prohibited"
    assert outcomes(tmp_path, [*lasting, says(DENY, -24 * 2), says(LOGIN, -1, media="text/html")])[0] == "prohibited"
    assert outcomes(tmp_path, [*lasting, says(LOGIN, -1, media="text/html")])[0] == "permitted"
    assert outcomes(tmp_path, [says(ALLOW, -24 * 3), cut, says(LOGIN, -1, media="text/html")])[0] == "permitted"


TUNNEL = b"HTTP/1.1 200 Connection established\r\n\r\n"
FAILED = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"


@pytest.mark.parametrize("block", [
    TUNNEL + FAILED, OK + FAILED, TUNNEL + b"\r\n\n" + FAILED, TUNNEL + FAILED.replace(b"1.1 503", b"2\t503"),
    TUNNEL + b"HTTP/1.1 301 Moved\r\nLocation: /elsewhere\r\n\r\n",
    b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n" + FAILED,
    b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\n" + OK + DENY,
    b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno" + OK + DENY,
    b"HTTP/1.1 404 Not Found\n\n" + OK + DENY,
    b"HTTP/1.1 100 Continue\r\n\r\n" + TUNNEL + b"HTTP/1.1 100 Continue\r\n\r\n" + FAILED,
    TUNNEL.replace(b"\r\n\r\n", b"\r\nVia: caf\xe9\r\n\r\n") + FAILED,
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(FAILED), FAILED),
])  # fmt: skip
def test_an_answer_before_another_is_none_of_the_site(block: bytes, tmp_path: Path) -> None:
    """A proxy or a login may have given the first: the site is out of reach, as beside a whole response in a table."""
    assert outcomes(tmp_path, [answered(-24, block)]) == ("prohibited", "prohibited")


def test_a_revisit_with_an_answer_before_another_repeats_nothing(tmp_path: Path) -> None:
    for block, outcome in ((OK, "permitted"), (TUNNEL + OK, "prohibited")):
        members = [says(ALLOW, -24 * 32), revisit(-1, -24 * 32, DIGEST, block)]
        assert outcomes(tmp_path, members) == (outcome, outcome)


@pytest.mark.parametrize("block", [
    TUNNEL, OK + ALLOW, b"HTTP/1.1 100 Continue\r\n\r\n" + OK + ALLOW, OK + b"# HTTP/1.1 503 is a status\n",
    b"HTTP/1.1 404 Not Found\r\n\r\nHTTP 404", OK + b"HTTP/1.1: /\n",
])  # fmt: skip
def test_one_answer_counts(block: bytes, tmp_path: Path) -> None:
    assert outcomes(tmp_path, [answered(-24, block)]) == ("permitted", "permitted")
