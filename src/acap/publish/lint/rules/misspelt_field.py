"""A known misspelling of a field's name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from acap.problems import Example, Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Fix
from acap.publish.lint.harmless import skipped_lines, weighed
from acap.publish.lint.mending import UNSEEN, token
from acap.publish.lint.rule import from_problem, of_problem


def check(document: Document) -> Iterator[Finding]:
    """What the reader finds; Google's matcher skips a name with an invisible character, others every such line."""
    skipped = skipped_lines(document)
    for problem in document.problems.get("misspelt-field", ()):
        finding = from_problem(document, problem, mend(document, problem))
        if unseen := UNSEEN.search(problem.words[0]):
            sign = f"the invisible character U+{ord(unseen[0]):04X}"
            message = f"`{problem.words[1]}` contains {sign}, so Google and many other crawlers skip the line"
            finding = replace(finding, message=message, help=f"write `{problem.words[1]}` without it")
        yield weighed(document, finding, unread=skipped)


def mend(document: Document, problem: Problem) -> Fix | None:
    """Writes the name as which it is read."""
    suggested = problem.words[1]
    edits = token(document, problem, suggested)
    return Fix(f"write `{suggested}`", edits) if edits else None


_REPORTED = of_problem(
    "misspelt-field",
    summary="the name of a field is misspelt in a way that only some crawlers understand",
    why=(
        "Google's matcher knows a short list of common typos, such as `Dissallow` and `Useragent`, and corrects them. "
        "RFC 9309 does not require that: other crawlers see an unknown field and skip the line. A misspelt Disallow "
        "protects nothing from them, and rules below a misspelt User-agent line go to the crawlers named before. "
        "An invisible character in a name, which comes along from a web page, is on no such list. Correct the "
        "spelling."
    ),
    examples=(
        Example(
            bad="User-agent: *\nDissallow: /private/\n",
            good="User-agent: *\nDisallow: /private/\n",
            fixed="User-agent: *\nDisallow: /private/\n",
        ),
        Example(
            bad="Useragent: ExampleBot\nDisallow: /\n",
            good="User-agent: ExampleBot\nDisallow: /\n",
            fixed="User-agent: ExampleBot\nDisallow: /\n",
        ),
    ),
    fix="safe",
)
RULE = replace(_REPORTED, check=check, weighs=True)
