"""One capture: a response as it was received, when, and what is known of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from ipaddress import ip_address
from typing import Any, Protocol

Digest = tuple[str, bytes]
"""The name of an algorithm, in lower case without hyphens, and the digest."""


def digest_of(name: str, octets: bytes) -> Digest | None:
    """The digest of octets; None if the algorithm is unknown, or has digests of any length."""
    try:
        return name, hashlib.new(name, octets, usedforsecurity=False).digest()
    except (ValueError, TypeError):
        return None


@dataclass(frozen=True, slots=True)
class Capture:
    """A response as it was received, with its policy.

    `at` is the aware instant it was received. `headers` are as received; `body` is without transfer and content coding,
    even where headers name one. `address` is the server's IP address. `metadata` can be written as JSON: the evidence
    of the policy (URL, digest and time of the robots.txt), the statement that decided, restrictions. `reason` is the
    phrase beside the status. `number` and `digest`, of the payload, are those of the record that it was read from.

    Raises:
        ValueError: a naive time, an invalid status, an invalid address.
    """

    url: str
    at: datetime
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    address: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    number: str = field(default="", compare=False)
    digest: Digest | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.at.tzinfo is None or self.at.utcoffset() is None:
            raise ValueError(f"`{self.at.isoformat()}` has no time zone; a capture needs an aware instant")
        if not 100 <= self.status <= 999:
            raise ValueError(f"`{self.status}` is not a status of HTTP")
        if self.address is not None:
            ip_address(self.address)  # its own error names the address


class DamageReport(Protocol):
    """Reports damage: its place, the message, and the fields and block of its record as far as they could be read."""

    def __call__(
        self,
        offset: int,
        message: str,
        fields: Mapping[str, str] = ...,
        block: bytes = ...,
        *,
        is_end: bool = ...,
        hides: bool = ...,
    ) -> None: ...
