"""Laws of what is gathered from a site: no document that fails loosens another, nor what it says itself.

No network: the answers are given to the steps of the gathering. `ACAP_EXAMPLES` says how many sites are tried.
"""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Mapping
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

import acap
from acap.clock import FixedClock
from acap.decision import STRICTNESS
from acap.retrieval import Answer, Failure, FailureKind, Retrieved, Rules, meaning
from acap.retrieval.freshness import expires_at
from acap.schema import site_to_json
from acap.sites.gathering import gather
from acap.sites.matrix import USAGES, matrices

EXAMPLES = int(os.environ.get("ACAP_EXAMPLES", "30"))
HOME = "https://www.example.com"
NOW = datetime(2026, 11, 23, tzinfo=UTC)
RULES = Rules()
ASKERS = ("examplebot", "GPTBot")
TDMREP = "/.well-known/tdmrep.json"
PARTS = (
    "User-agent: *\nAllow: /\n",
    "User-agent: GPTBot\nDisallow: /\n",
    "User-agent: *\nContent-Signal: ai-train=yes\n",
    "User-agent: *\nContent-Signal: search=yes, ai-train=no\n",
    "User-agent: *\nLicense: /l.xml\n",
    "User-agent: GPTBot\nLicense: /m.xml\n",
    "ACAP-crawler: *\nACAP-allow-index: /\nACAP-disallow-other: /\n",
    "ACAP-crawler: GPTBot\nACAP-permissions-reference: /more.txt\n",
)
LICENCE = '<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>{}</license></content></rsl>'
LICENCES = [
    LICENCE.format(said).encode()
    for said in (
        '<permits type="usage">all</permits>',
        '<permits type="usage">search</permits><payment type="crawl"/>',
        '<prohibits type="usage">ai-train</prohibits>',
    )
] + [b"<rsl", b""]
RULES_OF_TDM = ({"tdm-reservation": 0}, {"tdm-reservation": 1}, {"tdm-reservation": 1, "tdm-policy": f"{HOME}/p.json"})
OFFER = {"@type": "Offer", "profile": "http://www.w3.org/ns/tdmrep", "permission": [{"action": "tdm:mine"}]}

documents = st.fixed_dictionaries({
    "/robots.txt": st.lists(st.sampled_from(PARTS), min_size=1, max_size=4).map(lambda parts: "".join(parts).encode()),
    TDMREP: st.sampled_from([
        *(json.dumps([{"location": "/", **rule}]).encode() for rule in RULES_OF_TDM), b"[]", b"{", b"<html>",
    ]),
    "/ai.txt": st.sampled_from([b"User-Agent: *\nDisallow: /\n", b"User-Agent: *\nAllow: /\n", b"Hello\n"]),
    "/l.xml": st.sampled_from(LICENCES),
    "/m.xml": st.sampled_from(LICENCES),
    "/p.json": st.sampled_from([json.dumps(OFFER).encode(), b"{}", b"<html>Terms"]),
    "/more.txt": st.sampled_from([b"ACAP-crawler: *\nACAP-%s-crawl: /\n" % word for word in (b"allow", b"disallow")]),
})  # fmt: skip
statuses = st.dictionaries(
    st.sampled_from(["/robots.txt", TDMREP, "/ai.txt", "/l.xml", "/m.xml", "/p.json", "/more.txt"]),
    st.sampled_from([404, 403, 503, 0]),
    max_size=3,
)


def said_by(site: Mapping[str, bytes], failing: Mapping[str, int], page: str | None = None) -> acap.SitePolicy:
    """What a site says; a status of 0 is no answer."""
    with acap.Retriever(clock=FixedClock(NOW)) as retriever:
        steps = gather(retriever, HOME, page=page)
        wanted = next(steps)
        while True:
            came = []
            for one in wanted:
                path = one.url.removeprefix(HOME)
                status = failing.get(path, 200 if path in site else 404)
                failure = None if status else Failure(FailureKind.TIMEOUT, "the answer took too long")
                octets = site[path] if status == 200 else b""
                answer = Answer(one.url, "", one.url, NOW, status or None, octets=octets, failure=failure)
                came.append(Retrieved(answer, meaning(answer, RULES), expires_at(answer, RULES)))
            try:
                wanted = steps.send(came)
            except StopIteration as stop:
                said: acap.SitePolicy = stop.value
                return said


