"""A middleware for clients of aiohttp that asks first: nothing is sent that the policy of its site does not permit.

    async with asking_session("examplebot", contact="https://example.org/bot") as session:
        async with session.get("https://www.example.com/") as response: ...

The laws of this module:

1. A client calls its middlewares for the targets of redirects too, so that each request is decided (`asking`).
2. aiohttp decodes a body that breaks off within its coding as if nothing were missing. `WholeResponse` decodes by
   itself, and says what is missing; of any other response a coded body is a doubt.
"""

from __future__ import annotations

from acap.integrations.hosts import check_host

check_host("aiohttp")

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Unpack

import aiohttp

from acap.integrations.asking import (
    DECISION,
    AskingOptions,
    ClientAsking,
    NotNowError,
    RefusedError,
    as_theirs,
    check_options,
    decision_of,
    page_policy_of,
)
from acap.pages.page import PagePolicy
from acap.retrieval.answers import Headers, values
from acap.retrieval.body import Body, CodingError, CutBodyError
from acap.retrieval.client import AsyncRetriever
from acap.retrieval.passing import MAX_OCTETS, Passing
from acap.robots import Asker

__all__ = [
    "AskingMiddleware",
    "NotNowError",
    "RefusedError",
    "WholeResponse",
    "asking_session",
    "decision_of",
    "page_policy",
]


class AskingMiddleware:
    """A middleware for `aiohttp.ClientSession(middlewares=…)` that sends only what the policies of sites permit.

    Middlewares of one request take the place of the session's: give this one there too.
    """

    def __init__(
        self,
        crawler: Asker,
        *,
        retriever: AsyncRetriever | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        **options: Unpack[AskingOptions],
    ) -> None:
        """Asks for the crawler, and passes on what is permitted.

        Args:
            crawler: the name the site is to know; the session should send it in its User-Agent.
            retriever: where policies come from; whoever passes one closes it. None: a new one with `options`.
            sleep: waits for a number of seconds.
            **options: `AskingOptions`, such as `purpose` and `polite`, `contact` and `cache`.

        Raises:
            ValueError: options beside a retriever.
            TypeError: an option that does not exist.
        """
        self._asking = ClientAsking(AsyncRetriever, AskingMiddleware, crawler, retriever=retriever, **options)
        self._sleep = sleep

    @property
    def user_agent(self) -> str:
        """The User-Agent under which policies are retrieved, for the session to send as well."""
        return self._asking.retriever.user_agent

    async def __call__(
        self, request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        """Raises RefusedError or NotNowError instead of sending, and whatever `handler` raises."""
        decision = None
        try:
            url = self._asking.url_of(str(request.url), request.headers.getall("Host", ()))
        except ValueError as error:
            raise aiohttp.InvalidURL(request.url, str(error)) from error
        if url is not None:
            policy = await self._asking.retriever.robots(url, found=self._asking.found)
            try:
                decision = self._asking.decided(url, policy)
                wait = self._asking.wait(decision, policy)
            except (RefusedError, NotNowError) as error:
                raise as_theirs(error, aiohttp.ClientError, request) from None
            if wait:
                await self._sleep(wait)
        response = await handler(request)
        response.__dict__[DECISION] = decision
        return response

    async def aclose(self) -> None:
        """Closes the retriever if it was made here."""
        if self._asking.own is not None:
            await self._asking.own.aclose()


class WholeResponse(aiohttp.ClientResponse):
    """A response that takes the body out of its coding by itself, and only whole.

    `aiohttp.ClientSession(response_class=WholeResponse, auto_decompress=False)`: `read`, `text` and `json` give what
    they always give; `content` gives the octets as they came.
    """

    _passing: Passing | None = None
    _broken = ""

    async def read(self) -> bytes:
        """The body without coding.

        Raises aiohttp.ClientPayloadError if it is not complete, cannot be decoded, or comes to more than 64 MiB.
        """
        if self._broken:
            raise aiohttp.ClientPayloadError(self._broken)
        if self._passing is not None and self._body is not None:
            return self._body
        octets = await super().read()
        if self._passing is None:
            headers = _headers(self)
            self._passing = Passing(self.status, headers)
            self._passing.feed(octets)
            if codings := values(headers, "content-encoding"):
                octets = self._body = self._without(codings, octets)
        return octets

    def _without(self, codings: Sequence[str], octets: bytes) -> bytes:
        try:
            body = Body(codings, MAX_OCTETS)
            body.feed(octets)
            decoded, is_cut = body.finish()
            if is_cut:
                raise CodingError(f"the body has more than {MAX_OCTETS} octets; take them from `content`")
        except (CodingError, CutBodyError) as error:
            self._broken = str(error)
            raise aiohttp.ClientPayloadError(self._broken) from error
        return decoded

    @property
    def passing(self) -> Passing | None:
        """What was seen of the body; None while it was not read."""
        return self._passing


@asynccontextmanager
async def asking_session(
    crawler: Asker, *, session: dict[str, Any] | None = None, **options: Any
) -> AsyncIterator[aiohttp.ClientSession]:
    """A new session that asks first, under the User-Agent of its retriever, and whose responses are `WholeResponse`.

    `session` has options of `aiohttp.ClientSession`; the rest are those of `AskingMiddleware`. Both are closed at the
    end.
    """
    check_options("asking_session", options, AskingMiddleware)
    asking, given = AskingMiddleware(crawler, **options), dict(session or {})
    headers = {"User-Agent": asking.user_agent, **(given.pop("headers", None) or {})}
    given["middlewares"] = (*given.get("middlewares", ()), asking)
    try:
        async with aiohttp.ClientSession(
            headers=headers, response_class=WholeResponse, auto_decompress=False, **given
        ) as opened:
            yield opened
    finally:
        await asking.aclose()


async def page_policy(response: aiohttp.ClientResponse) -> PagePolicy:
    """What a response says: META tags and elements of a page, metadata of a file, every line of its headers.

    It is what `acap.carriers` finds, as one page: what was not read is a doubt. An answer that has no page may say what
    fetching one takes: a payment, a licence. The body is read for it.

    Raises:
        ValueError: the response has no page, or only a part of one, and says nothing of fetching it.
        ImportError: there is HTML, and the extra `pages` is not installed.
    """
    octets = await response.read()
    passing = response.passing if isinstance(response, WholeResponse) else None
    return page_policy_of(octets, str(response.url), response.status, response.method, _headers(response), passing)


def _headers(response: aiohttp.ClientResponse) -> Headers:
    return tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in response.raw_headers)
