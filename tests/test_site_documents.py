"""What a site says beside its robots.txt is judged with it, kept with it, and withdraws what it no longer permits."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

import pytest

from acap.archives.site_documents import LEFT_OUT, KeptDocument, SiteDocuments, documents_of, sources_of, with_documents
from acap.combine import decide
from acap.crawlers import Crawler
from acap.dialects.ai_txt import parse_ai_txt
from acap.dialects.rsl.associations import RslLicences, joined
from acap.dialects.tdmrep import parse_tdmrep
from acap.harvest.conclusion import judge
from acap.harvest.judgement import ResourceState, Response
from acap.harvest.operator import Operator
from acap.harvest.presentation import Presentation, link
from acap.harvest.proof import verify
from acap.harvest.store import StoreError, open_store
from acap.licensee import Licensee
from acap.restrictions import Facts
from acap.robots import parse_robots
from acap.sites.licences import LostLicences
from acap.sites.policy import SitePolicy
from tests.harvest import HTML, SITE, START, Harvest, documents

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGE = "<p>The ferry quorvanel sails."
LICENCE = f"User-agent: *\nAllow: /\nLicense: {SITE}/licence.xml\n".encode()
POLICY = "https://news.example/policy.json"


def tdmrep(path: str = "/*", *, reserved: int = 1, policy: str = "") -> bytes:
    """A tdmrep.json with one rule."""
    rule = {"location": path, "tdm-reservation": reserved, **({"tdm-policy": policy} if policy else {})}
    return json.dumps([rule]).encode()


def rsl(inside: str) -> bytes:
    """A licence document with one licence for all of a site."""
    licence = f'<content url="/"><license>{inside}</license></content>'
    return f'<rsl xmlns="https://rslstandard.org/rsl">{licence}</rsl>'.encode()


ALL = rsl('<permits type="usage">all</permits>')
SEARCHED = rsl('<permits type="usage">search</permits>')
UNUSED = rsl('<prohibits type="usage">all</prohibits>')
UNSEARCHED = rsl('<prohibits type="usage">search</prohibits>')
PAID = rsl('<permits type="usage">all</permits><payment type="purchase"><amount currency="EUR">5</amount></payment>')


@pytest.fixture
def trains(tmp_path: Path) -> Iterator[Harvest]:
    """A harvest of somebody who keeps content for training."""
    with Harvest(tmp_path / "store", tmp_path, usages=("ai-train",)) as harvest:
        yield harvest


@pytest.mark.parametrize(
    ("said", "is_held"),
    [
        (None, True),
        ({}, True),
        ({"tdmrep": tdmrep()}, False),
        ({"tdmrep": tdmrep("/other/*")}, True),
        ({"tdmrep": tdmrep(policy=POLICY)}, False),
        ({"tdmrep": tdmrep(reserved=0)}, True),
        ({"tdmrep": 404}, True),
        ({"tdmrep": 403}, False),
        ({"tdmrep": 503}, False),
        ({"tdmrep": None}, False),
        ({"tdmrep": b"[{"}, False),
        ({"ai_txt": b"User-Agent: *\nDisallow: /\n"}, False),
        ({"ai_txt": b"User-Agent: *\nDisallow: *.jpg\n"}, True),
        ({"ai_txt": 404}, True),
        ({"ai_txt": 503}, False),
        ({"ai_txt": None}, False),
    ],
)
def test_what_is_kept_for_training_every_document_permits(
    trains: Harvest, said: dict[str, bytes], is_held: bool
) -> None:
    if said is not None:
        trains.documents[SITE] = documents(**said)
    trains.crawl("/a", PAGE)
    assert (trains.found("quorvanel") == {"/a"}, len(trains.copies("/a")) == 1) == (is_held, is_held)
    assert verify(trains.store).wrong == ()


@pytest.mark.parametrize(
    ("licence", "is_trained"),
    [(ALL, True), (SEARCHED, False), (PAID, False), (b"<rsl", False), (None, False), (503, False), (404, False)],
)
def test_a_licence_is_heard_where_robots_txt_names_it(trains: Harvest, licence: bytes | None, is_trained: bool) -> None:
    trains.robots[SITE] = LICENCE
    trains.documents[SITE] = documents(licence=licence)
    trains.crawl("/a", PAGE)
    assert (len(trains.copies("/a")) == 1) is is_trained


@pytest.mark.parametrize(("days", "most"), [(0, 0), (3, 3), (300, 30)])
@pytest.mark.parametrize("kind", ["licence", "page-licence"])
def test_a_licence_stands_in_for_the_days_that_it_says(kind: Literal["licence"], days: int, most: int) -> None:
    """For thirty at most; then it is unknown."""
    url, octets = f"{SITE}/licence.xml", ALL.replace(b"<rsl ", b'<rsl max-age="%d" ' % days)
    known = SiteDocuments((KeptDocument(kind, url, 200, octets, {"fetched_at": START.isoformat()}),))
    failed = SiteDocuments((KeptDocument(kind, url, 503, None, {}),))
    for after, stands in ((timedelta(days=most), True), (timedelta(days=most, seconds=1), False)):
        (one,) = failed.after(known, START + after).documents
        assert (one.octets == octets, one.octets is None) == (stands, not stands)


@pytest.mark.parametrize("way", [{"final_url": "http://news.example/l"}, {"chain": [{"url": "http://a.example/"}]}])
def test_a_licence_that_was_redirected_over_plain_http_licenses_nothing(way: dict[str, Any]) -> None:
    robots = parse_robots(LICENCE, url=f"{SITE}/robots.txt")
    for evidence, permitted in (({}, True), ({"final_url": f"{SITE}/m.xml", "chain": []}, True), (way, False)):
        one = KeptDocument("licence", f"{SITE}/licence.xml", 200, ALL, evidence)
        others = SiteDocuments((one,)).sources(robots)
        assert decide(f"{SITE}/a", crawler="a", usage="index", others=others).permitted is permitted


@pytest.mark.parametrize(
    ("licence", "is_found"), [(UNSEARCHED[:60], False), (None, False), (503, False), (404, False), (SEARCHED, True)]
)
def test_a_licence_that_cannot_be_had_permits_no_use_that_it_may_prohibit(
    harvest: Harvest, licence: bytes | int | None, is_found: bool
) -> None:
    """It may prohibit search, too, and it may have done so before it went."""
    harvest.robots[SITE] = LICENCE
    harvest.documents[SITE] = documents(licence=licence)
    harvest.crawl("/a", PAGE)
    assert (harvest.found("quorvanel") == {"/a"}) is is_found


NAMED_BY_PAGE = '<link rel="license" type="application/rsl+xml" href="/./licence.xml">'


@pytest.mark.parametrize(
    ("licence", "is_held"),
    [
        ({}, (False, False)),
        ({"licence": UNUSED}, (False, False)),
        ({"licence": UNSEARCHED}, (False, True)),
        ({"licence": ALL}, (True, True)),
        ({"licence": 404}, (False, False)),
        ({"licence": 503}, (False, False)),
        ({"licence": b"<rsl"}, (False, False)),
    ],
)
def test_a_licence_that_a_page_names_permits_nothing_until_it_is_known(
    harvest: Harvest, licence: dict[str, bytes], is_held: tuple[bool, bool]
) -> None:
    """Nothing of the page is kept, shown or held until then; its site's other pages are as they were."""
    for number, known in enumerate((None, documents(**licence))):
        path = f"/{number}"
        if known is not None:
            harvest.documents[SITE] = known
        harvest.crawl(path, NAMED_BY_PAGE + PAGE)
        now = is_held if known is not None else (False, False)
        assert (path in harvest.found("quorvanel"), len(harvest.copies(path)) == 1) == now
    harvest.crawl("/other", PAGE)
    assert "/other" in harvest.found("quorvanel")
    harvest.documents[SITE] = documents(licence=UNUSED)
    harvest.crawl("/third", PAGE)
    harvest.sweep()
    assert harvest.found("quorvanel") == {"/other", "/third"}
    assert verify(harvest.store).wrong == ()


