"""A site for your tests: a real server on the loopback interface, with a robots.txt, pages and failures.

    with FakeSite(robots="User-agent: *\\nDisallow: /private\\n", pages={"/": "<p>Welcome</p>"}) as site:
        my_crawler.run(site.url("/"))
        assert "/private" not in site.asked

With pytest the fixture `acap_site` is one, started anew for each test.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal, Self, TypeAlias

__all__ = ["FakePage", "FakeSite", "Trouble"]

Trouble: TypeAlias = Literal["cut", "reset", "silent"]
"""How a page fails: it breaks off, the connection ends without an answer, no answer comes until the site is closed."""

_ROBOTS = "/robots.txt"
_MISSING_OCTETS = 64  # of a page that breaks off


@dataclass(frozen=True)
class FakePage:
    """What one path answers.

    Without a Content-Type among the headers a page is HTML, and a robots.txt plain text.
    """

    body: bytes | str = b""
    status: int = 200
    headers: Iterable[tuple[str, str]] = field(default=())
    trouble: Trouble | None = None

    @classmethod
    def redirect(cls, location: str, status: int = 302) -> FakePage:
        """One that leads to another URL."""
        return cls(status=status, headers=(("Location", location),))

    @property
    def octets(self) -> bytes:
        """The body as it is sent."""
        return self.body.encode() if isinstance(self.body, str) else self.body


class FakeSite:
    """A site at `http://127.0.0.1:PORT`, to be used as a context manager. What it answers may change at any time."""

    def __init__(
        self,
        robots: bytes | str | FakePage | None = None,
        pages: Mapping[str, bytes | str | FakePage] | None = None,
    ) -> None:
        """Answers `/robots.txt` with `robots` (None: with 404), each path with its page, and others with 404."""
        self.pages: dict[str, bytes | str | FakePage] = dict(pages or {})
        self.robots = robots
        self._lock = threading.Lock()
        self._asked: list[tuple[str, str, dict[str, str]]] = []
        self._closing = threading.Event()
        self._server: ThreadingHTTPServer | None = None

    @property
    def robots(self) -> bytes | str | FakePage | None:
        """What `/robots.txt` answers; None: there is none. It may be set."""
        return self.pages.get(_ROBOTS)

    @robots.setter
    def robots(self, robots: bytes | str | FakePage | None) -> None:
        if robots is None:
            self.pages.pop(_ROBOTS, None)
        else:
            self.pages[_ROBOTS] = robots

    @property
    def asked(self) -> list[str]:
        """The paths that were asked for, with their queries, in order."""
        with self._lock:
            return [target for _, target, _ in self._asked]

    @property
    def requests(self) -> list[tuple[str, str, dict[str, str]]]:
        """Method, path and headers (names in lower case) of each request, in order."""
        with self._lock:
            return list(self._asked)

    def forget(self) -> None:
        """Empties `asked` and `requests`."""
        with self._lock:
            self._asked.clear()

    def url(self, path: str = "/") -> str:
        """The URL of a path. Raises RuntimeError while the site is not served."""
        if self._server is None:
            raise RuntimeError("the site is not served: use it as a context manager")
        return f"http://127.0.0.1:{self._server.server_port}{path}"

    def __enter__(self) -> Self:
        site = self

        class Handler(BaseHTTPRequestHandler):
            def handle_one_request(self) -> None:
                with suppress(ConnectionError):  # of a client that has gone
                    super().handle_one_request()

            def log_message(self, format: str, *_: object) -> None:  # noqa: A002  its name there
                """Tests have no use for it."""

            def __getattr__(self, name: str) -> object:
                if name.startswith("do_"):  # whatever the method
                    return lambda: site._answer(self)
                raise AttributeError(name)

        self._closing.clear()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), name="acap-fake-site", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        headers = {name.lower(): value for name, value in handler.headers.items()}
        with self._lock:
            self._asked.append((handler.command, handler.path, headers))
        found = self.pages.get(handler.path, self.pages.get(handler.path.partition("?")[0], FakePage(status=404)))
        page = found if isinstance(found, FakePage) else FakePage(found)
        handler.close_connection = True
        if page.trouble == "silent":
            self._closing.wait()
        if page.trouble in ("reset", "silent"):
            return
        octets = page.octets
        handler.send_response(page.status)
        for name, value in self._headers(handler.path, page):
            handler.send_header(name, value)
        missing = _MISSING_OCTETS if page.trouble == "cut" else 0
        handler.send_header("Content-Length", str(len(octets) + missing))
        handler.send_header("Connection", "close")
        handler.end_headers()
        if handler.command != "HEAD":
            handler.wfile.write(octets)

    def _headers(self, path: str, page: FakePage) -> Iterator[tuple[str, str]]:
        given = list(page.headers)
        if not any(name.lower() == "content-type" for name, _ in given):
            yield "Content-Type", "text/plain; charset=utf-8" if path == _ROBOTS else "text/html; charset=utf-8"
        yield from given
