"""`acap serve --decisions` in a process of its own, and the plainest client there is."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.command_line import environment, process

TOKEN = "token-of-the-tests-0123456789"


@dataclass
class DecisionProcess:
    """The process, and where it answers."""

    running: subprocess.Popen[bytes]
    port: int

    @property
    def url(self) -> str:
        """The root of the server, without a slash."""
        return f"http://127.0.0.1:{self.port}"

    def post(self, document: Any, *, timeout: float = 30) -> tuple[int, Any]:
        """The status and the document of an answer. Raises OSError or HTTPException where none comes."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            headers = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"}
            connection.request("POST", "/v1/decisions", json.dumps(document), headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()


@contextmanager
def decision_process(*arguments: str, port: int = 0) -> Iterator[DecisionProcess]:
    """A service that retrieves from this machine, too; killed at the end if it still runs."""
    command = ("serve", "--decisions", "--allow-private", "--port", str(port), *arguments)
    running = process(*command, env=environment(ACAP_DECISIONS_TOKEN=TOKEN), stdin=subprocess.DEVNULL)
    with running:
        try:
            assert running.stdout is not None
            assert running.stderr is not None
            line = running.stdout.readline().decode()
            found = re.search(r"Serving decisions at http://127\.0\.0\.1:(\d+)/", line)
            assert found is not None, line + running.stderr.read().decode()
            yield DecisionProcess(running, int(found[1]))
        finally:
            if running.poll() is None:
                running.kill()


def ended(running: subprocess.Popen[bytes], number: signal.Signals) -> tuple[int, bytes, bytes]:
    """What the process ends with after a signal, and what it printed meanwhile."""
    running.send_signal(number)
    out, err = running.communicate(timeout=60)
    return running.returncode, out, err


def outcomes(answers: Sequence[dict[str, Any]]) -> list[str]:
    """The outcomes of rows."""
    return [row["outcome"] for row in answers]