def test_a_licence_in_the_page_itself_is_heard(harvest: Harvest) -> None:
    for path, licence in (("/a", UNSEARCHED), ("/b", ALL)):
        harvest.crawl(path, f'<script type="application/rsl+xml">{licence.decode()}</script>{PAGE}')
    assert (harvest.found("quorvanel"), len(harvest.copies("/a"))) == ({"/b"}, 1)


def test_judge_refuses_a_page_whose_licence_it_is_not_given() -> None:
    robots = parse_robots(b"", url=SITE + "/robots.txt")
    crawler, facts = Crawler("searchbot"), Facts(START, START, START)
    headers = (*HTML, ("Link", '</licence.xml>; rel="license"; type="application/rsl+xml"'))

    def judged(*given: RslLicences) -> tuple[bool, bool]:
        response = Response(SITE + "/a", START, crawler, robots, headers, PAGE.encode(), site=given)
        conclusion = judge(response, ResourceState(facts))
        return conclusion.permits("index"), conclusion.permits("preserve")

    def given(licence: bytes | None, path: str = "/licence.xml") -> RslLicences:
        return RslLicences(robots=robots, documents={SITE + path: licence})

    assert (
        judged() == judged(given(None)) == judged(given(ALL, "/other.xml")) == judged(given(b"<rsl")) == (False, False)
    )
    assert (judged(given(ALL)), judged(given(UNSEARCHED))) == ((True, True), (False, True))


