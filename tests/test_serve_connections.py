"""Connections whose other end is slow or idle: none is held for longer than a working network needs."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from urllib.parse import urlsplit

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from acap.web import connections
from tests.web_server import served

SOON = 0.3
LARGE = 64 * 2**20


async def large(_: Request) -> Response:
    return PlainTextResponse("x" * LARGE)


async def echo(request: Request) -> Response:
    return PlainTextResponse(await request.body())


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    monkeypatch.setattr(connections.BoundedProtocol, "request_seconds", SOON)
    monkeypatch.setattr(connections.BoundedProtocol, "answer_seconds", SOON)
    with served(Starlette(routes=[Route("/large", large), Route("/echo", echo, methods=["POST"])])) as url:
        yield "127.0.0.1", urlsplit(url).port or 0


def is_closed(connection: socket.socket) -> bool:
    """Whether the server lets go of a connection, within a generous time."""
    connection.settimeout(20)
    try:
        while connection.recv(1 << 16):
            pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET /",
        b"GET / HTTP/1.1\r\nHost: a\r\n",
        b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc",
        b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    ],
)
def test_a_request_that_never_ends_is_not_waited_for(address: tuple[str, int], sent: bytes) -> None:
    """Wherever it stops, in its head or its body, the connection is closed."""
    with socket.create_connection(address) as connection:
        connection.sendall(sent)
        assert is_closed(connection)


def test_octets_that_trickle_do_not_keep_a_connection(address: tuple[str, int]) -> None:
    """The time is that of the whole request, not of its next octet."""
    began = time.monotonic()
    with socket.create_connection(address) as connection, suppress(ConnectionError):
        while time.monotonic() - began < 20:
            connection.sendall(b"X")
            time.sleep(0.02)
    assert time.monotonic() - began < 20


def test_an_answer_that_nobody_takes_is_let_go(address: tuple[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that asks for much and reads nothing loses the connection, though it stays."""
    gone = threading.Event()
    lost = connections.BoundedProtocol.connection_lost

    def tell(protocol: connections.BoundedProtocol, error: Exception | None) -> None:
        lost(protocol, error)
        gone.set()

    monkeypatch.setattr(connections.BoundedProtocol, "connection_lost", tell)
    with socket.create_connection(address) as connection:
        connection.sendall(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        assert gone.wait(60)


def test_a_request_in_time_is_answered_and_the_connection_serves_the_next(address: tuple[str, int]) -> None:
    """The bound is on waiting: requests that come whole are answered, one after the other."""
    with socket.create_connection(address) as connection:
        connection.settimeout(20)
        for _ in range(3):
            connection.sendall(b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
            answer = b""
            while not answer.endswith(b"abc"):
                answer += connection.recv(1 << 16)
            assert answer.startswith(b"HTTP/1.1 200")
            time.sleep(SOON / 3)


def test_one_connection_too_many_is_told_to_come_again(
    address: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Idle connections up to the bound do not stop the server from saying so, and those that are there are answered."""
    monkeypatch.setattr(connections.BoundedProtocol, "request_seconds", 20.0)
    with ExitStack() as stack:
        opened = [stack.enter_context(socket.create_connection(address)) for _ in range(connections.CONNECTIONS)]
        for connection, status in ((stack.enter_context(socket.create_connection(address)), 503), (opened[0], 200)):
            connection.sendall(b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na")
            connection.settimeout(20)
            head = connection.recv(1 << 16).lower()
            assert head.startswith(b"http/1.1 %d" % status)
            assert (b"retry-after: 1" in head) == (status == 503)
