"""What an audit is asked, and how."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Literal

from acap.audits.rows import Missing
from acap.crawlers import Crawler, as_crawler
from acap.decision import SEMANTICS
from acap.retrieval.agent import user_agent

SECONDS = 10.0
"""For one retrieval with its redirects, if nothing else is said."""


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """How sites are asked: `user_agent` is the field that is sent, `timeout` in seconds for one retrieval.

    `allow_private`: sites may be in private networks.
    """

    user_agent: str = field(default_factory=user_agent)
    timeout: float = SECONDS
    allow_private: bool = False

    def to_json(self) -> dict[str, Any]:
        """Of types that `json.dumps` takes."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """What is asked, and how. The values are those of `Auditor`; `dialect` and `forbidden` as of `Rules.of`.

    `crawler`: a `Crawler`; what may stand for one, such as a name, becomes one.
    `content`: the usage whose usable text is written instead of the answers; one of `usages`. `fetch`: sites are asked
    now for what the input does not have of them, and without `at` now is the instant asked about.

    Raises:
        ValueError: a crawler's name that is empty or would be cut.
    """

    crawler: Crawler
    usages: tuple[str, ...] = ("crawl",)
    purposes: tuple[str, ...] = ()
    at: datetime | None = None
    missing: Missing = "prohibited"
    dialect: str = "auto"
    forbidden: Literal["unavailable", "restricted"] | None = None
    content: str | None = None
    fetch: FetchOptions | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "crawler", as_crawler(self.crawler))

    def to_json(self) -> dict[str, Any]:
        """Of types that `json.dumps` takes."""
        crawler = self.crawler
        return {
            "crawler": list(crawler.names),
            "purposes": sorted({*self.purposes, *crawler.purposes}),
            "honours": None if crawler.honours is None else sorted(crawler.honours),
            "silence": dict(sorted(crawler.silence.items())),
            "profile": crawler.profile,
            "licensee": None if crawler.licensee is None else repr(crawler.licensee),
            "usages": list(self.usages),
            "at": None if self.at is None else self.at.isoformat(),
            "missing": self.missing,
            "dialect": self.dialect,
            "forbidden": self.forbidden,
            "content": self.content,
            "fetch": None if self.fetch is None else self.fetch.to_json(),
            "semantics": SEMANTICS,
        }
