r"""`\` in a pattern, where a URL has `/`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from acap.outline import Field
from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.harmless import weighed
from acap.publish.lint.repetition import repeated_beside
from acap.publish.lint.rule import Rule, replaced

_EXPRESSION = re.compile(r"\\[.?*+/$^()\[\]{}|\\]|\\[dwsbn](?![a-z])|[(\[{|^]")

_SIGNS = re.compile(r"[(\[{|^+]")
"""With these it is a regular expression, of which nobody knows what pattern it is to be."""

_INTENDED = re.compile(r"(?:(?!\\|[(\[{|^]).)*\\(?:u[0-9A-Fa-f]{2}.*)?")
"""At the end, and as a program writes letters, it divides nothing and escapes nothing: such URLs are meant."""


def check(document: Document) -> Iterator[Finding]:
    """A finding for each Allow and Disallow line with a backslash; mere information if the path stands without too."""
    odd = [rule for rule in document.path_rules if "\\" in rule.value]
    stands = repeated_beside(document.groups, {rule.line: (rule.value.replace("\\", ""),) for rule in odd})
    for rule in odd:
        pattern = rule.value
        if _INTENDED.fullmatch(pattern):
            yield _intended(document, rule)
            continue
        effect, suggested = "does not divide a path", pattern.replace("\\", "/")
        if _EXPRESSION.search(pattern):
            effect, suggested = "escapes nothing, because a pattern is not a regular expression", ""
        edits = replaced(document, rule.value_span, suggested) if suggested else ()
        finding = RULE.corrected(
            document,
            rule,
            suggested,
            f"`\\` {effect}; `{pattern}` matches only URLs that have a backslash",
            help=None if suggested else "write it with `*` for any characters, and `$` at the end",
            edits=edits,
            safe=False,
        )
        if rule.line in stands:
            yield replace(finding, severity="info")
            continue
        if not edits and not _SIGNS.search(pattern):
            edits = replaced(document, rule.value_span, pattern.replace("\\", ""))
        yield weighed(document, finding, edits)


def _intended(document: Document, rule: Field) -> Finding:
    written = rule.value.replace("\\", "%5C")
    message = f"URLs have `%5C` for `\\`, and not every crawler takes `{rule.value}` for `{written}`"
    return RULE.corrected(document, rule, written, message, safe=False)


RULE = Rule(
    code="backslash-in-pattern",
    summary="a pattern has a backslash in it",
    severity="warning",
    why=(
        "Paths of URLs are divided by `/`, and browsers turn `\\` into it. A pattern with `\\` matches next to "
        "nothing, so what it was to disallow is allowed. Patterns are not regular expressions either: nothing in "
        "them needs escaping."
    ),
    clause="RFC 3986 3.3",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /About\\News/\n",
            good="User-agent: *\nDisallow: /About/News/\n",
            fixed="User-agent: *\nDisallow: /About/News/\n",
        ),
        Example(
            bad="User-agent: *\nDisallow: */\\\n",
            good="User-agent: *\nDisallow: */%5C\n",
            fixed="User-agent: *\nDisallow: */%5C\n",
        ),
    ),
    check=check,
    fix="unsafe",
    weighs=True,
)
