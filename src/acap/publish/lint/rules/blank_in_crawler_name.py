"""A crawler's name with a blank in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acap.crawler_list import known
from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule

_SEVERAL = re.compile(r"[A-Za-z][A-Za-z0-9._!'-]*(?: +[A-Za-z0-9._!'&/-]+)+")


def check(document: Document) -> Iterator[Finding]:
    """A finding for each User-agent line whose name has several words."""
    for group in document.groups:
        for agent in group.agents:
            name = agent.value
            if " " in name and _SEVERAL.fullmatch(name) and known(name) is None:
                read = re.split(r"[^A-Za-z0-9._-]", name, maxsplit=1)[0]
                yield RULE.at_line(
                    document,
                    agent.line,
                    f"`{name}` is more than one word; crawlers read the name `{read}`",
                    help="write the product token that the crawler's operator documents",
                )


RULE = Rule(
    code="blank-in-crawler-name",
    summary="a crawler's name has a blank in it",
    severity="info",
    why=(
        "A product token has no blanks, and crawlers that follow RFC 9309 stop reading at the first: `Example Spider` "
        "is a line for `Example`. A few older crawlers compare the whole name; names with a blank that an operator "
        "documents are not reported."
    ),
    clause="RFC 9309 2.2.1",
    examples=(
        Example(
            bad="User-agent: Example Spider\nDisallow: /private/\n",
            good="User-agent: Example-Spider\nDisallow: /private/\n",
        ),
    ),
    check=check,
)
