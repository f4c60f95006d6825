"""The one canonical form of paths and patterns.

Octets outside the URI grammar are percent-encoded, escapes of unreserved characters decoded, other escapes
upper-cased, a `%` without two hex digits becomes `%25`. Of a URL: dot segments are removed after decoding, fragment
and user information dropped, an empty path is `/`; a literal `$` or `*` of a URL equals `%24` or `%2A`, and so does a
`$` inside a pattern.

Laws: both functions are idempotent and answer in ASCII.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from functools import lru_cache

UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"  # RFC 3986 2.3
RESERVED = b":/?#[]@!$&'()*+,;="  # RFC 3986 2.2
HEX_DIGITS = b"0123456789ABCDEFabcdef"
ABSOLUTE = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)", re.ASCII)
AUTHORITY = re.compile(r"([^@\\\x00-\x20\x7f]*@)?(?P<host>\[[^\]@]*\]|[^@:\[\]]+)(:(?P<port>[0-9]*))?", re.DOTALL)
DEFAULT_PORTS = {"http": 80, "https": 443}
LABEL = re.compile(r"[a-z0-9_-]{1,63}")
DOTS = re.compile("[.\u3002\uff0e\uff61]")
LETTERS = {"Ll", "Lo", "Lm", "Mn", "Mc", "Nd", "So"}
MOST_OCTETS = 65_536


@lru_cache(20_000)
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


def check_asked(url: str, dialect: str) -> None:
    """ValueError for a URL that nobody can ask for; dialect `google` takes whatever its matcher takes."""
    if dialect == "google":
        return
    if len(as_octets(url)) > MOST_OCTETS:
        raise ValueError("the URL is too long")
    if re.search(r"[\x00-\x1f\x7f]", url):
        raise ValueError("no URL has a control character")
    if url.startswith("//"):
        raise ValueError("a host or a path?")
    if not url.startswith("/") and ABSOLUTE.match(url) is None:
        raise ValueError("neither a path nor an absolute URL")


def authority(url: str) -> str | None:
    """Host in ASCII and port of an absolute URL, without user information and default port; None if it has none."""
    absolute = ABSOLUTE.match(url)
    found = absolute and AUTHORITY.fullmatch(absolute["authority"])
    if not absolute or not found:
        return None
    host = ascii_host(found["host"])
    port = int(found["port"]) if found["port"] else None
    if host is None or (port is not None and not 0 < port < 65536):
        return None
    return host if port in {None, DEFAULT_PORTS.get(absolute["scheme"].lower())} else f"{host}:{port}"


def ascii_host(host: str) -> str | None:
    """The one form in which hosts compare; None for a host that cannot be."""
    if host.startswith("["):
        try:
            return f"[{ipaddress.IPv6Address(host[1:-1]).exploded}]" if "%" not in host else None
        except ValueError:
            return None
    labels = [ascii_label(label) for label in DOTS.split(host)]
    kept = labels[:-1] if len(labels) > 1 and labels[-1] == "" else labels
    if not all(label and LABEL.fullmatch(label) for label in kept):
        return None
    if len(".".join(label or "" for label in labels)) > 254:
        return None
    # The dot that ends a complete name makes no other host of it (our choice).
    return ".".join(label or "" for label in kept)


def ascii_label(label: str) -> str | None:
    """A label in lower case; `xn--` and Punycode for one outside ASCII (RFC 5890 2.3.2.1)."""
    if label.isascii():
        return label.lower()
    mapped = unicodedata.normalize("NFKC", label.lower())
    if mapped.isascii() or any(unicodedata.category(letter) not in LETTERS for letter in mapped if letter != "-"):
        return None
    return "xn--" + mapped.encode("punycode").decode("ascii")


def origin(url: str) -> tuple[str, str] | None:
    """Scheme, and host with port, of an absolute URL; None if relative."""
    absolute = ABSOLUTE.match(url)
    host = authority(url)
    return None if absolute is None or host is None else (absolute["scheme"].lower(), host)


def as_octets(text: str | bytes) -> bytes:
    """Octets as they are; text as UTF-8, octets that were no UTF-8 restored."""
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
