"""Paths that a robots.txt shows to everybody."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule

_SECRET = re.compile(
    r"\.(?:sql|bak|old|env|git|svn|htpasswd|htaccess|pem|key|log|dump)\b|/(?:backups?|secrets?|passwords?|phpmyadmin|dumps?)\b",
    re.IGNORECASE,
)


def check(document: Document) -> Iterator[Finding]:
    """A finding for each Disallow line that names a file or directory that is of interest to intruders."""
    for rule in document.path_rules:
        if rule.kind == "Disallow" and _SECRET.search(rule.value):
            yield RULE.at_line(
                document,
                rule.line,
                f"anybody can read here that `{rule.value}` exists",
                help="protect it with a password, and remove it here",
            )


RULE = Rule(
    code="revealed-path",
    summary="a rule names a path that intruders look for",
    severity="info",
    why=(
        "robots.txt is public, and it is a request, not a lock. Naming a backup or a key file in it tells people "
        "where to look. What is secret needs protection by the server."
    ),
    clause="RFC 9309 3",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /backup/site.sql\n",
            good="User-agent: *\nDisallow: /search\n",
        ),
    ),
    check=check,
    default=False,
)
