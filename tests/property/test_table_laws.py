"""A row of `decide_table` says what `RobotsPolicy.decide` says of its URL, whatever stands beside it."""

from __future__ import annotations

import os
from random import Random
from typing import Any
from urllib.parse import urlsplit

import pyarrow
import pytest

import acap
from acap.usages import USAGES
from tests.property.strategies import generate

CASES = int(os.environ.get("ACAP_CASES", "300")) // 10
SEED = int(os.environ.get("ACAP_SEED", "1"))
SITES = 12
SPELLINGS = (
    "https://host{}.example",
    "https://host{}.example",
    "HTTPS://Host{}.Example:443",
    "https://user@host{}.example",
    "https://host{}.example:0443",
)
NO_QUESTIONS = (
    None,
    "",
    "/a",
    "?q",
    "//host1.example/a",
    "https:///a",
    "https://a b/",
    "https://a:b/",
    "http://host1.example/",
)


def questions_of(random: Random) -> tuple[list[acap.RobotsPolicy], list[str | None], dict[str, Any]]:
    """Policies, URLs of theirs in any order and spelling, and one question about all of them."""
    cases = [generate(random) for _ in range(SITES)]
    asked = random.choice(cases[0].questions)
    policies = [
        acap.parse_robots(case.octets, url=f"https://host{number}.example/robots.txt", dialect=case.dialect)
        for number, case in enumerate(cases)
    ]
    for number in random.sample(range(SITES), 2):
        state = random.choice((acap.RobotsPolicy.absent, acap.RobotsPolicy.unreachable))
        policies[number] = state(policies[number].url)
    urls: list[str | None] = []
    for number, case in enumerate(cases):
        for one in case.questions:
            rest = one.url if one.url.startswith("/") else one.url.removeprefix("/".join(one.url.split("/")[:3]))
            urls.append(random.choice(SPELLINGS).format(number) + (rest or "/"))
    urls += random.choices(NO_QUESTIONS, k=3)
    random.shuffle(urls)
    usages = random.sample(list(USAGES), 2) if random.random() < 0.7 else ["crawl"]
    return policies, urls, {"crawler": asked.crawler, "purpose": asked.purpose, "at": asked.at, "usages": usages}


def answer(policies: list[acap.RobotsPolicy], row: dict[str, Any], question: dict[str, Any]) -> dict[str, Any]:
    """The same row by the policy of its site alone."""
    policy = policies[row["policy"]]
    asked = {name: value for name, value in question.items() if name != "usages"}
    decision = policy.decide(row["url"], usage=row["usage"], **asked)
    cited = decision.reason.decided_by[0] if decision.reason.decided_by else None
    line = (cited.line or 0) if cited is not None and cited.source == policy.url else 0
    return {
        **row,
        "outcome": str(decision.outcome),
        "kind": decision.reason.kind,
        "stated": decision.stated,
        "restricted": bool(decision.restrictions),
        "line": line,
        "restrictions": [f"{one.name}={one.value}" for one in decision.restrictions],
        "error": None,
    }


@pytest.mark.parametrize("number", range(CASES))
def test_a_row_is_the_decision_of_its_site(number: int) -> None:
    """Every row equals a single decision; what has no policy is prohibited with its reason."""
    policies, urls, question = questions_of(Random(f"{SEED}.{number}"))
    table = pyarrow.table(acap.decide_table(urls, policies, columns=["rule", "restrictions"], **question))
    rows = table.to_pylist()
    width = len(set(table["usage"].to_pylist()))
    assert [row["url"] for row in rows[::width]] == urls
    for row in rows:
        rule = row.pop("rule")
        if row["policy"] is None:
            assert (row["outcome"], row["stated"], row["restrictions"]) == ("prohibited", False, [])
            assert row["error"] in acap.table.ERRORS
            continue
        host = urlsplit(row["url"]).hostname
        assert policies[row["policy"]].url == f"https://{host}/robots.txt"
        assert row == answer(policies, row, question)
        assert (rule is not None) == (row["line"] > 0)