def strictness(said: acap.SitePolicy) -> list[int]:
    return [
        STRICTNESS[decision.outcome]
        for asker in ASKERS
        for decision in said.decide_each("/a", crawler=asker, usages=USAGES).values()
    ]


@settings(max_examples=EXAMPLES, deadline=None)
@given(documents, statuses, st.sampled_from([TDMREP, "/ai.txt", "/l.xml", "/m.xml", "/p.json", "/more.txt"]))
def test_a_document_that_cannot_be_had_never_loosens(
    site: dict[str, bytes], failing: dict[str, int], lost: str
) -> None:
    """Neither itself, whatever it said, nor another one."""
    before = strictness(said_by(site, failing))
    for status in (503, 0):
        after = strictness(said_by(site, {**failing, lost: status}))
        assert all(new >= old for new, old in zip(after, before, strict=True))


@settings(max_examples=EXAMPLES, deadline=None)
@given(documents, statuses)
def test_a_robots_txt_that_cannot_be_had_prohibits_everything(site: dict[str, bytes], failing: dict[str, int]) -> None:
    said = said_by(site, {**failing, "/robots.txt": 503})
    assert set(strictness(said)) == {STRICTNESS["prohibited"]}


@settings(max_examples=EXAMPLES, deadline=None)
@given(documents, statuses)
def test_all_carriers_together_are_no_looser_than_each_by_itself(
    site: dict[str, bytes], failing: dict[str, int]
) -> None:
    """And what one of them says alone contradicts another that says something else, if both are known.

    A carrier is unknown only where a document is, and then it prohibits.
    """
    said = said_by(site, failing)
    has_doubt = bool(said.left_out) or any(document.doubt for document in said.documents)
    for matrix in matrices(said, crawlers=ASKERS):
        for row in matrix.rows:
            unknown = {cell.outcome for cell in row.cells if cell.is_unknown}
            assert unknown <= ({"prohibited"} if has_doubt else set())
            alone = {cell.outcome for cell in row.cells if cell.outcome is not None}
            assert all(STRICTNESS[row.decision.outcome] >= STRICTNESS[outcome] for outcome in alone)
            if len({cell.outcome for cell in row.cells if cell.outcome is not None and not cell.is_unknown}) > 1:
                assert row.is_contradiction


@settings(max_examples=EXAMPLES, deadline=None)
@given(documents, statuses)
def test_every_document_is_told_with_its_state(site: dict[str, bytes], failing: dict[str, int]) -> None:
    """A doubt has its reason, and what was read has octets behind it."""
    for document in said_by(site, failing).documents:
        assert bool(document.doubt) == (document.state == "unknown")
        assert document.why or document.state != "unknown"
        evidence = document.evidence
        assert evidence is not None
        assert document.state not in ("read", "foreign") or evidence["status"] == 200


PIECES = [part.encode() for part in PARTS] + [
    *LICENCES,
    json.dumps(OFFER).encode(),
    b'[{"location": "/", "tdm-reservation": 1, "tdm-policy": "http://[x"}]',
    b'<link rel="license" type="application/rsl+xml" href="/l.xml">',
    b"License: http://[::1\nLicense: //\nLicense: http:\nLicense: ?\nLicense: \xff\n",
    b"\x00",
    b"\xed\xa0\x80",
]
octets = st.lists(st.sampled_from(PIECES) | st.binary(max_size=8), max_size=4).map(b"".join)


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.fixed_dictionaries(dict.fromkeys(["/robots.txt", TDMREP, "/ai.txt", "/l.xml", "/p.json", "/a"], octets)))
def test_whatever_octets_come_a_policy_comes_of_them(site: dict[str, bytes]) -> None:
    """It is asked, told in JSON, and pickled."""
    said = said_by(site, {}, page="/a")
    found = matrices(said, crawlers=ASKERS)
    assert json.dumps(site_to_json(said, found))
    assert pickle.loads(pickle.dumps(said)) == said
