"""The policies that a tdmrep.json in an archive names decide as they do where they are retrieved."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

import acap
from acap.archives.shelf import ArchiveShelf, shelve
from acap.audits.policies import ShelvedPolicies
from acap.audits.rows import AuditedResource, Auditor
from acap.dialects.tdmrep import parse_tdmrep
from acap.retrieval.locations import resolve
from acap.robots import parse_robots
from tests.crawled import BEGIN, Came, site, write_warc

if TYPE_CHECKING:
    from pathlib import Path

HOME = site(0)
FILE, WELL_KNOWN, POLICY = f"{HOME}/robots.txt", f"{HOME}/.well-known/tdmrep.json", f"{HOME}/policy.json"
TERMS = b"<!doctype html><html><body>Ask us</body></html>"
NOW = BEGIN + timedelta(days=100)
ALLOW = b"User-agent: *\nAllow: /\n"
RESERVED = json.dumps([{"location": "/", "tdm-reservation": 1, "tdm-policy": POLICY}]).encode()


def offer(**permission: Any) -> bytes:
    """A policy with one permission."""
    contexts = ["http://www.w3.org/ns/odrl.jsonld", "http://www.w3.org/ns/tdmrep.jsonld"]
    named = {"@context": contexts, "@type": "Offer", "profile": "http://www.w3.org/ns/tdmrep", "uid": POLICY}
    return json.dumps({**named, "permission": [{"action": "tdm:mine", **permission}]}).encode()


def short(action: str, **permission: Any) -> bytes:
    """A policy without a context."""
    named = {"@type": "Offer", "profile": "http://www.w3.org/ns/tdmrep"}
    return json.dumps({**named, "permission": [{"action": action, **permission}]}).encode()


FREE = offer()
RESEARCH = offer(constraint=[{"leftOperand": "purpose", "operator": "eq", "rightOperand": "tdm:research"}])


def mining(directory: Path, *came: tuple[bytes, int, float]) -> str:
    """Whether ai-train is permitted where an archive has these answers at the policy's URL."""
    answers = (Came(POLICY, body, hours, "application/json", status) for body, status, hours in came)
    return audited(directory, Came(WELL_KNOWN, RESERVED, -1, "application/json"), *answers)


def audited(directory: Path, *came: Came) -> str:
    """Whether ai-train is permitted where an archive has these answers beside a robots.txt."""
    answers = [Came(FILE, ALLOW, -1, "text/plain"), *came]
    shelf = ArchiveShelf(":memory:")
    shelf.add(shelve(write_warc(directory / "a.warc.gz", answers), 0, NOW))
    shelf.finish()
    auditor = Auditor(ShelvedPolicies(shelf, NOW), crawler="examplebot", usages=["ai-train"], now=NOW)
    return str(auditor.row(AuditedResource(f"{HOME}/p", BEGIN)).cells[0].outcome)


def retrieved(octets: bytes | None) -> str:
    """The same where the policy was retrieved as such."""
    file = parse_tdmrep(RESERVED, url=WELL_KNOWN).with_policies({POLICY: octets})
    robots = parse_robots(ALLOW, url=FILE)
    found = acap.decide(f"{HOME}/p", crawler="examplebot", usage="ai-train", robots=robots, others=[file])
    return str(found.outcome)


@pytest.mark.parametrize("octets", [
    FREE, RESEARCH, offer(duty=[{"action": "compensate"}]), b"{}", b"not JSON", b"[]",
    TERMS, FREE[:-1], FREE + b"x", short("mine"), short("mine", duty=[{"action": "obtainConsent"}]),
    short("mine").replace(b"permission", rb"\u0070ermission"), short("print"), b"{}".join((b"[", b"]")),
])  # fmt: skip
def test_a_captured_policy_decides_as_a_retrieved_one(octets: bytes, tmp_path: Path) -> None:
    assert mining(tmp_path, (octets, 200, -1)) == retrieved(octets)


@pytest.mark.parametrize("status", [404, 410, 500, 503, 403, 301])
def test_a_policy_that_was_not_there_prohibits(status: int, tmp_path: Path) -> None:
    assert mining(tmp_path, (b"", status, -1)) == "prohibited" == retrieved(None)
    assert mining(tmp_path, (b"Sorry", status, -1)) == "prohibited"


def test_a_policy_counts_as_other_documents_do_by_time(tmp_path: Path) -> None:
    assert mining(tmp_path) == "prohibited" == retrieved(None)
    assert mining(tmp_path, (FREE, 200, -1)) == "permitted"
    assert mining(tmp_path, (FREE, 200, -48), (b"", 404, -1)) == "prohibited"
    assert mining(tmp_path, (FREE, 200, -48), (b"", 503, -1)) == "permitted"
    assert mining(tmp_path, (FREE, 200, -48), (TERMS, 200, -1)) == "conditional" == retrieved(TERMS)
    assert mining(tmp_path, (TERMS, 200, -48), (FREE, 200, -1)) == "permitted"
    assert mining(tmp_path, (TERMS, 200, -48), (b"", 503, -1)) == "conditional"
    for octets in (FREE, RESEARCH, TERMS, b""):
        assert mining(tmp_path, (octets, 200, -24 * 40)) == "prohibited" == retrieved(None)
    assert mining(tmp_path, (b"", 404, -24 * 40)) == "prohibited"
    assert mining(tmp_path, (FREE, 200, -24 * 40), (FREE, 200, 5)) == "permitted"


