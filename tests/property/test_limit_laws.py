"""What a limit cuts is replaced by the strictest that it may have been: no limit makes an answer looser.

`ACAP_CASES` says how many policies are tried, `ACAP_SEED` where to begin.
"""

from __future__ import annotations

import os
from dataclasses import replace
from random import Random

import pytest

import acap
from tests.property import cut_strategies
from tests.property.engines import REFUSED, Answer, Engine, by_native, by_reference
from tests.property.rounds import agree
from tests.property.strategies import Case, shrunk
from tests.property.test_engines_agree import described

CASES = int(os.environ.get("ACAP_CASES", "400"))
SEED = int(os.environ.get("ACAP_SEED", "1"))
UNCUT = {"line_octets": 65_535}  # by default a line may be cut before a limit of the case would cut it


def is_not_looser(whole: Answer, cut: Answer) -> bool:
    """Whether an answer under limits is at least as strict as the one without; a question may become a mistake."""
    if whole == REFUSED or cut == REFUSED or cut.outcome == "prohibited":
        return True
    is_as_strict = whole.outcome == cut.outcome or (whole.outcome, cut.outcome) == ("permitted", "conditional")
    return is_as_strict and whole.restrictions <= cut.restrictions


@pytest.mark.parametrize(("engine", "cases"), [(by_native, CASES), (by_reference, CASES // 4)])
def test_no_limit_makes_an_answer_looser(engine: Engine, cases: int) -> None:
    """The answer under any limits is never looser than the answer without them, in outcome and restrictions."""

    def is_broken(case: Case) -> bool:
        whole = engine(replace(case, limits=UNCUT))
        return not all(map(is_not_looser, whole, engine(case)))

    for number in range(cases):
        name = f"{SEED}.{number}"
        case = cut_strategies.generate(Random(name))
        if is_broken(case):
            small = shrunk(case, is_broken)
            answers = zip(small.questions, engine(replace(small, limits=UNCUT)), engine(small), strict=True)
            told = [f"{asked}\n  whole: {whole}\n  cut:   {cut}" for asked, whole, cut in answers]
            pytest.fail(
                "\n".join([f"a limit loosens a case of seed {name!r}", *described(small), *told]), pytrace=False
            )


def test_both_engines_give_the_same_answers_under_limits() -> None:
    """Outcome, kind, stated, restrictions and deciding lines are the same, whatever a limit cuts."""
    agree(CASES, SEED, cut_strategies.generate, (by_native, by_reference), shrunk, described)


DEFINITIONS = (
    "ACAP-qualified-usage: q follow time-limit=until-2001-01-01\n",
    "ACAP-qualified-usage: q present max-length=5-words\n",
    "ACAP-qualified-usage: r crawl time-limit=5-days\n",
    "ACAP-composite-usage: c index preserve crawl\n",
    "ACAP-composite-usage: c (r) follow (q)\n",
)


def test_no_limit_makes_an_answer_of_a_page_looser() -> None:
    """What a page prohibits or restricts by a local usage, it does where a limit cut its definition, too."""
    usages = ("crawl", "follow", "index", "present-snippet", "tdm", "other")
    for number in range(CASES // 20):
        chosen = Random(f"{SEED} page {number}")
        text = "ACAP-crawler: *\nACAP-allow-crawl: /\n" + "".join(chosen.sample(DEFINITIONS, 3))
        said = [f"{chosen.choice(('allow', 'disallow'))}-({chosen.choice('qrc')})" for _ in range(2)]
        page = acap.parse_page(
            f'<meta name="robots" content="ACAP {said[0]}"><body class="the-acap:{said[1]}">x', url="http://a.example/"
        )
        limits = acap.Limits(line_octets=chosen.randint(24, 60))
        files = [acap.parse_robots(text, url="http://a.example/robots.txt", limits=each) for each in (None, limits)]
        for usage in usages:
            decisions = [
                acap.decide("http://a.example/", crawler="bot", usage=usage, page=page, robots=robots)
                for robots in files
            ]
            whole, cut = (
                Answer(
                    str(one.outcome), restrictions=frozenset((each.name, each.value, None) for each in one.restrictions)
                )
                for one in decisions
            )
            assert is_not_looser(whole, cut), (text, said, limits, usage)
