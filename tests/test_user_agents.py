"""User-Agent strings: the names that stand in one, and that what a policy says to any of them is heard."""

from __future__ import annotations

import json
from dataclasses import replace
from operator import ge
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import acap
from acap import _native
from acap.crawler_list import known, known_crawlers
from acap.sites.licences import LostLicences
from tests.page_engines import INVALID
from tests.property.engines import Engine, by_native, by_reference
from tests.property.page_strategies import PageCase, generate_page
from tests.property.strategies import Case, Question, cases, plain
from tests.property.test_laws import is_not_looser
from tests.property.test_pages_agree import by_native as page_by_native
from tests.property.test_pages_agree import by_reference as page_by_reference
from tests.property.vocabulary import CRAWLERS
from tools.crawlers import LIST, NAMES, names

PUBLISHED: dict[str, str] = json.loads(Path(__file__).with_name("user_agents.json").read_text(encoding="utf-8"))[
    "strings"
]
"""Strings of listed crawlers, one for each, as a free list has them."""


def closed_to(name: str) -> bytes:
    return f"User-agent: *\nAllow: /\n\nUser-agent: {name}\nDisallow: /\n".encode()


def test_every_published_string_reaches_the_group_of_its_own_name() -> None:
    assert PUBLISHED
    for name, string in PUBLISHED.items():
        assert known(name) is not None, name
        policy = acap.parse_robots(closed_to(name))
        for usage in ("crawl", "index", "ai-train"):
            assert policy.decide("/a", crawler=string, usage=usage).outcome == "prohibited", name
            other = policy.decide("/a", crawler=acap.Crawler(string, "other"), usage=usage)
            assert other.outcome == "prohibited", name
        assert policy.decide_many(["/a"], crawler=string).outcomes[0] == 2, name
        assert policy.decide("/a", crawler="another").permitted, name


@pytest.mark.parametrize(
    ("string", "name"),
    [
        ("Mozilla/5.0 (Windows NT 6.1) AppleWebKit/534+ (KHTML, like Gecko) BingPreview/1.0b", "BingPreview"),
        ("Mozilla/5.0 (X11; Linux) Chrome/69.0 YisouSpider/5.0 Safari/537.36", "YisouSpider"),
        ("Mozilla/5.0 (X11; Linux) Gecko/1 like Googlebot", None),
        ("FreshRSS/1.11.2 (Linux; https://freshrss.org) like Googlebot", "FreshRSS"),
        ("GPTBot/1.2 (compatible; Other/1.0)", "Other"),
    ],
)
def test_a_string_puts_one_name_forward(string: str, name: str | None) -> None:
    assert _native.crawler_name(string) == name


def test_the_strictest_of_the_groups_that_name_a_string_stands() -> None:
    """Groups for everybody count only for the name put forward."""
    policy = acap.parse_robots(
        b"User-agent: *\nDisallow: /\n\nUser-agent: GPTBot\nDisallow: /a\n\nUser-agent: Other\nDisallow: /b\n"
    )
    string = "GPTBot/1.2 (compatible; Other/1.0)"
    found = [policy.decide(path, crawler=string) for path in ("/a", "/b", "/c")]
    assert [str(one.outcome) for one in found] == ["prohibited", "prohibited", "permitted"]
    assert [one.reason.decided_by[0].line for one in found[:2]] == [5, 8]
    assert list(policy.decide_many(["/a", "/b", "/c"], crawler=string).outcomes) == [2, 2, 0]


def test_a_name_that_is_only_resembled_permits_nothing() -> None:
    policy = acap.parse_robots(b"User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nAllow: /\n")
    for string in ("FreshRSS/1.1 (Linux) like Googlebot", "mybot/1.0 (compatible with Googlebot)", "X/1 Googlebot/2.1"):
        assert not policy.decide("/a", crawler=string).permitted


def test_the_token_of_an_operator_is_heard_by_each_name() -> None:
    policy = acap.parse_robots(b"User-agent: Google-Extended\nDisallow: /\n\nUser-agent: Googlebot\nAllow: /\n")
    decision = policy.decide("/a", crawler="Googlebot/2.1 (compatible; Foo/1.0)", usage="ai-train")
    assert (str(decision.outcome), decision.reason.kind) == ("prohibited", "control-token")


STRINGS = (
    "Googlebot/2.1 (compatible; Other/1.0)",
    "Other/1.0 (compatible; Googlebot/2.1)",
    "Other/1 GoogleOther/1.0 Googlebot/2.1",
    "Mozilla/5.0 (compatible; Other; Googlebot)",
)


