"""A definition below the records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding, Fix
from acap.publish.lint.mending import eol, line_end, line_start
from acap.publish.lint.rule import from_problem, of_problem

_TOGETHER = 1 << 20  # most octets of the fix, over all findings that carry it


def check(document: Document) -> Iterator[Finding]:
    """Findings; one fix moves them all, in their order, for of two definitions of a name the first stands."""
    problems = document.problems.get("acap-misplaced-definition", ())
    fix = mend(document, {problem.line for problem in problems}) if problems else None
    size = sum(len(edit.octets) for edit in fix.edits) * len(problems) if fix else 0
    for problem in problems:
        yield from_problem(document, problem, fix)
        if size > _TOGETHER:
            fix = None  # the first has it


def mend(document: Document, lines: set[int]) -> Fix | None:
    """Moves the lines above the first crawler line."""
    first = next((field.line for field in document.acap_fields if field.name == "crawler"), None)
    if first is None or first > min(lines):
        return None
    text, ends = document.text, eol(document)
    start = at = line_start(document, first)
    moved, left = [], []
    for number in sorted(lines):
        begins, beyond = line_start(document, number), line_end(document, number)
        # A last line may have no end; it gets one where it goes, and the line before it keeps its own.
        moved.append(text[begins:beyond].rstrip(b"\r\n") + ends)
        left.append(text[at:begins])
        at = beyond
    return Fix("move it above the records", (Edit(start, at, b"".join(moved + left)),))


RULE = replace(
    of_problem(
        "acap-misplaced-definition",
        summary="a definition stands below the first record",
        why=(
            "The standard wants usages and resource sets defined before the first ACAP-crawler line. Here they count "
            "wherever they stand. A crawler that reads the file once, from top to bottom, does not know the name yet "
            "and skips the line that uses it. Move definitions to the top."
        ),
        examples=(
            Example(
                bad="ACAP-crawler: *\nACAP-allow-crawl: the-acap:resource-set:open\nACAP-resource-set: open /news/\n",
                good="ACAP-resource-set: open /news/\nACAP-crawler: *\nACAP-allow-crawl: the-acap:resource-set:open\n",
                fixed="ACAP-resource-set: open /news/\nACAP-crawler: *\nACAP-allow-crawl: the-acap:resource-set:open\n",
            ),
        ),
        fix="safe",
    ),
    check=check,
)
