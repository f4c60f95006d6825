"""The name of an ACAP field, or the mark of a tag, that needs tolerance to be understood."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from acap.publish.lint.finding import Edit, Fix
from acap.publish.lint.mending import DASHES, MARK, unchanged
from acap.publish.lint.regex import late
from acap.publish.lint.rule import Example, field_span, of_problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from acap.problems import Problem
    from acap.publish.lint.document import Document

_TITLE = "write hyphens and a colon"
_MOST = 12
"""So many places may the name end at; the longest name has six words."""


def mend(document: Document, problem: Problem) -> Fix | None:
    """Writes the name as ACAP does, where the line is then read as before."""
    if document.kind == "page":
        return _in_page(document, problem)
    start, end = field_span(document, problem.line)
    field = document.text[start:end]
    if field.startswith(MARK):
        start, field = start + len(MARK), field[len(MARK) :]
    for edit in _candidates(field, start):
        if unchanged(document, problem, [edit]):
            return Fix(_TITLE, (edit,))
    return None


def _candidates(field: bytes, start: int) -> Iterator[Edit]:
    """The name rewritten, for each place at which it may end; the longest first."""
    # A name has no colon, and no path: what stands behind one is the value.
    stop = re.search(rb"[:/*]|\Z", field)
    most = stop.start() if stop else len(field)
    ends = {found.start() for found in re.finditer(rb"\s", field[:most])} | {most}
    ends |= {found.end() for found in re.finditer(rb"\)", field.partition(b":")[0])}
    for end in sorted(sorted(ends)[:_MOST], reverse=True):
        name = re.sub(DASHES, b"-", field[:end].strip())
        gap = re.match(rb"[ \t]*:?[ \t]*", field[end:])
        beyond = end + (gap.end() if gap else 0)
        tail = b": " if beyond < len(field) else b":"
        for written in dict.fromkeys((name.replace(b"_", b"-"), name)):
            yield Edit(start, start + beyond, written + tail)


_DASH = "[-\\s\u2010-\u2015\u2212\ufe58\ufe63\uff0d]+"
_JOINED = late(rf"\b((?:dis)?allow){_DASH}", re.IGNORECASE)


def _in_page(document: Document, problem: Problem) -> Fix | None:
    from acap.publish.lint.carriers import rewritten, written

    place = written(document, problem)
    if place is None:
        return None
    plain = re.sub("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]+-*", "-", re.sub("^(ACAP)[^\\w(]+", r"\1 ", place.text))
    for text in (_JOINED.sub(r"\1-", plain), plain):
        fix = rewritten(document, problem, place, "write a blank behind `ACAP`, and hyphens", text)
        if fix is not None:
            return fix
    return None


RULE = of_problem(
    "acap-hyphen",
    summary="an ACAP name is not written with its hyphens and its colon",
    why=(
        "ACAP's own documents, copied from a word processor, spread names with a blank for a hyphen, long dashes and "
        "missing colons: `ACAP-allow preserve /`. They are understood here, and every such line keeps its meaning; a "
        "crawler that reads ACAP by the letter skips them, prohibitions too. Write hyphens, and a colon behind the "
        "name."
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
