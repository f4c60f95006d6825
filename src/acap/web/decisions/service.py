"""A request from its first octet to its answer: taken if there is room, answered in time, and never with a guess.

The laws of this module:

1. A request is answered with a row for each question, or with another status than 200. Nothing is dropped in silence.
2. What waits is bounded in number, in octets and in time; beyond that a client is told when to come again, and one
   that does not take its answer loses its connection.
3. Large bodies are read and heavy batches decided in threads, so that health and small questions do not wait for them.
4. Only `answers` permits, by a policy that counts now. No failure here makes a row.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope, Send

from acap.clock import Clock
from acap.retrieval.locations import site_of
from acap.web.connections import CUT
from acap.web.decisions import bounds, columns
from acap.web.decisions.answers import Batch, RowAnswer, Rows, to_json
from acap.web.decisions.bounds import Keeping, OctetBudget
from acap.web.decisions.metrics import Metrics
from acap.web.decisions.questions import (
    NotAnsweredError,
    Questions,
    check_no_query,
    from_json,
    from_query,
    seconds_of,
)
from acap.web.decisions.sites import ReadyPolicy, Sites

JSON = "application/json"
DEADLINE_HEADER = "acap-deadline-ms"
_GONE = 499
"""The status, as it is often written, of an answer that nobody is there to read, or takes."""
_PIECE = 65_536  # octets of an answer that are sent before the other end has to have taken them
_log = logging.getLogger(__name__)

Encoder = Callable[[Questions, Rows], bytes]


class Service:
    """Answers batches of questions, with the policies of their sites."""

    def __init__(
        self, sites: Sites, clock: Clock, *, requests: int = bounds.REQUESTS, budget: OctetBudget | None = None
    ) -> None:
        """`requests` is how many are taken at once, and `budget` the octets of all of them."""
        self.sites = sites
        self.metrics = Metrics()
        self._clock = clock
        self._requests = requests
        self.budget = budget or OctetBudget()
        self._under_way = 0
        self._ending = False
        self._threads = ThreadPoolExecutor(bounds.DECIDING_AT_ONCE, "acap-deciding")
        # Not with those that decide: who sends something heavy waits, and nobody else does.
        self._reader = ThreadPoolExecutor(1, "acap-reading")

    @property
    def is_ready(self) -> bool:
        """Whether one more request would be taken."""
        return not self._ending and self._under_way < self._requests

    def end(self) -> None:
        """Takes no request any more, and waits for no site: what was taken is answered with what is known."""
        self._ending = True
        self.sites.end()

    def close(self) -> None:
        """Ends the threads, after `end`."""
        self.sites.close()
        for threads in (self._threads, self._reader):
            threads.shutdown(wait=False, cancel_futures=True)

    def text(self) -> str:
        """What was counted, for Prometheus."""
        policies, octets = self.sites.kept
        gauges = {
            "requests_under_way": ("Requests taken and not answered.", self._under_way),
            "held_octets": ("Octets of bodies and answers that are held.", self.budget.now),
            "retrievals_under_way": ("Retrievals on their way or waiting for their turn.", self.sites.retrieving),
            "policies_ready": ("Policies that are kept ready.", policies),
            "policies_octets": ("Octets of the policies that are kept ready, roughly.", octets),
            "answers_cut_total": ("Answers that were not taken in time, with their connections.", self.metrics.cut),
            "ready": ("Whether one more request would be taken.", int(self.is_ready)),
            "cpu_seconds_total": ("Processor time of the server.", time.process_time()),
        }
        return self.metrics.text(self.sites.results, gauges)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request (ASGI)."""
        began = time.monotonic()
        with self.budget.keeping() as keeping:
            status, headers, body = await self._response(Request(scope, receive), keeping, began)
            try:
                if status != _GONE and not await _sent(scope, send, keeping, status, headers, body):
                    status = _GONE
                    self.metrics.cut += 1
                if status == 200:
                    self.metrics.took(time.monotonic() - began)
            finally:
                self.metrics.requests[status] += 1

    async def _response(self, request: Request, keeping: Keeping, began: float) -> tuple[int, dict[str, str], bytes]:
        """The status, headers and body of the answer to a request, whatever happens."""
        try:
            body, media_type = await self._answered(request, keeping, began)
            return 200, {"content-type": media_type}, body
        except NotAnsweredError as error:
            again = {} if error.retry_after is None else {"retry-after": str(error.retry_after)}
            return error.status, {"content-type": JSON, **again}, refusal(str(error))
        except ClientDisconnect:
            return _GONE, {}, b""
        except Exception as error:  # noqa: BLE001  whatever it is, nothing is answered
            _log.exception("a request for decisions failed")
            return 500, {"content-type": JSON}, refusal(f"internal error ({type(error).__name__})")

    async def _answered(self, request: Request, keeping: Keeping, began: float) -> tuple[bytes, str]:
        """The answer and its media type. Raises NotAnsweredError, ClientDisconnect."""
        self._check()
        read = _reader(request)
        media_type, encode = _encoder(request.headers)
        seconds = _seconds(request.headers)
        body = await _body(request, keeping)
        self._check()
        # What waits for its client is bounded by its octets, before and after: a slow one takes no turn of another.
        self._under_way += 1
        try:
            asked, sites = await self._read(read, body)
            if asked.seconds is not None:
                seconds = min(asked.seconds, bounds.MOST_DEADLINE_SECONDS if seconds is None else seconds)
            until = began + (bounds.DEADLINE_SECONDS if seconds is None else seconds)
            batch = await self._batch(asked, sites, until - bounds.ENCODING_SECONDS)
            answer, rows = await self._decided(batch, encode, max(until, time.monotonic()) + bounds.DECIDING_SECONDS)
        finally:
            self._under_way -= 1
        keeping.let_go()  # the body
        if not keeping.take(len(answer)):
            raise NotAnsweredError(503, "too many answers wait to be taken; come again", bounds.RETRY_SECONDS)
        self._count(rows)
        return answer, media_type

    def _check(self) -> None:
        """Raises NotAnsweredError if no more request is taken."""
        if self._ending:
            raise NotAnsweredError(503, "the server ends; ask another", bounds.RETRY_SECONDS)
        if self._under_way >= self._requests:
            raise NotAnsweredError(503, "too many requests are under way; come again", bounds.RETRY_SECONDS)

    async def _read(self, read: Callable[[bytes], Questions], body: bytes) -> tuple[Questions, list[str | None]]:
        """The questions of a body, and the site of each URL. Raises NotAnsweredError."""

        def work() -> tuple[Questions, list[str | None]]:
            asked = read(body)
            return asked, _sites(asked.urls)

        if len(body) <= bounds.LIGHT_BODY_OCTETS:
            return work()
        try:
            async with asyncio.timeout(bounds.READING_SECONDS):
                return await asyncio.get_running_loop().run_in_executor(self._reader, work)
        except TimeoutError:
            why = "too many large bodies wait to be read; come again, with fewer URLs"
            raise NotAnsweredError(503, why, bounds.RETRY_SECONDS) from None

    async def _batch(self, asked: Questions, sites: list[str | None], until: float) -> Batch:
        """The questions with the policies that are known by then."""
        wanted = {site: None for site in sites if site is not None}
        ready = self._ready(wanted, asked)
        unknown: dict[str, str] = {}
        if len(ready) < len(wanted):
            missing = [site for site in wanted if site not in ready]
            ready.clear()  # who waits holds no policy
            unknown = await self.sites.gather(missing, asked.crawler, until - time.monotonic())
            ready = self._ready(wanted, asked)
        why = {site: unknown.get(site, "overloaded") for site in wanted if site not in ready}
        return Batch(asked, sites, ready, why, self._clock.now().timestamp())

    def _ready(self, wanted: dict[str, None], asked: Questions) -> dict[str, ReadyPolicy]:
        found = ((site, self.sites.ready(site, asked.crawler)) for site in wanted)
        return {site: ready for site, ready in found if ready is not None}

    async def _decided(self, batch: Batch, encode: Encoder, until: float) -> tuple[bytes, list[tuple[RowAnswer, int]]]:
        """The answer, and what it says how often. Raises NotAnsweredError where that takes too long."""

        def work() -> tuple[bytes, list[tuple[RowAnswer, int]]] | None:
            if time.monotonic() > until:
                return None
            rows = batch.rows(until)
            counts = Counter(rows.places)
            return encode(batch.asked, rows), [(answer, counts[place]) for place, answer in enumerate(rows.distinct)]

        # A thread beside this one would make both wait for each other, for longer than a light batch takes.
        if batch.is_light and (done := work()) is not None:
            return done
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(until + bounds.DECIDING_SECONDS - time.monotonic()):
                if (done := await loop.run_in_executor(self._threads, work)) is not None:
                    return done
        except TimeoutError:
            pass
        raise NotAnsweredError(503, "deciding takes too long; come again, with fewer URLs", bounds.RETRY_SECONDS)

    def _count(self, answers: list[tuple[RowAnswer, int]]) -> None:
        for answer, count in answers:
            self.metrics.outcomes[answer.outcome] += count
            if answer.error is not None and count:
                self.metrics.errors[answer.error] += count


