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
from acap.publish.loose_words import LONGEST


def mend(document: Document, problem: Problem) -> Fix | None:
    """Puts the slash before what may be a path by itself; of `.pdf` something else was meant."""
    path = problem.words[0]
    if not re.match(r"[\w%~]", path) or _path_before(document, problem) is not None:
        return None
    return rewrite(document, problem, f"write `/{path}`", token(document, problem, f"/{path}"))


def _path_before(document: Document, problem: Problem) -> str | None:
    """The path before a relative one on its line, of which it may be the rest; none if there is none."""
    field = document.outline.by_line.get(problem.line) if document.kind == "robots" else None
    if field is None or problem.span is None or len(field.value) > LONGEST:
        return None
    before = [word for word in field.words if word.span.end <= problem.span.start]
    last = max(before, key=lambda word: word.span, default=None)
    return last.text if last is not None and last.text.startswith(("/", "*")) else None


_BASE = of_problem(
    "acap-relative-pattern",
    summary="the path of an ACAP field does not begin with `/`",
    why=(
        "ACAP takes the path of a resource from the root of the site. A path without a slash is read as if it had one: "
        "`private/` is /private/ at the root only, and `.pdf` is a file of that name. Other crawlers compare the path "
        "as written, and it matches nothing. Write the slash, or `*` before a part that may stand anywhere: `*.pdf$`. "
        "A blank ends a path, so write a blank within one as `%20`."
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
            bad="ACAP-crawler: *\nACAP-disallow-index: .pdf\n",
            good="ACAP-crawler: *\nACAP-disallow-index: *.pdf$\n",
        ),
    ),
    mend=mend,
    fix="safe",
)


def _check(document: Document) -> Iterator[Finding]:
    for problem in document.problems.get(_BASE.code, ()):
        if problem.span in document.completing:
            continue
        one = from_problem(document, problem, mend(document, problem))
        path, rest = _path_before(document, problem), problem.words[0]
        if path is not None:
            both = f"write `{path}%20{rest}` for one path, or `{path} /{rest}` for two"
            one = replace(one, message=f"`{path} {rest}` has a blank, which divides it into two paths", help=both)
        yield one


RULE = replace(_BASE, check=_check)
