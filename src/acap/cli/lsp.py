"""`acap lsp`: the language server, for editors."""

from __future__ import annotations

import click

from acap.cli.io.command import Command
from acap.cli.io.exits import Exit
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.lsp.server import serve


@click.command(cls=Command)
@terminal_options
@pass_terminal
def lsp(_terminal: Terminal) -> Exit:
    """Speaks the Language Server Protocol on standard input and output: editors start it.

    In a robots.txt, a page, a tdmrep.json, an ai.txt or a licence document the editor then shows what lint finds, fixes
    it, explains what a line says to whom, completes fields, crawlers and usages, finds definitions, and formats.
    docs/how-to/editors.md says how to set up editors.

    \b
    # what an editor calls
    acap lsp
    """
    serve()
    return Exit.PERMITTED
