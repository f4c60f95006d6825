"""The store of a command: the option that names it, and a plain word for whatever is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from acap.cli.io.failures import CallError
from acap.cli.io.files import complete_file
from acap.cli.io.terminal import Terminal
from acap.clock import Clock
from acap.harvest.copies import CopiesDamagedError, CopyMissingError
from acap.harvest.operator import Operator
from acap.harvest.store import Store, StoreError, open_store

STORE = click.option(
    "--store", "store", metavar="FILE|URL", shell_complete=complete_file, required=True, envvar="ACAP_STORE",
    help="Where everything is kept: a file, or a database as postgresql://HOST/NAME.  [env: ACAP_STORE]",
)  # fmt: skip
COPIES = click.option(
    "--copies", type=click.Path(path_type=Path, file_okay=False), metavar="D",
    help="The directory for copies, when the store is made.  [default: beside the file]",
)  # fmt: skip


@contextmanager
def opened(
    where: str,
    *,
    operator: Operator | None = None,
    copies: Path | None = None,
    clock: Clock | None = None,
) -> Iterator[Store]:
    """The store, open; `operator` makes it if there is none. Raises `CallError`, also for what goes wrong within."""
    with plain_failures(where), open_store(where, operator=operator, copies=copies, clock=clock) as store:
        yield store


@contextmanager
def plain_failures(where: str) -> Iterator[None]:
    """Errors of stores and disks as one line."""
    try:
        yield
    except (StoreError, CopiesDamagedError, CopyMissingError) as error:
        raise CallError(str(error)) from error
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno is None:
            raise
        reason = error.strerror or str(error)
        raise CallError(f"the copies of `{where}` cannot be written: {reason.lower()}; check the disk") from error


def note_unerased(erased: bool, terminal: Terminal) -> None:
    """Prints a note if octets of removed copies are still there, because another program reads them."""
    if not erased:
        terminal.note(
            "another program is reading the store; the next `acap sweep` erases the octets of what was removed"
        )