def test_a_site_that_names_very_many_licences_keeps_one_doubt() -> None:
    """Not a document for each: what is kept, and the work for each judgement, do not grow with them."""
    policy = parse_robots(
        b"User-agent: *\n" + b"".join(b"License: /%x\n" % number for number in range(50_000)), url=SITE + "/robots.txt"
    )
    left_out = tuple(f"{SITE}/{number:x}" for number in range(50_000))
    empty = parse_tdmrep(None, url=SITE + "/.well-known/tdmrep.json", status=404)
    said = SitePolicy(
        SITE, policy, empty, parse_ai_txt(None, url=SITE + "/ai.txt", status=404), RslLicences(),
        LostLicences(policy, frozenset()), None, None, (), left_out,
    )  # fmt: skip
    kept = SiteDocuments.of_site(said)
    assert [one.url for one in kept.documents] == [LEFT_OUT]
    robots = with_documents(policy, kept)
    sources = sources_of(robots)
    assert sources_of(robots) is sources
    began = time.process_time()
    for _ in range(10):
        for source in sources:
            assert {one.outcome for one in source.statements(SITE + "/a")} == {"prohibited"}
    assert time.process_time() - began < 5.0
    assert not decide(SITE + "/a", crawler="searchbot", usage="index", robots=robots, others=sources).permitted


def test_a_policy_of_tdm_beyond_the_bound_is_unknown() -> None:
    """It could not be had: whoever holds a licence of that URL is not permitted by it."""
    file = KeptDocument("tdmrep.json", SITE + "/.well-known/tdmrep.json", 200, tdmrep(policy=POLICY), {})
    more = KeptDocument("tdm-policy", LEFT_OUT, None, None, {})
    holder = Crawler("searchbot", licensee=Licensee(licences=POLICY))
    for kept, outcome in (((file,), "permitted"), ((file, more), "prohibited")):
        sources = SiteDocuments(kept).sources(parse_robots(b"", url=SITE + "/robots.txt"))
        assert decide(SITE + "/a", crawler=holder, usage="ai-train", others=sources).outcome == outcome


def test_a_licence_that_is_named_and_was_not_asked_for_permits_nothing(trains: Harvest) -> None:
    trains.robots[SITE] = LICENCE
    trains.crawl("/a", PAGE)
    assert not trains.copies("/a")


