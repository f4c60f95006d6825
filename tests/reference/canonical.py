"""The one canonical form of paths and patterns.

Octets outside the URI grammar are percent-encoded, escapes of unreserved characters decoded, other escapes
upper-cased, a `%` without two hex digits becomes `%25`. Of a URL: dot segments are removed after decoding, fragment
and user information dropped, an empty path is `/`; a literal `$` or `*` of a URL equals `%24` or `%2A`, and so does a
`$` inside a pattern.

Laws: both functions are idempotent and answer in ASCII.
"""

from __future__ import annotations

import re

UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"  # RFC 3986 2.3
RESERVED = b":/?#[]@!$&'()*+,;="  # RFC 3986 2.2
HEX_DIGITS = b"0123456789ABCDEFabcdef"
ABSOLUTE = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)", re.ASCII)
DEFAULT_PORTS = {"http": "80", "https": "443"}


def canonical_octets(octets: bytes, *, literal: bytes = b"") -> str:
    """The canonical form of a run of octets; those in `literal` are escaped although the URI grammar has them."""
    form = ""
    position = 0
    while position < len(octets):
        octet = octets[position]
        digits = octets[position + 1 : position + 3]
        if octet == ord("%") and len(digits) == 2 and all(digit in HEX_DIGITS for digit in digits):
            escaped = int(digits, 16)
            form += chr(escaped) if escaped in UNRESERVED else f"%{escaped:02X}"
            position += 3
        else:
            plain = octet in UNRESERVED or (octet in RESERVED and octet not in literal)
            form += chr(octet) if plain else f"%{octet:02X}"
            position += 1
    return form


def canonical_pattern(pattern: str | bytes) -> str:
    """The canonical form of a pattern: `*` anywhere and `$` at the end keep their meaning, another `$` is literal."""
    octets = as_octets(pattern)
    anchored = octets.endswith(b"$")
    return canonical_octets(octets.removesuffix(b"$"), literal=b"$") + ("$" if anchored else "")


def canonical_prefix(prefix: str | bytes) -> str:
    """The canonical form of a path prefix in a dialect without wildcards: `*` and `$` are literal."""
    return canonical_octets(as_octets(prefix), literal=b"$*")


def canonical_path(url: str | bytes) -> str:
    """Path and query of a URL, or of a path with or without query, as patterns see them. Always starts with `/`."""
    octets = as_octets(url).partition(b"#")[0]
    absolute = ABSOLUTE.match(octets.decode("latin-1"))
    if absolute:
        octets = octets[absolute.end() :]
    path, mark, query = octets.partition(b"?")
    decoded = canonical_octets(path, literal=b"$*")
    if not decoded.startswith("/"):
        decoded = "/" + decoded
    return without_dot_segments(decoded) + (mark + b"").decode() + canonical_octets(query, literal=b"$*")


def without_dot_segments(path: str) -> str:
    """A path that starts with `/`, its `.` and `..` segments resolved (RFC 3986 5.2.4)."""
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            kept = kept[:-1]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in {".", ".."}:
        kept.append("")
    return "/" + "/".join(kept)


def authority(url: str) -> str | None:
    """Host and port of an absolute URL, lower case, without user information and default port; None if it has none."""
    absolute = ABSOLUTE.match(url)
    if absolute is None:
        return None
    host = absolute["authority"].rpartition("@")[2].lower()
    name, colon, port = host.rpartition(":")
    found = name if colon and port in {"", DEFAULT_PORTS.get(absolute["scheme"].lower())} else host
    return found or None


def origin(url: str) -> tuple[str, str] | None:
    """Scheme, and host with port, of an absolute URL; None if relative."""
    absolute = ABSOLUTE.match(url)
    host = authority(url)
    return None if absolute is None or host is None else (absolute["scheme"].lower(), host)


def as_octets(text: str | bytes) -> bytes:
    """Octets as they are; text as UTF-8, octets that were no UTF-8 restored."""
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
