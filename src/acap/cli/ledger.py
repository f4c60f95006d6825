"""`acap ledger`: what was done with which URL, when and why, and proof that nothing of it was changed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path

import click

from acap.cli.io.acts import HEADINGS, cells, show_table
from acap.cli.io.command import Command
from acap.cli.io.exits import Exit
from acap.cli.io.failures import CallError
from acap.cli.io.stores import STORE, opened
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.cli.io.urls import check_url
from acap.harvest.export import ExportError
from acap.harvest.export import drop as drop_months
from acap.harvest.export import export as export_months
from acap.harvest.proof import verify as verify_store
from acap.harvest.store import Entry, Store, Verified
from acap.harvest.store.ledger import ACTS
from acap.retrieval.locations import canonical
from acap.schema import SCHEMA

_DIRECTORY = click.Path(path_type=Path, file_okay=False)
_SCREEN = 100  # entries in a table, unless asked for more
_SHOWN = 100  # problems shown


@click.command(cls=Command)
@click.argument("url", required=False)
@STORE
@click.option("--act", "acts", type=click.Choice(ACTS), multiple=True, help="Only acts of this kind; repeatable.")
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="Only the last N entries.")
@click.option(
    "--verify", is_flag=True, help="Compute every hash again, and compare the ledger with everything in the store."
)
@click.option("--export", metavar="DIR", type=_DIRECTORY, help="Write every complete month to a file there.")
@click.option("--drop", is_flag=True, help="With --export: remove those months from the store.")
@click.option("--exported", metavar="DIR", type=_DIRECTORY, help="With --verify: the files of the removed months.")
@click.option("--quick", is_flag=True, help="With --verify: only the chain of entries.")
@click.option(
    "--expect-head", metavar="HASH", help="Verify, and expect this head (or any hash noted earlier) to be there."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
@terminal_options
@pass_terminal
def ledger(
    terminal: Terminal,
    url: str | None,
    store: str,
    acts: tuple[str, ...],
    last: int | None,
    verify: bool,
    export: Path | None,
    drop: bool,
    exported: Path | None,
    quick: bool,
    expect_head: str | None,
    as_json: bool,
) -> Exit:
    """What was done with which URL, when and why; with --verify a proof that the ledger is complete.

    An entry is a line: number, time, act, usage, URL, the statement that decided, restrictions. Each entry is bound to
    the one before by a hash. Only whole months leave the store, with --export and --drop: their files hold them. Note
    the head that --verify prints in another place: with it you can prove later that no entry up to it was changed or
    cut off.

    --verify reads the whole store: the entries have digests of headers, policies, the words of the index and the octets
    of the copies; first times and requests must be those of the entries. --quick checks only the chain.

    \b
    # what was done with a URL
    acap ledger --store crawl.db https://example.com/news/
    # the last removals
    acap ledger --store crawl.db --act removed --last 20
    # prove that nothing was changed
    acap ledger --store crawl.db --verify
    # prove it against a head that was noted
    acap ledger --store crawl.db --verify --expect-head 5e0c…
    # move whole months into files
    acap ledger --store crawl.db --export months/ --drop
    # prove store and files together
    acap ledger --store crawl.db --verify --exported months/

    \b
    Ends with  0 if all is well,   1 if --verify finds anything wrong,   2 on a wrong call or without a store.
    """
    if expect_head is not None:
        expect_head = _checked_hash(expect_head)
        verify = True
    if quick and not verify:
        raise CallError("--quick is for --verify; give both")
    if exported is not None and not verify:
        raise CallError("--exported is for --verify; give both")
    if exported is not None and not exported.is_dir():
        raise CallError(f"no directory `{exported}`; name the one that --export wrote into")
    if drop and export is None:
        raise CallError("--drop removes what was exported; name a directory with --export")
    if export is not None:
        if verify or url or acts or last:
            raise CallError("--export writes whole months; remove URL, --act, --last and --verify")
        return _export(terminal, store, export, drop=drop, as_json=as_json)
    if verify and (url or acts or last):
        raise CallError("--verify checks all entries; remove URL, --act and --last")
    about = None if url is None else _canonical(url)
    with opened(store) as opened_store:
        if verify:
            return _verify(terminal, opened_store, expect_head, exported, quick=quick, as_json=as_json)
        if last is None and terminal.rich and not as_json:
            last = _SCREEN
        if about is None:
            entries = opened_store.ledger.entries(acts=acts, last=last)
        else:
            entries = opened_store.entries(about, acts=acts, last=last)
        count = _show(terminal, opened_store, entries, about, as_json=as_json)
        if not count:
            terminal.note(f"the ledger has no such entries{f' of {about}' if about else ''}")
        elif last == _SCREEN == count and terminal.rich:
            terminal.note(f"these are the last {_SCREEN}; --last N shows more")
    return Exit.PERMITTED


def _checked_hash(text: str) -> str:
    if not re.fullmatch("[0-9a-fA-F]{64}", text.strip()):
        raise CallError(f"`{text}` is not the hash of an entry; give the 64 digits that --verify printed")
    return text.strip().lower()


def _canonical(url: str) -> str:
    try:
        return canonical(check_url(url, path_is_enough=False))
    except ValueError as error:
        raise CallError(str(error)) from error


def _show(terminal: Terminal, store: Store, entries: Iterator[Entry], about: str | None, *, as_json: bool) -> int:
    count = 0

    def counted() -> Iterator[Entry]:
        nonlocal count
        for entry in entries:
            count += 1
            yield entry

    if as_json:
        for entry in counted():
            record = {"schema": SCHEMA, "seq": entry.seq, **entry.act.to_json(), "hash": entry.hash}
            if "shown" in entry.act.detail:
                record["shown"] = [act.to_json() for act in store.acts_of(entry.act) if about in (None, act.url)]
            terminal.line(json.dumps(record))
    else:
        rows = (
            (str(entry.seq), *cells(act))
            for entry in counted()
            for act in store.acts_of(entry.act)
            if about in (None, act.url)
        )
        show_table(terminal, ("no.", *HEADINGS), rows)
    return count


def _export(terminal: Terminal, where: str, directory: Path, *, drop: bool, as_json: bool) -> Exit:
    with opened(where) as store, store.writing(), terminal.progress("writing"):
        try:
            parts = export_months(store, directory)
            left = drop_months(store, parts) if drop else 0
        except ExportError as error:
            raise CallError(str(error)) from error
    if as_json:
        listed = [{**asdict(part), "file": str(path)} for part, path in parts]
        terminal.line(json.dumps({"schema": SCHEMA, "parts": listed, "dropped": left}))
        return Exit.PERMITTED
    for part, path in parts:
        terminal.line(f"{part.month}\t{part.first}\t{part.last}\t{part.head}\t{path}")
    if not parts:
        terminal.note("the store has no entries of a complete month")
    elif drop:
        terminal.note(f"{left} entries left the store; keep the files, and note their heads in another place")
    return Exit.PERMITTED


def _verify(
    terminal: Terminal, store: Store, expect_head: str | None, exported: Path | None, *, quick: bool, as_json: bool
) -> Exit:
    with terminal.progress("computing hashes"):
        verified = verify_store(store, expect_head, quick=quick, exported=exported)
    if as_json:
        terminal.line(json.dumps({"schema": SCHEMA, **_verified_to_json(verified)}))
    else:
        terminal.line(f"entries\t{verified.entries}")
        terminal.line(f"head\t{verified.head}")
        for line in islice(verified.wrong, _SHOWN):
            terminal.line(f"wrong\t{line}")
        if len(verified.wrong) > _SHOWN:
            terminal.note(f"{len(verified.wrong) - _SHOWN} more are wrong; --json shows all")
    return Exit.PROHIBITED if verified.wrong else Exit.PERMITTED


def _verified_to_json(verified: Verified) -> dict[str, object]:
    return {"entries": verified.entries, "head": verified.head, "wrong": list(verified.wrong)}
