"""A line holds a control character."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "control-character",
    summary="a line contains a control character",
    why=(
        "RFC 9309 (2.2) allows none in a rule, and crawlers read such a line in their own ways: some end it there, "
        "others count the octet as part of the path. So a prohibition ends at it, and a permission has no effect."
    ),
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /private\x01/a\n",
            good="User-agent: *\nDisallow: /private/a\n",
        ),
    ),
)
