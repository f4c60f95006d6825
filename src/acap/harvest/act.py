"""An act: something that was done, refused or undone, as an entry of the ledger tells it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

RE_CRAWL, TAKE_DOWN, REMOVAL = "re-crawl", "take-down", "removal"
"""What is requested of a URL: by its publisher, or by the operator."""


@dataclass(frozen=True, slots=True)
class Act:
    """One act on a resource: `usage` is what was done, refused or undone, `version` the number of the one concerned.

    `policy` is the number of the robots.txt as fetched, `decision` what `said` makes of the decision, `detail` whatever
    else belongs to the act; both of types that `json.dumps` takes.
    """

    act: str
    at: datetime
    url: str
    usage: str
    version: int | None = None
    policy: int | None = None
    decision: dict[str, Any] | None = None
    detail: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Of types that `json.dumps` takes."""
        return {
            "at": self.at.isoformat(),
            "act": self.act,
            "url": self.url,
            "usage": self.usage,
            "version": self.version,
            "policy": self.policy,
            "decision": self.decision,
            "detail": self.detail,
        }
