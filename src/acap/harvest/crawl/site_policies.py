"""What the sites of a crawl say beside robots.txt: asked for before the first page, and again when it expires.

The laws of this module:

1. No page is fetched while something that decides on it is unknown for want of asking, and none is judged before the
   licences that it names were asked for. Where nothing of a site could decide (no usages of the operator, and no
   licence that robots.txt or a page names), it is asked for nothing.
2. What pages name is bounded as what a robots.txt names: in number, on other hosts above all, in octets and in time.
   The pages of one site share these bounds. It is asked for by the robots.txt of its host. Where a bound is reached,
   what no page names that is kept is dropped when the next crawl of the site begins.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from acap.archives.page_licences import licences, licences_named
from acap.archives.site_documents import (
    KeptDocument,
    SiteDocuments,
    documents_of,
    kept_document,
    may_decide,
    with_documents,
)
from acap.harvest.latest import page_without_content
from acap.harvest.operator import Operator
from acap.harvest.store.policies import PolicyShelf
from acap.harvest.store.resources import Resources
from acap.retrieval.client import AsyncRetriever
from acap.retrieval.locations import site_of
from acap.retrieval.retrieved import Retrieved, stated_at
from acap.robots import RobotsPolicy
from acap.sites.gathering import MAX_DOCUMENTS, MAX_ELSEWHERE, gather

_READY = 256  # policies kept with their documents read
_LOOKED_AT = 10_000  # versions, for the licences that they name: some seconds
_NEVER = datetime.max.replace(tzinfo=UTC)


class _KnownPolicy(NamedTuple):
    robots: RobotsPolicy
    policy: RobotsPolicy
    until: datetime


class CrawlPolicies:
    """The policies of a crawl, with the documents of their sites."""

    def __init__(
        self,
        retriever: AsyncRetriever,
        operator: Operator,
        policies: PolicyShelf,
        of_pages: AsyncRetriever | None = None,
        resources: Resources | None = None,
    ) -> None:
        """`policies` and `resources` are those of the store; `of_pages` retrieves what pages name."""
        self._retriever = retriever
        self._of_pages = of_pages or retriever
        self._operator = operator
        self._policies = policies
        self._resources = resources
        self._known: OrderedDict[str, _KnownPolicy] = OrderedDict()
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def policy(self, url: str, robots: RobotsPolicy) -> RobotsPolicy:
        """The policy of a URL's site with its documents, which are asked for if they have to be."""
        if robots.state == "unreachable":
            return robots
        site = site_of(url)
        async with self._turns[site]:
            known = self._known.get(site)
            now = self._retriever.clock.now()
            # Two requests at once may have read the same answer each for itself.
            is_same = known is not None and (known.robots, known.robots.evidence) == (robots, robots.evidence)
            if known is None or not is_same or known.until <= now:
                last = self._policies.last(url) if known is None else (0, known.policy)
                known = await self._gathered(url, robots, None if last is None else documents_of(last[1]), now)
                self._keep(site, known)
            return known.policy

    async def with_licences(self, url: str, policy: RobotsPolicy, named: Sequence[str]) -> RobotsPolicy:
        """The policy with the licence documents too that a page of its site names, as far as they may be asked for."""
        if policy.state == "unreachable" or _has_all(policy, named):
            return policy
        site = site_of(url)
        async with self._turns[site]:
            known = self._known.get(site) or _KnownPolicy(policy, policy, _NEVER)
            documents = documents_of(known.policy) or SiteDocuments()
            wanted = [one for one in named if not documents.knows(one)]
            came = await self._of_pages.gather(licences(known.policy, wanted, self._of_pages.patience))
            if came:
                documents = documents.with_pages((*documents.of_pages, *_kept(came)))
                until = min(known.until, *(retrieved.expires_at for retrieved in came))
                known = _KnownPolicy(known.robots, with_documents(known.policy, documents), until)
                self._keep(site, known)
            return known.policy

    async def _gathered(
        self, url: str, robots: RobotsPolicy, before: SiteDocuments | None, now: datetime
    ) -> _KnownPolicy:
        """What a site says now; `before` is what it said before."""
        named = [] if before is None else [document.url for document in before.of_pages]
        if site_of(url) not in self._known and _is_full(named, site_of(url)):
            named = self._still_named(site_of(url), named)
        documents, until = SiteDocuments(), _NEVER
        if may_decide(robots, self._operator.usages):
            policy = await self._retriever.gather(gather(self._retriever, url, crawlers=(self._operator.crawler,)))
            documents, until = SiteDocuments.of_site(policy), policy.expires_at
        elif not named:
            return _KnownPolicy(robots, robots, _NEVER)
        came = await self._of_pages.gather(licences(robots, named, self._of_pages.patience))
        documents = documents.with_pages(_kept(came)).after(before, now)
        until = min((until, *(retrieved.expires_at for retrieved in came)))
        return _KnownPolicy(robots, with_documents(robots, documents), until)

    def _still_named(self, site: str, licences: Sequence[str]) -> list[str]:
        """The licences that versions name of which something is kept; all of them if there are very many versions."""
        if self._resources is None:
            return list(licences)
        unseen = set(licences)
        for number, version in enumerate(self._resources.may_name_licences(site)):
            if not unseen:
                break
            if number >= _LOOKED_AT:
                return list(licences)
            unseen.difference_update(licences_named(version.url, page_without_content(version)))
        return [one for one in licences if one not in unseen]

    def _keep(self, site: str, known: _KnownPolicy) -> None:
        self._known[site] = known
        if len(self._known) > _READY:
            self._known.popitem(last=False)


def _kept(licences: Iterable[Retrieved]) -> list[KeptDocument]:
    return [kept_document("page-licence", retrieved.url, retrieved) for retrieved in licences]


def _is_full(licences: Sequence[str], home: str) -> bool:
    """Whether pages of a site name as many documents as are asked for, in all or on other hosts."""
    return len(licences) >= MAX_DOCUMENTS or sum(site_of(one) != home for one in licences) >= MAX_ELSEWHERE


def asked_at(policy: RobotsPolicy) -> datetime | None:
    """When a site was last asked for its policy, or for a document beside it."""
    documents = documents_of(policy)
    evidence = [
        policy.evidence,
        *(() if documents is None else (document.evidence for document in documents.documents)),
    ]
    return max(filter(None, map(stated_at, evidence)), default=None)


def _has_all(policy: RobotsPolicy, named: Iterable[str]) -> bool:
    """Whether a policy carries each licence document."""
    documents = documents_of(policy)
    return all(documents is not None and documents.knows(one) for one in named)
