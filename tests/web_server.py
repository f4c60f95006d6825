"""An application on the loopback interface, in a thread of its own, as a browser meets it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.applications import Starlette

from acap.web.connections import server_of


@contextmanager
def served(app: Starlette) -> Iterator[str]:
    """The address at which it answers, without a slash at the end."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = server_of(app, ending_seconds=1)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
