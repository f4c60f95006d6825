"""`acap fetch`: retrieve a policy document, keep it, and print it or all that came with it."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import click

from acap.cli.io.command import Command
from acap.cli.io.exits import Exit
from acap.cli.io.failures import CallError
from acap.cli.io.files import write_file
from acap.cli.io.network import Network, report
from acap.cli.io.options import Access, access_options
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.cli.io.urls import check_url
from acap.retrieval import Retrieved, robots_url
from acap.schema import SCHEMA


@click.command(cls=Command)
@click.argument("url", required=False)
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write the document to FILE.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole response as one JSON object.")
@access_options
@terminal_options
@pass_terminal
def fetch(terminal: Terminal, url: str | None, output: Path | None, as_json: bool, access: Access) -> Exit:
    """Retrieve a policy document, cache it, and print it.

    A URL without a path stands for its site's robots.txt. If a fresh copy exists, it prints that without asking the
    site; --refresh asks the site. Ends with 3 if there is no document.

    \b
    # the robots.txt of a site
    acap fetch https://example.com
    # with when and how it came
    acap fetch --json https://example.com/robots.txt
    # another document
    acap fetch -o tdmrep.json https://example.com/.well-known/tdmrep.json
    """
    if not url:
        raise CallError("no URL given; give one such as https://example.com/robots.txt")
    with Network(access, terminal) as network:
        retrieved = network.document(_document_url(url))
    troubled = report(retrieved.evidence, terminal)
    there = retrieved.meaning == "read" or retrieved.answer.is_other_document  # whatever came is what was asked for
    if output is not None and there:
        write_file(output, retrieved.octets)
    if as_json:
        terminal.line(json.dumps(_everything(retrieved)))
    elif there and output is None:
        terminal.document(retrieved.octets)
    if not there and not troubled:
        terminal.note(f"{retrieved.url} answered {retrieved.status}: there is no document")
    return Exit.PERMITTED if there else Exit.UNDETERMINED


def _document_url(url: str) -> str:
    """The URL itself, or the robots.txt of its site where it has no path."""
    checked = check_url(url, path_is_enough=False)
    path = checked.partition("://")[2].partition("/")[2]
    try:
        return checked if path else robots_url(checked)
    except ValueError as error:
        raise CallError(str(error)) from error


def _everything(retrieved: Retrieved) -> dict[str, Any]:
    """The evidence, and the document as text, or in base64 if it is not UTF-8."""
    try:
        body, encoded = retrieved.octets.decode(), None
    except UnicodeDecodeError:
        body, encoded = None, base64.b64encode(retrieved.octets).decode()
    return {"schema": SCHEMA, **retrieved.evidence, "body": body, "body_base64": encoded}
