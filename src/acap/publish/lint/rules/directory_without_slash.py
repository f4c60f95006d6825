"""A directory written without the slash at its end, which matches more than the directory."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Related
from acap.publish.lint.rule import Rule

_PLAIN = re.compile(r"/[^*$?#.\s]*[^*$?#.\s/]")


def check(document: Document) -> Iterator[Finding]:
    """A finding for each Disallow line whose path another group shows to be a directory."""
    shown = {
        rule.value: rule.line for rule in document.path_rules if rule.value.endswith("/") and "*" not in rule.value
    }
    if not shown or len(document.groups) < 2:
        return
    for group in document.groups:
        own = {rule.value for rule in group.rules}
        for rule in group.rules:
            pattern = rule.value
            directory = f"{pattern}/"
            # Who writes both in one group means both.
            if directory not in shown or directory in own or rule.kind != "Disallow" or not _PLAIN.fullmatch(pattern):
                continue
            if any(f"{pattern}{end}" in own for end in ("$", ".html", ".htm", ".php", "?")):
                continue
            other = shown[directory]
            yield RULE.at_line(
                document,
                rule.line,
                (
                    f"`{pattern}` matches every path that begins so, `{pattern}-other.html` too; line {other} has "
                    f"`{directory}`"
                ),
                help=f"write `{directory}` if you mean the directory",
                related=(Related(other, "the directory"),),
                witness=f"{pattern}-other.html",
            )


RULE = Rule(
    code="directory-without-slash",
    summary="a directory without its slash matches more than the directory",
    severity="info",
    why=(
        "A pattern is the beginning of a path, not a name: `/private` disallows `/private.html` and `/privateers/` as "
        "well as `/private/`. This is reported only if another group of the file writes the same directory with its "
        "slash."
    ),
    clause="RFC 9309 2.2.2",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /private\n\nUser-agent: ExampleBot\nDisallow: /private/\n",
            good="User-agent: *\nDisallow: /private/\n\nUser-agent: ExampleBot\nDisallow: /private/\n",
        ),
    ),
    check=check,
)
