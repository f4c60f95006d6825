"""A qualifier with a value that it cannot have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from acap.problems import Example, Problem
from acap.publish.lint.carriers import written
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding, Fix
from acap.publish.lint.mending import within
from acap.publish.lint.rule import from_problem, of_problem
from acap.publish.loose_words import LooseWords, completed, spelt


def mend(document: Document, problem: Problem) -> Fix | None:
    """Writes a number and its unit as they must be, and a value with blanks as one; the permission then permits."""
    name, value = problem.words
    if document.kind == "page":
        return _in_page(document, problem, name, value)
    if (loose := _loose(document, problem)) is not None:
        edits: tuple[Edit, ...] = (Edit(*loose.span, f"{name}={loose.value}".encode()),)
        return Fix(f"write `{loose.value}`", edits, safe=False)
    new = spelt(name, value)
    if new is None:
        return None
    edits = within(document, problem, rf"({re.escape(name)}\s*=\s*){re.escape(value)}(?!\S)", rf"\g<1>{new}")
    return Fix(f"write `{new}`", edits, safe=False) if edits else None


def _loose(document: Document, problem: Problem) -> LooseWords | None:
    return None if problem.span is None else document.loose_words.get(problem.span.start)


def _in_page(document: Document, problem: Problem, name: str, value: str) -> Fix | None:
    place = written(document, problem)
    if place is None or not place.text.isascii():
        return None
    match = re.search(
        rf"({re.escape(name)}\s*=\s*){re.escape(value)}(?P<more>(?:[ \t]+[\w-]+(?!\s*=|\S)){{0,3}})", place.text
    )
    if match is None:
        return None
    words = match["more"].split()
    number, new = completed(name, value, words) or (0, spelt(name, value))
    if new is None:
        return None
    rest = "".join(f" {word}" for word in words[number:])
    text = f"{place.text[: match.start()]}{match[1]}{new}{rest}{place.text[match.end() :]}"
    return Fix(f"write `{new}`", (Edit(place.start, place.end, text.encode()),), safe=False)


_BASE = of_problem(
    "acap-bad-value",
    summary="a qualifier has an invalid value, so the permission prohibits",
    why=(
        "A crawler cannot keep a limit that it cannot read, so the standard makes it read the permission as a "
        "prohibition. A time limit is `until-2030-12-31`, `30-days` or `until-recrawled`, and the date must exist; a "
        "length is `20-words` or `100-chars`. A blank ends the value: `7 days` is `7` and a word beside it. "
        "Write the value in one of these forms."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-allow-index: / time-limit=until-2009-02-30\n",
            good="ACAP-crawler: *\nACAP-allow-index: / time-limit=until-2009-02-28\n",
        ),
        Example(
            bad="ACAP-crawler: *\nACAP-allow-preserve: / time-limit=7days\n",
            good="ACAP-crawler: *\nACAP-allow-preserve: / time-limit=7-days\n",
            fixed="ACAP-crawler: *\nACAP-allow-preserve: / time-limit=7-days\n",
        ),
        Example(
            bad="ACAP-crawler: *\nACAP-allow-preserve: / time-limit=7 days\n",
            good="ACAP-crawler: *\nACAP-allow-preserve: / time-limit=7-days\n",
            fixed="ACAP-crawler: *\nACAP-allow-preserve: / time-limit=7-days\n",
        ),
        Example(
            bad='<meta name="robots" content="ACAP allow-present-snippet max-length=20 words">\n',
            good='<meta name="robots" content="ACAP allow-present-snippet max-length=20-words">\n',
            fixed='<meta name="robots" content="ACAP allow-present-snippet max-length=20-words">\n',
            kind="page",
        ),
        Example(
            bad='<meta name="robots" content="ACAP allow-present-snippet max-length=20words">\n',
            good='<meta name="robots" content="ACAP allow-present-snippet max-length=20-words">\n',
            fixed='<meta name="robots" content="ACAP allow-present-snippet max-length=20-words">\n',
            kind="page",
        ),
    ),
    mend=mend,
    kinds=("robots", "page", "headers"),
    mends=("robots", "page"),
    fix="unsafe",
)


def _check(document: Document) -> Iterator[Finding]:
    for problem in document.problems.get(_BASE.code, ()):
        finding = from_problem(
            document, problem, mend(document, problem) if document.kind in ("robots", "page") else None
        )
        loose = _loose(document, problem)
        if loose is not None:
            finding = replace(
                finding, message=f"{loose.mistake}; the permission is read as a prohibition", help=loose.fix
            )
        yield finding


RULE = replace(_BASE, check=_check)
