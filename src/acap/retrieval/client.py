"""`Retriever` and `AsyncRetriever`: the policy of a URL's site, whatever the network does.

Both do the same, one with threads and one with tasks. What they do is in `policies` and `plan`, what answers mean in
`answers`, how long they count in `freshness`, which addresses may be reached in `guard`.
"""

from __future__ import annotations

import queue
import ssl
import threading
import time
from collections import deque
from collections.abc import AsyncIterable, Generator, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from types import TracebackType
from typing import Any, Self, TypeAlias, TypeVar, cast

import anyio
import anyio.to_thread
import httpx2

from acap.retrieval.cache import MemoryCache
from acap.retrieval.callers import of_async_client, of_client
from acap.retrieval.errand import errand
from acap.retrieval.exchange import Exchange, Reply, Request
from acap.retrieval.guard import Resolver
from acap.retrieval.plan import TROUBLE, Ask, Load, Plan, StoreAnswer, WantedUrl, failure_of, refused, reply_of
from acap.retrieval.policies import BaseRetriever
from acap.retrieval.retrieved import Retrieved
from acap.retrieval.telling import tell
from acap.retrieval.transport import AsyncGuardedTransport, GuardedTransport
from acap.retrieval.turns import AsyncTurns, ThreadTurns
from acap.robots import RobotsPolicy

AT_ONCE = 4
"""Requests on the way at the same time, as they are wanted together: a site is not to feel them."""

G = TypeVar("G")
Gathering: TypeAlias = Generator[Sequence[WantedUrl], Sequence[Retrieved], G]
"""Steps that need several URLs each, and come to a value."""


class Retriever(BaseRetriever[httpx2.BaseTransport]):
    """Retrieves policies. It may be used from any thread; each URL is retrieved by one of them at a time."""

    def robots(self, url: str, *, refresh: bool = False, found: bool = False, exact: bool = False) -> RobotsPolicy:
        """The policy of the URL's scheme, host and port, with `evidence` of its retrieval.

        Trouble with the network never raises: the policy then prohibits everything, unless a copy may stand in (RFC
        9309 2.3.1.4). `refresh` asks the site even if a copy is fresh. `found` says that the URL is not the user's own
        but was found in a page or a file: its host may then not be private, as with a redirect. `exact` says that the
        policy is at that very URL and not at `/robots.txt`; it applies to the same scheme, host and port all the same.
        Raises ValueError for a URL that is not http or https or has no host, RuntimeError once closed.
        """
        steps = self._policy(url, refresh=refresh, found=found, exact=exact)
        try:
            wanted = next(steps)
            while True:
                wanted = steps.send(self._retrieve(wanted))
        except StopIteration as stop:
            policy: RobotsPolicy = stop.value
            return policy

    def fetch(self, url: str, *, refresh: bool = False, found: bool = False) -> Retrieved:
        """The answer at that very URL, under the same rules, bounds and cache; options and errors as for `robots`."""
        return self._retrieve(self._one(url, refresh=refresh, found=found))

    def gather(self, steps: Gathering[G]) -> G:
        """What the steps come to: each of them wants some URLs, at most `AT_ONCE` of which are retrieved at once.

        Raises RuntimeError once closed.
        """
        self._check_open()
        try:
            wanted = next(steps)
            while True:
                wanted = steps.send(self._each(wanted))
        except StopIteration as stop:
            found: G = stop.value
            return found

    def _each(self, wanted: Sequence[WantedUrl]) -> list[Retrieved]:
        waiting = deque(enumerate(wanted))
        done: queue.SimpleQueue[tuple[int, Retrieved | BaseException]] = queue.SimpleQueue()

        def work() -> None:
            while waiting:
                try:
                    place, one = waiting.popleft()
                except IndexError:  # another thread was quicker
                    return
                try:
                    done.put((place, self._retrieve(one)))
                except BaseException as error:  # noqa: BLE001  it is raised below
                    done.put((place, error))

        # Whoever interrupts does not wait for them.
        for _ in range(min(AT_ONCE, len(wanted))):
            threading.Thread(target=work, name="acap-retriever", daemon=True).start()
        retrieved: dict[int, Retrieved] = {}
        while len(retrieved) < len(wanted):
            place, one = done.get()
            if isinstance(one, BaseException):
                waiting.clear()
                raise one
            retrieved[place] = one
        return [retrieved[place] for place in range(len(wanted))]

    def close(self) -> None:
        """Closes the cache file, if a path was given. What is under way in other threads ends as it would have."""
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _connect(self, allow_private: bool, resolver: Resolver, tls: ssl.SSLContext | None) -> httpx2.BaseTransport:
        self._turns = ThreadTurns()
        return GuardedTransport(allow_private=allow_private, resolver=resolver, tls=tls)

    def _by_client(self, client: object, allow_private: bool) -> httpx2.BaseTransport:
        return of_client(client, allow_private=allow_private)

    def _retrieve(self, wanted: WantedUrl) -> Retrieved:
        with self._turns.take(wanted.url) as overtaken:
            plan = self._plan.of(wanted)
            steps = plan.steps(wanted, overtaken=overtaken)
            cache_failure: str | None = None
            result: Any = None
            asked = False
            while True:
                try:
                    command = steps.send(result)
                except StopIteration as stop:
                    retrieved: Retrieved = replace(stop.value, cache_failure=cache_failure)
                    tell(retrieved, asked=asked)
                    return retrieved
                match command:
                    case Load(url):
                        result, cache_failure = self._load(url)
                    case Ask(exchange, deadline):
                        asked = True
                        while (request := exchange.request) is not None:
                            if self._permits(wanted, request) is True:
                                with errand(request.url) if wanted.is_for_policy else nullcontext():
                                    self._send(plan, exchange, request, deadline)
                            else:
                                exchange.fail(refused(request))
                    case StoreAnswer(answer):
                        cache_failure = self._store(answer) or cache_failure

    def _send(self, plan: Plan, exchange: Exchange, request: Request, deadline: float) -> None:
        reply: Reply | None = None
        try:
            response = self._transport.handle_request(plan.outgoing(request, deadline))
            try:
                reply = reply_of(response)
                body = plan.body(reply)
                if body is not None:
                    for octets in cast("Iterable[bytes]", response.stream):
                        if not body.feed(octets):
                            break
            finally:
                response.close()
            whole = plan.whole(reply, body)
        except TROUBLE as error:
            exchange.fail(failure_of(error, reply), reply)
        else:
            exchange.receive(whole)


