"""What would satisfy a conditional decision, and what the asker brings along."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import acap
from acap.conditions import Condition
from acap.schema import decision_to_json

LICENSED = b"User-agent: *\nAllow: /\nLicense: https://example.com/licence.xml\n"
TERMS = Condition("payment", policy="https://example.com/terms", payment="training", amount="10.00", currency="EUR")


class Source:
    """A source that says one thing of everything."""

    dialect = "terms"
    problems = ()

    def __init__(self, **statement: Any) -> None:
        self.statement = acap.Statement(
            **{"dialect": "terms", "usage": "ai-train", "outcome": "conditional", **statement}
        )

    def statements(self, url: str) -> list[acap.Statement]:  # noqa: ARG002  it speaks of everything
        return [self.statement]


def asked(*sources: Source, crawler: Any = "bot", robots: acap.RobotsPolicy | None = None) -> acap.Decision:
    return acap.decide("/a", crawler=crawler, usage="ai-train", robots=robots, others=sources)


def test_a_conditional_decision_names_what_would_satisfy_it() -> None:
    decision = asked(Source(condition=TERMS))
    assert (decision.outcome, decision.conditions) == ("conditional", (TERMS,))
    assert decision.reason.decided_by[0].condition == TERMS
    assert pickle.loads(pickle.dumps(decision)).conditions == (TERMS,)
    assert decision_to_json(decision)["conditions"][0]["amount"] == "10.00"


def test_a_licence_line_names_its_document() -> None:
    decision = acap.parse_robots(LICENSED).decide("/a", crawler="bot", usage="ai-train")
    assert decision.conditions == (Condition("licence", licence="https://example.com/licence.xml"),)


def test_what_decides_otherwise_has_no_condition() -> None:
    refused = acap.parse_robots(LICENSED + b"Content-Signal: ai-train=no\n")
    assert asked(robots=refused).conditions == ()
    assert asked(Source(outcome="permitted")).conditions == ()


@pytest.mark.parametrize("held", [TERMS.policy, "https://example.com/licence.xml"])
def test_a_licence_that_is_held_satisfies_its_own_condition_and_no_other(held: str) -> None:
    crawler = acap.Crawler("bot", licensee=acap.Licensee(licences=[held]))
    robots = acap.parse_robots(LICENSED)
    by_terms = asked(Source(condition=TERMS), crawler=crawler)
    by_line = robots.decide("/a", crawler=crawler, usage="ai-train")
    both = asked(Source(condition=TERMS), crawler=crawler, robots=robots)
    assert (by_terms.permitted, by_line.permitted) == (held == TERMS.policy, held != TERMS.policy)
    assert both.outcome == "conditional"
    assert robots.decide_many(["/a"], crawler=crawler, usages=["ai-train"]).permitted == [by_line.permitted]


def test_a_later_carrier_of_a_dialect_replaces_an_earlier_one() -> None:
    decision = asked(Source(outcome="prohibited"), Source(outcome="permitted", rank=1))
    assert decision.permitted
    assert [lost.key for lost in decision.reason.lost] == ["carrier"]
    assert (
        asked(Source(outcome="prohibited"), Source(outcome="permitted", rank=1, dialect="others")).outcome
        == "prohibited"
    )


def test_a_carrier_in_doubt_replaces_none_and_none_replaces_it() -> None:
    refusal = Source(outcome="prohibited", rank=1)
    assert asked(refusal, Source(rank=2, lifts=False)).outcome == "prohibited"
    doubt = Source(outcome="prohibited", rank=1, lifts=False)
    assert asked(doubt, Source(outcome="permitted", rank=2)).outcome == "prohibited"


def test_a_source_may_answer_by_who_asks() -> None:
    class ForBots(Source):
        def statements_for(self, url: str, crawler: acap.Crawler) -> list[acap.Statement]:
            return self.statements(url) if "bot" in crawler.names else []

    assert asked(ForBots(outcome="prohibited")).outcome == "prohibited"
    assert asked(ForBots(outcome="prohibited"), crawler=["other"]).permitted


def test_documents_that_were_read_speak_in_the_place_of_licence_lines() -> None:
    class Documents(Source):
        reads_licence_lines = True

    robots = acap.parse_robots(LICENSED)
    assert robots.licences("bot") == (("https://example.com/licence.xml", 3),)
    assert asked(Documents(outcome="permitted"), robots=robots).permitted
    page = acap.parse_page(None, url=None)
    assert acap.decide(
        "/a", crawler="bot", usage="ai-train", page=page, others=[Documents(outcome="permitted")]
    ).permitted


def test_a_licensee_says_what_it_is() -> None:
    licensee = acap.Licensee(users="commercial", country="de", payments=["Training"])
    assert licensee.users == {"commercial"}
    assert (licensee.country, licensee.payments) == ("DE", frozenset({"training"}))
    assert pickle.loads(pickle.dumps(acap.Crawler("bot", licensee=licensee))).licensee == licensee


@pytest.mark.parametrize("wrong", [{"users": "private"}, {"country": "Germany"}, {"reuse": "some"}])
def test_what_no_licensee_can_be_is_the_callers_mistake(wrong: Any) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        acap.Licensee(**wrong)
    with pytest.raises(TypeError, match=r"acap\.Licensee"):
        acap.Crawler("bot", licensee=wrong)


def test_a_dialect_that_is_conditional_breaks_no_silence() -> None:
    """Where silence prohibits, a permission counts only if nothing else of its dialect asks for something."""
    wary = acap.Crawler("bot", silence={"ai-train": "prohibited"})
    permits, asks = Source(outcome="permitted"), Source(condition=TERMS)
    assert asked(permits, crawler=wary).outcome == "permitted"
    assert asked(permits, asks, crawler=wary).outcome == "prohibited"
    other = Source(outcome="permitted", dialect="other")
    assert asked(permits, asks, other, crawler=wary).outcome == "conditional"
