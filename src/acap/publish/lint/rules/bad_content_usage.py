"""A Content-Usage line that cannot be read."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "bad-content-usage",
    summary="a Content-Usage line is not a valid dictionary",
    why=(
        "The value of Content-Usage is a dictionary of RFC 9651, with a strict syntax: one typo makes the whole line "
        "invalid. A careful reader still respects what the line plainly refuses, but nothing that it permits; others "
        "ignore the line."
    ),
    examples=(
        Example(
            bad="User-agent: *\nContent-Usage: Train-AI = n\nAllow: /\n",
            good="User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n",
        ),
        Example(
            bad="User-agent: *\nContent-Usage: train-ai=n, search=y,\nAllow: /\n",
            good="User-agent: *\nContent-Usage: train-ai=n, search=y\nAllow: /\n",
        ),
    ),
    kinds=("robots", "headers"),
)
