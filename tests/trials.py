"""A crawler's store from its first crawl to its end, looked at stage after stage with everything that may be wrong.

Each trial crawls the bundled publisher, is shown, swept when dates pass, and crawls again after the site has changed.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import httpx2
from examples.publisher.serve import HERE, Publisher

from acap.clock import FixedClock
from acap.harvest.store import Store, open_store
from acap.harvest.sweep import sweep
from acap.web.app import search_app
from tests.courier import MINEBOT, PURPOSES, TODAY, Courier, canaries
from tests.crawl_process import Crawl, crawl_all
from tests.detector import Detector, Get
from tests.portions import at_length
from tests.proofs import Proof
from tests.served_pages import Chronicle, path_of

LATER = timedelta(seconds=2)  # the site asks to repeat one request after a second
HOUR = timedelta(hours=1)
NEWS_IS_OVER = TODAY + timedelta(days=15)  # 16 November
A_MONTH_LATER = TODAY + timedelta(days=31)
AGAIN = TODAY + timedelta(days=32)
MUCH_LATER = TODAY + timedelta(days=300)
STAGES = ("crawled", "news is over", "a month later", "crawled again", "much later")
CHECKS = ("ledger", "holdings", "index", "database", "copies", "pages", "requests", "reach")
WITH_REASONS = "searchbot for search"
"""The trial of which all pages with reasons are looked at, if not those of all are."""
NEW_WORDS = {"Ostervyne": "Zephyrmont", "Ravensholt": "Larkspurling", "Wharfinch": "Oakenfrith"}
"""Words of pages that change, and those that stand in their places then."""


@dataclass
class Trial:
    """A crawler with its purpose and its store, the publisher it visits, and what was found at each stage."""

    name: str
    crawler: str
    purpose: str | None
    where: str
    copies: Path
    publisher: Publisher
    chronicle: Chronicle = field(default_factory=Chronicle)
    clock: FixedClock = field(default_factory=lambda: FixedClock(TODAY))
    faults: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    words: dict[tuple[str, str], int] = field(default_factory=dict)
    acts: dict[str, dict[tuple[str, str], int]] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    asked: int = 0

    @property
    def seeds(self) -> tuple[str, ...]:
        """Where its crawls begin."""
        return (f"{self.publisher.url}/",)

    def crawl(self, at: datetime) -> Crawl:
        """Its crawl at an instant."""
        purposes = () if self.purpose is None else (PURPOSES[self.purpose],)
        return Crawl(self.where, self.seeds, at, (self.crawler,), purposes, str(self.copies))

    @property
    def untouched(self) -> Path:
        """Its files as the first crawl left them."""
        return self.copies.parent.with_name(f"{self.copies.parent.name} untouched")

    @contextmanager
    def opened(self) -> Iterator[Store]:
        """Its store, at the time of its clock."""
        with open_store(self.where, clock=self.clock) as store:
            yield store

    def note(self, stage: str, check: str, faults: list[str]) -> None:
        """Keeps what a check found."""
        self.faults.setdefault((stage, check), []).extend(faults)

    def new_requests(self) -> list[str]:
        """The paths that its crawler asked for since the last call."""
        asked = [one.target for one in self.publisher.requests[self.asked :] if self.crawler in one.crawler]
        self.asked = len(self.publisher.requests)
        return asked


def carry_out(trials: list[Trial]) -> None:
    """Carries trials out side by side."""
    _crawl(trials, TODAY)
    looks = {}
    for trial in trials:
        shutil.copytree(trial.copies.parent, trial.untouched)
    with ExitStack() as stack:
        for trial in trials:
            looks[trial.name] = look = Look(trial, stack.enter_context(trial.opened()))
            look.after_crawl("crawled", TODAY)
            look.at("crawled", TODAY + HOUR, with_pages=True)
            for stage, at in (("news is over", NEWS_IS_OVER), ("a month later", A_MONTH_LATER)):
                look.swept(stage, at, shown_before=stage == "news is over")
            _change(trial.publisher)
        _crawl(trials, AGAIN)
        for trial in trials:
            look = looks[trial.name]
            look.after_crawl("crawled again", AGAIN)
            look.at("crawled again", AGAIN + HOUR, with_pages=True)
            look.swept("much later", MUCH_LATER, shown_before=False)


def _crawl(trials: list[Trial], at: datetime) -> None:
    """Crawls all, and once more for what has to be repeated; then notes what the sites serve."""
    for trial in trials:
        trial.new_requests()
    first = crawl_all(*(trial.crawl(at) for trial in trials))
    second = crawl_all(*(trial.crawl(at + LATER) for trial, one in zip(trials, first, strict=True) if not one["ended"]))
    assert [one["faults"] for one in (*first, *second) if one["faults"]] == []
    assert [(one["ended"], one["resumed"], one["reason"]) for one in second] == [(True, True, "done")] * len(second)
    for trial in trials:
        requests = trial.new_requests()
        trial.chronicle.add(at, Courier(trial.publisher))
        trial.requests = requests


def _change(publisher: Publisher) -> None:
    """The site of the second crawl: another policy, other texts, a page less."""
    robots = (HERE / "robots.txt").read_bytes()
    for old, new in (
        (
            b"ACAP-request-take-down: /archive/",
            b"ACAP-request-take-down: /news/harbour-wall.html\nACAP-request-take-down: /archive/",
        ),
        (b"ACAP-allow-index: /sport/ time-limit=90-days", b"ACAP-disallow-index: /sport/"),
        (b"ACAP-disallow-preserve: /photos/", b"ACAP-disallow-crawl: /archive/2019/"),
        (
            b"ACAP-allow-index: /archive/\n",
            b"ACAP-allow-index: /archive/ must-use-resource=the-acap:extract:id:rights\n",
        ),
        (b"ACAP-allow-preserve: /letters/ time-limit=30-days", b"ACAP-disallow-preserve: /letters/"),
    ):  # fmt: skip
        assert robots.count(old) == 1
        robots = robots.replace(old, new)
    publisher.replace("/robots.txt", robots)
    minebot = (HERE / "site" / MINEBOT[1:]).read_bytes()
    publisher.replace(
        MINEBOT,
        minebot.replace(b"ACAP-allow-preserve: /archive/1987/", b"ACAP-disallow-preserve: /archive/1987/keepers"),
    )
    texts = ("about.html", "archive/1987/keepers.html", "letters/gulls.html")
    for path, (old_word, new_word) in zip(texts, NEW_WORDS.items(), strict=True):
        text = (HERE / "site" / path).read_bytes()
        assert old_word.encode() in text
        publisher.replace(f"/{path}", text.replace(old_word.encode(), new_word.encode()))
    publisher.remove("/policy.html")


class Look:
    """Looks at a trial's store, stage after stage, and keeps in it what is found."""

    def __init__(self, trial: Trial, store: Store) -> None:
        self.trial, self.store = trial, store
        self.proof = Proof(store, trial.chronicle)
        words = [canary.word for canary in canaries()] + [word.lower() for word in NEW_WORDS.values()]
        self.detector = Detector(self.proof, words, trial.copies)

    def after_crawl(self, stage: str, at: datetime) -> None:
        """Whether all was fetched that may be, and nothing else, and each request stands in the ledger."""
        trial, proof = self.trial, self.proof
        trial.note(stage, "ledger", proof.faults())
        fetched, refused = proof.reach(trial.seeds, at)
        done = {url for url, times in proof.crawled.items() if times[-1] >= at}
        kept_out = {url for url, times in proof.refused.items() if times[-1] >= at}
        known = {url for url, times in (*proof.crawled.items(), *proof.refused.items()) if times[0] < at}
        trial.note(stage, "reach", [f"not fetched: {url}" for url in sorted(fetched - done)])
        trial.note(stage, "reach", [f"not refused: {url}" for url in sorted(refused - kept_out)])
        trial.note(
            stage, "reach", [f"not led to: {url}" for url in sorted((done | kept_out) - fetched - refused - known)]
        )
        paths = {path_of(url) for url in done}
        policies = {"/robots.txt", MINEBOT}
        trial.note(
            stage, "requests", [f"not in the ledger: {path}" for path in trial.requests if path not in paths | policies]
        )
        trial.note(stage, "requests", [f"never asked for: {path}" for path in sorted(paths - set(trial.requests))])
        for path in dict.fromkeys(trial.requests):
            if not proof.may_crawl(trial.publisher.url + path, at).permitted:
                trial.note(stage, "requests", [f"asked for what may not be crawled: {path}"])
        for when in (at, at + LATER):
            trial.note(stage, "holdings", proof.undone(when))

    def swept(self, stage: str, at: datetime, *, shown_before: bool) -> None:
        """Shows what is held and over, which must not be seen; then sweeps, and looks for it everywhere."""
        self.trial.clock.set(at)
        if shown_before:
            self.trial.note(stage, "pages", self.shown(at, reasons=False))
        with self.store.writing():
            sweep(self.store)
            assert sweep(self.store).acts == []
        self.trial.note(stage, "ledger", self.proof.faults())
        self.trial.note(stage, "holdings", self.proof.undone(at))
        self.at(stage, at)

    def at(self, stage: str, at: datetime, *, with_pages: bool = False) -> None:
        """Looks for every word in index, files and copies, and on pages."""
        trial, detector = self.trial, self.detector
        trial.clock.set(at)
        trial.note(stage, "index", detector.in_index(at))
        trial.note(stage, "database", detector.in_database(at))
        trial.note(stage, "copies", detector.in_copies(at))
        if with_pages:
            # Pages with reasons are most of all, and are made alike for every crawler.
            has_reasons = stage == STAGES[0] and (at_length() or trial.name == WITH_REASONS)
            trial.note(stage, "pages", self.shown(at, reasons=has_reasons))
        for usage in ("index", "preserve"):
            words = [word for word in detector.words if detector.usable(word, usage, at, held=usage)]
            trial.words[stage, usage] = len(words)
        trial.acts[stage] = dict(self.proof.counts)

    def shown(self, at: datetime, *, reasons: bool = True) -> list[str]:
        """What is wrong on the pages of the search service."""
        with browsing(self.store) as get:
            return self.detector.in_pages(get, at, reasons=reasons)


@contextmanager
def browsing(store: Store) -> Iterator[Get]:
    """A browser's requests to the search service over a store."""
    with asyncio.Runner() as runner:
        client = httpx2.AsyncClient(transport=httpx2.ASGITransport(search_app(store)), base_url="http://127.0.0.1")

        def get(path: str) -> tuple[int, str, bytes]:
            answer = runner.run(client.get(path, headers={"sec-fetch-dest": "iframe"}))
            return answer.status_code, answer.headers.get("content-type", "").partition(";")[0], answer.content

        yield get
        runner.run(client.aclose())
