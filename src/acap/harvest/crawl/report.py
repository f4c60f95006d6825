"""Reports of a crawl: during it, and at its end."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: numbers of URLs by what became of them; `seconds` and `octets` of all calls of the run.

    `reasons` counts what this call did by usage and outcome, such as `("crawl", "refused: statement")`.
    """

    waiting: int
    done: int
    refused: int
    failed: int
    dropped: int
    under_way: int
    seconds: float
    octets: int
    reasons: Counter[tuple[str, str]]

    @property
    def rate(self) -> float:
        """URLs done in a second."""
        return self.done / self.seconds if self.seconds else 0.0


@dataclass(frozen=True, slots=True)
class SiteReport:
    """One site: URLs of the run by their state, and versions of it that are kept."""

    site: str
    crawled: int = 0
    refused: int = 0
    failed: int = 0
    waiting: int = 0
    indexed: int = 0
    preserved: int = 0


@dataclass
class Report:
    """What became of a run.

    `ended`: nothing is left to fetch, or a limit is reached; `reason` says which. Otherwise URLs wait, the next one for
    `next_at`, and the same call goes on with them. `resumed`: this call went on with a run. `rules` counts the rules by
    which this call was refused, and `unkept` the pages that may not be kept, as `Resources.unkept`. `faults` are errors
    of ours, a line each, each at the cost of a URL.
    """

    run: int
    resumed: bool
    ended: bool
    reason: str
    seconds: float
    octets: int
    counts: dict[str, int]
    reasons: list[tuple[str, str, int]]
    sites: list[SiteReport]
    rules: Counter[tuple[str, str]] = field(default_factory=Counter)
    unkept: Counter[tuple[str, str]] = field(default_factory=Counter)
    swept: Counter[tuple[str, str]] = field(default_factory=Counter)
    next_at: datetime | None = None
    interrupted: bool = False
    limited: bool = False
    left_out: int = 0
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Of types that `json.dumps` takes."""
        return {
            "run": self.run,
            "resumed": self.resumed,
            "ended": self.ended,
            "reason": self.reason,
            "limited": self.limited,
            "interrupted": self.interrupted,
            "seconds": round(self.seconds, 3),
            "octets": self.octets,
            "counts": self.counts,
            "reasons": [{"state": state, "why": why, "urls": urls} for state, why, urls in self.reasons],
            "rules": [{"kind": kind, "rule": rule, "urls": urls} for (kind, rule), urls in self.rules.most_common()],
            "unkept": [{"usage": usage, "why": why, "urls": urls} for (usage, why), urls in self.unkept.most_common()],
            "swept": [{"act": act, "usage": usage, "count": count} for (act, usage), count in self.swept.items()],
            "sites": [asdict(site) for site in self.sites],
            "next_at": None if self.next_at is None else self.next_at.isoformat(),
            "left_out": self.left_out,
            "notes": self.notes,
            "faults": self.faults,
        }
