"""Programs of the system that tests need; `tools/system-programs` knows their places and how to get them."""

from __future__ import annotations

import os
import random
import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parent.parent / "tools" / "system-programs"
# Below those that systems give to connections, so that nobody takes the port of a server while it is stopped.
PORTS = range(15_000, 30_000)


@cache
def programs() -> dict[str, Path | None]:
    """Where each program is, or None."""
    lines = subprocess.run([TOOL, "--list"], check=True, capture_output=True, text=True).stdout.splitlines()
    return {name: Path(path) if path else None for name, _, path in (line.partition("\t") for line in lines)}


def needed(name: str) -> Path:
    """The path of a program. If it is missing the test is skipped, with the reason; where CI=true it fails."""
    path = programs()[name]
    if path is None:
        command = subprocess.run([TOOL, "--command"], check=True, capture_output=True, text=True).stdout.strip()
        reason = f"{name} is missing: {command}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    return path


def free_ports() -> Iterator[int]:
    """Ports of the loopback interface that nobody listens on now, in random order."""
    for port in random.sample(PORTS, 50):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            pass
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)):
                yield port
