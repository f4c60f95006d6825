"""A crawl fetches what a site says before it uses what the site has; what fails permits nothing that it prohibits."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from acap.archives.site_documents import KeptDocument, SiteDocuments, documents_of
from acap.clock import FixedClock
from acap.harvest.crawl.known_policies import KnownPolicies
from acap.harvest.crawl.site_policies import CrawlPolicies, asked_at
from acap.harvest.operator import Operator
from acap.harvest.store import open_store
from acap.retrieval import AsyncRetriever, Retriever
from acap.sites.gathering import MAX_DOCUMENTS
from tests.crawling import Crawled, acts, crawl, entries, opened, page, robots, run, site
from tests.harvest import SITE, START, Harvest
from tests.loopback import Loopback, Script, redirect, reply
from tests.test_site_documents import ALL, UNSEARCHED, UNUSED, tdmrep

if TYPE_CHECKING:
    import socket
    from pathlib import Path

    from acap.robots import RobotsPolicy
    from tests.loopback import Asked

TDMREP, AI_TXT, LICENCE = "/.well-known/tdmrep.json", "/ai.txt", "/licence.xml"
NAMES_LICENCE = robots("User-agent: *", "Allow: /", f"License: http://127.0.0.1:00000{LICENCE}")
HTML = reply(body=b"<!doctype html><html><title>Sign in</title>", headers=[("Content-Type", "text/html")])


def train(store: Path, loopback: Loopback, *more: str) -> Crawled:
    """Crawls as somebody who keeps content for training."""
    return crawl(store, loopback.url("/"), "--for", "ai-train", *more)


def held(store: Path) -> tuple[bool, bool]:
    """Whether something is indexed, and whether something is preserved."""
    told = acts(store)
    return "indexed index" in told, "preserved preserve" in told


def silent(connection: socket.socket, asked: Asked) -> None:  # noqa: ARG001  whatever is asked
    """No answer: the connection ends."""
    connection.close()


def cut(body: bytes) -> bytes:
    """An answer that ends before its end."""
    return reply(body=body, length=len(body) + 9)


def test_what_a_site_says_is_asked_for_before_its_first_page(tmp_path: Path) -> None:
    with site() as loopback:
        loopback.says["/"] = page("/a")
        loopback.says["/a"] = page()
        loopback.says[TDMREP] = reply(body=tdmrep("/a"))
        train(tmp_path / "store", loopback)
        assert set(loopback.targets[:3]) == {"/robots.txt", TDMREP, AI_TXT}
        assert loopback.targets[3:] == ["/", "/a"]
        with opened(tmp_path / "store") as store:
            found = [loopback.url(path) for path in ("/", "/a")]
            copies = [store.resources.current_of(store.resources.find(url)) for url in found]
            assert [one is not None and one.place is not None for one in copies] == [True, False]
        [refused] = [act for act in entries(tmp_path / "store", loopback.url("/a")) if act.usage == "preserve"]
        assert refused.decision is not None
        assert refused.decision["statements"][0]["source"] == loopback.url(TDMREP)
        assert run("ledger", "--verify", "--store", tmp_path / "store").code == 0


def test_nobody_is_asked_for_what_could_not_decide(tmp_path: Path) -> None:
    """Search is not mining: without a usage of the operator only licences matter, where robots.txt names one."""
    with site() as loopback:
        loopback.says["/"] = page()
        crawl(tmp_path / "store", loopback.url("/"))
        assert loopback.targets == ["/robots.txt", "/"]
        loopback.says["/robots.txt"] = NAMES_LICENCE
        loopback.says[LICENCE] = reply(body=UNSEARCHED)
        crawl(tmp_path / "other", loopback.url("/"))
        assert held(tmp_path / "other") == (False, True)


@pytest.mark.parametrize(
    "fails", [silent, reply(500), reply(503), reply(429), cut(tdmrep()), reply(body=b"[{"), reply(403), redirect("/")]
)
@pytest.mark.parametrize("path", [TDMREP, LICENCE])
def test_a_document_that_fails_permits_nothing_that_it_prohibits(tmp_path: Path, path: str, fails: Script) -> None:
    """One that said what it says would have prohibited: whatever becomes of it, that use is not made."""
    with site() as loopback:
        loopback.says["/robots.txt"] = NAMES_LICENCE
        loopback.says["/"] = page()
        loopback.says[LICENCE] = reply(body=ALL)
        loopback.says[path] = redirect("//other.invalid/x") if fails == redirect("/") else fails
        train(tmp_path / "store", loopback)
        assert held(tmp_path / "store") == (False, False)


@pytest.mark.parametrize(("says", "is_held"), [(reply(404), True), (reply(503), False), (silent, False), (HTML, True)])
def test_an_ai_txt_that_fails_prohibits_training(tmp_path: Path, says: Script, is_held: bool) -> None:
    with site() as loopback:
        loopback.says["/"] = page()
        loopback.says[AI_TXT] = says
        train(tmp_path / "store", loopback)
        assert held(tmp_path / "store") == (is_held, is_held)


def test_a_licence_at_hand_permits_what_it_licenses(tmp_path: Path) -> None:
    with site() as loopback:
        loopback.says["/robots.txt"] = NAMES_LICENCE
        loopback.says["/"] = page()
        loopback.says[LICENCE] = reply(body=ALL)
        train(tmp_path / "store", loopback)
        assert held(tmp_path / "store") == (True, True)


def test_a_licence_that_the_operator_holds_meets_its_condition(tmp_path: Path) -> None:
    with site() as loopback:
        policy = loopback.url("/policy.json")
        loopback.says["/"] = page()
        loopback.says[TDMREP] = reply(body=tdmrep(policy=policy))
        duty = {"action": "obtainConsent"}
        offer = {"@type": "Offer", "permission": [{"action": "tdm:mine", "duty": [duty]}]}
        loopback.says["/policy.json"] = reply(body=json.dumps(offer).encode())
        train(tmp_path / "store", loopback)
        assert held(tmp_path / "store") == (False, False)
        us = tmp_path / "us.json"
        us.write_text(json.dumps({"users": ["education"], "licences": [policy]}))
        train(tmp_path / "ours", loopback, "--licensee", str(us))
        assert held(tmp_path / "ours") == (True, True)
        us.write_text(json.dumps({"users": ["education"], "reuse": "all"}))
        wrong = train(tmp_path / "other", loopback, "--licensee", str(us))
        assert (wrong.code, "us.json` is no licensee in JSON: reuse `all`" in wrong.err) == (2, True)


def test_a_site_that_becomes_stricter_withdraws_what_is_held(tmp_path: Path) -> None:
    with site() as loopback:
        loopback.says["/"] = page()
        train(tmp_path / "store", loopback)
        assert held(tmp_path / "store") == (True, True)
        loopback.says[TDMREP] = reply(body=tdmrep())
        train(tmp_path / "store", loopback)
        assert {"removed index", "removed preserve"} <= set(acts(tmp_path / "store"))


def test_a_page_in_the_place_of_a_file_that_was_there_lifts_nothing(tmp_path: Path) -> None:
    """As of a robots.txt: where no file was known, a page says that there is none."""
    with site() as loopback:
        loopback.says |= {"/": page("/a"), "/a": page(), TDMREP: HTML}
        train(tmp_path / "free", loopback)
        assert held(tmp_path / "free") == (True, True)
        loopback.says[TDMREP] = reply(body=tdmrep())
        train(tmp_path / "store", loopback)
        loopback.says[TDMREP] = HTML
        train(tmp_path / "store", loopback)
        assert held(tmp_path / "store") == (False, False)


def test_documents_are_asked_for_once_while_they_are_fresh(tmp_path: Path) -> None:
    """Pages of one site wait for the same answers; what has expired is asked for again, and nothing else."""
    clock = FixedClock(START)

    async def said() -> None:
        async with AsyncRetriever(crawler="searchbot", clock=clock, allow_private=True) as retriever:
            sites = CrawlPolicies(retriever, Operator(("searchbot",), usages=("ai-train",)), store.policies)

            async def policy() -> RobotsPolicy:
                return await sites.policy(home, await retriever.robots(home))

            one, other = await asyncio.gather(policy(), policy())
            assert one is other
            assert Counter(loopback.targets) == {"/robots.txt": 1, TDMREP: 1, AI_TXT: 1}
            clock.advance(timedelta(hours=2))
            loopback.says[TDMREP] = reply(body=tdmrep())
            stricter = await policy()
            assert Counter(loopback.targets) == {"/robots.txt": 1, TDMREP: 2, AI_TXT: 1}
            assert (asked_at(one), asked_at(stricter)) == (START, START + timedelta(hours=2))
            number, _ = store.policies.note(one, clock.now())
            assert store.policies.note(stricter, clock.now()) == (number + 1, True)

    with site() as loopback, open_store(tmp_path / "store", operator=Operator(("searchbot",))) as store:
        loopback.says[TDMREP] = reply(body=b"[]", headers=[("Cache-Control", "max-age=3600")])
        home = loopback.url("/")
        asyncio.run(said())


def test_the_pace_of_a_site_begins_with_the_last_of_its_documents(tmp_path: Path) -> None:
    times: dict[str, float] = {}

    def noted(connection: socket.socket, asked: Asked) -> None:
        times[asked.target] = time.monotonic()
        connection.sendall(page() if asked.target == "/" else reply(404))

    with site() as loopback:
        loopback.says["/robots.txt"] = robots("User-agent: *", "Crawl-delay: 1")
        loopback.says |= {"/": noted, AI_TXT: noted, TDMREP: noted}
        train(tmp_path / "store", loopback)
    assert times["/"] - max(times[AI_TXT], times[TDMREP]) > 0.9


LINK = f'<{LICENCE}>; rel="license"; type="application/rsl+xml"'
ELEMENT = f'<link rel="license" type="application/rsl+xml" href="{LICENCE}">'


NAMED = ("", ELEMENT, ELEMENT.replace("+", "&#43;"))


@pytest.mark.parametrize("element", NAMED, ids=["header", "element", "reference"])
@pytest.mark.parametrize(
    ("says", "is_held"),
    [
        (reply(body=UNUSED), (False, False)),
        (reply(body=UNSEARCHED), (False, True)),
        (reply(body=ALL), (True, True)),
        (reply(404), (False, False)),
        (reply(403), (False, False)),
        (reply(503), (False, False)),
        (silent, (False, False)),
        (cut(ALL), (False, False)),
        (reply(body=b"<rsl"), (False, False)),
        (HTML, (False, False)),
        (redirect("//other.invalid/x"), (False, False)),
    ],
)
def test_a_licence_that_a_page_names_is_asked_for_before_the_page_is_kept(
    tmp_path: Path, says: Script, is_held: tuple[bool, bool], element: str
) -> None:
    with site() as loopback:
        body = f"<!doctype html>{element}<p>The ferry sails.".encode()
        headers = [("Content-Type", "text/html"), *([] if element else [("Link", LINK)])]
        loopback.says |= {"/": reply(body=body, headers=headers), LICENCE: says}
        crawl(tmp_path / "store", loopback.url("/"))
        assert (loopback.targets[:3], held(tmp_path / "store")) == (["/robots.txt", "/", LICENCE], is_held)
        assert run("ledger", "--verify", "--store", tmp_path / "store").code == 0


def test_a_page_is_kept_once_the_licence_that_it_names_is_known(tmp_path: Path) -> None:
    """And not before: one that is gone is unknown. Other pages are as they were."""
    with site() as loopback:
        loopback.says |= {"/": page("/a", head=ELEMENT), "/a": page(), LICENCE: reply(503)}
        place = tmp_path / "store"
        for says, is_kept in (
            (reply(503), False),
            (reply(404), False),
            (reply(body=ALL), True),
        ):
            loopback.says[LICENCE] = says
            crawl(place, loopback.url("/"))
            with opened(place) as store:
                found = [store.resources.current_of(store.resources.find(loopback.url(path))) for path in ("/", "/a")]
                assert [one is not None and one.place is not None for one in found] == [is_kept, True]


def test_what_pages_name_is_asked_for_by_the_robots_txt_of_its_host(tmp_path: Path) -> None:
    with site() as loopback:
        loopback.says["/robots.txt"] = robots("User-agent: *", f"Disallow: {LICENCE}")
        loopback.says |= {"/": page(head=ELEMENT), LICENCE: reply(body=ALL)}
        crawl(tmp_path / "store", loopback.url("/"))
        assert (LICENCE in loopback.targets, held(tmp_path / "store")) == (False, (False, False))


def test_the_pages_of_a_site_name_few_licences(tmp_path: Path) -> None:
    """Those beyond the bound stay unknown: their pages are not kept."""
    with site() as loopback:
        loopback.says["/"] = page(*(f"/{number}" for number in range(MAX_DOCUMENTS + 4)))
        for number in range(MAX_DOCUMENTS + 4):
            loopback.says[f"/{number}"] = page(head=ELEMENT.replace(LICENCE, f"/{number}.xml"))
            loopback.says[f"/{number}.xml"] = reply(body=ALL)
        crawl(tmp_path / "store", loopback.url("/"), "--delay", "0s")
        assert sum(target.endswith(".xml") for target in loopback.targets) == MAX_DOCUMENTS
        assert acts(tmp_path / "store").count("preserved preserve") == MAX_DOCUMENTS + 1


@pytest.mark.parametrize("is_gone", [True, False])
def test_what_no_page_names_any_more_makes_room(tmp_path: Path, is_gone: bool) -> None:
    """When the next crawl begins; what is named by a page that is kept stays."""
    names = [f"/{number}" for number in range(MAX_DOCUMENTS)]
    with site() as loopback:
        loopback.says["/"] = page(*names)
        for name in (*names, "/new"):
            element = ELEMENT if name != "/5" else f'<script type="application/rsl+xml" src="{LICENCE}"></script>'
            loopback.says[name] = page(head=element.replace(LICENCE, f"{name}.xml"))
            loopback.says[f"{name}.xml"] = reply(body=ALL)
        crawl(tmp_path / "store", loopback.url("/"), "--delay", "0s")
        if is_gone:
            loopback.says["/3"] = reply(410)
            crawl(tmp_path / "store", loopback.url("/3"))
            run("remove", loopback.url("/3"), "--store", tmp_path / "store")
        before = len(loopback.targets)
        crawl(tmp_path / "store", loopback.url("/new"))
        assert ("/new.xml" in loopback.targets[before:]) is is_gone
        assert ("/3.xml" in loopback.targets[before:]) is False
        with opened(tmp_path / "store") as store:
            last = store.policies.last(loopback.url("/"))
            documents = None if last is None else documents_of(last[1])
            assert documents is not None
            assert {one.url for one in documents.of_pages} == {
                loopback.url(f"{name}.xml") for name in ([*names, "/new"] if is_gone else names)
            } - ({loopback.url("/3.xml")} if is_gone else set())
        assert acts(tmp_path / "store").count("removed preserve") == is_gone
        assert run("ledger", "--verify", "--store", tmp_path / "store").code == 0


def test_a_202_is_no_page_and_displaces_none(tmp_path: Path) -> None:
    """It is tried again, as a failure is, nothing of it is kept, and what the page said last stands."""
    wait = reply(202, body=b"<!doctype html><p>Please wait.", headers=[("Content-Type", "text/html")])
    with site() as loopback:
        loopback.says["/"] = page(head='<meta name="robots" content="noindex">')
        for says in (loopback.says["/"], wait):
            loopback.says["/"] = says
            crawl(tmp_path / "store", loopback.url("/"))
            assert held(tmp_path / "store") == (False, True)
        assert loopback.targets.count("/") == 4
        crawl(tmp_path / "other", loopback.url("/"))
        assert held(tmp_path / "other") == (False, False)
        for store in ("store", "other"):
            assert run("ledger", "--verify", "--store", tmp_path / store).code == 0


def test_another_usage_needs_another_store(tmp_path: Path) -> None:
    with site() as loopback:
        loopback.says["/"] = page()
        train(tmp_path / "store", loopback)
        other = crawl(tmp_path / "store", loopback.url("/"))
        assert (other.code, "is the store of examplebot, kept for ai-train" in other.err) == (2, True)
        told = run("status", "--store", tmp_path / "store").out
        assert "the store of examplebot, kept for ai-train" in told


def test_what_earlier_crawls_know_stands_in_while_a_document_cannot_be_had(harvest: Harvest) -> None:
    """For thirty days; it is fresh for one."""
    octets, clock = tdmrep("/x"), FixedClock(START)
    with Loopback() as loopback:
        home, at = loopback.url(""), loopback.url(TDMREP)
        evidence: dict[str, object] = {
            "fetched_at": START.isoformat(),
            "final_url": at,
            "headers": [],
            "confirmed_at": None,
        }
        known = SiteDocuments((KeptDocument("tdmrep.json", at, 200, octets, evidence),))
        harvest.documents[home] = known
        harvest.crawl("/a", site=home)
        loopback.says["/robots.txt"], loopback.says[TDMREP] = robots("User-agent: *"), reply(503)
        for days, found, asked in ((0.5, octets, 0), (2, octets, 1), (20, octets, 1), (31, b"", 1)):
            clock = FixedClock(START + timedelta(days=days))
            with_known = KnownPolicies(harvest.store.policies)
            with Retriever(crawler="searchbot", cache=with_known, clock=clock, allow_private=True) as retriever:
                retriever.robots(home)
                before = len(loopback.targets)
                assert retriever.fetch(at).octets == found
                assert len(loopback.targets) - before == asked
    assert SITE not in harvest.documents
