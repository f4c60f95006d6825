"""A transport that waits, held to the end of the time for the whole, whatever the peer and the client below it do.

A client bounds each step: a peer that sends an octet a second meets none of its bounds. So the client works in a thread
of its own, which hands over the head and each piece of the body, and which is left behind once the time is over.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from contextvars import copy_context
from typing import cast

import httpx2

from acap.retrieval.guard import Passage
from acap.retrieval.transport import PASSAGE

_CLOSING = 1.0  # seconds; a client that closes a response for longer goes on without us


class InTime(httpx2.BaseTransport):
    """The transport by which requests go out, in time."""

    def __init__(self, inner: httpx2.BaseTransport) -> None:
        self._inner = inner

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """As the inner transport. Raises httpx2.ReadTimeout once the time of the `Passage` is over."""
        passage: Passage = request.extensions.get(PASSAGE, Passage())
        work = _Work(lambda: self._inner.handle_request(request), passage.deadline)
        head = work.head()
        body = _TimedBody(work)
        return httpx2.Response(head.status_code, headers=head.headers.raw, stream=body, extensions=head.extensions)


class _TimedBody(httpx2.SyncByteStream):
    def __init__(self, work: _Work) -> None:
        self._work = work

    def __iter__(self) -> Iterator[bytes]:
        while (octets := self._work.piece()) is not None:
            yield octets

    def close(self) -> None:
        self._work.close()


class _Work:
    """One request in a thread: it is told whether to go on before each piece, and so keeps none in memory."""

    def __init__(self, send: Callable[[], httpx2.Response], deadline: float | None) -> None:
        self._deadline = deadline
        self._go_on: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._came: queue.SimpleQueue[httpx2.Response | bytes | BaseException | _Closed | None] = queue.SimpleQueue()
        self._is_over = False
        # What is known of the caller's context, an errand above all, holds there too.
        threading.Thread(target=copy_context().run, args=(self._do, send), name="acap-client", daemon=True).start()

    def head(self) -> httpx2.Response:
        return cast("httpx2.Response", self._next())

    def piece(self) -> bytes | None:
        """The next octets of the body, or None at its end."""
        self._go_on.put(True)
        return cast("bytes | None", self._next())

    def close(self) -> None:
        """Has the response closed, and waits for that for a moment: the caller may close the client next."""
        self._go_on.put(False)
        with suppress(queue.Empty):
            while not self._is_over and not isinstance(self._came.get(timeout=_CLOSING), _Closed):
                pass

    def _next(self) -> httpx2.Response | bytes | None:
        try:
            left = None if self._deadline is None else self._deadline - time.monotonic()
            came = self._came.get(timeout=None if left is None else max(left, 0))
        except BaseException as error:
            self._is_over = True
            self._go_on.put(False)
            if isinstance(error, queue.Empty):
                raise httpx2.ReadTimeout("the time for the whole retrieval is over") from None
            raise
        if isinstance(came, BaseException):
            raise came
        if isinstance(came, _Closed):
            raise httpx2.StreamClosed
        return came

    def _do(self, send: Callable[[], httpx2.Response]) -> None:
        try:
            response = send()
            self._came.put(response)
            try:
                pieces = iter(cast("httpx2.SyncByteStream", response.stream))
                while self._go_on.get():
                    self._came.put(next(pieces, None))
            finally:
                response.close()
        except BaseException as error:  # noqa: BLE001  it is raised where it is waited for
            self._came.put(error)
        self._came.put(_Closed())


class _Closed:
    """The response was closed, and nothing more comes."""
