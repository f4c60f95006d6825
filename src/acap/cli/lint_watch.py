"""`acap lint --watch`: lints again whenever a file changes, until Ctrl-C."""

from __future__ import annotations

import sys
from collections.abc import Callable

import click

from acap.cli.exits import Exit
from acap.cli.failures import Failure
from acap.cli.terminal import Terminal
from acap.publish.lint import config


def watched(terminal: Terminal, names: tuple[str, ...], lint: Callable[[], Exit]) -> Exit:
    """Runs `lint` now and after each change below what is named; a wrong call in between is said and waited out.

    Raises `Failure` if the package that watches is not installed.
    """
    try:
        from watchfiles import watch
    except ModuleNotFoundError as error:
        raise Failure("`--watch` needs a package that is not installed; pip install 'acap[watch]'") from error
    places = names or (".",)
    code = lint()
    terminal.note("watching; Ctrl-C stops it")
    for _ in watch(*places):
        if sys.stdout.isatty():
            click.clear()
        config.forget()
        try:
            code = lint()
        except Failure as failure:
            # Half-written files and configurations are what a watcher sees.
            terminal.error(failure.message)
            code = Exit.WRONG_CALL
    return code
