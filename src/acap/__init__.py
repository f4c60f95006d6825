"""acap: what publishers permit, decided and explained.

import acap

policy = acap.parse_robots(open("robots.txt", "rb").read())
decision = policy.decide("/news/a.html", crawler="SearchBot1", usage="present-snippet")
print(decision.outcome, *decision.restrictions)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acap.combine import decide, decide_each
    from acap.crawlers import Crawler
    from acap.decision import SEMANTICS, Cited, Decision, Decisions, Lost, Outcome, Reason
    from acap.pages.embedded import EmbeddedPolicy, parse_embedded
    from acap.pages.page import PagePolicy, parse_page
    from acap.pages.writing import PageStatements, page_statements
    from acap.problems import Problem
    from acap.publish.compare import Comparison, compare
    from acap.restrictions import Facts, Restriction
    from acap.retrieval import AsyncRetriever, Retriever
    from acap.robots import Limits, RobotsPolicy, parse_robots, parse_robots_many
    from acap.statement import Source, Statement

__version__ = "0.1.0"

# Everything is imported by those who ask for it: a command needs a part of it, and starts the sooner.
_LAZY = {
    "SEMANTICS": "acap.decision",
    "AsyncRetriever": "acap.retrieval",
    "Cited": "acap.decision",
    "Comparison": "acap.publish.compare",
    "Crawler": "acap.crawlers",
    "Decision": "acap.decision",
    "Decisions": "acap.decision",
    "EmbeddedPolicy": "acap.pages.embedded",
    "Facts": "acap.restrictions",
    "Limits": "acap.robots",
    "Lost": "acap.decision",
    "Outcome": "acap.decision",
    "PagePolicy": "acap.pages.page",
    "PageStatements": "acap.pages.writing",
    "Problem": "acap.problems",
    "Reason": "acap.decision",
    "Restriction": "acap.restrictions",
    "Retriever": "acap.retrieval",
    "RobotsPolicy": "acap.robots",
    "Source": "acap.statement",
    "Statement": "acap.statement",
    "compare": "acap.publish.compare",
    "decide": "acap.combine",
    "decide_each": "acap.combine",
    "page_statements": "acap.pages.writing",
    "parse_embedded": "acap.pages.embedded",
    "parse_page": "acap.pages.page",
    "parse_robots": "acap.robots",
    "parse_robots_many": "acap.robots",
}

__all__ = [
    "SEMANTICS",
    "AsyncRetriever",
    "Cited",
    "Comparison",
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
    "compare",
    "decide",
    "decide_each",
    "page_statements",
    "parse_embedded",
    "parse_page",
    "parse_robots",
    "parse_robots_many",
]


def __getattr__(name: str) -> Any:
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module `acap` has no attribute `{name}`")
    found = getattr(import_module(module), name)
    globals()[name] = found
    return found
