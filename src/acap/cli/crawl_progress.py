"""How far a crawl is, on standard error: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn
from rich.progress import Progress as ProgressBar

from acap.cli.quantities import said_octets
from acap.cli.terminal import Terminal
from acap.explain import visible
from acap.harvest.crawl.report import Progress

LINE_SECONDS = 10.0


class ProgressLine:
    """A context manager; `show` is what a crawl calls. `pages`: the limit of pages, if there is one."""

    def __init__(self, terminal: Terminal, pages: int | None) -> None:
        self._terminal = terminal
        self._pages = pages
        self._said_at = time.monotonic()
        self._bar: ProgressBar | None = None
        self._task = TaskID(0)

    def __enter__(self) -> Self:
        if not self._terminal.quiet and sys.stderr.isatty():
            self._bar = ProgressBar(
                TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[told]}", markup=False),
                console=Console(stderr=True), transient=True, auto_refresh=False,
            )  # fmt: skip
            self._bar.start()
            self._task = self._bar.add_task("crawling", total=None, told="")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, progress: Progress) -> None:
        """Tells how far it is."""
        if self._bar is not None:
            total = progress.done + progress.waiting  # which has what is under way
            total = total if self._pages is None else min(total, self._pages)
            self._bar.update(
                self._task, completed=progress.done, total=total, told=visible(told(progress)), refresh=True
            )
        elif time.monotonic() - self._said_at >= LINE_SECONDS:
            self._said_at = time.monotonic()
            self._terminal.note(told(progress))


def told(progress: Progress) -> str:
    """A line of counts, those that are refused by kind."""
    reasons = progress.reasons
    refused = sorted(
        (outcome.removeprefix("refused: "), number)
        for (usage, outcome), number in reasons.items()
        if usage == "crawl" and outcome.startswith("refused: ")
    )
    kinds = f" ({', '.join(f'{kind} {number}' for kind, number in refused)})" if refused else ""
    parts = [
        f"{progress.done} done",
        f"{progress.waiting} waiting",
        f"{progress.refused} refused{kinds}",
        f"{progress.failed} failed",
        f"{reasons['index', 'permitted']} indexable",
        f"{reasons['preserve', 'permitted']} preservable",
        said_octets(progress.octets),
        f"{progress.rate:.1f}/s",
    ]
    return ", ".join(parts)
