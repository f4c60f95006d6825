"""Histories of a harvest: sites that change their pages and minds, crawls, imports, sweeps, removals and time.

What is held after each step is compared with what the reference interpreter permits. Every part of every page has a
word that stands nowhere else, so that it can be seen what is held of it, and where.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Self
from unittest.mock import patch
from urllib.parse import urljoin

from acap.clock import FixedClock
from acap.harvest.act import REMOVAL
from acap.harvest.keeper import Fetched
from acap.harvest.presentation import Presentation, copy, extract, link, snippet
from acap.harvest.proof import differences, verify
from acap.harvest.removal import remove
from acap.harvest.store import Act, Version
from acap.restrictions import TABLE
from acap.robots import RobotsPolicy, parse_robots
from tests import reference
from tests.harvest import Harvest
from tests.property import vocabulary as words
from tests.property.site_strategies import REQUIRED, SITE, Crawl, DrawnSite, Response, bodyless, edited, page_of
from tests.property.strategies import NOON
from tests.reference.decision import Decision
from tests.reference.page import Page
from tests.reference.page_hearing import Site
from tests.reference.page_html import Element
from tests.reference.page_resolution import PageCrawler, decide_page, ruling_on, setting_of
from tests.reference.restrictions import Facts, Restriction
from tests.test_keeper import everywhere

BEGIN = NOON - timedelta(days=4)
LONG = timedelta(days=200)
STALE = timedelta(days=30)
Headers = tuple[tuple[str, str], ...]


class Killed(BaseException):
    """The process is gone."""


@dataclass
class Supplied(Harvest):
    """A harvest whose policies are retrieved anew for each crawl, with what they refer to."""

    references: dict[str, bytes | None] = field(default_factory=dict)

    def policy(self, site: str = SITE) -> RobotsPolicy:
        self._policies.clear()
        policy = super().policy(site)
        for uri, octets in self.references.items():
            policy = policy.with_reference(uri, octets)
        return policy


@dataclass
class History(DrawnSite):
    """One history, drawn step by step; use it as a context manager. `told` are its steps."""

    random: Random
    directory: Path
    told: list[str] = field(default_factory=list)
    policies: list[tuple[datetime, bytes | None]] = field(default_factory=list)
    responses: dict[int, Response] = field(default_factory=dict)
    firsts: dict[str, dict[str, datetime]] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    voices: dict[str, tuple[Response | None, Headers]] = field(default_factory=dict)
    bodyless_at: dict[str, datetime] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)
    copied: set[int] = field(default_factory=set)
    kill_after: int | None = None

    def __post_init__(self) -> None:
        super().__init__(self.random)
        self.crawler = PageCrawler((self.palette.names[0],), frozenset(TABLE))
        self.octets: bytes | None = self.texts[0]
        self.told.append(f"{self.crawler.names} at first: {self.octets!r}, references {self.references}")
        self.clock = FixedClock(BEGIN)
        self.seen = 0
        self.sites: dict[bytes, Site] = {}

    def __enter__(self) -> Self:
        self.harvest = Supplied(
            self.directory / "store",
            self.directory,
            names=tuple(self.crawler.names),
            clock=self.clock,
            references=self.references,
        )
        self.harvest.robots[SITE] = self.octets
        self.harvest.__enter__()
        if self.seen == 0:
            self.harvest.store.database.run("PRAGMA synchronous = OFF")
        return self

    def __exit__(self, *error: object) -> None:
        self.harvest.__exit__(*error)

    # What is drawn

    def step(self) -> None:
        """Draws a step and takes it."""
        self.drawn()()

    def drawn(self, kinds: str = "") -> Callable[[], None]:
        """A step, to be taken when it is called."""
        random = self.random
        kind = random.choice(words.words(kinds or f"{'crawl ' * 8} say say wait wait sweep sweep import reopen remove"))
        if kind == "crawl":
            crawls = [self.drawn_crawl() for _ in range(random.choice((1, 1, 1, 2, 3)))]
            alone = {crawl.path: crawl for crawl in crawls}  # each path once
            return lambda: self.crawl(*alone.values())
        if kind == "say":
            octets = None if random.random() < 0.12 else random.choice([self.drawn_policy(), *self.texts, b""])
            return lambda: self.say(octets)
        if kind == "wait":
            days = random.choice((0.05, 0.5, 1, 1, 3, 5, 10, 31, 100))
            return lambda: self.wait(days)
        if kind == "import":
            return self._drawn_import()
        if kind == "remove" and random.random() < 0.5:
            path = random.choice(self.paths)
            return lambda: self.remove(path)
        return self.reopen if kind == "reopen" else self.sweep

    def _drawn_import(self) -> Callable[[], None]:
        path = self.random.choice(self.paths)
        response, part = self.drawn_response(path), self.random.random()
        return lambda: self.take_in(path, response, part)

    # Steps

    def say(self, octets: bytes | None) -> None:
        """The site says something else, a moment later."""
        self.clock.advance(timedelta(seconds=1))
        self.told.append(f"say {None if octets is None else octets.decode()!r}")
        self.octets = self.harvest.robots[SITE] = octets
        if octets is not None:
            self.texts.append(octets)

    def wait(self, days: float) -> None:
        """Time passes."""
        self.told.append(f"wait {days}")
        self.harvest.pass_days(days)

    def reopen(self) -> None:
        """The process ends, and another one goes on."""
        self.told.append("reopen")
        self.__exit__(None, None, None)
        self.__enter__()

    def sweep(self) -> None:
        """Sweeps, and looks at all that is held."""
        self.told.append(f"sweep at {self.now}")
        self.done(self.harvest_sweep)
        self.read_ledger()
        self.check_held()
        self.check_shown()
        self.check_reviews()
        self.check_octets()
        assert self.harvest.sweep().acts == [], "a second sweep does something"

    def harvest_sweep(self) -> object:
        return self.harvest.sweep()

    def done(self, call: Callable[[], Any]) -> Any:
        """What a call gives; if it is to be killed, that of another process which does it again."""
        after, self.kill_after = self.kill_after, None
        if after is None:
            return call()
        try:
            with self.failing(after):
                return call()
        except Killed:
            self.told.append(f"killed at call {after}")
            self.reopen()
            return call()

    def remove(self, path: str) -> None:
        """The operator removes a URL for good."""
        self.told.append(f"remove {path}")
        remove(self.harvest.store, SITE + path)
        self.removed.add(SITE + path)
        held = (self.held_words("index") | self.held_words("preserve")) & self.removed_words()
        assert held == set(), "what was removed is held"
        self.check_octets()

    def crawl(self, *crawls: Crawl) -> None:
        """Crawls some paths, unless they were removed, and writes what came of all at once."""
        responses: list[tuple[int | None, Response]] = []

        def call() -> None:
            responses.clear()
            keeper = self.harvest.keeper
            with patch.object(keeper, "flush") if len(crawls) > 1 else nullcontext():
                for crawl in crawls:
                    if SITE + crawl.path not in self.removed:
                        self.crawl_one(crawl, responses)
            if len(crawls) > 1:
                keeper.flush()

        self.done(call)
        self.read_ledger({response.url: (before, response) for before, response in responses})
        for _, response in responses:
            if response.speaks:
                self.check_kept(response.url, among={one.url for _, one in responses})

    def crawl_one(self, crawl: Crawl, responses: list[tuple[int | None, Response]]) -> None:
        """Crawls a path, and adds what it brought and the version that was the current one."""
        url, status, response = SITE + crawl.path, crawl.status, crawl.response
        before = self.current(url)
        known = None if before is None else self.responses[before]
        if status == 304 and (known is None or known.status != 200):
            status = 200
        if status == 200 and crawl.is_same and not crawl.unread and known is not None and known.status == 200:
            response = replace(known, succeeded=False)
        elif status == 200 and crawl.edit is not None and known is not None and known.words[1:]:
            response = edited(known, crawl.edit)
        unread = crawl.unread if status != 304 else ""
        if status == 304:
            response = replace(response, headers=tuple(one for one in response.headers if one[0] != "Content-Type"))
        elif status != 200 or unread:
            response = bodyless(response, status, crawl.edit or 0, unread)
        response = replace(response, status=status)
        told = f"{status} {unread} {response.headers} {response.body!r}"
        self.told.append(f"crawl {crawl.path} at {self.now}: {told}")
        self.note(self.octets)
        body = b"" if unread else response.body
        permitted = self.harvest.crawl(
            crawl.path, body, status=status, headers=response.headers, site=SITE, unread=unread
        )
        assert permitted == self.ask_site(url).permitted
        if permitted:
            responses.append((before, response))

    def take_in(self, path: str, response: Response, part: float) -> None:
        """Takes in a capture that an archive has, as far as that is newer than what is known."""
        url = SITE + path
        store = self.harvest.store
        number = self.current(url)
        version = None if number is None else store.resources.version(number)
        since = BEGIN - timedelta(days=9) if version is None else version.confirmed_at
        captured_at = since + (self.now - since) * part
        if url in self.removed or captured_at <= since:
            return
        self.told.append(f"import {path} of {captured_at} at {self.now}: {response.headers} {response.body!r}")
        then = parse_robots(b"", url=f"{SITE}/robots.txt")
        speaking = store.policies.speaking(url, self.now)
        if speaking is None:
            self.note(None)
        robots = RobotsPolicy.unreachable(f"{SITE}/robots.txt") if speaking is None else speaking[1]
        decision = then.decide(url, crawler=store.operator.crawler, at=captured_at)
        self.harvest.keeper.keep(
            Fetched(
                url, self.now, 200, response.headers, response.body, robots, decision, origin="x.warc.gz",
                captured_at=captured_at,
            )
        )  # fmt: skip
        self.harvest.keeper.flush()
        self.learn(number, response, captured_at)
        self.read_ledger()
        self.check_kept(url)

    # What is known

    @property
    def now(self) -> datetime:
        """The time."""
        return self.clock.now()

    def current(self, url: str) -> int | None:
        """The number of the version last crawled."""
        resource = self.harvest.store.resources.find(url)
        return None if resource is None else resource.current

    def learn(self, before: int | None, response: Response, captured_at: datetime | None = None) -> None:
        """Notes what a crawl brought, or an archive that has it of an instant."""
        url = response.url
        current = self.current(url)
        if response.status == 304:
            assert before is not None
            assert current == before
        elif response.unread or response.status in (402, 503, 429):
            assert current == before
        else:
            assert current is not None
            if current != before and before is not None:
                self.responses[before].succeeded = True
            self.responses[current] = response
        said = tuple(one for one in response.headers if one[0] == "X-Robots-Tag")
        latest, heard = self.voices.get(url, (None, ()))
        if response.speaks and captured_at is not None and self.bodyless_at.get(url, captured_at) > captured_at:
            self.voices[url] = response, heard  # what was heard since holds on
        elif response.speaks:
            self.voices[url] = response, ()
            self.hidden.discard(url)
        else:
            passes = response.unread or response.status in (304, 402, 429, 503)
            self.voices[url] = latest, (*heard, *said) if passes else said
        if not response.speaks and response.status != 304:
            self.bodyless_at[url] = self.now
        if response.unread or response.status in (402, 451):
            self.hidden.add(url)

    def note(self, octets: bytes | None) -> None:
        """A policy was retrieved."""
        self.policies.append((self.now, octets))

    def speaking(self) -> tuple[bytes | None, bool]:
        """The policy that speaks for what is held, and whether one does (choices 5 and 6)."""
        settled = [one for one in self.policies if one[1] is not None]
        if not settled or self.now > settled[-1][0] + STALE:
            return None, False
        return settled[-1][1], True

    def site(self, octets: bytes) -> Site:
        """A robots.txt as the reference reads it."""
        if octets not in self.sites:
            site = Site.read(octets, f"{SITE}/robots.txt")
            for uri, supplied in self.references.items():
                site = replace(site, policy=reference.with_reference(site.policy, uri, supplied))
            self.sites[octets] = site
        return self.sites[octets]

    def ask_site(self, url: str) -> Decision:
        """The reference's decision on crawling."""
        if self.octets is None:
            return Decision("prohibited", "unreachable", False)
        return reference.decide(self.site(self.octets).policy, url, crawler=self.crawler, at=self.now)

    def facts(self, url: str, at: datetime, *, succeeded: bool) -> Facts:
        """First times, `at` where there was none; a version that was succeeded was crawled again."""
        known = self.firsts.get(url, {})
        first = {name: known.get(name, at) for name in ("first_indexed", "first_preserved", "first_available")}
        return Facts(**first, last_crawled=at + LONG if succeeded else None)

    def permitted(self, response: Response, usage: str, at: datetime, octets: bytes) -> tuple[set[str], set[str]]:
        """The words of a response that may be used, by the reference, and the URLs whose words may be instead.

        Three voices are heard: its site, itself, and the latest response of its resource, which only takes away.
        """
        facts = self.facts(response.url, at, succeeded=response.succeeded)
        found, instead = self.permitted_by_itself(response, usage, at, octets)
        taken: set[str] = set()
        own = self.required_by(response, usage, at, octets, facts)
        for page, its_words in self.beside(response):
            setting = setting_of(page, response.url, self.crawler, at, facts, self.site(octets))
            whole = ruling_on(setting, usage, None, None)
            if not whole.permitted or set(required(whole.restrictions)) - own:
                return set(), set()
            for element in page.elements:
                number = element.attributes.get("data-n")
                if number is not None and not ruling_on(setting, usage, None, element).permitted:
                    taken.add(its_words[int(number)])
        return found - taken, instead

    def beside(self, response: Response) -> Iterator[tuple[Page, tuple[str, ...]]]:
        """What speaks for a response beside itself: pages, each with its words."""
        latest, heard = self.voices.get(response.url, (None, ()))
        if latest is not None and latest is not response:
            yield latest.page, latest.words
        if heard and latest is not None:
            yield page_of(None, response.url, (latest.headers[0], *heard)), ()

    def required_urls(self, response: Response, usage: str, octets: bytes) -> set[str]:
        """The URLs that a response and its site say must be used instead of it, its own included."""
        facts = self.facts(response.url, self.now, succeeded=response.succeeded)
        own = self.required_by(response, usage, self.now, octets, facts)
        return {urljoin(response.url, one) for one in own if not one.startswith("the-acap:")}

    def required_by(self, response: Response, usage: str, at: datetime, octets: bytes, facts: Facts) -> set[str]:
        """What a response itself says must be used."""
        setting = setting_of(response.page, response.url, self.crawler, at, facts, self.site(octets))
        return set(required(ruling_on(setting, usage, None, None).restrictions))

    def permitted_by_itself(
        self, response: Response, usage: str, at: datetime, octets: bytes
    ) -> tuple[set[str], set[str]]:
        """The words of a response that may be used as far as it and its site say."""
        url, page, site = response.url, response.page, self.site(octets)
        facts = self.facts(url, at, succeeded=response.succeeded)
        asked = {"crawler": self.crawler, "at": at, "facts": facts, "site": site}
        if response.status != 200 or not decide_page(page, url, usage=usage, **asked).permitted:  # type: ignore[arg-type]  # options of several types
            return set(), set()
        setting = setting_of(page, url, self.crawler, at, facts, site)
        whole = ruling_on(setting, usage, None, None).restrictions
        instead = {urljoin(url, one) for one in required(whole) if not one.startswith("the-acap:")} - {url}
        if response.media != "text/html":
            others = [one for one in required(whole) if urljoin(url, one) != url]  # what requires itself is there
            has_words = usage != "index" or response.media == "text/plain"
            return (set(response.words) if has_words and not others else set()), instead
        found = set()
        for element in page.elements:
            number = element.attributes.get("data-n")
            if number is not None:
                ruling = ruling_on(setting, usage, None, element)
                if ruling.permitted and all(lies_in(element, one, page) for one in required(ruling.restrictions)):
                    found.add(response.words[int(number)])
        return found, instead

    def versions(self, url: str | None = None) -> list[Version]:
        """The versions of which something is held."""
        resources = self.harvest.store.resources
        found = [resources.find(one) for one in ([url] if url else [SITE + path for path in self.paths])]
        return [version for one in found if one for version in resources.versions(one.id, held=True)]

    def words_of(self, version: Version, usage: str) -> set[str]:
        """The words of anything that are held of a version."""
        store = self.harvest.store
        if usage == "index":
            return {word for word in self.all_words if any(n == version.id for n, _ in self.search(word))}
        if version.place is None:
            return set()
        body = store.copies.read(version.place).body.decode("utf-8", "replace")
        return self.all_words.intersection(re.findall("[a-z]{11}", body))

    def search(self, word: str) -> list[tuple[int, float]]:
        """The versions that the index finds."""
        return self.harvest.store.database.search([word], 100, 0)

    def held_words(self, usage: str, url: str | None = None) -> set[str]:
        """All words that are held."""
        return {word for version in self.versions(url) for word in self.words_of(version, usage)}

    # Laws

    def read_ledger(self, brought: Mapping[str, tuple[int | None, Response]] | None = None) -> None:
        """L3: every decision that is entered is the reference's for its instant.

        `brought`: what crawls brought that were written at once. It is known from its entry on: what is entered before
        it, of what another of them supplies to an earlier version, was decided without it.
        """
        ledger = self.harvest.store.ledger
        unread = dict(brought or {})
        for entry in [one for one in ledger.entries() if one.seq > self.seen]:
            self.seen = entry.seq
            act = entry.act
            if act.act == "crawled" and act.url in unread:
                self.learn(*unread.pop(act.url))
            self.check_act(act)
            first = {"indexed": "first_indexed", "preserved": "first_preserved", "crawled": "first_available"}
            if act.version is not None and act.usage == "preserve" and act.act in ("preserved", "removed"):
                (self.copied.add if act.act == "preserved" else self.copied.discard)(act.version)
            if act.act in first:
                self.firsts.setdefault(act.url, {}).setdefault(first[act.act], act.at)
        assert not unread, f"what crawls brought is not in the ledger: {unread.keys()}"

    def check_act(self, act: Act) -> None:
        """One entry."""
        if act.decision is None or act.policy is None or (act.act == "crawled" and "origin" in act.detail):
            return
        robots = self.harvest.store.policies.get(act.policy)
        if robots.state == "unreachable":
            assert act.decision["outcome"] == "prohibited", act
            return
        asked: dict[str, Any] = {"crawler": self.crawler, "usage": act.usage, "at": act.at}
        site = self.site(robots.octets)
        if act.usage == "crawl":
            decision = reference.decide(site.policy, act.url, **asked)
        else:
            assert act.version is not None
            response = self.responses[act.version]
            facts = self.facts(act.url, act.at, succeeded=response.succeeded)
            decision = decide_page(response.page, act.url, site=site, facts=facts, **asked)
            for page, its_words in self.beside(response):
                decision = both(decision, decide_page(page, act.url, site=site, facts=facts, **asked))
                is_bare = act.version not in self.copied and act.act != "preserved"
                if is_bare and self.has_prohibiting_part(page, act, site, facts):
                    # Nobody can tell whether what is held without a copy has its text.
                    decision = replace(decision, outcome="prohibited", restrictions=())
                elif act.decision["outcome"] == "prohibited" and set(its_words) & set(response.words):
                    return  # an element of the latest response may have the text, which `check_held` looks for
        told = {one for one in act.decision["restrictions"] if not one.startswith("excluded-element")}
        meant = {f"{name}={value}" for name, value, *_ in decision.restrictions if name != "excluded-element"}
        assert (act.decision["outcome"], told) == (decision.outcome, meant), f"the reference decides otherwise: {act}"

    def has_prohibiting_part(self, page: Page, act: Act, site: Site, facts: Facts) -> bool:
        """Whether an element of a page prohibits the usage of an entry."""
        setting = setting_of(page, act.url, self.crawler, act.at, facts, site)
        return any(not ruling_on(setting, act.usage, None, element).permitted for element in page.elements)

    def check_kept(self, url: str, among: Collection[str] = ()) -> None:
        """L2: of what was just crawled, among others, all is held that may be, and nothing else."""
        number = self.current(url)
        assert number is not None
        octets, _ = self.speaking()
        response, version = self.responses[number], self.version(number)
        for usage in ("index", "preserve"):
            may, instead = self.permitted(response, usage, self.now, octets) if octets is not None else (set(), set())
            held = self.words_of(version, usage)
            if usage == "index" and instead and not may and octets is not None:
                may = held if (known := self.supplied_by(instead, octets)) is None else known
            assert held == may, f"{usage} of {url}: held {held}, permitted {may}"
        if octets is not None:
            self.check_supplied(url, response, octets, among)

    def supplied_by(self, urls: set[str], octets: bytes) -> set[str] | None:
        """The words of a resource that has to be used instead of another; None if they need not be at hand."""
        if len(urls) != 1 or (number := self.current(*urls)) is None or not self.is_judged(*urls):
            return None
        words = self.permitted(self.responses[number], "index", self.now, octets)[0]
        return words if words <= self.words_of(self.version(number), "preserve") - self.removed_words() else None

    def check_supplied(self, url: str, response: Response, octets: bytes, among: Collection[str]) -> None:
        """L2: pages for which a resource has to be used have its words, once it was crawled, and nobody else's."""
        for path in self.paths:
            number = self.current(SITE + path)
            if number is None or SITE + path in {url, *self.removed} or not self.is_judged(SITE + path):
                continue
            page = self.responses[number]
            held = self.words_of(self.version(number), "index")
            assert held <= self.may_be_indexed(page, octets), f"{path} has others' words"
            own, instead = self.permitted(page, "index", self.now, octets)
            if not own and instead == {url} and SITE + path not in among:
                may = self.permitted(response, "index", self.now, octets)[0]
                assert held == may, f"{path}: held {held} of {url}, permitted {may}"

    def version(self, number: int) -> Version:
        """A version by its number."""
        version = self.harvest.store.resources.version(number)
        assert version is not None
        return version

    def removed_words(self) -> set[str]:
        """The words of what the operator removed."""
        return {word for one in self.responses.values() if one.url in self.removed for word in one.words}

    def is_judged(self, url: str) -> bool:
        """Whether nothing new was said since what is held of a URL was judged."""
        resource = self.harvest.store.resources.find(url)
        return resource is not None and (resource.review_at is None or resource.review_at > self.now)

    def may_be_indexed(self, response: Response, octets: bytes, at: datetime | None = None) -> set[str]:
        """The words that the index may have for a response, those included of what must be used instead."""
        own, instead = self.permitted(response, "index", at or self.now, octets)
        for url in instead:
            number = self.current(url)
            if number is not None and url not in self.removed:
                own |= self.permitted(self.responses[number], "index", self.now, octets)[0]
        return own

    def check_held(self) -> None:
        """L1: nothing is held that is prohibited, and ledger, index and copies say the same."""
        store = self.harvest.store
        assert verify(store).wrong == ()
        octets, speaks = self.speaking()
        if speaks:
            assert octets is not None
            for version in self.versions():
                self.check_version(version, octets, self.now)

    def check_version(self, version: Version, octets: bytes, at: datetime) -> None:
        """What is held of a version may be."""
        response = self.responses[version.id]
        assert response.url not in self.removed, f"{response.url} was removed"
        if version.is_indexed:
            assert not response.succeeded, f"{response.url}: an old version is indexed"
            more = self.words_of(version, "index") - self.may_be_indexed(response, octets, at)
            assert not more, f"{response.url} at {at}: indexed and prohibited {more}"
        more = self.words_of(version, "preserve") - self.permitted(response, "preserve", at, octets)[0]
        assert not more, f"{response.url} at {at}: preserved and prohibited {more}"

    def check_shown(self) -> None:
        """L7: nothing is shown that is prohibited, and a link is the resource's: it has one answer."""
        octets, speaks = self.speaking()
        presentation = Presentation(self.harvest.store, self.now)
        links: dict[str, set[object]] = {}
        for version in self.versions():
            judged = presentation.judged(version.id)
            assert judged is not None
            shown: dict[str, str] = {}
            for make in (snippet, extract, link):
                made = make(presentation, judged)
                if made.is_shown:
                    shown[made.usage] = made.text
            found = copy(presentation, judged)
            if found.representation.is_shown:
                shown[found.representation.usage] = found.octets().decode("utf-8", "replace")
            links.setdefault(version.url, set()).add("present-link" in shown)
            assert speaks or not shown, f"{version.url}: shown though its site is silent: {shown}"
            assert version.url not in self.hidden or not shown, f"{version.url}: shown though it is withheld: {shown}"
            for usage, text in shown.items():
                said = self.all_words.intersection(re.findall("[a-z]{11}", text))
                assert octets is not None
                may = self.may_be_shown(self.responses[version.id], usage, octets)
                assert said <= may, f"{version.url}: {usage} shows {said - may}"
        assert all(len(answers) == 1 for answers in links.values()), f"a link has several answers: {links}"

    def may_be_shown(self, response: Response, usage: str, octets: bytes) -> set[str]:
        """The words that may be shown of a response, or instead of it; a link has those of the current one.

        An earlier version that requires its own URL has what is there now.
        """
        if usage == "present-link" and (latest := self.voices[response.url][0]) is not None:
            response = latest
        may, instead = self.permitted(response, usage, self.now, octets)
        may &= self.permitted(response, "preserve", self.now, octets)[0]
        if response.succeeded and response.url in self.required_urls(response, usage, octets):
            instead = {*instead, response.url}
        for number in filter(None, map(self.current, instead)):
            may |= self.permitted(self.responses[number], "preserve", self.now, octets)[0]
        return may

    def check_reviews(self) -> None:
        """L4: what is held is judged again before the first of it has to go."""
        octets, speaks = self.speaking()
        if not speaks:
            return
        assert octets is not None
        for version in self.versions():
            resource = self.harvest.store.resources.get(version.resource)
            review_at = min(resource.review_at or self.now + LONG, self.now + LONG)
            assert review_at > self.now, f"{resource.url} is due after a sweep"
            self.check_version(version, octets, review_at - timedelta(seconds=1))

    def check_octets(self) -> None:
        """L6: no file has a word of what is not held."""
        gone = self.all_words - self.held_words("index") - self.held_words("preserve")
        octets = everywhere(self.harvest)
        # An index may leave out the letters that a term has in common with another.
        found = {word for word in gone if word[3:].encode() in octets}
        assert not found, f"the words {found} are in a file"

    def state(self) -> dict[str, object]:
        """What is held, and what the ledger tells of it, without numbers."""
        resources = self.harvest.store.resources
        found: dict[str, object] = {}
        for path in self.paths:
            resource = resources.find(SITE + path)
            if resource is not None:
                found[path] = (
                    resource.review_at, resource.first_crawled, resource.first_indexed, resource.first_preserved,
                    [(one.status, one.terms, one.parts) for one in resources.versions(resource.id)],
                    [
                        [self.words_of(one, usage) for usage in ("index", "preserve")]
                        for one in self.versions(SITE + path)
                    ],
                    [(act.act, act.usage, act.at) for act in self.harvest.entries(path, SITE)],
                )  # fmt: skip
        found["requests"] = [self.harvest.store.requests.open(one) for one in ("re-crawl", "take-down", REMOVAL)]
        found["differences"] = differences(self.harvest.store)
        return found

    @contextmanager
    def failing(self, after: int) -> Iterator[None]:
        """The process is gone at a call of its database or its files, and does nothing any more."""
        store = self.harvest.store
        left = after

        def counted(call: Callable[..., Any]) -> Callable[..., Any]:
            def made(*arguments: Any, **named: Any) -> Any:
                nonlocal left
                left -= 1
                if left <= 0:
                    raise Killed
                return call(*arguments, **named)

            return made

        database = {
            name: counted(getattr(store.database, name)) for name in ("rows", "run", "many", "put_terms", "scrub")
        }
        copies = {name: counted(getattr(store.copies, name)) for name in ("append", "rewrite", "remove", "recover")}
        with ExitStack() as patched:
            for whose, calls in ((store.database, database), (store.copies, copies)):
                for name, call in calls.items():
                    patched.enter_context(patch.object(whose, name, call))
            yield


