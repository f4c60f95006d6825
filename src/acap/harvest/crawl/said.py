"""What the sites of a crawl say beside robots.txt: asked for before the first page, and again when it expires.

Law: no page is fetched while something that decides on it is unknown for want of asking. Where nothing of it could
decide (no usages of the operator, and no licence that robots.txt names), no site is asked for it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, defaultdict
from datetime import datetime
from typing import NamedTuple

from acap.harvest.documents import SiteDocuments, documents_of, may_decide, with_documents
from acap.harvest.operator import Operator
from acap.harvest.store.policies import PolicyShelf
from acap.retrieval.client import AsyncRetriever
from acap.retrieval.locations import site_of
from acap.robots import RobotsPolicy
from acap.sites.gathering import gather

_READY = 256  # policies kept with their documents read


class _Heard(NamedTuple):
    robots: RobotsPolicy
    policy: RobotsPolicy
    until: datetime


class SitesSaid:
    """The policies of a crawl, with the documents of their sites."""

    def __init__(self, retriever: AsyncRetriever, operator: Operator, policies: PolicyShelf) -> None:
        """`policies` are those of the store that the crawl writes."""
        self._retriever = retriever
        self._operator = operator
        self._policies = policies
        self._said: OrderedDict[str, _Heard] = OrderedDict()
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def policy(self, url: str, robots: RobotsPolicy) -> RobotsPolicy:
        """The policy of a URL's site with its documents, which are asked for if they have to be."""
        if not may_decide(robots, self._operator):
            return robots
        site = site_of(url)
        async with self._turns[site]:
            known = self._said.get(site)
            now = self._retriever.clock.now()
            # Two requests at once may have read the same answer each for itself.
            is_same = known is not None and (known.robots, known.robots.evidence) == (robots, robots.evidence)
            if known is None or not is_same or known.until <= now:
                said = await self._retriever.gather(gather(self._retriever, url, crawlers=(self._operator.crawler,)))
                last = (known.robots, known.policy) if known is not None else self._policies.last(url)
                before = None if last is None else documents_of(last[1])
                policy = with_documents(robots, SiteDocuments.of_site(said).after(before, now))
                known = self._said[site] = _Heard(robots, policy, said.expires_at)
                if len(self._said) > _READY:
                    self._said.popitem(last=False)
            return known.policy


def asked_at(policy: RobotsPolicy) -> datetime | None:
    """When a site was last asked for its policy, or for a document beside it."""
    documents = documents_of(policy)
    told = [policy.evidence, *(() if documents is None else (one.evidence for one in documents.documents))]
    times = [one.get("confirmed_at") or one.get("fetched_at") for one in told]
    return max((datetime.fromisoformat(str(time)) for time in times if time is not None), default=None)