def refusal(message: str) -> bytes:
    """The body of an answer that has no decisions."""
    return json.dumps({"error": message}).encode("ascii") + b"\n"


def _sites(urls: Iterable[str | None]) -> list[str | None]:
    """The site of each URL; None for what is none."""
    by_spelling: dict[str, str | None] = {}
    sites: list[str | None] = []
    before, site = " ", None  # the site of the URL before is likely that of the next
    for url in urls:
        if url is None:
            sites.append(None)
            continue
        if not url.startswith(before):
            end = url.find("/", url.find("://") + 3)
            spelling = url if end < 0 else url[:end]
            if spelling not in by_spelling:
                by_spelling[spelling] = _site(spelling)
            before, site = (f"{spelling}/", by_spelling[spelling])
        sites.append(site)
    return sites


def _site(url: str) -> str | None:
    """The site of a URL; None for what is none, which the batch says of its row."""
    try:
        return site_of(url)
    except ValueError:
        return None


def _seconds(headers: Headers) -> float | None:
    given = headers.get(DEADLINE_HEADER)
    if given is None:
        return None
    if not (given.isascii() and given.isdigit() and len(given) < 10):
        raise NotAnsweredError(400, f"the header {DEADLINE_HEADER} must be a positive number of milliseconds")
    return seconds_of(int(given))


