"""A page where a robots.txt should be."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule

_STARTS = (b"<!doctype html", b"<html", b"<head", b"<body", b"<?xml", b"<script")
_CONVENTIONAL = ("User-agent", "Disallow", "Allow", "Sitemap", "ACAP")


def is_page(document: Document) -> bool:
    """Whether a file begins as a page does."""
    return document.text[:512].lstrip(b"\xef\xbb\xbf\r\n\t ").lower().startswith(_STARTS)


def commented(document: Document) -> set[int]:
    """Lines that are, in part or whole, comments as pages have them."""
    lines: set[int] = set()
    at = 0
    while (start := document.text.find(b"<!--", at)) >= 0 and (at := document.text.find(b"-->", start)) >= 0:
        lines.update(range(document.place(start)[0], document.place(at)[0] + 1))
    return lines


def check(document: Document) -> Iterator[Finding]:
    """A finding at the first line, if the file is markup and holds no rules."""
    if is_page(document):
        rules = any(document.kinds[kind] for kind in _CONVENTIONAL)
        line, _ = document.place(document.text.find(b"<"))
        yield RULE.at_line(
            document,
            line,
            "this is a page, not a robots.txt" + ("; lines in it that look like rules still count" if rules else ""),
            help="serve the robots.txt itself, or answer with 404 if there is none",
        )


RULE = Rule(
    code="html-instead-of-robots",
    summary="the file is a page",
    severity="error",
    why=(
        "Sites that answer every unknown address with a page answer `/robots.txt` with one too. Crawlers find no rules "
        "in it, so everything is allowed. A 404 says the same plainly."
    ),
    clause="RFC 9309 2.3",
    examples=(
        Example(
            bad="<!DOCTYPE html>\n<html><head><title>Not found</title></head></html>\n",
            good="User-agent: *\nDisallow:\n",
        ),
    ),
    check=check,
)
