"""A qualifier with a value that it cannot have."""

from __future__ import annotations

import re

from acap.problems import Example, Problem
from acap.publish.lint.carriers import written
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Fix
from acap.publish.lint.mending import within
from acap.publish.lint.rule import of_problem

_UNITS = {"time-limit": ("day",), "max-length": ("char", "word")}
_COUNT = re.compile(r"(\d+)[\s_-]*([a-z]+?)s?", re.IGNORECASE)


def mend(document: Document, problem: Problem) -> Fix | None:
    """Writes a number and its unit as they must be; the permission then permits."""
    name, value = problem.words
    found = _COUNT.fullmatch(value)
    if found is None or found[2].lower() not in _UNITS.get(name.lower(), ()):
        return None
    new = f"{found[1]}-{found[2].lower()}s"
    pattern = rf"({re.escape(name)}\s*=\s*){re.escape(value)}(?!\S)"
    if document.kind == "page":
        place = written(document, problem)
        if place is None or not place.text.isascii():
            return None
        text = re.sub(pattern, rf"\g<1>{new}", place.text, count=1)
        edits: tuple[Edit, ...] = (Edit(place.start, place.end, text.encode()),) if text != place.text else ()
    else:
        edits = within(document, problem, pattern, rf"\g<1>{new}")
    return Fix(f"write `{new}`", edits, safe=False) if edits else None


RULE = of_problem(
    "acap-bad-value",
    summary="a qualifier has an invalid value, so the permission prohibits",
    why=(
        "A crawler cannot keep a limit that it cannot read, so the standard makes it read the permission as a "
        "prohibition. A time limit is `until-2030-12-31`, `30-days` or `until-recrawled`, and the date must exist; a "
        "length is `20-words` or `100-chars`. Write the value in one of these forms."
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
