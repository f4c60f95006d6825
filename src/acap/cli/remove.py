"""`acap remove`: let go of URLs at once, and do not crawl them again."""

from __future__ import annotations

import json

import click

from acap.cli.io.acts import HEADINGS, cells, show_table
from acap.cli.io.command import Command
from acap.cli.io.exits import Exit
from acap.cli.io.failures import CallError
from acap.cli.io.stores import STORE, note_unerased, opened
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.cli.io.urls import check_url
from acap.harvest.removal import remove as remove_url
from acap.harvest.store import Act, Store
from acap.harvest.store.files import SCRUB
from acap.plurals import plural
from acap.retrieval.locations import canonical
from acap.schema import SCHEMA


@click.command(cls=Command)
@click.argument("urls", nargs=-1, metavar="URL...")
@STORE
@click.option("--why", default="", metavar="TEXT", help="Who asked for it, or why; for the ledger.")
@click.option("--readmit", is_flag=True, help="The reverse: let the URLs be crawled again.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@terminal_options
@pass_terminal
def remove(terminal: Terminal, urls: tuple[str, ...], store: str, why: str, readmit: bool, as_json: bool) -> Exit:
    """Delete everything that is held of URLs at once, and do not crawl them again.

    Every version leaves the index and the copies, octets included; the ledger says that the operator did it. The URLs
    are refused from then on, until you readmit them.

    \b
    # delete a page at once
    acap remove --store crawl.db --why 'letter of 3 May' https://example.com/a.html
    # let it be crawled again
    acap remove --store crawl.db --readmit https://example.com/a.html

    \b
    Ends with  0 when it is done,   2 on a wrong call, or if the store cannot be used or somebody else writes it.
    """
    if not urls:
        raise CallError("no URL given; name what to delete")
    if readmit and why:
        raise CallError("--why is for a deletion; remove it with --readmit")
    wanted = [_canonical(url) for url in dict.fromkeys(urls)]
    with opened(store) as found, found.writing():
        acts = _readmit(found, wanted) if readmit else _remove(found, wanted, why)
        erased = not found.files.intents(SCRUB)
    if as_json:
        result = {"schema": SCHEMA, "urls": wanted, "acts": [act.to_json() for act in acts], "erased": erased}
        terminal.line(json.dumps(result))
    else:
        show_table(terminal, HEADINGS, (cells(act) for act in acts))
        terminal.note(_summary(wanted, acts, readmit=readmit))
    note_unerased(erased, terminal)
    return Exit.PERMITTED


def _canonical(url: str) -> str:
    try:
        return canonical(check_url(url, path_is_enough=False))
    except ValueError as error:
        raise CallError(str(error)) from error


def _remove(store: Store, urls: list[str], why: str) -> list[Act]:
    return [act for url in urls for act in remove_url(store, url, why=why)]


def _readmit(store: Store, urls: list[str]) -> list[Act]:
    with store.transaction():
        for url in urls:
            store.requests.readmit(url, store.clock.now())
    return []


def _summary(urls: list[str], acts: list[Act], *, readmit: bool) -> str:
    number = plural(len(urls), "URL")
    if readmit:
        return f"{number} may be crawled again"
    found = len({act.url for act in acts})
    of_it = "it" if len(urls) == 1 else "them"
    held = f"the store held something of {found}" if found else f"the store held nothing of {of_it}"
    return f"{number} will not be crawled again; {held}"
