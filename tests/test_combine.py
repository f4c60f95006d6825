"""Decisions from several sources (semantics, sections 7 and 8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

import acap
from acap import Statement
from acap.problems import Problem
from acap.usages import PARENTS

SITE = "https://www.example.com/robots.txt"
PAGE = "https://www.example.com/news/a.html"


@dataclass
class Made:
    """A source that says what a test tells it to say."""

    dialect: str
    said: Sequence[Statement]
    problems: Sequence[Problem] = field(default_factory=tuple)

    def statements(self, url: str) -> Iterable[Statement]:
        assert url == PAGE
        return self.said


def page(usage: str, outcome: str, *, part: str = "page", named: bool = False, **more: object) -> Statement:
    return Statement(dialect="acap", usage=usage, outcome=outcome, part=part, named=named, **more)  # type: ignore[arg-type]  # options of several types


def robots(text: str) -> acap.RobotsPolicy:
    return acap.parse_robots("ACAP-crawler: *\n" + text, url=SITE)


def outcome(policy: acap.RobotsPolicy | None, usage: str, *said: Statement, others: Sequence[Statement] = ()) -> str:
    decision = acap.decide(
        PAGE,
        crawler="SearchBot1",
        usage=usage,
        robots=policy,
        page=Made("acap", said) if said else None,
        others=[Made(others[0].dialect, others)] if others else (),
    )
    return str(decision.outcome)


def test_without_any_source_nothing_is_decided() -> None:
    """A caller who forgot the sources is told so, and not that all is permitted."""
    with pytest.raises(ValueError, match="no source"):
        acap.decide(PAGE, crawler="SearchBot1")


def test_a_page_overrides_robots_txt_on_the_same_usage() -> None:
    """P2 2.2.8: the statement in the page counts, whichever way it goes."""
    assert outcome(robots("ACAP-disallow-index: /"), "index", page("index", "permitted")) == "permitted"
    assert outcome(robots("ACAP-allow-index: /"), "index", page("index", "prohibited")) == "prohibited"


def test_a_page_permission_leaves_a_prohibition_strictly_below_it() -> None:
    """A page that permits `present` says nothing about the snippet that robots.txt prohibits."""
    policy = robots("ACAP-disallow-present-snippet: /")
    assert outcome(policy, "present-snippet", page("present", "permitted")) == "prohibited"
    assert outcome(policy, "present-link", page("present", "permitted")) == "permitted"


def test_an_element_is_inner_to_its_page() -> None:
    """P2 2.2.8: an element's statement overrides its page's."""
    said = (page("index", "prohibited"), page("index", "permitted", part="element"))
    assert outcome(None, "index", *said) == "permitted"


def test_a_tag_that_names_the_crawler_does_not_lift_an_elements_prohibition() -> None:
    """Section 7: class tokens are addressed to any crawler, and yet stand against a named META tag."""
    said = (page("index", "permitted", named=True), page("index", "prohibited", part="element"))
    assert outcome(None, "index", *said) == "prohibited"


def test_two_page_statements_at_odds_prohibit() -> None:
    """P2 2.2.8: a conflict at the same part of the page is settled as a prohibition."""
    assert outcome(None, "index", page("index", "permitted"), page("index", "prohibited")) == "prohibited"


def test_no_page_lifts_a_crawl_prohibition() -> None:
    """Whatever a page permits, it has to be crawled first (G 2.4)."""
    policy = acap.parse_robots("User-agent: *\nDisallow: /", url=SITE)
    assert outcome(policy, "index", page("index", "permitted")) == "prohibited"


def test_no_dialect_loosens_another() -> None:
    """Section 8: prohibited over conditional over permitted over silent."""
    permitted, conditional, prohibited = (
        Statement(dialect="rsl", usage="tdm", outcome=outcome) for outcome in ("permitted", "conditional", "prohibited")
    )
    assert outcome(robots("ACAP-disallow-tdm: /"), "ai-train", others=[permitted]) == "prohibited"
    assert outcome(robots("ACAP-allow-tdm: /"), "ai-train", others=[conditional]) == "conditional"
    assert outcome(robots("ACAP-allow-tdm: /"), "ai-train", others=[permitted, prohibited]) == "prohibited"
    assert outcome(robots("ACAP-allow-tdm: /"), "ai-train", others=[permitted]) == "permitted"


def test_the_reason_keeps_where_each_statement_stands() -> None:
    """A statement made elsewhere is cited with its source, header and text."""
    said = Statement(
        dialect="x-robots-tag", usage="index", outcome="prohibited", source=PAGE, header="X-Robots-Tag", text="noindex"
    )
    decision = acap.decide(
        PAGE, crawler="a", usage="index", robots=robots("ACAP-allow-index: /"), others=[Made("x-robots-tag", [said])]
    )
    (cited,) = decision.reason.decided_by
    assert (cited.source, cited.header, cited.text, cited.effect) == (PAGE, "X-Robots-Tag", "noindex", "prohibits")
    assert [(lost.statement.line, lost.key) for lost in decision.reason.lost] == [(2, "dialect")]


def test_restrictions_of_several_dialects_add_up() -> None:
    """Section 8: what each permission asks for holds."""
    said = Statement(
        dialect="meta", usage="present-snippet", outcome="permitted", restrictions=[("max-length", "20-chars")]
    )
    policy = robots("ACAP-allow-present-snippet: / max-length=10-words")
    decision = acap.decide(PAGE, crawler="a", usage="present-snippet", robots=policy, others=[Made("meta", [said])])
    assert {str(one) for one in decision.restrictions} == {"max-length=10-words", "max-length=20-chars"}


def test_a_statement_elsewhere_can_be_spent() -> None:
    """A permission of another dialect ends with its time limit."""
    said = Statement(
        dialect="meta", usage="index", outcome="permitted", restrictions=[("time-limit", "until-2008-03-01")]
    )
    for day, expected in ((1, "permitted"), (2, "prohibited")):
        decision = acap.decide(
            PAGE, crawler="a", usage="index", at=datetime(2008, 3, day, tzinfo=UTC), others=[Made("meta", [said])]
        )
        assert decision.outcome == expected


def test_a_qualifier_that_cannot_be_interpreted_prohibits() -> None:
    """P2 2.2.6: a permission under an unknown restriction is read as a prohibition."""
    assert outcome(None, "index", page("index", "permitted", restrictions=[("moon", "full")])) == "prohibited"


@pytest.mark.parametrize(
    ("usage", "meant"),
    [
        ("ai-trian", "`ai-train`"),
        ("ai_train", "`ai-train`"),
        ("Indx", "`index`"),
        ("search", "`index`, `present-link`, `present-snippet`"),
        ("ai", "`ai-train`, `ai-input`, `ai-index`"),
    ],
)
@pytest.mark.parametrize("said", ["prohibited", "conditional", "permitted"])
def test_a_misspelt_usage_of_ones_own_statement_is_a_mistake(usage: str, meant: str, said: str) -> None:
    """It would say nothing of what was meant; so it is refused where it is made, as a misspelt outcome is."""
    with pytest.raises(ValueError, match=f"unknown usage `{usage}`; did you mean {meant}"):
        Statement(dialect="mine", usage=usage, outcome=said)


@pytest.mark.parametrize("usage", [*PARENTS, "Index", "present-snippets", "print"])
def test_a_usage_that_is_known_or_ones_own_is_none(usage: str) -> None:
    """Every known usage, in any case, plurals that are read, and a name unlike any of them can be stated."""
    Statement(dialect="mine", usage=usage, outcome="prohibited")


def test_a_source_may_know_usages_of_its_own() -> None:
    """A usage that only another source names can be asked about."""
    said = Statement(dialect="own", usage="print", outcome="prohibited")
    assert outcome(robots(""), "print", others=[said]) == "prohibited"
