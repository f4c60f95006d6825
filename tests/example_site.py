"""The network of the documentation: www.example.com serves the publisher's policy, or else this machine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx2
import pytest

from acap.retrieval import AsyncGuardedTransport, GuardedTransport

POLICY = Path(__file__).resolve().parent.parent / "examples/publisher-policy/robots.txt"

HERE = "127.0.0.1"


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
    """Puts it in the place of the real one, but for sites for tests on this machine."""
    sends, sends_later = GuardedTransport.handle_request, AsyncGuardedTransport.handle_async_request

    def send(transport: GuardedTransport, request: httpx2.Request) -> httpx2.Response:
        return sends(transport, request) if request.url.host == HERE else answer(request)

    async def send_later(transport: AsyncGuardedTransport, request: httpx2.Request) -> httpx2.Response:
        return await sends_later(transport, request) if request.url.host == HERE else answer(request)

    monkeypatch.setattr(GuardedTransport, "handle_request", send)
    monkeypatch.setattr(AsyncGuardedTransport, "handle_async_request", send_later)