@pytest.mark.parametrize("days", [1, 40])
def test_an_old_file_is_no_looser_than_a_new_one(days: int, tmp_path: Path) -> None:
    """Nor is one whose policy is as old as it is, or was never captured."""
    file = Came(WELL_KNOWN, RESERVED, -24 * days, "application/json")
    assert audited(tmp_path, file) == "prohibited"
    policy = Came(POLICY, FREE, -24 * days, "application/json")
    assert audited(tmp_path, file, policy) == ("permitted" if days == 1 else "prohibited")
    asked = Came(POLICY, offer(duty=[{"action": "compensate"}]), -1, "application/json")
    assert audited(tmp_path, file, asked) == "conditional"


@pytest.mark.parametrize(("rules", "outcome"), [(64, "permitted"), (65, "prohibited")])
def test_a_file_that_names_more_policies_than_are_looked_for_prohibits(
    rules: int, outcome: str, tmp_path: Path
) -> None:
    """What decides on the page is the last rule; each rule names a policy of its own."""
    policies = [f"{HOME}/policy{number}.json" for number in range(rules)]
    locations = [*(f"/elsewhere{number}" for number in range(rules - 1)), "/"]
    file = json.dumps(
        [
            {"location": where, "tdm-reservation": 1, "tdm-policy": policy}
            for where, policy in zip(locations, policies, strict=True)
        ]
    ).encode()
    captured = (Came(policy, FREE, -1, "application/json") for policy in policies)
    assert audited(tmp_path, Came(WELL_KNOWN, file, -1, "application/json"), *captured) == outcome


@pytest.mark.parametrize("inside", [
    "http://10.0.0.7/p.json", "http://localhost/p.json", "http://intranet/p.json", "http://a.test/p.json",
    "http://a.invalid/p.json", "http://a.home.arpa/p.json",
])  # fmt: skip
def test_a_private_network_has_no_policy_of_a_public_site(inside: str, tmp_path: Path) -> None:
    """Crawlers do not follow there from a site of others, and nothing that was captured there permits."""
    there = Came(inside, FREE, -1, "application/json")
    assert audited(tmp_path, Came(WELL_KNOWN, named(inside), -1, "application/json"), there) == "prohibited"
    moved = Came(POLICY, b"", -1, "text/plain", 301, (("Location", inside),))
    assert audited(tmp_path, Came(WELL_KNOWN, RESERVED, -1, "application/json"), moved, there) == "prohibited"


@pytest.mark.parametrize("file", [
    b"[]", b"[ ]", b"[{}]", b"\xef\xbb\xbf[\n]", b'[{"location": "/"}]', b"[1]", b"[[]]", b"{}", b"[", b"null",
    b'[{"location": "/q", "tdm_reservation": 1}]', b'[{"location": "/q", "tdm\\u002dreservation": 1}]',
    b'[{"location": "/p", "tdm_reservation": 1}]', b'[{"location": "/", "tdm\\u002dreservation": 1}]',
])  # fmt: skip
def test_a_redirected_file_decides_as_one_in_its_place(file: bytes, tmp_path: Path) -> None:
    target = f"{site(1)}/mining"
    redirected = Came(WELL_KNOWN, b"", -1, "text/plain", 301, (("Location", target),))
    found = audited(tmp_path, redirected, Came(target, file, -1, "application/json"))
    assert found == audited(tmp_path, Came(WELL_KNOWN, file, -1, "application/json"))


MOVED = f"{site(1)}/files/mining"
REDIRECTED = Came(WELL_KNOWN, b"", -1, "text/plain", 301, (("Location", MOVED),))


def named(policy: str) -> bytes:
    """A tdmrep.json that reserves all on the terms of a policy."""
    return json.dumps([{"location": "/", "tdm-reservation": 1, "tdm-policy": policy}]).encode()


@pytest.mark.parametrize(
    ("written", "at"), [("/p.json", "/p.json"), ("./p.json", "/files/p.json"), ("?p", "/files/mining?p")]
)
@pytest.mark.parametrize("is_lost_later", [False, True])
def test_a_relative_policy_of_a_redirected_file_is_looked_for_where_it_came_from(
    written: str, at: str, is_lost_later: bool, tmp_path: Path
) -> None:
    """RFC 3986 5.1.3; also while a good copy of the file stands in."""
    lost = [Came(WELL_KNOWN, b"", -0.5, "text/plain", 503)] if is_lost_later else []
    file = [REDIRECTED, Came(MOVED, named(written), -1, "application/json"), *lost]
    policy = offer(duty=[{"action": "compensate"}])
    theirs, ours = site(1) + at, resolve(WELL_KNOWN, written)
    for where, octets, other, found in ((theirs, FREE, policy, "permitted"), (theirs, policy, FREE, "conditional")):
        decoy = Came(ours, other, -1, "application/json")
        assert audited(tmp_path, *file, Came(where, octets, -1, "application/json"), decoy) == found
