"""A row of a survey says what `RobotsPolicy.decide` says, and how much is refused is what every path shows."""

from __future__ import annotations

import os
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import acap
from acap import _native
from acap.usages import USAGES
from tests import reference
from tests.property.pairs import Pair, paths, read
from tests.property.strategies import NOON, Case, generate
from tests.surveys import rows_of

CASES = int(os.environ.get("ACAP_CASES", "300")) // 3
SEED = int(os.environ.get("ACAP_SEED", "1"))
"""Cases, and where to begin."""
ASKED = 10
POLICY = ("/robots.txt", "/ai.txt", "/.well-known/tdmrep.json")
CRAWLERS = ("Googlebot", "Applebot", "YandexBot", "GPTBot", "nobody-names-this")
"""Beside those that the case names: three of whom control tokens speak."""


def drawn(number: int) -> tuple[Random, Case, acap.RobotsPolicy, list[str], list[str]]:
    """A case that is read as a survey reads it, crawlers of whom it speaks and others, and usages."""
    random = Random(f"{SEED}:{number}")
    case = generate(random)
    case = Case(**{**vars(case), "limits": None, "supplied": {}, "url": "https://site.example/robots.txt"})
    policy = read(case)
    named = [name for name in policy.crawlers if _native.crawler_name(name) == name and not _native.other_names(name)]
    crawlers = list(dict.fromkeys([*named, *CRAWLERS]))
    usages = ["crawl", *random.sample([usage for usage in USAGES if usage not in ("crawl", "search")], 2)]
    return random, case, policy, crawlers, usages


@pytest.mark.parametrize("number", range(CASES))
def test_a_row_is_what_the_policy_decides_of_the_root(number: int) -> None:
    """Outcome, line and kind are those of a decision; the extent is that of the crawler asked alone, by its view."""
    _, case, policy, crawlers, usages = drawn(number)
    table = pa.table({"site": ["site.example"], "robots": pa.array([case.octets], pa.binary())})
    for row in rows_of(table, crawlers, usages, dialect=case.dialect, at=int(NOON.timestamp()) * 1_000_000):
        decision = policy.decide("/", crawler=row["crawler"], usage=row["usage"], at=NOON)
        cited = decision.reason.decided_by[:1]
        line = next((one.line or 0 for one in cited if one.source == policy.url), 0)
        extent, *_ = _native.policy_reach(policy, row["usage"], _native.Question(row["crawler"], at=NOON))
        said = (row["outcome"], row["kind"], row["line"], row["extent"])
        assert said == (str(decision.outcome), decision.reason.kind, line, extent), (row, case.octets)
        problems = [one.severity for one in policy.problems]
        assert [row["errors"], row["warnings"], row["infos"]] == [
            problems.count(severity) for severity in ("error", "warning", "info")
        ]


@pytest.mark.parametrize("number", range(CASES))
def test_how_much_is_refused_is_what_the_paths_show(number: int) -> None:
    """By the reference: of "none" no path is refused, of "all" each but policy resources, and witnesses are as told."""
    random, case, policy, crawlers, usages = drawn(number)
    by_text = reference.read(case.octets, url=case.url, dialect=case.dialect)

    def outcome(path: str, asked: dict[str, Any]) -> str:
        return reference.decide(by_text, f"https://site.example{path}", at=NOON, **asked).outcome

    def carries_policy(path: str) -> bool:
        asked = reference.decide(by_text, f"https://site.example{path}", at=NOON, crawler="x", usage="crawl")
        return path.startswith(POLICY) or asked.kind == "policy-resource"

    tried = paths(random, Pair(case, case), ASKED)
    for crawler in random.sample(crawlers, min(3, len(crawlers))):
        for usage in usages:
            asked = {"crawler": crawler, "usage": usage}
            extent, refused, permitted = _native.policy_reach(policy, usage, _native.Question(crawler, at=NOON))
            assert refused is None or outcome(refused.decode(), asked) == "prohibited", (asked, case.octets)
            assert permitted is None or outcome(permitted.decode(), asked) != "prohibited", (asked, case.octets)
            assert (extent == "some") == (refused is not None and permitted is not None)
            for path in tried:
                if extent == "none" or (extent == "all" and not carries_policy(path)):
                    wanted = extent == "all"
                    assert (outcome(path, asked) == "prohibited") == wanted, (path, asked, case.octets)
