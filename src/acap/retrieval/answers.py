"""What a site's answer to a request for its policy means. No input or output happens here.

The laws of this module:

1. An answer is kept as it was given; what it means is a function of it and of `Rules`, and can be asked again later.
2. Doubt never permits: an answer without a known meaning means unreachable, and unreachable prohibits everything.
   What came in place of a robots.txt (a login page, JSON, an error's text, no content) says nothing of what the site
   permits: its last good copy serves as through a failure.

How an answer comes about, redirects included, is in `exchange`; for how long it stands, in `freshness`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal

from acap import _native
from acap.retrieval.locations import ROBOTS_PATH

# Name and value of each field, in order, repeated fields repeated; a value has one character per octet (latin-1).
Headers = tuple[tuple[str, str], ...]


TRANSIENT = frozenset({408, 421, 425, 429})
"""Statuses of this exchange alone, which say nothing of the file: a timeout, a wrong connection, too early, too many.

# DEVIATION: RFC 9309 2.3.1.3 counts every 4xx as "no file"; RFC 9110 15.5.9 and 15.5.20, RFC 8470 5.2 and RFC 6585 4
let the same request be repeated.
"""


ACCEPTED = 202
PARTIAL, NOT_MODIFIED = 206, 304
"""The request has not been completed (RFC 9110 15.3.3), and a body tells of that: what is asked for is not known yet.

Firewalls answer so until a browser has solved their task.
"""
_NO_CONTENT = (204, 205)  # RFC 9110 15.3.5 and 15.3.6: no document came, not even an empty one


class Meaning(StrEnum):
    """What an answer means for the policy."""

    READ = "read"  # there is a file: it decides
    ABSENT = "absent"  # there is no file: no instructions
    RESTRICTED = "restricted"  # the site keeps its file to itself: everything is prohibited
    UNREACHABLE = "unreachable"  # unknown: everything is prohibited


class FailureKind(StrEnum):
    """Why there is no whole answer."""

    ADDRESS_REFUSED = "address-refused"  # a redirect or reference led into a private network
    ANOTHER_DOCUMENT = "another-document"  # something else came where a good copy of the document is known
    CODING = "coding"  # the body is in a coding that was not offered, or breaks its rules
    CONNECT = "connect"  # no such host, no connection, no valid certificate
    CUT_BODY = "cut-body"  # the body ended before its end
    PROTOCOL = "protocol"  # what came is not HTTP
    REDIRECT = "redirect"  # a redirect leads nowhere that can be retrieved, or in a circle
    REFUSED = "refused"  # the caller does not want this URL requested
    TIMEOUT = "timeout"  # a step, or the whole, took too long
    TOO_MANY_REDIRECTS = "too-many-redirects"
    UNEXPECTED_304 = "unexpected-304"  # "not modified", of a copy that is not at hand


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no whole answer, with the message of the layer that failed."""

    kind: FailureKind
    text: str


