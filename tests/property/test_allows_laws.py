"""`RobotsPolicy.allows` says what `RobotsPolicy.decide` permits, and never raises on a URL."""

from __future__ import annotations

import os
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import acap
from benchmarks import corpus
from tests.property.strategies import generate

CASES = int(os.environ.get("ACAP_CASES", "300"))
SEED = int(os.environ.get("ACAP_SEED", "1"))
CRAWLERS: tuple[acap.robots.Asker, ...] = (
    corpus.CRAWLER,
    "examplebot",
    "Mozilla/5.0 (compatible; Foo; GPTBot/1.2)",
    "*",
    ("nobody", corpus.CRAWLER),
    acap.Crawler("examplebot", silence={"crawl": "prohibited"}),
)
ORIGINS = ("", "https://host.example", "http://host.example", "HTTPS://Host.Example:443", "https://host.example:8")
TAILS = ("", "/", "/robots.txt", "/robots.txt?a", "/a%62c", "/a b", "/é", "/./a", "?q", "#a", "//a", "/\x7f", "/\udc80")


def by_decide(policy: acap.RobotsPolicy, url: str, crawler: acap.robots.Asker) -> bool:
    """What `decide` says, and no to what cannot be asked about."""
    try:
        return policy.decide(url, crawler=crawler).permitted
    except ValueError:
        return False


def agree(policy: acap.RobotsPolicy, url: str, crawler: acap.robots.Asker) -> None:
    # The first crawler that asks goes another way than the others, and its first question than the next.
    for _ in range(2):
        assert policy.allows(url, crawler) is by_decide(policy, url, crawler), (policy.octets, url, crawler)


def test_any_file_in_any_dialect() -> None:
    """Of drawn files of every dialect, with and without origin, each drawn question gets one answer from both."""
    assert CASES > 0
    for number in range(CASES):
        case = generate(Random(f"{SEED} {number}"))
        for url in (None, "https://www.example.com/robots.txt"):
            policy = acap.parse_robots(case.octets, url=url, dialect=case.dialect)
            for question in case.questions:
                agree(policy, question.url, question.crawler)
            agree(policy.for_use(), case.questions[0].url, case.questions[0].crawler)


def test_any_file_of_the_corpus() -> None:
    """A file for which Google's matcher was asked gets from both the same answers, asked by any crawler first."""
    for number, file in enumerate(corpus.load()[:400]):
        policy = acap.parse_robots(file.octets)
        for crawler in (CRAWLERS[number % len(CRAWLERS)], *CRAWLERS[:3]):
            for url in file.urls[:6]:
                agree(policy, url, crawler)


@given(st.sampled_from(ORIGINS), st.sampled_from(TAILS) | st.text(), st.sampled_from(CRAWLERS), st.data())
def test_any_text_as_a_url(origin: str, tail: str, crawler: acap.robots.Asker, data: st.DataObject) -> None:
    """A text that is no URL of the policy is not allowed, and raises nothing; any other is answered as by `decide`."""
    url = data.draw(st.sampled_from((None, "https://host.example/robots.txt")))
    made = (
        acap.parse_robots("User-agent: *\nDisallow: /a\nAllow: /abc\nDisallow: /*?q\n", url=url),
        acap.RobotsPolicy.absent(url),
        acap.RobotsPolicy.unreachable(url),
        acap.parse_robots("ACAP-crawler: *\nACAP-disallow-crawl: /a\n", url=url, dialect="auto"),
        acap.parse_robots("User-agent: *\nDisallow: /a\n", url=url, dialect="google"),
    )
    agree(data.draw(st.sampled_from(made)), origin + tail, crawler)


@pytest.mark.parametrize("crawler", ["", " ", ()])
def test_who_asks_is_the_callers_own(crawler: acap.robots.Asker) -> None:
    """An empty crawler is a mistake of the caller, as in `decide`, and no answer."""
    with pytest.raises(ValueError, match="crawler is empty"):
        acap.parse_robots("").allows("/a", crawler)


def told(policy: acap.RobotsPolicy, url: str, crawler: acap.robots.Asker) -> tuple[object, ...] | None:
    """Everything that a decision says, and nothing of what cannot be asked about."""
    try:
        decision = policy.decide(url, crawler=crawler)
    except ValueError:
        return None
    return decision.outcome, decision.restrictions, decision.reason


def agree_at_first(octets: bytes, url: str, crawler: acap.robots.Asker, dialect: str = "auto") -> None:
    """Compares policies that were not asked before with one that knows what the crawler hears."""
    asked = acap.parse_robots(octets, dialect=dialect)
    asked.allows("/", crawler)
    asked.allows("/", crawler)
    case = (octets, url, crawler, dialect)
    assert told(acap.parse_robots(octets, dialect=dialect), url, crawler) == told(asked, url, crawler), case
    assert acap.parse_robots(octets, dialect=dialect).allows(url, crawler) is asked.allows(url, crawler), case


def test_the_first_question_of_any_file() -> None:
    """A drawn file that was not asked before answers each drawn question as one that was."""
    assert CASES > 0
    for number in range(CASES):
        case = generate(Random(f"{SEED} first {number}"))
        for question in case.questions:
            agree_at_first(case.octets, question.url, question.crawler, case.dialect)


def test_the_first_question_of_the_corpus() -> None:
    """A file of the corpus that was not asked before answers as one that was."""
    for number, file in enumerate(corpus.load()):
        for url in file.urls[number % 5 :: 5]:
            agree_at_first(file.octets, url, CRAWLERS[number % 4])