def test_a_licence_that_refuses_search_ends_index_and_link_of_everybody(harvest: Harvest) -> None:
    """It needs no usage of the operator: `search` is index, link and snippet."""
    harvest.robots[SITE] = LICENCE
    harvest.documents[SITE] = documents(licence=ALL)
    harvest.crawl("/a", PAGE)
    [version] = harvest.store.resources.versions(1)
    judged = Presentation(harvest.store).judged(version.id)
    assert judged is not None
    assert link(Presentation(harvest.store), judged).is_shown
    harvest.documents[SITE] = documents(licence=UNSEARCHED)
    harvest.crawl("/b", PAGE)
    harvest.sweep()
    assert harvest.found("quorvanel") == set()
    assert len(harvest.copies("/a")) == 1
    judged = Presentation(harvest.store).judged(version.id)
    assert judged is not None
    assert not link(Presentation(harvest.store), judged).is_shown


@pytest.mark.parametrize(
    ("licensee", "is_held"),
    [
        (None, False),
        (Licensee(users="commercial"), False),
        (Licensee(licences=SITE + "/licence.xml"), True),
        (Licensee(payments="subscription", licences=SITE + "/licence.xml"), False),
    ],
)
def test_a_condition_is_met_by_the_licence_that_the_operator_holds(
    tmp_path: Path, licensee: Licensee | None, is_held: bool
) -> None:
    with Harvest(tmp_path / "store", tmp_path, usages=("ai-train",), licensee=licensee) as harvest:
        harvest.robots[SITE] = LICENCE
        harvest.documents[SITE] = documents(licence=PAID)
        harvest.crawl("/a", PAGE)
        assert (len(harvest.copies("/a")) == 1) is is_held


def test_a_document_that_becomes_stricter_withdraws_what_is_held(trains: Harvest) -> None:
    """As a changed robots.txt does; the entry names the document and the line that decided."""
    trains.documents[SITE] = documents(tdmrep=404)
    trains.crawl("/a", PAGE)
    trains.crawl("/b", PAGE)
    trains.pass_days(1)
    trains.documents[SITE] = documents(tdmrep=tdmrep("/a"))
    trains.crawl("/b", PAGE)
    assert Presentation(trains.store).of_url(SITE + "/a") is None, "it is shown before it is deleted"
    trains.sweep()
    assert (trains.found("quorvanel"), trains.copies("/a")) == ({"/b"}, [])
    assert b"quorvanel" in trains.copies("/b")[0]
    [removed] = [act for act in trains.entries("/a") if (act.act, act.usage) == ("removed", "preserve")]
    assert removed.decision is not None
    [statement] = removed.decision["statements"]
    told = statement["source"], statement["line"], statement["dialect"]
    assert told == (SITE + "/.well-known/tdmrep.json", 1, "tdmrep")
    assert verify(trains.store).wrong == ()


def test_what_a_site_says_again_after_something_else_counts(trains: Harvest) -> None:
    """Also where its robots.txt was not asked for again."""
    robots = trains.policy()
    for path, said in (("/a", tdmrep()), ("/b", 404), ("/c", tdmrep())):
        trains.pass_days(0.1)
        now = {"fetched_at": trains.clock.now().isoformat()}
        found = documents(tdmrep=said)
        trains.documents[SITE] = type(found)(tuple(one._replace(evidence=now) for one in found.documents))
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(trains.clock, "now", lambda at=robots.evidence["fetched_at"]: type(START).fromisoformat(at))
            policy = trains.policy()
        assert policy.evidence["fetched_at"] == robots.evidence["fetched_at"]
        trains.crawl(path, PAGE)
    trains.sweep()
    assert [len(trains.copies(path)) for path in ("/a", "/b", "/c")] == [0, 0, 0]


