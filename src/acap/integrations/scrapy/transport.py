"""Policies are retrieved by Scrapy's own downloader: its handlers, proxies, TLS and middlewares apply.

What the retriever must judge by itself is kept from the middlewares: redirects, statuses, codings, copies. Laws: the
octets are those that came over the wire, before any middleware decoded them; a body that was cut is a failure.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import httpx2
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadTimeoutError, ResponseDataLossError
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from acap.integrations.scrapy.bodies import cut_of
from acap.integrations.scrapy.refusals import AddressRefused
from acap.retrieval.body import CutBodyError
from acap.retrieval.guard import AddressRefusedError
from acap.retrieval.transport import ADDRESS, PASSAGE

MARK = "_acap_policy_request"
"""The key in `meta` of the requests that go for policies; the value is an object that nobody else has."""

MAX_OCTETS = 16 * 2**20
"""A policy that is larger, coded or decoded, is not read at all; real ones have kilobytes."""

_RECEIVED = "_acap_received"
_PRIORITY = 1000  # as Scrapy's own robots.txt requests


@dataclass(frozen=True, slots=True)
class _Received:
    """A response as it was, whatever middlewares make of its headers."""

    url: str
    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes
    address: str | None
    cut: str

    @classmethod
    def of(cls, response: Response) -> _Received:
        headers = [(name, value) for name, values in response.headers.items() for value in values]
        address = None if response.ip_address is None else str(response.ip_address)
        return cls(response.url, response.status, headers, response.body, address, cut_of(response))


class EngineTransport(httpx2.AsyncBaseTransport):
    """Sends requests by the engine of a crawl."""

    def __init__(self, crawler: Crawler, mark: object) -> None:
        """`mark` is put into `meta[MARK]`, so that the middleware knows these requests."""
        self._crawler = crawler
        self._mark = mark
        crawler.signals.connect(self._downloaded, signal=signals.response_downloaded)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Raises errors of httpx2, and CutBodyError for a body that was cut."""
        received: list[_Received] = []
        wanted = self._outgoing(request, received)
        engine = self._crawler.engine
        assert engine is not None
        slot = wanted.meta["download_slot"]
        # The few requests of one retrieval have little time, and are far between.
        engine.downloader.per_slot_settings[slot] = {"delay": 0}
        try:
            response = await engine.download_async(wanted)
        except AddressRefused as error:
            raise AddressRefusedError(str(error)) from error
        except DownloadTimeoutError as error:
            raise httpx2.ReadTimeout(f"{wanted.url} took too long") from error
        except ResponseDataLossError as error:
            raise CutBodyError("the body ended before its end") from error
        except Exception as error:
            # Handlers and middlewares of the project may raise anything; there is no answer then.
            raise httpx2.NetworkError(f"{type(error).__name__}: {error}") from error
        finally:
            engine.downloader.per_slot_settings.pop(slot, None)
        # Middlewares may have decoded the body, leniently: a cut one would pass for a whole one.
        raw = received[-1] if received else _Received.of(response)
        if raw.url != wanted.url:
            raise httpx2.NetworkError(f"{raw.url} answered instead of {wanted.url}")
        if raw.cut:
            raise CutBodyError(raw.cut)
        address = None if "proxy" in wanted.meta else raw.address
        return httpx2.Response(
            raw.status,
            headers=raw.headers,
            stream=httpx2.ByteStream(raw.body),
            extensions={} if address is None else {ADDRESS: address},
        )

    def _outgoing(self, request: httpx2.Request, received: list[_Received]) -> Request:
        headers: dict[bytes, list[bytes]] = {}
        for name, value in request.headers.raw:
            if name.lower() != b"host":
                headers.setdefault(name, []).append(value)
        passage = request.extensions.get(PASSAGE)
        deadline = None if passage is None else passage.deadline
        meta = {
            MARK: self._mark,
            _RECEIVED: received,
            # A slot of its own: a policy does not wait behind the pages that wait for their turn.
            "download_slot": f"policy of {request.url.scheme}://{request.url.netloc.decode('ascii')}",
            "allow_offsite": True,
            "autothrottle_dont_adjust_delay": True,
            "dont_cache": True,
            "dont_merge_cookies": True,
            "dont_obey_robotstxt": True,
            "dont_redirect": True,
            "dont_retry": True,
            "download_fail_on_dataloss": True,
            "download_maxsize": MAX_OCTETS,
            "handle_httpstatus_all": True,
        }
        if deadline is not None:
            meta["download_timeout"] = max(0.001, deadline - time.monotonic())
        return Request(
            str(request.url), headers=headers, meta=meta, priority=_PRIORITY, dont_filter=True, callback=NO_CALLBACK
        )

    def _downloaded(self, response: Response, request: Request) -> None:
        if request.meta.get(MARK) is self._mark:
            request.meta[_RECEIVED].append(_Received.of(response))
