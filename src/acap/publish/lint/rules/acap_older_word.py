"""A qualifier by a name that it had before."""

from __future__ import annotations

import re

from acap.problems import Example, Problem
from acap.publish.lint.carriers import rewritten, written
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Fix
from acap.publish.lint.mending import rewrite, within
from acap.publish.lint.rule import of_problem

_WORDS = {
    "must-use-resource": (r"\bused-resource(\s*=)", r"must-use-resource\1"),
    "prohibited-context": (
        r"\bcontext(\s*=\s*)within-(?:user-)?frame(?!\S)",
        r"prohibited-context\1within-user-frame",
    ),
    "required-context": (
        r"\bcontext(\s*=\s*)within-original-frame(?!\S)",
        r"required-context\1within-original-frame",
    ),
}


def mend(document: Document, problem: Problem) -> Fix | None:
    """Writes the word of the standard, which is what is read."""
    suggested = problem.words[1]
    old, new = _WORDS[suggested]
    title = f"write `{suggested}`"
    if document.kind == "page":
        place = written(document, problem)
        if place is None:
            return None
        text = re.sub(old, new, place.text, flags=re.IGNORECASE)
        return rewritten(document, problem, place, title, text)
    return rewrite(document, problem, title, within(document, problem, old, new))


RULE = of_problem(
    "acap-older-word",
    summary="a qualifier has the name of an earlier draft",
    why=(
        "The implementation guide has examples with `used-resource` and `context`, which the standard calls "
        "`must-use-resource`, `prohibited-context` and `required-context`. They are understood here. A crawler that "
        "knows only the standard finds an unknown qualifier and reads the permission as a prohibition. Write the word "
        "of the standard."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-allow-index: / used-resource=/news/summary.txt\n",
            good="ACAP-crawler: *\nACAP-allow-index: / must-use-resource=/news/summary.txt\n",
            fixed="ACAP-crawler: *\nACAP-allow-index: / must-use-resource=/news/summary.txt\n",
        ),
        Example(
            bad="ACAP-crawler: *\nACAP-allow-present-original: / context=within-frame\n",
            good="ACAP-crawler: *\nACAP-allow-present-original: / prohibited-context=within-user-frame\n",
            fixed="ACAP-crawler: *\nACAP-allow-present-original: / prohibited-context=within-user-frame\n",
        ),
        Example(
            bad='<meta name="robots" content="ACAP allow-index used-resource=/a.txt">\n',
            good='<meta name="robots" content="ACAP allow-index must-use-resource=/a.txt">\n',
            fixed='<meta name="robots" content="ACAP allow-index must-use-resource=/a.txt">\n',
            kind="page",
        ),
    ),
    mend=mend,
    kinds=("robots", "page", "headers"),
    mends=("robots", "page"),
    fix="safe",
)
