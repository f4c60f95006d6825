"""Every number that bounds the decision service, with its reason; and the octets that it holds at a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

BODY_OCTETS = 4 * 2**20  # 20,000 URLs of 200 octets
ROWS = 20_000  # answers of one request, a URL for a usage each: a tenth of a second of work
NAMES = 16  # names of a crawler, or purposes: each is asked about in turn
NAME_CHARACTERS = 1_000  # of a crawler or purpose; a User-Agent has 200
REQUESTS = 256  # taken and not answered; beyond them a client is told to come again
HELD_OCTETS = 128 * 2**20  # of bodies and answers of all of them together
CLIENT_SECONDS = 30.0  # for a client to send a whole body, or to take a whole answer; 6 MB need 2 Mbit/s for that
SLOW_SECONDS = 2.0  # for which what waits for its client keeps its octets where others need them
CONNECTIONS = 1_024  # a fleet of crawlers with a few connections each; an idle one costs a few kilobytes
IDLE_SECONDS = 75  # for which a connection waits for its next request: longer than the pools of usual clients

RULE_CHARACTERS = 200  # of the text of the deciding line; more is cut, for it is shown and not evaluated
RESTRICTION_CHARACTERS = 2_000  # of an answer's restrictions; more cannot be sent, so the answer is a prohibition

DEADLINE_SECONDS = 5.0  # of a request that names none
MOST_DEADLINE_SECONDS = 30.0  # as long as a retrieval takes at most
ENCODING_SECONDS = 0.1  # before the deadline waiting ends, so that the answer comes by then
DECIDING_SECONDS = 2.0  # for deciding what is known; a millisecond takes a thousand URLs, or one of a hostile site
DECIDING_AT_ONCE = 2  # batches: while one is in the core, the other may be made into an answer
CHUNK_ROWS = 2_048  # answers that are given before the time is looked at; each may have a line of 16 KB
CHUNK_OCTETS = 32 * 2**20  # of policies that they ask, counted for each: hostile ones take 8 ns an octet and answer

LIGHT_BODY_OCTETS = 65_536  # of a body that is read at once, between two requests: a millisecond
READING_SECONDS = 5.0  # for a longer one to be read; hostile ones take half a second each
LIGHT_ROWS = 2_048  # of a batch that is decided at once, between two requests: some milliseconds
LIGHT_OCTETS = 16 * 2**20  # of the policies that it asks, counted as above; hostile ones take a tenth of a second
SWITCH_SECONDS = 0.001  # for which a thread that decides a heavy batch may keep the others from going on

FETCHES_AT_ONCE = 256  # retrievals on their way; what a server that never answers holds is one of them
FETCHES_WAITING = 5_000  # retrievals that are on their way or wait for their turn
FETCHES_OF_ONE = 4  # at the same time from hosts of one domain: they are likely one machine
FETCHES_WAITING_OF_ONE = 200  # on their way or waiting of one domain: no page with a thousand hosts may fill the queue
TURN_SECONDS = 30.0  # for which a retrieval waits for its turn: as long as anybody waits for it
FETCH_SECONDS = 10.0  # for one retrieval with its redirects
SHELF_OCTETS = 128 * 2**20  # of the files behind the policies that are kept ready
RETRY_SECONDS = 1  # after which it is worth to ask again for what was not known in time


class OctetBudget:
    """How many octets are held at the moment, and how many may be.

    What waits for a slow client, to be sent or to be taken, keeps its octets only as long as nobody else needs them.
    """

    def __init__(self, most: int = HELD_OCTETS) -> None:
        self.most = most
        self.now = 0
        self.waiting: dict[Keeping, float] = {}
        """What waits for its client, each with when that began; the oldest first."""

    @contextmanager
    def keeping(self) -> Iterator[Keeping]:
        """The octets of one request; all of them are let go at its end."""
        keeping = Keeping(self)
        try:
            yield keeping
        finally:
            keeping.let_go()

    def has_room(self, octets: int) -> bool:
        """Whether there is room for so many more; slow clients make room, those first that have had most time."""
        while self.now + octets > self.most:
            slowest, began = next(iter(self.waiting.items()), (None, 0.0))
            if slowest is None or time.monotonic() - began < SLOW_SECONDS:
                return False
            slowest.cut()
        return True


class Keeping:
    """The octets that one request holds."""

    def __init__(self, budget: OctetBudget) -> None:
        self._budget = budget
        self._own = 0
        self._end_waiting: Callable[[], None] = lambda: None
        self._is_cut = False

    def take(self, octets: int) -> bool:
        """Holds more octets; false, and nothing is held, if there is no room for them."""
        if not self._budget.has_room(octets):
            return False
        self._budget.now += octets
        self._own += octets
        return True

    @asynccontextmanager
    async def waiting(self) -> AsyncIterator[None]:
        """Waits for the client. Raises TimeoutError where that takes too long, or others need the octets meanwhile."""
        loop = asyncio.get_running_loop()
        self._is_cut = False
        async with asyncio.timeout(CLIENT_SECONDS) as limit:
            self._end_waiting = lambda: None if limit.expired() else limit.reschedule(loop.time())
            self._budget.waiting[self] = time.monotonic()
            try:
                yield
            finally:
                self._budget.waiting.pop(self, None)
        if self._is_cut:
            raise TimeoutError

    def cut(self) -> None:
        """Ends the waiting, and lets go of what waited."""
        self._is_cut = True
        self._budget.waiting.pop(self, None)
        self.let_go()
        self._end_waiting()

    def let_go(self) -> None:
        """Holds nothing any more."""
        self._budget.now -= self._own
        self._own = 0
