"""The policies of sites for an import: of the time of a capture, and of now.

The laws of this module:

1. What the archives say of a site is kept before any of their captures is judged: each robots.txt, and the documents
   beside it where they could decide. So it makes no difference in which call they come.
2. A licence is looked for where something names it: a robots.txt of the archives or of the store, a page of the
   archives, or a page that was taken in before. So is a policy that a tdmrep.json names, of the archives or of the
   store; archives with such a file are read a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Literal

from acap import _native
from acap.archives.archived import ArchivedDocuments
from acap.archives.page_licences import named_by_pages
from acap.archives.site_documents import (
    STALE,
    SiteDocuments,
    documents_of,
    may_decide,
    targets_of,
    with_documents,
)
from acap.archives.timeline import Timelines
from acap.harvest.keeper import Keeper
from acap.harvest.store import Store
from acap.retrieval.answers import Rules
from acap.retrieval.locations import robots_url, site_of
from acap.robots import RobotsPolicy

Missing = Literal["prohibited", "permitted", "now"]
"""What decides on crawling where no policy of the time is known: nothing may have been crawled, everything may, or the
current policy decides."""

_CHOSEN = {"chosen": "no robots.txt of that time is known, and --missing permitted"}
"""Evidence for a site whose policy of the time is unknown, and which the operator treats as one without a policy."""


class ImportPolicies:
    """The policies of all sites in the archives, by time, and the newest known one of each."""

    def __init__(
        self, store: Store, fetch: Callable[[str], RobotsPolicy] | None, missing: Missing, paths: Iterable[Path]
    ) -> None:
        self._store = store
        self._fetch = fetch
        self._missing = missing
        operator = store.operator
        self._dialect = operator.dialect
        rules = Rules.of(operator.dialect, forbidden=operator.forbidden)
        self._timelines = Timelines(operator.dialect, rules, paths, store.clock.now(), known=store.policies.history)
        self._paths = tuple(paths)
        self._now: dict[str, RobotsPolicy] = {}
        self._fetched: dict[str, RobotsPolicy] = {}

    def keep(self, keeper: Keeper) -> None:
        """Keeps what the archives say of sites, so that other archives may be taken in later."""
        now = self._store.clock.now()
        for url, timeline in self._timelines.timelines():
            keeper.learn(url, timeline.policies(), now)
        sites = set(self._archived.sites) if self._store.operator.usages else set[str]()
        sites |= {site for site, named in self._named.items() if self._archived.has_any(named)}
        for site in sorted(sites):
            policy = self.of_now(site)
            if documents_of(policy) is not None:
                keeper.learn(site, [policy], now)

    @cached_property
    def _named(self) -> dict[str, set[str]]:
        """The licences that the robots.txt of each site names or its pages are known to name, and its TDM policies."""
        newest = (timeline.newest(self._store.clock.now()) for _, timeline in self._timelines.timelines())
        known = (self._store.policies.last(url) for url, _, _ in self._store.policies.sites())
        by_site: dict[str, set[str]] = {}
        for _, policy in filter(None, (*newest, *known)):
            documents = documents_of(policy) or SiteDocuments()
            of_pages = (one.url for one in documents.of_pages)
            if named := {*targets_of(policy), *of_pages, *documents.policies}:
                by_site.setdefault(site_of(policy.url or ""), set()).update(named)
        return by_site

    @cached_property
    def _archived(self) -> ArchivedDocuments:
        """The documents in the archives, which are read for them once something asks: for policies in a second turn."""
        named, now = {url for of_site in self._named.values() for url in of_site}, self._store.clock.now()
        archived = ArchivedDocuments(self._paths, named, now)
        policies = {url for site in archived.sites for url in archived.policies_ever(site)} - named
        return ArchivedDocuments(self._paths, named | policies, now) if policies else archived

    @cached_property
    def _of_pages(self) -> ArchivedDocuments:
        """The licences in the archives that pages there name; read for them once one of these pages is kept."""
        return ArchivedDocuments(self._paths, named_by_pages(self._paths), self._store.clock.now())

    def of_time(self, url: str, at: datetime) -> tuple[RobotsPolicy, ...]:
        """The policies of a URL's site at an instant, each of which has to permit."""
        at_site = robots_url(url)
        if policies := self._timelines.of(at_site).speaking(at):
            return policies
        if self._missing == "permitted":
            return (RobotsPolicy.absent(at_site, dialect=self._dialect).with_evidence(_CHOSEN),)
        fetched = self._live(at_site) if self._missing == "now" else None
        return (RobotsPolicy.unreachable(at_site, dialect=self._dialect) if fetched is None else fetched,)

    def of_now(self, url: str) -> RobotsPolicy:
        """The newest known policy of a URL's site: from the site itself, the store, or the archives."""
        at_site = robots_url(url)
        known = self._now.get(at_site)
        if known is None:
            known = self._now[at_site] = self._with_documents(self._newest(at_site))
        return known

    def of_page(self, url: str, named: Sequence[str]) -> RobotsPolicy:
        """The same, with the licences that a page of the site names, as far as the archives or the store have them."""
        policy = self.of_now(url)
        if not named or policy.state == "unreachable":
            return policy
        known = documents_of(policy) or self._known(url) or SiteDocuments()
        documents = self._of_pages.with_pages(url, named, known)
        if documents is not documents_of(policy) and documents.documents:
            policy = self._now[robots_url(url)] = with_documents(policy, documents)
        return policy

    def _with_documents(self, policy: RobotsPolicy) -> RobotsPolicy:
        """A policy with what its site says beside it: now, if it was asked, or else by the archives and the store."""
        is_live = any(policy is one for one in self._fetched.values())
        known = self._known(policy.url or "")
        may_have = may_decide(policy, self._store.operator.usages) or (known is not None and known.of_pages)
        if (is_live and documents_of(policy) is not None) or policy.state == "unreachable" or not may_have:
            return policy
        documents = self._archived.beside(policy, known)
        return policy if documents is None else with_documents(policy, documents)

    def _known(self, url: str) -> SiteDocuments | None:
        """The documents of a URL's site that the store knows."""
        last = self._store.policies.last(url)
        return None if last is None else documents_of(last[1])

    def _newest(self, at_site: str) -> RobotsPolicy:
        fetched = self._live(at_site)
        if fetched is not None and fetched.state != "unreachable":
            return fetched
        shelf, now = self._store.policies, self._store.clock.now()
        speaking = shelf.speaking(at_site, now)
        known = None if speaking is None else (shelf.fetched_at(speaking[0]), speaking[1])
        if known is not None and known[1].state == "unreachable" and not known[1].evidence:
            known = None  # the site was never asked
        newest = self._timelines.of(at_site).newest(now)
        is_archived = newest is not None and bool(newest[1].evidence.get("archive"))
        # Of the same instant an archive has what an earlier import knew, and whatever was added since.
        if newest is not None and (
            (known is None and (is_archived or now - newest[0] <= STALE))
            or (known is not None and (known[0] < newest[0] or (known[0] == newest[0] and is_archived)))
        ):
            known = newest
        # Where the site was asked and did not answer, its last policy serves for a while (RFC 9309 2.3.1.4).
        if known is None or (fetched is not None and now - known[0] > STALE):
            return fetched or RobotsPolicy.unreachable(at_site, dialect=self._dialect)
        return known[1]

    def _live(self, at_site: str) -> RobotsPolicy | None:
        if self._fetch is None:
            return None
        if at_site not in self._fetched:
            fetched = self._fetch(at_site)
            is_other = fetched.state == "present" and not _native.is_robots(fetched.octets)
            if is_other and self._timelines.of(at_site).has_file:  # another document in its place
                fetched = RobotsPolicy.unreachable(at_site, dialect=self._dialect).with_evidence(fetched.evidence)
            self._fetched[at_site] = fetched
        return self._fetched[at_site]
