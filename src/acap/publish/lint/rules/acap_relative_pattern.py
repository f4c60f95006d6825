"""A pattern without its slash."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from acap.problems import Example, Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Fix
from acap.publish.lint.mending import rewrite, token
from acap.publish.lint.rule import from_problem, of_problem


def mend(document: Document, problem: Problem) -> Fix | None:
    """Puts the slash before what may be a path by itself; of `.pdf` something else was meant."""
    path = problem.words[0]
    if not re.match(r"[\w%~]", path) or problem.span in document.divided_paths:
        return None
    return rewrite(document, problem, f"write `/{path}`", token(document, problem, f"/{path}"))


_BASE = of_problem(
    "acap-relative-pattern",
    summary="the path of an ACAP field does not begin with `/`",
    why=(
        "ACAP takes the path of a resource from the root of the site. A path without a slash is read as if it had one: "
        "`private/` is /private/ at the root only, and `.pdf` is a file of that name. Other crawlers compare the path "
        "as written, and it matches nothing. Write the slash, or `*` before a part that may stand anywhere: `*.pdf$`. "
        "A blank ends a path, so write a blank within one as `%20`; a word behind the path makes a permission a "
        "prohibition."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-disallow-crawl: private/\n",
            good="ACAP-crawler: *\nACAP-disallow-crawl: /private/\n",
            fixed="ACAP-crawler: *\nACAP-disallow-crawl: /private/\n",
        ),
        Example(
            bad="ACAP-crawler: *\nACAP-disallow-crawl: /my files/\n",
            good="ACAP-crawler: *\nACAP-disallow-crawl: /my%20files/\n",
        ),
        Example(
            bad="ACAP-crawler: *\nACAP-allow-crawl: /my files/\n",
            good="ACAP-crawler: *\nACAP-allow-crawl: /my%20files/\n",
        ),
        Example(
            bad="ACAP-crawler: *\nACAP-disallow-index: .pdf\n",
            good="ACAP-crawler: *\nACAP-disallow-index: *.pdf$\n",
        ),
    ),
    mend=mend,
    fix="safe",
)


def _check(document: Document) -> Iterator[Finding]:
    problems = document.problems.get(_BASE.code, ())
    # Of a permission the same words are no qualifiers, and it is read as a prohibition.
    stray = {one.span for one in document.problems.get("acap-stray-text", ())} if problems else set()
    elsewhere = document.completing | stray
    for problem in problems:
        divided = None if problem.span is None else document.divided_paths.get(problem.span)
        if divided is not None:
            finding = replace(from_problem(document, problem), message=divided.mistake, help=divided.fix)
            if problem.span in stray:
                message = f"{divided.mistake}; the permission is read as a prohibition"
                finding = replace(finding, message=message, severity="error")
            yield finding
        elif problem.span is None or problem.span not in elsewhere:
            yield from_problem(document, problem, mend(document, problem))


RULE = replace(_BASE, check=_check, worst="error")
