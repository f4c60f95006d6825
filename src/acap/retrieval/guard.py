"""Connections that reach only what they may: what a site says must not lead us into a private network.

The laws of this module:

1. A name is resolved once, every address is judged, and the connection goes to an address that was judged. A name that
   resolves differently the second time (DNS rebinding) gains nothing, for there is no second time.
2. The request keeps its host: the Host field, the TLS server name and the certificate check are those of the name.
3. No connection is kept and none is shared: one that was allowed for one request never serves another.
4. No proxy is used. A proxy of the environment would connect in our place, past the guard.
"""

from __future__ import annotations

import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import anyio.to_thread
import httpcore2
import httpx2

from acap.retrieval.addresses import is_address, is_blocked_port, is_odd_number, refusal

# From host and port to IP addresses, best first. Raises OSError if there are none.
Resolver = Callable[[str, int], Sequence[str]]


class AddressRefusedError(httpx2.ConnectError):
    """The host leads to no address that the request may reach."""


@dataclass(frozen=True, slots=True)
class Passage:
    """What one request may do.

    `private`: reach any address and port, not only what is of the public internet and HTTP's. `deadline`: when it must
    be over, in seconds of `time.monotonic`; None for no end but the timeouts of its steps. `own`: it goes to the site
    that the caller named, and so may carry what a client of theirs knows of them, such as credentials and cookies.
    """

    private: bool = False
    deadline: float | None = None
    own: bool = False

    def left(self, timeout: float | None) -> float | None:
        """The seconds that a step with this timeout may take. Raises httpcore2.ReadTimeout if the time is over."""
        if self.deadline is None:
            return timeout
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise httpcore2.ReadTimeout("the time for the whole retrieval is over")
        return left if timeout is None else min(timeout, left)


def system_resolver(host: str, port: int) -> Sequence[str]:
    """The addresses that the system knows for the host, best first. Raises OSError if there are none."""
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:  # a label that the system's own IDNA step does not take
        raise OSError(str(error)) from error
    return list(dict.fromkeys(str(address[0]) for *_, address in addresses))


@dataclass(slots=True)
class AddressChoice:
    """One request's way to an address: which ones it may try, and which one it took."""

    passage: Passage
    resolver: Resolver
    taken: str | None = field(default=None, init=False)

    def admitted(self, host: str, port: int, addresses: Sequence[str]) -> Sequence[str]:
        """The addresses that may be connected to. Raises AddressRefusedError if there is none."""
        if self.passage.private:
            return addresses
        if is_blocked_port(port):
            raise AddressRefusedError(f"port {port} of `{host}` belongs to another protocol than HTTP")
        if is_odd_number(host):
            raise AddressRefusedError(f"`{host}` is a number that readers disagree on")
        refusals = {address: refusal(address) for address in addresses}
        admitted = [address for address, reason in refusals.items() if reason is None]
        if not admitted:
            reasons = ", ".join(f"{address}: {reason}" for address, reason in refusals.items())
            raise AddressRefusedError(f"`{host}` is not of the public internet ({reasons})")
        return admitted


class GuardedBackend(httpcore2.NetworkBackend):
    def __init__(self, gate: AddressChoice) -> None:
        self._gate = gate
        self._inner = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        passage = self._gate.passage
        failed: httpcore2.NetworkError | httpcore2.TimeoutException = httpcore2.ConnectError("no address")
        for address in self._gate.admitted(host, port, self._resolve(host, port, timeout)):
            try:
                stream = self._inner.connect_tcp(address, port, passage.left(timeout), local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failed = error
                continue
            self._gate.taken = address
            return _TimedStream(stream, passage)
        raise failed

    def _resolve(self, host: str, port: int, timeout: float | None) -> Sequence[str]:
        if is_address(host):
            return [host]
        outcome: queue.SimpleQueue[Sequence[str] | OSError | ValueError] = queue.SimpleQueue()

        def ask() -> None:
            try:
                outcome.put(self._gate.resolver(host, port))
            except (OSError, ValueError) as error:
                outcome.put(error)

        # The system's resolver knows no timeout, so it is asked in a thread that may be left behind.
        threading.Thread(target=ask, name="acap-resolver", daemon=True).start()
        try:
            addresses = outcome.get(timeout=self._gate.passage.left(timeout))
        except queue.Empty:
            raise httpcore2.ConnectTimeout(f"`{host}` was not resolved in time") from None
        if isinstance(addresses, (OSError, ValueError)):
            raise httpcore2.ConnectError(f"`{host}` does not resolve: {addresses}") from addresses
        return addresses


class _TimedStream(httpcore2.NetworkStream):
    """A stream whose every step also ends at the deadline: a peer that sends an octet a second ends with it."""

    def __init__(self, inner: httpcore2.NetworkStream, passage: Passage) -> None:
        self._inner = inner
        self._passage = passage

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._passage.left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._passage.left(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        try:
            left = self._passage.left(timeout)
        except httpcore2.ReadTimeout:
            self.close()
            raise
        return _TimedStream(self._inner.start_tls(ssl_context, server_hostname, left), self._passage)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class AsyncGuardedBackend(httpcore2.AsyncNetworkBackend):
    """As `GuardedBackend`. The deadline is left to the caller: a cancel scope around the request ends every step."""

    def __init__(self, gate: AddressChoice) -> None:
        self._gate = gate
        self._inner = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        passage = self._gate.passage
        failed: httpcore2.NetworkError | httpcore2.TimeoutException = httpcore2.ConnectError("no address")
        for address in self._gate.admitted(host, port, await self._resolve(host, port, timeout)):
            try:
                stream = await self._inner.connect_tcp(
                    address, port, passage.left(timeout), local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failed = error
                continue
            self._gate.taken = address
            return stream
        raise failed

    async def _resolve(self, host: str, port: int, timeout: float | None) -> Sequence[str]:
        if is_address(host):
            return [host]
        try:
            with anyio.fail_after(self._gate.passage.left(timeout)):
                return await anyio.to_thread.run_sync(self._gate.resolver, host, port, abandon_on_cancel=True)
        except TimeoutError:
            raise httpcore2.ConnectTimeout(f"`{host}` was not resolved in time") from None
        except (OSError, ValueError) as error:
            raise httpcore2.ConnectError(f"`{host}` does not resolve: {error}") from error
