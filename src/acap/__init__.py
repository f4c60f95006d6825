"""acap: what publishers permit, decided and explained.

import acap

policy = acap.parse_robots(open("robots.txt", "rb").read())
decision = policy.decide("/news/a.html", crawler="SearchBot1", usage="present-snippet")
print(decision.outcome, *decision.restrictions)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acap.combine import decide
from acap.crawlers import Crawler
from acap.decision import SEMANTICS, Cited, Decision, Decisions, Lost, Outcome, Reason
from acap.pages.page import PagePolicy, parse_page
from acap.problems import Problem
from acap.restrictions import Facts, Restriction
from acap.robots import Limits, RobotsPolicy, parse_robots, parse_robots_many
from acap.statement import Source, Statement

if TYPE_CHECKING:
    from acap.retrieval import AsyncRetriever, Retriever

__version__ = "0.1.0"

__all__ = [
    "SEMANTICS",
    "AsyncRetriever",
    "Cited",
    "Crawler",
    "Decision",
    "Decisions",
    "Facts",
    "Limits",
    "Lost",
    "Outcome",
    "PagePolicy",
    "Problem",
    "Reason",
    "Restriction",
    "Retriever",
    "RobotsPolicy",
    "Source",
    "Statement",
    "decide",
    "parse_page",
    "parse_robots",
    "parse_robots_many",
]


def __getattr__(name: str) -> Any:
    # The HTTP client is imported by those who fetch.
    if name in ("AsyncRetriever", "Retriever"):
        from acap import retrieval

        return getattr(retrieval, name)
    raise AttributeError(f"module `acap` has no attribute `{name}`")
