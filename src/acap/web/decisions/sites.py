"""The policies of sites: kept ready, and retrieved where they are not, within bounds.

The laws of this module:

1. A retrieval goes on when nobody waits for it any more, so that who asks again finds its result.
2. A site is asked once at a time, the hosts of its domain a few at a time, and all sites in a bounded number.
3. Whoever waits holds no policy: what is kept ready is bounded by its octets, whatever is asked for.
4. Policies are retrieved and read in a thread of their own, so that none of them keeps what is known waiting.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection
from datetime import datetime
from typing import NamedTuple

from acap.clock import Clock
from acap.logs import event
from acap.retrieval import AsyncRetriever
from acap.retrieval.pace import DomainPace, domain_of
from acap.retrieval.retrieved import stated_at
from acap.robots import RobotsPolicy
from acap.web.decisions import bounds
from acap.web.decisions.aside import Aside

Names = tuple[str, ...]
RetrieverOf = Callable[[Names | None], AsyncRetriever]

_POLICY_OCTETS = 4_096  # what a policy costs besides its file, roughly
_AT_A_TIME = 250  # retrievals that are begun before others go on: a millisecond or two
_THREADS = 40  # for a cache on a disk, beside one for each name that is resolved
_log = logging.getLogger(__name__)


class ReadyPolicy(NamedTuple):
    """A policy that counts from one instant `until` another, and what its evidence tells of it.

    `stated_at` is when the site last said so, None if it never did. `failure` is the kind of what went wrong where the
    site is out of reach, else None. `refers`: it may refer crawlers to other documents. Instants are in seconds.
    """

    policy: RobotsPolicy
    since: float
    until: float
    stated_at: float | None
    stale: bool
    failure: str | None
    refers: bool
    octets: int

    @classmethod
    def of(cls, policy: RobotsPolicy, since: float) -> ReadyPolicy:
        """From a policy that a retriever gives."""
        evidence = policy.evidence
        documents = [evidence, *filter(None, (evidence.get("references") or {}).values())]
        stated = stated_at(evidence)
        failure = None
        if policy.state == "unreachable":
            failure, stated = (evidence["failure"] or {"kind": evidence["meaning"]})["kind"], None
        return cls(
            policy,
            since,
            min(datetime.fromisoformat(one["expires_at"]).timestamp() for one in documents),
            None if stated is None else stated.timestamp(),
            bool(evidence["stale"]),
            failure,
            policy.has_line("ACAP"),
            len(policy.text) + sum(len(octets or b"") for _, octets in policy.supplied) + _POLICY_OCTETS,
        )


class Sites:
    """The policies of sites, for the tasks of one event loop. A site is its URL without a path: `https://a.example`."""

    def __init__(
        self,
        retriever_of: RetrieverOf,
        clock: Clock,
        *,
        octets: int = bounds.SHELF_OCTETS,
        at_once: int = bounds.FETCHES_AT_ONCE,
        waiting: int = bounds.FETCHES_WAITING,
    ) -> None:
        """`retriever_of` makes the retriever for a crawler whose references are wanted; None for nobody's.

        `octets` bounds the files behind the policies that are kept, `at_once` the retrievals on their way, and
        `waiting` those that wait for their turn as well.
        """
        self._retriever_of = retriever_of
        self._retriever = retriever_of(None)
        self._clock = clock
        self._octets = octets
        self._waiting = waiting
        self._aside = Aside(at_once + _THREADS)
        self._pace = DomainPace(at_once, bounds.FETCHES_OF_ONE)
        self._ready: OrderedDict[tuple[str, Names | None], ReadyPolicy] = OrderedDict()
        self._held = 0
        self._tasks: dict[tuple[str, Names], asyncio.Task[str | None]] = {}
        self._domains: Counter[str] = Counter()
        self._ending = False
        self.results: Counter[str] = Counter()

    @property
    def retrieving(self) -> int:
        """How many retrievals are under way or wait for their turn."""
        return len(self._tasks)

    @property
    def kept(self) -> tuple[int, int]:
        """How many policies are ready, and roughly the octets that they take."""
        return len(self._ready), self._held

    def ready(self, site: str, crawler: Names) -> ReadyPolicy | None:
        """The policy of a site for a crawler, if it is known and counts now."""
        ready_policy = self._find((site, None))
        if ready_policy is not None and ready_policy.refers and ready_policy.policy.missing_references(crawler):
            return self._find((site, crawler))
        return ready_policy

    async def gather(self, sites: Collection[str], crawler: Names, seconds: float) -> dict[str, str]:
        """Retrieves the policies of sites within a time; of those that are still unknown, why: one of `UNKNOWN`."""
        tasks = {}
        for number, site in enumerate(sites, 1):
            if (task := self._retrieval(site, crawler)) is not None:
                tasks[site] = task
            if number % _AT_A_TIME == 0:
                await asyncio.sleep(0)
        if tasks and seconds > 0:
            await asyncio.wait(tasks.values(), timeout=seconds)
        unknown = (site for site in sites if self.ready(site, crawler) is None)
        return {site: self._why(tasks.get(site)) for site in unknown}

    def end(self) -> None:
        """Lets go of every retrieval; whoever waits for one goes on without it."""
        self._ending = True
        for task in self._tasks.values():
            task.cancel()

    def close(self) -> None:
        """Ends the thread that retrieves, after `end`."""
        self._aside.end()

    def _why(self, task: asyncio.Task[str | None] | None) -> str:
        if self._ending:
            return "ending"
        if task is not None and not task.done():
            return "deadline"
        failed = None if task is None or task.cancelled() else task.result()
        return failed or "overloaded"  # there was no room for its retrieval, or for its policy

    def _retrieval(self, site: str, crawler: Names) -> asyncio.Task[str | None] | None:
        """The retrieval for a site, which may be under way already; None if there is no room for one more."""
        key = (site, crawler)
        task = self._tasks.get(key)
        if task is not None or self._ending or len(self._tasks) >= self._waiting:
            return task
        domain = domain_of(site)
        if self._domains[domain] >= bounds.FETCHES_WAITING_OF_ONE:
            return None

        def done(_: asyncio.Task[str | None]) -> None:
            del self._tasks[key]
            self._domains[domain] -= 1
            if not self._domains[domain]:
                del self._domains[domain]

        task = self._tasks[key] = asyncio.create_task(self._know(site, crawler, domain))
        self._domains[domain] += 1
        task.add_done_callback(done)
        return task

    async def _know(self, site: str, crawler: Names, domain: str) -> str | None:
        """Makes the policy of a site ready for a crawler; why not, if no answer of the site is the reason."""
        try:
            async with asyncio.timeout(bounds.TURN_SECONDS) as waiting, self._pace.turn(domain):
                waiting.reschedule(None)
                ready = self._find((site, None)) or await self._retrieve(self._retriever, site, None)
                if ready.refers and ready.policy.missing_references(crawler):
                    await self._retrieve(self._retriever_of(crawler), site, crawler)
        except TimeoutError:
            return "overloaded"
        except Exception as error:  # noqa: BLE001  whatever it is, the site stays unknown, which prohibits
            why = f"{type(error).__name__}: {error}"
            event(
                _log, logging.ERROR, "failed", f"the policy of {site} was not retrieved: {why}", site=site, failure=why
            )
            self.results["fault"] += 1
            return "fault"
        return None

    async def _retrieve(self, retriever: AsyncRetriever, site: str, crawler: Names | None) -> ReadyPolicy:
        since = self._clock.now().timestamp()
        # The host came from whoever asks, who may have it from a page: it may not lead into a private network.
        ready = ReadyPolicy.of(await self._aside.run(retriever.robots(f"{site}/", found=True)), since)
        result = ready.failure or ("stale" if ready.stale else str(ready.policy.state))
        self.results[result] += 1
        event(_log, logging.INFO, "policy", f"{site}: {result}", site=site, result=result, octets=ready.octets)
        self._keep((site, crawler), ready)
        return ready

    def _find(self, key: tuple[str, Names | None]) -> ReadyPolicy | None:
        ready = self._ready.get(key)
        if ready is None or not ready.since <= self._clock.now().timestamp() < ready.until:
            return None
        self._ready.move_to_end(key)
        return ready

    def _keep(self, key: tuple[str, Names | None], ready: ReadyPolicy) -> None:
        if (old := self._ready.pop(key, None)) is not None:
            self._held -= old.octets
        self._ready[key] = ready
        self._held += ready.octets
        while self._held > self._octets and len(self._ready) > 1:
            self._held -= self._ready.popitem(last=False)[1].octets
