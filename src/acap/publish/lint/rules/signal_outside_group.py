"""Content signals before the first group."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """A finding for each such line."""
    if document.kinds["Content-Signal"] or document.kinds["Content-Usage"]:
        for extension in document.extensions:
            if extension.group is None and extension.field in ("Content-Signal", "Content-Usage"):
                yield RULE.at_line(
                    document,
                    extension.line,
                    (
                        f"this {extension.field} line stands in no group; some readers apply it to all crawlers, "
                        f"others to none"
                    ),
                    help="put it below `User-agent: *`",
                )


RULE = Rule(
    code="signal-outside-group",
    summary="a content signal stands before the first group",
    severity="warning",
    why=(
        "Content-Signal and Content-Usage lines address the crawlers of their group. Before the first User-agent line "
        "they are in no group: some readers apply them to the whole file, as decisions here do; others ignore them."
    ),
    clause="contentsignals.org, draft-ietf-aipref-attach",
    examples=(
        Example(
            bad="Content-Signal: ai-train=no\n\nUser-agent: *\nAllow: /\n",
            good="User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n",
        ),
    ),
    check=check,
)