@pytest.mark.parametrize("engine", [by_native, by_reference])
@pytest.mark.parametrize("string", STRINGS)
@pytest.mark.parametrize(
    "said",
    [
        "User-agent: Google-Extended\nDisallow: /",
        "User-agent: Google-Extended\nContent-Signal: ai-train=no, ai-input=no",
        "ACAP-crawler: Google-Extended\nACAP-disallow-ai-train: /\nACAP-disallow-ai-input: /",
    ],
)
def test_a_token_that_is_named_speaks_to_each_string_with_a_name_of_its_operator(
    engine: Engine, string: str, said: str
) -> None:
    """Whether a group names the crawler or not; crawling and every other use are as without it."""
    for group in ("User-agent: Other", "User-agent: Googlebot", "User-agent: *"):
        uses = ("ai-train", "ai-train-generative", "ai-input", "crawl", "index", "ai-index")
        questions = tuple(Question("/a", string, usage) for usage in uses)
        case = Case(lines=tuple(map(plain, (group, "Allow: /", "", *said.split("\n")))), questions=questions)
        answers = engine(case)
        assert [one.outcome for one in answers] == ["prohibited"] * 3 + ["permitted"] * 3
        assert {one.kind for one in answers[:3]} == {"control-token"}


def test_a_token_without_a_group_is_no_other_than_everybody() -> None:
    """`*` is asked for the name put forward alone, and so is a token that obeys it."""
    policy = acap.parse_robots(b"User-agent: *\nDisallow: /\n\nUser-agent: Other\nAllow: /\n")
    assert policy.decide("/a", crawler=STRINGS[0], usage="ai-train").permitted


def forward(asked: Question) -> Question:
    return replace(asked, crawler=_native.crawler_name(str(asked.crawler)) or "*")


@pytest.mark.parametrize("engine", [by_native, by_reference])
@given(case=cases(), string=st.sampled_from([one for one in CRAWLERS if isinstance(one, str)]))
def test_a_further_name_never_loosens(engine: Engine, case: Case, string: str) -> None:
    """A string is answered no looser than the name that it puts forward, whatever the file says to whom."""
    asked = tuple(replace(question, crawler=string) for question in case.questions)
    alone = engine(replace(case, questions=tuple(map(forward, asked))))
    for before, after in zip(alone, engine(replace(case, questions=asked)), strict=True):
        assert before.outcome in ("invalid", "refused") or is_not_looser(before, after), (case, string, before, after)


@given(case=st.integers(0, 2**32).map(lambda seed: generate_page(Random(seed))), string=st.sampled_from(STRINGS))
def test_a_further_name_loosens_nothing_that_a_page_says(case: PageCase, string: str) -> None:
    """What META tags and headers say to it takes away alone, to both engines alike."""
    tags = tuple((renamed(name), content) for name, content in case.tags)
    case = replace(case, tags=tags, questions=tuple(replace(one, crawler=string) for one in case.questions))
    name = _native.crawler_name(string) or "*"
    alone = page_by_native(replace(case, questions=tuple(replace(one, crawler=name) for one in case.questions)))
    found = page_by_native(case)
    assert found == page_by_reference(case)
    for before, after in zip(alone, found, strict=True):
        if before != INVALID and after.outcome != "prohibited":
            assert RANKS.index(before.outcome) <= RANKS.index(after.outcome)
            assert before.restrictions <= after.restrictions


def renamed(name: str) -> str:
    """A name of a META tag as one of those in the strings."""
    return {"bot": "Googlebot", "bot2": "Other", "SearchBot1": "GoogleOther"}.get(name, name)


@pytest.mark.parametrize("engine", [by_native, by_reference])
def test_a_name_is_heard_however_often_another_stands_before_it(engine: Engine) -> None:
    string = f"Foo/1.0 ({'Bingbot; ' * 1_000}GPTBot)"
    rules = ("User-agent: *", "Allow: /", "User-agent: GPTBot", "Disallow: /")
    case = Case(lines=tuple(map(plain, rules)), questions=(Question("/a", string, "crawl"),))
    assert [one.outcome for one in engine(case)] == ["prohibited"]


@pytest.mark.parametrize("engine", [by_native, by_reference])
def test_a_string_of_more_names_than_a_crawler_has_is_refused(engine: Engine) -> None:
    listed = [one.name for one in known_crawlers()]
    few, many = (f"Foo/1.0 ({'; '.join(listed[:count])})" for count in (60, 120))
    questions = tuple(Question("/a", string, usage) for string in (few, many) for usage in ("crawl", "index"))
    case = Case(lines=(plain("User-agent: Foo"), plain("Allow: /")), questions=questions)
    assert [one.outcome for one in engine(case)] == ["permitted", "permitted", "refused", "refused"]
    with pytest.raises(ValueError, match="64 further names"):
        acap.parse_robots(b"").decide_many(["/a"], crawler=many)


SITE = "https://e.example"
DOCUMENTS = {
    f"{SITE}/{name}.xml": (
        f'<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>{terms}</license></content></rsl>'.encode()
    )
    for name, terms in {
        "no": '<prohibits type="usage">all</prohibits>',
        "train": '<prohibits type="usage">ai-train</prohibits>',
        "yes": '<permits type="usage">all</permits>',
        "named": '<permits type="usage">all</permits><payment type="attribution"/>',
    }.items()
}
STRING = "GPTBot/1.2 (compatible; Other/1.0)"
RANKS = ("permitted", "conditional", "prohibited")


def licensed(robots: acap.RobotsPolicy, crawler: acap.Crawler, *, given: bool = True) -> dict[str, acap.Decision]:
    others = [acap.RslLicences(robots=robots, documents=DOCUMENTS)] if given else []
    usages = ("index", "preserve", "ai-train")
    return acap.decide_each(f"{SITE}/a", crawler=crawler, usages=usages, robots=robots, others=others)


