"""acap: what publishers permit, decided and explained.

import acap

policy = acap.parse_robots(open("robots.txt", "rb").read())
decision = policy.decide("/news/a.html", crawler="SearchBot1", usage="present-snippet")
print(decision.outcome, *decision.restrictions)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from acap.combine import decide, decide_each
from acap.crawlers import Crawler
from acap.decision import SEMANTICS, Cited, Decision, Decisions, Lost, Outcome, Reason
from acap.pages.page import PagePolicy, parse_page
from acap.problems import Problem
from acap.restrictions import Facts, Restriction
from acap.robots import Limits, RobotsPolicy, parse_robots, parse_robots_many
from acap.statement import Source, Statement

if TYPE_CHECKING:
    from acap.pages.embedded import EmbeddedPolicy, parse_embedded
    from acap.pages.writing import PageStatements, page_statements
    from acap.retrieval import AsyncRetriever, Retriever

__version__ = "0.1.0"

_LATER = {
    "AsyncRetriever": "acap.retrieval",
    "EmbeddedPolicy": "acap.pages.embedded",
    "PageStatements": "acap.pages.writing",
    "Retriever": "acap.retrieval",
    "page_statements": "acap.pages.writing",
    "parse_embedded": "acap.pages.embedded",
}

__all__ = [
    "SEMANTICS",
    "AsyncRetriever",
    "Cited",
    "Crawler",
    "Decision",
    "Decisions",
    "EmbeddedPolicy",
    "Facts",
    "Limits",
    "Lost",
    "Outcome",
    "PagePolicy",
    "PageStatements",
    "Problem",
    "Reason",
    "Restriction",
    "Retriever",
    "RobotsPolicy",
    "Source",
    "Statement",
    "decide",
    "decide_each",
    "page_statements",
    "parse_embedded",
    "parse_page",
    "parse_robots",
    "parse_robots_many",
]


def __getattr__(name: str) -> Any:
    # What not everybody needs is imported by those who ask for it.
    module = _LATER.get(name)
    if module is not None:
        return getattr(import_module(module), name)
    raise AttributeError(f"module `acap` has no attribute `{name}`")
