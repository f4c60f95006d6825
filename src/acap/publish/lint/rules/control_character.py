"""A line holds a control character."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "control-character",
    summary="a line holds a control character",
    why=(
        "No rule of the Robots Exclusion Protocol has one (RFC 9309 2.2), and crawlers read such a line in their own "
        "ways: some end it there, others take the octet for a part of the path. So a prohibition ends at it, and a "
        "permission is void."
    ),
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /private\x01/a\n",
            good="User-agent: *\nDisallow: /private/a\n",
        ),
    ),
)
