"""The proof of a ledger: every act held against the reference interpreter and what the site served at the time.

A `Proof` reads a ledger beside the `Chronicle` of its site, keeps its
own account of versions and facts, and tells in `faults` what does not stand up. Nothing of the package decides here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urljoin

from tests import reference
from tests.reference.decision import Decision
from tests.reference.page_html import Element
from tests.reference.page_resolution import decide_page, ruling_on, setting_of
from tests.reference.resolution import Ruling
from tests.reference.restrictions import Facts
from tests.served_pages import (
    PRESENT,
    Answered,
    Chronicle,
    Nothing,
    Version,
    lies_in,
    own_texts,
    page_of,
    path_of,
    resource_uri,
    robots_of,
    usages_with_resources,
)  # fmt: skip

if TYPE_CHECKING:
    from acap.harvest.store import Entry, Store

TEXTS = ("text/html", "text/plain")
REFUSING = {"nofollow", "ugc", "sponsored"}
KEPT = {"indexed": "index", "preserved": "preserve"}


@dataclass(frozen=True)
class Held:
    """Since when something is held of a version, and which elements of it could be used then."""

    since: datetime
    parts: frozenset[int]


class Proof:
    """The account of one store. `removed` are URLs that the operator took out."""

    def __init__(self, store: Store, chronicle: Chronicle, *, removed: Sequence[str] = ()) -> None:
        self.store = store
        self.chronicle = chronicle
        operator = store.operator
        self.names, self.purposes = list(operator.names), list(operator.purposes)
        self.removed = set(removed)
        self.versions: dict[int, Version] = {}
        self.held: dict[str, dict[int, Held]] = {"index": {}, "preserve": {}}
        self.crawled: dict[str, list[datetime]] = {}
        self.refused: dict[str, list[datetime]] = {}
        self.presented: set[tuple[int, str]] = set()
        self.counts: dict[tuple[str, str], int] = {}
        self._firsts: dict[tuple[str, str], datetime] = {}
        self._current: dict[str, int] = {}
        self._known: dict[Any, Any] = {}
        self._seq = 0

    def beside(self, store: Store) -> Proof:
        """The same account for a copy of the store, to go on with by itself."""
        other = copy(self)
        other.store = store
        other.versions, other.counts, other.presented = dict(self.versions), dict(self.counts), set(self.presented)
        other.held = {usage: dict(held) for usage, held in self.held.items()}
        other.crawled, other.refused = ({url: [*at] for url, at in had.items()} for had in (self.crawled, self.refused))
        other._firsts, other._current = dict(self._firsts), dict(self._current)
        return other

    # The account.

    def faults(self) -> list[str]:
        """What of the entries since the last call does not stand up, a line each; and what is wrong with the chain."""
        found = list(self.store.ledger.verify().wrong)
        for entry in self.store.ledger.entries(after=self._seq):
            self._seq = entry.seq
            for act in self.store.acts_of(entry.act):
                where = f"{entry.seq} {act.at:%Y-%m-%d %H:%M:%S} {act.act} {act.usage} {act.url}"
                found += [f"{where}: {fault}" for fault in self._check(replace(entry, act=act))]
        found += self._compare_with_tables()
        return found

    def _check(self, entry: Entry) -> Iterator[str]:
        act = entry.act
        if act.act in ("required", "requested", "settled", "heard", "closed"):
            return  # the store's own account of what it was asked for: `acap.harvest.proof` compares it
        self.counts[act.act, act.usage] = self.counts.get((act.act, act.usage), 0) + 1
        path = path_of(act.url)
        snapshot = self.chronicle.at(act.at)
        if act.usage == "crawl":
            decision = self.may_crawl(act.url, act.at)
            yield from self._tells(entry, decision, None)
            if act.act == "crawled":
                self.crawled.setdefault(act.url, []).append(act.at)
                self._firsts.setdefault(("available", act.url), act.at)
                yield from self._begin(entry, snapshot.served.get(path))
            elif act.act == "refused":
                self.refused.setdefault(act.url, []).append(act.at)
            else:
                yield "there is no such act"
            if decision.permitted != (act.act == "crawled"):
                yield f"the interpreter says {decision.outcome}"
            return
        if act.usage == "follow" and act.decision is None:
            yield from self._check_links(entry)
            return
        version = None if act.version is None else self.versions.get(act.version)
        if version is None or version.url != act.url:
            yield f"version {act.version} is none of this URL that was crawled"
            return
        yield from self._check_use(entry, version)

    def _begin(self, entry: Entry, served: Answered | None) -> Iterator[str]:
        """A response: a new version, or one that is known and confirmed."""
        act = entry.act
        status = act.detail["status"]
        if act.version is None:
            if status != 304:
                yield "no version was noted"
            return
        known = self.versions.get(act.version)
        if known is not None:
            if served is None or (served.octets, served.status) != (known.answer.octets, known.answer.status):
                yield "taken for what was known, but the site serves something else"
            elif status not in (200, 304):
                yield f"taken for what was known with status {status}"
            else:
                known.answer = served
                # Its elements stay the same ones; only the headers may say something else now.
                known.page = replace(known.page, words=page_of(known.url, served).words)
            return
        if served is None and status == 200:
            yield "the site has no such resource"
        answer: Answered = Nothing(status) if served is None else served
        if status != answer.status:
            yield f"the site answers {answer.status}, not {status}"
        version = Version(act.version, act.url, act.at, answer, page_of(act.url, answer))
        self.versions[act.version] = version
        if status < 500:
            before = self.versions.get(self._current.get(act.url, 0))
            if before is not None:
                before.succeeded = act.at
            self._current[act.url] = act.version

    def _check_use(self, entry: Entry, version: Version) -> Iterator[str]:
        act = entry.act
        decision = self.decide(version, act.usage, act.at)
        yield from self._tells(entry, decision, version)
        match act.act:
            case "indexed" | "preserved":
                if KEPT[act.act] != act.usage:
                    yield "act and usage do not belong together"
                if not decision.permitted:
                    yield f"the interpreter says {decision.outcome} ({decision.kind})"
                if act.usage == "index" and self._current.get(act.url) != version.number:
                    yield "it is not the current version"
                self._firsts.setdefault((act.usage, act.url), act.at)
                if act.usage == "index" and version.number in self.held["index"]:
                    yield "it was indexed already"
                self.held[act.usage][version.number] = Held(act.at, self._parts(version, act.usage, act.at))
            case "refused":
                if decision.permitted:
                    yield "the interpreter permits it"
                if (
                    act.usage == "follow"
                    and (links := int(version.answer.status != 200) or self.links(version, act.at, refused=True))
                    != act.detail["links"]
                ):
                    yield f"{links} links are refused, {act.detail['links']} are told"
            case "presented":
                self.presented.add((version.number, act.usage))
                if act.usage not in PRESENT or not decision.permitted:
                    yield f"the interpreter says {decision.outcome} ({decision.kind})"
                if ("old" in act.usage) != (self._current.get(act.url) != version.number) and act.usage not in (
                    "present-link", "present-original",
                ):  # fmt: skip
                    yield "old and current versions are mixed up"
            case "removed":
                held = self.held.get(act.usage, {}).pop(version.number, None)
                if held is None:
                    yield "it was not held"
                yield from self._check_removal(entry, version, decision, held)
            case _:
                yield "there is no such act"

    def _check_links(self, entry: Entry) -> Iterator[str]:
        """Links that are refused one by one, where the page as a whole lets follow."""
        act = entry.act
        version = self.versions[act.version or 0]
        if not self.decide(version, "follow", act.at).permitted:
            yield "the page as a whole refuses, and single links are told of"
        if (links := self.links(version, act.at, refused=True)) != act.detail["links"]:
            yield f"{links} links are refused, {act.detail['links']} are told"
        if set(act.detail["to"]) & self.links(version, act.at):
            yield "a link that may be followed is told of as refused"

    def _check_removal(self, entry: Entry, version: Version, decision: Decision, held: Held | None) -> Iterator[str]:
        act, reason = entry.act, entry.act.detail.get("reason", "")
        if act.detail.get("by") == "operator":
            if act.url not in self.removed:
                yield "the operator did not remove it"
        elif act.detail.get("succeeded"):
            if act.usage != "index" or version.succeeded is None:
                yield "no version came after it"
        elif reason.startswith("another part may be"):
            if not decision.permitted:
                yield "nothing of it may be used, and another part is said to be"
            if held is not None and held.parts == self._parts(version, act.usage, act.at):
                yield "the same parts may be used as before"
        elif reason:
            yield f"nobody knows the reason: {reason}"
        elif decision.permitted:
            yield "the interpreter still permits it"

    def _tells(self, entry: Entry, decision: Decision, version: Version | None) -> Iterator[str]:
        """Whether the entry tells the decision as the interpreter makes it, and cites what stands where it says."""
        act = entry.act
        told = act.decision
        if told is None:
            if act.detail.get("by") != "operator":
                yield "it tells no decision"
            return
        if told["outcome"] != decision.outcome:
            yield f"it tells {told['outcome']}, the interpreter {decision.outcome} ({decision.kind})"
            return
        # That there is no policy is silence, to the interpreter.
        if {"absent": "silence"}.get(told["kind"], told["kind"]) != decision.kind:
            yield f"it tells the kind {told['kind']}, the interpreter {decision.kind}"
        mine = {f"{name}={value}" for name, value, *_ in decision.restrictions}
        said = set(told["restrictions"])
        if told["outcome"] == "permitted":
            # Where a part may not be kept, what was kept has it no more; its skeleton has other places.
            left_out = {one for one in mine | said if one.startswith("excluded-element=")}
            at_hand = version is not None and act.at == version.crawled
            if mine - left_out != said - left_out or (at_hand and mine != said) or len(said) > len(mine):
                yield f"it tells {sorted(said)}, the interpreter {sorted(mine)}"
        yield from self._cites(entry, version)
        if version is not None:
            known = {name: datetime.fromisoformat(value) for name, value in told.get("facts", {}).items()}
            facts = {name: value for name, value in vars(self.facts(version, act.at)).items() if value is not None}
            # What begins at this very instant may be told or not: it comes to the same.
            begun = {
                name
                for name in {*known, *facts}
                if abs(known.get(name, act.at) - facts.get(name, act.at)) < timedelta(milliseconds=1)
            }
            # Of what a page shows with other things no facts are told: they follow from the ledger.
            if (act.act != "presented" or known) and (wrong := {*known, *facts} - begun):
                yield f"it tells other facts than there are: {', '.join(sorted(wrong))}"

    def _cites(self, entry: Entry, version: Version | None) -> Iterator[str]:
        """Whether what is cited stands there: a line of a policy, or the words of the page or its headers."""
        act = entry.act
        assert act.decision is not None
        snapshot = self.chronicle.at(act.at)
        permits = {"permitted": {"permits"}, "prohibited": {"prohibits", "permits"}}[act.decision["outcome"]]
        for cited in act.decision["statements"]:
            text, line = cited.get("text", ""), cited.get("line")
            if cited.get("header") is not None and version is not None:
                places = [value for _, value in version.answer.headers]
            elif version is not None and cited.get("dialect") in ("acap", "robots-meta") and cited.get("element"):
                places = [version.answer.octets.decode("utf-8", "replace")]
            else:
                path = path_of(urljoin(snapshot.url + "/robots.txt", cited["source"]))
                served = snapshot.served.get(path)
                if served is None and version is not None:
                    served = version.answer
                lines = [] if served is None else served.octets.decode("utf-8", "replace").splitlines()
                places = lines[line - 1 : line] if line and path != path_of(act.url) else lines
            if not any(text in place for place in places):
                yield f"it cites what does not stand there: {cited}"
            if cited.get("effect") not in permits:
                yield f"it cites a statement to the contrary: {cited}"

    def _compare_with_tables(self) -> Iterator[str]:
        """Whether the store holds what its ledger says, no more and no less."""
        rows = self.store.database.rows("SELECT id, is_indexed, file FROM versions")
        indexed = {number for number, is_indexed, _ in rows if is_indexed}
        copies = {number for number, _, file in rows if file is not None}
        if indexed != set(self.held["index"]) or self.store.database.indexed() != indexed:
            yield f"the index holds {sorted(indexed)}, the ledger says {sorted(self.held['index'])}"
        if copies != set(self.held["preserve"]):
            yield f"there are copies of {sorted(copies)}, the ledger says {sorted(self.held['preserve'])}"

    # The interpreter's answers.

    def facts(self, version: Version, at: datetime) -> Facts:
        """What was known of a version at an instant. What is being crawled just then is taken for begun."""
        now = at if at == version.crawled or at in self.crawled.get(version.url, ()) else None
        if self._current.get(version.url) != version.number:
            now = None
        firsts = [self._firsts.get((name, version.url)) or now for name in ("index", "preserve", "available")]
        indexed, preserved, available = firsts
        return Facts(indexed, preserved, available, version.succeeded)

    def may_crawl(self, url: str, at: datetime) -> Decision:
        """The decision on crawling a URL."""
        snapshot = self.chronicle.at(at)
        if snapshot.site is None:
            return Decision("prohibited", "unreachable", False)
        policy = snapshot.site.policy
        purpose = self.purposes or None
        return reference.decide(policy, url, crawler=self.names, usage="crawl", purpose=purpose, at=at)

    def decide(self, version: Version, usage: str, at: datetime, facts: Facts | None = None) -> Decision:
        """The decision on a version as a whole."""
        facts = facts or self.facts(version, at)
        key = ("decide", version.number, id(version.page), usage, at, facts)
        if key not in self._known:
            self._known[key] = self._decide(version, usage, at, facts)
        found: Decision = self._known[key]
        return found

    def _decide(self, version: Version, usage: str, at: datetime, facts: Facts) -> Decision:
        site = self.chronicle.at(at).site
        if site is None:
            return Decision("prohibited", "unreachable", False)
        return decide_page(
            version.page, version.url, crawler=self.names, usage=usage, purpose=self.purposes or None, at=at,
            facts=facts, site=site,
        )  # fmt: skip

    def may_use(self, version: Version, element: Element | None, usage: str, at: datetime) -> bool:
        """Whether the text of an element may be used: it is permitted, and lies in what must be used or included."""
        site = self.chronicle.at(at).site
        if site is None:
            return False
        facts = self.facts(version, at)
        # Where no element says anything, all of them are as the page.
        of = None if self.is_plain(version) else element
        key = ("use", version.number, id(version.page), of, usage, at, facts)
        if key not in self._known:
            setting = setting_of(version.page, version.url, self.names, at, facts, site)
            purposes: list[str | None] = [*self.purposes] or [None]
            self._known[key] = [ruling_on(setting, usage, purpose, of) for purpose in purposes]
        rulings: list[Ruling] = self._known[key]
        if not all(ruling.permitted for ruling in rulings):
            return False
        restrictions = [(one.name, one.meaning) for ruling in rulings for one in ruling.restrictions]
        required = [value for name, value in restrictions if name == "must-use-resource"]
        included = [value for name, value in restrictions if name == "must-include-resource"]
        return all(lies_in(version, element, value) for value in required) or any(
            lies_in(version, element, value) for value in included
        )

    def _parts(self, version: Version, usage: str, at: datetime) -> frozenset[int]:
        """The places of the elements whose own text may be used."""
        if not version.page.elements or (self.is_plain(version) and not self._restricts(version, usage, at)):
            return frozenset({-1} if self.decide(version, usage, at).permitted else ())
        return frozenset(
            place for place, element in enumerate(version.page.elements) if self.may_use(version, element, usage, at)
        )

    def is_plain(self, version: Version) -> bool:
        """Whether no element of a page says anything."""
        return not version.page.classes and not version.page.nosnippet

    def _restricts(self, version: Version, usage: str, at: datetime) -> bool:
        return any(name == "must-use-resource" for name, *_ in self.decide(version, usage, at).restrictions)

    # What should have been done.

    def links(self, version: Version, at: datetime, *, refused: bool = False) -> Any:
        """The URLs that may be followed from a version; `refused`: how many may not."""
        permitted: set[str] = set()
        others: set[str] = set()
        if version.answer.status == 200 and version.media == "text/html":
            for element in version.page.elements:
                if element.tag in ("a", "area") and "href" in element.attributes:
                    url = urljoin(version.url, element.attributes["href"])
                    rel = set(re.split(r"[\s,]+", element.attributes.get("rel", "").lower()))
                    if url.startswith("http"):
                        may = not rel & REFUSING and self.may_use(version, element, "follow", at)
                        (permitted if may else others).add(url)
        return len(others - permitted) if refused else permitted

    def reach(self, seeds: Sequence[str], at: datetime, *, sitemaps: bool = True) -> tuple[set[str], set[str]]:
        """What a crawl at an instant has to fetch, and what it has to refuse: all that may be followed to."""
        snapshot = self.chronicle.at(at)
        robots = robots_of(snapshot).decode("utf-8", "replace")
        waiting = list(seeds)
        if sitemaps:
            waiting += [urljoin(snapshot.url, said) for said in re.findall(r"(?im)^sitemap:[ \t]*(\S+)", robots)]
        fetched: set[str] = set()
        refused: set[str] = set()
        while waiting:
            url = urldefrag(waiting.pop())[0]
            if url in fetched | refused or not url.startswith(snapshot.url + "/"):
                continue
            if not self.may_crawl(url, at).permitted:
                refused.add(url)
                continue
            fetched.add(url)
            waiting += self._leads_to(url, at)
        return fetched, refused

    def _leads_to(self, url: str, at: datetime) -> Iterator[str]:
        """Where a resource leads: by redirection, by links, as a sitemap, and by what its permissions require."""
        answer = self.chronicle.at(at).served.get(path_of(url))
        if answer is None:
            return
        headers = dict(answer.headers)
        if answer.status in (301, 302):
            yield urljoin(url, headers["location"])
        if answer.status != 200:
            return
        version = self.versions.get(self._current.get(url, 0))
        if version is None or version.answer.octets != answer.octets:
            version = Version(-len(self._known), url, at, answer, page_of(url, answer))
        if version.media == "application/xml":
            yield from re.findall(r"<loc>([^<]+)</loc>", answer.octets.decode())
        yield from self.links(version, at)
        robots = robots_of(self.chronicle.at(at))
        for usage in usages_with_resources(robots + answer.octets):
            decision = self.decide(version, usage, at, Facts(at, at, at))
            for name, value, *_ in decision.restrictions if decision.permitted else ():
                target = resource_uri(value) if name in ("must-use-resource", "must-include-resource") else None
                if target is not None:
                    yield urljoin(url, target)

    def undone(self, at: datetime) -> list[str]:
        """What may be held of what was crawled at an instant and is not, and what is held then and may not be."""
        found = []
        for version in self.versions.values():
            is_current = self._current[version.url] == version.number
            is_content = version.answer.status == 200
            for usage, held in self.held.items():
                permitted = is_content and self.decide(version, usage, at).permitted
                if version.number in held and not permitted:
                    found.append(f"{version.number} {version.url}: is held for {usage}")
                if version.number in held or version.crawled != at or not (permitted and is_current):
                    continue
                if usage == "preserve" or self._has_text(version, at):
                    found.append(f"{version.number} {version.url}: could be held for {usage}")
        return found

    def _has_text(self, version: Version, at: datetime) -> bool:
        if version.media not in TEXTS:
            return False
        if not version.page.elements:
            return bool(version.answer.octets.strip()) and not self._restricts(version, "index", at)
        return any(
            text.strip() and self.may_use(version, element, "index", at) for element, text, _ in own_texts(version)
        ) or self._meta_text(version, at)

    def _meta_text(self, version: Version, at: datetime) -> bool:
        values = [value for name, value, *_ in self.decide(version, "index", at).restrictions if "must-use" in name]
        metas = [element for element in version.page.elements if element.tag == "meta"]
        return any(lies_in(version, meta, value) for value in values for meta in metas)
