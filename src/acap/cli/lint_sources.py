"""What `acap lint` is given: files, directories that are searched, standard input, and the sites of URLs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from acap._native import format_of
from acap.cli.failures import Failure
from acap.cli.files import is_url, read_file
from acap.cli.network import Network, is_out_of_reach
from acap.cli.terminal import Terminal
from acap.cli.urls import STDIN, check_url
from acap.publish.lint.document import Kind

# Directories that hold copies of other projects' files, or none that is served.
_SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages"})

_PAGES = (".html", ".htm", ".xhtml")
_HEADERS = ".headers"
_SNIFFED = 1024  # octets, as browsers look at


class Given(NamedTuple):
    """One document: its name as it is shown, its file or its octets, and its URL if it came from a site.

    `unread` is why it is not read, as the rest of a sentence; empty if it is.
    """

    name: str
    file: Path | None
    octets: bytes | None = None
    url: str | None = None
    unread: str = ""


def given(names: tuple[str, ...], stdin_name: str | None, network: Network, terminal: Terminal) -> Iterator[Given]:
    """Every document that the arguments name, in their order and each once. Raises `Failure`."""
    seen = set[str]()
    for name in names or (".",):
        for one in _of(name, stdin_name, network, terminal):
            if one.name not in seen:
                seen.add(one.name)
                yield one


def _of(name: str, stdin_name: str | None, network: Network, terminal: Terminal) -> Iterator[Given]:
    if name == STDIN:
        if sys.stdin.isatty():
            raise Failure("standard input is a terminal; name a file, or redirect one with <")
        yield Given(stdin_name or STDIN, None, read_file(STDIN))
    elif is_url(name):
        yield from _site(check_url(name, path_is_enough=False), network, terminal)
    elif (path := Path(name)).is_dir():
        found = sorted(searched(path))
        if not found:
            raise Failure(f"no robots.txt, *.html or *.headers in `{name}`; name a file")
        yield from (Given(str(file), file, unread=unread) for file, unread in found)
    else:
        if not path.exists():
            read_file(name)  # says what is wrong, and what may have been meant
        yield Given(name, path)


def _site(url: str, network: Network, terminal: Terminal) -> Iterator[Given]:
    """The robots.txt of a site; nothing if it has none. Raises `Unreachable`."""
    policy = network.policy(url)
    about = policy.evidence.get("meaning")
    if is_out_of_reach(policy):
        raise Unreachable
    where = policy.url or url
    if about == "absent" and 200 <= (policy.evidence.get("status") or 0) < 300:
        # Something came in place of the file; what it is, is for the rules to tell.
        yield Given(where, None, network.document(where).octets, where)
    elif about == "absent":
        terminal.note(f"{where} is not there, so nothing is forbidden")
    else:
        yield Given(where, None, policy.octets, where)


class Unreachable(Exception):  # noqa: N818  a state of the site, said already
    """A site's robots.txt cannot be had; why has been said."""


def searched(directory: Path) -> Iterator[tuple[Path, str]]:
    """The files below a directory that are linted: robots.txt, NAME.robots.txt, pages, headers.

    Each comes with why it is not read, as the rest of a sentence; empty if it is. So do directories that cannot be
    searched, and one that bears the name of a robots.txt, which a server shows as something else.
    """
    hidden: list[tuple[Path, str]] = []

    def cannot(error: OSError) -> None:
        hidden.append((Path(error.filename), f"cannot be searched: {error.strerror or error}"))

    for folder, below, files in os.walk(directory, onerror=cannot):
        below[:] = [name for name in below if not name.startswith(".") and name not in _SKIPPED]
        for name in below:
            if _is_robots(name.lower()):
                yield Path(folder, name), "is a directory; name the file in it"
        for name in files:
            lowered = name.lower()
            file = Path(folder, name)
            if _is_robots(lowered) or lowered.endswith((*_PAGES, _HEADERS)):
                # A FIFO or a device is no document, and reading it might never end.
                is_read = file.is_file() or not file.exists()
                yield file, "" if is_read else "is not a regular file; redirect it with <"
    yield from hidden


def _is_robots(name: str) -> bool:
    return name == "robots.txt" or name.endswith(".robots.txt")


def kind_of(name: str, octets: bytes) -> Kind:
    """What a document is, by its name, else by how it begins. Raises `Failure` if it is none that lint reads."""
    lowered = name.lower().rpartition("/")[2]
    found = format_of(octets)
    if lowered.endswith(_PAGES) and not found:
        return "page"
    if lowered.endswith(_HEADERS):
        return "headers"
    if lowered == "robots.txt" or lowered.endswith(".robots.txt"):
        return "robots"
    if found:
        raise Failure(
            f"`{name}` is a {found.upper()} file, and lint reads robots.txt, pages and headers; for its own metadata: "
            f"acap show --page {name}"
        )
    beginning = octets[:_SNIFFED].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if beginning.startswith(b"http/"):
        return "headers"
    return (
        "page"
        if beginning.startswith((b"<!doctype html", b"<html", b"<head", b"<!--", b"<meta", b"<?xml"))
        else "robots"
    )
