"""The names of this machine for itself; what commands without a server ask too, so nothing of one is imported here."""

from __future__ import annotations

from ipaddress import ip_address

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
"""Names of this machine for itself. A page elsewhere whose name is made to lead here asks for its own name."""


def is_loopback(address: str) -> bool:
    """Whether only this machine reaches an address, a literal or a name."""
    try:
        return ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return address.lower() == "localhost"
