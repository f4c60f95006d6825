"""What a crawl tells: how far it is, on standard error; at its end what became of each site's URLs, and why."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn
from rich.progress import Progress as ProgressBar
from rich.table import Table
from rich.text import Text

from acap.cli.io.quantities import octets_text, seconds_text
from acap.cli.io.terminal import Terminal
from acap.explain import visible
from acap.harvest.crawl.report import Progress, Report

LINE_SECONDS = 10.0


class ProgressLine:
    """A context manager; `show` is what a crawl calls. `pages`: the limit of pages, if there is one."""

    def __init__(self, terminal: Terminal, pages: int | None) -> None:
        self._terminal = terminal
        self._pages = pages
        self._noted_at = time.monotonic()
        self._bar: ProgressBar | None = None
        self._task = TaskID(0)

    def __enter__(self) -> Self:
        if not self._terminal.quiet and sys.stderr.isatty():
            self._bar = ProgressBar(
                TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[counts]}", markup=False),
                console=Console(stderr=True), transient=True, auto_refresh=False,
            )  # fmt: skip
            self._bar.start()
            self._task = self._bar.add_task("crawling", total=None, counts="")
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
                self._task, completed=progress.done, total=total, counts=visible(progress_text(progress)), refresh=True
            )
        elif time.monotonic() - self._noted_at >= LINE_SECONDS:
            self._noted_at = time.monotonic()
            self._terminal.note(progress_text(progress))


def progress_text(progress: Progress) -> str:
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
        octets_text(progress.octets),
        f"{progress.rate:.1f}/s",
    ]
    return ", ".join(parts)


_SITES = 50
_REASONS = 20
SITE_COLUMNS = ("site", "crawled", "refused", "failed", "waiting", "indexed", "preserved")


def show(terminal: Terminal, report: Report) -> None:
    """Prints it: tables on a terminal, lines elsewhere."""
    if terminal.quiet:
        return
    terminal.line(headline(report))
    rows = [
        (site.site, *map(str, (site.crawled, site.refused, site.failed, site.waiting, site.indexed, site.preserved)))
        for site in report.sites[:_SITES]
    ]
    if rows:
        table(terminal, SITE_COLUMNS, rows)
    if len(report.sites) > _SITES:
        terminal.line(f"and {len(report.sites) - _SITES} more sites (--json names them)")
    reasons = list(_reasons(report))
    if reasons:
        table(terminal, ("urls", "outcome", "why"), reasons)
    show_unkept(terminal, report.unkept)
    if report.swept:
        acts = ", ".join(f"{act} {usage} {number}" for (act, usage), number in sorted(report.swept.items()))
        terminal.line(f"swept: {acts}")
    for note in report.notes[:_REASONS]:
        terminal.note(note)
    if not report.ended:
        terminal.note("the same command continues it")


def headline(report: Report) -> str:
    """One line: how it ended, and what it took."""
    counts = report.counts
    if report.ended:
        how = "ended: " + report.reason if report.limited else "done"
    else:
        how = f"unfinished: {counts['waiting']} URLs wait"
        if report.interrupted:
            how += " (interrupted)"
        elif report.next_at is not None:
            how += f" until {report.next_at:%Y-%m-%d %H:%M} UTC"
    took = f"{seconds_text(report.seconds)}, {octets_text(report.octets)}"
    names = {"done": "crawled", "refused": "refused", "failed": "failed", "dropped": "dropped"}
    outcomes = ", ".join(f"{counts[state]} {name}" for state, name in names.items())
    return f"run {report.run} {how}; {outcomes}; {took}"


def _reasons(report: Report) -> Iterator[tuple[str, str, str]]:
    """How many URLs, what became of them, and why; refusals by the rule where this call knows it."""
    rules = report.rules.most_common(_REASONS)
    for (kind, rule), urls in rules:
        yield str(urls), "refused", f"{kind}: {rule}" if rule else reason_text(kind)
    known = {kind for (kind, _), _ in rules}
    for state, why, urls in report.reasons[:_REASONS]:
        if not (state == "refused" and why in known):
            yield str(urls), state, reason_text(why)


_REASON_TEXTS = {
    "unreachable": "unreachable: robots.txt could not be retrieved",
    "status 402": "status 402: a payment is asked for",
}


def reason_text(why: str) -> str:
    """A reason of the schedule, in words where it is short."""
    return _REASON_TEXTS.get(why, why)


def show_unkept(terminal: Terminal, unkept: Counter[tuple[str, str]]) -> None:
    """Prints how many pages are not kept, and what decided."""
    if unkept:
        rows = [(str(urls), usage, why) for (usage, why), urls in unkept.most_common(_REASONS)]
        table(terminal, ("pages", "not kept for", "why"), rows)


def table(terminal: Terminal, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table on a terminal; elsewhere lines with a name before each value. No value makes a second line."""
    rows = [tuple(map(visible, row)) for row in rows]
    if terminal.rich:
        drawn = Table(box=None, pad_edge=False)
        for number, name in enumerate(columns):
            numeric = bool(rows) and all(row[number].isdigit() for row in rows)
            drawn.add_column(name, justify="right" if numeric else "left", overflow="fold")
        for row in rows:
            drawn.add_row(*map(Text, row))
        terminal.show(drawn)
        return
    for row in rows:
        terminal.line("  ".join(f"{name} {value}" for name, value in zip(columns, row, strict=True)))
