"""What the answer of a server says of fetching a resource."""

from __future__ import annotations

from typing import Any

import pytest

import acap
from acap.conditions import Condition

URL = "https://www.example.com/news/1"


def asked(status: int, usage: str = "crawl", **headers: str) -> acap.Decision:
    pairs = [(name.replace("_", "-"), value) for name, value in headers.items()]
    answer = acap.parse_response(status, headers=pairs, url=URL)
    return acap.decide(URL, crawler="examplebot", usage=usage, others=[answer])


def test_a_payment_wall_is_a_condition_with_its_price() -> None:
    decision = asked(402, crawler_price="USD 0.01")
    assert decision.conditions == (Condition("payment", payment="crawl", amount="0.01", currency="USD"),)
    assert decision.reason.decided_by[0].text == "402 Payment Required, crawler-price: USD 0.01"


@pytest.mark.parametrize("usage", ["index", "ai-train", "present-link", "other", "search"])
def test_no_use_is_answered_better_than_fetching(usage: str) -> None:
    assert asked(402, usage).outcome == "conditional"
    assert asked(403, usage).outcome == "prohibited"


@pytest.mark.parametrize("price", ["free", "0.01", "USD", "USD 1,00", "USD -1", "USD 1e9"])
def test_a_price_that_cannot_be_read_is_a_problem_and_still_a_condition(price: str) -> None:
    answer = acap.parse_response(402, headers=[("Crawler-Price", price)], url=URL)
    assert [found.code for found in answer.problems] == ["response-price"]
    assert answer.statements(URL)[0].condition == Condition("payment", payment="crawl")


@pytest.mark.parametrize("status", [401, 403, 451])
def test_a_refusal_prohibits(status: int) -> None:
    assert asked(status).outcome == "prohibited"


def test_a_challenge_prohibits_whatever_its_status() -> None:
    assert asked(403, cf_mitigated="challenge").reason.decided_by[0].header == "cf-mitigated"
    assert asked(503, cf_mitigated="Challenge").outcome == "prohibited"


def test_a_demand_for_a_licence_or_a_signature_is_a_condition() -> None:
    licensed = asked(401, www_authenticate='License error="invalid_request"')
    assert licensed.conditions == (Condition("licence", text='License error="invalid_request"'),)
    signed = asked(403, accept_signature='sig1=("@authority");tag="web-bot-auth"')
    assert (signed.outcome, signed.conditions[0].asks) == ("conditional", "terms")


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (200, {}),
        (200, {"crawler_price": "USD 1"}),
        (200, {"crawler_charged": "USD 1"}),
        (304, {}),
        (404, {}),
        (410, {}),
        (429, {}),
        (500, {}),
    ],
)
def test_other_answers_say_nothing(status: int, headers: Any) -> None:
    assert asked(status, **headers).stated is False


def test_an_answer_lifts_nothing_that_robots_txt_prohibits() -> None:
    robots = acap.parse_robots(b"User-agent: *\nDisallow: /\n")
    answer = acap.parse_response(402, url=URL)
    assert acap.decide(URL, crawler="examplebot", robots=robots, others=[answer]).outcome == "prohibited"
