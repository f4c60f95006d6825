"""Histories of a harvest: sites that change their pages and minds, crawls, imports, sweeps, removals and time.

What is held after each step is compared with what the reference interpreter permits. Every part of every page has a
word that stands nowhere else, so that it can be seen what is held of it, and where.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Self
from unittest.mock import patch
from urllib.parse import urljoin

from acap.clock import FixedClock
from acap.harvest.keeper import Fetched
from acap.harvest.proof import differences
from acap.harvest.removal import remove
from acap.harvest.store import Act, Version
from acap.harvest.store.requests import REMOVAL
from acap.restrictions import TABLE
from acap.robots import RobotsPolicy, parse_robots
from tests import reference
from tests.harvest import Harvest
from tests.property import page_strategies as pages
from tests.property import vocabulary as words
from tests.property.strategies import Palette, referenced
from tests.reference.decision import Decision
from tests.reference.page import Page, read_page
from tests.reference.page_hearing import Site
from tests.reference.page_html import Element
from tests.reference.page_resolution import PageCrawler, decide_page, ruling_on, setting_of
from tests.reference.restrictions import Facts, Restriction
from tests.test_keeper import everywhere

SITE = words.SITE
BEGIN = pages.NOON - timedelta(days=4)
PATHS = words.words("/a /b /a/b /a/b.x /ab /b.x /sum.txt /i")
NAMES = words.words("bot SearchBot1 news-bot")
LIMITS = words.words("0-days 1-days 5-days 10-days 30-days until-2025-06-30 until-2025-07-01 until-recrawled")
DEFINITIONS = words.lines("""
    ACAP-qualified-usage: brief index time-limit=5-days
    ACAP-qualified-usage: passing preserve time-limit=3-days
    ACAP-composite-usage: both (brief) (passing)
    ACAP-qualified-usage: lead index must-use-resource=the-acap:idlist:n0,n2
    ACAP-qualified-usage: lead index
    ACAP-qualified-usage: brief index
    ACAP-qualified-usage: passing preserve time-limit=10-days
""")
TOKENS = words.words("""
    the-acap:allow-(brief) the-acap:allow-(passing) the-acap:allow-(both) the-acap:allow-(lead) the-acap:disallow-index
    the-acap:disallow-preserve the-acap:allow-index the-acap:allow-preserve b
