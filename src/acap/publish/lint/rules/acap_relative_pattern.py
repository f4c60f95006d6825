"""A pattern without its slash."""

from __future__ import annotations

import re

from acap.problems import Example, Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Fix
from acap.publish.lint.mending import rewrite, token
from acap.publish.lint.rule import of_problem


def mend(document: Document, problem: Problem) -> Fix | None:
    """Puts the slash before what may be a path; of `.pdf` something else was meant."""
    path = problem.words[0]
    if not re.match(r"[\w%~]", path):
        return None
    return rewrite(document, problem, f"write `/{path}`", token(document, problem, f"/{path}"))


RULE = of_problem(
    "acap-relative-pattern",
    summary="the path of an ACAP field does not begin with `/`",
    why=(
        "ACAP takes the path of a resource from the root of the site. A path without a slash is read as if it had one: "
        "`private/` is /private/ at the root only, and `.pdf` is a file of that name. Other crawlers compare the path "
        "as written, and it matches nothing. Write the slash, or `*` before a part that may stand anywhere: `*.pdf$`."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-disallow-crawl: private/\n",
            good="ACAP-crawler: *\nACAP-disallow-crawl: /private/\n",
            fixed="ACAP-crawler: *\nACAP-disallow-crawl: /private/\n",
        ),
        Example(
            bad="ACAP-crawler: *\nACAP-disallow-index: .pdf\n",
            good="ACAP-crawler: *\nACAP-disallow-index: *.pdf$\n",
        ),
    ),
    mend=mend,
    fix="safe",
)
