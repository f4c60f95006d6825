"""Rules above the first User-agent line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from acap.problems import Example, Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding, Fix
from acap.publish.lint.harmless import weighed
from acap.publish.lint.mending import eol, insertion
from acap.publish.lint.rule import from_problem, of_problem

MOST = 64  # rules above the first group; of more none is tried by itself


def check(document: Document) -> Iterator[Finding]:
    """What the reader finds; where nothing is prohibited above, silence permits what was to be permitted."""
    if not (problems := document.problems.get("rule-before-agent", ())):
        return
    above = {problem.line for problem in problems}
    lost = any(rule.line in above and rule.kind == "Disallow" and rule.value for rule in document.path_rules)
    for problem in problems:
        finding = from_problem(document, problem, mend(document, problem))
        if lost:
            yield weighed(document, finding, _alone(document, problem, above))
        else:
            yield replace(finding, severity="info")


def _alone(document: Document, problem: Problem, above: set[int]) -> tuple[Edit, ...]:
    """A Disallow addressed to everybody, and none of the others; of an exception alone nothing can be told."""
    own = document.outline.by_line.get(problem.line)
    if own is None or own.kind != "Disallow" or not own.value.startswith(("/", "*")) or len(above) > MOST:
        return ()
    fields = (document.outline.by_line.get(line) for line in above if line != problem.line)
    others = (Edit(*field.span, b"#") for field in fields if field is not None)
    return (Edit(own.span.start, own.span.start, b"User-agent: *" + eol(document)), *others)


def mend(document: Document, problem: Problem) -> Fix | None:
    """Addresses all of them to everybody; an Allow among them could then permit more, and a name may have been lost."""
    first = document.problems[problem.code][0]
    return Fix("put `User-agent: *` above", (insertion(document, first.line, b"User-agent: *"),), safe=False)


_REPORTED = of_problem(
    "rule-before-agent",
    summary="a rule stands above the first User-agent line and applies to no crawler",
    why=(
        "Allow and Disallow lines count for the crawlers named above them. Above the first User-agent line none is "
        "named, and every crawler that follows RFC 9309 skips the rule: what it forbids is crawled. Put the rule below "
        "its User-agent line, or put `User-agent: *` above it if it is for all crawlers not named elsewhere."
    ),
    examples=(
        Example(
            bad="Disallow: /private/\n\nUser-agent: ExampleBot\nDisallow: /drafts/\n",
            good="User-agent: *\nDisallow: /private/\n\nUser-agent: ExampleBot\nDisallow: /drafts/\n",
            fixed="User-agent: *\nDisallow: /private/\n\nUser-agent: ExampleBot\nDisallow: /drafts/\n",
        ),
    ),
    fix="unsafe",
)
RULE = replace(_REPORTED, check=check, weighs=True)
