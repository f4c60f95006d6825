"""What the answer of a server says of fetching a resource."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import acap
from acap.carriers import carriers
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
    "challenge",
    [
        'Basic realm="x, License y"',
        r'Basic realm="a\", License b"',
        'Basic realm="never ends, License y',
        'Basic realm="x", license="y"',
        'Basic realm="x", License = "y"',
        "Licensed",
        "",
    ],
)
def test_the_name_of_a_scheme_within_another_challenge_is_no_demand_for_a_licence(challenge: str) -> None:
    assert asked(401, www_authenticate=challenge).outcome == "prohibited"


@pytest.mark.parametrize("challenge", ["license", 'Basic realm="x, y", License error="e"', "License abc==, Basic"])
def test_a_licence_may_be_one_of_several_challenges(challenge: str) -> None:
    assert asked(401, www_authenticate=challenge).outcome == "conditional"


@pytest.mark.parametrize("value", ["", "1", "sig1", 'sig1="a=("', 'sig1=", a=("', "Sig=()", "=("])
def test_a_demand_for_a_signature_says_what_has_to_be_signed(value: str) -> None:
    assert asked(403, accept_signature=value).outcome == "prohibited"
    assert asked(403, accept_signature=f'{value}, *a.b-1=("@path");tag="web-bot-auth"').outcome == "conditional"


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        ('sig1=("@authority" "signature-agent";key="sig1");created;tag="web-bot-auth";keyid="a, b"', "conditional"),
        ('a=("@path");tag="other", b=( "@path" ) ; tag="web-bot-auth"', "conditional"),
        ('sig1=();tag="web-bot-auth"', "prohibited"),
        ('sig1=( );tag="web-bot-auth"', "prohibited"),
        ('sig1=("");tag="web-bot-auth"', "prohibited"),
        ('sig1=("@authority");tag="other"', "prohibited"),
        ('sig1=("@authority");tag="web-bot-auth";tag="other"', "prohibited"),
        ('sig1=("@authority");tag="web-bot-auth";tag', "prohibited"),
        ('sig1=("@authority");untag="web-bot-auth"', "prohibited"),
        ('sig1=("@authority");keyid=";tag=\\"web-bot-auth\\""', "prohibited"),
        ('sig1=("@authority"), x;tag="web-bot-auth"', "prohibited"),
        ('sig1=("@authority")', "prohibited"),
        ('sig1=("@authority");tag="web-bot-auth', "prohibited"),
        ('sig1=("@authority" "web-bot-auth");tag=web-bot-auth', "prohibited"),
    ],
)
def test_only_web_bot_auth_over_named_components_is_a_condition(value: str, outcome: str) -> None:
    assert asked(403, accept_signature=value).outcome == outcome


@pytest.mark.parametrize("part", ['a=("x");tag="web-bot-auth";tag', "a=(", ' ;tag="', ",", '";', " ", 'a=("b");'])
def test_signatures_take_no_longer_than_they_are_long(part: str) -> None:
    assert asked(403, accept_signature=part * 100_000).outcome == "prohibited"


@pytest.mark.parametrize(
    ("status", "outcome"), [(400, "prohibited"), (402, "conditional"), (403, "prohibited"), (502, "prohibited")]
)
def test_an_error_of_paying_permits_no_crawling(status: int, outcome: str) -> None:
    decision = asked(status, crawler_error="InvalidCrawlerExactPrice")
    assert decision.outcome == outcome
    assert decision.reason.decided_by[0].text.endswith(", crawler-error: InvalidCrawlerExactPrice")
    assert carriers(b"", url=URL, headers=[("crawler-error", "x")], status=status).policy.decide(
        "index", crawler="examplebot"
    ).outcome in (outcome, "prohibited")


@pytest.mark.parametrize(
    ("payments", "outcome"),
    [
        (None, "conditional"),
        (["crawl"], "conditional"),
        (["Crawl", "use"], "conditional"),
        ([], "prohibited"),
        (["training"], "prohibited"),
    ],
)
def test_a_payment_for_which_the_asker_is_not_ready_is_none(payments: list[str] | None, outcome: str) -> None:
    """As of a licence of RSL that asks for the same."""
    crawler = acap.Crawler("examplebot", licensee=acap.Licensee(payments=payments))
    answer = acap.parse_response(402, url=URL)
    terms = b"""<rsl xmlns="https://rslstandard.org/rsl"><content url=""><license><permits type="usage">all</permits>
<payment type="crawl"/></license></content></rsl>"""
    for source in (answer, acap.RslLicences(answer=terms)):
        assert acap.decide(URL, crawler=crawler, usage="index", others=[source]).outcome == outcome


@pytest.mark.parametrize("mark", ["\ud800", "\x1b[31m", "\x9b", "\u202e"])
def test_what_is_no_text_is_told_as_such(mark: str) -> None:
    answer = acap.parse_response(402, headers=[("crawler-price", mark)], url=URL)
    assert (asked(402, crawler_price=mark).outcome, answer.problems[0].message[:2]) == ("conditional", "`\ufffd")
    assert asked(401, www_authenticate=f"License {mark}").conditions[0].text.startswith("License \ufffd")


def test_quotes_without_an_end_take_no_longer_than_they_are_many() -> None:
    assert asked(401, www_authenticate='"\\' * 200_000 + ", License").outcome == "prohibited"


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


def test_an_answer_pickles_and_so_does_a_page_with_it() -> None:
    answer = acap.parse_response(402, headers=[("crawler-price", "USD 0.01")], url=URL)
    assert pickle.loads(pickle.dumps(answer)) == answer
    page = carriers(b"", url=URL, headers=[("crawler-price", "USD 0.01")], status=402).policy
    again = pickle.loads(pickle.dumps(page))
    assert (
        again.decide("index", crawler="examplebot").conditions == page.decide("index", crawler="examplebot").conditions
    )