""")
REQUIRED = "must-use-resource"
LONG = timedelta(days=200)
STALE = timedelta(days=30)


class Killed(BaseException):
    """The process is gone."""


@dataclass
class Response:
    """What a crawl brought: `words` are those of its parts, in their order; `succeeded` once there is a newer one."""

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    words: tuple[str, ...] = ()
    succeeded: bool = False

    @property
    def media(self) -> str:
        """Its type."""
        return self.headers[0][1].partition(";")[0]

    @property
    def page(self) -> Page:
        """As the reference reads it."""
        key = self.url, self.headers, self.body
        if key not in _PAGES:
            _PAGES[key] = read_page(
                self.body if self.media == "text/html" else None, url=self.url, headers=self.headers
            )
        return _PAGES[key]


_PAGES: dict[object, Page] = {}


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
class History:
    """One history, drawn step by step; use it as a context manager. `told` are its steps."""

    random: Random
    directory: Path
    told: list[str] = field(default_factory=list)
    policies: list[tuple[datetime, bytes | None]] = field(default_factory=list)
    responses: dict[int, Response] = field(default_factory=dict)
    firsts: dict[str, dict[str, datetime]] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    kill_after: int | None = None

    def __post_init__(self) -> None:
        random = self.random
        names = [random.choice(NAMES), random.choice(words.NAMES), "*", "*"]
        drawn = Palette.drawn(random)
        kept = random.choice((["index", "preserve"], ["index", "preserve"], list(drawn.usages[1:])))
        self.palette = replace(drawn, names=names, usages=["crawl", *kept, "index", "preserve"])
        self.crawler = PageCrawler((names[0],), frozenset(TABLE))
        self.paths = random.sample(PATHS, random.randint(3, 5))
        self.texts = [self.drawn_policy()]
        self.references = {uri: referenced(random) for uri in words.REFERENCES if random.random() < 0.7}
        self.octets: bytes | None = self.texts[0]
        self.told.append(f"{names[0]} at first: {self.texts[0].decode()!r}, references {self.references}")
        self.clock = FixedClock(BEGIN)
        self.seen = 0
        self.all_words: set[str] = set()
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
        kind = random.choice(kinds.split() or ["crawl"] * 8 + "say say wait wait sweep sweep import reopen remove".split())
        if kind == "crawl":
            return self._drawn_crawl()
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

    def _drawn_crawl(self) -> Callable[[], None]:
        random = self.random
        path = random.choice(self.paths)
        status = random.choice((*[200] * 12, 304, 304, 304, 503, 503, 404, 410, 301))
        is_same = random.random() < 0.35
        response = self.drawn_response(path)
        return lambda: self.crawl(path, status, response, is_same=is_same)

    def _drawn_import(self) -> Callable[[], None]:
        path = self.random.choice(self.paths)
        response, part = self.drawn_response(path), self.random.random()
        return lambda: self.take_in(path, response, part)

    def drawn_policy(self) -> bytes:
        """A robots.txt that lets crawl more often than not."""
        random = self.random
        lines = [line.decode() for line in pages.robots(random, self.palette)]
        if random.random() < 0.7:
            lines += ["ACAP-crawler: *", "ACAP-allow-crawl: /"]
            for _ in range(random.choice((0, 1, 2))):
                usage, effect = random.choice(("index", "preserve")), random.choice(("allow", "allow", "disallow"))
                lines.append(f"ACAP-{effect}-{usage}: {random.choice(self.palette.patterns)}")
        lines += [one for one in DEFINITIONS if random.random() < 0.4]
        out = []
        for line in lines:
            if line.startswith(("ACAP-allow-index: ", "ACAP-allow-preserve: ", "ACAP-allow-crawl: ")):
                if "limit" not in line and random.random() < 0.35 and "crawl" not in line:
                    line += f" time-limit={random.choice(LIMITS)}"
                elif random.random() < 0.12 and REQUIRED not in line and "crawl" not in line:
                    line += f" {REQUIRED}={random.choice((*self.paths, 'the-acap:idlist:a,n1', 'the-acap:classlist:b'))}"
            out.append(re.sub(r"(id:|idlist:)a\b", r"\1n1", line))
        return "\n".join([*out, ""]).encode()

    def drawn_response(self, path: str) -> Response:
        """A response with content, each part with a word of its own."""
        random = self.random
        headers = tuple(
            ("X-Robots-Tag", pages.header(random, self.palette)) for _ in range(random.choice((0, 0, 0, 0, 1)))
        )
        kind = random.random()
        if path == "/i" or (path == "/sum.txt" and kind < 0.7) or kind < 0.1:
            media = "image/png" if path == "/i" else "text/plain"
            word = self.word()
            return Response(SITE + path, 200, (("Content-Type", media), *headers), f"GIF {word} .".encode(), (word,))
        tags = [pages.tag(random, self.palette) for _ in range(random.choice((0, 0, 0, 1, 2)))]
        nodes = [pages.Node(1, "div", "id='n9'")]
        for node in pages.nodes(random, self.palette) if random.random() < 0.6 else ():
            more = " ".join(random.choice(TOKENS) for _ in range(random.choice((0, 0, 1, 1, 2))))
            attributes = node.attributes
            if more and "class=" in attributes:
                attributes = attributes.replace('class="', f'class="{more} ')
            elif more:
                attributes += f' class="{more}"'
            nodes.append(replace(node, attributes=attributes))
        made: list[str] = []

        def named(_: object) -> str:
            made.append(self.word())
            return f' data-n="{len(made) - 1}">{made[-1]} '

        text = re.sub(r">w[0-9]+ ", named, pages.PageCase(tuple(tags), tuple(nodes)).page)
        html = (("Content-Type", "text/html; charset=utf-8"), *headers)
        return Response(SITE + path, 200, html, text.encode(), tuple(made))

    def word(self) -> str:
        """A word that stands nowhere else."""
        word = "".join(self.random.choice(string.ascii_lowercase) for _ in range(11))
        self.all_words.add(word)
        return word

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
        held = self.held_words("index", SITE + path) | self.held_words("preserve", SITE + path)
        assert held == set(), "what was removed is held"
        self.check_octets()

    def crawl(self, path: str, status: int, response: Response, *, is_same: bool = False) -> None:
        """Crawls a path, unless it was removed."""
        url = SITE + path
        if url in self.removed:
            return
        before = self.current(url)
        if status == 304 and (before is None or self.responses[before].status != 200):
            status = 200
        if status == 200 and is_same and before is not None and self.responses[before].status == 200:
            known = self.responses[before]
            response = replace(known, headers=known.headers, succeeded=False)
        if status == 304:
            response = replace(response, headers=tuple(one for one in response.headers if one[0] != "Content-Type"))
        elif status != 200:
            response = replace(response, words=(), headers=(("Content-Type", "text/html"),))
        response = replace(response, status=status)
        self.told.append(f"crawl {path} at {self.now}: {status} {response.headers} {response.body.decode()!r}")
        self.note(self.octets)
        permitted = self.done(
            lambda: self.harvest.crawl(path, response.body, status=status, headers=response.headers, site=SITE)
        )
        assert permitted == self.ask_site(url).permitted
        if permitted:
            self.learn(url, before, response)
            self.read_ledger()
            if status == 200:
                self.check_kept(url)

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
        self.told.append(f"import {path} of {captured_at} at {self.now}: {response.headers} {response.body.decode()!r}")
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
        self.learn(url, number, response)
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

    def learn(self, url: str, before: int | None, response: Response) -> None:
        """Notes what a crawl brought."""
        current = self.current(url)
        if response.status == 304:
            assert before is not None
            assert current == before
            known = self.responses[before]
            said = tuple(one for one in response.headers if one[0] == "X-Robots-Tag")
            if said:
                kept = tuple(one for one in known.headers if one[0] != "X-Robots-Tag")
                self.responses[before] = replace(known, headers=(*kept, *said))
        elif response.status == 503:
            assert current == before
        else:
            assert current is not None
            if current != before and before is not None:
                self.responses[before].succeeded = True
            self.responses[current] = response

    def note(self, octets: bytes | None) -> None:
        """A policy was retrieved."""
        self.policies.append((self.now, octets))

    def speaking(self) -> tuple[bytes | None, bool]:
        """The policy that speaks for what is held, and whether one does (choices 5 and 6)."""
        settled = [one for one in self.policies if one[1] is not None]
        if not settled or (self.policies[-1][1] is None and self.now > settled[-1][0] + STALE):
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
        """The words of a response that may be used, by the reference, and the URLs whose words may be instead."""
        url, page, site = response.url, response.page, self.site(octets)
        facts = self.facts(url, at, succeeded=response.succeeded)
        asked = {"crawler": self.crawler, "at": at, "facts": facts, "site": site}
        if response.status != 200 or not decide_page(page, url, usage=usage, **asked).permitted:  # type: ignore[arg-type]
            return set(), set()
        setting = setting_of(page, url, self.crawler, at, facts, site)
        whole = ruling_on(setting, usage, None, None).restrictions
        instead = {urljoin(url, one) for one in required(whole) if not one.startswith("the-acap:")} - {url}
        if response.media != "text/html":
            others = [one for one in required(whole) if urljoin(url, one) != url]  # what requires itself is there
            return (set() if others else set(response.words)), instead
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
            return {word for word in self.indexable(version) if any(n == version.id for n, _ in self.search(word))}
        if version.place is None:
            return set()
        body = store.copies.read(version.place).body.decode()
        return self.all_words.intersection(re.findall("[a-z]{11}", body))

    def indexable(self, version: Version) -> set[str]:
        """Words worth looking for: all, once somebody requires something of somebody."""
        return self.all_words

    def search(self, word: str) -> list[tuple[int, float]]:
        """The versions that the index finds."""
        return self.harvest.store.database.search([word], 100, 0)

    def held_words(self, usage: str, url: str | None = None) -> set[str]:
        """All words that are held."""
        return {word for version in self.versions(url) for word in self.words_of(version, usage)}

    # Laws

    def read_ledger(self) -> None:
        """L3: every decision that is entered is the reference's for its instant."""
        ledger = self.harvest.store.ledger
        for entry in [one for one in ledger.entries() if one.seq > self.seen]:
            self.seen = entry.seq
            act = entry.act
            self.check_act(act)
            first = {"indexed": "first_indexed", "preserved": "first_preserved", "crawled": "first_available"}
            if act.act in first:
                self.firsts.setdefault(act.url, {}).setdefault(first[act.act], act.at)

    def check_act(self, act: Act) -> None:
        """One entry."""
        if act.decision is None or act.policy is None or (act.act == "crawled" and "origin" in act.detail):
            return
        robots = self.harvest.store.policies.get(act.policy)
        if robots._state == "unreachable":
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
        told = {one for one in act.decision["restrictions"] if not one.startswith("excluded-element")}
        meant = {f"{name}={value}" for name, value, *_ in decision.restrictions if name != "excluded-element"}
        assert (act.decision["outcome"], told) == (decision.outcome, meant), f"the reference decides otherwise: {act}"

    def check_kept(self, url: str) -> None:
        """L2: of what was just crawled all is held that may be, and nothing else."""
        number = self.current(url)
        assert number is not None
        octets, speaks = self.speaking()
        response = self.responses[number]
        version = self.harvest.store.resources.version(number)
        assert version is not None
        for usage in ("index", "preserve"):
            may, instead = self.permitted(response, usage, self.now, octets) if octets is not None else (set(), set())
            if response.media.startswith("image/") and usage == "index":
                may = set()
            held = self.words_of(version, usage)
            if not speaks or not instead or may:
                assert held == may, f"{usage} of {url}: held {held}, permitted {may}"
        if octets is None:
            return
        supplies, _ = self.permitted(response, "index", self.now, octets)
        for version in self.versions():
            other = self.responses[version.id]
            if other.succeeded or other.url == url or not version.is_indexed or not self.is_judged(other.url):
                continue
            assert not self.words_of(version, "index") - self.may_be_indexed(other, octets), f"{other.url} has others' words"
        for path in self.paths:
            other_number = self.current(SITE + path)
            if other_number is None or SITE + path in {url, *self.removed} or response.media.startswith("image/"):
                continue
            own, instead = self.permitted(self.responses[other_number], "index", self.now, octets)
            if not own and instead == {url} and self.is_judged(SITE + path):
                holder = self.harvest.store.resources.version(other_number)
                assert holder is not None
                assert self.words_of(holder, "index") == supplies, f"{path} is not supplied by {url}"

    def is_judged(self, url: str) -> bool:
        """Whether nothing new was said since what is held of a URL was judged."""
        resource = self.harvest.store.resources.find(url)
        return resource is not None and (resource.review_at is None or resource.review_at > self.now)

    def may_be_indexed(self, response: Response, octets: bytes, at: datetime | None = None) -> set[str]:
        """The words that the index may have for a response, those included of what must be used instead."""
        at = at or self.now
        own, instead = self.permitted(response, "index", at, octets)
        for url in instead:
            number = self.current(url)
            if number is not None and url not in self.removed:
                own |= self.permitted(self.responses[number], "index", self.now, octets)[0]
        return own

    def check_held(self) -> None:
        """L1: nothing is held that is prohibited, and ledger, index and copies say the same."""
        store = self.harvest.store
        assert differences(store) == []
        assert store.ledger.verify().wrong == ()
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
                    [(self.words_of(one, "index"), self.words_of(one, "preserve")) for one in self.versions(SITE + path)],
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

        database = {name: counted(getattr(store.database, name)) for name in ("rows", "run", "many", "put_terms", "scrub")}
        copies = {name: counted(getattr(store.copies, name)) for name in ("append", "rewrite", "remove", "recover")}
        with patch.multiple(store.database, **database), patch.multiple(store.copies, **copies):
            yield


def required(restrictions: tuple[Restriction, ...]) -> list[str]:
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
