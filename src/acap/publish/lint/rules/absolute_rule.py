"""A rule that holds a URL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from acap.problems import Example, Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Fix
from acap.publish.lint.harmless import weighed
from acap.publish.lint.mending import token
from acap.publish.lint.rule import from_problem, of_problem

_URL = re.compile(r"https?://[^\s/?#@]+(/[^\s#]*)", re.IGNORECASE)
_HOST = re.compile(r"https?://([^\s/?#@*]+)(?:/?\*?)", re.IGNORECASE)
"""A URL without a path: mostly another host's."""

DEEPEST = 32  # directories that are looked for
_SITEMAP = re.compile(r"https?://\S*sitemap\S*\s", re.IGNORECASE)


def check(document: Document) -> Iterator[Finding]:
    """What the reader finds; the URL may be another host's, which has a robots.txt of its own."""
    problems = document.problems.get("absolute-rule", ())
    stands: dict[int, dict[tuple[str, str], int]] = {}
    for group in document.groups if problems else ():
        own = {(rule.kind, rule.value.rstrip("*")): rule.line for rule in group.rules}
        stands.update((rule.line, own) for rule in group.rules)
    for problem in problems:
        finding = from_problem(document, problem, mend(document, problem))
        url = problem.words[0]
        if host := _HOST.fullmatch(url):
            finding = replace(finding, help=f"if it is for that host, write it into the robots.txt of {host[1]}")
        elif " " in url:
            help_ = (
                "announce a sitemap in a Sitemap line" if _SITEMAP.match(url) else "give each field a line of its own"
            )
            finding = replace(finding, message=f"`{url}` matches no path", help=help_)
        elif (path := _URL.fullmatch(url)) and (
            line := _line(stands.get(problem.line, {}), document.lines[problem.line - 1].kind, path[1])
        ):
            help_ = f"remove it: line {line} says the same, and another host has a robots.txt of its own"
            finding = replace(finding, severity="info", help=help_)
        elif document.url is None:
            finding = replace(finding, help="write the path alone; another host has a robots.txt of its own")
        # What a Disallow names may be on another host, where it stays open.
        if document.lines[problem.line - 1].kind == "Allow" and " " not in url:
            path = _URL.fullmatch(url)
            finding = weighed(document, finding, token(document, problem, path[1] if path else "/"))
        yield finding


def _line(stands: dict[tuple[str, str], int], kind: str, path: str) -> int | None:
    """The line of a group that has the path, or a directory that it lies in."""
    at, line = 0, stands.get((kind, path.rstrip("*")))
    for _ in range(DEEPEST):
        if line is not None or (at := path.find("/", at) + 1) == 0:
            break
        line = stands.get((kind, path[:at]))
    return line


def mend(document: Document, problem: Problem) -> Fix | None:
    """Leaves the path alone; the URL may have been meant for another site."""
    url = problem.words[0]
    match = _URL.fullmatch(url)
    # A URL without a path would prohibit the whole site, which nobody writes so.
    if match is None or match[1] in ("/", "/*"):
        return None
    edits = token(document, problem, match[1])
    return Fix(f"write `{match[1]}`", edits, safe=False) if edits else None


_REPORTED = of_problem(
    "absolute-rule",
    summary="a rule holds a URL where a path belongs",
    why=(
        "A robots.txt speaks for its own host. Crawlers compare its rules with the path of a URL, never with the host. "
        "A rule that begins with `https://` matches no path, so crawlers go on fetching what it names. Write the path "
        "alone. To cover another host, write the robots.txt of that host."
    ),
    examples=(
        Example(
            bad="User-agent: *\nDisallow: https://www.example.com/private/\n",
            good="User-agent: *\nDisallow: /private/\n",
            fixed="User-agent: *\nDisallow: /private/\n",
        ),
    ),
    fix="unsafe",
)
RULE = replace(_REPORTED, check=check, weighs=True)
