"""Comparison of a page's answers about itself with those of robots.txt, usage by usage."""

from __future__ import annotations

from acap.decision import Decision
from acap.publish.compare import Change, Comparison, Paths, Side
from acap.publish.convert.conversion import Conversion
from acap.publish.convert.page_answers import Answers, page_of
from acap.publish.convert.states import ANYBODY, USAGES
from acap.publish.patterns import check_time
from acap.robots import parse_robots


def compare_page(conversion: Conversion) -> Comparison:
    """Compares both for every usage of the URL, and for each crawler with statements.

    Raises:
        LateError: the time was up before all questions were asked.
        ValueError: the conversion was made from a page.
    """
    if conversion.to not in ("meta", "headers"):
        raise ValueError("a conversion from a page was proved when it was made; the notes say what is stricter")
    url = conversion.url or "/"
    answers = Answers(page_of(conversion.text, conversion.to, url))
    policy = parse_robots(conversion.original)
    changes = []
    for crawler in conversion.crawlers:
        if not policy.decide(url, crawler=crawler).permitted:
            continue  # Only robots.txt can state that, as the page is not read.
        for purpose in (None, *(one for one in policy.purposes if one not in ("", "*") and conversion.to == "meta")):
            check_time()
            for usage in USAGES:
                before = _side(policy.decide(url, crawler=crawler, usage=usage, purpose=purpose))
                after = _side(answers.of(crawler, purpose)[usage])
                if (before.outcome, before.restrictions) != (after.outcome, after.restrictions):
                    name = "*" if crawler == ANYBODY else crawler
                    changes.append(Change((name,), (purpose or "",), (usage,), Paths((url,)), before, after, url))
    return Comparison(tuple(changes), ())


def _side(decision: Decision) -> Side:
    limits = sorted(
        {
            f"{restriction.name}={restriction.value}"
            for restriction in decision.restrictions
            if restriction.name != "excluded-purpose"
        }
    )
    cited = decision.reason.decided_by[0] if decision.reason.decided_by else None
    return Side(str(decision.outcome), tuple(limits), (cited.line or 0) if cited else 0, cited.text if cited else "")
