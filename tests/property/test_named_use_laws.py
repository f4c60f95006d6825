"""What must be used or included may be fetched for that use (section 5): what such a question leaves aside.

`ACAP_CASES` says how many cases are tried, `ACAP_SEED` where to begin.
"""

from __future__ import annotations

import os
import pickle
from dataclasses import replace
from functools import partial
from itertools import product
from random import Random

import pytest

import acap
from acap.robots import RobotsPolicy
from tests.property import engines, test_pages_agree
from tests.property.engines import Answer
from tests.property.page_strategies import generate_page, shrunk_page
from tests.property.rounds import agree
from tests.property.strategies import Case, Line, Question, Several, generate, shrunk
from tests.property.test_engines_agree import described

CASES = int(os.environ.get("ACAP_CASES", "100"))
SEED = int(os.environ.get("ACAP_SEED", "1"))
CLOSED = "User-agent: *\nDisallow: /\n"
DECIDED_ABOVE = {"unreachable", "truncated", "unreadable", "reference-missing", "take-down"}
OF_SEVERAL = Case(
    tuple(
        Line(line) for line in (b"User-agent: *", b"Disallow: /a", b"ACAP-crawler: *", b"ACAP-request-take-down: /a/b")
    ),
    questions=(Question("/a/b", "bot", ("present-original", "follow")),),
)


def test_both_engines_answer_for_a_named_use_alike() -> None:
    """Asked about what must be used or included, core and interpreter leave the same aside."""
    both = tuple(partial(engine, for_use=True) for engine in (engines.by_native, engines.by_reference))
    agree(CASES, SEED, generate, both, shrunk, described)  # type: ignore[arg-type]  # cases of several types


def test_both_engines_answer_about_pages_for_a_named_use_alike() -> None:
    """So they do where the resource says something itself."""
    both = tuple(
        partial(engine, for_use=True) for engine in (test_pages_agree.by_native, test_pages_agree.by_reference)
    )
    agree(CASES, SEED, generate_page, both, shrunk_page, test_pages_agree.described)  # type: ignore[arg-type]  # cases of several types


def test_nothing_but_a_crawl_prohibition_of_robots_txt_is_left_aside() -> None:
    """Where crawling is permitted, or something above the statements decides, the answer is the usual one.

    Of several usages, crawlers or purposes something above may decide on one, and crawling on another: what is above
    is looked at for each alone.
    """
    differ = 0
    for case in (OF_SEVERAL, *(generate(Random(f"{SEED}.{number}")) for number in range(CASES))):
        for alone, asking in ((False, case), (True, _of_each_alone(case))):
            usual, asked = engines.by_native(asking), engines.by_native(asking, for_use=True)
            crawl = engines.by_native(_of_crawling(asking))
            for before, after, crawls in zip(usual, asked, crawl, strict=True):
                if crawls.outcome != "prohibited" or (alone and before.kind in DECIDED_ABOVE):
                    assert _of_every_purpose(before) == _of_every_purpose(after), asking
                    assert after.restrictions <= before.restrictions, asking
                differ += before != after
    assert differ > CASES // 20


def test_of_several_usages_the_refused_crawling_of_one_is_left_aside_beside_a_take_down_of_another() -> None:
    """A take-down prohibits one usage, a Disallow the other: for a named use the take-down alone decides."""
    [usual], [asked] = engines.by_native(OF_SEVERAL), engines.by_native(OF_SEVERAL, for_use=True)
    assert usual.kind == asked.kind == "take-down"
    assert (usual.lines, asked.lines) == (frozenset({2, 4}), frozenset({4}))
    assert [engine(OF_SEVERAL, for_use=True) for engine in (engines.by_native, engines.by_reference)] == [[asked]] * 2


def _of_every_purpose(answer: Answer) -> Answer:
    return replace(answer, restrictions=frozenset(one for one in answer.restrictions if one[0] != "excluded-purpose"))


def _of_each_alone(case: Case) -> Case:
    """Each question for every crawler, usage and purpose of it by itself."""
    return replace(
        case,
        questions=tuple(
            replace(asked, crawler=crawler, usage=usage, purpose=purpose)
            for asked in case.questions
            for crawler, usage in product(_each(asked.crawler), _each(asked.usage))
            for purpose in ((None,) if asked.purpose is None else _each(asked.purpose))
        ),
    )


def _each(several: Several) -> tuple[str, ...]:
    return several if isinstance(several, tuple) else (several,)


def _of_crawling(case: Case) -> Case:
    return replace(case, questions=tuple(replace(asked, usage="crawl") for asked in case.questions))


def test_what_the_resource_says_against_being_crawled_is_not_left_aside() -> None:
    """Robots.txt alone is put aside: a page that prohibits its own crawling is used for nothing."""
    robots = acap.parse_robots(CLOSED).for_use()
    for head, outcome in (("", "permitted"), ('<meta name="robots" content="ACAP disallow-crawl">', "prohibited")):
        page = acap.parse_page(f"<html><head>{head}</head><body>words</body></html>", url="https://a.example/p")
        for usage in ("crawl", "index", "preserve", "present-snippet"):
            assert page.decide(usage, crawler="bot", robots=robots).outcome == outcome


@pytest.mark.parametrize(
    ("policy", "crawler"),
    [
        (RobotsPolicy.unreachable(None), "bot"),
        (acap.parse_robots(CLOSED, limits=acap.Limits(file_octets=20)), "bot"),
        (acap.parse_robots("ACAP-crawler: *\nACAP-permissions-reference: /x\n"), "bot"),
        (acap.parse_robots(CLOSED), acap.Crawler("bot", silence={"crawl": "prohibited"})),
        (acap.parse_robots(CLOSED + "ACAP-crawler: *\nACAP-allow-crawl: / time-limit=until-2020-01-01\n"), "bot"),
    ],
    ids=["unreachable", "cut", "without its reference", "silence", "expired"],
)
def test_no_doubt_is_left_aside(policy: RobotsPolicy, crawler: str | acap.Crawler) -> None:
    """What can't be had, was cut, is silent to one who takes that for no, or is over, prohibits for a named use too."""
    for usage in ("crawl", "index", "preserve"):
        assert not policy.for_use().decide("/p", crawler=crawler, usage=usage).permitted


def test_a_policy_for_a_named_use_stays_one() -> None:
    """Evidence, a reference, a pickle: it is still asked for that use, and no other policy is equal to it."""
    policy: RobotsPolicy = acap.parse_robots(CLOSED, url="https://a.example/robots.txt")
    named = policy.for_use()
    for one in (named, named.with_evidence({}), named.with_reference("/x", None), pickle.loads(pickle.dumps(named))):
        assert one._is_for_use
        assert one.decide("/p", crawler="bot", usage="index").permitted
    assert named != policy
    assert not policy.decide("/p", crawler="bot").permitted
    assert not policy.decide_many(["/p"], crawler="bot").permitted[0]
    assert named.decide_many(["/p"], crawler="bot").permitted[0]
