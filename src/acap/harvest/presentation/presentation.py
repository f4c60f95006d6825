"""One instant of presenting, and its entries in the ledger.

The laws of this module:

1. Everything is decided at one instant, by the policies of then. Before anything is sent, one transaction checks that
   they are still current, and enters one act for all that the page shows. What cannot be entered is not shown.
2. Whether a copy may be used at all is decided at the moment of use: a copy whose permission has ended, or a part of
   it that may not be preserved any more, is not shown, even before a sweep has deleted it.
3. A licence counts for its max-age, and for 30 days at most, since its site last gave it (RSL 1.0 3.1). What is held
   under it stays, and is not shown until the site is asked again.
4. The ledger records what was shown and why, never who searched for what.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TypeAlias

from acap.archives.site_documents import documents_of, sources_of, with_documents
from acap.harvest.account import LEGAL
from acap.harvest.act import Act
from acap.harvest.copies import CopyMissingError
from acap.harvest.judgement import Judgement, ResourceState, response_of
from acap.harvest.latest import page_of_headers, withheld
from acap.harvest.presentation.judged import Judged
from acap.harvest.presentation.representation import Representation, Shown
from acap.harvest.resource import Resource, Version
from acap.harvest.store import Store
from acap.pages.page import parse_page
from acap.retrieval.addresses import is_public
from acap.retrieval.locations import robots_url
from acap.robots import RobotsPolicy

NamedUse: TypeAlias = "tuple[Judged, str] | None"
"""A page and a usage of it that requires another resource."""


class ChangedError(Exception):
    """Something that was about to be shown changed meanwhile: decide again."""


class Presentation:
    """What is presented at an instant, by default now."""

    def __init__(self, store: Store, at: datetime | None = None) -> None:
        self.store = store
        self.at = at or store.clock.now()
        self._crawler = store.operator.crawler
        self._judged: dict[int, Judged | None] = {}
        self._used: dict[int, Judged] = {}
        self._uses: dict[tuple[int, str, str | None], Shown] = {}
        self._led: dict[str, tuple[object, ...]] = {}
        self._of_now: dict[int, RobotsPolicy] = {}  # policies of which a licence has ended

    def judged(self, number: int) -> Judged | None:
        """A version with the decisions of now; None if nothing of it is kept."""
        if number not in self._judged:
            version = self.store.resources.version(number)
            held = version is not None and (version.is_indexed or version.place is not None)
            self._judged[number] = self._judge(version) if held and version is not None else None
        return self._judged[number]

    def of_url(self, url: str, use: NamedUse = None) -> Judged | None:
        """The current version of a URL with its copy; None if no copy of it is at hand.

        `use`: for a usage of a page that requires it. If a statement of their site names it, it may be
        closed to crawling.
        """
        resource = self.store.resources.find(url)
        number = None if resource is None else resource.current
        judged = None if number is None else self._for_use(number) if _is_named(url, use) else self.judged(number)
        return None if judged is None or judged.capture is None else judged

    def may_lead(self, url: str, usage: str, use: NamedUse = None) -> bool:
        """Whether a link, or a frame with the original, may lead to another resource: `usage` is which.

        The state of the resource decides: whether it is withheld, and its own statements. If it is unknown, its site's
        policy decides. If that is unknown too, any host of the public internet is permitted. `use` as of `of_url`.
        """
        resource, speaking = self.store.resources.find(url), self._speaking(url)
        self._led[url] = self._state(url)
        if resource is None and speaking is None:
            return is_public(url)
        if resource is not None and self._hidden(resource):
            return False
        robots = RobotsPolicy.unreachable(robots_url(url)) if speaking is None else speaking[1]
        robots = robots.for_use() if _is_named(url, use) else robots
        latest = None if resource is None else self.store.resources.latest(resource)
        if latest is not None:
            return Judgement.of_latest(latest, at=self.at, crawler=self._crawler, robots=robots).permits(usage)
        headers = None if resource is None else page_of_headers(url, (), resource.later_headers)
        page, site = headers or parse_page(None, url=url), sources_of(robots)
        return page.decide(usage, crawler=self._crawler, at=self.at, robots=robots, others=site).permitted

    def _state(self, url: str) -> tuple[object, ...]:
        """The state that decides whether something may lead to a URL."""
        resource, speaking = self.store.resources.find(url), self.store.policies.speaking(url, self.at)
        state = resource and (resource.current, resource.last_crawled, resource.later_headers, self._hidden(resource))
        return state, None if speaking is None else speaking[0]

    def older(self, judged: Judged) -> list[Judged]:
        """The other versions of a resource of which copies are kept, the newest first."""
        versions = self.store.resources.versions(judged.resource.id, held=True)
        others = (self.judged(one.id) for one in versions if one.id != judged.version.id and one.place is not None)
        return [one for one in others if one is not None]

    def note(self, *shown: Representation) -> None:
        """Notes what is about to be shown and skips the rest. Images that are shown with it are noted by `use`."""
        for representation in shown:
            images = {included.image for included in representation.included}
            self.use(
                *(use for use in representation.uses if representation.is_shown and use.judged.version.id not in images)
            )

    def use(self, *uses: Shown) -> None:
        """Notes uses that are about to be made."""
        for use in uses:
            self._uses[use.judged.version.id, use.usage, use.of] = use

    def enter(self, where: str) -> None:
        """Enters in the ledger what was noted; `where` is the kind of page that shows it.

        Raises:
            ChangedError: something changed since it was decided.
            StoreError: it cannot be entered.
        """
        if not self._uses:
            return
        uses = list(self._uses.values())
        with self.store.transaction():
            self._check({use.judged.version.id: use.judged for use in uses})
            for use in uses:
                if use.judged.resource.first_presented is None:
                    self.store.resources.first(use.judged.resource.id, "first_presented", self.at)
            self.store.ledger.append([self._act(uses[0], where) if len(uses) == 1 else self._page(uses, where)])
        self._uses.clear()

    def _for_use(self, number: int) -> Judged | None:
        """A version with the decisions for the use of a page of its site."""
        if number not in self._used:
            version = self.store.resources.version(number)
            if version is None:
                return None
            self._used[number] = self._judge(version, for_use=True)
        return self._used[number]

    def _judge(self, version: Version, *, for_use: bool = False) -> Judged:
        resource = self.store.resources.get(version.resource)
        capture, fault = None, None
        if version.place is not None:
            try:
                capture = self.store.read(version)
            except CopyMissingError as error:
                fault = str(error)
        speaking = self._speaking(version.url)
        # If the policy of the site is unknown, nothing is permitted.
        policy, robots = speaking or (None, RobotsPolicy.unreachable(robots_url(version.url)))
        robots = robots.for_use() if for_use else robots
        latest = self.store.resources.latest(resource)

        state = ResourceState(resource.facts(version), resource, latest)

        def judged(version: Version, octets: bytes | None) -> Judgement:
            usages = self.store.operator.usages
            response = response_of(version, octets, at=self.at, crawler=self._crawler, robots=robots, usages=usages)
            return Judgement.of(response, state)

        judgement = judged(version, None if capture is None else capture.body)
        if capture is not None and not judgement.permits("preserve"):
            capture = None
        elif capture is not None and judgement.exceeds("preserve", version.parts):
            smaller = judgement.copy_octets()
            if smaller is None:
                capture = None
            else:
                capture = replace(capture, body=smaller[0], metadata={**capture.metadata, "whole": smaller[1]})
                judgement = judged(replace(version, parts=judgement.parts("preserve")), smaller[0])
        return Judged(resource, version, policy, judgement, capture, fault, self._hidden(resource))

    def _speaking(self, url: str) -> tuple[int, RobotsPolicy] | None:
        """The policy of a URL's site that counts now, and its number; a licence that has ended is unknown."""
        speaking = self.store.policies.speaking(url, self.at)
        documents = None if speaking is None else documents_of(speaking[1])
        if speaking is None or documents is None or documents.at(self.at) is documents:
            return speaking
        number, robots = speaking
        if number not in self._of_now:
            self._of_now[number] = with_documents(robots, documents.at(self.at))
        return number, self._of_now[number]

    def _hidden(self, resource: Resource) -> str:
        """Why nothing of a resource is shown, whatever its publisher permits; empty if it is shown."""
        if self.store.requests.is_removed(resource.url):
            return "the operator removed it"
        current = self.store.resources.current_of(resource)
        if current is not None and current.status == LEGAL:
            return f"its site withholds it for legal reasons (status {LEGAL})"
        return withheld(resource)

    def _check(self, shown: dict[int, Judged]) -> None:
        """Raises ChangedError if a version or the policy of its site is not the one that was judged."""
        if any(self._state(url) != state for url, state in self._led.items()):
            raise ChangedError
        versions = self.store.resources.by_versions(list(shown))
        for number, judged in shown.items():
            version, before = versions.get(number), judged.version
            if version is None or (version.place, version.is_indexed) != (before.place, before.is_indexed):
                raise ChangedError
            now, then = self.store.resources.get(version.resource), judged.resource
            if (now.current, now.last_crawled, now.later_headers) != (
                then.current,
                then.last_crawled,
                then.later_headers,
            ):
                raise ChangedError
            if self._hidden(now) != judged.hidden:
                raise ChangedError
        for url, policy in {(robots_url(judged.version.url), judged.policy) for judged in shown.values()}:
            speaking = self.store.policies.speaking(url, self.at)
            if (None if speaking is None else speaking[0]) != policy:
                raise ChangedError

    def _page(self, uses: list[Shown], where: str) -> Act:
        """One act for all that a page shows: of each version its number, that of the policy, and that of the ground."""
        of: dict[int, list[Shown]] = {}
        for use in uses:
            of.setdefault(use.judged.version.id, []).append(use)
        shown, new = [], {}
        for number, some in of.items():
            recorded = [(use.usage, use.of, use.judged.judgement.recorded(use.usage)) for use in some]
            ground, digest = self.store.grounds.number(recorded)
            shown.append([number, some[0].judged.policy, ground])
            if digest is not None:
                new[str(ground)] = digest
        urls = {use.judged.version.url for use in uses}
        detail = {"shown": shown, "where": where, **({"new": new} if new else {})}
        return Act("presented", self.at, urls.pop() if len(urls) == 1 else "", "page", detail=detail)

    def _act(self, use: Shown, where: str) -> Act:
        judged = use.judged
        decision = judged.judgement.recorded(use.usage)
        detail = {"where": where, **({"for": use.of} if use.of else {})}
        version = judged.version
        return Act("presented", self.at, version.url, use.usage, version.id, judged.policy, decision, detail)


def _is_named(url: str, use: NamedUse) -> bool:
    return use is not None and any(naming.url == url for naming in use[0].judgement.namings(use[1]))
