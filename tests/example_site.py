"""The network of the documentation: www.example.com serves the publisher's policy, and nobody else is there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx2
import pytest

from acap.retrieval import AsyncGuardedTransport, GuardedTransport

POLICY = Path(__file__).resolve().parent.parent / "examples/publisher-policy/robots.txt"


class Body(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """A body that has not been read yet."""

    def __init__(self, octets: bytes) -> None:
        self.octets = octets

    def __iter__(self) -> Iterator[bytes]:
        yield self.octets

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self.octets


def answer(request: httpx2.Request) -> httpx2.Response:
    """What the network answers. Raises httpx2.ConnectError for any other host."""
    if request.url.host != "www.example.com":
        raise httpx2.ConnectError("no such host")
    if request.url.path != "/robots.txt":
        return httpx2.Response(404, stream=Body(b""))
    return httpx2.Response(200, headers={"Content-Type": "text/plain"}, stream=Body(POLICY.read_bytes()))


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts it in the place of the real one."""

    async def answer_later(_transport: AsyncGuardedTransport, request: httpx2.Request) -> httpx2.Response:
        return answer(request)

    monkeypatch.setattr(GuardedTransport, "handle_request", lambda _transport, request: answer(request))
    monkeypatch.setattr(AsyncGuardedTransport, "handle_async_request", answer_later)
