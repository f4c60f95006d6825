"""`acap sweep`: let go of what may not be held any longer."""

from __future__ import annotations

import json
from datetime import datetime

import click

from acap.cli.io.acts import HEADINGS, cells, show_table
from acap.cli.io.asking import AT
from acap.cli.io.command import Command
from acap.cli.io.exits import Exit
from acap.cli.io.stores import STORE, note_unerased, opened
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.harvest.sweep import Swept
from acap.harvest.sweep import sweep as sweep_store
from acap.plurals import plural
from acap.schema import SCHEMA


@click.command(cls=Command)
@STORE
@AT
@click.option("--dry-run", is_flag=True, help="Only say what would be deleted; other writers wait meanwhile.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@terminal_options
@pass_terminal
def sweep(terminal: Terminal, store: str, at: datetime | None, dry_run: bool, as_json: bool) -> Exit:
    """Delete what may not be held any longer, and say why.

    It checks what is due: a time limit has expired, a site says something new, asks to take something down, or refuses
    what was permitted. Such things leave the index and the copies, octets included, and the ledger gets an entry for
    each act. Run it every day, or as often as the shortest time limit demands; a second run finds nothing to do.

    \b
    # delete what is over
    acap sweep --store crawl.db
    # show what will be over then
    acap sweep --store crawl.db --dry-run --at 2027-01-01

    \b
    Ends with  0 when it is done,   2 on a wrong call, or if the store cannot be used or another program writes it.
    """
    with opened(store) as found, found.writing(), terminal.progress("sweeping"):
        now = at or found.clock.now()
        swept = sweep_store(found, now, dry=dry_run)
    if as_json:
        terminal.line(json.dumps(_swept_to_json(swept, now, dry_run)))
    else:
        show_table(terminal, HEADINGS, (cells(act) for act in swept.acts))
        terminal.note(_summary(swept, dry_run))
    note_unerased(swept.erased, terminal)
    return Exit.PERMITTED


def _summary(swept: Swept, dry_run: bool) -> str:
    looked = f"{plural(swept.reviewed, 'resource')} checked"
    counts = ", ".join(f"{act} ({usage}) {number}" for (act, usage), number in sorted(swept.counts.items()))
    return f"{looked}; {'would be ' if dry_run and counts else ''}{counts or 'nothing to do'}"


def _swept_to_json(swept: Swept, at: datetime, dry_run: bool) -> dict[str, object]:
    return {
        "schema": SCHEMA,
        "at": at.isoformat(),
        "dry_run": dry_run,
        "reviewed": swept.reviewed,
        "acts": [act.to_json() for act in swept.acts],
        "erased": swept.erased,
    }
