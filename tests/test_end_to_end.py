"""From a publisher's site to the search page and back to nothing: what crawlers did stands up to the interpreter.

At each stage of each trial every act of the ledger is proved, and every canary word is looked for wherever it could be.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from examples.publisher.serve import HERE, Publisher

from acap.archives import Capture
from acap.clock import FixedClock
from acap.harvest.presentation import Presentation
from acap.harvest.removal import remove
from acap.harvest.store import Act, Store, open_store
from tests.courier import TODAY, Courier, canaries
from tests.crawl_process import Crawl, crawl_all
from tests.detector import Detector, copies_octets, database_octets
from tests.proofs import Proof
from tests.served_pages import Chronicle, path_of
from tests.trials import AGAIN, CHECKS, HOUR, STAGES, WITH_REASONS, Trial, browsing, carry_out

if TYPE_CHECKING:
    from tests.postgres import PostgresServer

TRIALS: tuple[tuple[str, str, str | None], ...] = (
    (WITH_REASONS, "searchbot", "search"),
    ("archivebot for research", "archivebot", "research"),
    ("minebot for research", "minebot", "research"),
    ("archivebot in PostgreSQL", "archivebot", None),
)
NAMES = [name for name, *_ in TRIALS]


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory, postgres_server: PostgresServer) -> Iterator[dict[str, Trial]]:
    """Every trial, carried out."""
    with ExitStack() as stack:
        made = []
        for name, crawler, purpose in TRIALS:
            directory = tmp_path_factory.mktemp(crawler)
            where = postgres_server.create_database() if "PostgreSQL" in name else str(directory / "store.db")
            publisher = stack.enter_context(Publisher())
            made.append(Trial(name, crawler, purpose, where, directory / "copies", publisher))
        carry_out(made)
        yield {trial.name: trial for trial in made}


@pytest.mark.portion
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_held_shown_or_told_that_does_not_stand_up(
    trials: dict[str, Trial], name: str, check: str, stage: str
) -> None:
    """At each stage every act is what the interpreter says, and every word is where it may be and nowhere else."""
    assert trials[name].faults.get((stage, check), []) == []


def test_every_check_was_made(trials: dict[str, Trial]) -> None:
    """No stage was skipped: what is shown and what is fetched was looked at where it changes, the rest always."""
    always = {(stage, check) for stage in STAGES for check in ("ledger", "holdings", "index", "database", "copies")}
    crawls = {(stage, check) for stage in ("crawled", "crawled again") for check in ("requests", "reach", "pages")}
    for trial in trials.values():
        assert set(trial.faults) == always | crawls | {("news is over", "pages")}


@pytest.mark.parametrize("name", NAMES)
def test_something_is_held_and_goes(trials: dict[str, Trial], name: str) -> None:
    """Words can be found and are kept after the first crawl, as many as are counted here, and fewer and fewer later."""
    trial = trials[name]
    assert {usage: trial.words["crawled", usage] for usage in ("index", "preserve")} == HELD[name]
    for usage in ("index", "preserve"):
        counts = [trial.words[stage, usage] for stage in ("crawled", "news is over", "a month later")]
        assert counts == sorted(counts, reverse=True)
    assert trial.words["much later", "index"] < HELD[name]["index"]
    told = trial.acts["much later"]
    assert {act for act, _ in told} == {"crawled", "refused", "indexed", "preserved", "presented", "removed"}


HELD = {
    "searchbot for search": {"index": 39, "preserve": 40},
    "archivebot for research": {"index": 7, "preserve": 50},
    "minebot for research": {"index": 18, "preserve": 3},
    "archivebot in PostgreSQL": {"index": 7, "preserve": 50},
}
"""How many words may be found, and kept, on 1 November.

