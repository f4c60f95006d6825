"""A rule whose path does not begin with a slash."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from acap.problems import Example, Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding, Fix
from acap.publish.lint.harmless import weighed
from acap.publish.lint.mending import token
from acap.publish.lint.rule import from_problem, of_problem

_PATH = re.compile(r"[\w%~][^\s\\]*")
_QUERY = re.compile(r"[?&].*|[^/?]+=.*")
"""A piece of a query, which stands behind some path."""

_BEFORE_QUERY = re.compile(r"[\w-]+\?")
"""`login?`: a page with any query, as a rule behind some directory has it."""

_COLONS = re.compile(r":+\s*([/*].*)")
"""`Disallow:: /a`."""

_ENDING = re.compile(r"\.\w+[?*$]*")

_FIELD = re.compile(r"(?:user-?agent|((?:dis)?allow)|sitemap|crawl-delay)\s*:", re.IGNORECASE)
"""A second field on the line."""

ROBOTS = "robots.txt"
DIGITS = 3  # fewer are what a program writes for nothing, and no path
_PLAIN = re.compile(r"\w+")
"""`all`, `none`, `wp`: may be a word and no path."""

_HOST = re.compile(
    r"www\.|[\w-]+(?:\.[\w-]+)+/|[\w.-]+\.(?:com|org|net|edu|gov|info|biz|"
    r"at|au|be|br|ca|ch|cn|cz|de|dk|es|eu|fi|fr|gr|hu|ie|it|jp|kr|kz|mx|nl|no|nz|pt|ro|ru|se|sk|tr|tw|ua|uk|us|za)\Z",
    re.IGNORECASE,
)
"""Domains that are no endings of files, as `pl` and `cc` are."""


def check(document: Document) -> Iterator[Finding]:
    """What the reader finds; what is no path at the root is told its own way out."""
    for problem in document.problems.get("relative-pattern", ()):
        finding = from_problem(document, problem, mend(document, problem))
        finding = replace(finding, help=_way_out(problem.words[0]) or finding.help)
        yield weighed(document, finding, _correction(document, problem))


def _way_out(path: str) -> str | None:
    if match := _FIELD.match(path):
        return "give each field a line of its own" if match[1] is None else "write the field once, and the path"
    if match := _COLONS.fullmatch(path):
        return f"remove the second colon: the path is `{match[1]}`"
    if _QUERY.fullmatch(path):
        return f"write `/*{path}`"
    if _BEFORE_QUERY.fullmatch(path):
        return f"write `/*{path}`, or `/{path}` if it stands at the root"
    if _ENDING.fullmatch(path):
        return f"write `*{path}`" + ("" if path.endswith(("?", "*", "$")) else ", and `$` after it if URLs end so")
    if _HOST.match(path):
        return "write the path alone; another host has a robots.txt of its own"
    if "(" in path or "[" in path or path.startswith("^"):
        return "write a path that begins with `/`; a pattern is not a regular expression"
    if path.isdigit() and len(path) < DIGITS:
        return "write a path, which begins with `/`, or remove the line"
    return "write a path, which begins with `/`" if ":" in path or " " in path else None


def mend(document: Document, problem: Problem) -> Fix | None:
    """Puts a slash before a path: a Disallow then prohibits what it matched nothing of, an Allow may permit more.

    Of a second colon it frees the path behind it.
    """
    path = problem.words[0]
    if (colons := _COLONS.fullmatch(path)) is not None:
        return _without_colon(document, problem, colons[1])
    if not _PATH.fullmatch(path) or any(odd.match(path) for odd in (_HOST, _FIELD)):
        return None
    if _QUERY.fullmatch(path) or _BEFORE_QUERY.fullmatch(path):
        return None
    edits = token(document, problem, f"/{path}")
    prohibits = document.lines[problem.line - 1].kind == "Disallow"
    safe = prohibits and not _PLAIN.fullmatch(path)
    return Fix(f"write `/{path}`", edits, safe=safe) if edits else None


def _without_colon(document: Document, problem: Problem, path: str) -> Fix | None:
    """Not safe: nobody knows for how long the site has lived with a line that says nothing."""
    if re.search(r"\s", path):  # a second field, or several paths
        return None
    edits = token(document, problem, path)
    if edits and document.text.endswith(b":", 0, edits[0].start):
        edits = token(document, problem, f" {path}")
    return Fix("remove the second colon", edits, safe=False) if edits else None


def _correction(document: Document, problem: Problem) -> tuple[Edit, ...]:
    """The pattern that was meant, of several the widest; none where nobody knows."""
    path = problem.words[0]
    permits = document.lines[problem.line - 1].kind == "Allow"
    if fix := mend(document, problem):
        # Nobody is kept from robots.txt itself.
        return token(document, problem, "/robots.txt$") if path == ROBOTS else fix.edits
    if _HOST.match(path):
        return token(document, problem, f"/{path.partition('/')[2]}")
    if field := _FIELD.match(path):
        again = field[1] is not None and field[1].lower() == document.lines[problem.line - 1].kind.lower()
        return token(document, problem, path[field.end() :].strip()) if again else ()
    if match := _COLONS.fullmatch(path):
        return token(document, problem, match[1])
    if _QUERY.fullmatch(path) or _BEFORE_QUERY.fullmatch(path):
        return token(document, problem, f"/*{path}")
    if _ENDING.fullmatch(path):
        # What is to be permitted is what ends so.
        return token(document, problem, f"*{path}{'$' if permits and path[1:].isalnum() else ''}")
    return ()


_REPORTED = of_problem(
    "relative-pattern",
    summary="the path of a rule does not begin with `/`",
    why=(
        "Crawlers compare a rule with the path of a URL from its first character, and a path always begins with `/`. A "
        "pattern that begins with neither `/` nor `*` matches nothing at Google, Bing and every crawler that follows "
        "RFC 9309: `Disallow: private/` leaves /private/ open. Write `/private/` for a directory at the root, `*.pdf$` "
        "for files anywhere, and `/` for everything; `all` is not a path."
    ),
    examples=(
        Example(
            bad="User-agent: *\nDisallow: private/\n",
            good="User-agent: *\nDisallow: /private/\n",
            fixed="User-agent: *\nDisallow: /private/\n",
        ),
        Example(
            bad="User-agent: *\nDisallow:: /private/\n",
            good="User-agent: *\nDisallow: /private/\n",
            fixed="User-agent: *\nDisallow: /private/\n",
        ),
        Example(
            bad="User-agent: *\nDisallow: .pdf\n",
            good="User-agent: *\nDisallow: *.pdf$\n",
        ),
        Example(
            bad="User-agent: *\nDisallow: /\nAllow: open/\n",
            good="User-agent: *\nDisallow: /\nAllow: /open/\n",
            fixed="User-agent: *\nDisallow: /\nAllow: /open/\n",
        ),
    ),
    fix="safe",
)
RULE = replace(_REPORTED, check=check, weighs=True)