def test_documents_are_kept_with_the_policy_and_proven(trains: Harvest) -> None:
    trains.documents[SITE] = documents(tdmrep=tdmrep("/x"), ai_txt=404)
    trains.crawl("/a", PAGE)
    number, _ = trains.store.policies.last(SITE) or (0, None)
    trains.store.policies.forget_noted()
    assert documents_of(trains.store.policies.get(number)) == documents_of(trains.policy())
    assert verify(trains.store).wrong == ()
    trains.store.database.run("UPDATE documents SET site = ?", (json.dumps([["ai.txt", SITE + "/ai.txt", 404, None]]),))
    assert verify(trains.store).wrong == (f"policy {number} is not the one that was entered",)


def test_a_policy_that_tells_nothing_of_documents_leaves_them(trains: Harvest) -> None:
    """As one of an archive: what was not asked for is not gone."""
    trains.documents[SITE] = documents(tdmrep=tdmrep("/a"))
    trains.crawl("/b", PAGE)
    known = documents_of(trains.policy())
    del trains.documents[SITE]
    trains.pass_days(1)
    trains.robots[SITE] = b"User-agent: *\nDisallow: /x\n"
    trains.crawl("/c", PAGE)
    last = trains.store.policies.last(SITE)
    assert last is not None
    assert documents_of(last[1]) == known is not None


def test_a_store_of_before_is_opened_and_its_proofs_hold(tmp_path: Path) -> None:
    """A policy without documents has the digest that it always had."""
    where = tmp_path / "store"
    with Harvest(where, tmp_path) as harvest:
        harvest.crawl("/a", PAGE)
        digests = list(harvest.store.policies.digests())
    with sqlite3.connect(where) as old:
        row = old.execute(
            "SELECT url, fetched_at, state, dialect, evidence, p.content, supplied, octets FROM policies p "
            "JOIN documents d ON d.content = p.content"
        ).fetchone()
        told = [*row[:6], hashlib.sha256(row[7]).hexdigest(), row[6]]
        assert digests == [(1, hashlib.sha256(json.dumps(told).encode()).hexdigest())]
        old.execute("ALTER TABLE documents DROP COLUMN site")
        old.execute("PRAGMA user_version = 3")
    with open_store(where) as store:
        assert verify(store).wrong == ()
        assert store.operator == Operator(("searchbot",))
        assert list(store.policies.digests()) == digests


def test_the_operator_is_told_and_read_again(tmp_path: Path) -> None:
    licensee = Licensee(users="education", country="de", payments=("attribution",), licences="https://a.example/l")
    operator = Operator(("searchbot",), usages=("ai-train",), licensee=licensee)
    assert Operator.from_json(json.loads(json.dumps(operator.to_json()))) == operator
    with open_store(tmp_path / "store", operator=operator) as store:
        assert store.operator == operator
    plain = Operator(("searchbot",), usages=("ai-train",))
    with open_store(tmp_path / "store", operator=plain) as store:
        assert store.operator == operator, "who it is need not be told again"
    with pytest.raises(StoreError, match="was made for another licensee"):
        open_store(tmp_path / "store", operator=replace(plain, licensee=Licensee(users="commercial")))
    with pytest.raises(ValueError, match="`training` is not a usage"):
        Operator(("searchbot",), usages=("training",))


def test_judge_takes_documents_without_a_store() -> None:
    robots = parse_robots(b"", url=SITE + "/robots.txt")
    crawler, facts = Crawler("searchbot"), Facts(START, START, START)
    file = parse_tdmrep(tdmrep(), url=SITE + "/.well-known/tdmrep.json")

    def judged(*usages: str, headers: tuple[tuple[str, str], ...] = ()) -> tuple[bool, bool]:
        octets = PAGE.encode()
        response = Response(SITE + "/a", START, crawler, robots, (*HTML, *headers), octets, usages=usages, site=(file,))
        conclusion = judge(response, ResourceState(facts))
        assert [conclusion.record[usage]["outcome"] for usage in usages] == ["prohibited"] * len(usages) or headers
        return conclusion.permits("index"), conclusion.permits("preserve")

    assert judged() == (True, True)
    assert judged("tdm") == judged("ai-input", "ai-train") == (False, False)
    assert judged("tdm", headers=(("tdm-reservation", "0"),)) == (True, True), "a later carrier replaces the file"


