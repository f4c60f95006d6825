"""The store of a command: the option that names it, and a plain word for whatever is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from acap.cli.io.asking import complete_usage
from acap.cli.io.failures import CallError, suggestion
from acap.cli.io.files import complete_file
from acap.cli.io.terminal import Terminal
from acap.clock import Clock
from acap.harvest.copies import CopiesDamagedError, CopyMissingError
from acap.harvest.operator import Operator
from acap.harvest.store import Store, StoreError, open_store
from acap.json_members import read_json
from acap.licensee import Licensee
from acap.usages import USAGES

STORE = click.option(
    "--store", "store", metavar="FILE|URL", shell_complete=complete_file, required=True, envvar="ACAP_STORE",
    help="Where everything is kept: a file, or a database as postgresql://HOST/NAME.  [env: ACAP_STORE]",
)  # fmt: skip
COPIES = click.option(
    "--copies", type=click.Path(path_type=Path, file_okay=False), metavar="D",
    help="The directory for copies, when the store is made.  [default: beside the file]",
)  # fmt: skip


def _usage(text: str) -> str:
    """One `--for` value."""
    name = text.strip().lower()
    if name not in USAGES:
        raise CallError(f"`--for` names the unknown usage `{text}`{suggestion(name, USAGES)}")
    return name


KEPT_FOR = click.option(
    "--for", "usages", type=_usage, shell_complete=complete_usage, multiple=True, metavar="USAGE",
    help="Keep only what may be used so too, such as `ai-train`. Repeatable; belongs to the store.",
)  # fmt: skip
_LICENSEE = "JSON: who you are to licences; docs/how-to/crawl.md has its keys."
_LICENSEE_FILE = click.Path(path_type=Path, dir_okay=False)
LICENSEE = click.option(
    "--licensee", type=_LICENSEE_FILE, metavar="FILE", help=f"{_LICENSEE} Belongs to the store."
)  # fmt: skip
LICENSEE_ASKED = click.option("--licensee", type=_LICENSEE_FILE, metavar="FILE", help=_LICENSEE)
"""The same of a command without a store."""


def licensee_of(file: Path | None) -> Licensee | None:
    """The licensee of a file; None without one. Raises `CallError`."""
    if file is None:
        return None
    try:
        return _licensee(read_json(file.read_text(encoding="utf-8-sig")))
    except OSError as error:
        raise CallError(f"`{file}` cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise CallError(f"`{file}` is no licensee in JSON: {error}; see docs/how-to/crawl.md") from error


_TEXTS = "a text, or an array of texts"
_FORMS = {
    "users": _TEXTS, "country": "a text", "payments": _TEXTS, "licences": _TEXTS, "reuse": "a text",
    "research": "true or false",
}  # fmt: skip


def _licensee(values: object) -> Licensee:
    """The licensee of a value of JSON. Raises ValueError for one that has another form."""
    if not isinstance(values, dict):
        raise ValueError(f"it must be an object with the keys {', '.join(_FORMS)}")
    for key, value in values.items():
        if key not in _FORMS:
            raise ValueError(f"unknown key `{key}`{suggestion(key, _FORMS)}")
        is_texts = isinstance(value, list) and all(isinstance(one, str) for one in value)
        fits = {"a text": isinstance(value, str), "true or false": isinstance(value, bool)}
        is_left_out = value is None and key in ("country", "payments")
        if not (is_left_out or fits.get(_FORMS[key], isinstance(value, str) or is_texts)):
            raise ValueError(f"`{key}` must be {_FORMS[key]}")
    return Licensee(**values)


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
