"""Text that is no field."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches

from acap.problems import Example, Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Fix
from acap.publish.lint.mending import within
from acap.publish.lint.rule import from_problem, of_problem
from acap.publish.lint.rules.html_instead_of_robots import commented

_FIELDS = ("user", "useragent", "agent", "allow", "disallow", "sitemap", "crawl", "noindex", "host", "acap", "license")
_PROSE = re.compile(r"[^\W\d_][\w'’,.!?()-]*(?:\s+\S+){2,}|[-=~_*+;/]{2,}\s.*|[-=~_+]{3,}")
"""Three words or more of which the first is one; what begins as a comment does elsewhere; a line that is drawn."""
_PATH = re.compile(r"/[^\s/]\S*")
_PIECE = re.compile(r"[\w.-]*[/?*]\S*")
"""A path that has lost its beginning too: `plugins/`, `Dis?action=logout`."""
_COMMENTS = ("<!--", "//", ";")
_TAGS = re.compile(r"(?:</?[A-Za-z][^<>]*>\s*)+")
_SAYS = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[a-z]{2}")
_ABOUT = re.compile(r"\brobots(?:\.txt|[ _-]file)\b|\bgenerated (?:by|with|at|on)\b", re.IGNORECASE)
_TELLS = re.compile(
    r"\b(?:not|no|only)\b|\b(?:block|den[iy]|disallow|allow|crawl|index|forbid|prohibit)", re.IGNORECASE
)
"""What may have been meant for crawlers."""
_AGAIN = re.compile(r"(\S)\1{3}")


def mend(document: Document, problem: Problem) -> Fix | None:
    """Makes prose a comment; what may have been meant as a rule is left as it is."""
    if not _PROSE.fullmatch(problem.text.strip()):
        return None
    first = re.sub("[^a-z]", "", problem.text.split()[0].lower())
    if first and get_close_matches(first, _FIELDS, n=1, cutoff=0.75):
        return None
    edits = within(document, problem, r"\S", r"# \g<0>")
    return Fix("make it a comment", edits) if edits else None


def drawn(text: str) -> bool:
    """Whether a line is of a picture or a frame: it has no letters, or one sign again and again and no word."""
    return not _SAYS.search(text) or (_AGAIN.search(text) is not None and not _WORD.search(text))


def remark(text: str) -> bool:
    """Whether a line is evidently a note on the file itself, and tells crawlers nothing."""
    return _PROSE.fullmatch(text) is not None and _ABOUT.search(text) is not None and not _TELLS.search(text)


def check(document: Document) -> Iterator[Finding]:
    """What the reader finds; a path has lost its field, and a comment or a line that is drawn says nothing."""
    problems = document.problems.get("no-field", ())
    comments = commented(document) if problems else set()
    for problem in problems:
        finding = from_problem(document, problem, mend(document, problem))
        text = problem.text.strip()
        if _PATH.fullmatch(text):
            finding = replace(finding, help="write `Disallow:` or `Allow:` before the path")
        elif (
            problem.line in comments
            or _TAGS.fullmatch(text)
            or drawn(text)
            or text.startswith(_COMMENTS)
            or remark(text)
        ):
            finding = replace(finding, severity="info")
        elif _PIECE.fullmatch(text):
            finding = replace(
                finding, help="if it is part of a path, write `Disallow: /` or `Allow: /` and the whole path"
            )
        yield finding


_REPORTED = of_problem(
    "no-field",
    summary="a line is neither a field nor a comment",
    why=(
        "Crawlers skip a line without a field, so a sentence, a path without `Disallow:` or a field without its value "
        "has no effect. A whole file of such lines is often a page for people that the server sends in place of a "
        "robots.txt. Put `#` before notes, write rules as rules, and let the server answer 404 if there is no "
        "robots.txt."
    ),
    examples=(
        Example(
            bad="User-agent: *\nPlease be polite to our server\nDisallow: /private/\n",
            good="User-agent: *\n# Please be polite to our server\nDisallow: /private/\n",
            fixed="User-agent: *\n# Please be polite to our server\nDisallow: /private/\n",
        ),
        Example(
            bad="User-agent: *\nDisallow: /private/\n/drafts/\n",
            good="User-agent: *\nDisallow: /private/\nDisallow: /drafts/\n",
        ),
    ),
    fix="safe",
)
RULE = replace(_REPORTED, check=check)
