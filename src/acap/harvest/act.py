"""An act: something that was done, refused or undone, as an entry of the ledger records it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from acap.decision import Decision
from acap.explain import KINDS

RE_CRAWL, TAKE_DOWN, REMOVAL = "re-crawl", "take-down", "removal"
"""Requests for a URL: of its publisher, or of the operator."""


@dataclass(frozen=True, slots=True)
class Act:
    """One act on a resource: `usage` is what was done, refused or undone, `version` the number of the one concerned.

    `policy` is the number of the robots.txt as fetched. `decision` has the form of `record_of`, and `detail` has
    whatever else belongs to the act; both are of types that `json.dumps` takes.
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


_CITED = 8  # statements that are kept with a decision
_OF_STATEMENT = ("source", "line", "element", "header", "text", "effect", "usage", "dialect")


def record_of(decision: Decision) -> dict[str, Any]:
    """A decision in the form of the ledger: outcome, kind, restrictions, and the statements that decided."""
    reason = decision.reason
    return {
        "outcome": str(decision.outcome),
        "kind": reason.kind,
        "restrictions": [str(restriction) for restriction in decision.restrictions],
        "statements": [
            {name: value for name in _OF_STATEMENT if (value := getattr(one, name)) is not None}
            for one in reason.decided_by[:_CITED]
        ],
    }


def decided_by(record: dict[str, Any]) -> str:
    """What decided, by a decision in the form of the ledger: the place and text of a statement, else the reason."""
    for cited in record.get("statements", ()):
        place = ":".join(str(cited[name]) for name in ("source", "line") if name in cited)
        where = " ".join(str(cited[name]) for name in ("element", "header") if name in cited)
        return " ".join(filter(None, (place, where, str(cited.get("text", "")))))
    kind = str(record.get("kind", ""))
    return KINDS.get(kind, kind)