@dataclass(frozen=True, slots=True)
class Hop:
    """A redirect that was followed: `url` said `status` and led on. `address` is the IP address, if known."""

    url: str
    status: int
    headers: Headers
    address: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything that was received for `url`, and when.

    `source` is the last URL, `chain` the redirects to it. `status` is None without a response. `octets` is the decoded
    body of a 2xx answer, or of another of which it was wanted; `cut_at` the limit in octets at which reading it
    stopped, or None. `fetched_at` is when the retrieval began, `confirmed_at` when a 304 last said that it still
    stands. `as_robots` is no part of what was said: a robots.txt is wanted here, wherever `url` leads.
    """

    url: str
    agent: str
    source: str
    fetched_at: datetime
    status: int | None = None
    headers: Headers = ()
    octets: bytes = b""
    chain: tuple[Hop, ...] = ()
    address: str | None = None
    failure: Failure | None = None
    cut_at: int | None = None
    confirmed_at: datetime | None = None
    as_robots: bool = field(default=False, compare=False)

    @property
    def checked_at(self) -> datetime:
        """When the site last said so."""
        return self.confirmed_at or self.fetched_at

    @property
    def first_address(self) -> str | None:
        """The IP address that `url` itself was found at."""
        return self.chain[0].address if self.chain else self.address

    @property
    def settled(self) -> bool:
        """Whether the site said something that stands until it says something else: a file, or that there is none.

        202, 429 and 5xx pass, and so do failures and what is not a robots.txt. More redirects than are followed count
        as a 404 (RFC 9309 2.3.1.2).
        """
        if self.failure is not None:
            return self.failure.kind is FailureKind.TOO_MANY_REDIRECTS
        status = self.status or 0
        if 400 <= status < 500:
            return status not in TRANSIENT
        return self.is_success and not self.is_other_document

    @property
    def is_success(self) -> bool:
        """Whether what was asked for came, be it without an end, and be it empty."""
        return self.failure is None and 200 <= (self.status or 0) < 300 and self.status != ACCEPTED

    @property
    def unreadable(self) -> str | None:
        """What came where a robots.txt was asked for, if it is no text: its coding was not named, so it is broken."""
        return _native.unreadable(self.octets) if self.is_other_document else None

    @property
    def is_other_document(self) -> bool:
        """Whether something else came where a robots.txt was asked for: none of its lines is a field of one.

        Unknown for a document that a limit cut: the rest may have a field. No content (204, 205) is no document either:
        by itself it is read as an empty one (our choice), but it displaces no copy.
        """
        if not self.is_success or self.cut_at is not None:
            return False
        wanted = self.as_robots or (self.url.endswith(ROBOTS_PATH) and self.url.count("/") == 3)
        return wanted and (self.status in _NO_CONTENT or not _native.is_robots(self.octets))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Choices that the specifications leave to the reader, as values.

    `forbidden` is the meaning of 401 and 403, `too_many` that of 429. `lifetime` is how long an answer is fresh that
    does not say; `longest` the longest time it can ask for, or None for as long as it says. `stale` is how long a copy
    may serve after it was last confirmed while the site cannot be reached.
    """

    forbidden: Meaning = Meaning.ABSENT
    too_many: Meaning = Meaning.UNREACHABLE
    lifetime: timedelta = timedelta(hours=24)
    longest: timedelta | None = timedelta(hours=24)
    stale: timedelta = timedelta(days=30)

    @classmethod
    def of(
        cls,
        dialect: str,
        *,
        forbidden: Literal["unavailable", "restricted"] | None = None,
        too_many: Literal["unreachable", "unavailable"] = "unreachable",
        stale: timedelta = timedelta(days=30),
    ) -> Rules:
        """The rules of a dialect, with what the operator decides. Raises ValueError for a word or time it doesn't take.

        `forbidden` None is the dialect's own: complete restriction in `norobots-1996` (its memo, 3.1), otherwise no
        instructions (RFC 9309 2.3.1.3). `stale` is at most 30 days (RFC 9309 2.3.1.4).
        """
        memo = any(name == dialect and is_memo for name, _, is_memo, *_ in _native.dialects())
        meanings = {"unavailable": Meaning.ABSENT, "restricted": Meaning.RESTRICTED, "unreachable": Meaning.UNREACHABLE}
        if forbidden not in (None, "unavailable", "restricted"):
            raise ValueError(f"`forbidden` is `unavailable` or `restricted`, not `{forbidden}`")
        if too_many not in ("unreachable", "unavailable"):
            raise ValueError(f"`too_many` is `unreachable` or `unavailable`, not `{too_many}`")
        if not timedelta(0) <= stale <= timedelta(days=30):
            raise ValueError("a copy may serve for 0 to 30 days while the site cannot be reached")
        return cls(
            forbidden=meanings[forbidden or ("restricted" if memo else "unavailable")],
            too_many=meanings[too_many],
            # K2 3.4 and the memo it became: seven days unless the answer says otherwise, without a bound of its own.
            lifetime=timedelta(days=7) if memo else timedelta(hours=24),
            longest=None if memo else timedelta(hours=24),  # RFC 9309 2.4
            stale=stale,
        )


def meaning(answer: Answer, rules: Rules) -> Meaning:
    """What the answer means for the policy (RFC 9309 2.3.1; K2 3.1)."""
    if answer.failure is not None:
        # RFC 9309 2.3.1.2: beyond five hops the file may be taken as unavailable.
        return Meaning.ABSENT if answer.failure.kind is FailureKind.TOO_MANY_REDIRECTS else Meaning.UNREACHABLE
    status = answer.status or 0
    if answer.is_success:
        # Where a good copy is known it serves instead: `retrieved.choose`.
        if answer.status in _NO_CONTENT or not answer.is_other_document:
            return Meaning.READ
        return Meaning.ABSENT if answer.unreadable is None else Meaning.UNREACHABLE  # RFC 9309 2.3.1.1
    if status in (401, 403):
        return rules.forbidden
    if status == 429:
        return rules.too_many
    if status in TRANSIENT:
        return Meaning.UNREACHABLE
    if 400 <= status < 500:
        return Meaning.ABSENT  # RFC 9309 2.3.1.3
    return Meaning.UNREACHABLE  # RFC 9309 2.3.1.4, and every undefined status


def values(headers: Headers, name: str) -> tuple[str, ...]:
    """Every value of the field, in order; the name in any case."""
    return tuple([value for field, value in headers if field.lower() == name])
