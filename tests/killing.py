"""Processes to be killed: jobs that run in a process of their own, from which nothing can be saved once it is killed.

A parent with everything imported forks one for each job, so that a job begins within milliseconds.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Ended:
    """How a job ended: `killed`, or with a code, after so many seconds."""

    killed: bool
    code: int
    seconds: float


class Jobs:
    """Starts jobs. Use it as a context manager."""

    def __enter__(self) -> Self:
        command = [sys.executable, "-c", "from tests.killing import main; main()"]
        self._parent = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
        )
        assert self._answer() == "ready"
        return self

    def __exit__(self, *_: object) -> None:
        assert self._parent.stdin is not None
        self._parent.stdin.close()
        self._parent.wait()
        for stream in (self._parent.stdout, self._parent.stderr):
            if stream is not None:
                stream.close()

    def run(
        self,
        job: str,
        arguments: Mapping[str, Any],
        kill_after: float | None = None,
        meanwhile: Callable[[], None] | None = None,
    ) -> Ended:
        """Runs a job to its end, or kills it after so many seconds; or does something meanwhile."""
        assert self._parent.stdin is not None
        self._parent.stdin.write(json.dumps({"job": job, **arguments}) + "\n")
        self._parent.stdin.flush()
        began = time.monotonic()
        pid = int(self._answer())
        if meanwhile is not None:
            meanwhile()
        if kill_after is not None:
            time.sleep(kill_after)
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        status = int(self._answer())
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        code = -1 if killed else os.waitstatus_to_exitcode(status)
        return Ended(killed, code, time.monotonic() - began)

    def _answer(self) -> str:
        assert self._parent.stdout is not None
        line = self._parent.stdout.readline().strip()
        if not line:
            assert self._parent.stderr is not None
            raise RuntimeError(f"the parent of jobs has gone: {self._parent.stderr.read()}")
        return line


def sweep_job(store: str, at: str) -> None:
    """Sweeps a store at an instant."""
    from acap.clock import FixedClock
    from acap.harvest.store import open_store
    from acap.harvest.sweep import sweep

    with open_store(Path(store), clock=FixedClock(datetime.fromisoformat(at))) as opened, opened.writing():
        sweep(opened)


def crawl_job(store: str, seed: str, at: str, copies: str | None = None, octets: int | None = None) -> None:
    """Crawls into a store as if it were always the same instant; `octets`: files grow to no more than that."""
    import resource

    from acap.clock import FixedClock
    from acap.harvest.crawl import CrawlOptions, crawl
    from acap.harvest.operator import Operator
    from acap.harvest.store import open_store

    options = CrawlOptions(delay=0, per_site=4)
    clock = FixedClock(datetime.fromisoformat(at))
    if octets is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (octets, octets))
    where = store if "://" in store else Path(store)
    directory = None if copies is None else Path(copies)
    with open_store(where, operator=Operator(("searchbot",)), clock=clock, copies=directory) as opened:
        report = crawl(opened, [seed], options)
    if not report.ended or report.faults:
        raise RuntimeError(f"the crawl did not come to its end: {report}")


JOBS: dict[str, Callable[..., None]] = {"crawl": crawl_job, "sweep": sweep_job}
IMPORTED = (
    "acap.harvest.crawl",
    "acap.harvest.store.sqlite",
    "acap.harvest.sweep",
    "acap.pages.skeleton",
    "scrapy.core.downloader.handlers.http11",
    "scrapy.core.engine",
)


def main() -> None:
    """The parent: forks a process for each line of standard input, tells its number and then how it ended."""
    for module in IMPORTED:
        import_module(module)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        told = json.loads(line)
        job = JOBS[told.pop("job")]
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                job(**told)
                code = 0
            except BaseException:  # noqa: BLE001  nothing of the child may go on as if it were the parent
                import traceback

                traceback.print_exc()
            finally:
                os._exit(code)
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()
        _, status = os.waitpid(pid, 0)
        sys.stdout.write(f"{status}\n")
        sys.stdout.flush()