class AsyncRetriever(BaseRetriever[httpx2.AsyncBaseTransport]):
    """`Retriever` for the tasks of one event loop (asyncio or Trio)."""

    async def robots(
        self, url: str, *, refresh: bool = False, found: bool = False, exact: bool = False
    ) -> RobotsPolicy:
        """As `Retriever.robots`."""
        steps = self._policy(url, refresh=refresh, found=found, exact=exact)
        try:
            wanted = next(steps)
            while True:
                wanted = steps.send(await self._retrieve(wanted))
        except StopIteration as stop:
            policy: RobotsPolicy = stop.value
            return policy

    async def fetch(self, url: str, *, refresh: bool = False, found: bool = False) -> Retrieved:
        """As `Retriever.fetch`."""
        return await self._retrieve(self._one(url, refresh=refresh, found=found))

    async def gather(self, steps: Gathering[G]) -> G:
        """As `Retriever.gather`."""
        self._check_open()
        try:
            wanted = next(steps)
            while True:
                wanted = steps.send(await self._each(wanted))
        except StopIteration as stop:
            found: G = stop.value
            return found

    async def _each(self, wanted: Sequence[WantedUrl]) -> list[Retrieved]:
        retrieved: dict[int, Retrieved] = {}
        room = anyio.CapacityLimiter(AT_ONCE)

        async def work(place: int, wanted: WantedUrl) -> None:
            async with room:
                retrieved[place] = await self._retrieve(wanted)

        async with anyio.create_task_group() as tasks:
            for place, one in enumerate(wanted):
                tasks.start_soon(work, place, one)
        return [retrieved[place] for place in range(len(wanted))]

    async def aclose(self) -> None:
        """As `Retriever.close`."""
        self._close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    def _connect(
        self, allow_private: bool, resolver: Resolver, tls: ssl.SSLContext | None
    ) -> httpx2.AsyncBaseTransport:
        self._turns = AsyncTurns()
        return AsyncGuardedTransport(allow_private=allow_private, resolver=resolver, tls=tls)

    def _by_client(self, client: object, allow_private: bool) -> httpx2.AsyncBaseTransport:
        return of_async_client(client, allow_private=allow_private)

    async def _retrieve(self, wanted: WantedUrl) -> Retrieved:
        # A cache in memory answers at once; any other may wait for a disk or a lock.
        waits = not isinstance(self._cache, MemoryCache)
        async with self._turns.take(wanted.url) as overtaken:
            plan = self._plan.of(wanted)
            steps = plan.steps(wanted, overtaken=overtaken)
            cache_failure: str | None = None
            result: Any = None
            asked = False
            while True:
                try:
                    command = steps.send(result)
                except StopIteration as stop:
                    retrieved: Retrieved = replace(stop.value, cache_failure=cache_failure)
                    tell(retrieved, asked=asked)
                    return retrieved
                match command:
                    case Load(url):
                        loaded = await anyio.to_thread.run_sync(self._load, url) if waits else self._load(url)
                        result, cache_failure = loaded
                    case Ask(exchange, deadline):
                        asked = True
                        while (request := exchange.request) is not None:
                            may = self._permits(wanted, request)
                            if (may if isinstance(may, bool) else await may) is True:
                                with errand(request.url) if wanted.is_for_policy else nullcontext():
                                    await self._send(plan, exchange, request, deadline)
                            else:
                                exchange.fail(refused(request))
                    case StoreAnswer(answer):
                        stored = await anyio.to_thread.run_sync(self._store, answer) if waits else self._store(answer)
                        cache_failure = stored or cache_failure

    async def _send(self, plan: Plan, exchange: Exchange, request: Request, deadline: float) -> None:
        reply: Reply | None = None
        try:
            with anyio.fail_after(deadline - time.monotonic()):
                response = await self._transport.handle_async_request(plan.outgoing(request, deadline))
                try:
                    reply = reply_of(response)
                    body = plan.body(reply)
                    if body is not None:
                        async for octets in cast("AsyncIterable[bytes]", response.stream):
                            if not body.feed(octets):
                                break
                finally:
                    await response.aclose()
                whole = plan.whole(reply, body)
        except TROUBLE as error:
            exchange.fail(failure_of(error, reply), reply)
        else:
            exchange.receive(whole)
