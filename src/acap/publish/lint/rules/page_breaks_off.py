"""A page that visibly breaks off."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import TAGGED, Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """A finding where the text ends within a tag, a comment or a script, or has begun what it ends elsewhere."""
    if len(document.text) > TAGGED:
        return
    if not document.tags:
        return
    last, end = document.tags[-1], len(document.text)
    names = {tag.name for tag in document.tags}
    if not last.closed:
        what = "a comment" if last.name == "!--" else f"`<{last.name}`"
        message = f"the page ends within {what}"
    elif "/head" in names and not names & {"/body", "/html", "/frameset"}:
        message = "the page has an end of its head, and none of its body"
    else:
        return
    yield RULE.finding(
        document, last.start, end, message, help="check whether the whole page is there, and close every open element"
    )


RULE = Rule(
    code="page-breaks-off",
    summary="the page breaks off",
    severity="warning",
    why=(
        "The page ends within a tag, a comment or a script, or closes its head but never its body: most likely part of "
        "it is missing. Browsers repair it silently, so nobody notices that a META element or class after the break is "
        "lost, with its prohibitions. A page cut in transit shows in its length; a page stored cut shows only here."
    ),
    clause="Semantics, Encoding and the tree",
    examples=(
        Example(
            bad='<title>A</title>\n<p>One <a href="/b',
            good='<title>A</title>\n<p>One <a href="/b">two</a>\n',
            kind="page",
        ),
        Example(
            bad="<html><head><title>A</title></head><body>\n<p>One\n",
            good="<html><head><title>A</title></head><body>\n<p>One\n</body></html>\n",
            kind="page",
        ),
        Example(
            bad='<title>A</title>\n<p>One\n<!-- <meta name="robots" content="noindex">\n',
            good='<title>A</title>\n<p>One\n<!-- <meta name="robots" content="noindex"> -->\n',
            kind="page",
        ),
    ),
    check=check,
    kinds=("page",),
)
