"""The options of where policies and pages come from: `@source_options` gives a command `source: Source`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

import click

from acap import _native
from acap.cli.io.failures import CallError, suggestion
from acap.cli.io.files import complete_file
from acap.cli.io.quantities import Seconds
from acap.robots import READINGS, Limits, Reading, parse_robots

F = TypeVar("F", bound="Callable[..., Any]")

DIALECTS = tuple(_native.DIALECTS)


class SourceOptions(NamedTuple):
    """Where the policies of site and page come from, and how they may be retrieved.

    `page` is the page's file or URL, `headers` are those given for it, `limits` bound the reading of robots.txt;
    `reading` is that of signals.
    """

    robots: str | None
    dialect: str
    references: tuple[tuple[str, str], ...]
    access: Access
    page: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    limits: Limits | None = None
    reading: Reading = READINGS[0]


Forbidden = Literal["unavailable", "restricted"]

FORBIDDEN = click.option(
    "--forbidden", type=click.Choice(["unavailable", "restricted"]),
    help="What 401 and 403 mean for robots.txt: no file, or everything prohibited. [default: as the dialect says]",
)  # fmt: skip


class Access(NamedTuple):
    """How anything is retrieved over the network."""

    refresh: bool
    cache: bool
    cache_dir: Path | None
    timeout: float | None
    allow_private: bool
    contact: str | None
    user_agent: str | None
    forbidden: Forbidden | None = None

    def without_cache(self) -> Access:
        """The same, keeping copies in memory only."""
        return self._replace(cache=False)


def dialect_name(text: str) -> str:
    """One `--dialect` value."""
    if text.lower() in DIALECTS:
        return text.lower()
    raise CallError(f"unknown dialect `{text}`{suggestion(text, DIALECTS)}")


def limit(text: str) -> tuple[str, int]:
    """One `--limit` value: the name of a limit on robots.txt, and its number."""
    name, _, number = (piece.strip() for piece in text.partition("="))
    known = [field.name.replace("_", "-") for field in fields(Limits)]
    if name.lower() not in known:
        raise CallError(f"`--limit` names the unknown limit `{name}`{suggestion(name, known)}")
    if not (number.isascii() and number.isdecimal()):
        raise CallError(f"`--limit {text}` has no number; write --limit {name}=1000")
    return name.lower().replace("-", "_"), int(number[:20])


def reference(text: str) -> tuple[str, str]:
    """One `--reference` value: the URI and the file's name; the last `=` divides them."""
    uri, _, file = text.rpartition("=")
    if not uri or not file:
        raise CallError(f"`--reference {text}` is not URI=FILE; write the URI as the policy does, then `=` and a file")
    return uri, file


_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110 5.6.2


def header(text: str) -> tuple[str, str]:
    """One `--header` value: the field's name, a colon, its value (RFC 9110 5)."""
    name, colon, value = text.partition(":")
    name, value = name.strip(), value.strip()
    if not colon:
        raise CallError(f"`--header {text}` has no colon; write it as --header 'X-Robots-Tag: noindex'")
    if not _HEADER_NAME.fullmatch(name):
        raise CallError(f"`--header {text}` has no field name; write it as --header 'X-Robots-Tag: noindex'")
    if any(letter in value for letter in "\0\r\n"):
        raise CallError(f"`--header {name}` has a line break in its value; give the option again for each line")
    return name, value


