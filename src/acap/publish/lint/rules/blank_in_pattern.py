"""A blank inside a pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.harmless import weighed
from acap.publish.lint.repetition import repeated_beside
from acap.publish.lint.rule import Rule

_SLIP = re.compile(r"[-*?=&/:] | [-*?=&]")
"""A blank that divides no words."""

_FIELD = re.compile(r"\b(?:user-?agent|(?:dis)?allow|sitemap|crawl-delay)\s*:", re.IGNORECASE)
"""A second field on the line."""

_TAG = re.compile(r"</?[A-Za-z]")

_OTHER = re.compile("[^\x00-\x7f\ufffd]")

_PATHS = re.compile(r"[\s,;]+(?=[/*])")


def check(document: Document) -> Iterator[Finding]:
    """A finding for each Allow and Disallow line with one path that has a blank in it."""
    odd = [
        rule
        for rule in document.path_rules
        if " " in rule.value and not _PATHS.search(rule.value) and rule.value.startswith(("/", "*"))
    ]
    repeated = repeated_beside(document.groups, {rule.line: _forms(rule.value) for rule in odd})
    unread = {rule.line for rule in odd}
    for rule in odd:
        pattern = rule.value
        if _TAG.search(pattern):
            yield RULE.at_line(
                document, rule.line, f"`{pattern}` contains HTML, which no URL does", help="write the path alone"
            )
            continue
        if _FIELD.search(pattern):
            yield RULE.at_line(
                document, rule.line, f"`{pattern}` contains another field", help="give each field a line of its own"
            )
            continue
        if rule.line in repeated:
            continue
        written = _encoded(pattern)
        # Of a sentence or a query with blanks throughout, all are meant.
        if len(_SLIP.findall(pattern)) == len(pattern.split()) - 1:
            yield RULE.at_line(
                document,
                rule.line,
                f"a URL has no blanks; the one in `{pattern}` looks like a typo",
                help="remove it, or write `%20` if URLs have one there",
            )
            continue
        finding = RULE.corrected(
            document,
            rule,
            written,
            f"a URL has no blanks, and not every crawler takes `{pattern}` for `{written}`",
            help=f"write `{written}`, or put `#` before a comment",
        )
        yield weighed(document, finding, unread=unread)


def _encoded(pattern: str) -> str:
    """As URLs have it."""
    written = pattern.replace(" ", "%20").replace('"', "%22")
    return _OTHER.sub(lambda found: "".join(f"%{octet:02X}" for octet in found[0].encode()), written)


def _forms(pattern: str) -> tuple[str, ...]:
    """How else it is written: as URLs have it, or with `_` as in a wiki."""
    wiki = pattern.replace(" ", "_")
    return _encoded(pattern), wiki, _encoded(wiki)


RULE = Rule(
    code="blank-in-pattern",
    summary="a pattern has a blank in it",
    severity="warning",
    why=(
        "URLs have `%20` for a blank. Google's reader compares a blank in a pattern with a blank, so the line matches "
        "nothing. Others stop reading there, so the line matches too much. Put `#` before a comment."
    ),
    clause="RFC 9309 2.2",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /My Documents/\n",
            good="User-agent: *\nDisallow: /My%20Documents/\n",
            fixed="User-agent: *\nDisallow: /My%20Documents/\n",
        ),
    ),
    check=check,
    fix="safe",
    weighs=True,
)