def both(own: Decision, more: Decision) -> Decision:
    """The decision of two voices: the stricter outcome, the restrictions of both."""
    if "prohibited" in (own.outcome, more.outcome):
        return own if own.outcome == "prohibited" else more
    added = [one for one in more.restrictions if one not in own.restrictions and one[0] != "excluded-element"]
    if any(one[0] == REQUIRED for one in added):
        return replace(own, outcome="prohibited", restrictions=())
    return replace(own, restrictions=(*own.restrictions, *added))


def required(restrictions: Iterable[Restriction]) -> list[str]:
    """What must be used instead of the whole."""
    return [one.meaning for one in restrictions if one.name == REQUIRED]


def lies_in(element: Element, resource: str, page: Page) -> bool:
    """Whether an element lies in a resource that is a part of the page."""
    kind, _, names = resource.removeprefix("the-acap:").removeprefix("extract:").partition(":")
    if not resource.startswith("the-acap:"):
        return False
    of = {"id": "id", "idlist": "id", "class": "class", "classlist": "class"}.get(kind)
    wanted = {name.strip() for name in names.split(",")} if kind.endswith("list") else {names}
    hits = [one for one in page.elements if wanted & set(one.attributes.get(of or "", "").split())]
    return any(one in (hits if kind.endswith("list") else hits[:1]) for one in element.chain)
