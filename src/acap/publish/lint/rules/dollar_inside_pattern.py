"""`$` inside a pattern, where it is a dollar sign."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from acap.outline import Field
from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Related
from acap.publish.lint.rule import Rule

_NOT_LAST = re.compile(r"[^/]\$[*?&/$]")
_NAME = re.compile(r"/(\$[^/$*^]+\$)(?=/)")
"""A directory between two dollar signs, as some systems name those that are their own."""
MOST = 8  # other lines pointed at


def check(document: Document) -> Iterator[Finding]:
    """A finding for each Allow and Disallow line with such a pattern; one for all in a directory with such a name."""
    inside: dict[str, list[Field]] = defaultdict(list)
    for rule in document.path_rules:
        if "$" not in rule.value:
            continue
        if (name := _NAME.search(rule.value)) and not _NOT_LAST.search(_NAME.sub("/", rule.value)):
            inside[name[1]].append(rule)
        elif _NOT_LAST.search(rule.value):
            yield RULE.at_line(
                document,
                rule.line,
                f"`$` ends a pattern only as its last octet; in `{rule.value}` it is a dollar sign of the URL",
                help="write the `$` at the end, or remove it",
            )
    for text, rules in inside.items():
        yield _named(document, text, rules)


def _named(document: Document, text: str, rules: Sequence[Field]) -> Finding:
    """What to know of a directory with dollar signs: nothing is wrong if URLs have it."""
    more = f" and {len(rules) - 1} more rules" if rules[1:] else ""
    finding = RULE.at_line(
        document,
        rules[0].line,
        f"the `$` in `{text}` ends no pattern: this rule{more} match{'' if more else 'es'} URLs that contain `{text}`",
        help="nothing is to be done if URLs have these dollar signs; if they were to mark an end, write `$` last",
        related=tuple(Related(rule.line, "another") for rule in rules[1 : MOST + 1]),
    )
    return replace(finding, severity="info")


RULE = Rule(
    code="dollar-inside-pattern",
    summary="a `$` that is not at the end of a pattern is a dollar sign",
    severity="warning",
    why=(
        "At the end of a pattern `$` says that the path ends there. Anywhere else it is an ordinary dollar sign, so "
        "`/*.pdf$*` matches only URLs in which `.pdf$` is written. A `$` inside a word is not reported, because it "
        "probably belongs there."
    ),
    clause="RFC 9309 2.2.3",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /*.pdf$*\n",
            good="User-agent: *\nDisallow: /*.pdf$\n",
        ),
    ),
    check=check,
)
