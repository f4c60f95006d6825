"""Many sites on the loopback interface, each at an address of its own and with its own way of answering."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Self

from tests.loopback import redirect, reply

HANGS = b""
"""What is said by a site that takes a request and never answers."""

Says = Callable[[int, str], bytes]
"""What the site of a number says at a path: the octets of a response."""

_LICENCE = (
    b'<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>'
    b'<prohibits type="usage">%b</prohibits></license></content></rsl>'
)
_TEXT = (("Content-Type", "text/plain"),)
_XML = (("Content-Type", "application/rsl+xml"),)
_CLOSED = b"User-agent: *\nDisallow: /private\n"
_OPEN = b"User-agent: *\nAllow: /\n"


class ManySites:
    """A server for whatever address of 127.0.0.0/8 is asked. Use it as a context manager."""

    def __init__(self, says: Says) -> None:
        self._says = says
        self.port = 0
        self.asked: Counter[tuple[int, str]] = Counter()

    def url(self, number: int, path: str = "") -> str:
        """The URL of a path at a site."""
        return f"http://127.77.{number // 250}.{number % 250 + 1}:{self.port}{path}"

    def __enter__(self) -> Self:
        ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(ready)), daemon=True)
        self._thread.start()
        ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join()

    async def _serve(self, ready: threading.Event) -> None:
        self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._answer, "0.0.0.0", self.port, backlog=1024)
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        await self._ended.wait()
        server.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, EOFError):
            path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode("latin-1")
            third, fourth = writer.get_extra_info("sockname")[0].split(".")[2:]
            number = int(third) * 250 + int(fourth) - 1
            self.asked[number, path] += 1
            said = self._says(number, path).replace(b":00000/", b":%d/" % self.port)
            if said == HANGS:
                await self._ended.wait()
            writer.write(said)
            await writer.drain()
        writer.close()


def every_way(number: int, path: str) -> bytes:
    """Sites that answer in every way there is, sixteen of them; what is asked of none of them is not there."""
    way = number % 16
    robots = path == "/robots.txt"
    if robots and way in _ROBOTS:
        return _ROBOTS[way]
    if way == 9 and path.startswith("/hop/"):
        return redirect(f"/hop/{int(path[5:]) + 1}")
    return _BESIDE.get((way, path), reply(404))


_ROBOTS = {
    0: reply(200, _OPEN, _TEXT),
    1: reply(200, _CLOSED, _TEXT),
    2: reply(403),
    3: reply(503),
    4: HANGS,
    5: redirect("/elsewhere.txt"),
    6: reply(200, _OPEN + b"License: /licence.xml\n", _TEXT),
    7: reply(200, _OPEN, _TEXT),
    8: reply(200, _CLOSED, _TEXT, length=5000),
    9: redirect("/hop/0"),
    10: reply(200, b"<html><body>Please sign in</body></html>", (("Content-Type", "text/html"),)),
    11: redirect("/robots.txt"),
    12: reply(200, b"User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n", _TEXT),
    13: reply(200, _OPEN + b"License: /gone.xml\n", _TEXT),
    14: b"nothing of HTTP\r\n\r\n",
    15: reply(200, b"ACAP-crawler: *\nACAP-disallow-index: /private\n", _TEXT),
}
_JSON = (("Content-Type", "application/json"),)
_HTML = (("Content-Type", "text/html"),)
_TDMREP = reply(200, b'[{"location": "/*", "tdm-reservation": 1, "tdm-policy": "/terms.json"}]', _JSON)
_BESIDE = {
    (0, "/of-pages.xml"): reply(200, _LICENCE % b"search", _XML),
    (5, "/elsewhere.txt"): reply(200, _CLOSED, _TEXT),
    (6, "/licence.xml"): reply(200, _LICENCE % b"ai-train", _XML),
    (7, "/.well-known/tdmrep.json"): redirect("/tdm.json"),
    (7, "/tdm.json"): reply(
        200, b'[{"location": "/*", "tdm-reservation": 1}]', (("Content-Type", "application/json"),)
    ),
    (12, "/ai.txt"): reply(200, b"User-Agent: *\nDisallow: *\n", _TEXT),
    (15, "/.well-known/tdmrep.json"): HANGS,
    (1, "/ai.txt"): reply(503),
    (2, "/.well-known/tdmrep.json"): _TDMREP,
    (2, "/terms.json"): reply(200, b'{"@context": "http://www.w3.org/ns/odrl.jsonld", "@type": "Offer"}', _JSON),
    (10, "/.well-known/tdmrep.json"): _TDMREP,
    (10, "/terms.json"): reply(503),
    (12, "/.well-known/tdmrep.json"): _TDMREP,
    (12, "/terms.json"): reply(200, b"<!doctype html><html><title>Terms</title></html>", _HTML),
}
