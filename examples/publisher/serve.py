"""The Harbour Courier on the loopback interface: `python examples/publisher/serve.py [PORT]` serves it until Ctrl-C.

    with Publisher() as publisher:
        publisher.url               # http://127.0.0.1:…
        publisher.replace("/robots.txt", b"User-agent: *\nDisallow: /\n")
        publisher.requests          # who asked for what, and what it was answered

A folder of a publisher holds `robots.txt`, `headers.toml`, `results.html` and, below `site/`, all other files. `{site}`
in a text is replaced by the origin that was asked, so that absolute URLs are right at whatever host and port.
"""

from __future__ import annotations

import hashlib
import html
import re
import socket
import sys
import threading
import tomllib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qs, quote, unquote, urlsplit

HERE = Path(__file__).resolve().parent
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".xml": "application/xml",
}
HOST = re.compile(r"[A-Za-z0-9.-]+(:[0-9]+)?|\[[0-9A-Fa-f:]+\](:[0-9]+)?")


@dataclass(frozen=True)
class Request:
    """One request as it came in, field names in lower case, and the status it was answered with."""

    method: str
    target: str
    headers: dict[str, str]
    status: int

    @property
    def crawler(self) -> str:
        """The User-Agent; empty where none was sent."""
        return self.headers.get("user-agent", "")


@dataclass(frozen=True)
class Answer:
    """What a path is answered with; `then` is what it is answered with after it was given `times` times."""

    content: bytes = b""
    type: str = TYPES[".html"]
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    modified: datetime | None = None
    times: int = 0
    then: Answer | None = None


NOT_FOUND = Answer(b"<!DOCTYPE html><html lang=en><title>Not found</title><p>There is no such page.\n", status=404)
ELSEWHERE = b"<!DOCTYPE html><html lang=en><title>Not here</title><p>Not here, or not now.\n"


@dataclass
class Publisher:
    """Serves the folder `root`. Use it as a context manager; `port` 0 is any free one, known then."""

    port: int = 0
    root: Path = HERE
    address: str = "127.0.0.1"
    requests: list[Request] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._answers = _read(self.root)
        self._results = (self.root / "results.html").read_text(encoding="utf-8")

    def __enter__(self) -> Self:
        handler = type("Handler", (_Handler,), {"publisher": self})
        self._server = _Server((self.address, self.port), handler)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        """The origin, without a slash at its end."""
        return f"http://{self.address}:{self.port}"

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that has an answer of its own, `/robots.txt` included; queries of the search are endless."""
        with self._lock:
            return tuple(sorted(self._answers))

    def replace(
        self,
        path: str,
        content: bytes,
        *,
        status: int = 200,
        headers: Iterable[tuple[str, str]] = (),
        times: int = 0,
    ) -> None:
        """Answers a path differently, from now on or so many times; a file that had a date is a minute newer."""
        with self._lock:
            old = self._answers.get(path)
            modified = old.modified + timedelta(minutes=1) if old and old.modified else None
            kind = TYPES.get(Path(path).suffix, TYPES[".html"])
            then = (old or NOT_FOUND) if times else None
            self._answers[path] = Answer(content, kind, status, tuple(headers), modified, times, then)

    def remove(self, path: str) -> None:
        """Answers a path with 404 from now on."""
        with self._lock:
            self._answers.pop(path, None)

    def answer(self, target: str) -> Answer:
        """The answer to a request target; one that is given only so often is used up by this."""
        parts = urlsplit(target)
        path = unquote(parts.path)
        with self._lock:
            found = self._answers.get(path)
            if found is None and path + "/" in self._answers:
                return Answer(b"", status=301, headers=(("Location", f"{{site}}{parts.path}/"),))
            if found is None:
                return NOT_FOUND
            if found.then is not None:
                self._answers[path] = found.then if found.times <= 1 else replace(found, times=found.times - 1)
        if path == "/search" and parts.query:
            return self._search(parts.query)
        return found

    def _search(self, query: str) -> Answer:
        asked = parse_qs(query)
        number = next((int(value) for value in asked.get("page", ()) if value.isdecimal() and len(value) < 9), 1)
        words = " ".join(asked.get("q", ()))
        page = self._results.replace("{number}", str(number)).replace("{next}", str(number + 1))
        return Answer(page.replace("{asked}", quote(words)).replace("{query}", html.escape(words)).encode())


def _read(root: Path) -> dict[str, Answer]:
    """The answers of a folder, by path."""
    said = tomllib.loads((root / "headers.toml").read_text(encoding="utf-8"))
    answers = {}
    for file in [root / "robots.txt", *sorted((root / "site").rglob("*"))]:
        if file.is_file():
            path = "/robots.txt" if file.parent == root else f"/{file.relative_to(root / 'site').as_posix()}"
            path = "/search" if path == "/search.html" else path.removesuffix("index.html")
            answers[path] = Answer(file.read_bytes(), TYPES[file.suffix], modified=said["today"])
    for one in said["answer"]:
        path, status, times = one["path"], one.get("status", 200), one.get("times", 0)
        ordinary = answers.get(path, Answer(ELSEWHERE))
        answers[path] = replace(
            ordinary,
            content=ELSEWHERE if times else ordinary.content,
            status=status,
            headers=tuple((name, value) for name, value in one.get("headers", ())),
            times=times,
            then=ordinary if times else None,
        )
    return answers


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # so that the end waits for them
    request_queue_size = 64

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._open: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def server_close(self) -> None:
        """Ends what clients keep open, then waits for the threads."""
        for connection in tuple(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        super().server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no event."""


class _Handler(BaseHTTPRequestHandler):
    publisher: Publisher
    protocol_version = "HTTP/1.1"
    server_version = "HarbourCourier"
    sys_version = ""
    timeout = 30
    wbufsize = -1  # headers and body leave together

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def _answer(self) -> None:
        answer = self.publisher.answer(self.path)
        host = self.headers.get("Host", "")
        site = f"http://{host}" if HOST.fullmatch(host) else self.publisher.url
        body = answer.content
        if not answer.type.startswith("image/png"):
            body = body.replace(b"{site}", site.encode())
        status = answer.status
        headers = [(name, value.replace("{site}", site)) for name, value in answer.headers]
        if status == 200:
            tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
            headers.append(("ETag", tag))
            if answer.modified is not None:
                headers.append(("Last-Modified", format_datetime(answer.modified.astimezone(UTC), usegmt=True)))
            if self._is_known(tag, answer.modified):
                status = 304
        asked = {name.lower(): value for name, value in self.headers.items()}
        self.publisher.requests.append(Request(self.command, self.path, asked, status))
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Type", answer.type)
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if status != 304 and self.command == "GET":
            self.wfile.write(body)

    def _is_known(self, tag: str, modified: datetime | None) -> bool:
        """Whether the client has it: If-None-Match speaks before If-Modified-Since (RFC 9110 13.2.2)."""
        tags = self.headers.get("If-None-Match")
        if tags is not None:
            return tags.strip() == "*" or tag in (one.strip().removeprefix("W/") for one in tags.split(","))
        try:
            since = parsedate_to_datetime(self.headers.get("If-Modified-Since", ""))
        except ValueError:
            return False
        return modified is not None and since.tzinfo is not None and modified <= since

    def log_message(self, *_: Any) -> None:
        """Requests are kept in `Publisher.requests`, and said nowhere."""


def main() -> None:
    """Serves until Ctrl-C, and prints where."""
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    with Publisher(port) as publisher:
        print(f"The Harbour Courier: {publisher.url}/ (Ctrl-C ends it)", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main()
