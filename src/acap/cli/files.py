"""Reading a file, or standard input in a file's place, with a plain word for whatever goes wrong."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from acap.cli.exits import Exit
from acap.cli.failures import Failure
from acap.cli.urls import STDIN, site_meant

if TYPE_CHECKING:
    from typing import BinaryIO

# The largest robots.txt seen has 3.7 MB; a device or an archive given by mistake must not fill the memory.
MAX_FILE_OCTETS = 64 * 1024 * 1024

# What ends so is a file's name and no host's.
_ENDINGS = (".txt", ".toml", ".html", ".htm", ".xhtml", ".headers")


def read_file(name: str, *, what: str = "robots.txt", example: str = "robots.txt", limit: int | None = None) -> bytes:
    """The octets of a file, `-` for standard input. Raises `Failure`.

    `what` it is to be, and an `example` of its name, are for the messages; `limit` is in octets.
    """
    if name == STDIN:
        return _read(sys.stdin.buffer, "standard input", what, limit)
    path = Path(name)
    try:
        if path.is_dir():
            inside = path / example
            raise Failure(f"`{name}` is a directory; name the file in it, for example {inside}")
        with path.open("rb") as file:
            return _read(file, f"`{name}`", what, limit)
    except FileNotFoundError as error:
        meant = None if name.endswith(_ENDINGS) and "/" not in name else site_meant(name)
        hint = f"did you mean `{meant}`?" if meant else "check the path"
        raise Failure(f"no file `{name}`; {hint}") from error
    except PermissionError as error:
        raise Failure(f"`{name}` may not be read; check its permissions") from error
    except (OSError, ValueError) as error:  # a path with a NUL is a ValueError
        raise Failure(f"`{name}` cannot be read: {getattr(error, 'strerror', None) or error}") from error


def not_empty(name: str, octets: bytes, what: str) -> bytes:
    """The octets, unless standard input had none: what was to write them may have failed. Raises `Failure`."""
    if name == STDIN and not octets:
        raise Failure(
            f"standard input is empty, so what the {what} says is not known; see whether what writes it fails",
            code=Exit.UNDETERMINED,
        )
    return octets


def write_file(file: Path, octets: bytes) -> None:
    """Puts octets where a name leads, as `acap.publish.replacing.write_file` does. Raises `Failure`."""
    from acap.publish import replacing

    try:
        replacing.write_file(file, octets)
    except (OSError, ValueError) as error:  # a path with a NUL is a ValueError
        raise Failure(f"`{file}` cannot be written: {getattr(error, 'strerror', None) or error}") from error


def is_url(name: str) -> bool:
    """Whether the argument is a URL and not a file's name."""
    return "://" in name


def _read(file: BinaryIO, name: str, what: str, limit: int | None) -> bytes:
    most = MAX_FILE_OCTETS if limit is None else limit
    octets = file.read(most + 1)
    if len(octets) > most:
        raise Failure(f"{name} is larger than {most >> 20} MiB; it cannot be a {what}")
    return octets
