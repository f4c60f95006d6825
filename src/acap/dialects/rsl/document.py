"""The parts of an RSL document as values (RSL 1.0 3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

NAMESPACE = "https://rslstandard.org/rsl"

USAGES = ("all", "ai-all", "ai-train", "ai-input", "ai-index", "search")
PAYMENTS = ("purchase", "subscription", "training", "crawl", "use", "contribution", "attribution", "free")
REPORTS = ("telemetry", "provenance", "audit")
LEGAL = ("warranty", "disclaimer", "attestation", "contact", "proof")


@dataclass(frozen=True, slots=True)
class RslTokens:
    """What one licence permits, or prohibits, by type; a type is None where the licence does not mention it."""

    usage: tuple[str, ...] | None = None
    user: tuple[str, ...] | None = None
    geo: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class RslPayment:
    """What is paid: `type` is one of `PAYMENTS`, or as written; `amount` a number as written."""

    type: str = "free"
    amount: str | None = None
    currency: str | None = None
    standard: tuple[str, ...] = ()
    custom: tuple[str, ...] = ()
    accepts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RslReporting:
    """What has to be reported, by which profile, and where."""

    type: str
    profile: str | None = None
    endpoint: str | None = None


@dataclass(frozen=True, slots=True)
class RslLegal:
    """A warranty, disclaimer, attestation, contact or proof; it decides nothing."""

    type: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class RslLicence:
    """One set of terms. A `doubted` one has something that could not be interpreted: it grants nothing.

    `payments` is empty where the use is free. RSL knows one at most; each of several is asked for.
    """

    permits: RslTokens = RslTokens()
    prohibits: RslTokens = RslTokens()
    payments: tuple[RslPayment, ...] = ()
    reporting: tuple[RslReporting, ...] = ()
    legal: tuple[RslLegal, ...] = ()
    doubted: bool = False
    line: int | None = field(default=None, compare=False)
    column: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class RslContent:
    """Resources by a pattern of paths, and their licences.

    `url` is as written; empty where whatever refers to the document says what it is about. `contacts` are URLs,
    `mailto:` among them, of whoever holds the rights. `item` is the pattern of the one place that it can permit
    anything for, if it stands in an item of a feed; empty if that place is not clear. A `doubted` one grants nothing.
    """

    url: str
    licences: tuple[RslLicence, ...] = ()
    server: str | None = None
    encrypted: bool = False
    lastmod: str | None = None
    contacts: tuple[str, ...] = ()
    terms: str | None = None
    item: str | None = None
    doubted: bool = False
    line: int | None = field(default=None, compare=False)
    column: int | None = field(default=None, compare=False)


class RslReference(NamedTuple):
    """A reference of a page: to a URL, or a document within the page itself (`text`).

    `is_whole`: it is about the page as a whole, and not about an element and what is within it.
    """

    target: str
    text: str | None = None
    is_whole: bool = True
    header: str | None = None
    element: str | None = None
