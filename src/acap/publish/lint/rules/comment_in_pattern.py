"""`#` inside a pattern, where a comment begins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from acap.outline import Field
from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding
from acap.publish.lint.harmless import weighed
from acap.publish.lint.repetition import repeated_beside
from acap.publish.lint.rule import Rule

_ENTITY = re.compile(r"&#(?:[xX][0-9A-Fa-f]{1,6}|\d{1,7});")
_PAGE = re.compile(r"/[^*$]+")
_ANCHOR = re.compile(r"#[\w-]*")
"""A place in a page. `#!` and `#/` stand before what is a page of its own to the author."""


def check(document: Document) -> Iterator[Finding]:
    """A finding for each Allow and Disallow line whose `#` looks like a part of a URL.

    It is mere information if another line of the group has the pattern too, if it is a URL, which matches nothing, or
    if it is the page whose fragment is named.
    """
    cut = [(rule, fragment) for rule in document.path_rules if (fragment := _fragment(document, rule)) is not None]
    repeated = repeated_beside(document.groups, {rule.line: (rule.value,) for rule, _ in cut})
    for rule, fragment in cut:
        url = rule.value + fragment
        if entity := _ENTITY.match(url, max(rule.value.rfind("&"), 0)):
            yield _as_html(document, rule, url, entity[0])
            continue
        harmless = rule.line in repeated or "://" in rule.value
        harmless = harmless or (_PAGE.fullmatch(rule.value) is not None and _ANCHOR.fullmatch(fragment) is not None)
        finding = RULE.at_line(
            document,
            rule.line,
            f"`#` begins a comment, so the pattern of `{url}` is `{rule.value}`",
            help="remove the fragment, which no crawler sends; put a blank before a comment",
        )
        yield replace(finding, severity="info") if harmless else finding


_REFERENCE = re.compile(r"&#(?:[xX]([0-9a-fA-F]{1,8})|([0-9]{1,8}));?")


def _unescaped(text: str) -> str:
    """A text without the numbers of characters that HTML has; the module of it takes 5 ms to import."""

    def letter(match: re.Match[str]) -> str:
        number = int(match[1], 16) if match[1] else int(match[2])
        is_letter = 0 < number < 0xD800 or 0xDFFF < number < 0x110000
        return chr(number) if is_letter else "\ufffd"

    return _REFERENCE.sub(letter, text).replace("&amp;", "&")


def _as_html(document: Document, rule: Field, url: str, entity: str) -> Finding:
    """A character that some program wrote as HTML does."""
    plain = _unescaped(url)
    edits = (Edit(rule.value_span.start, document.bounds(rule.line)[1], plain.encode()),)
    is_plain = all(sign.isprintable() and sign not in " #\ufffd" for sign in plain)
    finding = RULE.corrected(
        document,
        rule,
        plain,
        f"`{entity}` is HTML for `{_unescaped(entity)}`; its `#` begins a comment, so the pattern is `{rule.value}`",
        edits=edits if is_plain else (),
        safe=False,
    )
    return weighed(document, finding)


def _fragment(document: Document, rule: Field) -> str | None:
    """What stands right behind a pattern from `#` on, if it is one word; none where nothing does."""
    end = rule.value_span.end
    if not rule.value or not document.text.startswith(b"#", end):
        return None
    fragment = document.text[end : document.bounds(rule.line)[1]].rstrip()
    return None if fragment.split()[1:] else fragment.decode("utf-8", "replace")


RULE = Rule(
    code="comment-in-pattern",
    summary="a `#` cuts a pattern off",
    severity="warning",
    why=(
        "`#` begins a comment wherever it stands. `Disallow: /*#top` is the line `Disallow: /*`, and disallows the "
        "whole site. Crawlers never send the part of a URL after `#`, so no rule can match it. In `&#x3D;`, which is "
        "`=` as HTML writes it, it begins a comment too."
    ),
    clause="RFC 9309 2.2",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /*#top\n",
            good="User-agent: *\nDisallow: /top/  # not for crawlers\n",
        ),
        Example(
            bad="User-agent: *\nDisallow: /list?sort&#x3D;price\n",
            good="User-agent: *\nDisallow: /list?sort=price\n",
            fixed="User-agent: *\nDisallow: /list?sort=price\n",
        ),
    ),
    check=check,
    fix="unsafe",
    weighs=True,
)