def test_an_element_that_may_not_be_used_keeps_all_of_it_from_training(trains: Harvest) -> None:
    """Nobody could leave it out: a copy for training is whole, or there is none."""
    trains.crawl("/a", f'{PAGE}<p class="the-acap:disallow-ai-train">Not this.')
    trains.crawl("/b", f'{PAGE}<p class="the-acap:disallow-index">Not this.')
    assert (trains.found("quorvanel"), len(trains.copies("/a")), len(trains.copies("/b"))) == ({"/b"}, 0, 1)


def test_a_payment_wall_withholds_what_is_held(harvest: Harvest) -> None:
    """402 is a condition of fetching: copies stay, nothing is shown until a page comes, and the price is entered."""
    harvest.crawl("/a", PAGE)
    harvest.crawl("/a", "pay", status=402, headers=(("crawler-price", "USD 0.01"),))
    assert len(harvest.copies("/a")) == 1
    [version] = harvest.store.resources.versions(1, held=True)
    judged = Presentation(harvest.store).judged(version.id)
    assert judged is not None
    assert judged.hidden == "its site asks for a payment (status 402)"
    assert harvest.entries("/a")[-1].detail["answer"] == "402 Payment Required, crawler-price: USD 0.01"
    harvest.crawl("/a", PAGE)
    judged = Presentation(harvest.store).judged(version.id)
    assert judged is not None
    assert not judged.hidden
    assert verify(harvest.store).wrong == ()


@pytest.mark.parametrize(
    ("written", "days"), [(b' max-age="5"', 5), (b"", 30), (b' max-age="90"', 30), (b' max-age="0"', 0)]
)
@pytest.mark.parametrize("named", ["by robots.txt", "by the page"])
def test_what_is_held_under_a_licence_is_shown_for_as_long_as_it_counts(
    harvest: Harvest, named: str, written: bytes, days: int
) -> None:
    """Nobody asks for it again, though robots.txt is asked for: then nothing is shown, and nothing is lost."""
    by_robots = named == "by robots.txt"
    licence = KeptDocument(
        "licence" if by_robots else "page-licence", SITE + "/licence.xml", 200, ALL.replace(b"<rsl", b"<rsl" + written),
        {"fetched_at": START.isoformat()},
    )  # fmt: skip
    robots = LICENCE if by_robots else b""
    harvest.robots[SITE] = robots
    harvest.documents[SITE] = SiteDocuments((licence,))
    harvest.crawl("/a", PAGE if by_robots else NAMED_BY_PAGE + PAGE)
    harvest.crawl("/b", PAGE)

    def shown(path: str) -> bool:
        presentation, resource = Presentation(harvest.store), harvest.store.resources.find(SITE + path)
        assert resource is not None
        assert resource.current is not None
        judged = presentation.judged(resource.current)
        may_lead = presentation.may_lead(SITE + path, "present-link")
        assert judged is not None
        assert may_lead == link(presentation, judged).is_shown
        return may_lead

    for passed in (days, days + 0.1):
        harvest.pass_days(passed - (harvest.clock.now() - START) / timedelta(days=1))
        harvest.robots[SITE] = robots + b"# %f\n" % passed
        harvest.crawl("/other", PAGE)
        harvest.sweep()
        assert (shown("/a"), shown("/b")) == (passed == days, passed == days or not by_robots)
        assert harvest.found("quorvanel") >= {"/a", "/b"}
        assert harvest.copies("/a")
    harvest.pass_days(0.1)
    again = {"fetched_at": harvest.clock.now().isoformat()}
    harvest.documents[SITE] = SiteDocuments((licence._replace(evidence=again),))
    harvest.crawl("/other", PAGE)
    assert shown("/a")
    assert verify(harvest.store).wrong == ()


def test_a_relative_target_keeps_its_semicolon() -> None:
    """A `;` is a sign as any other (RFC 3986), at the end of a target too."""
    assert joined("https://site.example/a;b/", "licence.xml;") == "https://site.example/a;b/licence.xml;"
