"""Slow clients of the decision service: what waits for one of them holds no place that others need."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

import pytest

from acap.web.decisions import bounds
from acap.web.decisions.app import decisions_app
from acap.web.decisions.bounds import OctetBudget
from acap.web.decisions.service import Service
from tests.loopback import Loopback, reply
from tests.web_server import served

SLOW = 0.3
ROWS = 10_000
HEAD = "POST /v1/decisions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n"


class Served:
    """A service that holds two large answers at a time, and the site that is asked about."""

    def __init__(self, port: int, site: Loopback, service: Service) -> None:
        self.port = port
        self.service = service
        self.large = json.dumps({"crawler": "bot", "urls": [site.url("/b")] * ROWS}).encode()
        self.small = json.dumps({"crawler": "bot", "urls": [site.url("/b")]}).encode()

    def ask(self, body: bytes) -> tuple[int, int]:
        """The status of the answer to a body, and how many rows it has."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("POST", "/v1/decisions", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, len(json.loads(answer.read()).get("answers", ()))
        finally:
            connection.close()

    def reader(self, stack: ExitStack) -> socket.socket:
        """A client that asked for a large answer, and does not read it; it returns when the answer waits."""
        client = stack.enter_context(socket.socket())
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.settimeout(30)
        client.connect(("127.0.0.1", self.port))
        before = len(self.service.budget.waiting)
        client.sendall(HEAD.format(len(self.large)).encode() + self.large)
        assert client.recv(1_000).startswith(b"HTTP/1.1 200")
        until(lambda: len(self.service.budget.waiting) == before + 1)
        return client

    def sender(self, stack: ExitStack, octets: int) -> socket.socket:
        """A client that sends so many octets of a body, and then no more."""
        client = stack.enter_context(socket.create_connection(("127.0.0.1", self.port), timeout=30))
        before = self.service.budget.now
        client.sendall(HEAD.format(bounds.BODY_OCTETS).encode() + b" " * octets)
        until(lambda: self.service.budget.now == before + octets)
        return client


def until(is_so: object) -> None:
    end = time.monotonic() + 30
    while not is_so():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.01)


def rest(client: socket.socket) -> bytes:
    """What else comes, until the connection ends."""
    found = b""
    try:
        while more := client.recv(1 << 16):
            found += more
    except ConnectionError:
        pass
    return found


@contextmanager
def serving(most: int) -> Iterator[Served]:
    """A service that holds so many octets."""
    with Loopback(says={"/robots.txt": reply(body=b"")}) as site:
        app = decisions_app(
            allow_private=True, service_of=lambda *given: Service(*given, requests=8, budget=OctetBudget(most))
        )
        with served(app, held_by_system=65_536) as address:
            found = Served(urlsplit(address).port or 0, site, app.state.service)
            assert found.ask(found.large) == (200, ROWS)
            yield found


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setattr(bounds, "SLOW_SECONDS", SLOW)
    with serving(4_500_000) as made:
        yield made


def test_slow_readers_make_room_for_others(service: Served) -> None:
    """Whoever has had its time loses its connection where another needs the octets, and the others go on."""
    with ExitStack() as stack:
        slow = [service.reader(stack) for _ in range(2)]
        time.sleep(SLOW)
        assert service.ask(service.large) == (200, ROWS)
        assert len(rest(slow[0])) < 2_000_000
        assert len(service.service.budget.waiting) == 1
        assert service.service.metrics.cut == 1
        assert "acap_answers_cut_total 1" in service.service.text()
        assert service.service.metrics.requests[499] == 1
        # Nobody needs the octets of the other, which is read to its end.
        assert rest_of_answer(slow[1]).endswith(b"\n]}\n")
    until(lambda: service.service.budget.now == 0)


def rest_of_answer(client: socket.socket) -> bytes:
    found = b""
    while not found.endswith(b"\n]}\n"):
        more = client.recv(1 << 16)
        assert more
        found += more
    return found


def test_a_reader_is_given_some_time_even_where_others_wait(service: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that has just begun to be sent is not given up for the next."""
    monkeypatch.setattr(bounds, "SLOW_SECONDS", 60.0)
    with ExitStack() as stack:
        slow = [service.reader(stack) for _ in range(2)]
        assert service.ask(service.large)[0] == 503
        assert service.ask(service.small) == (200, 1)
        for client in slow:
            assert rest_of_answer(client).endswith(b"\n]}\n")


def test_an_answer_that_is_read_in_drops_comes_to_an_end(service: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time is that of the whole answer, not of its next octet; nobody else has to ask for it."""
    monkeypatch.setattr(bounds, "CLIENT_SECONDS", 1.0)
    with ExitStack() as stack:
        client = service.reader(stack)
        ended = threading.Event()

        def drops() -> None:
            try:
                while client.recv(16_384):
                    time.sleep(0.05)
            except OSError:
                pass
            ended.set()

        thread = threading.Thread(target=drops)
        thread.start()
        until(lambda: service.service.budget.now == 0)
        assert ended.wait(30)
        thread.join()
    assert service.service.metrics.cut == 1


def test_slow_senders_make_room_for_others(service: Served) -> None:
    """A body that does not come takes neither octets nor a turn from others; its client is told, or loses all."""
    with ExitStack() as stack:
        slow = [service.sender(stack, 1_000_000) for _ in range(4)]
        time.sleep(SLOW)
        assert service.ask(service.large) == (200, ROWS)
        found = slow[0].recv(1 << 16)
        assert b"408" in found.split(b"\r\n")[0]
        # More than the eight turns are taken by none of them.
        more = [service.sender(stack, 10) for _ in range(20)]
        assert service.ask(service.small) == (200, 1)
        assert len(more) == 20
    until(lambda: service.service.budget.now == 0)