Three pages have words that their robots.txt, which names the crawler, would let it index, and that the page does not:
no permission of an outer part lifts an inner part's prohibition (P2 2.2.8), and the restrictions of all parts hold.
Of searchbot's: `hesperlock` in /sport/chess.html, where the permission of the page was over on 15 October, and
`corbitane` in /sport/rowing.html, outside of what its page says must be used. Of minebot's: `kindlethorpe` in
/news/school-merger.html, of which the page says `ACAP disallow-index`.
"""


@dataclass
class Planted:
    """A store as the first crawl left it, to do forbidden things to."""

    store: Store
    proof: Proof
    detector: Detector
    copies: Path
    url: str

    def version(self, path: str) -> int:
        """The version of a path."""
        return next(number for number, one in self.proof.versions.items() if path_of(one.url) == path)

    def act(self, path: str, usage: str) -> Act:
        """An honest entry: the presentation of a path."""
        judged = Presentation(self.store).judged(self.version(path))
        assert judged is not None
        decision = judged.judgement.recorded(usage)
        return Act("presented", TODAY + HOUR, self.url + path, usage, judged.version.id, judged.policy, decision)


@pytest.fixture(scope="module")
def proved(trials: dict[str, Trial]) -> Iterator[Proof]:
    """The account of the store of searchbot, after its first crawl, without a fault."""
    trial = trials[NAMES[0]]
    with open_store(trial.untouched / "store.db", clock=FixedClock(TODAY + HOUR)) as store:
        proof = Proof(store, Chronicle(trial.chronicle.epochs[:1]))
        assert proof.faults() == []
        yield proof


@pytest.fixture
def planted(trials: dict[str, Trial], proved: Proof, tmp_path: Path) -> Iterator[Planted]:
    """A copy of that store."""
    trial = trials[NAMES[0]]
    directory = shutil.copytree(trial.untouched, tmp_path / "planted")
    with open_store(directory / "store.db", copies=directory / "copies", clock=FixedClock(TODAY + HOUR)) as store:
        proof = proved.beside(store)
        detector = Detector(proof, [canary.word for canary in canaries()], directory / "copies")
        yield Planted(store, proof, detector, directory / "copies", trial.publisher.url)


def _found(planted: Planted) -> dict[str, list[str]]:
    at = TODAY + HOUR
    detector = planted.detector
    return {
        "ledger": planted.proof.faults(),
        "index": detector.in_index(at),
        "database": detector.in_database(at),
        "copies": detector.in_copies(at),
    }


def test_a_forbidden_word_in_the_index_is_found(planted: Planted) -> None:
    """A word that may not be indexed is found by its search, in the file of the database, and beside the ledger."""
    planted.store.database.put_terms(planted.version("/letters/gulls.html"), "", "said captain wharfinch")
    found = _found(planted)
    assert found["index"] == [f"wharfinch is found in {planted.version('/letters/gulls.html')}"]
    # SQLite merges the index with its sixteenth segment, and then leaves out what a term shares with the one before.
    assert found["database"] == ["harfinch of wharfinch is in the database"]
    assert len(found["ledger"]) == 1
    assert found["copies"] == []


def test_a_forbidden_word_in_a_table_is_found(planted: Planted) -> None:
    """Octets in any table are looked at, and the rest of a word that an index has cut."""
    sql = "INSERT INTO about (name, value) VALUES (?, ?)"
    planted.store.database.run(sql, ("note", "by Captain WHARFINCH, not uppermole"))
    expected = ["uppermole of tuppermole is in the database", "wharfinch of wharfinch is in the database"]
    assert _found(planted) == {"ledger": [], "index": [], "database": expected, "copies": []}


def test_a_forbidden_word_in_a_copy_is_found(planted: Planted) -> None:
    """A copy of what may not be crawled, and of a part that may not be kept, is seen within the packed files."""
    at = TODAY + HOUR
    body = b"<p>The painter Xanthorpe, and the youngest: Fennamire."
    planted.store.append([Capture(url=planted.url + "/x", at=at, status=200, headers=(), body=body)])
    assert _found(planted)["copies"] == ["fennamire is in a copy", "xanthorpe is in a copy"]


def test_a_word_that_is_missing_is_found(planted: Planted) -> None:
    """A store that lost what it may hold does not pass."""
    number = planted.version("/news/harbour-wall.html")
    planted.store.database.drop_terms([number])
    for file in planted.copies.iterdir():
        file.write_bytes(b"")
    found = _found(planted)
    assert found["index"] == [f"quorvanel is not found in {number}"]
    assert len(found["ledger"]) == 1
    assert len(found["copies"]) >= 30


def test_a_forbidden_word_on_a_page_is_found(planted: Planted) -> None:
    """Whatever page shows a word that its usages do not permit, or the ledger does not tell of, is named."""
    number = planted.version("/sport/rowing.html")
    places = [f"/copies/{number}/content", f"/items/{number}", "/operator", f"/why/{number}/present-snippet"]

    def get(path: str) -> tuple[int, str, bytes]:
        status, media, body = browse(path)
        return status, media, body + (b"<p>Fennamire</p>" if path in places else b"")

    detector = Detector(planted.proof, ["fennamire", "quorvanel"], planted.copies)
    with browsing(planted.store) as browse:
        faults = detector.in_pages(get, TODAY + HOUR)
    assert sorted(faults) == [f"fennamire is shown at {where}" for where in places]


def test_a_page_that_hides_what_it_may_show_is_found(planted: Planted) -> None:
    """Pages that show nothing do not pass."""
    with browsing(planted.store) as browse:

        def get(path: str) -> tuple[int, str, bytes]:
            status, media, body = browse(path)
            return status, media, body.replace(b"Quorvanel", b"...")

        detector = Detector(planted.proof, ["fennamire", "quorvanel"], planted.copies)
        faults = detector.in_pages(get, TODAY + HOUR, reasons=False)
    number = planted.version("/news/harbour-wall.html")
    usages = ("present-snippet", "present-currentcopy")
    assert faults == [f"quorvanel of {number} is not shown ({usage})" for usage in usages]


def test_an_honest_entry_has_no_fault(planted: Planted) -> None:
    """What the next test alters is right before."""
    planted.store.ledger.append([planted.act("/sport/rowing.html", "present-extract")])
    assert planted.proof.faults() == []


FORGED: dict[str, tuple[str, Callable[[Act, Planted], Act]]] = {
    "crawled": (
        "the interpreter says prohibited",
        lambda act, of: replace(
            act, act="crawled", usage="crawl", url=of.url + "/press/embargo/lighthouse-sale.html", version=9999,
            detail={"status": 200},
        ),
    ),
    "refused": ("the interpreter permits it", lambda act, _: replace(act, act="refused", usage="index")),
    "removed": ("the interpreter still permits it", lambda act, _: replace(act, act="removed", usage="index")),
    "succeeded": (
        "no version came after it",
        lambda act, _: replace(act, act="removed", usage="index", detail={"succeeded": True}),
    ),
    "by the operator": (
        "the operator did not remove it",
        lambda act, _: replace(act, act="removed", usage="index", detail={"by": "operator"}),
    ),
    "another part": (
        "the same parts may be used as before",
        lambda act, _: replace(act, act="removed", usage="index", detail={"reason": "another part may be indexed"}),
    ),
    "twice": ("it was indexed already", lambda act, _: replace(act, act="indexed", usage="index")),
    "snippet": (
        "the interpreter says prohibited",
        lambda _, of: _permitted(of.act("/letters/gulls.html", "present-snippet")),
    ),
    "preserved": (
        "the interpreter says prohibited",
        lambda _, of: replace(_permitted(of.act("/photos/", "present-link")), act="preserved", usage="preserve"),
    ),
    "old": ("the interpreter says prohibited", lambda act, _: replace(act, usage="present-oldsnippet")),
    "restrictions": ("it tells ['max-length=9-words']", lambda act, _: _told(act, restrictions=["max-length=9-words"])),
    "kind": ("it tells the kind silence", lambda act, _: _told(act, kind="silence")),
    "facts": ("it tells other facts", lambda act, _: _told(act, facts={"first_indexed": TODAY.isoformat()})),
    "statement": (
        "it cites what does not stand there",
        lambda act, _: _told(act, statements=[_cited(act) | {"line": 3}]),
    ),
    "contrary": (
        "it cites a statement to the contrary",
        lambda act, _: _told(act, statements=[_cited(act) | {"effect": "prohibits"}]),
    ),
    "nothing told": ("it tells no decision", lambda act, _: replace(act, decision=None)),
    "another URL": ("is none of this URL", lambda act, of: replace(act, url=of.url + "/about.html")),
}  # fmt: skip


def _told(act: Act, **said: object) -> Act:
    assert act.decision is not None
    return replace(act, decision=act.decision | said)


def _cited(act: Act) -> dict[str, object]:
    assert act.decision is not None
    cited: dict[str, object] = act.decision["statements"][0]
    return cited


def _permitted(act: Act) -> Act:
    return _told(act, outcome="permitted")


@pytest.mark.parametrize("what", FORGED)
def test_a_forged_entry_is_found(planted: Planted, what: str) -> None:
    """An entry that tells of an act that the interpreter does not permit, or tells it otherwise, does not stand up."""
    fault, forge = FORGED[what]
    planted.store.ledger.append([forge(planted.act("/sport/rowing.html", "present-extract"), planted)])
    assert [one for one in planted.proof.faults() if fault in one] != []


def test_requests_of_publisher_and_operator(tmp_path: Path) -> None:
    """What a site asks to crawl again the next crawl fetches; what the operator took out is not asked for any more."""
    with Publisher() as publisher:
        robots = (HERE / "robots.txt").read_bytes()
        publisher.replace(
            "/robots.txt", robots + b"ACAP-crawler: searchbot\nACAP-request-re-crawl: /press/unlinked.html\n"
        )
        publisher.replace("/press/unlinked.html", b"<!DOCTYPE html><title>Unlinked</title><p>Galvestrin.")
        copies = tmp_path / "copies"
        options = {"depth": 0, "sitemaps": False}
        seeds = (publisher.url + "/", publisher.url + "/about.html")
        crawl = Crawl(str(tmp_path / "store.db"), seeds, TODAY, ("searchbot",), (), str(copies), options)
        crawl_all(crawl)
        assert "/press/unlinked.html" not in [one.target for one in publisher.requests]
        clock = FixedClock(TODAY + HOUR)
        chronicle = Chronicle([(TODAY, Courier(publisher))])
        with open_store(tmp_path / "store.db", clock=clock) as store:
            proof = Proof(store, chronicle, removed=[seeds[1]])
            assert proof.faults() == []
            with store.writing():
                acts = remove(store, seeds[1], why="a letter")
            assert [(act.act, act.usage) for act in acts] == [("removed", "index"), ("removed", "preserve")]
            asked = len(publisher.requests)
            (report,) = crawl_all(replace(crawl, at=AGAIN))
            chronicle.add(AGAIN, chronicle.at(TODAY))
            later = [one.target for one in publisher.requests[asked:]]
            assert "/press/unlinked.html" in later
            assert "/about.html" not in later
            assert proof.faults() == []
            clock.set(AGAIN + HOUR)
            detector = Detector(proof, ["galvestrin", "ostervyne", "brandelow"], copies)
            for found in (
                detector.in_index(clock.now()),
                detector.in_database(clock.now()),
                detector.in_copies(clock.now()),
            ):
                assert [fault for fault in found if "ostervyne" not in fault] == []
            octets = database_octets(store) + copies_octets(copies)
            assert b"galvestrin" in octets
            assert b"ostervyne" not in octets
            assert store.requests.open("re-crawl") == []
            assert report["ended"]
