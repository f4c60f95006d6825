"""Reading a file, or standard input in a file's place, with a plain word for whatever goes wrong."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import click

from acap.cli.io.exits import Exit
from acap.cli.io.failures import CallError
from acap.cli.io.urls import STDIN, suggested_url
from acap.publish import replacing
from acap.publish.inputs import is_unknown

# The largest robots.txt seen has 3.7 MB; a device or an archive given by mistake must not fill the memory.
MAX_FILE_OCTETS = 64 * 1024 * 1024

_NAMED = 5
"""Inputs that a page names."""

# What ends so is a file's name and no host's.
_ENDINGS = (".txt", ".toml", ".html", ".htm", ".xhtml", ".headers")


def read_file(name: str, *, what: str = "robots.txt", example: str = "robots.txt", limit: int | None = None) -> bytes:
    """The octets of a file, `-` for standard input. Raises `CallError`.

    Standard input without an octet, or another such input that is no regular file, is unknown: what was to write it may
    have failed. That `CallError` ends with 3. `what` it is to be, and an `example` of its name, are for the messages;
    `limit` is in octets.
    """
    if name == STDIN:
        octets = _read(sys.stdin.buffer, "standard input", what, limit)
        if not octets:  # a regular file too, for a shell writes what failed into one as well
            raise _unknown("standard input")
        return octets
    path = Path(name)
    try:
        if path.is_dir():
            inside = path / example
            raise CallError(f"`{name}` is a directory; name the file in it, for example {inside}")
        with path.open("rb") as file:
            octets = _read(file, f"`{name}`", what, limit)
            if not octets and is_unknown(file, octets):
                raise _unknown(f"`{name}`")
            return octets
    except FileNotFoundError as error:
        suggested = None if name.endswith(_ENDINGS) and "/" not in name else suggested_url(name)
        hint = f"did you mean `{suggested}`?" if suggested else "check the path"
        raise CallError(f"no file `{name}`; {hint}") from error
    except PermissionError as error:
        raise CallError(f"`{name}` may not be read; check its permissions") from error
    except (OSError, ValueError) as error:  # a path with a NUL is a ValueError
        raise CallError(f"`{name}` cannot be read: {getattr(error, 'strerror', None) or error}") from error


def write_file(file: Path, octets: bytes) -> None:
    """Puts octets where a name leads, as `acap.publish.replacing.write_file` does. Raises `CallError`."""
    try:
        replacing.write_file(file, octets)
    except (OSError, ValueError) as error:  # a path with a NUL is a ValueError
        raise CallError(f"`{file}` cannot be written: {getattr(error, 'strerror', None) or error}") from error


def is_url(name: str) -> bool:
    """Whether the argument is a URL and not a file's name."""
    return "://" in name


_HELD = re.compile(
    r"\.(warc|arc|wat|parquet|pq|arrow|arrows|ipc|feather|csv|tsv|jsonl|ndjson|cdxj?)(\.(gz|zst|bz2))?([?#].*)?$",
    re.IGNORECASE,
)


def copy_hint(url: str) -> str:
    """What is told of the URL of an archive, of a table or of a place that is no web site; empty for other URLs."""
    if url.lower().startswith(("http://", "https://")) and not _HELD.search(url):
        return ""
    return f"`{url}` is not on this machine; copy it here first, and name the copy"


def named(files: Sequence[Path | str]) -> str:
    """The first of some files, and how many there are beside them."""
    first = ", ".join(map(str, files[:_NAMED]))
    return f"{first} and {len(files) - _NAMED:,} more" if len(files) > _NAMED else first


def _unknown(name: str) -> CallError:
    return CallError(
        f"{name} is empty, so its meaning is unknown; check whether the program that writes it failed",
        code=Exit.UNDETERMINED,
    )


def _read(file: BinaryIO, name: str, what: str, limit: int | None) -> bytes:
    most = MAX_FILE_OCTETS if limit is None else limit
    octets = file.read(most + 1)
    if len(octets) > most:
        raise CallError(f"{name} is larger than {most >> 20} MiB; it cannot be a {what}")
    return octets


complete_file = click.File().shell_complete
"""Leaves completing to the shell, which knows the files."""
