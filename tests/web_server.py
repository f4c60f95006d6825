"""An application on the loopback interface, in a thread of its own, as a browser meets it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.applications import Starlette

from acap.web.connections import server_of


@contextmanager
def served(app: Starlette, *, held_by_system: int | None = None) -> Iterator[str]:
    """The address at which it answers, without a slash at the end.

    `held_by_system`: octets of an answer that the system keeps for a slow client, roughly; None: as many as it likes.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    if held_by_system is not None:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, held_by_system)
    server = server_of(app, ending_seconds=1)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
