"""Which network addresses and host names are of the public internet, and which ports speak something else than HTTP.

The tables are the special-purpose registries of IANA (RFC 6890 and RFC 6761, and what they grew by), written out: what
the standard library calls global differs between its versions. Doubt counts as not public.
"""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

_IPV4_SPECIAL = tuple(
    (ipaddress.IPv4Network(network), meaning)
    for network, meaning in (
        ("0.0.0.0/8", "this host (RFC 1122 3.2.1.3)"),
        ("10.0.0.0/8", "private (RFC 1918)"),
        ("100.64.0.0/10", "carrier-grade NAT (RFC 6598)"),
        ("127.0.0.0/8", "loopback (RFC 1122 3.2.1.3)"),
        ("168.63.129.16/32", "a cloud's own control address"),  # public by number, Azure's wire server in fact
        ("169.254.0.0/16", "link-local (RFC 3927)"),  # the metadata services of clouds among them
        ("172.16.0.0/12", "private (RFC 1918)"),
        ("192.0.0.0/24", "protocol assignments (RFC 6890)"),
        ("192.0.2.0/24", "documentation (RFC 5737)"),
        ("192.88.99.0/24", "6to4 relay (RFC 7526)"),
        ("192.168.0.0/16", "private (RFC 1918)"),
        ("198.18.0.0/15", "benchmarking (RFC 2544)"),
        ("198.51.100.0/24", "documentation (RFC 5737)"),
        ("203.0.113.0/24", "documentation (RFC 5737)"),
        ("224.0.0.0/4", "multicast (RFC 5771)"),
        ("240.0.0.0/4", "reserved or broadcast (RFC 1112, RFC 919)"),
    )
)
# Within 2000::/3, the only global unicast space there is (RFC 4291 2.4); everything outside is refused as such.
_IPV6_GLOBAL = ipaddress.IPv6Network("2000::/3")
_IPV6_SPECIAL = tuple(
    (ipaddress.IPv6Network(network), meaning)
    for network, meaning in (
        ("2001::/23", "protocol assignments, Teredo among them (RFC 2928, RFC 4380)"),
        ("2001:db8::/32", "documentation (RFC 3849)"),
        ("3fff::/20", "documentation (RFC 9637)"),
    )
)
# Addresses that lead to the IPv4 address written inside, with the bit at which it starts, counted from the right.
_IPV4_INSIDE = tuple(
    (ipaddress.IPv6Network(network), shift)
    for network, shift in (
        ("::ffff:0:0/96", 0),  # IPv4-mapped (RFC 4291 2.5.5.2)
        ("64:ff9b::/96", 0),  # NAT64: how a host without IPv4 reaches the IPv4 internet (RFC 6052)
        ("2002::/16", 80),  # 6to4 (RFC 3056)
    )
)
# The ports that browsers block (WHATWG Fetch, "port blocking"): a request to them is a command to another protocol.
_BLOCKED_PORTS = frozenset(
    {0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95}
    | {101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465}
    | {512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995}
    | {
        1719,
        1720,
        1723,
        2049,
        3659,
        4045,
        4190,
        5060,
        5061,
        6000,
        6566,
        6665,
        6666,
        6667,
        6668,
        6669,
        6679,
        6697,
        10080,
    }
)
_DOTTED_QUAD = re.compile(r"(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})")
# Names that networks use within, which public DNS does not have. A name of a single label is one, too.
_LOCAL = (
    ".localhost",  # this machine (RFC 6761 6.3)
    ".local",  # this link (RFC 6762 3)
    ".home.arpa",  # this home (RFC 8375)
    ".internal",  # ICANN keeps it for private use
    *(".intranet", ".private", ".corp", ".home", ".lan"),  # in use all the same (RFC 6762 G)
    ".localdomain",  # what many systems add to their own name
)
# Names that no site of the public internet has either; those of one of them may be public to each other.
_APART = (
    ".test",  # in networks where something is tried out (RFC 6761 6.2)
    ".invalid",  # nowhere (RFC 6761 6.4)
    ".onion",  # in Tor alone (RFC 7686)
    ".alt",  # in other systems than DNS (RFC 9476)
)
# `.example` is not among them: no network uses it, and programs should treat it as any other name (RFC 6761 6.5).
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*", re.IGNORECASE)


def refusal(address: str) -> str | None:
    """Why the IP address is not of the public internet, or None if it is."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return "not an IP address"
    if isinstance(parsed, ipaddress.IPv4Address):
        return next((meaning for network, meaning in _IPV4_SPECIAL if parsed in network), None)
    if parsed.scope_id is not None:
        return "bound to an interface (RFC 4007)"
    for network, shift in _IPV4_INSIDE:
        if parsed in network:
            return refusal(str(ipaddress.IPv4Address(int(parsed) >> shift & 0xFFFF_FFFF)))
    if parsed not in _IPV6_GLOBAL:
        return "not global unicast (RFC 4291 2.4)"
    return next((meaning for network, meaning in _IPV6_SPECIAL if parsed in network), None)


def is_private(address: str | None) -> bool:
    """Whether an address is known, and not of the public internet (`refusal`)."""
    return address is not None and refusal(address) is not None


def is_blocked_port(port: int) -> bool:
    """Whether the port belongs to a protocol that a request of ours could be mistaken for a command of."""
    return port in _BLOCKED_PORTS


def is_address(host: str) -> bool:
    """Whether the host is an IP address in its normal spelling, and so not a name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_odd_number(host: str) -> bool:
    """Whether the host is an IPv4 address in a spelling that readers disagree on: `0x7f.1`, `017700000001`.

    A host whose last label is a number is an address, never a name (WHATWG URL, "ends in a number").
    """
    last = host.rstrip(".").rpartition(".")[2]
    return bool(_NUMBER.fullmatch(last)) and not _DOTTED_QUAD.fullmatch(host)


def is_public(url: str) -> bool:
    """Whether a URL names a host that may be of the public internet, and a port of HTTP; names are not looked up."""
    return _is_public(url, _APART)


def leads_inside(source: str, target: str) -> bool:
    """Whether a public URL refers or redirects to one that is not of the public internet (`is_public`).

    Crawlers do not follow there, and what others have captured there says nothing of a public site. A site that stands
    apart (`site.test`) is judged as a public one, to which its neighbours are public.
    """
    source_name = _name(source)
    closed = tuple(apart for apart in _APART if not source_name.endswith(apart))
    return _is_public(source, closed) and not _is_public(target, closed)


def _is_public(url: str, closed: tuple[str, ...]) -> bool:
    """As `is_public`, where names that end as one of `closed` are of no public host."""
    name = _name(url)
    host = name[1:]
    if is_blocked_port(urlsplit(url).port or 443) or is_odd_number(host):
        return False
    if is_address(host):
        return refusal(host) is None
    return "." in host and not name.endswith((*_LOCAL, *closed))


def _name(url: str) -> str:
    """The host of a URL, with a point before it and none behind it."""
    return f".{urlsplit(url).hostname or ''}".rstrip(".")
