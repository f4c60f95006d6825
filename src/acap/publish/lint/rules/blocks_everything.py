"""A group that keeps every crawler away."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule

_ALL = ("/", "/*", "*")


def check(document: Document) -> Iterator[Finding]:
    """A finding for the rule of `*` that refuses everything, where nothing of `*` allows anything."""
    default = [rule for group in document.groups if group.is_default for rule in group.rules]
    if any(rule.kind == "Allow" and rule.value for rule in default):
        return
    refusal = next((rule for rule in default if rule.kind == "Disallow" and rule.value in _ALL), None)
    if refusal is not None:
        # Those that the group of this line names beside `*` are kept away as well.
        groups = [group for group in document.groups if refusal not in group.rules]
        named = any("*" not in agent.texts("crawler") for group in groups for agent in group.agents)
        who = "crawlers that no other group names" if named else "all crawlers"
        yield RULE.at_line(document, refusal.line, f"this keeps {who} from the whole site")


RULE = Rule(
    code="blocks-everything",
    summary="crawlers may fetch nothing of the site",
    severity="info",
    why=(
        "`Disallow: /` for `*` closes the whole site to every crawler that no other group names. That is right for a "
        "site under construction, and an expensive mistake on the finished one. It does not remove pages from a search "
        "engine: a page that may not be fetched may still be listed."
    ),
    clause="RFC 9309 2.2.2",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /\n",
            good="User-agent: *\nDisallow: /private/\n",
        ),
    ),
    check=check,
)
