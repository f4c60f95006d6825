"""Acts of a ledger, as commands show them."""

from __future__ import annotations

from collections.abc import Iterable

from rich.table import Table
from rich.text import Text

from acap.cli.io.terminal import Terminal
from acap.explain import visible
from acap.harvest.act import decided_by
from acap.harvest.store import Act

HEADINGS = ("time", "act", "usage", "URL", "decided by", "restrictions")


def cells(act: Act) -> tuple[str, ...]:
    """An act in columns: time, act, usage, URL, what decided, restrictions; `-` where there is nothing to say."""
    restrictions = "; ".join((act.decision or {}).get("restrictions", ()))
    time = act.at.isoformat(timespec="seconds").replace("+00:00", "Z")
    return tuple(visible(one) for one in (time, act.act, act.usage, act.url, _why(act) or "-", restrictions or "-"))


def _why(act: Act) -> str:
    """The first statement that decided, else the kind of reason; for some acts who wanted it, or what was answered."""
    if act.detail.get("by") == "operator":
        return f"the operator: {act.detail['why']}" if act.detail.get("why") else "the operator"
    if "reason" in act.detail:
        return str(act.detail["reason"])
    if act.act in ("requested", "settled"):
        return str(act.detail.get("said_in", "")) or ("taken back" if act.detail.get("withdrawn") else "")
    if act.act == "required":
        return f"other resources: {act.detail.get('resources')}"
    if act.act == "crawled" and "answer" in act.detail:
        return f"answered {act.detail['answer']}"
    return "" if act.decision is None else decided_by(act.decision)


def show_table(terminal: Terminal, headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    """A table on a terminal, plain lines with tabs elsewhere."""
    if not terminal.rich:
        for row in rows:
            terminal.line("\t".join(row))
        return
    table = Table(box=None, expand=True)
    for heading in headings:
        is_long = heading in ("URL", "decided by", "restrictions")
        table.add_column(heading, no_wrap=not is_long, overflow="fold", ratio=2 if is_long else None)
    for row in rows:
        table.add_row(*map(Text, row))
    if table.row_count and not terminal.quiet:
        terminal.show(table)
