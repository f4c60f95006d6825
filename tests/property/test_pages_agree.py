"""The package and the reference interpreter, written from the same text and not from each other, decide pages alike.

`ACAP_CASES` says how many pages are tried, `ACAP_SEED` where to begin.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from random import Random

import acap
from tests.page_engines import INVALID, PageAnswer
from tests.property.page_strategies import TAGS, PageAsked, PageCase, generate_page, shrunk_page
from tests.property.rounds import agree
from tests.reference.page import read_page
from tests.reference.page_hearing import Site
from tests.reference.page_resolution import PageCrawler, decide_page, permitted_elements

CASES = int(os.environ.get("ACAP_CASES", "160"))
SEED = int(os.environ.get("ACAP_SEED", "1"))
ROBOTS = "http://site.example/robots.txt"


def by_reference(case: PageCase, *, for_use: bool = False) -> list[PageAnswer]:
    """The reference's answers to the questions of a case; `for_use`: about what must be used or included."""
    page = read_page(case.page, url=case.url, headers=case.headers)
    site = None if case.robots is None else Site.read(b"\n".join(case.robots), ROBOTS)
    if site is not None:
        site = replace(site, policy=replace(site.policy, for_use=for_use))

    def answer(asked: PageAsked) -> PageAnswer:
        names = [asked.crawler] if isinstance(asked.crawler, str) else list(asked.crawler)
        try:
            decision = decide_page(
                page,
                case.asked_url,
                crawler=PageCrawler(names, asked.honours, asked.silence, asked.elements, asked.profile),
                usage=asked.usage,
                purpose=asked.purpose,
                at=asked.at,
                facts=asked.facts,
                site=site,
            )
        except ValueError:
            return INVALID
        restrictions = ((name, value, part[0] if part else None) for name, value, *part in decision.restrictions)
        return comparable(PageAnswer.of(decision.outcome, decision.kind, decision.stated, restrictions))

    return [answer(asked) for asked in case.questions]


def by_native(case: PageCase, *, for_use: bool = False) -> list[PageAnswer]:
    """The package's answers to the questions of a case; `for_use`: about what must be used or included."""
    page = acap.parse_page(case.page, url=case.url, headers=case.headers)
    robots = None if case.robots is None else acap.parse_robots(b"\n".join(case.robots), url=ROBOTS)
    robots = robots.for_use() if robots is not None and for_use else robots

    def answer(asked: PageAsked) -> PageAnswer:
        names = [asked.crawler] if isinstance(asked.crawler, str) else list(asked.crawler)
        try:
            decision = acap.decide(
                case.asked_url,
                crawler=acap.Crawler(
                    *names,
                    honours=asked.honours,
                    silence=asked.silence,
                    elements=asked.elements,
                    profile=asked.profile,
                ),
                usage=asked.usage,
                purpose=asked.purpose,
                at=asked.at,
                facts=acap.Facts(**asked.facts) if asked.facts is not None else None,
                page=page,
                robots=robots,
            )
        except ValueError:
            return INVALID
        restrictions = ((each.name, each.value, each.usage) for each in decision.restrictions)
        return comparable(PageAnswer.of(str(decision.outcome), decision.reason.kind, decision.stated, restrictions))

    return [answer(asked) for asked in case.questions]


def comparable(answer: PageAnswer) -> PageAnswer:
    """An answer as far as the text settles it: of several refusals it names no first."""
    refusals = {"statement", "silence", "expired", "element-level"}
    return replace(answer, kind="refused") if answer.outcome == "prohibited" and answer.kind in refusals else answer


def described(case: PageCase) -> list[str]:
    """A case, to be read by whoever has to settle it."""
    robots = [repr(line) for line in case.robots or ()]
    return [case.page, *map(str, case.headers), *robots, f"url={case.url!r} robots={case.robots is not None}"]


def test_both_engines_decide_on_pages_alike() -> None:
    """Outcome, kind, stated, restrictions and excluded elements are the same for every question of every page."""
    agree(CASES, SEED, generate_page, (by_native, by_reference), shrunk_page, described)


def words_by_reference(case: PageCase, asked: PageAsked) -> list[str]:
    """The words of the elements that may be used."""
    page = read_page(case.page, url=case.url, headers=case.headers)
    names = [asked.crawler] if isinstance(asked.crawler, str) else list(asked.crawler)
    permitted = permitted_elements(
        page,
        case.asked_url,
        crawler=PageCrawler(names, asked.honours, asked.silence, asked.elements, asked.profile),
        usage=str(asked.usage),
        purpose=asked.purpose,
        at=asked.at,
        facts=asked.facts,
        site=None if case.robots is None else Site.read(b"\n".join(case.robots), ROBOTS),
    )
    nodes = [element for element in page.elements if element.tag in TAGS]
    return [f"w{number}" for number, element in enumerate(nodes) if element in permitted]


def words_by_native(case: PageCase, asked: PageAsked) -> list[str]:
    """The words of the text that may be used."""
    names = [asked.crawler] if isinstance(asked.crawler, str) else list(asked.crawler)
    content = acap.parse_page(case.page, url=case.url, headers=case.headers).content_for(
        str(asked.usage),
        crawler=acap.Crawler(
            *names, honours=asked.honours, silence=asked.silence, elements=asked.elements, profile=asked.profile
        ),
        purpose=asked.purpose,
        at=asked.at,
        facts=acap.Facts(**asked.facts) if asked.facts is not None else None,
        robots=None if case.robots is None else acap.parse_robots(b"\n".join(case.robots), url=ROBOTS),
    )
    text: str = content.text
    return text.split()


def test_the_text_that_may_be_used_is_that_of_the_permitted_elements() -> None:
    """A word of an element is in the content for a usage exactly if the reference permits the usage there."""
    for number in range(CASES):
        seed = f"{SEED}.{number}"
        case = generate_page(Random(seed))
        for asked, answer in zip(case.questions, by_reference(case), strict=True):
            one_usage = isinstance(asked.usage, str) and asked.usage.lower() not in {"crawl", "follow", "search"}
            elsewhere = re.search("must-use-resource|used-resource", f"{case.tags} {case.headers} {case.robots}")
            if case.nodes and case.url and one_usage and not elsewhere and answer != INVALID:
                found, wanted = words_by_native(case, asked), words_by_reference(case, asked)
                assert found == wanted, f"seed {seed!r}: {asked}\n{case.page}\n{case.headers} {case.robots} {case.url}"
