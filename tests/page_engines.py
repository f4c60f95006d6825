"""The engines that the vectors about pages are asked of, each behind the same few names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import acap
from tests.page_vectors import PageQuestion, PageVector
from tests.reference.page import read_page
from tests.reference.page_hearing import Site
from tests.reference.page_resolution import PageCrawler, decide_page

Restrictions = Iterable[tuple[str, str, str | None]]


@dataclass(frozen=True)
class PageAnswer:
    """What an engine answers; `invalid` if it rejects the question. None is what an engine cannot say.

    `decided` are the texts of the statements that decided, `lost` those of the ones that did not, with the key.
    """

    outcome: str
    kind: str = ""
    stated: bool = False
    restrictions: frozenset[tuple[str, str, str | None]] = frozenset()
    excluded: frozenset[str] = frozenset()
    decided: frozenset[str] | None = None
    lost: frozenset[tuple[str, str]] | None = None

    @classmethod
    def of(cls, outcome: str, kind: str, stated: bool, restrictions: Restrictions, **more: Any) -> PageAnswer:
        """An answer, the excluded elements kept apart from the other restrictions."""
        held = list(restrictions)
        return cls(
            outcome,
            kind,
            stated,
            frozenset(each for each in held if each[0] != "excluded-element"),
            frozenset(value for name, value, _ in held if name == "excluded-element"),
            **more,
        )


INVALID = PageAnswer("invalid")


class NativePage:
    """The package itself."""

    def __init__(self, vector: PageVector) -> None:
        self.url = vector.asked
        self.page = acap.parse_page(vector.html, url=vector.url, headers=vector.headers)
        robots = vector.robots
        self.robots = None if robots is None else acap.parse_robots(robots[0], url=robots[1])

    def ask(self, question: PageQuestion) -> PageAnswer:
        """The answer to a question about the page as a whole."""
        try:
            decision = acap.decide(
                self.url, usage=question.usage, page=self.page, robots=self.robots, **arguments(question)
            )
        except ValueError:
            return INVALID
        reason = decision.reason
        return PageAnswer.of(
            str(decision.outcome),
            reason.kind,
            decision.stated,
            ((each.name, each.value, each.usage) for each in decision.restrictions),
            decided=frozenset(cited.text for cited in reason.decided_by),
            lost=frozenset((one.statement.text, one.key) for one in reason.lost),
        )


class ReferencePage:
    """The reference interpreter, which decides and extracts nothing."""

    def __init__(self, vector: PageVector) -> None:
        self.url = vector.asked
        self.page = read_page(vector.html, url=vector.url, headers=vector.headers)
        self.site = Site.read(*vector.robots) if vector.robots is not None else None

    def ask(self, question: PageQuestion) -> PageAnswer:
        """The answer to a question about the page as a whole."""
        honours = None if question.honours is None else frozenset(question.honours)
        try:
            decision = decide_page(
                self.page,
                self.url,
                crawler=PageCrawler(question.names, honours, question.silence, question.elements, question.profile),
                usage=question.usage,
                purpose=question.purpose,
                at=question.at,
                facts=question.facts,
                site=self.site,
            )
        except ValueError:
            return INVALID
        restrictions = ((name, value, part[0] if part else None) for name, value, *part in decision.restrictions)
        return PageAnswer.of(decision.outcome, decision.kind, decision.stated, restrictions)


def arguments(question: PageQuestion) -> dict[str, Any]:
    """What the package's calls about a page have in common."""
    return {
        "crawler": acap.Crawler(
            *question.names,
            honours=question.honours,
            silence=question.silence,
            elements=question.elements,
            profile=question.profile,
        ),
        "purpose": question.purpose,
        "at": question.at,
        "facts": acap.Facts(**question.facts) if question.facts is not None else None,
    }


PAGE_ENGINES: dict[str, Any] = {"native": NativePage, "reference": ReferencePage}
