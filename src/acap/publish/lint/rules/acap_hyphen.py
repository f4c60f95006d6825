"""The name of an ACAP field, or the mark of a tag, that needs tolerance to be understood."""

from __future__ import annotations

import re

from acap.problems import Example, Problem
from acap.publish.lint.carriers import rewritten, written
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Fix
from acap.publish.lint.mending import rewrite
from acap.publish.lint.rule import of_problem

_TITLE = "write hyphens and a colon"
_DASHES = re.compile(rb"(?:[-\s]|\xe2\x80[\x90-\x95]|\xe2\x88\x92|\xef\xb9[\x98\xa3]|\xef\xbc\x8d)+")
"""What reads as a hyphen in the name of an ACAP field."""


def mend(document: Document, problem: Problem) -> Fix | None:
    """Writes the name as ACAP does, where the line is then read as before."""
    if document.kind == "page":
        return _in_page(document, problem)
    field = document.outline.by_line.get(problem.line)
    if field is None:
        return None
    name = _DASHES.sub(b"-", document.outline.octets(field.name_span))
    place, tail = (field.value_span.start, b": ") if field.value else (field.span.end, b":")
    for new in dict.fromkeys((name.replace(b"_", b"-"), name)):
        if fix := rewrite(document, problem, _TITLE, [Edit(field.span.start, place, new + tail)]):
            return fix
    return None


_DASH = "[-\\s\u2010-\u2015\u2212\ufe58\ufe63\uff0d]+"
_JOINED = re.compile(rf"\b((?:dis)?allow){_DASH}", re.IGNORECASE)


def _in_page(document: Document, problem: Problem) -> Fix | None:
    place = written(document, problem)
    if place is None:
        return None
    plain = re.sub("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]+-*", "-", re.sub("^(ACAP)[^\\w(]+", r"\1 ", place.text))
    for text in (_JOINED.sub(r"\1-", plain), plain):
        fix = rewritten(document, problem, place, "write a blank after `ACAP`, and hyphens", text)
        if fix is not None:
            return fix
    return None


RULE = of_problem(
    "acap-hyphen",
    summary="an ACAP name lacks its hyphens or its colon",
    why=(
        "ACAP's own documents passed through a word processor and spread names with blanks or long dashes for hyphens, "
        "and without colons: `ACAP-allow preserve /`. Such lines keep their meaning here, but a strict ACAP reader "
        "skips them, prohibitions too. Write hyphens, and a colon after the name."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-allow preserve: /\n",
            good="ACAP-crawler: *\nACAP-allow-preserve: /\n",
            fixed="ACAP-crawler: *\nACAP-allow-preserve: /\n",
        ),
        Example(
            bad="ACAP-crawler: *\nACAP-disallow\u2013index /private/\n",
            good="ACAP-crawler: *\nACAP-disallow-index: /private/\n",
            fixed="ACAP-crawler: *\nACAP-disallow-index: /private/\n",
        ),
        Example(
            bad="ACAP-crawler: *\nACAP_disallow_index: /private/\n",
            good="ACAP-crawler: *\nACAP-disallow-index: /private/\n",
            fixed="ACAP-crawler: *\nACAP-disallow-index: /private/\n",
        ),
        Example(
            bad='<meta name="robots" content="ACAP: disallow index">\n',
            good='<meta name="robots" content="ACAP disallow-index">\n',
            fixed='<meta name="robots" content="ACAP disallow-index">\n',
            kind="page",
        ),
    ),
    mend=mend,
    kinds=("robots", "page", "headers"),
    mends=("robots", "page"),
    fix="safe",
)