def ranks(decisions: dict[str, acap.Decision]) -> list[int]:
    return [RANKS.index(str(one.outcome)) for one in decisions.values()]


def test_the_licence_of_each_name_of_a_string_is_heard() -> None:
    text = f"User-agent: *\nAllow: /\n\nUser-agent: GPTBot\nLicense: {SITE}/no.xml\nAllow: /\n"
    robots = acap.parse_robots(text, url=f"{SITE}/robots.txt")
    assert robots.licences(STRING) == robots.licences("GPTBot") == ((f"{SITE}/no.xml", 5),)
    assert acap.RslLicences(robots=robots).missing(STRING) == (f"{SITE}/no.xml",)
    assert set(ranks(licensed(robots, acap.Crawler(STRING)))) == {2}
    lost = LostLicences(robots, frozenset()).statements_for(f"{SITE}/a", acap.Crawler(STRING))
    assert {one.outcome for one in lost} == {"prohibited"}


LICENCES = st.lists(st.sampled_from([*DOCUMENTS, "/no.xml", "CC BY 4.0"]), max_size=2)


@given(
    groups=st.fixed_dictionaries(
        {}, optional=dict.fromkeys(("*", "GPTBot", "Other", "Googlebot", "Google-Extended"), LICENCES)
    ),
    string=st.sampled_from([STRING, "Other/1 Googlebot/2.1", "Mozilla/5.0 (compatible; Other; GPTBot; Googlebot)"]),
    silence=st.sampled_from([{}, {"ai-train": "prohibited"}, {"other": "prohibited"}]),
)
def test_licences_are_no_looser_to_a_string_than_to_each_of_its_names(
    groups: dict[str, list[str]], string: str, silence: dict[str, str]
) -> None:
    lines = [
        f"User-agent: {name}\nAllow: /\n" + "".join(f"License: {one}\n" for one in groups[name]) for name in groups
    ]
    robots = acap.parse_robots("\n".join(lines), url=f"{SITE}/robots.txt")
    found = licensed(robots, acap.Crawler(string, silence=silence))
    forward = _native.crawler_name(string)
    for name in filter(None, (forward, *_native.other_names(string))):
        if name == forward or name in groups:
            alone = licensed(robots, acap.Crawler(name, silence=silence))
            assert all(map(ge, ranks(found), ranks(alone))), (name, lines)
            for usage, decision in found.items():
                if decision.outcome != "prohibited":
                    assert {one.name for one in alone[usage].restrictions} <= {
                        one.name for one in decision.restrictions
                    }


def test_two_policies_are_compared_for_each_name_of_a_string() -> None:
    before, after = closed_to("Other"), closed_to("Other") + b"User-agent: GPTBot\nDisallow: /\n"
    found = acap.compare(
        acap.parse_robots(before), acap.parse_robots(after), crawlers=["GPTBot/1.2 (compatible; Other/1.0)"]
    )
    assert found.changes


SOME = tuple(one.name for one in known_crawlers()[::60])
WORDS = st.lists(
    st.sampled_from(
        [
            *("(compatible;", "(X11;", "Foo;", "Other/1.0;", "bot/1.0", ")", "like", "Gecko", "Safari/1", "+http://x"),
            *(f"{name}/2.1" for name in SOME),
            *(f"({name};" for name in SOME),
        ]
    ),
    min_size=1,
    max_size=8,
)


@pytest.mark.parametrize("engine", [by_native, by_reference])
@given(leading=st.sampled_from(["GPTBot/1.2", "mybot", "bot-2/0.1", "Slurp"]), words=WORDS)
def test_a_group_that_closes_a_site_to_the_leading_product_is_never_got_round(
    engine: Engine, leading: str, words: list[str]
) -> None:
    name = leading.partition("/")[0]
    rules = ("User-agent: *", "Allow: /", "User-agent: Other", "Allow: /", f"User-agent: {name}", "Disallow: /")
    questions = tuple(Question("/a", " ".join([leading, *words]), usage) for usage in ("crawl", "index"))
    answers = engine(Case(lines=tuple(map(plain, rules)), questions=questions))
    assert [one.outcome for one in answers] == ["prohibited", "prohibited"]


@given(words=WORDS, path=st.sampled_from(["/a", "/b"]))
def test_both_engines_hear_the_same_names(words: list[str], path: str) -> None:
    string = " ".join(["Mozilla/5.0", *words])
    groups = enumerate([*SOME, "bot", "Other", "Foo"])
    rules = [line for at, name in groups for line in (f"User-agent: {name}", f"Disallow: /{'ab'[at % 2]}")]
    questions = tuple(Question(path, string, usage) for usage in ("crawl", "ai-train"))
    case = Case(lines=tuple(map(plain, rules)), questions=questions)
    assert by_native(case) == by_reference(case)


def test_the_core_looks_for_the_names_of_the_list() -> None:
    assert NAMES.read_text(encoding="utf-8") == names(json.loads(LIST.read_text(encoding="utf-8")))
