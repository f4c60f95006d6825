"""The report of a crawl: what became of each site's URLs, why some were not fetched, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from acap.cli.quantities import said_octets, said_seconds
from acap.cli.terminal import Terminal
from acap.explain import visible
from acap.harvest.crawl.report import Report

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
    if report.swept:
        told = ", ".join(f"{act} {usage} {number}" for (act, usage), number in sorted(report.swept.items()))
        terminal.line(f"swept: {told}")
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
    took = f"{said_seconds(report.seconds)}, {said_octets(report.octets)}"
    names = {"done": "crawled", "refused": "refused", "failed": "failed", "dropped": "dropped"}
    told = ", ".join(f"{counts[state]} {name}" for state, name in names.items())
    return f"run {report.run} {how}; {told}; {took}"


def _reasons(report: Report) -> Iterator[tuple[str, str, str]]:
    """How many URLs, what became of them, and why; refusals by the rule where this call knows it."""
    rules = report.rules.most_common(_REASONS)
    for (kind, rule), urls in rules:
        yield str(urls), "refused", f"{kind}: {rule}" if rule else kind
    known = {kind for (kind, _), _ in rules}
    for state, why, urls in report.reasons[:_REASONS]:
        if not (state == "refused" and why in known):
            yield str(urls), state, why


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