def _complete_header(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    return [name for name in ("X-Robots-Tag:", "Content-Type:") if name.lower().startswith(begun.lower())]


def _complete_dialect(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    return [name for name in DIALECTS if name.startswith(begun.lower())]


def reading_name(text: str) -> Reading:
    """One `--reading` value."""
    for reading in READINGS:
        if text.lower() == reading:
            return reading
    raise CallError(f"unknown reading `{text}`{suggestion(text, READINGS)}")


def _complete_reading(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    return [name for name in READINGS if name.startswith(begun.lower())]


def _complete_limit(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    names = [f"{field.name.replace('_', '-')}=" for field in fields(Limits)]
    return [name for name in names if name.startswith(begun.lower())]


def in_order(*options: Callable[[F], F]) -> Callable[[F], F]:
    """All options in the order in which `--help` shall list them."""

    def add(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return add


DIALECT = click.option(
    "--dialect", type=dialect_name, shell_complete=_complete_dialect, default="auto", metavar="D",
    help=f"How to read robots.txt: {', '.join(DIALECTS)}.  [default: auto]",
)  # fmt: skip
REFERENCE = click.option(
    "--reference", "references", type=reference, multiple=True, metavar="URI=FILE",
    help="A document that the policy refers to (ACAP-permissions-reference), read from FILE.",
)  # fmt: skip
READING = click.option(
    "--reading", type=reading_name, shell_complete=_complete_reading, default=READINGS[0], metavar="R",
    help="How Content-Signal and Content-Usage are read: `careful`, what plainly refuses is a refusal, or `strict`, by "
    f"the letter of their texts.  [default: {READINGS[0]}]",
)  # fmt: skip
FULL = click.option("--full", is_flag=True, help="On a terminal show the whole result, not only what it adds to FILE.")
JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object per line; see docs/reference/json.md.")

PAGE = click.option(
    "--page", metavar="FILE|URL", shell_complete=complete_file,
    help="A page whose own statements count: a file, `-` for standard input, or a URL to fetch it from.",
)  # fmt: skip
HEADER = click.option(
    "--header", "headers", type=header, shell_complete=_complete_header, multiple=True, metavar="'NAME: VALUE'",
    help="A header of the page's response, such as 'X-Robots-Tag: noindex'. Give the option again for each line.",
)  # fmt: skip
LIMIT = click.option(
    "--limit", "limits", type=limit, shell_complete=_complete_limit, multiple=True, metavar="NAME=N",
    help="A limit on how much of robots.txt is read: file-octets, line-octets, records, sub-records, "
    "fields-per-record or fields-per-sub-record.",
)  # fmt: skip

_ACCESS = in_order(
    click.option("--refresh", is_flag=True, help="Ask the site again even if the cached copy is fresh."),
    click.option("--no-cache", is_flag=True, help="Neither use nor keep copies."),
    click.option(
        "--cache-dir", type=click.Path(path_type=Path, file_okay=False), metavar="D", help="Where copies are kept."
    ),
    click.option(
        "--timeout", type=Seconds(), metavar="S",
        help="Seconds to wait for a site's answer.",
    ),
    click.option(
        "--allow-private", is_flag=True,
        help="Follow redirects, references and URLs of standard input into private networks.",
    ),
    FORBIDDEN,
    click.option("--contact", metavar="TEXT", help="Your URL or e-mail address, put into the User-Agent."),
    click.option("--user-agent", metavar="TEXT", help="The whole User-Agent to send."),
)  # fmt: skip


def access_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of retrieval; the command takes `access`."""

    @wraps(command)
    def gathered(
        *args: Any, refresh: bool, no_cache: bool, cache_dir: Path | None, timeout: float | None,
        allow_private: bool, contact: str | None, user_agent: str | None, forbidden: Forbidden | None, **rest: Any,
    ) -> Any:  # fmt: skip
        access = Access(refresh, not no_cache, cache_dir, timeout, allow_private, contact, user_agent, forbidden)
        return command(*args, access=access, **rest)

    return _ACCESS(gathered)


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of where the policy comes from; the command takes `source`."""

    @wraps(command)
    def gathered(
        *args: Any,
        robots: str | None,
        dialect: str,
        references: tuple[tuple[str, str], ...],
        access: Access,
        headers: tuple[tuple[str, str], ...],
        limits: tuple[tuple[str, int], ...],
        page: str | None = None,
        reading: Reading = READINGS[0],
        **rest: Any,
    ) -> Any:
        bounds = _limits(limits)
        source = SourceOptions(robots, dialect, references, access, page, headers, bounds, reading)
        return command(*args, source=source, **rest)

    robots = click.option(
        "--robots", metavar="FILE|URL",
        help="The robots.txt to use, `-` for standard input.  [default: ask each URL's site]",
    )  # fmt: skip
    return in_order(HEADER, robots, DIALECT, REFERENCE, LIMIT)(access_options(gathered))


def _limits(given: tuple[tuple[str, int], ...]) -> Limits | None:
    """The bounds on reading; None for the usual ones. Raises `CallError`."""
    if not given:
        return None
    try:
        limits = Limits(**dict(given))
        parse_robots(b"", limits=limits)
    except (ValueError, OverflowError) as error:
        raise CallError(f"`--limit`: {error}") from error
    return limits
