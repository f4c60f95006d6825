"""A User-agent line without a name."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "empty-agent",
    summary="a User-agent line names no crawler",
    why=(
        "A User-agent line with nothing behind its colon names nobody, and the rules below it are for nobody: they do "
        "not mean everybody. What was meant cannot be told, so there is no fix. Write `User-agent: *` for all crawlers "
        "that have no group of their own, or the name of the crawler."
    ),
    examples=(
        Example(
            bad="User-agent:\nDisallow: /private/\n",
            good="User-agent: *\nDisallow: /private/\n",
        ),
    ),
)
