"""A word for robots that nobody knows."""

from __future__ import annotations

import re
from functools import lru_cache

from acap.dialects.spelling import one_slip
from acap.pages.words import WORDS
from acap.problems import Example, Problem
from acap.publish.lint.carriers import written
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Fix
from acap.publish.lint.rule import of_problem

_ASSIGNED = re.compile(r"(max-(?:snippet|image-preview|video-preview))=(-?\w+)", re.IGNORECASE)
_SHORTEST = 5


def mend(document: Document, problem: Problem) -> Fix | None:
    """Writes the known word that is one slip away, or a colon for `=`: words only take away, and permit nothing."""
    name = problem.words[0]
    suggested = _suggestion(name)
    place = written(document, problem) if suggested else None
    if suggested is None or place is None or not place.text.isascii():
        return None
    text = re.sub(rf"(?<![^\s,;:]){re.escape(name)}(?![^\s,;:])", suggested, place.text, count=1)
    return Fix(f"write `{suggested}`", (Edit(place.start, place.end, text.encode()),)) if text != place.text else None


@lru_cache(maxsize=1024)
def _suggestion(name: str) -> str | None:
    if found := _ASSIGNED.fullmatch(name):
        return f"{found[1]}:{found[2]}"
    name = name.lower()
    bare = name.replace("-", "")
    near = {known for known in WORDS if known == bare or (len(name) >= _SHORTEST and one_slip(name, known))}
    return near.pop() if len(near) == 1 else None


RULE = of_problem(
    "page-unknown-word",
    summary="a word for robots is unknown",
    why=(
        "Search engines look for known words in a robots META tag or an X-Robots-Tag header and ignore all others. A "
        "misspelt `noindex` keeps nothing out of an index, and no search engine's tool reports it. Spell the word as "
        "its vendor documents it."
    ),
    examples=(
        Example(
            bad='<meta name="robots" content="noindx, nofollow">\n',
            good='<meta name="robots" content="noindex, nofollow">\n',
            fixed='<meta name="robots" content="noindex, nofollow">\n',
            kind="page",
        ),
        Example(
            bad='<meta name="robots" content="max-snippet=20">\n',
            good='<meta name="robots" content="max-snippet:20">\n',
            fixed='<meta name="robots" content="max-snippet:20">\n',
            kind="page",
        ),
        Example(
            bad='<meta name="robots" content="private">\n',
            good='<meta name="robots" content="noindex">\n',
            kind="page",
        ),
        Example(
            bad="X-Robots-Tag: no-index\n",
            good="X-Robots-Tag: noindex\n",
            fixed="X-Robots-Tag: noindex\n",
            kind="headers",
        ),
    ),
    mend=mend,
    kinds=("page", "headers"),
    fix="safe",
)
