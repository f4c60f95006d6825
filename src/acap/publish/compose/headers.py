"""Page rules as configuration of web servers, so that pages and files of a pattern carry X-Robots-Tag.

Laws. A pattern becomes a regular expression over the request's own path and query, as the client sent it: for a
target in the form that clients send, it matches exactly what the pattern matches. Every octet but letters, digits and
`/_~-` is escaped in it, so that no pattern can end a string or a block.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from acap import _native
from acap.publish.compose.draft import SERVERS, Draft, DraftError, PageRule
from acap.publish.compose.pages import header_values

_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/_~-")
# In a URL these may be escaped or not, and the reader takes both for the same.
_EITHER = frozenset(b'$* "<>\\^`{|}')


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of configuration, and the block that it belongs in."""

    place: str
    text: str


@dataclass(frozen=True, slots=True)
class _Header:
    """A header, and the pattern of the URLs it is sent for."""

    pattern: str
    values: tuple[str, ...]


def header_snippets(server: str, draft: Draft) -> tuple[Snippet, ...]:
    """The configuration of a server, piece by piece; none without page rules.

    Args:
        server: `nginx`, `apache` or `caddy`.
        draft: the draft with its page rules.

    Raises:
        DraftError: an unknown server, or a rule that no header can express.
    """
    if server not in SERVERS:
        raise DraftError(f"unknown server `{server}`; known are {', '.join(SERVERS)}")
    wanted = [_Header(page.pattern, _checked(page)) for page in draft.pages]
    return _WRITERS[server](wanted) if wanted else ()


def header_snippet(server: str, draft: Draft) -> str:
    """The configuration of a server as one text, each piece below a comment that says where it belongs.

    Raises:
        DraftError: as `header_snippets`.
    """
    return "\n".join(f"# {snippet.place}\n{snippet.text}" for snippet in header_snippets(server, draft))


def _checked(page: PageRule) -> tuple[str, ...]:
    values = header_values(page)
    for value in values:
        # Words and names of crawlers have no other letters; a server's own variables begin with `$` or `{`.
        if not re.fullmatch(r"[A-Za-z0-9 ,:._+-]+", value):
            raise DraftError(f"`{value}` cannot be sent as a header", page.origin)
    return values


def expression(pattern: str, *, end: str = "$", any_octets: str = ".*") -> str:
    """A pattern as a regular expression that begins at the path's first `/`; `end` is what follows the target.

    Only what PCRE and RE2 have in common is used.
    """
    octets = _native.canonical_pattern(pattern.encode("utf-8", "surrogateescape"))
    anchored = octets.endswith(b"$")
    body = octets[:-1] if anchored else octets
    out: list[str] = []
    at = 0
    while at < len(body):
        octet = body[at]
        if octet == ord("%") and re.fullmatch(rb"[0-9A-F]{2}", body[at + 1 : at + 3]):
            out.append(_escape(int(body[at + 1 : at + 3], 16)))
            at += 3
            continue
        out.append(any_octets if octet == ord("*") else _plain(octet))
        at += 1
    return "".join([*out, end if anchored else ""])


def _plain(octet: int) -> str:
    if octet in _PLAIN:
        return chr(octet)
    return r"\." if octet == ord(".") else f"\\x{octet:02x}"


def _escape(octet: int) -> str:
    """An escape of a URL with its hexadecimal digits in either case, and the octet itself where that is the same."""
    escaped = "%" + "".join(digit if digit.isdigit() else f"[{digit}{digit.lower()}]" for digit in f"{octet:02X}")
    return f"(?:{escaped}|\\x{octet:02x})" if octet in _EITHER else escaped


def _nginx(wanted: list[_Header]) -> tuple[Snippet, ...]:
    maps, adds = [], []
    for number, header in enumerate(wanted, 1):
        for nth, value in enumerate(header.values, 1):
            name = f"$acap_{number}_{nth}"
            row = f'    "~^{expression(header.pattern)}" "{value}";'
            maps += [f"map $request_uri {name} {{", '    default "";', row, "}"]
            adds.append(f"add_header X-Robots-Tag {name} always;")
    return (
        Snippet("nginx: in the http block", "\n".join(maps) + "\n"),
        Snippet(
            "nginx: in the server block, and in each location that has an add_header of its own", "\n".join(adds) + "\n"
        ),
    )


def _apache(wanted: list[_Header]) -> tuple[Snippet, ...]:
    lines: list[str] = []
    for header in wanted:
        adds = [f'    Header always add X-Robots-Tag "{value}"' for value in header.values]
        if re.fullmatch(r"/[A-Za-z0-9/_-]*", header.pattern):
            # A beginning of the path: anything may follow it, also a query.
            lines += [f'<LocationMatch "^{expression(header.pattern)}">', *adds, "</LocationMatch>"]
        else:
            asked = expression(header.pattern, end=" ", any_octets="[^ ]*")
            lines += [f'<If "%{{THE_REQUEST}} =~ m#^[A-Z]+ {asked}#">', *adds, "</If>"]
    return (Snippet("Apache: in the virtual host, with mod_headers", "\n".join(lines) + "\n"),)


def _caddy(wanted: list[_Header]) -> tuple[Snippet, ...]:
    lines: list[str] = []
    for number, header in enumerate(wanted, 1):
        lines.append(f'@acap_{number} vars_regexp {{http.request.orig_uri}} "^{expression(header.pattern)}"')
        lines += [f'header @acap_{number} +X-Robots-Tag "{value}"' for value in header.values]
    return (Snippet("Caddy: in the site block", "\n".join(lines) + "\n"),)


_WRITERS: dict[str, Callable[[list[_Header]], tuple[Snippet, ...]]] = {
    "nginx": _nginx,
    "apache": _apache,
    "caddy": _caddy,
}
