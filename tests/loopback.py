"""A server on the loopback interface that says exactly the octets it is told to, and remembers who asked for what."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from acap.retrieval import AsyncRetriever, Retriever

if TYPE_CHECKING:
    from acap.retrieval import Retrieved
    from acap.robots import RobotsPolicy

Script = bytes | Callable[[socket.socket, "Asked"], None]


@dataclass(frozen=True)
class Asked:
    """One request as it came in; field names in lower case."""

    target: str
    headers: dict[str, str]
    server_address: str


def reply(
    status: int = 200, body: bytes = b"", headers: Iterable[tuple[str, str]] = (), *, length: int | None = None
) -> bytes:
    """A whole HTTP/1.1 response, behind which the connection ends; `length` is what Content-Length claims if not the
    truth."""
    lines = [
        f"HTTP/1.1 {status} Said",
        f"Content-Length: {len(body) if length is None else length}",
        "Connection: close",
    ]
    lines += [f"{name}: {value}" for name, value in headers]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def redirect(location: str, status: int = 302) -> bytes:
    """A redirect."""
    return reply(status, headers=[("Location", location)])


@dataclass
class Loopback:
    """Answers each target as `says` tells, anything else with 404. Use it as a context manager.

    URLs of the port 00000 in what it says are its own.
    """

    address: str = "127.0.0.1"
    tls: ssl.SSLContext | None = None
    port: int = 0
    says: dict[str, Script] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    server_names: list[str | None] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._listener = socket.create_server((self.address, self.port))
        self.port = self._listener.getsockname()[1]
        self._open: list[socket.socket] = []
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        for connection in self._open:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    def url(self, path: str = "/robots.txt", *, host: str | None = None) -> str:
        """The URL of a path here."""
        scheme = "https" if self.tls else "http"
        return f"{scheme}://{host or self.address}:{self.port}{path}"

    @property
    def targets(self) -> list[str]:
        """What was asked for, in order."""
        return [asked.target for asked in self.asked]

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(connection)
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with suppress(OSError):
            if self.tls is not None:
                connection = self._secure(connection)
            came = b""
            while b"\r\n\r\n" not in came:
                more = connection.recv(65536)
                if not more:
                    return
                came += more
            first, *lines = came.decode("latin-1").split("\r\n\r\n")[0].split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            asked = Asked(first.split(" ")[1], headers, connection.getsockname()[0])
            self.asked.append(asked)
            script = self.says.get(asked.target, reply(404))
            if isinstance(script, bytes):
                connection.sendall(script.replace(b":00000/", b":%d/" % self.port))
            else:
                script(connection, asked)
            connection.shutdown(socket.SHUT_RDWR)
        connection.close()

    def _secure(self, connection: socket.socket) -> ssl.SSLSocket:
        assert self.tls is not None
        self.tls.sni_callback = lambda _, name, __: self.server_names.append(name)
        secured = self.tls.wrap_socket(connection, server_side=True)
        self._open.append(secured)
        return secured


class SyncClient:
    """`Retriever`, to be used as `AsyncClient` is."""

    kind = "sync"

    def __init__(self, **options: Any) -> None:
        self.retriever = Retriever(**options)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the retriever."""
        self.retriever.close()

    def robots(self, url: str, **options: bool) -> RobotsPolicy:
        """The policy."""
        return self.retriever.robots(url, **options)

    def fetch(self, url: str, **options: bool) -> Retrieved:
        """What is said at the URL."""
        return self.retriever.fetch(url, **options)

    def robots_at_once(self, url: str, times: int) -> list[RobotsPolicy]:
        """The policy, asked for several times at the same time."""
        found: list[RobotsPolicy] = []
        threads = [threading.Thread(target=lambda: found.append(self.robots(url))) for _ in range(times)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return found


class AsyncClient:
    """`AsyncRetriever` on an event loop of its own, so that every case can be put to both."""

    kind = "async"

    def __init__(self, **options: Any) -> None:
        self._runner = asyncio.Runner()
        self.retriever = AsyncRetriever(**options)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._runner.close()

    def close(self) -> None:
        """Closes the retriever."""
        self._runner.run(self.retriever.aclose())

    def robots(self, url: str, **options: bool) -> RobotsPolicy:
        """The policy."""
        return self._runner.run(self.retriever.robots(url, **options))

    def fetch(self, url: str, **options: bool) -> Retrieved:
        """What is said at the URL."""

        async def task() -> Retrieved:
            return await self.retriever.fetch(url, **options)

        return self._runner.run(task())

    def robots_at_once(self, url: str, times: int) -> list[RobotsPolicy]:
        """The policy, asked for several times at the same time."""

        async def all_of_them() -> list[RobotsPolicy]:
            return await asyncio.gather(*(self.retriever.robots(url) for _ in range(times)))

        return self._runner.run(all_of_them())


Client = SyncClient | AsyncClient
CLIENTS = (SyncClient, AsyncClient)