def _reader(request: Request) -> Callable[[bytes], Questions]:
    """What reads the body of a request. Raises NotAnsweredError for a type, coding or query that is not read."""
    query: bytes = request.scope["query_string"]
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if request.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise NotAnsweredError(415, "the body has a Content-Encoding; send it as it is")
    if media_type == JSON:
        check_no_query(query)
        return from_json
    if media_type != columns.MEDIA_TYPE:
        raise NotAnsweredError(415, f"the Content-Type must be {JSON} or {columns.MEDIA_TYPE}")
    if columns.pyarrow() is None:
        raise NotAnsweredError(415, f"Arrow needs pyarrow, which this server does not have; send {JSON}")
    asked = from_query(query)
    return lambda body: columns.from_arrow(body, asked)


def _encoder(headers: Headers) -> tuple[str, Encoder]:
    """The type of the answer: the first that is accepted, and JSON if anything is. Raises NotAnsweredError."""
    accepted = [
        part.partition(";")[0].strip().lower()
        for part in headers.get("accept", "*/*").split(",")
        if part.partition("q=")[2].strip() not in ("0", "0.0", "0.00", "0.000")
    ]
    for media_type in accepted:
        if media_type in (JSON, "application/*", "*/*"):
            return JSON, to_json
        if media_type == columns.MEDIA_TYPE and columns.pyarrow() is not None:
            return columns.MEDIA_TYPE, columns.to_arrow
    if columns.MEDIA_TYPE in accepted:
        raise NotAnsweredError(406, f"Arrow needs pyarrow, which this server does not have; accept {JSON}")
    raise NotAnsweredError(406, f"answers are {JSON} or {columns.MEDIA_TYPE}; accept one of them")


async def _body(request: Request, keeping: Keeping) -> bytes:
    """The whole body. Raises NotAnsweredError for one that is too large, ClientDisconnect."""
    too_large = f"the body has more than {bounds.BODY_OCTETS} octets; ask in parts"
    stated = request.headers.get("content-length", "0")
    if len(stated) > 10 or int(stated) > bounds.BODY_OCTETS:  # the server has seen that it is a number
        raise NotAnsweredError(413, too_large)
    pieces, length = [], 0
    try:
        async with keeping.waiting():
            async for piece in request.stream():
                length += len(piece)
                if length > bounds.BODY_OCTETS:
                    raise NotAnsweredError(413, too_large)
                if not keeping.take(len(piece)):
                    raise NotAnsweredError(503, "too many octets are held; come again", bounds.RETRY_SECONDS)
                pieces.append(piece)
    except TimeoutError:
        raise NotAnsweredError(408, "the body did not come in time; send it again, and faster") from None
    return b"".join(pieces)


async def _sent(scope: Scope, send: Send, keeping: Keeping, status: int, headers: dict[str, str], body: bytes) -> bool:
    """Sends an answer; false if it was not taken in time, and then its connection is gone."""
    try:
        async with keeping.waiting():
            await _send(send, status, headers, body)
    except TimeoutError:
        cut: Callable[[], None] | None = scope.get("state", {}).get(CUT)
        if cut is None:
            raise  # another server may end the connection of what breaks off
        cut()
        await asyncio.sleep(0)  # until then the server does not know that nobody is there
        return False
    return True


async def _send(send: Send, status: int, headers: dict[str, str], body: bytes) -> None:
    """Sends an answer in pieces, each when the one before was taken; until then its octets count as held."""
    fields = {**headers, "content-length": str(len(body))}
    raw = [(name.encode("ascii"), value.encode("ascii")) for name, value in fields.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    view = memoryview(body)
    for begin in range(0, max(1, len(body)), _PIECE):
        piece = bytes(view[begin : begin + _PIECE])
        await send({"type": "http.response.body", "body": piece, "more_body": begin + _PIECE < len(body)})
